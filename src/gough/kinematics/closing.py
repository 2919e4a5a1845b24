"""Gauss–Newton on all closures at once: assembling a mechanism before anything is known about its freedoms."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gough.compilation.designs import ParameterRows, parameters_of
from gough.kinematics.linkage import Linkage
from gough.kinematics.retraction import limit_steps, retract, step_units, turns_and_slides
from gough.structure import CutJoint, LinearClosure
from gough.structure.size import OF_DIRECTIONS

ITERATIONS = 80
LARGEST_STEP = 0.5
"""Largest step of an angle (rad), or of a length relative to the robot's size."""
MOST_STEPS = 2000
"""More than these are not spent on a screw that is far off."""
LEAST_DAMPING = 1e-11
"""Keeps redundant closures and free motions solvable; relative to the mean square of the closures."""
REACH = 0.12
"""Largest step from home to a neighbour: relative to the robot's size, or rad."""
CLOSED = 1e-10
"""Accepted closure error relative to the robot's size."""
FIT_ITERATIONS = 200
FITTED = 12
"""The best of all starts, which are fitted with directions first."""
DIRECTIONS_FIRST = 1e3
"""Weight of directions (rad) against lengths (over the robot's size) that leaves the gap to tell where axes can agree."""


def row_scales(linkage: Linkage) -> np.ndarray:
    """What each closure row is measured in: the robot's size for lengths (its square for distances), 1 for directions, of
    couplings by what they feel most."""
    structure, size = linkage.structure, linkage.structure.length
    scales = [c.scale(size) for cut in structure.cuts for c in cut.closures for _ in range(c.rows)]
    return np.array(scales + [coupling.scale(size, structure.table.values) for coupling in structure.couplings])


def closure_errors(linkage: Linkage, q: np.ndarray, parameters: ParameterRows) -> np.ndarray:
    """Largest scaled closure error (n,); an axis that points elsewhere counts by how far its unit vector is off, up to 2."""
    if not linkage.structure.rows:
        return np.zeros(len(q))
    return largest_error(linkage, linkage.function("closure_residual").values(q=q, parameters=parameters))


def largest_error(linkage: Linkage, out: dict[str, np.ndarray]) -> np.ndarray:
    """Largest scaled error (...) of a "closure_residual"."""
    rows, axes = np.abs(out["residual"]), np.abs(out["misalignment"])
    if linkage.structure.tolerances:
        rows = np.maximum(rows - np.array(linkage.structure.tolerances), 0.0)
        axes = np.maximum(axes - (slack(linkage) / OF_DIRECTIONS) ** 2, 0.0)
    return np.maximum((rows / row_scales(linkage)).max(axis=-1, initial=0.0), axes.max(axis=-1, initial=0.0))


def slack(linkage: Linkage) -> float:
    """The stated closure tolerance over the robot's size; 0 where loops must close."""
    allowed, size = linkage.structure.tolerances, linkage.structure.length
    scales = row_scales(linkage) if allowed else ()
    lengths = [t / size for t, s in zip(allowed, scales, strict=True) if s == size]
    angles = [t * OF_DIRECTIONS for t, s in zip(allowed, scales, strict=True) if s == 1.0]
    return max([*lengths, *angles], default=0.0)


def least_motion(linkage: Linkage) -> float:
    """Scaled rates of closures up to this hold nothing: a motion of `REACH` stays within the tolerance."""
    return slack(linkage) / REACH


