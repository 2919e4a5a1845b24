"""Newton's iteration on all loops at once from many random starts, drives held: assemblies a mechanism may have."""

import numpy as np

from gough.analysis.assembly_places import reach
from gough.compilation import Function, Model
from gough.compilation.closing import CLOSED, close, directed_rows
from gough.compilation.retraction import normalised, retract, step_units

ITERATIONS = 60
POINTING = 4
"""Iterations with the platform held: rods turn towards their joints on it."""
LARGEST_STEP = 0.6
"""Largest step of an angle (rad), or of a length relative to the robot's reach."""
CHUNK = 1024
NEARLY = 1e-8
"""Closure error below which a start counts as arrived; the last digits come from `close`."""


def search(
    model: Model, drives: np.ndarray, parameters: np.ndarray, starts: int, rng: np.random.Generator
) -> np.ndarray:
    """Closed configurations (found, nq), as many as starts arrived, with drive coordinates (drives,)."""
    free = free_columns(model)
    out = [np.zeros((0, model.layout.nq))]
    for begin in range(0, starts, CHUNK):
        q = random_starts(model, drives, parameters, min(CHUNK, starts - begin), rng)
        held = free.copy()
        if model.mechanism.has_platform:
            held[:6] = False
            if held.any():
                q = newton(model, q, parameters, held, POINTING)[0]
        q, error = newton(model, q, parameters, free, ITERATIONS)
        out.append(q[error < NEARLY])
    return np.concatenate(out)


def finish(model: Model, q: np.ndarray, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q (n, nq) closed to the last digits with drives held, whether each is closed, the right way round)."""
    q, error = close(model, normalised(model.mechanism, q), parameters, free_columns(model))
    return q, error < CLOSED


def free_columns(model: Model) -> np.ndarray:
    """Mask (nu,) of the tree velocities that are no drive's."""
    free = np.ones(model.layout.nu, dtype=bool)
    free[[model.mechanism.links[d.link].u for d in model.mechanism.drives]] = False
    return free


def random_starts(
    model: Model, drives: np.ndarray, parameters: np.ndarray, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Starts (count, nq): the platform anywhere within reach and turned anyhow, passive joints likewise."""
    centre, radius = reach(model, parameters)
    q = np.repeat(model.home[None], count, axis=0)
    for link in model.mechanism.links:
        if link.motion == "rotation":
            q[:, link.q] = rng.uniform(-np.pi, np.pi, count)
        elif link.motion == "translation":
            q[:, link.q] += rng.uniform(-radius, radius, count)
        elif link.motion == "platform":
            q[:, :3] = centre + rng.uniform(-radius, radius, (count, 3))
        if link.motion in ("platform", "ball"):
            at = 3 if link.motion == "platform" else link.q
            quaternions = rng.normal(size=(count, 4))
            q[:, at : at + 4] = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    q[:, model.drive_index] = drives
    return q


def newton(
    model: Model, q: np.ndarray, parameters: np.ndarray, free: np.ndarray, iterations: int
) -> tuple[np.ndarray, np.ndarray]:
    """(q, closure errors (n,)) after steps of least squares on all closures; only the columns `free` (nu,) move."""
    function = model.cached("closures in many states", lambda: _compiled(model))
    unit = step_units(model.mechanism, model.size)
    columns = np.flatnonzero(free)
    q, error = q.copy(), np.full(len(q), np.inf)
    largest = np.where(unit == 1.0, LARGEST_STEP, LARGEST_STEP * reach(model, parameters)[1] / model.size)[columns]
    active = np.arange(len(q))
    for _ in range(iterations):
        residual, G = directed_rows(model, function.values(q=q[active], parameters=parameters))
        G = G[:, :, columns]
        found = np.abs(residual).max(axis=1, initial=0.0)
        error[active] = np.where(np.isfinite(found), found, np.inf)
        going = (found >= NEARLY * 1e-3) & np.isfinite(found)
        active, residual, G = active[going], residual[going], G[going]
        if not len(active):
            break
        transposed = np.swapaxes(G, 1, 2)
        normal = transposed @ G
        trace = np.trace(normal, axis1=1, axis2=2)
        normal += (1e-13 * trace + 1e-300)[:, None, None] * np.eye(len(columns))
        part = np.linalg.solve(normal, transposed @ residual[..., None])[..., 0]
        part /= np.maximum((np.abs(part) / largest).max(axis=1), 1.0)[:, None]
        step = np.zeros((len(active), len(unit)))
        step[:, columns] = part
        q[active] = retract(model.mechanism, q[active], step * unit)
    else:
        residual, _ = directed_rows(model, function.values(q=q[active], parameters=parameters))
        error[active] = np.abs(residual).max(axis=1, initial=0.0)
    return q, error


def _compiled(model: Model) -> Function:
    return Function(model.function("closure_rows").program, model.mechanism.table, model.pattern)
