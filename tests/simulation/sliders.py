"""A mass on a driven slider: one freedom, whose motions under simple controllers have closed forms."""

from __future__ import annotations

import json

import numpy as np

import gough
from gough.robot import loads
from laws.subjects import built

MASS = 2.0


def slider(gravity: float = 0.0, viscous: float = 0.0, **drive: float) -> gough.Model:
    """A mass of 2 kg that slides along z; gravity (m/s²) along -z; viscous friction (N s/m).
    Its inertia makes its size one metre."""
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
                **({"friction": {"viscous": viscous}} if viscous else {}),
            }
        ],
        "velocities": "drives",
        "home": {"joints": {"slide": 0}},
    }
    return built(loads(json.dumps(data)))


ARM = """format: 1
name: arm
source: a made-up robot for tests
bodies:
  - {name: cart, mass: 3, inertia: {about: center_of_mass, xx: 0.1, yy: 0.2, zz: 0.3}}
  - {name: rod, mass: 2, center_of_mass: [0.3, 0.1, 0.05], inertia: {about: center_of_mass, xx: 0.02, yy: 0.03, zz: 0.04}}
joints:
  - {name: slide, type: prismatic, axis: [1, 0, 0], parent: world, child: cart, drive: {coulomb: 1 N}}
  - {name: pin, type: revolute, parent: cart, child: rod, drive: {coulomb: 0.1 N.m}}
home: {joints: {slide: 0.1, pin: 0.3}}
"""
"""A robot of two drives of different kinds."""


def settling(t: np.ndarray, stiffness: float, damping: float, mass: float, start: float) -> np.ndarray:
    """m ẍ + d ẋ + k x = 0 from rest at `start`."""
    roots = np.roots([mass, damping, stiffness]).astype(complex)
    a, b = roots
    return np.real(start * (b * np.exp(a * t) - a * np.exp(b * t)) / (b - a))
