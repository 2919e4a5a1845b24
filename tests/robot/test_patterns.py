"""Patterns: entries that stand for several are the robot that is written out, and problems name what was written."""

import math
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import DescriptionError, Robot, dumps, loads

HEAD = """
format: 2
name: ring
variables: {base_radius: 500 mm, top_radius: 300 mm, spread: 12 deg, height: 600 mm}
platform: {mass: 5, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.2}}
templates:
  ups:
    chain:
      - {name: hip, type: universal, axes: [[1, 0, 0], [0, 1, 0]]}
      - {name: slide, type: prismatic, drive: {}, body: {mass: 1}}
    cut: {type: spherical}
home: {pose: {position: [0, 0, height]}}
"""
PATTERNS = """
legs:
  - pattern: {circular: 3, start: "-spread"}
    like: ups
    name: right<i>
    base: {position: ["base_radius*cos(<angle>)", "base_radius*sin(<angle>)", 0], rpy_zyx: [<angle>, 0, 0]}
    on_platform: {position: ["top_radius*cos(<angle> - 60 deg + 2*spread)", "top_radius*sin(<angle> - 60 deg + 2*spread)", 0]}
  - pattern: {circular: 3, start: spread}
    like: ups
    name: left<i>
    base: {position: ["base_radius*cos(<angle>)", "base_radius*sin(<angle>)", 0], rpy_zyx: [<angle>, 0, 0]}
    on_platform: {position: ["top_radius*cos(<angle> + 60 deg - 2*spread)", "top_radius*sin(<angle> + 60 deg - 2*spread)", 0]}
"""


def written_out() -> str:
    legs = "legs:\n"
    for side, sign in (("right", -1), ("left", 1)):
        for i in range(3):
            angle = math.radians(120 * i) + sign * math.radians(12)
            top = angle + sign * math.radians(60 - 24)
            base, on = ([r * math.cos(x), r * math.sin(x), 0] for r, x in ((0.5, angle), (0.3, top)))
            legs += f"  - {{name: {side}{i}, like: ups, base: {{position: {base}, rpy_zyx: [{angle}, 0, 0]}}, "
            legs += f"on_platform: {{position: {on}}}}}\n"
    return HEAD + legs


def test_circular_legs_are_those_written_out() -> None:
    patterned, plain = loads(HEAD + PATTERNS), loads(written_out())
    assert [leg.name for leg in patterned.legs] == [f"{side}{i}" for side in ("right", "left") for i in range(3)]
    a, b = gough.build(patterned), gough.build(plain)
    assert a.parameter_names == b.parameter_names
    np.testing.assert_allclose(a.parameters, b.parameters, rtol=0, atol=1e-15)
    moved = gough.build(patterned.with_variables({"spread": "9 deg"}))
    by_formula = a.parameters_with(variables={"spread": math.radians(9)})
    np.testing.assert_allclose(by_formula, moved.parameters, rtol=0, atol=1e-14)


def test_written_back_leg_by_leg() -> None:
    robot = loads(HEAD + PATTERNS)
    assert loads(dumps(robot)) == robot
    assert "pattern" not in dumps(robot)
    assert "base_radius*cos(-spread + 120 deg)" in dumps(robot)


def both(text: str, other: str) -> tuple[Robot, Robot]:
    return loads(text), loads(other)


def test_mirrored_and_listed_bodies_joints_and_loops() -> None:
    head = """
format: 2
name: five_bar_again
variables: {half: 80 mm}
gravity: [0, -9.81, 0]
"""
    tail = "home: {joints: {left_motor: 120 deg, left_elbow: -70 deg, right_motor: 60 deg, right_elbow: 70 deg}}\n"
    patterned = (
        head
        + """
bodies:
  - {pattern: {mirrored: [left, right]}, name: <label>_crank, mass: 0.3, center_of_mass: [0.1, 0, 0]}
  - pattern: {listed: [{who: left, m_i: 200 g}, {who: right, m_i: 0.3}]}
    name: <who>_rod
    mass: <m_i>
    center_of_mass: [0.1, 0, 0]
joints:
  - pattern: {mirrored: [left, right]}
    name: <label>_motor
    type: revolute
    parent: world
    child: <label>_crank
    pose: {position: ["-<side>*half", 0, 0]}
    drive: {}
  - pattern: {mirrored: [left, right]}
    name: <label>_elbow
    type: revolute
    parent: <label>_crank
    child: <label>_rod
    pose: {position: [0.2, 0, 0]}
loops:
  - name: tip
    type: revolute
    first: {body: left_rod, pose: {position: [0.25, 0, 0]}}
    second: {body: right_rod, pose: {position: [0.25, 0, 0]}}
"""
        + tail
    )
    out = head + "bodies:\n"
    for name, mass in (("left_crank", 0.3), ("right_crank", 0.3), ("left_rod", 0.2), ("right_rod", 0.3)):
        out += f"  - {{name: {name}, mass: {mass}, center_of_mass: [0.1, 0, 0]}}\n"
    out += "joints:\n"
    for label, x in (("left", "-half"), ("right", "half")):
        out += f"  - {{name: {label}_motor, type: revolute, parent: world, child: {label}_crank, drive: {{}}, "
        out += f'pose: {{position: ["{x}", 0, 0]}}}}\n'
    for label in ("left", "right"):
        out += f"  - {{name: {label}_elbow, type: revolute, parent: {label}_crank, child: {label}_rod, "
        out += "pose: {position: [0.2, 0, 0]}}\n"
    out += patterned[patterned.index("loops:") :]
    found, plain = both(patterned, out)
    a, b = gough.build(found), gough.build(plain)
    assert a.parameter_names == b.parameter_names
    np.testing.assert_array_equal(a.parameters, b.parameters)


