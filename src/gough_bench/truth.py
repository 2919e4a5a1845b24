"""What every answer is compared with: rigid closed loops solved in extended precision, by means no program in the table has.

Bodies' Jacobians J are written down from joint axes and positions in the world, not by recursions of forces; M = Σ Jᵀ I J and
the bias h follow from them, the rows K u = 0 and K u̇ + k = 0 from points (and, of welds, turns) that coincide. Then

    forward   M u̇ + h = S τ + Kᵀ λ,  K u̇ + k = 0
    inverse   K u̇ + k = 0 with the given v̇, then S τ + Kᵀ λ = M u̇ + h

on all coordinates of the tree, redundant rows included: solved in double precision through singular values, then refined with
residuals in the widest floating-point type there is (64 bits of mantissa on x86), so what is left is far below the rounding of
any double-precision answer. Rates u follow from v by K, so nothing but the tree's numbers, q, v and τ or v̇ is taken over.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gough import Model
from gough_bench.states import PeerStates
from gough_bench.tree import LoopClosure, PeerJoint, Tree, closures, lacking_in_trees

WIDE = np.longdouble
REFINEMENTS = 4
RANK = 1e-10
"""Singular values below this share of the largest are zero."""


def true_answers(model: Model, states: PeerStates, function: str) -> np.ndarray | None:
    """Drive forces or accelerations of v (n, k); None where the robot is more than rigid bodies and known loops."""
    if function not in ("inverse_dynamics", "forward_dynamics") or lacking_in_trees(model):
        return None
    tree = Tree(model)
    solve = _inverse if function == "inverse_dynamics" else _forward
    given = states.acceleration if function == "inverse_dynamics" else states.tau
    return np.array([solve(tree, *row) for row in zip(states.q, states.v, given, strict=True)], dtype=float)


# ---- motion of every body: a frame with its Jacobians by u, its twist and its acceleration where u̇ is zero


@dataclass
class MovingFrame:
    """R (3, 3), p (3,); J_v, J_w (3, nu) of p and of the turning; v, w and the accelerations at u̇ = 0."""

    R: np.ndarray
    p: np.ndarray
    J_v: np.ndarray
    J_w: np.ndarray
    v: np.ndarray
    w: np.ndarray
    a: np.ndarray
    alpha: np.ndarray

    def carry(self, R: np.ndarray, p: np.ndarray) -> "MovingFrame":
        """The frame (R, p) fixed on this one."""
        r = self.R @ p
        turned = np.cross(self.w, r)
        J_v = self.J_v - _cross_matrix(r) @ self.J_w
        a = self.a + np.cross(self.alpha, r) + np.cross(self.w, turned)
        return MovingFrame(self.R @ R, self.p + r, J_v, self.J_w, self.v + turned, self.w, a, self.alpha)


def _cross_matrix(r: np.ndarray) -> np.ndarray:
    x, y, z = r
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def _rotation(quaternion: np.ndarray) -> np.ndarray:
    w, x, y, z = quaternion / np.sqrt(quaternion @ quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _turn(axis: int, angle: np.ndarray) -> np.ndarray:
    R, (i, j) = np.eye(3, dtype=WIDE), ((axis + 1) % 3, (axis + 2) % 3)
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i] = np.sin(angle)
    R[i, j] = -R[j, i]
    return R


def _moved(joint: PeerJoint, on: MovingFrame, q: np.ndarray, u: np.ndarray) -> MovingFrame:
    """The joint's own frame; on: where it sits on its parent."""
    link, at = joint.link, list(joint.link.columns)
    J_v, J_w = on.J_v.copy(), on.J_w.copy()
    if joint.kind == "free":  # of the world; its rates are the twist in world axes
        J_v[:, at[:3]], J_w[:, at[3:]] = np.eye(3), np.eye(3)
        still = np.zeros(3, WIDE)
        R, p = _rotation(q[link.q + 3 : link.q + 7]), q[link.q : link.q + 3]
        return MovingFrame(R, p, J_v, J_w, u[at[:3]], u[at[3:]], still, still)
    if joint.kind == "ball":  # rates in the body's axes
        R = on.R @ _rotation(q[link.q : link.q + 4])
        J_w[:, at] += R
        spin = R @ u[at]
        return MovingFrame(R, on.p, J_v, J_w, on.v, on.w + spin, on.a, on.alpha + np.cross(on.w, spin))
    way = link.sign * on.R[:, link.axis]
    rate = way * u[at[0]]
    if joint.kind[0] == "P":
        slid = on.carry(np.eye(3), np.eye(3)[link.axis] * link.sign * q[link.q])
        slid.J_v[:, at[0]] += way
        slid.v, slid.a = slid.v + rate, slid.a + 2 * np.cross(on.w, rate)
        return slid
    J_w[:, at[0]] += way
    R = on.R @ _turn(link.axis, link.sign * q[link.q])
    return MovingFrame(R, on.p, J_v, J_w, on.v, on.w + rate, on.a, on.alpha + np.cross(on.w, rate))


def _motion(tree: Tree, q: np.ndarray, u: np.ndarray) -> list[MovingFrame]:
    """Frames of the world and of all joints."""
    zero, none = np.zeros(3, WIDE), np.zeros((3, len(u)), WIDE)
    found = [MovingFrame(np.eye(3, dtype=WIDE), zero, none, none, zero, zero, zero, zero)]
    for joint in tree.joints:
        on = found[joint.parent].carry(joint.R.astype(WIDE), joint.p.astype(WIDE))
        found.append(_moved(joint, on, q, u))
    return found


