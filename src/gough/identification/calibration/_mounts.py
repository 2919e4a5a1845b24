"""Where the instrument stands and where its target sits: what it sees of a frame, and how unknown mounts are first found.

Seen pose  X = base · X_WF · tool. Small changes: base moves by (t, φ) in the instrument's axes, tool by (t, φ) in the frame's
axes. The error of a rotation is 2 vec of the quaternion of R_seen R_measuredᵀ, of length 2 sin(θ/2): it grows up to half a turn.
"""

from dataclasses import dataclass, replace

import numpy as np

from gough.spatial import quaternion_wxyz_from_rotation
from gough.spatial.poses import (
    quaternion_of_rotation_vector,
    quaternion_product,
    rotation_of_quaternion,
    unit_quaternions,
)

REFINEMENTS = 50


@dataclass(frozen=True)
class Mounts:
    """base, tool: poses (7,) as they stand; knows_base, knows_tool: whether they stay; turns: whether rotations are measured."""

    base: np.ndarray
    tool: np.ndarray
    knows_base: bool
    knows_tool: bool
    turns: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Of the unknown changes."""
        base = () if self.knows_base else tuple(f"base.{c}" for c in ("x", "y", "z", "rx", "ry", "rz"))
        tool = () if self.knows_tool else tuple(f"tool.{c}" for c in ("x", "y", "z", "rx", "ry", "rz"))
        return (*base, *(tool if self.turns else tool[:3]))

    def move(self, step: np.ndarray) -> "Mounts":
        """After a step (names,)."""
        base, tool, k = self.base, self.tool, 0
        if not self.knows_base:
            base, k = _move(base, step[:6]), 6
        if not self.knows_tool:
            rest = np.zeros(6)
            rest[: len(step) - k] = step[k:]
            tool = _move(tool, rest)
        return replace(self, base=base, tool=tool)

    def seen_poses(self, p: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the instrument sees (n, 3), (n, 3, 3) of a frame at p, R in the world."""
        B, T = rotation_of_quaternion(self.base[3:]), rotation_of_quaternion(self.tool[3:])
        return self.base[:3] + (p + R @ self.tool[:3]) @ B.T, B @ R @ T

    def seen_rates(self, p: np.ndarray, R: np.ndarray, twists: np.ndarray) -> np.ndarray:
        """Changes (n, 6, k) of what is seen, its own point, instrument's axes, for twists (n, 6, k) of the frame."""
        B = rotation_of_quaternion(self.base[3:])
        arm = R @ self.tool[:3]
        v = twists[:, :3] + np.cross(twists[:, 3:], arm[:, :, None], axis=1)
        return np.concatenate([np.einsum("ij,njk->nik", B, v), np.einsum("ij,njk->nik", B, twists[:, 3:])], axis=1)

    def own_rates(self, p: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Changes (n, 6, names) of what is seen for changes of the mounts."""
        B, n, parts = rotation_of_quaternion(self.base[3:]), len(p), [np.zeros((len(p), 6, 0))]
        if not self.knows_base:
            arm = (p + R @ self.tool[:3]) @ B.T
            part = np.zeros((n, 6, 6))
            part[:, :3, :3] = part[:, 3:, 3:] = np.eye(3)
            part[:, :3, 3:] = -crosses(arm)
            parts.append(part)
        if not self.knows_tool:
            part = np.zeros((n, 6, 6))
            part[:, :3, :3] = part[:, 3:, 3:] = B @ R
            parts.append(part if self.turns else part[:, :, :3])
        return np.concatenate(parts, axis=2)


def crosses(a: np.ndarray) -> np.ndarray:
    """[a]× (n, 3, 3) of vectors (n, 3)."""
    x, y, z = a.T
    o = np.zeros_like(x)
    return np.stack([np.stack([o, -z, y], -1), np.stack([z, o, -x], -1), np.stack([-y, x, o], -1)], axis=-2)


def pose_errors(p: np.ndarray, R: np.ndarray, measured: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Seen minus measured (n, 6), and its derivative (n, 6, 6) by changes (n, 6) of what is seen."""
    e = quaternion_product(quaternion_wxyz_of(R), measured[:, 3:] * np.array([1.0, -1.0, -1.0, -1.0]))
    e = np.where(e[:, :1] < 0, -e, e)
    slope = np.zeros((len(p), 6, 6))
    slope[:, :3, :3] = np.eye(3)
    slope[:, 3:, 3:] = e[:, 0, None, None] * np.eye(3) - crosses(e[:, 1:])
    return np.concatenate([p - measured[:, :3], 2.0 * e[:, 1:]], axis=1), slope


def quaternion_wxyz_of(R: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) of rotations (n, 3, 3)."""
    return np.asarray(quaternion_wxyz_from_rotation(R), dtype=float)


def find_mounts(mounts: Mounts, p: np.ndarray, R: np.ndarray, measured: np.ndarray, weight: np.ndarray) -> Mounts:
    """Unknown mounts that fit poses p, R of the frame to measured ones (n, 7) best; weight (6,): 1/σ, 0 of what is not measured.

    A closed form first, robust against a tenth of strange poses, then Gauss–Newton on the mounts alone.
    """
    if mounts.knows_base and mounts.knows_tool:
        return mounts
    keep = np.ones(len(p), dtype=bool)
    for _ in range(4):  # strange poses leave one after the other
        found = _refine(
            _closed_form(mounts, p[keep], R[keep], measured[keep], weight), p[keep], R[keep], measured[keep], weight
        )
        error = np.linalg.norm(pose_errors(*found.seen_poses(p, R), measured)[0] * weight, axis=1)
        good = error <= 10.0 * max(float(np.median(error)), 1e-300)
        if (good == keep).all():
            break
        keep = good
    return found


def _closed_form(mounts: Mounts, p: np.ndarray, R: np.ndarray, measured: np.ndarray, weight: np.ndarray) -> Mounts:
    y, M = measured[:, :3], rotation_of_quaternion(measured[:, 3:])
    placed = bool((weight[:3] > 0).all())
    turns = bool((weight[3:] > 0).all())
    base, tool = mounts.base.copy(), mounts.tool.copy()
    if not mounts.knows_base:
        arm = (R @ tool[:3]) if mounts.knows_tool else np.zeros_like(p)
        if placed and turns and not mounts.knows_tool:
            base[3:] = quaternion_wxyz_of(_turn_with_arm(p, M, y)[None])[0]
        elif placed:
            base[3:] = quaternion_wxyz_of(_turn(p + arm, y)[None])[0]
        elif turns:
            T = rotation_of_quaternion(tool[3:])
            base[3:] = quaternion_wxyz_of(_nearest_turn((M @ np.swapaxes(R @ T, 1, 2)).mean(axis=0))[None])[0]
    B = rotation_of_quaternion(base[3:])
    if turns and not mounts.knows_tool:
        tool[3:] = quaternion_wxyz_of(_nearest_turn((np.swapaxes(B @ R, 1, 2) @ M).mean(axis=0))[None])[0]
    if placed:
        columns = [np.broadcast_to(np.eye(3), (len(p), 3, 3))] if not mounts.knows_base else []
        columns += [B @ R] if not mounts.knows_tool else []
        rest = y - p @ B.T - (0.0 if not mounts.knows_base else base[:3])
        rest = rest - (0.0 if not mounts.knows_tool else (R @ tool[:3]) @ B.T)
        x = np.linalg.lstsq(np.concatenate(columns, axis=2).reshape(3 * len(p), -1), rest.ravel(), rcond=1e-9)[0]
        if not mounts.knows_base:
            base[:3], x = x[:3], x[3:]
        if not mounts.knows_tool:
            tool[:3] = x
    return replace(mounts, base=base, tool=tool)


def _turn_with_arm(p: np.ndarray, M: np.ndarray, y: np.ndarray) -> np.ndarray:
    """B of y = b + B p + M s: linear in B, b and s; where the poses do not tell all of it, as without an arm."""
    n = len(p)
    rows = np.zeros((n, 3, 15))
    for i in range(3):
        rows[:, i, 3 * i : 3 * i + 3] = p
        rows[:, i, 9 + i] = 1.0
    rows[:, :, 12:] = M
    flat = rows.reshape(3 * n, 15)
    values = np.linalg.svd(flat, compute_uv=False)
    if n < 6 or values[-1] < 1e-3 * values[0]:
        return _turn(p, y)
    return _nearest_turn(np.linalg.lstsq(flat, y.ravel(), rcond=None)[0][:9].reshape(3, 3))


def _turn(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rotation that turns points p to y best, origins apart."""
    return _nearest_turn((y - y.mean(axis=0)).T @ (p - p.mean(axis=0)))


def _nearest_turn(A: np.ndarray) -> np.ndarray:
    U, _, V = np.linalg.svd(A)
    return U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ V))]) @ V


