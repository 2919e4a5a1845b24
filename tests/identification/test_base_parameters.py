"""Base parameters: how many there are, from foreign models; that their combinations say all of a force, at states of other kinds;
that formulas hold in other designs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads

LEG_3RRR = """
      - {name: motor, type: revolute, drive: {}, body: {name: crank, mass: 0.7}}
      - {name: elbow, type: revolute, pose: {position: [0.25, 0, 0]}, body: {name: rod, mass: 0.5}}"""
LEG_3PRR = """
      - {name: motor, type: prismatic, axis: [0, 1, 0], drive: {}, body: {name: crank, mass: 0.7}}
      - {name: elbow, type: revolute, pose: {position: [0.05, 0, 0]}, body: {name: rod, mass: 0.5}}"""
PLANAR = """
format: 2
name: planar
gravity: %s
platform: {mass: 1.2}
templates:
  leg:
    chain:%s
    cut: {name: pin, type: revolute, on_leg: {position: [0.25, 0, 0]}}
legs:
  - pattern: {circular: 3, about: z}
    like: leg
    base: {position: [-0.4, 0, 0]}
    on_platform: {position: [-0.1, 0, 0], rpy_zyx: [-<angle>, 0, 0]}
home: {pose: {position: [0.01, 0.02, 0]}, joints: {"leg*.motor": %s, "leg*.elbow": %s}}
"""
HIP = "- {name: hip, type: universal, axes: [[1, 0, 0], [0, 1, 0]], body: {name: lower, mass: 2}}"
HIP_WITH_CROSS = """- {name: fork, type: revolute, axis: [1, 0, 0], body: {name: cross, mass: 0.3}}
      - {name: hip, type: revolute, axis: [0, 1, 0], body: {name: lower, mass: 2}}"""
UPS = """
format: 2
name: ups
gravity: [0, 0, -9.81]
platform: {mass: 5}
templates:
  leg:
    chain:
      %s
      - {name: slide, type: prismatic, axis: [0, 0, 1], drive: {}, body: {name: upper, mass: 1}}
    cut: {name: ball, type: spherical}
