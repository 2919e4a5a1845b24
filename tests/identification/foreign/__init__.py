"""Measured data from another model than the library's: Pinocchio's trees, loops closed by multipliers, under joint control."""

from .experiments import NAMES, Experiment, Fourier, experiment
from .noise import Noise, measure
from .plant import Plant
from .robots import nearby
from .run import CleanRun, clean_run, simulate

__all__ = [
    "NAMES",
    "CleanRun",
    "Experiment",
    "Fourier",
    "Noise",
    "Plant",
    "clean_run",
    "experiment",
    "measure",
    "nearby",
    "simulate",
]
