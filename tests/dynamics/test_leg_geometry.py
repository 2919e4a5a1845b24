"""Closed-form leg geometry: tilted axes, offsets, all branches; judged by the reference's own closures."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads
from laws.subjects import GALLERY, built, subject
from reference.designs import description, design
from reference.energies.lagrange import Reference
from reference.energies.states import random_states

BRANCHES = list(product((0, 1), (0, 1)))


def offset_design(family: str, seed: int, size: float = 0.06) -> Any:
    """A design whose legs do not pass through the universal joint's centre: the tip is off the slider's line."""
    data = description(family, seed)
    rng = np.random.default_rng([seed, 77])
    for leg in data["legs"]:
        position = np.asarray(leg["cut"]["on_leg"]["position"]) + rng.uniform(-size, size, 3)
        leg["cut"]["on_leg"]["position"] = position.tolist()
    return loads(json.dumps(data))


@pytest.mark.parametrize("family", ["ups", "pus"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_closed_form_is_used_and_closes(family: str, seed: int) -> None:
    for robot in (design(family, seed), offset_design(family, seed)):
        model = built(robot)
        assert None not in model.geometry.kinds
        reference = Reference(robot)
        states = random_states(reference, 4, seed)
        for state in states:
            q = model.configuration(pose=state.q[:7], near=state.q)
            assert np.abs(reference.closure(q)).max() < 1e-12
            np.testing.assert_allclose(q, state.q, rtol=0, atol=1e-11)


@pytest.mark.parametrize("family", ["ups", "pus"])
@pytest.mark.parametrize("offsets", [False, True], ids=["centred", "offset"])
def test_all_branches_close_and_differ(family: str, offsets: bool) -> None:
    robot = offset_design(family, 0) if offsets else design(family, 0)
    model, reference = built(robot), Reference(robot)
    found = []
    for branch in BRANCHES:
        q = model.configuration(pose=model.home[:7], branch=branch, on_bad_state="mark")
        if np.isfinite(q).all():
            assert np.abs(reference.closure(q)).max() < 1e-12, branch
            found.append(q)
    assert len(found) >= 2
    for i, a in enumerate(found):
        for b in found[:i]:
            assert np.abs(np.exp(1j * a[7:]) - np.exp(1j * b[7:])).max() > 1e-3


@pytest.mark.parametrize("family", ["ups", "pus"])
def test_branches_per_leg(family: str) -> None:
    """One pair per leg: leg k takes the joints of its own branch."""
    model = built(design(family, 1))
    uniform = {b: model.configuration(pose=model.home[:7], branch=b) for b in BRANCHES}
    mixed = [BRANCHES[k % 4] for k in range(6)]
    q = model.configuration(pose=model.home[:7], branch=mixed)
    for k, b in enumerate(mixed):
        columns = [i for i, n in enumerate(model.layout.q_names) if n.startswith(f"leg{k}.")]
        np.testing.assert_array_equal(q[columns], uniform[b][columns])


@pytest.mark.parametrize("name", [*GALLERY, "ups-0", "pus-1", "generic-0"])
def test_home_is_the_described_assembly(name: str) -> None:
    s = subject(name)
    for joint, values in s.robot.home.joints.items():
        index = [i for i, n in enumerate(s.model.layout.q_names) if n.split("_")[0] == joint]
        turns = np.exp(1j * s.model.home[index]) - np.exp(1j * np.atleast_1d(values))
        assert np.abs(turns).max() < 1e-3, joint  # digits of the papers


def test_home_keeps_its_assembly_when_another_branch_cannot_be_reached() -> None:
    """A large offset: the carriage's other side is out of the universal joint's cone, for one leg only."""
    robot = offset_design("pus", 0, 0.4)
    truth = Reference(robot).home()  # Newton from the described joints
    model = built(robot)
    np.testing.assert_allclose(np.exp(1j * model.home[7:]), np.exp(1j * truth[7:]), rtol=0, atol=1e-9)


def test_joint_names_that_begin_alike() -> None:
    """home.joints of "hip" are not those of "hip_slide"."""
    robot = design("ups", 0)
    data = description("ups", 0)
    data["legs"][0]["chain"][1]["name"] = "hip_slide"
    data["home"]["joints"]["leg0.hip_slide"] = data["home"]["joints"].pop("leg0.slide")
    renamed = built(loads(json.dumps(data)))
    np.testing.assert_allclose(renamed.home, built(robot).home, rtol=0, atol=1e-12)


def test_out_of_reach_is_said() -> None:
    model = built(subject("lopes").robot)
    with pytest.raises(gough.BadStateError, match=r"OUT_OF_REACH at leg\d"):
        model.configuration(pose=([5.0, 0, 2.0], np.eye(3)))


@pytest.mark.parametrize("name", ["ups-0", "pus-0", "generic-0", "sliding_cuts-0", "lopes", "pedrammehr2012"])
def test_forward_geometry_inverts_inverse_geometry(name: str) -> None:
    s = subject(name)
    for state in s.states:
        middle = s.model.integrate(state.q, 0.02 * state.v)
        q = s.model.forward_geometry(s.model.drives(state.q), near=middle)
        np.testing.assert_allclose(s.model.drives(q), s.model.drives(state.q), rtol=0, atol=1e-12)
        np.testing.assert_allclose(q, state.q, rtol=0, atol=1e-9)
