"""Robots whose workspace and singularities are known in closed form."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import gough
from gough.robot import loads
from inner.analysis import Surveyor

CRANK, ROD, HALF_BASE = 0.6, 0.7, 0.3
INERTIA = "mass: 1, inertia: {about: center_of_mass, xx: 0.01, yy: 0.03, zz: 0.03}"
FIVE_BAR = f"""
format: 1
name: five_bar
bodies:
  - {{name: crank1, {INERTIA}}}
  - {{name: rod1, {INERTIA}}}
  - {{name: crank2, {INERTIA}}}
  - {{name: rod2, {INERTIA}}}
joints:
  - {{name: m1, type: revolute, parent: world, child: crank1, pose: {{position: [-{HALF_BASE}, 0, 0]}}, drive: {{}}}}
  - {{name: e1, type: revolute, parent: crank1, child: rod1, pose: {{position: [{CRANK}, 0, 0]}}}}
  - {{name: m2, type: revolute, parent: world, child: crank2, pose: {{position: [{HALF_BASE}, 0, 0]}}, drive: {{}}}}
  - {{name: e2, type: revolute, parent: crank2, child: rod2, pose: {{position: [{CRANK}, 0, 0]}}}}
loops:
  - name: pin
    type: revolute
    first: {{body: rod1, pose: {{position: [{ROD}, 0, 0]}}}}
    second: {{body: rod2, pose: {{position: [{ROD}, 0, 0]}}}}
home: {{joints: {{m1: 120 deg, m2: 60 deg, e1: -60 deg, e2: 60 deg}}}}
"""

STROKE, HIP, BALL = (0.5, 0.75), np.deg2rad(35), np.deg2rad(40)
HEXAPOD = """
format: 1
name: limited
platform: {mass: 5, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.2}}
templates:
  ups:
    chain:
      - name: hip
        type: universal
        axes: [[1, 0, 0], [0, 1, 0]]
        limits: {cone: 35 deg}
        body: {mass: 1, center_of_mass: [0, 0, 0.2], inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.001}}
      - name: slide
        type: prismatic
        drive: {stroke: [0.5, 0.75]}
        body: {mass: 0.5, inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.001}}
    cut: {type: spherical, limits: {cone: 40 deg}}
home: {pose: {position: [0, 0, 0.6]}}
legs:
"""


def ring(radius: float, spread: float) -> np.ndarray:
    """Six points (6, 3) every 60 degrees, moved by `spread` degrees to alternating sides."""
    a = np.deg2rad(60 * np.arange(6) + spread * np.array([-1, 1, -1, 1, -1, 1]))
    return np.column_stack([radius * np.cos(a), radius * np.sin(a), 0 * a])


BASE, PLATFORM = ring(0.5, 8), ring(0.25, -22)


@lru_cache
def hexapod() -> gough.Model:
    """A hexapod with strokes and cones."""
    legs = [
        f"  - like: ups\n    base: {{position: {list(map(float, a))}}}\n    on_platform: {{position: {list(map(float, b))}}}\n"
        for a, b in zip(BASE, PLATFORM, strict=True)
    ]
    return gough.build(loads(HEXAPOD + "".join(legs)))


@lru_cache
def five_bar() -> gough.Model:
    """The planar five-bar by its two motors."""
    return gough.build(loads(FIVE_BAR))


@lru_cache
def five_bar_tip() -> gough.Model:
    """The same five-bar by the position of its tip."""
    text = FIVE_BAR.replace("name: five_bar\n", "name: five_bar_tip\nplatform: tip\n")
    text = text.replace("joints:\n", f"  - {{name: tip, {INERTIA}}}\njoints:\n", 1)
    hand = f"  - {{name: hand, type: fixed, parent: rod1, child: tip, pose: {{position: [{ROD}, 0, 0]}}}}\nloops:\n"
    return gough.build(loads(text.replace("loops:\n", hand, 1)))


def legs_of(position: np.ndarray, rotation: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(leg vectors (n, 6, 3), lengths (n, 6), platform points from its origin (n, 6, 3)) of poses."""
    arms = np.einsum("nij,kj->nki", rotation, PLATFORM)
    lines = position[:, None, :] + arms - BASE
    return lines, np.linalg.norm(lines, axis=2), arms


def interrupt_survey(patch: pytest.MonkeyPatch, parts: int) -> None:
    """Ctrl-C when that many parts of a map are done."""
    calls, right = [], Surveyor.survey

    def survey(self, x, near=None):
        calls.append(len(x))
        if len(calls) > parts:
            raise KeyboardInterrupt
        return right(self, x, near)

    patch.setattr(Surveyor, "survey", survey)
