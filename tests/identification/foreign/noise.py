"""What an encoder and a force sensor make of a run: noise, and whole counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import gough

from .experiments import Experiment
from .run import CleanRun


@dataclass(frozen=True)
class Noise:
    """Of encoders: a count of slides (m) and of hinges (rad), standard deviation in counts before rounding. Of forces: standard
    deviation as a share of the drive's root mean square, a count as a share of its largest force. All white."""

    slide_count: float = 1e-6
    hinge_count: float = 1e-5
    encoder: float = 1.0
    force: float = 0.015
    force_count: float = 1 / 2048


def measure(clean: CleanRun, of: Experiment, rng: np.random.Generator, noise: Noise | None = None) -> gough.Record:
    """A record of the run: drive positions and forces with noise, and the reference as it was.

    Encoders and forces draw from streams of their own: another noise of one does not change the other.
    """
    noise = Noise() if noise is None else noise
    layout = of.model.layout
    encoder, sensor = rng.spawn(2)
    count = np.array([noise.hinge_count if unit == "N m" else noise.slide_count for unit in layout.drive_units])
    positions = clean.positions + noise.encoder * count * encoder.normal(size=clean.positions.shape)
    size = np.sqrt((clean.forces**2).mean(axis=0))
    step = noise.force_count * np.abs(clean.forces).max(axis=0)
    forces = clean.forces + noise.force * size * sensor.normal(size=clean.forces.shape)
    channels = (round_to(positions, count), round_to(forces, step), clean.reference)
    by_name = [dict(zip(layout.drive_names, x.T.copy(), strict=True)) for x in channels]
    return gough.Record(of.name, clean.time.copy(), by_name[0], by_name[1], reference=by_name[2])


def round_to(x: np.ndarray, step: np.ndarray) -> np.ndarray:
    """x in whole steps; as it is where the step is 0."""
    some = np.where(step > 0, step, 1.0)
    return np.where(step > 0, np.round(x / some) * some, x)