@pytest.mark.parametrize(
    ("change", "place", "message"),
    [
        (("<angle> - 60", "<angel> - 60"), "legs[0].on_platform.position[0]", "no word <angel> in this pattern"),
        (("circular: 3, start: spread", "circular: 0"), "legs[1].pattern.circular", "not a number of copies"),
        (("circular: 3, start: spread", "circular: 3, begin: 3 deg"), "legs[1].pattern.begin", "unknown key"),
        (
            ("circular: 3, start: spread", "circle: 3"),
            "legs[1].pattern.circle",
            "unknown key 'circle', did you mean 'circular'",
        ),
        (("circular: 3, start: spread", "circular: 3, listed: [{r: 1}]"), "legs[1].pattern", "circular and listed"),
        (("circular: 3, start: spread", "mirrored: [a, b], about: z"), "legs[1].pattern.about", "unknown key"),
        (("circular: 3, start: spread", "circular: 3, about: w"), "legs[1].pattern.about", "not an axis"),
        (("circular: 3, start: spread", "mirrored: [a]"), "legs[1].pattern.mirrored", "not two names"),
        (("circular: 3, start: spread", "listed: [1]"), "legs[1].pattern.listed", "not a list of mappings"),
        (("circular: 3, start: spread", "listed: [{r: 1}, {s: 2}]"), "legs[1].pattern.listed[1]", "other words"),
        (("circular: 3, start: spread", "circular: 3, start: spred"), "legs[1].base.position[0]", "'spread'?"),
        (("name: left<i>", "name: right<i>"), "legs[1].name", "right0"),
        (("format: 2", "format: 1"), "legs[0].pattern", "a key of format 2"),
    ],
)
def test_problems_name_what_was_written(change: tuple[str, str], place: str, message: str) -> None:
    text = (HEAD + PATTERNS).replace(*change)
    with pytest.raises(DescriptionError) as caught:
        loads(text, "ring.yaml")
    found: list[Any] = caught.value.problems
    told = [str(p) for p in found]
    assert any(p.path == place and message in p.message + str(p.expected) for p in found), told
    if "<angel>" in change[1] or "circle" in change[1]:  # one typo, one message; consequences are not told
        assert len({(p.path, p.message) for p in found}) == (2 if "<angel>" in change[1] else 1), told
    if "pattern" in place and "format" not in message:
        line = next(k + 1 for k, row in enumerate(text.splitlines()) if change[1] in row)
        assert any(p.line == line for p in found), told


def test_copies_are_bounded() -> None:
    text = (
        (HEAD + PATTERNS)
        .replace("circular: 3", "circular: 1000")
        .replace("like: ups", f"chain: {[[k] for k in range(90)]}")
    )
    with pytest.raises(DescriptionError, match="entries in all"):
        loads(text)


WEIGHT = "      - {name: w0, type: fixed, body: {mass: 1 kg}}\n      - {name: w1, type: fixed, body: {mass: 2 kg}}\n"
WEIGHTS = "      - {pattern: {listed: [{m: 1 kg}, {m: 2 kg}]}, name: w<i>, type: fixed, body: {mass: <m>}}\n"
PRISMATIC = "      - {name: slide, type: prismatic, drive: {}, body: {mass: 1}}\n"


def test_a_template_has_patterns_of_its_own() -> None:
    """Beside those of the legs that take it; wrong ones are one problem, and none of what would have been in their place."""
    of_one = HEAD.replace(PRISMATIC, PRISMATIC + WEIGHTS) + PATTERNS
    assert loads(of_one).legs == loads(HEAD.replace(PRISMATIC, PRISMATIC + WEIGHT) + PATTERNS).legs
    with pytest.raises(DescriptionError) as caught:
        loads(of_one.replace("{listed: [{m: 1 kg}, {m: 2 kg}]}", "{circulr: 2}"))
    (problem,) = caught.value.problems
    assert problem.path == "templates.ups.chain[2].pattern.circulr" and "did you mean 'circular'" in problem.message
    leg = "    name: right<i>\n    cut: {type: spherical}\n    chain:\n" + PRISMATIC + WEIGHTS
    own = PATTERNS.replace("    like: ups\n    name: right<i>", leg)
    with pytest.raises(DescriptionError, match=r"a pattern inside of a pattern.*chain in a template"):
        loads(HEAD + own)


def problems(text: str) -> list[str]:
    with pytest.raises(DescriptionError) as caught:
        loads(text)
    return list(map(str, caught.value.problems))


def test_one_mistake_is_one_problem() -> None:
    """A variable that is wrong, a format that is too old; and what a list tore apart is told as that."""
    (said,) = problems((HEAD + PATTERNS).replace("top_radius: 300 mm", "top_radius: 300 mmm"))
    assert "variables.top_radius" in said
    (said, *others) = problems((HEAD + PATTERNS).replace("format: 2", "format: 1"))
    assert "variables: a key of format 2" in said and not any("expressions need" in x for x in others)
    (said,) = problems((HEAD + PATTERNS).replace("position: [0, 0, height]", "position: [0, 0, max(height, 3 m)]"))
    assert "4 entries instead of 3" in said and 'in quotes: "max(a, 3 m)"' in said
