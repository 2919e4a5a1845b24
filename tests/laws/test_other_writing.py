"""The same physics when the robot is written in the other form, when a loop is cut elsewhere, and with other v."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from laws.mechanisms import mechanism, relative
from laws.rewriting import cut_elsewhere, opened_coordinate, read, second_form
from laws.subjects import built, subject

SLOW = pytest.mark.slow


def assert_same(ours: gough.Model, other: gough.Model, q: Any, q_other: Any, state: Any) -> None:
    """Equal mass matrix, bias, drive map, inverse and forward dynamics in the same v."""
    assert ours.layout.v_names == other.layout.v_names
    _, v, acceleration, wrench, tau = state
    if not ours.mechanism.has_platform:
        wrench = None
    pairs = [
        (ours.mass_matrix(q), other.mass_matrix(q_other)),
        (ours.bias_force(q, v), other.bias_force(q_other, v)),
        (ours.drive_map(q), other.drive_map(q_other)),
        (ours.forward_dynamics(q, v, tau, wrench).vdot, other.forward_dynamics(q_other, v, tau, wrench).vdot),
        (ours.energies(q, v).losses, other.energies(q_other, v).losses),
    ]
    if len(ours.mechanism.drives) >= ours.layout.nv:
        solved = [m.inverse_dynamics(x, v, acceleration, wrench).tau for m, x in ((ours, q), (other, q_other))]
        pairs.append((solved[0], solved[1]))
    for one, two in pairs:
        assert relative(two, one) < 1e-10


@pytest.mark.quick_cases("lopes", "tripod-0")
@pytest.mark.parametrize(
    "name",
    [
        "lopes",
        "delta-0",
        "tripod-0",
        *(pytest.param(n, marks=SLOW) for n in ("ups-0", "generic-0", "planar-0", "inner_loop-0")),
    ],
)
def test_written_in_the_other_form(name: str) -> None:
    s = subject(name) if name in ("lopes", "ups-0", "generic-0") else mechanism(name)
    data = second_form(s.robot)
    other = built(read(data), velocities=list(s.model.layout.v_names))
    for state in s.states[:2]:
        assert_same(s.model, other, state.q, state.q, state)


def recut(name: str, loop: str, joint: str) -> None:
    s = mechanism(name)
    data = second_form(s.robot)
    names = [n if n in ("vx", "vy", "vz", "wx", "wy", "wz") else n.replace(".", "_") for n in s.model.layout.v_names]
    ours = built(read(data), velocities=names)
    changed = cut_elsewhere(data, loop, joint)
    other = built(read(changed), velocities=names)
    for state in s.states[:2]:
        poses = {k.replace(".", "_"): X for k, X in s.reference.body_poses(state.q).items()}
        if ours.mechanism.has_platform:
            position, rotation = ours.frame_pose(state.q, ours.mechanism.platform.name)
            poses[ours.mechanism.platform.name] = np.block([[rotation, position[:, None]], [np.zeros((1, 3)), 1.0]])
        q = other.home.copy()
        for k, label in enumerate(other.layout.q_names):
            if label in ours.layout.q_names:
                q[k] = state.q[ours.layout.q_names.index(label)]
        new = [k for k, label in enumerate(other.layout.q_names) if label.startswith("turned")]
        q[new] = opened_coordinate(data, loop, poses)
        assert other.closure_error(q) < 1e-10
        assert_same(ours, other, state.q, q, state)


@pytest.mark.quick_cases("five_bar-0")
@pytest.mark.parametrize(
    "name",
    [
        "five_bar-0",
        "delta-0",
        *(pytest.param(n, marks=SLOW) for n in ("planar-0", "four_bar_chain-0", "chain_closed-0")),
    ],
)
def test_cut_elsewhere(name: str) -> None:
    """The first loop that is a hinge or a ball, cut at the passive joint that carries its first body instead."""
    data = second_form(mechanism(name).robot)
    choices = [
        (x["name"], j["name"])
        for x in data["loops"]
        for j in data["joints"]
        if x["type"] in ("revolute", "spherical")
        and j["child"] == x["first"]["body"]
        and "drive" not in j
        and "spring" not in j
        and j["type"] in ("revolute", "universal", "spherical")
        and not any(other["parent"] == j["child"] for other in data["joints"])
    ]
    assert choices
    recut(name, *choices[0])


@pytest.mark.quick_cases("three_rrr")
@pytest.mark.parametrize(
    "name",
    [
        "three_rrr",
        "delta-0",
        *(pytest.param(n, marks=SLOW) for n in ("planar-0", "tripod-0", "delta", "inner_loop-0", "ankle")),
    ],
)
def test_other_velocities(name: str) -> None:
    """v = drives instead of the platform's twist: the same motion needs the same forces and the other way round."""
    s = mechanism(name)
    ours, other = s.model, built(s.robot, velocities="drives")
    drives = [ours.mechanism.links[d.link].u for d in ours.mechanism.drives]
    assert set(other.mechanism.selection.independent) == set(drives)
    index = [drives.index(c) for c in other.mechanism.selection.independent]

    def motion(q: Any, v: Any, acceleration: Any) -> tuple[np.ndarray, np.ndarray]:
        out = ours.function("joint_motion")(q=q, v=v, vdot=acceleration, parameters=ours.parameters).outputs
        return out["u"][drives][index], out["ud"][drives][index]

    for state in s.states:
        q, v, acceleration, wrench, tau = state
        rates, seconds = motion(q, v, acceleration)
        needed = ours.inverse_dynamics(q, v, acceleration, wrench).tau
        assert relative(other.inverse_dynamics(q, rates, seconds, wrench).tau, needed) < 1e-10
        vdot = ours.forward_dynamics(q, v, tau, wrench).vdot
        found = other.forward_dynamics(q, rates, tau, wrench).vdot
        assert relative(found, motion(q, v, vdot)[1]) < 1e-9
        assert relative(other.configuration_rate(q, rates), ours.configuration_rate(q, v)) < 1e-10
        assert relative(other.energies(q, rates).kinetic, ours.energies(q, v).kinetic) < 1e-10
