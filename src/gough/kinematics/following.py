"""Newton's iteration that leads the closed robot to given independent coordinates; all states of a batch at once.

Every iteration moves the independent coordinates towards their targets by a limited step and closes the loops to first
order (`closing_step`); where the loops have come open it only closes them. So the assembly follows continuously from
where it starts.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import GOOD, Status
from gough.kinematics.closing import CLOSED, closure_errors
from gough.kinematics.openings import turned_places
from gough.kinematics.retraction import retract, step_units

if TYPE_CHECKING:
    from gough.model.model import Model

ITERATIONS = 300
MOST_STEPS = 50_000
"""More than these are not promised to a target that is far away."""
LARGEST_STEP = 0.2
"""Largest step of an independent coordinate: relative to the robot's size, or rad."""
LARGEST_FOLLOWING = 0.2
"""Largest step of a dependent coordinate, in the same measure: larger ones could land in another assembly."""
OPEN = 0.01
"""Scaled closure error above which the loops are closed first, before the independent coordinates move on."""

FAR = 100
"""Steps in which a tree gets anywhere."""
PATIENCE = 12
"""Iterations without progress after which a target counts as out of reach."""

Misses = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(q (k, nq), states (k,)) -> what v must still do to reach the targets (k, nv)."""


def follow(
    model: "Model", start: np.ndarray, parameters: np.ndarray, misses: Misses, iterations: int = ITERATIONS
) -> tuple[np.ndarray, np.ndarray]:
    """(q (n, nq), failed checks (n,)) led from `start` until `misses` vanish and the loops are closed."""
    q = start.copy()
    names = np.full(len(q), GOOD, dtype=object)
    unit = step_units(model.mechanism, model.size)
    own = unit[list(model.mechanism.selection.independent)]
    function = model.function("closing_step")
    active = np.flatnonzero(np.isfinite(q).all(axis=1))
    names[~np.isfinite(q).all(axis=1)] = Status.NOT_FINITE.at("input")
    last = np.full(len(q), np.inf)
    best, since = np.full(len(q), np.inf), np.zeros(len(q), dtype=int)
    reach = np.ones(len(q))
    turn = -1
    while len(active) and (turn := turn + 1) < iterations:
        wanted = misses(q[active], active)
        size = np.abs(wanted / own).max(axis=1, initial=0.0)
        if turn == 0 and not model.mechanism.rows:  # nothing follows: a slide may go far beyond the robot's size
            reach = np.maximum(np.where(np.isfinite(size), size, 1.0) / (LARGEST_STEP * FAR), 1.0)
        farthest = reach[active]
        lost = ~np.isfinite(size)
        names[active[lost]] = Status.SINGULAR.at("targets")
        rows = parameters if len(parameters) == 1 else parameters[active]
        open_ = closure_errors(model, q[active], rows) > OPEN
        limited = np.where(open_[:, None], 0.0, wanted / np.maximum(size / (LARGEST_STEP * farthest), 1.0)[:, None])
        step = function.values(q=q[active], v=limited, parameters=rows)["du"] / unit
        failed = _mend(function, q[active], limited, rows, step, unit, names, active, lost)
        moved = np.abs(step).max(axis=1, initial=0.0)
        if turn == 0:  # a screw goes through many turns: as many steps more as the first one promises
            steps = size / LARGEST_STEP * np.maximum(moved / LARGEST_FOLLOWING, 1.0)
            iterations += min(int(2.0 * np.nan_to_num(steps, posinf=0.0).max(initial=0.0)), MOST_STEPS)
        step /= np.maximum(moved / (LARGEST_FOLLOWING * farthest), 1.0)[:, None]
        good = ~lost & ~failed
        q[active[good]] = retract(model.mechanism, q[active[good]], step[good] * unit)
        settled = (moved < 1e-15) | ((moved < 1e-11) & (moved >= 0.5 * last[active]))
        last[active] = moved
        effort = np.maximum(size, moved)
        nearer = effort < np.maximum(0.9 * best[active], best[active] - 0.5 * LARGEST_STEP)
        best[active] = np.where(nearer, effort, best[active])
        since[active] = np.where(nearer, 0, since[active] + 1)
        stuck = good & ~settled & (since[active] > PATIENCE)
        names[active[stuck]] = Status.NOT_CONVERGED.at(_place(model))
        active = active[good & ~settled & ~stuck]
    names[active] = Status.NOT_CONVERGED.at(_place(model))
    _judge(model, q, parameters, names)
    q[names != GOOD] = np.nan
    return q, names


def _judge(model: "Model", q: np.ndarray, parameters: np.ndarray, names: np.ndarray) -> None:
    """Name what is wrong with states that have settled: loops that are open, or closed with a joint put in turned."""
    settled = np.flatnonzero(names == GOOD)
    rows = parameters if len(parameters) == 1 else parameters[settled]
    open_ = ~(closure_errors(model, q[settled], rows) <= CLOSED)
    names[settled[open_]] = Status.NOT_CONVERGED.at(_place(model))
    rows = parameters if len(parameters) == 1 else parameters[settled[open_]]
    for state, place in zip(settled[open_], turned_places(model, q[settled[open_]], rows), strict=True):
        if place:
            names[state] = Status.OPEN_LOOP.at(place)


def _mend(function, q, v, parameters, step, unit, names, active, lost) -> np.ndarray:
    """Take steps (in place) that fast code could not compute from a pivoted solve; mask (k,) of states that have none."""
    bad = ~np.isfinite(step).all(axis=1) & ~lost
    failed = np.zeros(len(q), dtype=bool)
    if bad.any():
        rows = parameters if len(parameters) == 1 else parameters[bad]
        result = function(q=q[bad], v=v[bad], parameters=rows)
        step[bad] = result.outputs["du"] / unit
        failed[bad] = result.names != GOOD
        names[active[failed]] = result.names[result.names != GOOD]
    return failed


def _place(model: "Model") -> str:
    return "pose" if model.mechanism.has_platform else "loops"


def tree_rates(model: "Model", q: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """Γ (n, nu, nv): tree velocities per independent velocity; whether or not the loops are quite closed."""
    nv = model.layout.nv
    rows = parameters if len(parameters) == 1 else parameters[:, None, :]
    out = model.function("tree_rates").values(q=q[:, None, :], v=np.eye(nv), parameters=rows)["u"]
    return np.swapaxes(out, 1, 2)
