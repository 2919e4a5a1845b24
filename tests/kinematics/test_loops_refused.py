"""Mechanisms that cannot be: each gets an error that names the place and the remedy."""

from __future__ import annotations

import copy
import json
import re

import numpy as np
import pytest
from scipy.optimize import minimize

import gough
from gough.robot import loads
from kinematics.random_loops import misses, random_loop
from kinematics.test_full_turns import crank_and_rocker


def built(data: dict) -> gough.Model:
    return gough.build(loads(json.dumps(data)))


def test_a_loop_that_cannot_close() -> None:
    data = crank_and_rocker()
    data["loops"][0]["first"]["pose"]["position"] = [0.05, 0, 0]
    with pytest.raises(gough.StructureError, match=r"cannot be assembled: pin stays [\d.]+ mm apart"):
        built(data)


def test_the_smallest_gap_is_told() -> None:
    """Links in two planes 10 mm apart: their pins miss by 10 mm where they come nearest, and by nothing else."""
    data = crank_and_rocker()
    place = data["joints"][2]["pose"]["position"]
    place[2] = place[2] + 0.01
    with pytest.raises(gough.StructureError, match=r"cannot be assembled: pin stays 10 mm apart\."):
        built(data)


@pytest.mark.parametrize("seed", [4, 5])
def test_the_smallest_gap_of_a_loop_in_space(seed: int) -> None:
    """A ball out of reach: the gap told is the least that a general minimiser finds with frames of plain numpy."""
    data, values = random_loop("spherical", seed)
    data["loops"][0]["second"]["pose"]["position"] = [1.5, -1.0, 0.7]
    shapes = [np.size(v) for v in values.values()]
    names = tuple(
        n + end
        for n, size in zip(values, shapes, strict=True)
        for end in {1: ("",), 2: ("_1", "_2"), 4: ("_qw", "_qx", "_qy", "_qz")}[size]
    )
    sliding = {j["name"] for j in data["joints"] if j["type"] == "prismatic"}
    assert not sliding  # else it would reach
    rng = np.random.default_rng(seed)
    ends = [minimize(lambda x: misses(data, names, x), rng.normal(size=len(names)) * 2, tol=1e-12) for _ in range(12)]
    least = min(float(end.fun) for end in ends)
    with pytest.raises(gough.StructureError) as caught:
        built(data)
    told = re.search(r"weld stays ([\d.]+) mm apart", str(caught.value))
    assert told is not None
    assert float(told[1]) == pytest.approx(least * 1e3, rel=2e-3)  # four digits are told


def test_a_loop_whose_axes_do_not_fit() -> None:
    """The rocker's pin is tilted: the loop closes at no position."""
    data = crank_and_rocker()
    data["loops"][0]["second"]["pose"]["rpy_zyx"] = [0, 0, "20 deg"]
    robot = loads(json.dumps(data))
    with pytest.raises(gough.StructureError, match=r"pin stays.*deg"):
        gough.build(robot)


def test_nothing_can_move() -> None:
    data = crank_and_rocker()
    tie = {"name": "strut", "type": "fixed", "first": {"body": "c"}, "second": {"body": "world"}}
    home = gough.build(loads(json.dumps(data))).home
    assert len(home) == 3
    tie["first"]["pose"] = {"position": [0, 0, 0]}
    tie["second"]["pose"] = {"position": [1.0, 0, 0], "rpy_zyx": [float(home[2]), 0, 0]}
    data["loops"].append(tie)
    data["home"] = {"joints": dict(zip(("crank", "knee", "rocker"), map(float, home), strict=True))}
    robot = loads(json.dumps(data))
    with pytest.raises(gough.StructureError, match=r"nothing can move: 3 joint freedoms, 11 closure equations"):
        gough.build(robot)


def test_a_drive_on_a_locked_joint() -> None:
    """A hinge whose axis is across the plane of the loop cannot turn."""
    data = crank_and_rocker()
    data["bodies"].append({"name": "d", "mass": 0.1})
    data["joints"][2] = {
        "name": "swivel",
        "type": "revolute",
        "axis": [1, 0, 0],
        "parent": "world",
        "child": "d",
        "pose": {"position": [1, 0, 0]},
        "drive": {},
    }
    data["joints"].append({"name": "rocker", "type": "revolute", "parent": "d", "child": "c"})
    with pytest.raises(gough.StructureError, match=r"drive on a joint that cannot move: swivel"):
        built(data)


def test_more_drives_than_freedoms() -> None:
    data = crank_and_rocker()
    data["joints"][2]["drive"] = {}
    with pytest.raises(
        gough.StructureError, match=r"2 drives \(crank, rocker\) for 1 freedoms.*drive_sharing: least_norm"
    ):
        built(data)
    shared = built(data | {"drive_sharing": "least_norm"})
    assert shared.mobility == 1 and shared.inverse_dynamics(shared.home, [0.1], [0.2]).tau.shape == (2,)
    weighted = copy.deepcopy(data)
    weighted["joints"][0]["drive"] = {"weight": 1.0}
    weighted["joints"][2]["drive"] = {"weight": 4.0}
    model = built(weighted)
    S = model.drive_map(model.home)[0]
    tau = model.inverse_dynamics(model.home, [0.1], [0.2]).tau
    assert tau[1] * 4.0 / S[1] == pytest.approx(tau[0] / S[0], rel=1e-10)  # least Σ w τ²: w τ / S is the same for all