def _loop_rows(loops: Sequence[LoopClosure], moved: Sequence[MovingFrame]) -> tuple[np.ndarray, np.ndarray]:
    """K (rows, nu) and k (rows,)."""
    rows, rest = [], []
    for c in loops:
        first, second = moved[c.first].carry(c.R1, c.p1), moved[c.second].carry(c.R2, c.p2)
        rows.append(first.J_v - second.J_v)
        rest.append(first.a - second.a)
        if c.kind == "weld":
            rows.append(first.J_w - second.J_w)
            rest.append(first.alpha - second.alpha)
    return np.concatenate(rows), np.concatenate(rest)


def frames_at(tree: Tree, q: np.ndarray) -> list[MovingFrame]:
    """Frames of the world and of all joints at rest, with their Jacobians."""
    return _motion(tree, q.astype(WIDE), np.zeros(tree.model.layout.nu, WIDE))


def _inertia(tree: Tree, moved: Sequence[MovingFrame]) -> tuple[np.ndarray, np.ndarray]:
    """M (nu, nu) and h (nu,): velocity terms and gravity."""
    n = moved[0].J_v.shape[1]
    M, h = np.zeros((n, n), WIDE), np.zeros(n, WIDE)
    for joint, frame in zip(tree.joints, moved[1:], strict=True):
        at = list(joint.link.columns)
        M[at, at] += joint.rotor
        if not (joint.mass or np.any(joint.about_origin)):
            continue
        center = frame.carry(np.eye(3), joint.center.astype(WIDE))
        used = np.flatnonzero(np.any((center.J_v != 0) | (center.J_w != 0), axis=0))
        J_v, J_w = center.J_v[:, used], center.J_w[:, used]
        I = frame.R @ joint.tensor.astype(WIDE) @ frame.R.T
        force = joint.mass * (center.a - tree.gravity)
        moment = I @ frame.alpha + np.cross(frame.w, I @ frame.w)
        M[np.ix_(used, used)] += joint.mass * J_v.T @ J_v + J_w.T @ I @ J_w
        h[used] += J_v.T @ force + J_w.T @ moment
    return M, h


# ---- solving: double precision with singular values, residuals in the wide type


def _refined(solve: Callable[[np.ndarray], np.ndarray], A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x of A x = b, `solve` being an approximate (pseudo-)inverse of A in double precision."""
    x = np.zeros(A.shape[1], WIDE)
    for _ in range(REFINEMENTS):
        x = x + solve((b - A @ x).astype(float))
    return x


def _pseudo_inverse(A: np.ndarray) -> np.ndarray:
    return np.linalg.pinv(A.astype(float), rcond=RANK)


def _at_rates(tree: Tree, q: np.ndarray, v: np.ndarray) -> tuple[list[MovingFrame], np.ndarray, np.ndarray, np.ndarray]:
    """(motion, K, k, u) of a state: the tree's rates follow from v through the loops."""
    model, q = tree.model, q.astype(WIDE)
    independent = list(model.mechanism.selection.independent)
    loops = closures(tree)
    u = np.zeros(model.layout.nu, WIDE)
    K, _ = _loop_rows(loops, _motion(tree, q, u))
    u = _completed(K, np.zeros(len(K), WIDE), independent, v.astype(WIDE))
    moved = _motion(tree, q, u)
    return moved, *_loop_rows(loops, moved), u


def _completed(K: np.ndarray, k: np.ndarray, independent: Sequence[int], given: np.ndarray) -> np.ndarray:
    """x of K x + k = 0 with x[independent] = given."""
    rest = [i for i in range(K.shape[1]) if i not in set(independent)]
    inverse = _pseudo_inverse(K[:, rest])
    x = np.zeros(K.shape[1], WIDE)
    x[list(independent)] = given
    x[rest] = _refined(lambda b: inverse @ b, K[:, rest], -k - K[:, list(independent)] @ given)
    return x


def _drives(tree: Tree) -> np.ndarray:
    """S (nu, drives)."""
    mechanism = tree.model.mechanism
    S = np.zeros((tree.model.layout.nu, len(mechanism.drives)))
    for k, drive in enumerate(mechanism.drives):
        S[mechanism.links[drive.link].u, k] = 1.0
    return S


def _inverse(tree: Tree, q: np.ndarray, v: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    moved, K, k, _ = _at_rates(tree, q, v)
    second = _completed(K, k, tree.model.mechanism.selection.independent, acceleration.astype(WIDE))
    M, h = _inertia(tree, moved)
    S = _drives(tree)
    A = np.concatenate([S.astype(WIDE), K.T], axis=1)
    inverse = _pseudo_inverse(A)
    return _refined(lambda b: inverse @ b, A, M @ second + h)[: S.shape[1]]


def _forward(tree: Tree, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
    moved, K, k, _ = _at_rates(tree, q, v)
    M, h = _inertia(tree, moved)
    n, rows = len(M), len(K)
    U, s, Vt = np.linalg.svd(K.astype(float))
    rank = int(np.sum(s > RANK * s[0]))
    back = (Vt[:rank].T / s[:rank]) @ U[:, :rank].T  # pseudo-inverse of K
    free, mass = Vt[rank:].T, M.astype(float)
    reduced = np.linalg.inv(free.T @ mass @ free)

    def solve(b: np.ndarray) -> np.ndarray:
        along = back @ b[n:]
        along = along + free @ (reduced @ (free.T @ (b[:n] - mass @ along)))
        return np.concatenate([along, back.T @ (b[:n] - mass @ along)])

    A = np.block([[M, K.T], [K, np.zeros((rows, rows), WIDE)]])
    x = _refined(solve, A, np.concatenate([_drives(tree) @ tau - h, -k]))
    return x[list(tree.model.mechanism.selection.independent)]
