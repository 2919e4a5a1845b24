"""Scales of lengths and forces: equilibria, mobility and sizes do not depend on how large a robot is, nor on tiny parts."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gough
from gough.robot import loads


def mass_on_spring(size: float, stiffness: float, gravity: float, preload: float = 0.0) -> gough.Model:
    spring = {"stiffness": stiffness, "rest": 0.08 * size, "preload": preload}
    joint = {"name": "z", "type": "prismatic", "parent": "world", "child": "pan", "drive": {}, "spring": spring}
    document = {
        "format": 1,
        "name": "mass_on_spring",
        "gravity": [0, 0, -gravity],
        "bodies": [{"name": "pan", "mass": 1.0}],
        "joints": [joint],
        "home": {"joints": {"z": 0.08 * size}},
    }
    return gough.build(loads(json.dumps(document)))


@pytest.mark.parametrize("stiffness", [1e-3, 1.0, 100.0, 1000.0, 1e6, 1e10])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e3])
def test_springs_that_carry_the_load_are_in_equilibrium(size, stiffness):
    weight = 0.02 * size * stiffness
    model = mass_on_spring(size, stiffness, weight)
    np.testing.assert_allclose(gough.static_equilibrium(model, tau=[0.0]).q, [0.06 * size], rtol=1e-12)
    np.testing.assert_allclose(gough.static_equilibrium(model, tau=[weight]).q, [0.08 * size], rtol=1e-12)
    np.testing.assert_allclose(gough.static_equilibrium(model, drives=[0.05 * size]).tau, [-0.5 * weight], rtol=1e-12)
    alone = mass_on_spring(size, stiffness, 0.0, preload=-weight)  # nothing but the spring itself
    np.testing.assert_allclose(gough.static_equilibrium(alone, tau=[0.0]).q, [0.06 * size], rtol=1e-12)


def two_masses(between: float) -> gough.Model:
    """Two sliders, coupled by a spring between points and held by joint springs: 2 x 2 stiffness."""
    own = {"stiffness": 30.0, "rest": 0.0}
    document = {
        "format": 1,
        "name": "two",
        "gravity": [-9.81, 0, 0],
        "bodies": [{"name": "a", "mass": 1.0}, {"name": "b", "mass": 2.0}],
        "joints": [
            {"name": f"s{n}", "type": "prismatic", "axis": [1, 0, 0], "parent": "world", "child": n, "spring": own}
            for n in "ab"
        ],
        "springs": [
            {
                "name": "tie",
                "from": {"body": "a"},
                "to": {"body": "b", "position": [1, 0, 0]},
                "stiffness": between,
                "rest_length": 1.0,
            }
        ],
        "velocities": ["sa", "sb"],
    }
    return gough.build(loads(json.dumps(document)))


@pytest.mark.parametrize("between", [1.0, 1e4, 1e9])
def test_stiff_and_soft_springs_together(between):
    K = np.array([[30 + between, -between], [-between, 30 + between]])
    truth = np.linalg.solve(K, [-9.81, -2 * 9.81])
    found = gough.static_equilibrium(two_masses(between), tau=[])
    np.testing.assert_allclose(found.q, truth, rtol=1e-6)


def five_bar(scale: float) -> dict:
    body = lambda n, x: {"name": n, "mass": 0.3, "center_of_mass": [x / 2 * scale, 0, 0]}  # noqa: E731
    at = lambda x: {"position": [x * scale, 0, 0]}  # noqa: E731
    joint = lambda n, p, c, x, **more: {"name": n, "type": "revolute", "parent": p, "child": c, "pose": at(x), **more}  # noqa: E731
    return {
        "format": 1,
        "name": "five_bar",
        "bodies": [body("a", 1.0), body("b", 1.3), body("c", 1.1), body("d", 1.2)],
        "joints": [
            joint("j1", "world", "a", 0, drive={}),
            joint("j2", "a", "b", 1.0),
            joint("j3", "world", "c", 0.8, drive={}),
            joint("j4", "c", "d", 1.1),
        ],
        "loops": [
            {
                "name": "pin",
                "type": "revolute",
                "first": {"body": "b", "pose": at(1.3)},
                "second": {"body": "d", "pose": at(1.2)},
            }
        ],
        "home": {"joints": {"j1": 2.0, "j2": -1.0, "j3": 1.1, "j4": 1.0}},
    }


@pytest.mark.parametrize("scale", [1e-9, 1e-6, 1e-3, 1e3])
def test_mobility_and_motion_are_those_of_any_size(scale):
    usual, other = (gough.build(loads(json.dumps(five_bar(s)))) for s in (1.0, scale))
    assert other.mobility == 2
    np.testing.assert_allclose(other.home, usual.home, atol=1e-9)
    step = [0.2, -0.3]
    np.testing.assert_allclose(other.integrate(other.home, step), usual.integrate(usual.home, step), atol=1e-9)


def test_tiny_parts_do_not_make_the_robot_small():
    """Two joints of every arm all but coincide: the robot is as large as before."""
    document = five_bar(1.0)
    for j in (1, 3):
        joint = document["joints"][j]
        name = f"tip{j}"
        document["bodies"].append({"name": name, "mass": 0.0})
        document["joints"].append(
            {"name": name, "type": "fixed", "parent": joint["parent"], "child": name, "pose": joint["pose"]}
        )
        joint["parent"], joint["pose"] = name, {"position": [2e-9, 0, 0]}
    usual, other = (gough.build(loads(json.dumps(d))) for d in (five_bar(1.0), document))
    assert 0.5 * usual.size < other.size < 2 * usual.size


def test_a_body_alone_has_the_size_of_its_mass():
    beam = {
        "format": 1,
        "name": "beam",
        "bodies": [
            {
                "name": "rod",
                "flexible": {
                    "beam": {
                        "length": "100 um",
                        "section": {"rectangle": {"y": "1 um", "z": "5 um"}},
                        "material": {"E": "160 GPa", "nu": 0.2, "density": 2330},
                        "plane": True,
                    },
                    "modes": {"number": 2},
                },
            }
        ],
        "joints": [{"name": "wall", "type": "fixed", "parent": "world", "child": "rod"}],
    }
    model = gough.build(loads(json.dumps(beam)))
    np.testing.assert_allclose(model.size, 1e-4 / np.sqrt(3), rtol=0.05)
    first = 1.875104068711961**2 * np.sqrt(160e9 * 1e-12 / 12 / (2330 * 1e-16)) / (2 * np.pi)
    np.testing.assert_allclose(gough.natural_frequencies(model).frequencies_hz[0], first, rtol=1e-3)
    assert np.isfinite(gough.static_equilibrium(model).q).all()
