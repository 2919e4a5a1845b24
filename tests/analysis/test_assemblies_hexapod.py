"""A hexapod with 40 real assemblies.

Source  P. Dietmaier, "The Stewart-Gough platform of general geometry can have 40 real postures", Advances in Robot
        Kinematics: Analysis and Control, Kluwer 1998, pp. 7-16; its numbers as printed in the documentation of CuikSuite
        (J. M. Porta, IRI Barcelona, example Dietmeier). There are never more than 40.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from inner.spatial import pose_difference, rotation_of_quaternion

BASE = [
    [0.0, 0.0, 0.0],
    [1.107915, 0.0, 0.0],
    [0.549094, 0.756063, 0.0],
    [0.735077, -0.223935, 0.525991],
    [0.514188, -0.526063, -0.368418],
    [0.590473, 0.094733, -0.205018],
]
PLATFORM = [
    [0.0, 0.0, 0.0],
    [0.542805, 0.0, 0.0],
    [0.956919, -0.528915, 0.0],
    [0.665885, -0.353482, 1.402538],
    [0.478359, 1.158742, 0.107672],
    [-0.137087, -0.235121, 0.353913],
]
LENGTHS = [1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071]

BODY = {"mass": 1.0, "inertia": {"about": "center_of_mass", "xx": 0.1, "yy": 0.1, "zz": 0.1}}


@pytest.fixture(scope="module")
def model() -> gough.Model:
    robot = gough.robots.hexapod(BASE, PLATFORM, platform=BODY, home=[0.3, 0.4, 0.8], first_axis=(0.3, 0.9, 0.2))
    return gough.build(robot)


def check(model: gough.Model, result: gough.Assemblies) -> None:
    """Legs have their lengths by own kinematics, loops are closed, poses are distinct."""
    assert not result.complete and result.proof == "" and result.doubt
    assert result.closure_errors.max() < 1e-10
    R = rotation_of_quaternion(result.q[:, 3:7])
    tips = result.q[:, None, :3] + np.einsum("nij,kj->nki", R, np.array(PLATFORM))
    np.testing.assert_allclose(
        np.linalg.norm(tips - np.array(BASE), axis=2), np.tile(LENGTHS, (len(result), 1)), atol=1e-9
    )
    for i in range(len(result)):
        others = np.delete(result.q[:, :7], i, axis=0)
        apart = pose_difference(np.tile(result.q[i, :7], (len(others), 1)), others)
        assert np.abs(apart).max(axis=1).min() > 1e-4


def test_many_assemblies_are_found_from_few_starts(model: gough.Model) -> None:
    result = gough.assemblies(model, LENGTHS, starts=300)
    assert len(result) >= 30
    check(model, result)


def test_legs_that_spin_freely_between_ball_joints() -> None:
    """The same robot as 6-SPS: where a leg has turned about itself does not count."""
    legs: list[dict[str, Any]] = []
    for i in range(6):
        chain = [{"name": "ball", "type": "spherical"}, {"name": "slide", "type": "prismatic", "drive": {}}]
        ends = {"base": {"position": BASE[i]}, "on_platform": {"position": PLATFORM[i]}, "cut": {"type": "spherical"}}
        legs.append({"name": f"leg{i}", **ends, "chain": [{**joint, "body": {"mass": 0.1}} for joint in chain]})
    data = {"name": "sps", "platform": BODY, "legs": legs, "home": {"pose": {"position": [0.3, 0.4, 0.8]}}}
    twist = ["vx", "vy", "vz", "wx", "wy", "wz"]
    robot = gough.Robot.model_validate(data)
    model = gough.build(robot, velocities=[*twist, *(f"leg{i}.ball_wz" for i in range(6))])
    result = gough.assemblies(model, LENGTHS, starts=200)
    assert len(result) >= 25 and result.conditions.min() > 1e-6
    check(model, result)


@pytest.mark.slow
def test_all_forty_assemblies_are_found(model: gough.Model) -> None:
    result = gough.assemblies(model, LENGTHS, starts=2048)
    assert len(result) == 40
    check(model, result)
    again = gough.assemblies(model, LENGTHS, starts=2048, seed=1)
    np.testing.assert_allclose(again.q, result.q, rtol=0, atol=1e-7)
