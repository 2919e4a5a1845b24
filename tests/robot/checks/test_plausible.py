"""Numbers that can hardly be meant are told with their place and value; robots that were meant are not doubted."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

import gough
from cli.command import gough_json
from gough.errors import UnitWarning
from gough.robot import gallery, load, loads
from inner.robot import description_doubts

ROOT = Path(__file__).parents[3]
IDLE = ROOT / "tests" / "kinematics" / "hexapod_idle_rods.yaml"
MEANT = [*gallery(), *sorted(str(p) for folder in ("examples", "tests") for p in (ROOT / folder).rglob("*.yaml"))]

HARDLY = [
    ("[0, 0, 136 mm]", "[0, 0, 136]", "home.pose", "136 m "),
    ("[0, 0, 70 mm]", "[0, 0, 70]", "leg0.rod", "70 m "),
    ("rpy_zyx: [102 deg", "rpy_zyx: [102", "base.rpy_zyx", "102 rad"),
    ("rpy_zyx: [-102 deg", "rpy_zyx: [-102", "base.rpy_zyx", "-102 rad"),
    ("mass: 300 g", "mass: 300", "platform", "300 kg"),
    ("mass: 5 g", "mass: 5", "leg0.horn", "5 kg"),
    ("xx: 0.00027, yy: 0.00027, zz: 0.00054", "xx: 270, yy: 270, zz: 540", "platform", "540 kg m²"),
    ("drive: {}", "drive: {}\n        limits: {lower: -90, upper: 90}", "limits.upper", "90 rad"),
    ("drive: {}", "drive: {stroke: [-45, 45]}", "drive.stroke", "45 rad"),
    ("position: [78.25180805870446 mm, 16", "position: [78.25180805870446, 16", "base.position", "m, where all other"),
    ("home: {", "home: {joints: {leg0.servo: 20}, ", "leg0.servo", "20 rad"),
]


@pytest.mark.parametrize(("written", "instead", "place", "value"), HARDLY, ids=[case[1][:30] for case in HARDLY])
def test_a_number_that_can_hardly_be_meant_is_told(written, instead, place, value):
    text = IDLE.read_text()
    assert written in text
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = description_doubts(loads(text.replace(written, instead)))
    read = [str(w.message) for w in caught if w.category is UnitWarning]
    told = [any(place in doubt and value in doubt for doubt in doubts) for doubts in (found, read)]
    assert sum(told) == 1, (found, read)  # when it is read or when it is looked at, not both


@pytest.mark.parametrize("name", MEANT, ids=[Path(n).stem for n in MEANT])
def test_robots_that_are_meant_are_not_doubted(name):
    try:
        robot = load(name)
    except gough.DescriptionError:
        pytest.skip("not a robot")
    assert description_doubts(robot) == []


@pytest.mark.parametrize("turns", ["6.5", "720 deg"])
def test_several_turns_of_a_joint_may_be_meant(turns):
    text = IDLE.read_text().replace("drive: {}", f"drive: {{}}\n        limits: {{lower: -{turns}, upper: {turns}}}")
    assert description_doubts(loads(text)) == []


@pytest.mark.slow
def test_a_base_in_millimetres_is_told_and_no_other_leg_is_blamed(tmp_path):
    """One of five unequal legs: the others reach the platform as they did."""
    text = (ROOT / "tests" / "analysis" / "five_unequal_legs.yaml").read_text()
    (tmp_path / "far.yaml").write_text(text.replace("position: [0.5, 0.03, 0]", "position: [500, 30, 0]"))
    (report,) = gough_json("check", tmp_path / "far.yaml", code=1)["problems"]
    said = report["message"]
    assert "arm.ball stays" in said and "legs[arm].base.position" in said and "millimetres" in said
    assert not any(f"{leg}.ball" in said for leg in ("gantry", "strut", "crank", "prop"))


def test_a_robot_far_from_the_world_s_origin_is_not_doubted():
    shifted = load(IDLE)
    legs = [
        leg.model_copy(update={"base": leg.base.model_copy(update={"position": (500.0, 30.0 + k / 10, 0.0)})})
        for k, leg in enumerate(shifted.legs)
    ]
    assert shifted.home.pose is not None
    home = shifted.home.model_copy(
        update={"pose": shifted.home.pose.model_copy(update={"position": (500.0, 30.2, 0.1)})}
    )
    assert description_doubts(shifted.model_copy(update={"legs": tuple(legs), "home": home})) == []


def test_a_platform_that_no_drive_moves_is_told(tmp_path):
    text = IDLE.read_text().replace("axis: [0, -1, 0]", "axis: [1, 0, 0]").replace("velocities:", "source:")
    text = text.replace(
        "type: spherical\n        pose", "type: universal\n        axes: [[1, 0, 0], [0, 1, 0]]\n        pose"
    )
    (tmp_path / "horn.yaml").write_text(text)
    report = gough_json("check", tmp_path / "horn.yaml")
    assert any("platform cannot move" in text and "leg0.servo" in text for text in report["warnings"])


def test_a_drive_that_turns_in_place_is_told(tmp_path):
    """A motor with a pin on its own axis to a body that another motor swings."""
    (tmp_path / "idle.yaml").write_text(
        """
