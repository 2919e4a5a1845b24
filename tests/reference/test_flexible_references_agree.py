"""The reference of flexible bodies against rigid mechanisms that are the same, sums over points, and balances."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

pytest.importorskip("casadi")

import casadi as ca

from reference.designs import design
from reference.designs.drawing import quaternion_matrix
from reference.designs.flexible import Stiffened, design_flexible
from reference.designs.parts import sliding_pair
from reference.energies import masses
from reference.energies.lagrange import Reference
from reference.energies.motion import simulate
from reference.energies.states import random_states
from reference.flexible.lagrange import FlexibleReference
from reference.flexible.states import random_flexible_states
from reference.flexible.tree import rotation_of

TOLERANCE = 1e-10
STENCIL = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
"""Weights of a first derivative, good to the fourth order of the step."""


@cache
def made(name: str, stiffened: Stiffened) -> FlexibleReference:
    return FlexibleReference(design_flexible(name, stiffened))


def error(ours: Any, truth: Any) -> float:
    """max|difference| / max|reference|."""
    ours, truth = np.asarray(ours), np.asarray(truth)
    assert ours.shape == truth.shape
    return float(np.max(np.abs(ours - truth)) / np.max(np.abs(truth)))


@pytest.mark.parametrize("family", ["five_bar", "delta", "tripod"])
def test_rigid_robots_have_the_same_numbers(family: str) -> None:
    rigid = Reference(design(family, 0))
    ours = FlexibleReference(rigid.robot)
    assert ours.velocities == rigid.velocities
    for q, v, _, wrench, tau in random_states(rigid, 2, 0):
        np.testing.assert_array_equal(ours.mass_matrix(q), rigid.mass_matrix(q))
        np.testing.assert_array_equal(ours.bias(q, v), rigid.bias(q, v))
        np.testing.assert_array_equal(ours.drive_map(q), rigid.drive_map(q))
        np.testing.assert_array_equal(ours.forward(q, v, tau, wrench), rigid.forward(q, v, tau, wrench))
        np.testing.assert_array_equal(ours.energies(q, v), rigid.energies(q, v))


@pytest.mark.parametrize("peer", ["reference", "mujoco", "pinocchio"])
@pytest.mark.parametrize("seed", range(2))
def test_parts_on_springs_are_parts_on_joints(seed: int, peer: str) -> None:
    pair = sliding_pair(seed)
    rigid = Reference(pair.jointed, ["arm", "finger", "hand", *pair.renamed])
    ours = FlexibleReference(pair.flexible, [pair.renamed.get(n, n) for n in rigid.velocities])
    truth: Any = rigid
    if peer == "mujoco":
        pytest.importorskip("mujoco")
        from reference.peers.mujoco import MujocoPeer as Peer

        truth = Peer(pair.jointed, rigid.velocities)
    elif peer == "pinocchio":
        pytest.importorskip("pinocchio")
        from reference.peers.pinocchio import PinocchioPeer as Peer

        truth = Peer(pair.jointed, rigid.velocities)
    order = [rigid.layout.q_names.index({b: a for a, b in pair.renamed.items()}.get(n, n)) for n in ours.layout.q_names]
    for x in random_states(rigid, 2, seed):
        q, p = x.q, x.q[order]
        loads = {name: x.wrench[next(iter(x.wrench))] for name in pair.frames}
        ours_loads = {pair.frames[name]: w for name, w in loads.items()}
        assert error(ours.mass_matrix(p), truth.mass_matrix(q)) < TOLERANCE
        assert error(ours.bias(p, x.v), truth.bias(q, x.v)) < TOLERANCE
        assert error(ours.forward(p, x.v, x.tau, ours_loads), truth.forward(q, x.v, x.tau, loads)) < TOLERANCE
        if peer == "reference":
            assert error(ours.energies(p, x.v), truth.energies(q, x.v)) < TOLERANCE
            assert ours.dissipation(p, x.v) == pytest.approx(truth.dissipation(q, x.v), rel=TOLERANCE)


def test_the_series_of_a_rotation() -> None:
    w = ca.SX.sym("w", 3)
    R = ca.Function("R", [w], [rotation_of(w), ca.jacobian(rotation_of(w), w)])
    for angle in (0.3, 1.0, 2.0):
        vector = angle * np.array([2.0, -1.0, 2.0]) / 3
        np.testing.assert_allclose(np.array(R(vector)[0]), Rotation.from_rotvec(vector).as_matrix(), atol=1e-15)
    np.testing.assert_array_equal(np.array(R(np.zeros(3))[0]), np.eye(3))
    turn = np.array(R(np.zeros(3))[1]).reshape(3, 3, 3, order="F")
    np.testing.assert_allclose(turn, -np.cross(np.eye(3)[:, None], np.eye(3)[None]).transpose(0, 1, 2), atol=1e-15)


def _poses(reference: FlexibleReference, q: np.ndarray) -> dict[str, np.ndarray]:
    poses = reference.body_poses(q)
    name = reference.layout.platform
    if name is not None and name not in poses:
        poses[name] = np.eye(4)
        poses[name][:3, :3], poses[name][:3, 3] = quaternion_matrix(q[3:7]), q[:3]
    return poses


def _places(reference: FlexibleReference, q: np.ndarray) -> dict[str, np.ndarray]:
    """(3, g, 3) of the mass points of every flexible body, one by one as they are defined: without deformation, with that of
    first order, and what the second order adds."""
    out = {}
    poses = _poses(reference, q)
    for name, data in reference.tree.flexible.items():
        R, p = poses[name][:3, :3], poses[name][:3, 3]
        e = q[reference.tree.layout.elastic[name][0]]
        z = np.zeros_like(data.position) if data.second is None else data.second @ e @ e / 2
        out[name] = np.array([data.position @ R.T + p, (data.position + data.shape @ e) @ R.T + p, z @ R.T])
    return out


@pytest.mark.quick_cases("arm-rigid_motion", "arm-True", "tripod-False")
@pytest.mark.parametrize("stiffened", [False, True, "rigid_motion"])
@pytest.mark.parametrize("name", ["arm", "tripod"])
def test_energies_are_sums_over_points(name: str, stiffened: Stiffened) -> None:
    """Kinetic energy and the power of gravity from positions of single points, differentiated by differences."""
    reference = made(name, stiffened)
    robot, step = reference.robot, 2e-3
    for q, v, *_ in random_flexible_states(reference, 1, 3):
        xd = reference.rates(q, v)
        moved = {k: reference.layout.retract(q, k * step * xd) for k in STENCIL}
        places = {k: _places(reference, moved[k]) for k in STENCIL}
        T, power = 0.0, 0.0
        for body, data in reference.tree.flexible.items():
            y0, y, z = np.sum([w * places[k][body] for k, w in STENCIL.items()], axis=0) / step
            squares = y * y + 2 * y0 * z if stiffened == "rigid_motion" else (y + z) ** 2
            T += np.sum(data.mass * np.sum(squares, 1)) / 2
            power -= data.mass @ (y + z) @ robot.gravity
        for p in reference.layout.places:
            if p.placed.body.flexible is None:
                poses = [w * _poses(reference, moved[k])[p.placed.body_name] for k, w in STENCIL.items()]
                X = np.sum(poses, axis=0) / step
                P = masses.pseudo_inertia(p.placed.body)
                T += np.trace(X @ P @ X.T) / 2
                power -= X[:3] @ P[:, 3] @ robot.gravity
            if p.joint.drive is not None:
                T += p.joint.drive.gear**2 * p.joint.drive.rotor_inertia * np.sum(xd[p.x] ** 2) / 2
        assert reference.energies(q, v)[0] == pytest.approx(T, rel=1e-8)
        assert v @ reference.gravity(q) == pytest.approx(power, rel=1e-7)


@pytest.mark.parametrize("name", ["arm", "inner_loop", pytest.param("five_bar", marks=pytest.mark.slow)])
def test_power_balance(name: str) -> None:
    """Energy gained = work of drives and wrench - energy lost."""
    reference = made(name, True)
    q, v, _, tau = random_flexible_states(reference, 1, 5)[0]
    frame = f"{next(iter(reference.tree.flexible))}.mark"
    wrench = {frame: np.array([30.0, -20, 10, 3, 2, -4])}
    end = simulate(reference, q, v, tau, wrench, step=1e-4, steps=15)
    gained = sum(reference.energies(end.q, end.v)) - sum(reference.energies(q, v))
    assert end.lost > 1e-4 * abs(end.work)
    assert abs(gained - end.work + end.lost) < 1e-8 * max(abs(end.work), abs(gained), end.lost)


def test_second_order_displacements_matter() -> None:
    """The designs feel them everywhere: in the mass matrix, the velocity terms and the weight."""
    plain, stiff = made("arm", False), made("arm", True)
    q, v, *_ = random_flexible_states(stiff, 1, 1)[0]
    for ours, other in (
        (stiff.mass_matrix(q), plain.mass_matrix(q)),
        (stiff.bias(q, v), plain.bias(q, v)),
        (stiff.gravity(q), plain.gravity(q)),
    ):
        assert error(ours, other) > 1e-4
