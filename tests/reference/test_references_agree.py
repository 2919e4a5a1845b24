"""The references against each other, against balances of power and momentum, and against numbers of the papers."""

from __future__ import annotations

import json
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

pytest.importorskip("casadi")

from gough.robot import UnphysicalInertiaWarning, load, loads
from reference.designs import LEG_FAMILIES, MECHANISM_FAMILIES, description, design
from reference.designs.mechanisms import MOBILITY
from reference.energies import masses
from reference.energies.joint_reactions import JointReactions
from reference.energies.lagrange import Reference
from reference.energies.motion import simulate
from reference.energies.states import State, random_states
from reference.energies.tree import TWIST
from reference.peers.closed_tree import Unsupported, tension
from reference.peers.cuts import opposing

TOLERANCE = 1e-10
PEERS = ("mujoco", "pinocchio")
FAMILIES = (*LEG_FAMILIES, *MECHANISM_FAMILIES)
_FAST = ("planar", "delta", "tripod", "chain_closed")
_SLOW = tuple(pytest.param(f, marks=pytest.mark.slow) for f in FAMILIES if f not in (*_FAST, "generic"))
FEW = ("generic", *_FAST, *_SLOW)
POWERED = (*LEG_FAMILIES, *_FAST, *(f for f in _SLOW if f.values[0] not in LEG_FAMILIES))
PAPER_ROBOTS = ("fried", "long2014_rigid", "lopes", "lopes_simplified", "pedrammehr2012")
EXEMPT = {"fried": "telescopic inertia"}  # gallery robots that the peers refuse, and why


def peer(name: str, reference: Reference) -> Any:
    if name == "mujoco":
        pytest.importorskip("mujoco")
        from reference.peers.mujoco import MujocoPeer

        return MujocoPeer(reference.robot, reference.velocities)
    pytest.importorskip("pinocchio")
    from reference.peers.pinocchio import PinocchioPeer

    return PinocchioPeer(reference.robot, reference.velocities)


@cache
def made(family: str, seed: int, **options: Any) -> Reference:
    return Reference(design(family, seed, **options))


def described(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        return load(name)


def error(ours: Any, truth: Any) -> float:
    """max|difference| / max|reference|."""
    ours, truth = np.asarray(ours), np.asarray(truth)
    assert ours.shape == truth.shape
    return float(np.max(np.abs(ours - truth)) / np.max(np.abs(truth)))


def outside(difference: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """What is left of (n, 6) wrenches when the directions (n, 6, k) may be added."""
    rest, A = difference.ravel(), directions.reshape(difference.size, directions.shape[-1])
    return rest - A @ np.linalg.lstsq(A, rest, rcond=1e-9)[0] if A.shape[1] else rest


def assert_agree(other: Any, reference: Reference, states: list[State]) -> None:
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
        assert np.max(np.abs(left), initial=0.0) <= TOLERANCE * np.max(np.abs(loops), initial=0.0)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("family", FAMILIES)
def test_peers_agree(family: str, seed: int) -> None:
    reference = made(family, seed)
    states = random_states(reference, 3, seed)
    for name in PEERS:
        assert_agree(peer(name, reference), reference, states)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 16))
@pytest.mark.parametrize("family", FAMILIES)
def test_peers_agree_on_many_designs(family: str, seed: int) -> None:
    reference = Reference(design(family, seed))
    states = random_states(reference, 5, seed)
    for name in PEERS:
        assert_agree(peer(name, reference), reference, states)


@pytest.mark.parametrize("name", PAPER_ROBOTS)
def test_peers_agree_on_the_gallery(name: str) -> None:
    reference = Reference(described(name))
    states = random_states(reference, 3, 0)
    for kind in PEERS:
        if name in EXEMPT:
            with pytest.raises(Unsupported, match=EXEMPT[name]):
                peer(kind, reference)
        else:
            assert_agree(peer(kind, reference), reference, states)


@pytest.mark.parametrize("family", FAMILIES)
def test_designs_close_at_home_with_their_mobility(family: str) -> None:
    for seed in range(2):
        reference = made(family, seed)
        q = reference.home()
        assert np.max(np.abs(reference.closure(q))) < 1e-13
        assert reference.mobility(q) == len(reference.velocities) == MOBILITY.get(family, 6)
        assert reference.condition(q) < 300
        if family in LEG_FAMILIES:
            assert reference.velocities == TWIST


@pytest.mark.parametrize("family", ["planar", "five_bar", "four_bar_chain", "redundant"])
def test_planar_designs_have_redundant_closures(family: str) -> None:
    reference = made(family, 0)
    assert reference.idle(reference.home()).shape[1] >= 3
    assert not reference.determined(reference.home()).any()


