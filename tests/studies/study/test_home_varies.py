"""Studies that vary where home is: their numbers beside those of robots that are described and built again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough import DescriptionError
from studies.study.robots import EXAMPLES, study_of

PLATFORM = EXAMPLES / "motion_platform.yaml"
HEIGHTS = {"height": [0.8, 1.2]}
FORCE = {"force": {"measure": "peak force", "case": "a"}}
WAYS: dict[str, dict[str, Any]] = {
    "at home": {"poses": [{"x": 0.1, "pitch": 0.1}]},
    "expression": {"poses": [{"x": 0.1, "pitch": "6 deg - 6 deg + 0.1 rad", "z": "height + 50 mm - 0.05 m"}]},
    "relative": {"relative": "home", "poses": [{"x": 0.1, "pitch": 0.1}]},
    "grid": {"grid": {"x": [0.1, 0.1, 1], "pitch": [0.1, 0.1, 1]}},
}


def force_at(height: float, rise: float = 0.0) -> float:
    """Of the robot of that height, described and built anew, with its platform moved from there."""
    model = gough.build(gough.load(PLATFORM).with_variables({"height": height}))
    q = model.configuration(coordinates={"x": 0.1, "y": 0, "z": height + rise, "yaw": 0, "pitch": 0.1, "roll": 0})
    return float(np.abs(model.inverse_dynamics(q, np.zeros(6), np.zeros(6)).tau).max())


@pytest.mark.parametrize("way", WAYS)
def test_poses_follow_each_designs_home(way: str) -> None:
    study = study_of(PLATFORM, variables=HEIGHTS, cases={"a": WAYS[way]}, measures=FORCE, minimise="force")
    for height in (0.85, 1.0, 1.15):
        assert study.evaluate({"height": height})["force"] == pytest.approx(force_at(height), rel=1e-9)
    assert abs(force_at(1.15) / force_at(0.85) - 1) > 1e-3
    assert not study.remarks


def test_gradients_count_the_way_of_the_states() -> None:
    study = study_of(PLATFORM, variables=HEIGHTS, cases={"a": WAYS["relative"]}, measures=FORCE, minimise="force")
    h = 1e-3
    f = {k: force_at(1.0 + k * h) for k in (-2, -1, 1, 2)}
    slope = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * h)
    assert study.gradients({"height": 1.0})["force"]["height"] == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("method", ["sobol", "gradient"])
def test_a_height_is_found_and_its_robot_has_the_numbers(method: str) -> None:
    search: dict[str, Any] = (
        {"method": method, "starts": 1} if method == "gradient" else {"method": method, "count": 16}
    )
    study = study_of(
        PLATFORM, variables=HEIGHTS, cases={"a": WAYS["at home"]}, measures=FORCE, minimise="force", search=search
    )
    found = study.run()
    height = found.variables()["height"]
    assert found.values()["force"] == pytest.approx(force_at(height), rel=1e-9)
    assert found.evaluate_again()["force"] == pytest.approx(found.values()["force"], rel=1e-9)
    assert gough.build(found.robot()).home[2] == pytest.approx(height, abs=1e-9)


def ride_study(robot: Any, variables: dict[str, list[float]], z: float, **more: str) -> gough.Study:
    joints = dict.fromkeys(("x", "y"), "0 m") | {"z": z} | dict.fromkeys(("yaw", "pitch", "roll"), "0 deg")
    sines = {"z": ["0.1 m"], "pitch": ["5 deg"]}
    ride = {"motion": {"fourier": {"period": "2 s", "joints": joints, "sines": sines}}, "samples": 9, **more}
    return study_of(robot, variables=variables, cases={"a": ride}, measures=FORCE, minimise="force")


def test_a_motion_relative_to_home() -> None:
    moved = ride_study(PLATFORM, HEIGHTS, 0.0, relative="home")
    for height in (0.9, 1.1):  # the same motion, written for that height
        robot = gough.load(PLATFORM).with_variables({"height": height})
        plain = ride_study(robot, {"base_radius": [0.8, 1.0]}, height)
        assert moved.evaluate({"height": height})["force"] == pytest.approx(plain.evaluate()["force"], rel=1e-9)


def test_a_case_that_stays_is_told() -> None:
    fixed = {"poses": [{"x": 0.1, "z": 1.0}]}
    variables = HEIGHTS | {"base_radius": [0.8, 1.0]}
    with pytest.raises(DescriptionError, match="relative: home"):  # nothing follows the height
        study_of(PLATFORM, variables=variables, cases={"a": fixed}, measures=FORCE)


def test_what_is_no_place_is_told() -> None:
    def refused(case: dict[str, Any], words: str) -> None:
        with pytest.raises(DescriptionError, match=words):
            study_of(PLATFORM, variables=HEIGHTS, cases={"a": case}, measures=FORCE)

    refused({"poses": [{"z": "hight + 1 m"}]}, "did you mean 'height'")
    refused({"poses": [{"pitch": "height + 1 m"}]}, "an expression that is")
    refused({"poses": [{"z": "high"}]}, "an expression of variables of motion_platform")
    refused({"relative": "world", "poses": [{"z": 0.1}]}, "relative: home")
