"""A hexapod of cranks: closed forms jump by a turn where the way to a ball lies behind a servo's zero, strokes do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.robot import loads
from inner.studies import HostMachine, Screen, SweepPoints, choose_screen

HORN, ROD = 0.025, 0.14
CRANKS = """
format: 2
name: cranked_hexapod
variables: {base_radius: 80 mm, top_radius: 60 mm}
gravity: [0, 0, -9.81]
platform: {mass: 0.3, inertia: {about: center_of_mass, xx: 2e-4, yy: 2e-4, zz: 4e-4}}
templates:
  rus:
    chain:
      - {name: servo, type: revolute, axis: [0, -1, 0], drive: {}, body: {name: horn, mass: 0.005}}
      - name: knee
        type: universal
        axes: [[1, 0, 0], [0, 1, 0]]
        pose: {position: [25 mm, 0, 0]}
        body:
          name: rod
          mass: 0.02
          center_of_mass: [0, 0, 0.07]
          inertia: {about: center_of_mass, xx: 3e-5, yy: 3e-5, zz: 1e-7}
    cut: {name: ball, type: spherical, on_leg: {position: [0, 0, 140 mm]}}
legs:
  - pattern: {circular: 3}
    name: left<i>
    like: rus
    base:
      position: [base_radius*cos(<angle> + 12 deg), base_radius*sin(<angle> + 12 deg), 0]
      rpy_zyx: [<angle> + 102 deg, 100 deg, 0]
    on_platform: {position: [top_radius*cos(<angle> + 48 deg), top_radius*sin(<angle> + 48 deg), 0]}
  - pattern: {circular: 3}
    name: right<i>
    like: rus
    base:
      position: [base_radius*cos(<angle> - 12 deg), base_radius*sin(<angle> - 12 deg), 0]
      rpy_zyx: [<angle> - 102 deg, 100 deg, 0]
    on_platform: {position: [top_radius*cos(<angle> - 48 deg), top_radius*sin(<angle> - 48 deg), 0]}
home: {pose: {position: [0, 0, 0.134]}, joints: {"*.servo": 95.3504 deg}}
"""
POSES = [(0.01, 0.0, 0.139), (-0.01, 0.0, 0.129), (0.0, 0.01, 0.134), (0.0, -0.01, 0.134)]
STUDY = {
    "variables": {"base_radius": [0.06, 0.1], "top_radius": [0.04, 0.08]},
    "cases": {"around": {"poses": [dict(zip("xyz", pose, strict=True)) for pose in POSES]}},
    "measures": {"stroke": {"measure": "stroke", "case": "around"}},
    "minimise": "stroke",
    "search": {"method": "grid", "count": 12},
}


def strokes(base: float, top: float) -> float:
    """The largest range of a servo. With the horn at an angle s from where it is level (100° minus the frame's lean) its end is
    at HORN (cos s, sin s) of the level direction and up; with the ball at (a, b, c) along, across and up from the servo
    a cos s + c sin s = (a² + b² + c² + HORN² - ROD²) / (2 HORN), and s is the smaller of its two solutions."""
    found = np.zeros((6, len(POSES)))
    for leg in range(6):
        side, turn = (1.0, -1.0)[leg // 3], leg % 3 * 2 * np.pi / 3
        foot, ball = (turn + side * np.radians(x) for x in (12, 48))
        along = turn + side * np.radians(102)
        for k, pose in enumerate(POSES):
            away = np.array(pose) + [top * np.cos(ball), top * np.sin(ball), 0]
            away -= [base * np.cos(foot), base * np.sin(foot), 0]
            a, _, c = Rotation.from_euler("z", -along).apply(away)
            reach = (away @ away + HORN**2 - ROD**2) / (2 * HORN)
            found[leg, k] = np.arctan2(c, a) - np.arccos(reach / np.hypot(a, c))
    return float(np.ptp(found, axis=1).max())


@pytest.mark.slow
def test_strokes_of_cranks_do_not_jump() -> None:
    study = gough.make_study({"robot": loads(CRANKS), **STUDY})
    assert choose_screen(study, "cpu") == "cpu"
    x = SweepPoints(study.evaluator.space, "grid", 12).at(0, 144)
    truth = np.array([strokes(*row) for row in x])
    screened, _ = Screen.of(study.evaluator, HostMachine()).evaluate(x)
    assert (screened.violation == 0).all()
    np.testing.assert_allclose(screened.values[:, 0], truth, rtol=1e-9)
    np.testing.assert_allclose(study.run().values()["stroke"], truth.min(), rtol=1e-9)
