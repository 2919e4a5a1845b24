"""Briot, Khalil 2014: recursive model of a parallel robot with flexible legs, eqs. (5)-(24).

The paper's letters; SI. Twists (linear, angular); leg quantities in link frames ij, the platform's in world axes; ᶦʲṫ is
the acceleration vector in frame ij, not the rate of components. Bodies: `body`.

An element's frame is placed in its antecedent (a constant pose, at a point where the antecedent's shapes are known if it
is flexible), then turned about or slid along its own z axis. A planar robot uses three rows of each closure and three
platform freedoms.
"""

from dataclasses import dataclass, field
from math import factorial

import numpy as np

from papers.briot2014.body import ALL_ON, body_model
from papers.shape_integrals import Integrals
from papers.vectors import rotation_z, skew

TERMS = 20
Z = np.array([0.0, 0.0, 1.0])
AXES = {"revolute": np.r_[0, 0, 0, Z], "prismatic": np.r_[Z, 0, 0, 0], "fixed": np.zeros(6)}


@dataclass(frozen=True)
class Element:
    """Link ij. before: index of its antecedent (-1: base). Phi_d, Phi_r (3, N): of the antecedent where it is attached.

    joint, elastic: positions of its coordinates in q_t (-1 for a fixed joint).
    """

    before: int
    kind: str
    place_R: np.ndarray
    place_p: np.ndarray
    body: Integrals
    joint: int = -1
    elastic: tuple[int, ...] = ()
    Phi_d: np.ndarray | None = None
    Phi_r: np.ndarray | None = None


@dataclass(frozen=True)
class Robot:
    """Elements in any order that has antecedents first, and how they are closed.

    ends: last element of each leg, fixed to the platform at p_i (platform axes). bent: the flexible element il of each leg
    whose coordinates are q_t^f. rows, columns: of closures and of platform and tip motions that count. F_v, F_s: of q_t.
    """

    elements: tuple[Element, ...]
    ends: tuple[int, ...]
    points: np.ndarray
    bent: tuple[int, ...]
    actuated: tuple[int, ...]
    platform: Integrals
    g: np.ndarray
    F_v: np.ndarray
    F_s: np.ndarray
    rows: tuple[int, ...] = tuple(range(6))
    freedoms: np.ndarray = field(default_factory=lambda: np.eye(6))

    @property
    def size(self):
        """Number of entries of q_t."""
        return sum((e.joint >= 0) + len(e.elastic) for e in self.elements)


@dataclass(frozen=True)
class State:
    """q_t, q̇_t; the platform's rotation (to the world) and twist (6,) in world axes."""

    q: np.ndarray
    dq: np.ndarray
    R_p: np.ndarray
    t_p: np.ndarray


def turn_of(theta):
    """exp of a rotation vector and the matrix from its rate to the angular velocity in the axes that stay.

    Of symbols (`counted`): about z, the one axis of a planar robot, whose rate it is.
    """
    if theta.dtype == object:
        return rotation_z(theta[2]), np.eye(3)
    S, power, R, G = skew(theta), np.eye(3), np.zeros((3, 3)), np.zeros((3, 3))
    for n in range(TERMS):
        R, G, power = R + power / factorial(n), G + power / factorial(n + 1), power @ S
    return R, G


@dataclass(frozen=True)
class Step:
    """Eqs. (12)-(21) of an element: R = ᶦʲR_i(j-1), T, Φ at A_ij in frame ij, h; the tip and ω_e's matrix, antecedent axes."""

    R: np.ndarray
    T: np.ndarray
    Phi: np.ndarray
    h: np.ndarray
    tip: np.ndarray
    offset: np.ndarray
    rate: np.ndarray


def step_of(element, antecedent, q, dq, w, on):
    """w: angular velocity of the antecedent in its axes."""
    here, position = element.place_R, element.place_p
    axis, (s, ds) = AXES[element.kind], (q[element.joint], dq[element.joint]) if element.joint >= 0 else (0.0, 0.0)
    Phi_d, Phi_r, de, turn_bias, rate = np.zeros((3, 0)), np.zeros((3, 0)), np.zeros(0), np.zeros(3), np.eye(3)
    if element.Phi_d is not None:
        columns = list(antecedent.elastic)
        Phi_d, Phi_r, e, de = element.Phi_d, element.Phi_r, q[columns], dq[columns]
        theta, dtheta = Phi_r @ e, Phi_r @ de
        turned, exact = turn_of(theta)
        here = (turned if on.exact_rotation else np.eye(3) + skew(theta)) @ here
        position = position + Phi_d @ e  # (3)
        if on.exact_rate and theta.dtype != object:
            rate = exact
            turn_bias = turn_of(theta + 1e-30j * dtheta)[1].imag @ dtheta / 1e-30
    Phi_r = rate @ Phi_r
    a_lin, a_ang = here @ axis[:3], here @ axis[3:]  # antecedent axes
    offset = a_lin * s
    r = position + offset
    R = (here @ rotation_z(s if element.kind == "revolute" else 0.0)).T
    w_e = Phi_r @ de
    w_tip = w + w_e
    carried = Phi_d - skew(offset) @ Phi_r if on.eq12_carried else Phi_d
    h_lin = np.cross(w, 2 * carried @ de + np.cross(w, r))  # (19)
    if on.eq12_carried:
        h_lin = h_lin + np.cross(turn_bias, offset) + np.cross(w_e, np.cross(w_e, offset))
    if on.eq19_prismatic:
        h_lin = h_lin + 2 * ds * np.cross(w_tip, a_lin)
    turning = a_ang if on.eq19_angular else a_ang + a_lin
    if on.eq19_frames:
        h_ang = ds * np.cross(w_tip, turning) + np.cross(w, w_e) + turn_bias
    else:
        h_ang = ds * np.cross(w_tip, R @ turning) + np.cross(w, R @ w_e) + turn_bias
    bar = np.kron(np.eye(2), R)
    T = bar @ np.block([[np.eye(3), -skew(r)], [np.zeros((3, 3)), np.eye(3)]])  # (16)
    return Step(R, T, bar @ np.vstack([carried, Phi_r]), bar @ np.concatenate([h_lin, h_ang]), position, offset, rate)


