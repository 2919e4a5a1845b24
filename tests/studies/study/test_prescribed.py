"""Gradients where poses and motions name angles, beside central differences of robots that are described and built again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads
from studies.rebuilding import built
from studies.study.robots import EXAMPLES, study_of

WRENCH = [3.0, 5.0, 2.0, 1.0, 0.5, 2.0]
FORCE = {"F": {"measure": "peak force", "case": "a"}}


def difference(robot: str, name: str, measure: Callable[[gough.Model], float], h: float = 1e-4) -> float:
    """(8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h of what is measured of rebuilt robots."""
    own = gough.load(robot)
    at = float(built(own).parameters[built(own).parameter_names.index(name)])
    f = {k: measure(built(own.with_parameters({name: at + k * h}))) for k in (-2, -1, 1, 2)}
    return (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * h)


@pytest.mark.quick_cases("three_prs-leg0.ball.on_leg.x-pose2")
@pytest.mark.parametrize(
    ("robot", "name", "pose"),
    [
        ("three_rrr", "leg0.pin.on_leg.x", {"x": 0.02, "y": 0.01, "yaw": 0.1}),
        ("redundant_planar", "platform.MX", {"x": 0.03, "y": -0.02, "yaw": -0.2}),
        ("three_prs", "leg0.ball.on_leg.x", {"z": 0.8, "pitch": 0.05, "roll": 0.03}),
    ],
)
def test_poses_that_name_angles(robot: str, name: str, pose: dict[str, float]) -> None:
    model = built(robot)
    if robot == "three_prs":
        pose = pose | {"z": float(model.home[2]) + 0.02}
    start = float(model.parameters[model.parameter_names.index(name)])
    case = {"a": {"poses": [pose], "wrench": WRENCH}}
    study = study_of(robot, variables={name: [start - 0.1, start + 0.1]}, cases=case, measures=FORCE)

    def force(m: gough.Model) -> float:
        q = m.configuration(coordinates=pose)
        return float(np.abs(m.inverse_dynamics(q, np.zeros(m.layout.nv), np.zeros(m.mobility), WRENCH).tau).max())

    slope = difference(robot, name, force)
    assert abs(slope) > 1e-3
    assert study.gradients()["F"][name] == pytest.approx(slope, rel=1e-6)


def planar_motion() -> Any:
    t = np.linspace(0, 1, 9)
    rows = {"x": 0.03 * np.sin(3 * t), "y": 0.02 * np.cos(4 * t), "yaw": 0.2 * np.sin(5 * t)}
    return gough.motions.spline(times=t, joints=rows, degree=5)


@pytest.mark.slow
def test_a_planar_motion_that_names_yaw() -> None:
    name, motion = "leg0.pin.on_leg.x", planar_motion()
    case = {"a": {"motion": motion, "samples": 21}}
    study = study_of("three_rrr", variables={name: [0.2, 0.5]}, cases=case, measures=FORCE)

    def force(m: gough.Model) -> float:
        s = gough.motions.states_along(m, motion, np.linspace(0, 1, 21))
        return float(np.abs(m.inverse_dynamics(s.q, s.v, s.acceleration).tau).max())

    assert study.evaluate()["F"] == pytest.approx(force(built("three_rrr")), rel=1e-8)
    slope = difference("three_rrr", name, force)
    assert abs(slope) > 1e-3
    assert study.gradients()["F"][name] == pytest.approx(slope, rel=1e-6)


def test_violations_of_poses_that_name_angles_grow() -> None:
    case = {"a": {"poses": [{"x": 0.02, "y": 0.01, "yaw": 0.1}, {"x": 0.05, "y": 0.0, "yaw": -0.3}]}}
    study = study_of("three_rrr", variables={"leg0.pin.on_leg.x": [0.01, 5.0]}, cases=case, measures=FORCE)
    found = study.evaluator.evaluate(np.array([[0.35], [1.5], [2.5], [4.5]]), graded=True).violation
    assert found[0] == 0 and found[1] > 0 and (np.diff(found) > 0).all()


@pytest.mark.slow
def test_a_case_that_no_design_takes() -> None:
    """Two slides with rods of 0.1 m do not reach a height of 0.3 m: all are violations, by each method."""
    text = (EXAMPLES / "two_slides.yaml").read_text().replace("rod: 0.5 m", "rod: 0.8 m")
    for search in ({"method": "grid", "count": 9}, {"method": "gradient", "starts": 2}):
        found = study_of(
            loads(text),
            variables={"rod": [0.1, 0.2]},
            cases={"a": {"poses": [{"y": 0.3}, {"y": 0.6}]}},
            measures={"d": {"measure": "dexterity", "case": "a"}},
            maximise="d",
            search=search,
        ).run()
        assert found.robots == 0 and len(found) == 0
