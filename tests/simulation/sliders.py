"""A mass on a driven slider: one freedom, whose motions under simple controllers have closed forms."""

from __future__ import annotations

import json

import numpy as np

import gough
from gough.robot import loads
from laws.subjects import built

MASS = 2.0


def slider(gravity: float = 0.0, **drive: float) -> gough.Model:
    """A mass of 2 kg that slides along z; gravity (m/s²) along -z. Its inertia makes its size one metre."""
    data = {
        "format": 1,
        "name": "slider",
        "source": "a made-up robot for tests",
        "gravity": [0, 0, -gravity],
        "bodies": [
            {
                "name": "block",
                "mass": MASS,
                "center_of_mass": [0, 0, 0],
                "inertia": {"about": "center_of_mass", "xx": 4 / 3, "yy": 4 / 3, "zz": 4 / 3},
                "frames": {"tool": {"position": [0.1, 0, 0]}},
            }
        ],
        "joints": [
            {
                "name": "slide",
                "type": "prismatic",
                "parent": "world",
                "child": "block",
                "axis": [0, 0, 1],
                "drive": drive,
            }
        ],
        "velocities": "drives",
        "home": {"joints": {"slide": 0}},
    }
    return built(loads(json.dumps(data)))


def settling(t: np.ndarray, stiffness: float, damping: float, mass: float, start: float) -> np.ndarray:
    """m ẍ + d ẋ + k x = 0 from rest at `start`."""
    roots = np.roots([mass, damping, stiffness]).astype(complex)
    a, b = roots
    return np.real(start * (b * np.exp(a * t) - a * np.exp(b * t)) / (b - a))
