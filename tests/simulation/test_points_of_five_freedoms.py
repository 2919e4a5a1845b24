"""A point of a robot with five freedoms: its frame's orientation is held, which five freedoms cannot do in general."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import gough
from gough import motions
from gough.robot import loads
from gough.spatial.euler import euler_angles

AXES = [[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]]


def arm(**more: Any) -> gough.Model:
    """Five hinges."""
    inertia = {"about": "center_of_mass", "xx": 0.01, "yy": 0.01, "zz": 0.01}
    bodies: list[dict[str, Any]] = [
        {"name": f"b{k}", "mass": 1, "center_of_mass": [0.1, 0, 0], "inertia": inertia} for k in range(5)
    ]
    bodies[-1]["frames"] = {"tip": {"position": [0.1, 0.05, 0]}}
    turns = [0.3, 0.6, -0.9, 0.5, 0.7]
    joints = [
        {
            "name": f"j{k}",
            "type": "revolute",
            "axis": axis,
            "parent": f"b{k - 1}" if k else "world",
            "child": f"b{k}",
            "pose": {"position": [0.3, 0, 0] if k else [0, 0, 0]},
            "drive": {},
        }
        for k, axis in enumerate(AXES)
    ]
    home = {"joints": {f"j{k}": x for k, x in enumerate(turns)}}
    data = {"format": 1, "name": "arm", "source": "made up", "bodies": bodies, "joints": joints, "home": home}
    return gough.build(loads(json.dumps(data | more)))


def test_too_much_is_asked_of_five_freedoms() -> None:
    model = arm()
    start = model.frame_pose(model.home, "b4.tip")[0]
    move = motions.quintic(points=[start, start + [0.02, 0.05, 0.03]], frame="b4.tip", durations=0.5)
    report = gough.check_motion(model, move, samples=20)
    assert not report.ok
    text = str(report)
    assert "6 demands on 5 freedoms" in text and "make b4 the platform" in text and "motion of the drives" in text
    assert "a leg cannot reach its platform point" not in text


def test_the_remedy_works() -> None:
    """Five coordinates of a platform on the same arm."""
    model = arm(platform="b4")
    x, y, z = model.home_pose[:3]
    near = model.configuration(drives=model.drives(model.home) + 0.05)
    named = dict(zip(("x", "y", "z"), zip((x, y, z), near[:3], strict=True), strict=True))
    angles = euler_angles("rpy_zyx", np.array([model.home[3:7], near[3:7]]))
    named |= {"pitch": tuple(angles[:, 1]), "roll": tuple(angles[:, 2])}
    report = gough.check_motion(model, motions.quintic(joints=named, durations=0.5), samples=20, forces=False)
    assert not report.unreached, report
