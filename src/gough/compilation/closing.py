"""Gauss–Newton on all closures at once: assembling a mechanism before anything is known about its freedoms."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.compilation.retraction import retract, step_units

if TYPE_CHECKING:
    from gough.compilation.model import Model

ITERATIONS = 80
LARGEST_STEP = 0.5
"""Largest step of an angle (rad), or of a length relative to the robot's size."""
LEAST_DAMPING = 1e-11
"""Keeps redundant closures and free motions solvable; relative to the mean square of the closures."""
CLOSED = 1e-10
"""Accepted closure error relative to the robot's size."""


def closure_function(model: "Model") -> Function:
    """Function q -> residual (rows,) and G (rows, nu) of all closures."""
    return model.function("closure_rows")


def row_scales(model: "Model") -> np.ndarray:
    """What each closure row is measured in: the robot's size for lengths (its square for distances), 1 for directions."""
    size = model.size
    kinds = {"point": size, "along": size, "distance": size * size, "perpendicular": 1.0}
    return np.array([kinds[c.kind] for cut in model.mechanism.cuts for c in cut.closures for _ in range(c.rows)])


def closure_errors(model: "Model", q: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """Largest scaled closure error (n,)."""
    if not model.mechanism.rows:
        return np.zeros(len(q))
    residual = model.function("closure_residual").values(q=q, parameters=parameters)["residual"]
    return np.abs(residual / row_scales(model)).max(axis=-1)


def close(
    model: "Model",
    q: np.ndarray,
    parameters: np.ndarray,
    free: Any = None,
    only: slice = slice(None),
    iterations: int = ITERATIONS,
) -> tuple[np.ndarray, np.ndarray]:
    """(q with the loops closed as far as possible, closure errors (n,)) from starts q (n, nq), by shortest steps.

    free: mask (nu,) of tree velocities that may move; the others are held. Default: all. only: closure rows that count.
    """
    mechanism = model.mechanism
    q = q.copy()
    error = np.full(len(q), np.inf)
    if not mechanism.rows:
        return q, np.zeros(len(q))
    function, rows = closure_function(model), row_scales(model)
    unit = step_units(mechanism, model.size)
    columns = np.flatnonzero(np.ones(mechanism.layout.nu, bool) if free is None else free)
    active = np.arange(len(q))
    damping = np.full(len(q), 1e-3)
    for _ in range(iterations):
        own = parameters if len(parameters) == 1 else parameters[active]
        out = function.values(q=q[active], parameters=own)
        residual = (out["residual"] / rows)[:, only]
        G = (out["G"] / rows[:, None] * unit)[:, only]
        found = np.abs(residual).max(axis=1)
        better = found < error[active]
        damping[active] = np.where(better, damping[active] * 0.2, np.minimum(damping[active] * 4.0, 10.0))
        settled = (found < 1e-14) | ((found < CLOSED * 0.1) & (found >= 0.5 * error[active])) | ~np.isfinite(found)
        error[active] = np.where(np.isfinite(found), np.minimum(found, error[active]), np.inf)
        active, residual, G = active[~settled], residual[~settled], G[~settled]
        if not len(active) or not len(columns):
            break
        step = np.zeros((len(active), len(unit)))
        step[:, columns] = _shortest(G[:, :, columns], residual, damping[active])
        largest = np.abs(step).max(axis=1) / LARGEST_STEP
        q[active] = retract(mechanism, q[active], step * unit / np.maximum(largest, 1.0)[:, None])
    residual = function.values(q=q, parameters=parameters)["residual"] / rows
    return q, np.abs(residual[:, only]).max(axis=1)


def _shortest(G: np.ndarray, residual: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """About the shortest steps (n, columns) with G step = residual; damped where the error is still large."""
    square = np.einsum("nri,nrj->nij", G, G, optimize=True)
    size = np.einsum("nii->n", square) / square.shape[1]
    ease = size * (LEAST_DAMPING + 1e-2 * np.minimum(damping, np.abs(residual).max(axis=1)) ** 2)
    index = np.arange(square.shape[1])
    square[:, index, index] += np.maximum(ease, 1e-300)[:, None]
    return np.linalg.solve(square, np.einsum("nri,nr->ni", G, residual)[..., None])[..., 0]
