"""Bounds of the platform's coordinates: margins by angles that SciPy finds, wherever limits count, and how they are written."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import gough
from gough.robot import DescriptionError, dumps, loads
from inner.cli import app
from inner.robot import document
from reference.designs import description

LIMITS = {
    "z": ["0.2 m", None],
    "x": [-0.1, "150 mm"],
    "yaw": ["-30 deg", "40 deg"],
    "pitch": ["-20 deg", "20 deg"],
    "roll": [None, "15 deg"],
}


def text(limits: Any = LIMITS, **changes: Any) -> str:
    data = description("ups", 4)
    return json.dumps({**data, "format": 2, "platform": {**data["platform"], "limits": limits}} | changes)


@pytest.fixture(scope="module")
def model() -> gough.Model:
    return gough.build(loads(text()))


def test_margins_are_those_of_another_librarys_angles(model: gough.Model) -> None:
    rng = np.random.default_rng(3)
    q = np.tile(model.home, (200, 1))
    q[:, :3] += rng.normal(size=(200, 3))
    q[:, 3:7] = rng.normal(size=(200, 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1)[:, None]
    yaw, pitch, roll = Rotation.from_quat(q[:, [4, 5, 6, 3]]).as_euler("ZYX").T
    middle = np.deg2rad(5)
    yaw = middle + (yaw - middle + np.pi) % (2 * np.pi) - np.pi
    wanted = {
        "platform.x lower": q[:, 0] + 0.1,
        "platform.x upper": 0.15 - q[:, 0],
        "platform.z lower": q[:, 2] - 0.2,
        "platform.yaw lower": yaw + np.deg2rad(30),
        "platform.yaw upper": np.deg2rad(40) - yaw,
        "platform.pitch lower": pitch + np.deg2rad(20),
        "platform.pitch upper": np.deg2rad(20) - pitch,
        "platform.roll upper": np.deg2rad(15) - roll,
    }
    found = model.limit_margins(q)
    own = [name for name in found.names if name.startswith("platform.")]
    assert own == list(wanted)
    margins = found.margins[:, [found.names.index(name) for name in own]]
    np.testing.assert_allclose(margins, np.stack(list(wanted.values()), axis=1), atol=1e-9)
    assert {limit.unit for limit in found.limits if limit.joint == "platform.yaw"} == {"rad"}


def test_a_turn_that_bounds_lie_across_is_counted_from_their_middle() -> None:
    with pytest.warns(gough.errors.HomeWarning, match=r"platform\.yaw lower"):
        model = gough.build(loads(text({"yaw": ["170 deg", "190 deg"]})))
    q = np.tile(model.home, (3, 1))
    q[:, 3:7] = Rotation.from_euler("z", [[175], [-175], [0]], degrees=True).as_quat()[:, [3, 0, 1, 2]]
    margins = np.degrees(model.limit_margins(q).margins[:, -2:])
    np.testing.assert_allclose(margins, [[5, 15], [15, 5], [-170, 190]], atol=1e-9)


@pytest.mark.slow
def test_home_motions_runs_and_maps_count_them(model: gough.Model) -> None:
    home = model.home[:3]
    tight = gough.build(loads(text({"x": [home[0] - 0.01, home[0] + 0.01]})))
    with pytest.warns(gough.errors.HomeWarning, match=r"home violates limits: platform\.x upper"):
        gough.build(loads(text({"x": [home[0] - 0.02, home[0] - 0.01]})))
    poses = np.tile(model.home[:7], (2, 1))
    poses[1, 0] += 0.03
    motion = gough.motions.quintic(poses=poses, durations=1.0)
    problems = [p for p in gough.check_motion(tight, motion).problems if p.kind == "limit"]
    assert [p.place for p in problems] == ["platform.x upper"]
    assert problems[0].worst == pytest.approx(0.02, abs=1e-9)
    with pytest.warns(gough.errors.RunWarning, match=r"platform\.x upper"):
        gough.simulate(tight, motion, controller=gough.laws.ComputedTorque(), duration=0.9)
    made = gough.workspace(tight, {"x": (home[0] - 0.03, home[0] + 0.03, 13)})
    inside = np.abs(made.coordinates[:, 0] - home[0]) <= 0.01 + 1e-12
    np.testing.assert_array_equal(made.reachable, inside)
    assert set(made.violations()) == {"platform.x lower", "platform.x upper"}


@pytest.mark.parametrize("freedoms", [None, ["x", "y", "z"]])
def test_free_and_guided_platforms(freedoms: list[str] | None) -> None:
    data = description("ups", 4)
    platform = {**data["platform"], "limits": {"z": [0, 5]}} | ({"freedoms": freedoms} if freedoms else {})
    legs = data["legs"]
    for leg in legs[3:] if freedoms else []:
        for joint in leg["chain"]:
            joint.pop("drive", None)
    model = gough.build(loads(json.dumps({**data, "format": 2, "platform": platform, "legs": legs})))
    found = model.limit_margins(model.home)
    at = found.names.index("platform.z upper")
    assert found.margins[at] == pytest.approx(5 - model.home[2], abs=1e-12)


IN_THE_TREE = """
format: 2
name: arm
bodies:
  - {name: lower, mass: 1}
  - {name: hand, mass: 1, limits: {yaw: [-100 deg, 60 deg], x: [0.1, 0.9]}}
