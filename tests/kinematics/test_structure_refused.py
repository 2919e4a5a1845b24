"""Mechanisms that cannot be modelled are refused by name, with what to do; patterns that a design breaks too."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import gough
from gough.errors import SingularHomeWarning
from gough.robot import loads
from gough.robots import hexapod
from kinematics.hexapods import BASE, BODY, PLATFORM, described, model, plain_leg, symmetric, ups_chain, yawed
from reference.designs import description

BALL = {"name": "ball", "type": "spherical"}


def legs(**changes) -> list[dict]:
    out = [plain_leg(BASE[i], PLATFORM[i], ups_chain(), BALL, f"leg{i}") for i in range(6)]
    for name, leg in changes.items():
        out[int(name[3:])] = leg
    return out


def test_the_plain_hexapod_is_accepted() -> None:
    assert len(gough.build(described(legs())).mechanism.drives) == 6


def test_sps_legs_turn_freely() -> None:
    """A ball at both ends: the leg spins about its own line, which is said."""
    sps = plain_leg(BASE[2], PLATFORM[2], ups_chain("spherical"), BALL, "leg2")
    with pytest.warns(gough.IdleWarning, match=r"leg2\.hip_w"):
        model = gough.build(described(legs(leg2=sps)))
    assert (model.mobility, model.layout.v_idle, model.layout.nv) == (6, 1, 7)


@pytest.mark.slow
def test_legs_that_take_freedoms_from_the_platform() -> None:
    upr = plain_leg(BASE[4], PLATFORM[4], ups_chain(), {"name": "pin", "type": "revolute", "axis": [0, 0, 1]}, "leg4")
    with pytest.raises(gough.StructureError, match=r"6 drives \(.*\) for 4 freedoms"):
        gough.build(described(legs(leg4=upr)))


@pytest.mark.parametrize("missing", [1, 6])
def test_too_few_drives(missing: int) -> None:
    changed = legs()
    for leg in changed[:missing]:
        leg["chain"] = ups_chain(driven=False)
    with pytest.raises(gough.StructureError, match=r"drive"):
        gough.build(described(changed))


def test_too_many_drives() -> None:
    more = legs()
    chain = [
        {"name": "yaw", "type": "revolute", "axis": [0, 0, 1], "drive": {}, "body": {"name": "a", "mass": 1.0}},
        {"name": "pitch", "type": "revolute", "axis": [0, 1, 0], "body": {"name": "b", "mass": 1.0}},
        *ups_chain()[1:],
    ]
    more[3]["chain"] = chain
    with pytest.raises(gough.StructureError, match=r"7 drives \(.*\) for 6 freedoms.*least_norm"):
        gough.build(described(more))


@pytest.mark.slow
def test_a_home_that_cannot_be_assembled() -> None:
    pus = {"lower": {"mass": 1.0}, "upper": {"mass": 1.0}, "platform": BODY}
    robot = hexapod(BASE, PLATFORM, home=[0, 0, 0.9], leg="pus", length=0.7, **pus)
    far = robot.model_copy(update={"home": robot.home.model_copy(update={"pose": gough_pose([3.0, 0, 0.9])})})
    with pytest.raises(gough.StructureError, match=r"home.*cannot be assembled.*leg\d"):
        gough.build(far)


def gough_pose(position: list[float]):
    from gough.robot import Pose

    return Pose.model_validate({"position": position})


def test_a_singular_home_is_said() -> None:
    robot = symmetric()
    from gough.robot import Pose

    position, R = yawed(np.pi / 2)
    home = robot.home.model_copy(update={"pose": Pose.from_matrix(R, position), "joints": {}})
    with pytest.warns(SingularHomeWarning, match="parallel singularity"):
        gough.build(robot.model_copy(update={"home": home}))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SingularHomeWarning)
        gough.build(robot)


def test_a_design_that_breaks_the_pattern_and_its_remedy() -> None:
    """The message's own remedy builds a model that computes the design as its description would."""
    m = model()
    name = "platform.MZ"
    assert m.pattern[m.parameter_names.index(name)] == 0.0
    with pytest.raises(gough.PatternError, match=r"platform\.MZ.*free=") as caught:
        m.inverse_dynamics(m.home, np.zeros(6), np.ones(6), parameters={name: 0.7})
    assert repr([name]) in str(caught.value)
    freed = gough.build(symmetric(), free=[name])
    v, a = np.full(6, 0.3), np.full(6, 0.8)
    found = freed.inverse_dynamics(m.home, v, a, parameters={name: 0.7}).tau
    np.testing.assert_allclose(
        freed.inverse_dynamics(m.home, v, a).tau, m.inverse_dynamics(m.home, v, a).tau, rtol=1e-12
    )
    body = {"parameters": {"M": 5.0, "MZ": 0.7, "XX": 0.1, "YY": 0.1, "ZZ": 0.2}}
    base = symmetric()
    lower = base.legs[0].chain[0].body
    upper = base.legs[0].chain[1].body
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written = gough.build(hexapod(BASE, PLATFORM, platform=body, home=[0, 0, 0.7], lower=lower, upper=upper))
    np.testing.assert_allclose(found, written.inverse_dynamics(m.home, v, a).tau, rtol=1e-11)