def directed_rows(linkage: Linkage, out: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Scaled (residual (n, rows + k), G (n, rows + k, nu)) of "closure_rows": closures, then the k axes in common.

    Together they are the differences of unit vectors, so that steps of least squares lead away from reversed axes.
    """
    rows, unit = row_scales(linkage), step_units(linkage.structure, linkage.structure.length)
    residual = np.concatenate([out["residual"] / rows, out["misalignment"]], axis=1)
    G = np.concatenate([out["G"] / rows[:, None], out["A"]], axis=1)
    return residual, G * unit


def rows_of(linkage: Linkage, owners: Iterable[CutJoint | LinearClosure]) -> np.ndarray:
    """Positions of the rows of some cuts and couplings among the `directed_rows`."""
    places, at = {coupling.name: [coupling.row] for coupling in linkage.structure.couplings}, linkage.structure.rows
    for cut in linkage.structure.cuts:
        places[cut.name] = [*range(cut.row, cut.row + cut.rows), *range(at, at + len(cut.common_axes))]
        at += len(cut.common_axes)
    return np.array(sorted(r for owner in owners for r in places[owner.name]), dtype=int)


def close(
    linkage: Linkage,
    q: np.ndarray,
    parameters: ParameterRows,
    free: Any = None,
    only: np.ndarray | None = None,
    iterations: int = ITERATIONS,
) -> tuple[np.ndarray, np.ndarray]:
    """(q with the loops closed as far as possible, closure errors (n,)) from starts q (n, nq), by shortest steps.

    free: mask (nu,) of tree velocities that may move; the others are held. Default: all. only: `rows_of` cuts that count.
    """
    mechanism = linkage.structure
    q = q.copy()
    error = np.full(len(q), np.inf)
    if not mechanism.rows or not len(q):
        return q, np.zeros(len(q))
    function = linkage.function("closure_rows")
    unit = step_units(mechanism, linkage.structure.length)
    columns = np.flatnonzero(np.ones(mechanism.layout.nu, bool) if free is None else free)
    counted = slice(None) if only is None else only
    least = least_motion(linkage)
    active = np.arange(len(q))
    damping = np.full(len(q), 1e-3)
    far, turn = turns_and_slides(mechanism), -1
    while (turn := turn + 1) < iterations:
        own = parameters_of(parameters, active)
        residual, G = directed_rows(linkage, function.values(q=q[active], parameters=own))
        residual, G = residual[:, counted], G[:, counted]
        found = np.abs(residual).max(axis=1)
        if far and turn == 0:  # many turns of a coarse screw lead far beyond the robot's size
            iterations += min(int(2.0 * np.nan_to_num(found).max(initial=0.0) / LARGEST_STEP), MOST_STEPS)
        better = found < error[active]
        damping[active] = np.where(better, damping[active] * 0.2, np.minimum(damping[active] * 4.0, 10.0))
        settled = (found < 1e-14) | ((found < CLOSED * 0.1) & (found >= 0.5 * error[active])) | ~np.isfinite(found)
        error[active] = np.where(np.isfinite(found), np.minimum(found, error[active]), np.inf)
        active, residual, G = active[~settled], residual[~settled], G[~settled]
        if not len(active) or not len(columns):
            break
        step = np.zeros((len(active), len(unit)))
        step[:, columns] = _shortest(G[:, :, columns], residual, damping[active], least)
        q[active] = retract(mechanism, q[active], limit_steps(mechanism, step * unit, mechanism.length, LARGEST_STEP))
    out = function.values(q=q, parameters=parameters)
    return q, largest_error(linkage, out) if only is None else np.abs(directed_rows(linkage, out)[0][:, only]).max(
        axis=1
    )


def _shortest(G: np.ndarray, residual: np.ndarray, damping: np.ndarray, least: float) -> np.ndarray:
    """About the shortest steps (n, columns) with G step = residual; damped where the error is still large, and in motions
    that the closures hold by less than `least`."""
    square = np.einsum("nri,nrj->nij", G, G, optimize=True)
    size = np.einsum("nii->n", square) / square.shape[1]
    ease = size * (LEAST_DAMPING + 1e-2 * np.minimum(damping, np.abs(residual).max(axis=1)) ** 2)
    index = np.arange(square.shape[1])
    square[:, index, index] += np.maximum(ease, max(least**2, 1e-300))[:, None]
    return np.linalg.solve(square, np.einsum("nri,nr->ni", G, residual)[..., None])[..., 0]


def best_fit(linkage: Linkage, starts: np.ndarray, free: np.ndarray) -> np.ndarray:
    """q (nq,) where the loops miss least, from starts (n, nq): directions first, then the squares of the lengths.

    By Levenberg and Marquardt: unlike `close` it ends at a minimum where nothing closes.
    """
    q, error = close(linkage, starts, linkage.parameters[None], free)
    best = np.argsort(np.round(error, 12), kind="stable")[: 4 * FITTED]
    q, cost = _least_squares(linkage, q[best], free, 1.0)
    best = np.argsort(np.round(cost, 12), kind="stable")[:FITTED]
    q, cost = _least_squares(linkage, q[best], free, DIRECTIONS_FIRST)
    return q[int(np.argmin(np.round(cost, 12)))]


def _least_squares(linkage: Linkage, q: np.ndarray, free: np.ndarray, weight: float) -> tuple[np.ndarray, np.ndarray]:
    """(q, sums of squares (n,)) of all rows from q (n, nq), directions times `weight`; lengths over the robot's size."""
    structure, size = linkage.structure, linkage.structure.length
    function, unit, columns = linkage.function("closure_rows"), step_units(structure, size), np.flatnonzero(free)
    weights = np.full(structure.rows + sum(len(cut.common_axes) for cut in structure.cuts), weight)
    for cut in structure.cuts:
        rods = 1.0 if cut.length is None else size / max(linkage.parameters[cut.length], 1e-3 * size)
        weights[cut.row : cut.row + cut.rows] = [(weight, 1.0, rods)[power] for power in cut.row_lengths]

    def rows(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        residual, G = directed_rows(linkage, function.values(q=x, parameters=linkage.parameters[None]))
        residual, G = residual * weights, G[:, :, columns] * weights[:, None]
        return residual, G, np.nan_to_num(np.sum(residual**2, axis=1), nan=np.inf)

    residual, G, cost = rows(q)
    damping, going = np.full(len(q), 1e-3), np.isfinite(cost)
    for _ in range(FIT_ITERATIONS):
        if not going.any() or not len(columns):
            break
        square = np.einsum("nri,nrj->nij", G, G, optimize=True)
        size = np.maximum(np.einsum("nii->n", square) / len(columns), 1e-300)
        square += (size * damping)[:, None, None] * np.eye(len(columns))
        part = np.linalg.solve(square, np.einsum("nri,nr->ni", G, residual)[..., None])[..., 0]
        part /= np.maximum(np.abs(part).max(axis=1) / LARGEST_STEP, 1.0)[:, None]
        step = np.zeros((len(q), len(unit)))
        step[:, columns] = part
        tried = retract(structure, q, step * unit)
        new_residual, new_G, new_cost = rows(tried)
        better = going & (new_cost < cost)
        going &= ~((np.abs(part).max(axis=1) < 1e-12) | (better & (cost - new_cost < 1e-14 * cost)) | (damping > 1e8))
        q[better], residual[better], G[better], cost[better] = (
            x[better] for x in (tried, new_residual, new_G, new_cost)
        )
        damping = np.where(better, np.maximum(damping * 0.2, 1e-12), damping * 5.0)
    return q, cost
