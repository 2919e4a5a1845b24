"""The references of any mechanism against each other, against the older ones, and against balances."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("casadi")
pytest.importorskip("gough.robot.tree")

from reference.cuts import opposing
from reference.designs import SLIDING_CUTS, design
from reference.general_designs import GENERAL_FAMILIES, MOBILITY, design_general
from reference.general_joints import JointReactions
from reference.general_lagrange import GeneralReference
from reference.general_motion import simulate_general
from reference.general_states import GeneralState, random_general_states
from reference.general_tree import TWIST
from reference.lagrange import Reference
from reference.states import random_states

TOLERANCE = 1e-10
PEERS = ("mujoco", "pinocchio")
_FAST = ("planar", "delta", "tripod", "chain_closed")
FEW = (*_FAST, *(pytest.param(f, marks=pytest.mark.slow) for f in GENERAL_FAMILIES if f not in _FAST))


def peer(name: str, reference: GeneralReference) -> Any:
    if name == "mujoco":
        pytest.importorskip("mujoco")
        from reference.general_mujoco import GeneralMujoco

        return GeneralMujoco(reference.robot, reference.velocities)
    pytest.importorskip("pinocchio")
    from reference.general_pinocchio import GeneralPinocchio

    return GeneralPinocchio(reference.robot, reference.velocities)


@cache
def made(family: str, seed: int, telescopic: bool = False) -> GeneralReference:
    return GeneralReference(design_general(family, seed, telescopic))


def error(ours: Any, truth: Any) -> float:
    """max|difference| / max|reference|."""
    ours, truth = np.asarray(ours), np.asarray(truth)
    assert ours.shape == truth.shape
    return float(np.max(np.abs(ours - truth)) / np.max(np.abs(truth)))


def outside(difference: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """What is left of (n, 6) wrenches when the directions (n, 6, k) may be added."""
    rest, A = difference.ravel(), directions.reshape(difference.size, -1)
    return rest - A @ np.linalg.lstsq(A, rest, rcond=1e-9)[0] if A.shape[1] else rest


def assert_agree(other: Any, reference: GeneralReference, states: list[GeneralState]) -> None:
    for q, v, acceleration, wrench, tau in states:
        assert other.closure_error(q) < 1e-12
        assert error(other.mass_matrix(q), reference.mass_matrix(q)) < TOLERANCE
        assert error(other.bias(q, v), reference.bias(q, v)) < TOLERANCE
        assert error(other.drive_map(q), reference.drive_map(q)) < TOLERANCE
        needed = reference.inverse(q, v, acceleration, wrench)
        assert error(other.inverse(q, v, acceleration, wrench), needed) < TOLERANCE
        assert error(other.forward(q, v, tau, wrench), reference.forward(q, v, tau, wrench)) < TOLERANCE
        loops = reference.reactions(q, v, acceleration, needed, wrench)
        difference = other.reactions(q, v, acceleration, needed, wrench) - loops
        left = outside(difference, reference.open_reactions(q))
        assert np.max(np.abs(left)) < TOLERANCE * np.max(np.abs(loops))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("family", GENERAL_FAMILIES)
def test_peers_agree(family: str, seed: int) -> None:
    reference = made(family, seed)
    states = random_general_states(reference, 3, seed)
    for name in PEERS:
        assert_agree(peer(name, reference), reference, states)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 22))
@pytest.mark.parametrize("family", GENERAL_FAMILIES)
def test_peers_agree_on_many_designs(family: str, seed: int) -> None:
    reference = GeneralReference(design_general(family, seed))
    states = random_general_states(reference, 4, seed)
    for name in PEERS:
        assert_agree(peer(name, reference), reference, states)


@pytest.mark.parametrize("family", GENERAL_FAMILIES)
def test_designs_close_at_home_with_their_mobility(family: str) -> None:
    for seed in range(2):
        reference = made(family, seed)
        q = reference.home()
        assert np.max(np.abs(reference.closure(q))) < 1e-13
        assert reference.mobility(q) == len(reference.velocities) == MOBILITY[family]
        assert reference.condition(q) < 300


@pytest.mark.parametrize("family", ["planar", "five_bar", "four_bar_chain", "redundant"])
def test_planar_designs_have_redundant_closures(family: str) -> None:
    reference = made(family, 0)
    assert reference.idle(reference.home()).shape[1] >= 3
    assert not reference.determined(reference.home()).any()


@pytest.mark.parametrize(
    "family", ["ups", "generic", *(pytest.param(f, marks=pytest.mark.slow) for f in ("pus", SLIDING_CUTS))]
)
def test_agrees_with_the_reference_of_legs_and_platform(family: str) -> None:
    robot = design(family, 1, springs=True, telescopic=True)
    old, new = Reference(robot), GeneralReference(robot)
    assert new.velocities == TWIST
    for q, v, acceleration, wrench, tau in random_states(robot, 2, 0, old):
        assert new.mobility(q) == 6
        assert error(new.rates(q, v), old.rates(q, v)) < TOLERANCE
        assert error(new.mass_matrix(q), old.mass_matrix(q)) < TOLERANCE
        assert error(new.bias(q, v), old.bias(q, v)) < TOLERANCE
        assert error(new.drive_map(q), old.drive_map(q)) < TOLERANCE
        needed = old.inverse(q, v, acceleration, wrench)
        assert error(new.inverse(q, v, acceleration, wrench), needed) < TOLERANCE
        assert error(new.forward(q, v, tau, wrench), old.forward(q, v, tau, wrench)) < TOLERANCE
        assert error(new.energies(q, v), old.energies(q, v)) < TOLERANCE
        assert new.dissipation(q, v) == pytest.approx(old.dissipation(q, v), rel=TOLERANCE)
        arguments = (q, v, acceleration, needed, wrench)
        assert error(new.reactions(*arguments), old.reactions(*arguments)) < TOLERANCE


@pytest.mark.parametrize("family", FEW)
def test_power_balance(family: str) -> None:
    """Energy gained = work of drives and wrench - energy lost, with telescopic bodies, springs and friction."""
    reference = made(family, 1, True)
    q, v, _, wrench, tau = random_general_states(reference, 1, 5)[0]
    end = simulate_general(reference, q, v, tau, wrench, step=1e-4, steps=15)
    gained = sum(reference.energies(end.q, end.v)) - sum(reference.energies(q, v))
    assert end.lost > 1e-4 * abs(end.work)
    assert abs(gained - end.work + end.lost) < 1e-8 * max(abs(end.work), abs(gained))


@pytest.mark.parametrize("family", FEW)
def test_the_choice_of_velocities_does_not_matter(family: str) -> None:
    """The same motion and forces in two sets of velocities; kinetic energy is that of the mass matrix."""
    reference = made(family, 0)
    q, v, acceleration, wrench, tau = random_general_states(reference, 1, 2)[0]
    xd, xdd = reference.rates(q, v), reference.accelerations(q, v, acceleration)
    assert reference.energies(q, v)[0] == pytest.approx(v @ reference.mass_matrix(q) @ v / 2, rel=1e-11)
    other = GeneralReference(reference.robot, "drives")
    u = other.terms(q, None).E @ xd
    assert error(other.rates(q, u), xd) < 1e-9
    du = other.terms(q, u).E @ xdd + other.terms(q, u).e0
    assert error(other.inverse(q, u, du, wrench), reference.inverse(q, v, acceleration, wrench)) < 1e-9
    vdot = reference.forward(q, v, tau, wrench)
    udot = other.forward(q, u, tau, wrench)
    assert error(other.accelerations(q, u, udot), reference.accelerations(q, v, vdot)) < 1e-9


def test_redundant_drives_share_by_weight() -> None:
    """No change of the drive forces that moves nothing lowers the weighted sum of squares."""
    reference = made("redundant", 0)
    q, v, acceleration, wrench, _ = random_general_states(reference, 1, 1)[0]
    tau, S = reference.inverse(q, v, acceleration, wrench), reference.drive_map(q)
    idle = np.linalg.svd(S)[2][len(S) :]
    assert len(idle) == 1 and np.ptp(reference.weights) > 0
    assert np.max(np.abs(idle @ (reference.weights * tau))) < 1e-10 * np.max(np.abs(tau))
    assert error(reference.forward(q, v, tau, wrench), acceleration) < 1e-9


@pytest.mark.parametrize("family", FEW)
def test_joint_reactions_hold_what_acts_in_the_joint(family: str) -> None:
    """About or along a joint's own axis the transmitted wrench is drive, friction and spring, less the rotor's."""
    reference = made(family, 1)
    joints = JointReactions(reference)
    q, v, acceleration, wrench, _ = random_general_states(reference, 1, 3)[0]
    tau = reference.inverse(q, v, acceleration, wrench)
    W = joints.wrenches(q, v, acceleration, tau, wrench)
    xd, xdd = reference.rates(q, v), reference.accelerations(q, v, acceleration)
    drives = dict(zip((p.placed.name for p in reference.layout.drives), tau, strict=True))
    for row, free, p in zip(W, joints.open_wrenches(q), reference.layout.places, strict=True):
        joint, rate = p.joint, xd[p.x]
        if joint.type not in ("revolute", "prismatic"):
            continue
        part = slice(3, 6) if joint.type == "revolute" else slice(0, 3)
        axis = np.asarray(joint.axis)
        acting = opposing(joint.friction, rate, together=False)[0]
        if joint.drive is not None:
            rotor = joint.drive.gear**2 * joint.drive.rotor_inertia * xdd[p.x][0]
            acting += opposing(joint.drive, rate, together=False)[0] + drives[p.placed.name] - rotor
        if joint.spring is not None:
            k = joint.spring
            acting += k.preload - k.damping * rate[0] - k.stiffness * (q[p.q][0] - k.rest)
        assert abs(axis @ row[part] - acting) < 1e-10 * np.max(np.abs(W))
        assert np.max(np.abs(axis @ free[part]), initial=0.0) < 1e-9


def test_assembly_keeps_what_it_is_told_and_says_when_it_cannot() -> None:
    reference = made("delta", 0)
    q = random_general_states(reference, 1, 0)[0].q
    away = q.copy()
    away[7:] += 0.05 * np.sin(np.arange(len(q) - 7))
    found = reference.assemble(away, fixed=["pose"])
    np.testing.assert_array_equal(found[:3], away[:3])
    np.testing.assert_allclose(found, q, atol=1e-11)
    far = q.copy()
    far[2] -= 5.0
    with pytest.raises(ValueError, match="not assembled"):
        reference.assemble(far, fixed=["pose"])


def test_velocities_that_are_not_free_are_refused() -> None:
    robot = made("delta", 0).robot
    q = made("delta", 0).home()
    with pytest.raises(ValueError, match="do not fix the motion"):
        GeneralReference(robot, ["vx", "vy"]).tangent(q)
    with pytest.raises(ValueError, match="velocities"):
        GeneralReference(robot, ["vx", "vy", "vz", "wx"]).tangent(q)
