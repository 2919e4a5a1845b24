"""What is wrong with couplings is told with its line, its place and the remedy."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gough.robot import DescriptionError, dumps, json_schema, loads

TREE = """
format: 2
name: train
variables: {zwei: 2}
bodies:
  - {name: one, mass: 1}
  - {name: two, mass: 1}
  - {name: three, mass: 1}
  - {name: four, mass: 1}
  - {name: five, mass: 1}
joints:
  - {name: a, type: revolute, parent: world, child: one, drive: {}}
  - {name: b, type: revolute, parent: world, child: two}
  - {name: s, type: prismatic, parent: world, child: three}
  - {name: u, type: universal, parent: world, child: four, axes: [[1, 0, 0], [0, 1, 0]]}
  - {name: ball, type: spherical, parent: world, child: five}
loops:
  - {name: rod, type: constant_length, length: 1, first: {body: one}, second: {body: two, pose: {position: [1, 0, 0]}}}
home: {joints: {a: 10 deg, b: 20 deg}}
couplings:
"""
LINE = 1 + TREE.count("\n")


def told(*couplings: str) -> str:
    with pytest.raises(DescriptionError) as caught:
        loads(TREE + "".join(f"  - {{{text}}}\n" for text in couplings), file="train.yaml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("coupling", "place", "said", "expected"),
    [
        ("type: gear, joints: [a, c], ratio: 2", "joints[1]", "no joint coordinate 'c'", "one of"),
        ("type: gear, joints: [a, a], ratio: 2", "joints[1]", "'a' coupled to itself", "two different"),
        ("type: gear, joints: [a, s], ratio: 2", "joints[1]", "'s' of a gear is a length", "turns"),
        ("type: gear, joints: [a, b], ratio: 0", "ratio", "zero", "not zero"),
        ("type: gear, joints: [a, b], ratio: -1", "ratio", "negative", "internal"),
        ("type: gear, joints: [a, b]", "ratio", "without a ratio", "teeth"),
        ("type: gear, joints: [a, b], ratio: 1, teeth: [2, 3]", "teeth", "beside ratio", "one of"),
        ("type: gear, joints: [a, b], ratio: 1, module: 1 mm", "module", "without teeth", "teeth"),
        ("type: gear, joints: [a, b], radii: [1 mm, 0]", "radii[1]", "zero", "positive"),
        ("type: gear, joints: [a, rod], ratio: 1", "joints[1]", "closes a loop", "in the tree"),
        ("type: rack, pinion: s, slide: a, radius: 1 mm", "pinion", "is a length", "turns"),
        ("type: rack, pinion: a, slide: s, radius: 3 deg", "radius", "another dimension", "length"),
        ("type: rack, pinion: a, slide: s, radius: 1 mm, offset: 3 deg", "offset", "another dimension", "a length"),
        ("type: rack, pinion: a, radius: 1 mm", "slide", "without slide", "slide"),
        ("type: mimic, joint: b, of: u", "of", "several coordinates", "u_1, u_2"),
        ("type: mimic, joint: b, of: ball", "of", "spherical", "one coordinate"),
        ("type: mimic, joint: b, of: a, ratio: 0", "ratio", "zero", "not zero"),
        ("type: mimic, joint: b, of: a, teeth: [1, 2]", "teeth", "on a mimic coupling", "ratio"),
        ("type: mimic, joint: s, of: a, offset: home", "offset", "does not state s", "all of them"),
        ("type: differential, coefficients: {a: 1}", "coefficients", "of 1 coordinates", "at least two"),
        ("type: differential, coefficients: {a: 1, b: 0}", "coefficients.b", "zero", "not zero"),
        ("type: differential, coefficients: {a: 1, b: zwei - 2}", "coefficients.b", "zero", "not zero"),
        ("type: mimic, joint: b, of: a, ratio: zwei - 2", "ratio", "zero", "not zero"),
        ("type: gear, joints: [a, b], radii: [1 mm, 1 mm*(zwei - 2)]", "radii[1]", "zero", "positive"),
        ("type: mimic, joint: b, of: a, offset: hom", "offset", "did you mean 'home'?", "an angle in rad, or home"),
        ("type: differential, coefficients: {a: 1, s: 2}, offset: 1 mm", "offset", "another dimension", "number"),
        ("type: chain, joints: [a, b]", "type", "not one of the known values", "gear"),
        ("name: drives, type: mimic, joint: b, of: a", "name", "reserved", "drives_1"),
        ("name: a, type: mimic, joint: b, of: a", "name", "already", "of its own"),
        ("type: gear, joints: [a, b], ration: 2", "ration", "did you mean 'ratio'", "one of"),
    ],
)
def test_one_coupling(coupling: str, place: str, said: str, expected: str) -> None:
    lines = [line for line in told(coupling).splitlines() if f"couplings[0].{place}:" in line]
    assert len(lines) == 1, lines
    assert lines[0].startswith(f"train.yaml:{LINE}: ")
    assert said in lines[0]
    assert expected in lines[0].partition("expected ")[2]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("name: m, type: mimic, joint: b, of: a, ratio: 3", "leave b, a no motion"),
        ("name: m, type: mimic, joint: b, of: a, ratio: 2, offset: 1 deg", "different offsets"),
        ("type: mimic, joint: b, of: s", "used twice"),
    ],
)
def test_two_couplings(second: str, said: str) -> None:
    found = told("type: mimic, joint: b, of: a, ratio: 2", second)
    assert said in found and f"train.yaml:{LINE + 1}: couplings[1]" in found


def test_three_wheels_in_a_ring_stand_still() -> None:
    wheels = ("u_1, u_2", "u_2, a", "a, u_1")
    found = told(*(f"name: g{k}, type: gear, joints: [{pair}], ratio: 1" for k, pair in enumerate(wheels)))
    assert "g2 and g0, g1 leave u_1, u_2, a no motion" in found


def test_older_formats_have_none() -> None:
    text = TREE.replace("format: 2", "format: 1") + "  - {type: mimic, joint: b, of: a}\n"
    with pytest.raises(DescriptionError, match="a key of format 2"):
        loads(text)


def test_names_may_be_left_out_and_everything_is_written_back() -> None:
    tree = TREE.replace("loops:\n  - {name: rod", "springs: []\nloops:\n  - {name: rod")
    robot = loads(
        tree
        + "  - {type: mimic, joint: b, of: a, ratio: 2, offset: home, source: assumed}\n"
        + "  - {type: rack, pinion: u_1, slide: s, radius: -3 mm, offset: 2 mm}\n"
        + "  - {type: differential, coefficients: {u_2: 2, a: -1}}\n"
    )
    assert [c.name for c in robot.couplings] == ["mimic_b", "rack_u_1", "differential_u_2"]
    again = dumps(robot)
    assert loads(again) == robot and again.startswith("format: 2\n")
    assert "couplings" in json_schema()["properties"]


def test_legs_share_couplings_by_their_template() -> None:
    chain = [{"name": "hip", "type": "universal", "axes": [[1, 0, 0], [0, 1, 0]]}]
    chain += [{"name": "motor", "type": "revolute", "on": "hip", "drive": {}}]
    chain += [{"name": "slide", "type": "prismatic", "on": "hip"}]
    rack = {"name": "rack", "type": "rack", "pinion": "motor", "slide": "slide", "radius": 0.01}
    template = {"chain": chain, "cut": {"type": "spherical"}, "couplings": [rack]}
    own: dict[str, Any] = {"name": "second", "like": "leg", "couplings": {"rack": {"radius": 0.02}}}
    third = {"name": "third", "like": "leg", "couplings": [{"type": "mimic", "joint": "hip_1", "of": "first.motor"}]}
    data = {"format": 2, "name": "legs", "platform": {"mass": 1}, "templates": {"leg": template}}
    data |= {"legs": [{"name": "first", "like": "leg"}, own, third], "home": {"pose": {"position": [0, 0, 1]}}}
    robot = loads(json.dumps(data))
    assert [leg.couplings[0].radius for leg in robot.legs] == [0.01, 0.02, 0.01]
    assert robot.legs[2].couplings[1].name == "mimic_hip_1"
    assert loads(dumps(robot)) == robot
    data["legs"][1]["couplings"] = {"wheel": {"radius": 0.02}}  # type: ignore[index]
    with pytest.raises(DescriptionError, match="override of a coupling 'wheel' that is not in the leg"):
        loads(json.dumps(data))
