"""What is computed from home (frames on the platform, offsets of couplings, guides) follows variables as a robot that is read
again."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.robot import loads

TRIPOD = """
format: 2
name: tripod
variables: {lean: 1.2 rad, turn: 0.05 rad, reach: 0.2 m}
platform: {mass: 1, center_of_mass: [0.01, 0.02, 0.03]}
templates:
  prs:
    chain:
      - {name: slide, type: prismatic, drive: {}, body: {mass: 0.2}}
      - {name: pin, type: revolute, axis: [0, 1, 0], pose: {rpy_zyx: [0, LEAN, 0]}, body: {mass: 1, center_of_mass: [0, 0, 0.1]}}
    cut: {name: pad, type: CUT, on_leg: {position: [0, 0, 0.26]}}
legs:
  - pattern: {circular: 3}
    like: prs
    base: {position: [reach*cos(<angle>), reach*sin(<angle>), 0], rpy_zyx: [<angle> + turn, 0, 0]}
    on_platform: {position: [0.12 m*cos(<angle>), 0.12 m*sin(<angle>), 0], orientation: home}
home:
  pose: {position: [0, 0, 0.25], rpy_zyx: [turn, 0, 0]}
  joints: {leg0.slide: 0, leg0.pin: PIN, leg1.slide: 0, leg1.pin: PIN, leg2.slide: 0, leg2.pin: PIN}
"""
FORMS = {
    "pose of a joint": {"LEAN": "lean - 90 deg", "PIN": "0"},
    "home's joints": {"LEAN": "-0.3", "PIN": "lean - 1.25 rad"},
    "both": {"LEAN": "-lean/4", "PIN": "turn"},
}
GEARS = """
format: 2
name: geared
variables: {b_ang: 20 deg, k: 2, start: 0.1 rad, r_w: 30 mm}
bodies:
  - {name: a, shape: {disc: {mass: 1, radius: 0.1}}}
  - {name: b, shape: {disc: {mass: 1, radius: 0.1}}}
  - {name: c, mass: 1}
joints:
  - {name: ja, type: revolute, parent: world, child: a, drive: {}}
  - {name: jb, type: revolute, parent: world, child: b}
  - {name: jc, type: prismatic, parent: world, child: c}
couplings: [{name: one, ONE}, {name: two, type: rack, pinion: jb, slide: jc, radius: r_w, offset: home}]
home: {joints: {ja: start, jb: 3*start, jc: r_w}}
"""
COUPLINGS = {
    "mimic": "type: mimic, joint: jb, of: ja, ratio: k, offset: b_ang/10",
    "mimic at home": "type: mimic, joint: jb, of: ja, ratio: k, offset: home",
    "gear at home": "type: gear, joints: [ja, jb], ratio: k, offset: home",
    "differential": "type: differential, coefficients: {ja: k, jb: -2}, offset: b_ang",
}


def compare(model: gough.Model, values: dict[str, float]) -> None:
    """Parameters by formulas with those of the robot that is read again; angles may differ by whole turns."""
    by_formula = model.parameters_with(variables=values)
    again = gough.build(model.robot.with_variables(values))
    off = by_formula - again.parameters
    angles = np.array(model.mechanism.table.units) == "rad"
    off[angles] = np.remainder(off[angles] + np.pi, 2 * np.pi) - np.pi
    assert np.abs(off).max() < 1e-12
    moved = {model.parameter_names[k] for k in np.flatnonzero(np.abs(by_formula - model.parameters) > 1e-6)}
    assert moved <= {x for name in values for x in model.moved_parameters(name)}


@pytest.mark.quick_cases("both-spherical")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("cut", ["spherical", "spherical, friction: {viscous: 0.1}"])
@pytest.mark.parametrize("form", FORMS)
def test_frames_from_home(form: str, cut: str) -> None:
    text = TRIPOD.replace("CUT", cut)
    for key, words in FORMS[form].items():
        text = text.replace(key, words)
    model = gough.build(loads(text))
    compare(model, {"lean": 1.21})
    compare(model, {"turn": 0.04, "lean": 1.19})


@pytest.mark.parametrize("kind", COUPLINGS)
def test_offsets_of_couplings(kind: str) -> None:
    model = gough.build(loads(GEARS.replace("ONE", COUPLINGS[kind])))
    compare(model, {"b_ang": 0.3, "k": 2.3, "start": 0.13, "r_w": 0.04})
    compare(model, {"k": 1.7})
    if kind == "gear at home":  # q_b = -k q_a + offset, at home 3 start = -k start + offset
        numbers = model.parameters_with(variables={"k": 1.7, "start": 0.2})
        assert numbers[model.parameter_names.index("one.offset")] == pytest.approx(3 * 0.2 + 1.7 * 0.2, rel=1e-14)


def test_what_a_guide_holds() -> None:
    text = """
format: 2
name: guided
variables: {y_0: 0.1 m, z_0: 0.5 m}
platform: {mass: 1, freedoms: [x, z]}
legs:
  - name: a
    base: {position: [-0.3, y_0, 0]}
    chain: [{name: hip, type: revolute, axis: [0, 1, 0]}, {name: slide, type: prismatic, drive: {}}]
    cut: {type: spherical}
    on_platform: {position: [-0.1, 0, 0]}
  - name: b
    base: {position: [0.3, y_0, 0]}
    chain: [{name: hip, type: revolute, axis: [0, 1, 0]}, {name: slide, type: prismatic, drive: {}}]
    cut: {type: spherical}
    on_platform: {position: [0.1, 0, 0]}
home: {pose: {position: [0, y_0, z_0]}}
"""
    model = gough.build(loads(text))
    assert "platform.along_x.y" in model.moved_parameters("y_0")
    compare(model, {"y_0": 0.2})


def test_what_cannot_follow_is_told_without_a_wrong_reason() -> None:
    text = """
format: 2
name: guided
variables: {tilt: 5 deg}
platform: {mass: 1, freedoms: [z]}
legs:
  - {name: a, chain: [{name: slide, type: prismatic, drive: {}}], cut: {type: spherical}, on_platform: {position: [0, 0, 0]}}
home: {pose: {position: [0, 0, 0.3], rpy_zyx: [tilt, 0, 0]}}
"""
    with pytest.raises(gough.StructureError, match="cannot follow variables: give it numbers") as caught:
        gough.build(loads(text))
    assert "90°" not in str(caught.value)
