"""Inertia that no mass distribution has: warned about, computed all the same."""

import warnings

import pytest

import gough
from gough.robot import Inertia, UnphysicalInertiaWarning, load, loads
from robot.documents import VALID, platform_of
from robot.forms import FIVE_BAR


def messages(document):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = loads(document, "robot.yaml")
    assert all(issubclass(w.category, UnphysicalInertiaWarning) for w in caught)
    assert all(w.filename == __file__ for w in caught)
    return robot, [str(w.message) for w in caught]


def test_physical_bodies_are_silent():
    assert messages(VALID)[1] == []


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [("yy: 0.01, zz: 0.001", "yy: 0.01, zz: 0.021", "exceeds"), ("zz: 0.001", "zz: -0.001", "negative")],
)
def test_body_legs_file_and_line_are_named(old, new, reason):
    robot, (message,) = messages(VALID.replace(old, new))
    assert message.startswith("robot.yaml:20: templates.ups.chain[0].body: body 'lower' of legs leg0, leg1, back")
    assert reason in message
    assert robot.legs[0].chain[0].body.central_inertia()[2][2, 2] != 0.001


def test_the_edge_of_the_triangle_is_physical():
    assert messages(VALID.replace("yy: 0.01, zz: 0.001", "yy: 0.01, zz: 0.02"))[1] == []


def test_platform():
    _, (message,) = messages(VALID.replace("zz: 0.08", "zz: 0.8"))
    assert "body 'platform' of the platform" in message


def test_bodies_of_the_second_form():
    _, (message,) = messages(FIVE_BAR.replace("zz: 0.02}", "zz: 0.2}"))
    assert message.startswith("robot.yaml:7: bodies[1]: body 'rod1': central principal moments")
    assert messages(FIVE_BAR)[1] == []


def test_python_warns_too():
    robot = loads(VALID)
    inertia = Inertia(about="center_of_mass", xx=5.0)
    body = platform_of(robot).body.model_copy(update={"inertia": inertia})
    platform = platform_of(robot).model_copy(update={"body": body})
    with pytest.warns(UnphysicalInertiaWarning, match="platform"):
        type(robot)(**{**{name: getattr(robot, name) for name in type(robot).model_fields}, "platform": platform})


def test_papers_with_unphysical_tensors():
    for name, bodies in {
        "pedrammehr2012": ["platform", "lower", "upper"],
        "long2014_rigid": ["link2", "link3"],
    }.items():
        with pytest.warns(UnphysicalInertiaWarning) as caught:
            load(name)
        assert [str(w.message).split("'")[1] for w in caught] == bodies


ARM = """
format: 1
name: arm
bodies:
  - {name: slide, mass: 1}
  - {name: rod, mass: 1, center_of_mass: [0.1, 0, 0], inertia: {about: ABOUT, zz: 0.02}}
joints:
  - {name: along, type: prismatic, axis: [1, 0, 0], parent: world, child: slide, drive: {}}
  - {name: turn, type: revolute, axis: AXIS, parent: slide, child: rod, drive: {}, pose: {rpy_zyx: [0, 0, ROLL]}}
"""


@pytest.mark.parametrize(
    ("about", "axis", "roll", "warned"),
    [
        ("center_of_mass", "[0, 0, 1]", "0", False),
        ("origin", "[0, 0, -1]", "30 deg", False),
        ("center_of_mass", "[0, 1, 0]", "0", True),
        ("center_of_mass", "[0, 0.6, 0.8]", "0", True),
    ],
)
def test_a_body_that_turns_about_one_axis_may_state_its_moment_alone(about, axis, roll, warned):
    document = ARM.replace("ABOUT", about).replace("AXIS", axis).replace("ROLL", roll)
    assert bool(messages(document)[1]) == warned
    written = document[document.index("mass: 1, center") : document.index("}}\njoints")] + "}"
    ten = document.replace(written, "parameters: {M: 1, MX: 0.1, MY: 0.02, ZZ: 0.03}")
    assert "parameters" in ten and bool(messages(ten)[1]) == warned
    assert messages(ten.replace("ZZ: 0.03", "ZZ: 0.01"))[1]  # about the mass centre it is negative


def test_where_a_base_turns_about_another_axis_all_moments_matter():
    swings = ARM.replace("type: prismatic", "type: revolute").replace("ABOUT", "center_of_mass").replace("ROLL", "0")
    assert messages(swings.replace("AXIS", "[0, 0, 1]"))[1]


def test_a_planar_platform_is_held_in_its_plane_by_a_leg():
    text = """
format: 1
name: tri
platform: {mass: 2, inertia: {about: center_of_mass, zz: 0.02}}
templates:
  rrr:
    chain:
      - {name: motor, type: revolute, drive: {}, body: {name: crank, mass: 0.5, inertia: {about: center_of_mass, zz: 0.01}}}
      - {name: elbow, type: revolute, pose: {position: [0.2, 0, 0]}, body: {name: rod, mass: 0.3}}
    cut: {name: pin, type: CUT, on_leg: {position: [0.2, 0, 0]}}
legs:
  - {like: rrr, base: {position: [-0.3, -0.17, 0]}, on_platform: {position: [-0.08, -0.05, 0]}}
  - {like: rrr, base: {position: [0.3, -0.17, 0]}, on_platform: {position: [0.08, -0.05, 0]}}
  - {like: rrr, base: {position: [0, 0.35, 0]}, on_platform: {position: [0, 0.09, 0]}}
home: {pose: {position: [0, 0, 0]}}
"""
    assert messages(text.replace("CUT", "revolute"))[1] == []
    assert ["platform" in text for text in messages(text.replace("CUT", "spherical"))[1]] == [True]


HELD = """
format: 1
name: bending
bodies:
  - name: rod
    flexible:
      beam:
        length: 0.4
        section: {rectangle: {y: 3 mm, z: 25 mm}}
        material: {E: 70 GPa, nu: 0.33, density: 2700 kg/m3}
        PLANE
      modes: {number: 3}
  - {name: tool, mass: 0.25, center_of_mass: [0.06, 0, 0], inertia: {about: center_of_mass, MOMENTS}}
joints:
  - {name: turn, type: revolute, parent: world, child: rod, drive: {}}
  - {name: grip, type: fixed, parent: rod, child: tool, pose: {position: [0.4, 0, 0], rpy_zyx: [30 deg, TILT, 0]}}
"""


def test_a_tool_on_a_beam_that_bends_in_its_plane_turns_about_one_axis():
    """There its other moments are in no equation; on a beam that bends out of the plane, or tilted, they are."""
    document = HELD.replace("TILT", "0").replace("PLANE", "plane: true")
    known = document.replace("MOMENTS", "zz: 3e-4"), document.replace("MOMENTS", "xx: 2e-4, yy: 3e-4, zz: 3e-4")
    assert [messages(text)[1] for text in known] == [[], []]
    one, all_of_them = (gough.build(gough.robot.loads(text)) for text in known)
    q = one.integrate(one.home, [0.4, 0.01, -0.02, 0.01])
    assert (one.mass_matrix(q) == all_of_them.mass_matrix(q)).all()
    for other in (
        document.replace("plane: true", "section_y: [0, 1, 0]"),
        document.replace("deg, 0, 0]", "deg, 20 deg, 0]"),
    ):
        assert other != document
        assert any("tool" in text for text in messages(other.replace("MOMENTS", "zz: 3e-4"))[1])
