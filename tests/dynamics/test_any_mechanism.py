"""All terms of any mechanism against energies with automatic differentiation, MuJoCo and Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from laws.mechanisms import ALL, FEW, MANY, MechanismSubject, mechanism, relative
from reference.energies.couplings import relations
from reference.energies.joint_reactions import JointReactions
from reference.peers.mujoco import MujocoPeer
from reference.peers.pinocchio import PinocchioPeer

PEER_TOLERANCE = 1e-10


def compare_terms(s: MechanismSubject, truth: Any, tolerance: Any) -> None:
    m = s.model
    for x in s.states:
        q, v, acceleration, wrench, tau = x
        accepted = tolerance(x)
        assert relative(m.mass_matrix(q), truth.mass_matrix(q)) < accepted
        assert relative(m.bias_force(q, v), truth.bias(q, v)) < 10 * accepted
        assert relative(m.drive_map(q), truth.drive_map(q)) < accepted
        assert relative(m.forward_dynamics(q, v, tau, wrench).vdot, truth.forward(q, v, tau, wrench)) < 10 * accepted
        if s.driven:
            ours, n = m.inverse_dynamics(q, v, acceleration[: m.mobility], wrench), m.mobility
            assert relative(ours.tau, truth.inverse(q, v, acceleration, wrench)) < 10 * accepted
            assert relative(ours.idle_acceleration, acceleration[n:]) < 10 * accepted


def compare_motion(s: MechanismSubject) -> None:
    m, r = s.model, s.reference
    for x in s.states:
        q, v, acceleration, _, _ = x
        accepted = 10 * s.tolerance(x)
        assert m.closure_error(q) < 1e-11
        assert relative(m.configuration_rate(q, v), r.configuration_rates(q, v)) < accepted
        assert relative(m.drive_rates(q, v), r.drive_rates(q, v)) < accepted or not m.mechanism.drives
        moved = m.function("joint_motion")(q=q, v=v, vdot=acceleration, parameters=m.parameters).outputs
        joints = 6 if m.mechanism.has_platform else 0  # the reference's own platform rates are not a twist
        assert relative(moved["u"][joints:], r.rates(q, v)[joints:]) < accepted
        if m.mechanism.has_platform:
            assert relative(m.twist(q, v), r.twist(q, v)) < accepted
        energies, lost = m.energies(q, v), r.dissipation(q, v)
        kinetic, potential = r.energies(q, v)
        size = max(abs(kinetic), abs(potential))
        assert abs(energies.kinetic - kinetic) < accepted * size
        assert abs(energies.potential - potential) < accepted * size
        assert abs(energies.losses - lost) < accepted * max(lost, size)
        weight = np.abs(r.bias(q, np.zeros_like(v))).max()
        assert np.abs(m.gravity_force(q) - r.gravity(q)).max() < accepted * max(weight, 1.0)


def compare_reactions(s: MechanismSubject) -> None:
    """Reactions in all joints and loops; of over-constrained loops up to what no motion can tell."""
    if not s.driven:
        return
    m, r = s.model, s.reference
    joints = JointReactions(r)
    for x in s.states:
        q, v, acceleration, wrench, _ = x
        tau = m.inverse_dynamics(q, v, acceleration[: m.mobility], wrench).tau
        ours = m.joint_reactions(q, v, acceleration[: m.mobility], wrench)
        names = {name: k for k, name in enumerate(ours.joint_names)}
        order = [names[name] for name in joints.names if name in names]
        loops = r.reactions(q, v, acceleration, tau, wrench)
        tree = joints.wrenches(q, v, acceleration, tau, wrench)
        found = np.concatenate([ours.cuts[: len(loops)], ours.joints[order]])
        truth = np.concatenate([loops, tree])
        idle = np.concatenate([r.open_reactions(q), joints.open_wrenches(q)])
        assert np.abs(outside(found - truth, idle)).max() < 1e-9 * np.abs(truth).max()
        if ours.couplings.size and not m.redundant_closures:
            every = r.coupling_forces(q, v, acceleration, tau, wrench)
            first = [r.layout.x_names.index(x.first) for x in relations(s.robot, r.layout.q_names)]
            held = every[np.arange(len(every)), first]
            assert np.abs(ours.couplings - held).max() < 1e-9 * np.abs(held).max()


def outside(difference: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """What is left of (n, 6) wrenches when the directions (n, 6, k) may be added."""
    rest, A = difference.ravel(), directions.reshape(difference.size, -1)
    return rest - A @ np.linalg.lstsq(A, rest, rcond=1e-9)[0] if A.shape[1] else rest


@pytest.mark.parametrize("name", ALL)
@pytest.mark.quick_cases(
    "effects-0",
    "coupled_tree-0",
    "screws-0",
    "planar-0",
    "idle_loop-0",
    "chain_closed-0",
    "four_bar_chain",
    "three_prs",
    "andrews",
)
def test_reference(name: str) -> None:
    s = mechanism(name)
    compare_terms(s, s.reference, s.tolerance)
    compare_motion(s)


@pytest.mark.parametrize("name", FEW)
def test_reactions(name: str) -> None:
    compare_reactions(mechanism(name))


@pytest.mark.parametrize("peer", [MujocoPeer, PinocchioPeer])
@pytest.mark.parametrize(
    "name", [n for n in FEW if "screw_hexapod" not in getattr(n, "values", n)]
)  # they have no ball screws
def test_peers(name: str, peer: Any) -> None:
    s = mechanism(name)
    compare_terms(s, peer(s.robot, list(s.model.layout.v_names)), lambda _: PEER_TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_many_designs(name: str) -> None:
    s = MechanismSubject(name)
    compare_terms(s, s.reference, s.tolerance)
    compare_motion(s)
    compare_reactions(s)
    for peer in (MujocoPeer, PinocchioPeer):
        compare_terms(s, peer(s.robot, list(s.model.layout.v_names)), lambda _: PEER_TOLERANCE)