@pytest.mark.quick_cases("ups", "planar", "tripod", "chain_closed")
@pytest.mark.parametrize("family", POWERED)
def test_power_balance(family: str) -> None:
    """Energy gained = work of drives and wrench - energy lost, with telescopic bodies, springs and friction."""
    legs = family in LEG_FAMILIES
    reference = made(family, 3, springs=True, telescopic=True) if legs else made(family, 1, telescopic=True)
    q, v, _, wrench, tau = random_states(reference, 1, 5)[0]
    end = simulate(reference, q, v, tau, wrench, step=1e-4, steps=15)
    gained = sum(reference.energies(end.q, end.v)) - sum(reference.energies(q, v))
    assert end.lost > (1e-3 if legs else 1e-4) * abs(end.work)
    assert abs(gained - end.work + end.lost) < (1e-9 if legs else 1e-8) * max(abs(end.work), abs(gained))


@pytest.mark.parametrize(
    "family", [LEG_FAMILIES[0], *(pytest.param(f, marks=pytest.mark.slow) for f in LEG_FAMILIES[1:])]
)
def test_telescopic_mass_matrix_is_that_of_frozen_bodies(family: str) -> None:
    """At one configuration a telescopic body has the mass matrix of a body with that tensor (peers: no telescopic)."""
    robot = design(family, 4, telescopic=True)
    reference = Reference(robot)
    q = random_states(reference, 1, 0)[0].q
    frozen = description(family, 4, telescopic=True)
    changed = 0
    for place in reference.layout.places:
        body = place.joint.body
        if body.telescopic is None:
            continue
        leg = frozen["legs"][place.leg]
        data = next(j["body"] for j in leg["chain"] if j["name"] == place.joint.name)
        mover = next(p for p in reference.layout.places if p.leg == place.leg and p.joint.name == body.telescopic.joint)
        data.pop("telescopic")
        tensor = np.tensordot(q[mover.q][0] ** np.arange(3), body.telescopic.coefficients(), 1)
        target = data["parameters"] if "parameters" in data else data.setdefault("inertia", {"about": "center_of_mass"})
        for key, ij in {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}.items():
            key = key.upper() if "parameters" in data else key
            target[key] = target.get(key, 0.0) + float(tensor[ij])
        changed += 1
    assert changed >= 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        plain = loads(json.dumps(frozen))
    for name in PEERS:
        assert error(peer(name, Reference(plain)).mass_matrix(q), reference.mass_matrix(q)) < TOLERANCE


@pytest.mark.parametrize("family", LEG_FAMILIES)
def test_reactions_balance_the_platform(family: str) -> None:
    """Forces and moments of the legs, gravity and wrench give the platform's own momentum rates (Newton, Euler)."""
    robot = design(family, 6, springs=False)
    reference = Reference(robot)
    for q, v, acceleration, wrench, _ in random_states(reference, 2, 1):
        tau = reference.inverse(q, v, acceleration, wrench)
        legs = reference.reactions(q, v, acceleration, tau, wrench)
        arms = reference.loop_points(q) - q[:3]
        force = legs[:, :3].sum(0) + wrench[:3]
        moment = legs[:, 3:].sum(0) + np.cross(arms, legs[:, :3]).sum(0) + wrench[3:]
        m, c, I = masses.center_form(masses.pseudo_inertia(robot.platform.body))
        R = rotation(q[3:7])
        c, I, w, alpha = R @ c, R @ I @ R.T, v[3:], acceleration[3:]
        pull = m * (acceleration[:3] + np.cross(alpha, c) + np.cross(w, np.cross(w, c)) - robot.gravity)
        np.testing.assert_allclose(force, pull, rtol=0, atol=1e-9 * np.abs(legs).max())
        euler = I @ alpha + np.cross(w, I @ w) + np.cross(c, pull)
        np.testing.assert_allclose(moment, euler, rtol=0, atol=1e-9 * np.abs(legs).max())


def rotation(h: np.ndarray) -> np.ndarray:
    w, x, y, z = h
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


@pytest.mark.parametrize("name", PAPER_ROBOTS)
def test_masses_are_read_as_the_library_reads_them(name: str) -> None:
    """The references' own reading of masses, tensors and payloads against the description's ten parameters."""
    for robot in (described(name), design("generic", len(name))):
        for body in [robot.platform.body, *(joint.body for leg in robot.legs for joint in leg.chain)]:
            P = masses.pseudo_inertia(body)
            tensor = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
            ten = [P[3, 3], *P[:3, 3], *tensor[0], *tensor[1, 1:], tensor[2, 2]]
            np.testing.assert_allclose(body.ten_parameters(), ten, rtol=1e-12, atol=1e-14 * np.abs(ten).max())


def test_kinetic_energy_is_that_of_the_mass_matrix() -> None:
    robot = design("generic", 2, telescopic=True)
    reference = Reference(robot)
    for state in random_states(reference, 3, 0):
        kinetic = reference.energies(state.q, state.v)[0]
        assert kinetic == pytest.approx(state.v @ reference.mass_matrix(state.q) @ state.v / 2, rel=1e-12)