legs:
%s
home: {pose: {position: [0.02, 0.01, 0.6]}, joints: {"leg*.slide": 0.6}}
"""


def hexapod(hip: str) -> str:
    rng = np.random.default_rng(4)
    angles = np.radians([10, 50, 130, 170, 250, 290])
    legs = []
    for k, angle in enumerate(angles):
        base = [0.4 * np.cos(angle), 0.4 * np.sin(angle), rng.normal() * 0.02]
        top = [0.2 * np.cos(angle + 0.3), 0.2 * np.sin(angle + 0.3), rng.normal() * 0.02]
        base, top = ([round(float(x), 4) for x in p] for p in (base, top))
        legs.append(f"  - {{name: leg{k}, like: leg, base: {{position: {base}}}, on_platform: {{position: {top}}}}}")
    return UPS % (hip, "\n".join(legs))


PLANE, NORMAL = "[0, -9.81, 0]", "[0, 0, -9.81]"
RRR, PRR = ("0.93", "-1.85"), ("-0.166", "0.586")
KNOWN = {
    "3-RRR in a vertical plane": (PLANAR % (PLANE, LEG_3RRR, *RRR), 9, 19),
    "3-RRR in a horizontal plane": (PLANAR % (NORMAL, LEG_3RRR, *RRR), 7, 13),
    "3-PRR": (
        (PLANAR % (NORMAL, LEG_3PRR, *PRR)).replace("on_leg: {position: [0.25", "on_leg: {position: [0.3"),
        7,
        13,
    ),
    "6-UPS": (hexapod(HIP), 22, 82),
    "6-UPS with a cross": (hexapod(HIP_WITH_CROSS), 23, 88),
}


def model_of(text: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(loads(text))


@pytest.mark.parametrize("name", KNOWN)
def test_as_many_as_foreign_models_have(name: str) -> None:
    text, tied, apart = KNOWN[name]
    model = model_of(text)
    for ties, number in (("legs", tied), ("apart", apart)):
        found = gough.base_parameters(model, tied=ties)
        assert found.rank == number and found.gap > 1e6 and found.exact


@pytest.mark.parametrize("name", ["delta", "five_bar", "andrews", "hobby_6rss", "differential_wrist"])
def test_they_say_all_of_a_force(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = gough.build(name)
    found = gough.base_parameters(model, ("inertia", "rotors", "friction"))
    y, rng = found.regressor, np.random.default_rng(8)
    pi = rng.normal(size=len(y.unknowns))
    other = np.zeros_like(pi)
    other[list(found.kept)] = found.matrix @ pi
    q = model.home
    for _ in range(6):
        q = model.integrate(q, rng.normal(size=model.layout.nv) * 0.03 * model.mechanism.length)
        v, vdot = rng.normal(size=(2, model.layout.nv)) * 3.0
        Y = y(q, v, vdot).Y
        assert np.allclose(Y @ pi, Y @ other, atol=1e-8 * np.abs(Y).max())


def test_formulas_hold_in_other_designs() -> None:
    text = KNOWN["3-RRR in a vertical plane"][0]
    other = text.replace("position: [0.25, 0, 0]", "position: [0.27, 0, 0]").replace("[-0.1, 0, 0]", "[-0.13, 0, 0]")
    here, there = (gough.base_parameters(model_of(t)) for t in (text, other))
    numbers = dict(zip(there.regressor.model.parameter_names, there.regressor.model.parameters, strict=True))
    assert here.kept == there.kept and here.exact
    for b, d in enumerate(here.dependent):
        for a, k in enumerate(here.kept):
            assert here.formulas[k, d].value(numbers) == pytest.approx(there.shares[a, b], abs=1e-9)


def test_what_is_told_of_a_pendulum() -> None:
    joint = "{name: a, type: revolute, axis: [0, 1, 0], drive: {}, parent: world, child: b}"
    body = "{name: b, mass: 2, center_of_mass: [0.1, 0, 0.2]}"
    model = model_of(f"format: 1\nname: arm\ngravity: [0, 0, -9.81]\njoints: [{joint}]\nbodies: [{body}]\n")
    found = gough.base_parameters(model)
    assert found.names == ("b.MX", "b.MZ", "b.YY") and found.values == pytest.approx([0.2, 0.4, 0.1])
    assert "no motion tells: b.M, b.MY" in str(found) and "gravity [ 0.  ,  0.  , -9.81]" in str(found)


def test_the_text_of_a_combination() -> None:
    found: Any = gough.base_parameters(model_of(KNOWN["3-RRR in a horizontal plane"][0]), tied="legs")
    assert found.names[0] == "platform.M + 3/leg*.pin.on_leg.x leg*.rod.MX"


def test_shares_of_weight_keep_masses_apart() -> None:
    """A mass that has no weight cannot stand for one that has."""
    text = KNOWN["3-RRR in a vertical plane"][0]
    found = gough.base_parameters(
        model_of(text.replace("name: rod, mass: 0.5", "name: rod, mass: 0.5, weight_share: 0.5"))
    )
    assert found.rank == len(found.kept) > 19


def test_the_same_parameters_are_kept_every_time() -> None:
    """Equal columns tie; interpreted and compiled states differ in the last bit, which must not decide."""
    model = gough.build("delta")
    kept = [gough.base_parameters(model).kept for _ in range(2)]
    model.inverse_dynamics(np.repeat(model.home[None], 5000, axis=0), np.zeros(3), np.zeros(3))
    assert gough.base_parameters(model).kept == kept[0] == kept[1]


def planar(seed: int, first: str) -> str:
    """A planar robot of three unlike legs, first joint prismatic or revolute, assembled by construction; gravity tilted."""
    rng = np.random.default_rng(seed)
    body = "mass: 2, center_of_mass: [0.1, 0.02, 0], inertia: {about: center_of_mass, xx: 0.01, yy: 0.02, zz: 0.02}"
    axis, along = ("[0, 0, 1]", 0.25) if first == "revolute" else ("[0, 1, 0]", 0.0)
    legs, home = [], []
    for i in range(3):
        a = 2 * np.pi * i / 3 + rng.uniform(-0.2, 0.2)
        pin = -0.1 * np.array([np.cos(a), np.sin(a)]) + rng.uniform(-0.03, 0.03, 2)
        rod = a + rng.uniform(-0.6, 0.6)
        elbow = pin - 0.25 * np.array([np.cos(rod), np.sin(rod)])
        if first == "revolute":
            move = rng.uniform(0.6, 1.2)
            base, turn = elbow - 0.25 * np.array([np.cos(a + move), np.sin(a + move)]), rod - a - move
        else:
            move = rng.uniform(0.05, 0.2)
            base, turn = elbow + move * np.array([np.sin(a), -np.cos(a)]), rod - a
        place = f"position: [{base[0]}, {base[1]}, 0], rpy_zyx: [{a}, 0, 0]"
        legs.append(f"  - {{like: leg, base: {{{place}}}, on_platform: {{position: [{pin[0]}, {pin[1]}, 0]}}}}")
        home += [f"leg{i}.motor: {move}", f"leg{i}.elbow: {turn}"]
    return f"""
format: 2
name: planar
gravity: [3.1, -4.2, -7.5]
platform: {{mass: 3, center_of_mass: [0.01, 0.02, 0], inertia: {{about: center_of_mass, xx: 0.02, yy: 0.02, zz: 0.03}}}}
templates:
  leg:
    chain:
      - {{name: motor, type: {first}, axis: {axis}, drive: {{}}, body: {{name: crank, {body}}}}}
      - {{name: elbow, type: revolute, pose: {{position: [{along}, 0, 0]}}, body: {{name: rod, {body}}}}}
    cut: {{type: revolute, on_leg: {{position: [0.25, 0, 0]}}}}
legs:
{chr(10).join(legs)}
home: {{pose: {{position: [0, 0, 0]}}, joints: {{{", ".join(home)}}}}}
"""


@pytest.mark.parametrize(("first", "apart", "tied"), [("prismatic", 13, 7), ("revolute", 19, 9)])
def test_states_near_folded_legs_do_not_decide(first: str, apart: int, tied: int) -> None:
    """The ranks of such robots are known; some random states of some of them are all but folded, where forces are huge."""
    for seed in range(12):
        model = gough.build(loads(planar(seed, first)))
        for ties, rank in (("apart", apart), ("legs", tied)):
            found = gough.base_parameters(model, tied=ties)
            assert found.rank == rank and found.gap > 1e9, (seed, ties, found.rank, found.gap)
