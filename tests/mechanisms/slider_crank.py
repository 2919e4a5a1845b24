"""The slider-crank of the IVP test set (problem crank, B. Simeon): its rod, its motion, its initial values.

The rod is seen from its chord: two sines in bending, and longitudinally a quadratic field with freedoms in the middle and
at the slider. The crank's pin carries the chord, so the rod's frame there neither moves nor turns with the coordinates.
The crank turns at a constant rate, so rod and slider follow from the elastic coordinates in closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import gough
from gough.fem import ModalData, ModalFrame
from gough.robot import loads

CRANK, LENGTH, RATE, END = 0.15, 0.3, 150.0, 0.1
WIDTH, YOUNG, DENSITY = 0.008, 2e11, 7870.0
START = [0, 0, 0.103339863e-4, 0.169327969e-4, 0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5]
"""Initial q1 … q4 (m) and their rates, near a motion without fast vibration."""

DESCRIPTION = """
format: 1
name: crank
gravity: [0, 0, 0]
bodies:
  - {name: crank, parameters: {M: 0.36, MX: 0.027, YY: 0.002727, ZZ: 0.002727}}
  - {name: rod, flexible: {modal: {file: rod.npz}}}
  - {name: slider, mass: 0.075552}
joints:
  - {name: crank, type: revolute, parent: world, child: crank, drive: {}}
  - {name: elbow, type: revolute, parent: crank, child: rod, pose: {position: [0.15, 0, 0]}}
  - {name: slide, type: prismatic, axis: [1, 0, 0], parent: world, child: slider}
loops:
  - {name: pin, type: revolute, first: {body: rod, pose: {position: [0.3, 0, 0]}}, second: {body: slider}}
velocities: drives
home: {joints: {crank: 60 deg, elbow: -85 deg, slide: 0.346}}
"""


def rod() -> ModalData:
    """Mass at Gauss points in two layers, which give the rod its own inertia about z as well."""
    x, weight = np.polynomial.legendre.leggauss(24)
    s, weight = (x + 1) / 2, weight / 2
    shapes = np.zeros((len(s), 3, 4))
    shapes[:, 1, 0], shapes[:, 1, 1] = np.sin(np.pi * s), np.sin(2 * np.pi * s)
    shapes[:, 0, 2], shapes[:, 0, 3] = 4 * s * (1 - s), s * (2 * s - 1)
    layers = [np.column_stack([LENGTH * s, np.full(len(s), y), 0 * s]) for y in WIDTH / np.sqrt(12) * np.array([1, -1])]
    mass = DENSITY * WIDTH**2 * LENGTH * weight
    along = YOUNG * WIDTH**2 / LENGTH
    K = np.zeros((4, 4))
    K[0, 0], K[1, 1] = along * (WIDTH / LENGTH) ** 2 * np.pi**4 / 24 * np.array([1, 16])
    K[2:, 2:] = along / 3 * np.array([[16, -8], [-8, 7]])
    still, moved, turned = np.zeros((3, 3, 4))
    moved[0, 3] = 1
    turned[2, :2] = np.array([-1, 2]) * np.pi / LENGTH
    frames = {
        "crank": ModalFrame(np.zeros(3), translation=still, turning=still),
        "slider": ModalFrame(np.array([LENGTH, 0, 0]), translation=moved, turning=turned),
    }
    labels = ("q1", "q2", "q3", "q4")
    return ModalData(
        np.concatenate(layers), np.tile(mass / 2, 2), np.tile(shapes, (2, 1, 1)), K, frames=frames, labels=labels
    )


def described(file: str) -> Any:
    """The robot; the rod is rod.npz beside `file`."""
    return loads(DESCRIPTION, file=file)


def by_chord(t: float, e: np.ndarray) -> np.ndarray:
    """(rod's angle, slider's place) at time t, the rod being e[3] longer than at rest."""
    turn, length = RATE * t, LENGTH + e[3]
    angle = np.arcsin(-CRANK * np.sin(turn) / length)
    return np.array([angle, CRANK * np.cos(turn) + length * np.cos(angle)])


def moved(
    model: gough.Model, start: Any, assembled: Callable[[float, np.ndarray], np.ndarray], rtol: float
) -> np.ndarray:
    """Elastic coordinates at the end. assembled: q for a time and elastic coordinates.

    Forward dynamics under the drive force that keeps the crank's rate; its elastic accelerations are the inverse model's.
    """
    m = model.layout.n_elastic
    function = model.function("inverse_dynamics").compile()
    steady, nothing = np.zeros(1), np.zeros(model.layout.nv)

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        v = np.concatenate([[RATE], x[m:]])
        out = function(q=assembled(t, x[:m]), v=v, acceleration=steady, force=nothing, parameters=model.parameters)
        return np.concatenate([x[m:], out.outputs["eddot"]])

    run = solve_ivp(slope, (0, END), start, method="DOP853", rtol=rtol, atol=1e-5 * rtol)
    assert run.success
    return run.y[:m, -1]