format: 1
name: idle
bodies:
  - {name: a, mass: 1, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: b, mass: 1, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: motor, type: revolute, parent: world, child: a, drive: {}}
  - {name: swing, type: revolute, parent: world, child: b, drive: {}}
loops:
  - {name: pin, type: revolute, first: {body: a, pose: {position: [0, 0, 0.2]}}, second: {body: b, pose: {position: [0, 0, 0.2]}}}
"""
    )
    report = gough_json("check", tmp_path / "idle.yaml")
    assert any("motor" in text and "moves no loop" in text for text in report["warnings"])


@pytest.mark.slow
@pytest.mark.parametrize("name", gallery())
def test_gallery_robots_pass_the_check_in_silence(name):
    assert not [
        text for text in gough_json("check", name)["warnings"] if "cannot move" in text or "moves no loop" in text
    ]


ROD = """
format: 1
name: arm
bodies:
  - name: rod
    flexible:
      beam: {{length: 0.34, section: {{circle: {{radius: 8 mm}}}}, material: {{E: {E}, nu: 0.3, density: {density}}}}}
      modes: {{number: 2}}
      damping: {{ratio: {ratio}}}
joints: [{{name: hinge, type: revolute, parent: world, child: rod, drive: {{}}}}]
"""
HARDLY_A_MATERIAL = [
    ("70", "2700", "0.01", "material.E", "'70 GPa'"),
    ("70 MPa", "2700", "0.01", "material.E", "'70 GPa'"),
    ("210e6", "7850", "0.01", "material.E", "'210 GPa'"),
    ("210000", "7850", "0.01", "material.E", "'210000 MPa'"),
    ("70e18", "2700", "0.01", "material.E", "diamond"),
    ("70 GPa", "2.7", "0.01", "material.density", "'2.7 g/cm3'"),
    ("70 GPa", "2.7e-9", "0.01", "material.density", "2.7e-09 kg/m³"),
    ("70 GPa", "27000", "0.01", "material.density", "denser"),
    ("70 GPa", "27", "0.01", "material.density", "faster than diamond"),
    ("70 GPa", "2700", "1", "damping.ratio", "Write 0.01"),
    ("70 GPa", "2700", "[0.01, 2]", "damping.ratio", "Write 0.02"),
]


@pytest.mark.parametrize(("E", "density", "ratio", "place", "text"), HARDLY_A_MATERIAL)
def test_a_material_that_can_hardly_be_meant_is_doubted(E, density, ratio, place, text, tmp_path):
    (tmp_path / "rod.yaml").write_text(ROD.format(E=E, density=density, ratio=ratio))
    report = gough_json("check", str(tmp_path / "rod.yaml"))
    assert report["valid"]
    where = f"rod: flexible.{'beam.' if 'material' in place else ''}{place}"
    told = [w for w in report["warnings"] if where in w and text in w]
    assert told, report["warnings"]
    advised = re.search(r"'([^']*)'", told[0])
    if advised is not None:  # can be written, and is not doubted then
        key = {"material.E": "E", "material.density": "density"}[place]
        better = {"E": E, "density": density, "ratio": ratio} | {key: advised[1]}
        assert not [doubt for doubt in description_doubts(loads(ROD.format(**better))) if place in doubt]


MATERIALS = {
    "steel": ("210 GPa", 7850), "aluminium": ("70 GPa", 2700), "lead": ("16 GPa", 11340), "tungsten": ("400 GPa", 19300),
    "diamond": ("1.2e12", 3510), "carbon fibre": ("140 GPa", 1600), "stiffest fibre": ("900 GPa", 2200),
    "balsa": ("3 GPa", 150), "nylon": ("2 GPa", 1150), "polyethylene": ("200 MPa", 920), "rubber": ("1 MPa", 1100),
    "silicone": ("100 kPa", 1000), "gel": ("2 kPa", 1000), "foam": ("0.1 MPa", 30), "stiff foam": ("70 MPa", 75),
    "glass": ("70 GPa", 2500), "filled rubber": ("10 MPa", 2000),
}  # fmt: skip


@pytest.mark.parametrize("name", MATERIALS)
def test_materials_that_there_are_are_not_doubted(name):
    E, density = MATERIALS[name]
    assert description_doubts(loads(ROD.format(E=E, density=density, ratio=0.1))) == []


@pytest.mark.parametrize(("lead", "doubted"), [("5", True), ("-10", True), ("5 mm", False), ("100 mm", False)])
def test_a_lead_in_metres_is_doubted(lead, doubted):
    joint = f"{{name: screw, type: ball_screw, lead: {lead}, parent: world, child: table, drive: {{}}}}"
    robot = loads(f"format: 1\nname: axis\nbodies: [{{name: table, mass: 1}}]\njoints: [{joint}]\n")
    told = [text for text in description_doubts(robot) if text.startswith("screw: lead: ")]
    assert bool(told) == doubted
    assert not doubted or f"Write the unit, '{lead} mm'" in told[0]


CARRIER = """
format: 2
name: carrier
bodies:
  - {name: sun, shape: {disc: {mass: 0.2, radius: 18 mm}}}
  - {name: arm, mass: 0.5}
  - {name: planet, shape: {disc: {mass: 0.3, radius: 27 mm}}}
  - {name: foot, mass: 0.1}