joints:
  - {name: first, type: revolute, parent: world, child: lower, drive: {}}
  - {name: second, type: revolute, parent: lower, child: hand, drive: {}, pose: {position: [0.5, 0, 0]}}
platform: hand
"""


def test_a_body_that_is_the_platform_has_them_itself() -> None:
    model = gough.build(loads(IN_THE_TREE))
    q = model.configuration(drives=[[0.3, 0.4], [1.0, 0.5]])
    found = model.limit_margins(q)
    margins = dict(zip(found.names, found.margins.T, strict=True))
    np.testing.assert_allclose(margins["hand.yaw upper"], np.deg2rad(60) - np.array([0.7, 1.5]), atol=1e-12)
    np.testing.assert_allclose(margins["hand.x lower"], 0.5 * np.cos([0.3, 1.0]) - 0.1, atol=1e-12)


def test_show_tells_them(tmp_path: Any) -> None:
    (tmp_path / "arm.yaml").write_text(IN_THE_TREE)
    said = CliRunner().invoke(app, ["show", str(tmp_path / "arm.yaml")]).output
    assert "limits of hand: x from 0.1 to 0.9 m, yaw from -100 to 60 deg" in " ".join(said.split())
    report = json.loads(CliRunner().invoke(app, ["show", str(tmp_path / "arm.yaml"), "--json"]).output)
    assert report["platform"]["limits"]["x"] == [0.1, 0.9]


@pytest.mark.parametrize("written", [text(), IN_THE_TREE])
def test_written_back(written: str) -> None:
    robot = loads(written)
    assert loads(dumps(robot)) == robot
    assert document(robot)["format"] == 2


@pytest.mark.parametrize(
    ("limits", "place", "message"),
    [
        ({"z": [0.6, 0.4]}, "z", "an empty range"),
        ({"z": 0.6}, "z", "not two bounds"),
        ({"z": [None, None]}, "z", "no bound at all"),
        ({"z": ["3 deg", 0.4]}, "z[0]", "another dimension"),
        ({"pitch": ["-20 deg", "100 deg"]}, "pitch[1]", "within 90 deg"),
        ({"yaw": [-20, 20]}, "yaw[0]", "within 360 deg"),
        ({"yaw": ["-300 deg", "300 deg"]}, "yaw", "more than a turn"),
        ({"jaw": [-1, 1]}, "jaw", "did you mean 'yaw'"),
    ],
)
def test_bad_ones_are_told(limits: Any, place: str, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        loads(text(limits))
    assert any(p.path == f"platform.limits.{place}" and message in p.message for p in caught.value.problems), (
        caught.value
    )


def test_only_the_platform_has_them_and_only_in_the_second_format() -> None:
    with pytest.raises(
        DescriptionError, match=r"bodies\[1\].limits: bounds of the pose of a body that is not the platform"
    ):
        loads(IN_THE_TREE.replace("platform: hand", ""))
    with pytest.raises(DescriptionError, match=r"limits: a key of format 2"):
        loads(IN_THE_TREE.replace("format: 2", "format: 1"))
    data = description("ups", 4)
    data["legs"][0]["chain"][0].setdefault("body", {})["limits"] = {"z": [0, 1]}
    with pytest.raises(DescriptionError, match=r"legs\[0\].chain\[0\].body.limits"):
        loads(json.dumps({**data, "format": 2}))