def test_the_pattern_holds_for_geometry_and_batches() -> None:
    m = model()
    k = m.parameter_names.index("gravity.x")
    designs = np.tile(m.parameters, (70, 1))
    designs[66, k] = 0.1
    with pytest.raises(gough.PatternError, match=r"gravity\.x"):
        m.inverse_dynamics(m.home, np.zeros(6), np.zeros(6), parameters=designs)
    with pytest.raises(gough.PatternError, match=r"gravity\.x"):
        m.configuration(m.home[:7], parameters=designs[66])


def test_duplicate_coordinate_names_are_not_made() -> None:
    """A joint "hip_2" beside a universal joint "hip" would name two coordinates alike: refused or kept apart."""
    data = description("ups", 0)
    data["legs"][0]["chain"][1]["name"] = "hip_2"
    data["home"]["joints"]["leg0.hip_2"] = data["home"]["joints"].pop("leg0.slide")
    try:
        m = gough.build(loads(json.dumps(data)))
    except (gough.DescriptionError, gough.StructureError):
        return
    assert len(set(m.layout.q_names)) == m.layout.nq


def test_loops_beyond_measure_are_refused_with_their_number():
    with pytest.raises(
        gough.StructureError, match=r"3500 closure equations for 1401 joint freedoms .*LARGEST_CLOSURES"
    ):
        gough.build(gough.robots.four_bar_chain(700))


@pytest.mark.slow
def test_a_tree_of_thousands_of_bodies_is_built():
    n = 3000
    body = {"mass": 1.0, "inertia": {"about": "center_of_mass", "xx": 0.1, "yy": 0.1, "zz": 0.1}}
    joint = {"type": "revolute", "axis": [0, 1, 0], "pose": {"position": [0, 0, -0.1]}, "drive": {}}
    robot = gough.Robot.model_validate(
        {
            "name": "long",
            "bodies": [body | {"name": f"b{i}"} for i in range(n)],
            "joints": [
                joint | {"name": f"j{i}", "parent": f"b{i - 1}" if i else "world", "child": f"b{i}"} for i in range(n)
            ],
        }
    )
    assert gough.build(robot).mobility == n


PRS = """format: 2
name: prs
platform: {mass: 2, inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.02}, freedoms: [z, pitch, roll]}
templates:
  prs:
    chain:
      - {name: slide, type: prismatic, drive: {}, body: {mass: 0.5}}
      - {name: pin, type: revolute, axis: [0, 1, 0], body: {mass: 0.3, center_of_mass: [0, 0, 0.15]}}
    cut: {type: spherical, on_leg: {position: [0, 0, 0.3]}}
legs: [{pattern: {circular: 3, about: z}, like: prs, base: {position: [0.25, 0, 0]}, on_platform: {position: [0.12, 0, 0]}}]
home: {pose: {position: [0, 0, 0.5]}}
"""


@pytest.mark.slow
def test_freedoms_that_hold_what_tilts_are_named_where_home_is_level() -> None:
    """A tilted 3-PRS moves along x and y a little: guides that hold it are locks away from the level home alone."""
    with pytest.raises(gough.StructureError, match=r"home is singular.*Or platform\.freedoms \(z, pitch, roll\) holds"):
        gough.build(loads(PRS))