joints:
  - {name: sun, type: revolute, parent: SUN, child: sun, drive: {}}
  - {name: arm, type: revolute, parent: world, child: arm, drive: {}}
  - {name: planet, type: revolute, parent: PLANET, child: planet, pose: {position: [45 mm, 0, 0]}}
  - {name: foot, type: fixed, parent: world, child: foot}
couplings: [{COUPLED}]
"""


@pytest.mark.parametrize(
    ("sun", "planet", "coupled", "doubted"),
    [
        ("world", "arm", "type: gear, joints: [sun, planet], teeth: [18, 27]", True),
        ("arm", "arm", "type: gear, joints: [sun, planet], teeth: [18, 27]", False),
        ("world", "foot", "type: gear, joints: [sun, planet], teeth: [18, 27]", False),
        ("world", "arm", "type: differential, coefficients: {planet: 27, sun: 18, arm: -18}", False),
        ("world", "arm", "type: mimic, joint: planet, of: sun", False),
    ],
)
def test_gears_between_carriers_are_doubted(sun: str, planet: str, coupled: str, doubted: bool) -> None:
    text = CARRIER.replace("SUN", sun).replace("PLANET", planet).replace("COUPLED", coupled)
    found = [words for words in description_doubts(loads(text)) if "one carrier" in words]
    assert len(found) == doubted
    assert not doubted or "planet turns or slides on arm" in found[0]


def test_springs_with_nothing_in_them_are_doubted() -> None:
    text = """
format: 2
name: loose
bodies: [{name: a, mass: 1}]
joints: [{name: j, type: revolute, parent: world, child: a, drive: {}, spring: {SPRING}}]
springs: [{name: s, from: {body: world}, to: {body: a, position: [1, 0, 0]}, rest_length: 0.2}]
"""
    found = description_doubts(loads(text.replace("SPRING", "rest: 0.2 rad")))
    assert len(found) == 1 and found[0].startswith("springs[s], j: its spring: a spring with nothing in it")
    assert len(description_doubts(loads(text.replace("SPRING", "stiffness: 0")))) == 1


def test_a_shape_says_how_large_a_robot_is() -> None:
    text = """
format: 2
name: rack
bodies: [{name: wheel, mass: 1 g}, {name: rack, shape: {box: {mass: 0.3 kg, x: 60 mm, y: 10 mm, z: 10 mm}}}]
joints:
  - {name: turn, type: revolute, parent: world, child: wheel, drive: {}, pose: {position: [0, 5 mm, 0]}}
  - {name: slide, type: prismatic, axis: [1, 0, 0], parent: world, child: rack}
couplings: [{type: rack, pinion: turn, slide: slide, radius: 5 mm}]
"""
    assert description_doubts(loads(text)) == []