def test_too_few_drives_and_a_mechanism_that_means_it() -> None:
    data = crank_and_rocker()
    data["joints"][0].pop("drive")
    with pytest.raises(gough.StructureError, match=r"would still move freely.*velocities"):
        built(data)
    model = built(data | {"velocities": ["crank"]})
    assert not model.driven and model.layout.v_names == ("crank",)
    with pytest.raises(gough.UsageError, match=r"0 drives for 1 freedoms.*forward_dynamics"):
        model.inverse_dynamics(model.home, [0.0], [0.0])
    assert model.forward_dynamics(model.home, [0.0], []).vdot.shape == (1,)


@pytest.mark.parametrize(
    ("velocities", "message"),
    [
        (["knee", "crank"], r"names 2 .*but the mobility is 1"),
        (["elbow"], r"no elbow; there are crank, knee, rocker"),
        ("speed", r"'platform', 'drives', 'any' or a list"),
        (3, r"'platform', 'drives', 'any' or a list"),
    ],
)
def test_velocities_that_do_not_fit(velocities: object, message: str) -> None:
    with pytest.raises((gough.StructureError, gough.UsageError), match=message):
        gough.build(loads(json.dumps(crank_and_rocker())), velocities=velocities)  # type: ignore[arg-type]


def test_a_singular_home_is_called_so() -> None:
    """A parallelogram laid flat: two assemblies meet, the rank is lower there than around."""
    data = crank_and_rocker()
    at = lambda x: {"position": [x, 0, 0]}  # noqa: E731
    data["loops"][0] |= {"first": {"body": "b", "pose": at(1.0)}, "second": {"body": "c", "pose": at(0.3)}}
    data["home"] = {"joints": {"crank": 0.0, "knee": 0.0, "rocker": 0.0}}
    with pytest.raises(gough.StructureError, match=r"home is singular|shaky"):
        built(data)


def test_things_a_robot_without_a_platform_has_not() -> None:
    model = built(crank_and_rocker())
    for call in (
        lambda: model.configuration([0, 0, 0, 1, 0, 0, 0]),
        lambda: model.inverse_dynamics(model.home, [0.0], [0.0], wrench=[0.0] * 6),
        lambda: model.twist(model.home, [0.0]),
    ):
        with pytest.raises(gough.UsageError, match="no platform"):
            call()
    with pytest.raises(gough.UsageError, match=r"unknown \['elbow'\]"):
        model.configuration(coordinates={"elbow": 1.0})
    with pytest.raises(gough.UsageError, match="2 given, but the robot has 1 freedoms"):
        model.configuration(coordinates={"crank": 1.0, "knee": 0.0})


def test_a_home_pose_that_the_platform_cannot_take() -> None:
    """A planar robot lifted a little comes back with a warning, lifted far it is refused."""
    import warnings

    robot = gough.load("three_rrr")
    assert robot.home.pose is not None
    x, y, z = robot.home.pose.position
    for lift, kind in ((1e-3, gough.HomeWarning), (0.4, None)):
        pose = robot.home.pose.model_copy(update={"position": (x, y, z + lift)})
        lifted = robot.model_copy(update={"home": robot.home.model_copy(update={"pose": pose})})
        if kind is None:
            with pytest.raises(gough.StructureError, match=r"home\.pose|cannot be assembled"):
                gough.build(lifted)
        else:
            with pytest.warns(kind, match="1 mm"):
                gough.build(lifted)
    with warnings.catch_warnings():
        warnings.simplefilter("error", gough.HomeWarning)
        gough.build(robot)


def test_a_home_outside_limits_is_said() -> None:
    data = crank_and_rocker()
    data["joints"][0]["limits"] = {"lower": 2.0, "upper": 3.0}
    with pytest.warns(gough.HomeWarning, match="crank lower"):
        built(data)


def sprung(position: list[float], **more: float) -> dict:
    """A lever on a pin at the world's origin, and a spring from a point of the world to the same point of the lever."""
    return {
        "format": 1,
        "name": "lever",
        "bodies": [{"name": "a", "mass": 1, "center_of_mass": [0.1, 0, 0]}],
        "joints": [{"name": "R", "type": "revolute", "parent": "world", "child": "a", "drive": {}}],
        "springs": [
            {
                "name": "k",
                "from": {"body": "world", "position": position},
                "to": {"body": "a", "position": position},
                "stiffness": 10,
                **more,
            }
        ],
    }


def test_a_spring_between_points_that_coincide() -> None:
    with pytest.raises(gough.StructureError, match="spring k: its two points coincide wherever"):
        built(sprung([0, 0, 0]))
    with pytest.raises(gough.StructureError, match="spring k: its two points coincide wherever"):
        built(sprung([0, 0, 0.4]))
    with pytest.warns(gough.errors.HomeWarning, match="spring k: its two points coincide at home"):
        model = built(sprung([0.1, 0, 0], rest_length=0.02))
    assert np.isfinite(model.bias_force([0.3], [0.0])).all()