def _refine(mounts: Mounts, p: np.ndarray, R: np.ndarray, measured: np.ndarray, weight: np.ndarray) -> Mounts:
    damping, cost, tried = 1e-3, np.inf, mounts
    J, size, r = np.zeros((0, 0)), np.zeros(0), np.zeros(0)
    for _ in range(REFINEMENTS):
        error, slope = pose_errors(*tried.seen_poses(p, R), measured)
        new = float(np.sum((error * weight) ** 2))
        if new < cost:
            done = cost - new <= 1e-10 * new
            mounts, cost, damping = tried, new, damping * 0.1
            J = (slope @ mounts.own_rates(p, R) * weight[:, None]).reshape(6 * len(p), -1)
            size = np.linalg.norm(J, axis=0)
            size = np.where(size > 0, size, 1.0)
            r = (error * weight).ravel()
            if done:
                break
        else:
            damping *= 10.0
        a = np.concatenate([J / size, np.sqrt(damping) * np.eye(J.shape[1])])
        step = np.linalg.lstsq(a, -np.concatenate([r, np.zeros(J.shape[1])]), rcond=1e-12)[0] / size
        tried = mounts.move(step)
    return mounts


def _move(pose: np.ndarray, step: np.ndarray) -> np.ndarray:
    q = quaternion_product(quaternion_of_rotation_vector(step[3:]), pose[3:])
    return np.concatenate([pose[:3] + step[:3], unit_quaternions(q)])