@pytest.mark.parametrize("family", ["ups", "pus"])
def test_designs_have_both_universal_branches(family: str) -> None:
    """Second axis along (first x leg) and against it: both assemblies of a universal joint occur."""
    signs = set()
    robot = design(family, 0)
    reference = Reference(robot)
    q = reference.home()
    assert np.max(np.abs(reference.closure(q))) < 1e-12
    for p, X in zip(reference.layout.places, reference.body_poses(q).values(), strict=True):
        if p.joint.type == "universal":
            first, second = np.asarray(p.joint.axes)
            angle = q[p.q][1]
            back = first * np.cos(angle) - np.cross(second, first) * np.sin(angle)
            n = reference.loop_points(q)[p.leg] - X[:3, 3]
            signs.add(float(np.sign((X[:3, :3] @ second) @ np.cross(X[:3, :3] @ back, n))))
    assert signs == {-1.0, 1.0}


@pytest.mark.parametrize("family", FEW)
def test_the_choice_of_velocities_does_not_matter(family: str) -> None:
    """The same motion and forces in two sets of velocities; kinetic energy is that of the mass matrix."""
    reference = made(family, 0)
    q, v, acceleration, wrench, tau = random_states(reference, 1, 2)[0]
    xd, xdd = reference.rates(q, v), reference.accelerations(q, v, acceleration)
    assert reference.energies(q, v)[0] == pytest.approx(v @ reference.mass_matrix(q) @ v / 2, rel=1e-11)
    other = Reference(reference.robot, "drives")
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
    q, v, acceleration, wrench, _ = random_states(reference, 1, 1)[0]
    tau, S = reference.inverse(q, v, acceleration, wrench), reference.drive_map(q)
    idle = np.linalg.svd(S)[2][len(S) :]
    assert len(idle) == 1 and np.ptp(reference.weights) > 0
    assert np.max(np.abs(idle @ (reference.weights * tau))) < 1e-10 * np.max(np.abs(tau))
    assert error(reference.forward(q, v, tau, wrench), acceleration) < 1e-9


@pytest.mark.parametrize("family", FEW)
def test_joint_reactions_hold_what_acts_in_the_joint(family: str) -> None:
    """About or along a joint's own axis the transmitted wrench is all that acts there, less what rotor and armature take."""
    reference = made(family, 1)
    joints = JointReactions(reference)
    q, v, acceleration, wrench, _ = random_states(reference, 1, 3)[0]
    tau = reference.inverse(q, v, acceleration, wrench)
    W = joints.wrenches(q, v, acceleration, tau, wrench)
    xd, xdd = reference.rates(q, v), reference.accelerations(q, v, acceleration)
    drives = dict(zip((p.placed.name for p in reference.layout.drives), tau, strict=True))
    coupled = reference.coupling_forces(q, v, acceleration, tau, wrench).sum(0)
    for row, free, p in zip(W, joints.open_wrenches(q), reference.layout.places, strict=True):
        joint, rate = p.joint, xd[p.x]
        if joint.type not in ("revolute", "prismatic"):
            continue
        part = slice(3, 6) if joint.type == "revolute" else slice(0, 3)
        axis = np.asarray(joint.axis)
        acting = opposing(joint.friction, rate, together=False)[0] + coupled[p.x][0] - joint.armature * xdd[p.x][0]
        if joint.drive is not None:
            rotor = joint.drive.gear**2 * joint.drive.rotor_inertia * xdd[p.x][0]
            acting += opposing(joint.drive, rate, together=False)[0] + drives[p.placed.name] - rotor
        if joint.spring is not None:
            k = joint.spring
            acting += k.preload - tension(k, q[p.q][0], rate[0], k.rest)
        assert abs(axis @ row[part] - acting) < 1e-10 * np.max(np.abs(W))
        assert np.max(np.abs(axis @ free[part]), initial=0.0) < 1e-9


def test_assembly_keeps_what_it_is_told_and_says_when_it_cannot() -> None:
    reference = made("delta", 0)
    q = random_states(reference, 1, 0)[0].q
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
        Reference(robot, ["vx", "vy"]).tangent(q)
    with pytest.raises(ValueError, match="velocities"):
        Reference(robot, ["vx", "vy", "vz", "wx"]).tangent(q)


PAPERS: dict[
    str, tuple[list[float], float]
] = {  # static drive forces at home, from PAPERS: rounding of the printed digits
    "long2014_rigid": ([-621.7, -400.3, 1950.1, -1003.5, -107.5, 1532.3], 0.05),
    "lopes": ([7.3608] * 6, 5e-5),
    "lopes_simplified": ([7.3510] * 6, 5e-5),
}


@pytest.mark.parametrize("name", PAPERS)
def test_static_forces_of_the_papers_robots(name: str) -> None:
    reference = Reference(described(name))
    forces, rounding = PAPERS[name]
    tau = reference.inverse(reference.home(), np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(tau, forces, rtol=0, atol=rounding)
