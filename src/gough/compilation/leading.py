"""Leading the closed robot to a pose, to drive positions or to named coordinates, for any mobility."""

from typing import TYPE_CHECKING

import numpy as np

from gough.compilation.closing import OF_DIRECTIONS, slack
from gough.compilation.coriolis import coordinates_of, euler_matrix
from gough.compilation.following import follow, tree_rates
from gough.compilation.rotations import pose_difference
from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.compilation.model import Model

COORDINATES = ("x", "y", "z", "yaw", "pitch", "roll")
OF_TWIST = {"vx": "x", "vy": "y", "vz": "z", "wx": "roll", "wy": "pitch", "wz": "yaw"}
"""The coordinate that is led where a component of the twist is independent."""
POSE_TOLERANCE = 1e-8
"""Accepted difference between the pose asked for and the one that the robot's freedoms allow (sizes, rad)."""


def pose_led(
    model: "Model", poses: np.ndarray, parameters: np.ndarray, near: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """(q, failed checks) at platform poses (n, 7), from `near` (default home); other freedoms stay where they are.

    A platform with fewer than six freedoms cannot take every pose: one it cannot take is out of reach.
    """
    columns = model.mechanism.selection.independent
    on_platform = [k for k, c in enumerate(columns) if c < 6]
    start = _starts(model, near, len(poses))

    def misses(q: np.ndarray, states: np.ndarray) -> np.ndarray:
        out = np.zeros((len(q), len(columns)))
        out[:, on_platform] = pose_difference(q[:, :7], poses[states])[:, [columns[k] for k in on_platform]]
        return out

    q, names = follow(model, start, parameters, misses)
    off = np.abs(pose_difference(q[:, :7], poses)) / np.array([model.size] * 3 + [1.0] * 3)
    wrong = (names == "") & ~(off.max(axis=1) < max(POSE_TOLERANCE, slack(model) / OF_DIRECTIONS))
    names[wrong] = "out_of_reach:platform"
    q[names != ""] = np.nan
    q[:, :7] = np.where((names == "")[:, None], q[:, :7], poses)
    return q, names


def step_led(
    model: "Model", start: np.ndarray, steps: np.ndarray, parameters: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(q, failed checks) when the independent coordinates of `start` (n, nq) move by `steps` (n, nv)."""
    mechanism = model.mechanism
    columns = mechanism.selection.independent
    begin = normal(model, start)
    joints = {k: link for k, c in enumerate(columns) if (link := _scalar_link(model, c)) is not None}
    bent = [
        (columns.index(u), link.elastic.q + j)
        for link in mechanism.links
        if link.elastic is not None
        for j, u in enumerate(link.elastic.columns)
        if u in columns
    ]
    balls = sorted({link.q for link in mechanism.links if link.motion == "ball" and link.u in columns})
    if balls and not all(c in columns for link in mechanism.links if link.q in balls for c in link.columns):
        raise UsageError("a ball joint is led only where all its three rates are independent")

    def misses(q: np.ndarray, states: np.ndarray) -> np.ndarray:
        out = np.zeros((len(q), len(columns)))
        done = pose_difference(begin[states, :7], q[:, :7]) if mechanism.has_platform else np.zeros((len(q), 0))
        for k, column in enumerate(columns):
            if k in joints:
                out[:, k] = begin[states, joints[k].q] + steps[states, k] - q[:, joints[k].q]
            elif column < 6 and mechanism.has_platform:
                out[:, k] = steps[states, k] - done[:, column]
        for k, at in bent:
            out[:, k] = begin[states, at] + steps[states, k] - q[:, at]
        for link in mechanism.links:
            if link.motion == "ball" and link.q in balls:
                own = [columns.index(c) for c in link.columns]
                out[:, own] = steps[states][:, own] - _turned(begin[states], q, link.q)
        return out

    return follow(model, begin, parameters, misses)


def drives_led(
    model: "Model", drives: np.ndarray, parameters: np.ndarray, near: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """(q, failed checks) with drive coordinates (n, drives), from `near` (default home).

    Drive rates are Sᵀ v; redundant drives that contradict each other do not converge.
    """
    index = model.drive_index
    scale = np.array([model.size if u == "N" else 1.0 for u in model.layout.drive_units])
    function = model.function("drive_map")

    def misses(q: np.ndarray, states: np.ndarray) -> np.ndarray:
        rows = parameters if len(parameters) == 1 else parameters[states]
        S = function.values(q=q, parameters=rows)["S"]  # the loops may still be a little open
        return _rigid(model, np.swapaxes(S, 1, 2) / scale[:, None], (drives[states] - q[:, index]) / scale)

    q, names = follow(model, _starts(model, near, len(drives)), parameters, misses)
    off = np.abs(drives - q[:, index]) / scale
    missed = (names == "") & ~(off.max(axis=1, initial=0.0) < POSE_TOLERANCE)
    names[missed] = "not_converged:drives"
    q[names != ""] = np.nan
    return q, names


def coordinates_led(
    model: "Model", names: list[str], values: np.ndarray, parameters: np.ndarray, near: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """(q, failed checks) with named coordinates (joints, or x y z yaw pitch roll of the platform) at values (n, k)."""
    start = _starts(model, near, len(values))
    index = [model.layout.q_names.index(n) if n not in COORDINATES else -1 for n in names]
    columns = [_column(model, n) for n in names]
    joint_angle = [i >= 0 and model.layout.q_units[i] == "rad" for i in index]
    angular = np.array([n in COORDINATES[3:] or turns for n, turns in zip(names, joint_angle, strict=True)])

    def misses(q: np.ndarray, states: np.ndarray) -> np.ndarray:
        x = coordinates_of(q[:, :7], "rpy_zyx") if any(i < 0 for i in index) else np.zeros((len(q), 6))
        now = np.stack(
            [x[:, COORDINATES.index(n)] if i < 0 else q[:, i] for n, i in zip(names, index, strict=True)], axis=1
        )
        error = values[states] - now
        platform_angle = np.array([i < 0 for i in index]) & angular
        error = np.where(platform_angle, np.remainder(error + np.pi, 2 * np.pi) - np.pi, error)
        rates = tree_rates(model, q, parameters if len(parameters) == 1 else parameters[states])
        C = np.zeros((len(q), len(names), rates.shape[2]))
        if any(i < 0 for i in index):
            twist_to_angles = np.linalg.inv(euler_matrix(x[:, 3:], "rpy_zyx"))
            spins = np.einsum("nij,njk->nik", twist_to_angles, rates[:, 3:6])
        for k, (n, i) in enumerate(zip(names, index, strict=True)):
            if i >= 0:
                C[:, k] = rates[:, columns[k]]
            elif n in COORDINATES[:3]:
                C[:, k] = rates[:, COORDINATES.index(n)]
            else:
                C[:, k] = spins[:, COORDINATES.index(n) - 3]
        return _rigid(model, C, error)

    q, failed = follow(model, start, parameters, misses)
    good = np.flatnonzero(failed == "")
    if len(good):
        x = coordinates_of(q[good, :7], "rpy_zyx") if any(i < 0 for i in index) else np.zeros((len(good), 6))
        now = np.stack(
            [x[:, COORDINATES.index(n)] if i < 0 else q[good, i] for n, i in zip(names, index, strict=True)], axis=1
        )
        off = np.abs(values[good] - now)
        off = np.where(angular, np.abs(np.remainder(off + np.pi, 2 * np.pi) - np.pi), off / model.size)
        missed = good[(off > POSE_TOLERANCE).any(axis=1)]
        failed[missed] = "out_of_reach:coordinates"
        q[missed] = np.nan
    return q, failed


def _rigid(model: "Model", matrices: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """`_solved` with the elastic coordinates as they are."""
    n = model.layout.mobility
    step = _solved(matrices[:, :, :n], rhs)
    return np.concatenate([step, np.zeros((len(step), model.layout.nv - n))], axis=1)


def _solved(matrices: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """Steps (n, nv) with matrices (n, k, nv) @ step = rhs (n, k), least squares and shortest; NaN where not finite."""
    finite = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    a = np.where(finite[:, None, None], matrices, 0.0)
    square = a.shape[1] == a.shape[2] and a.shape[1] > 0
    det = np.linalg.det(a) if square else np.zeros(len(a))
    size = np.abs(a).max(axis=(1, 2)) if a.size else np.zeros(len(a))
    plain = finite & (np.abs(det) > 1e-6 * size ** a.shape[1])
    step = np.zeros((len(a), a.shape[2]))
    if plain.any():
        step[plain] = np.linalg.solve(a[plain], rhs[plain][..., None])[..., 0]
    rest = finite & ~plain
    if rest.any():
        step[rest] = np.einsum("nij,nj->ni", np.linalg.pinv(a[rest], rcond=1e-10), rhs[rest])
    step[~finite] = np.nan
    return step


def natural_coordinates(model: "Model") -> list[str]:
    """Names of the coordinates that belong to v: "vz" leads z, "wx" roll, a joint rate its joint."""
    return [OF_TWIST.get(name, name) for name in model.layout.v_names[: model.layout.mobility]]


def normal(model: "Model", q: np.ndarray) -> np.ndarray:
    """q with unit quaternions."""
    from gough.compilation.retraction import normalised

    return normalised(model.mechanism, q)


def _starts(model: "Model", near: np.ndarray | None, n: int) -> np.ndarray:
    return np.repeat(model.home[None], n, axis=0) if near is None else normal(model, near)


def _scalar_link(model: "Model", column: int):
    return next((link for link in model.mechanism.links if link.nu == 1 and link.u == column), None)


def _column(model: "Model", name: str) -> int:
    if name in COORDINATES:
        return -1
    link = next((link for link in model.mechanism.links if link.nu == 1 and model.layout.q_names[link.q] == name), None)
    if link is None:
        raise UsageError(f"coordinates: {name!r} is not a scalar joint coordinate")
    return link.u


def _turned(begin: np.ndarray, q: np.ndarray, at: int) -> np.ndarray:
    """Rotation vectors (n, 3), body axes, from the quaternions at `at` in `begin` to those in q."""
    a, b = begin[:, at : at + 4], q[:, at : at + 4]
    zero = np.zeros((len(q), 3))
    conjugate = np.array([1.0, -1.0, -1.0, -1.0])
    # inverse order turns the world-axes difference into body axes
    return pose_difference(
        np.concatenate([zero, b * conjugate], axis=1), np.concatenate([zero, a * conjugate], axis=1)
    )[:, 3:]