@dataclass(frozen=True)
class Chain:
    """Of every element: its step, J_t (14), g (21), twist (13), rotation and origin in the world."""

    steps: list
    J: list
    g: list
    t: list
    R: list
    origin: list


def recursion(robot, state, on=ALL_ON):
    """(12)-(22)."""
    chain, base = Chain([], [], [], [], [], []), Element(-1, "fixed", np.eye(3), np.zeros(3), robot.platform)
    for element in robot.elements:
        k, known = element.before, element.before >= 0
        t = chain.t[k] if known else np.zeros(6)
        step = step_of(element, robot.elements[k] if known else base, state.q, state.dq, t[3:], on)
        J = step.T @ (chain.J[k] if known else np.zeros((6, robot.size)))  # (14)
        if element.Phi_d is not None:
            J[:, list(robot.elements[k].elastic)] += step.Phi
        if element.joint >= 0:
            J[:, element.joint] += AXES[element.kind]
        R, origin = (chain.R[k], chain.origin[k]) if known else (np.eye(3), np.zeros(3))
        chain.steps.append(step)
        chain.J.append(J)
        chain.g.append(step.h + step.T @ (chain.g[k] if known else np.zeros(6)))  # (21)
        chain.t.append(J @ state.dq)  # (13)
        chain.origin.append(origin + R @ (step.tip + step.offset))
        chain.R.append(R @ step.R.T)
    return chain


def congruence(J, M):
    """JᵀMJ of a symmetric M: the upper triangle, mirrored."""
    whole = J.T @ (M @ J)
    return np.triu(whole) + np.triu(whole, 1).T


def tree_model(robot, state, chain, on=ALL_ON):
    """Σ JᵀMJ, Σ c* of (23), (24): matrix and bias of q_t of the virtual tree."""
    bodies = []
    for k, element in enumerate(robot.elements):
        columns = list(element.elastic)
        g = chain.R[k].T @ robot.g if on.eq68_in_link else robot.g
        bodies.append(body_model(element.body, chain.t[k], state.q[columns], state.dq[columns], g, on))
    if on.eq63_minus:
        M, c = np.zeros((robot.size, robot.size)), np.zeros(robot.size)
        for k, (element, (M_k, c_k)) in enumerate(zip(robot.elements, bodies, strict=True)):
            J = np.vstack([chain.J[k], np.eye(robot.size)[list(element.elastic)]])  # (17)
            g = np.concatenate([chain.g[k], np.zeros(len(element.elastic))])
            M, c = M + congruence(J, M_k), c + J.T @ (c_k + M_k @ g)  # (23), (24)
        return M, c
    c = joint_forces(robot, chain, bodies, np.zeros(robot.size), on)
    M = [joint_forces(robot, chain, bodies, e, on) - c for e in np.eye(robot.size)]
    return np.column_stack(M), c


def joint_forces(robot, chain, bodies, ddq, on=ALL_ON):
    """(τ_t, elastic forces) of (8) by joint forces from the ends inwards, (61)-(63), (5): not by Jacobians.

    An element holds its own Δ and what its successors ask of it at B_j; a joint gives its axis' part.
    """
    needed = []
    for k, element in enumerate(robot.elements):
        M, c = bodies[k]
        needed.append(M @ np.concatenate([chain.J[k] @ ddq + chain.g[k], ddq[list(element.elastic)]]) + c)  # (4), (20)
    out = np.zeros(robot.size)
    sign = 1 if on.eq63_minus else -1
    for k in reversed(range(len(robot.elements))):
        element, step, at_A = robot.elements[k], chain.steps[k], needed[k][:6]
        if element.joint >= 0:
            out[element.joint] = AXES[element.kind] @ at_A
        out[list(element.elastic)] = needed[k][6:]
        if element.before >= 0:
            f, m = step.R.T @ at_A[:3], step.R.T @ at_A[3:]
            m_B = m + np.cross(step.offset, f)  # at the tip B of the antecedent
            below = needed[element.before]
            below[:6] += np.concatenate([f, m_B + np.cross(step.tip, f)])  # (61), (62)
            if element.Phi_d is not None:
                below[6:] += sign * (element.Phi_d.T @ f + (step.rate @ element.Phi_r).T @ m_B)  # (63)
    return out
