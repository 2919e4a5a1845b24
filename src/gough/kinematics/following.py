"""Newton's iteration that leads the closed robot to given independent coordinates; all states of a batch at once.

Every iteration moves the independent coordinates towards their targets by a limited step and closes the loops to first
order (`closing_step`); where the loops have come open it only closes them. So the assembly follows continuously from
where it starts.
"""

from collections.abc import Callable

import numpy as np

from gough.compilation.designs import ParameterRows, parameters_of
from gough.compilation.status import are_good
from gough.errors import GOOD, Site, Status
from gough.kinematics.closing import CLOSED, closure_errors
from gough.kinematics.linkage import LedLinkage
from gough.kinematics.openings import turned_places
from gough.kinematics.retraction import limit_steps, retract, step_units, turns_and_slides

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

PATIENCE_OF_SCREWS = 100
"""The same where a screw goes part of a turn between whole ones, time and again."""

Misses = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(q (k, nq), states (k,)) -> what v must still do to reach the targets (k, nv)."""


def follow(
    linkage: LedLinkage, start: np.ndarray, parameters: ParameterRows, misses: Misses, iterations: int = ITERATIONS
) -> tuple[np.ndarray, np.ndarray]:
    """(q (n, nq), failures (n,)) led from `start` until `misses` vanish and the loops are closed."""
    q = start.copy()
    failures = np.full(len(q), GOOD, dtype=object)
    unit = step_units(linkage.mechanism, linkage.size)
    own = unit[list(linkage.mechanism.selection.independent)]
    function = linkage.function("closing_step")
    active = np.flatnonzero(np.isfinite(q).all(axis=1))
    failures[~np.isfinite(q).all(axis=1)] = Status.NOT_FINITE.at("input q")
    last = np.full(len(q), np.inf)
    best, since = np.full(len(q), np.inf), np.zeros(len(q), dtype=int)
    reach = np.ones(len(q))
    turn, screwed = -1, turns_and_slides(linkage.mechanism)
    while len(active) and (turn := turn + 1) < iterations:
        wanted = misses(q[active], active)
        size = np.abs(wanted / own).max(axis=1, initial=0.0)
        if turn == 0 and not linkage.mechanism.rows:  # nothing follows: a slide may go far beyond the robot's size
            reach = np.maximum(np.where(np.isfinite(size), size, 1.0) / (LARGEST_STEP * FAR), 1.0)
        farthest = reach[active]
        lost = ~np.isfinite(size)
        failures[active[lost]] = Status.SINGULAR.at("targets")
        rows = parameters_of(parameters, active)
        open_ = closure_errors(linkage, q[active], rows) > OPEN
        limited = np.where(open_[:, None], 0.0, wanted / np.maximum(size / (LARGEST_STEP * farthest), 1.0)[:, None])
        step = function.values(q=q[active], v=limited, parameters=rows)["du"] / unit
        failed = _mend(function, q[active], limited, rows, step, unit, failures, active, lost)
        moved = np.abs(step).max(axis=1, initial=0.0)
        if turn == 0:  # a screw goes through many turns: as many steps more as the first one promises
            steps = size / LARGEST_STEP * np.maximum(moved / LARGEST_FOLLOWING, 1.0)
            iterations += min(int(2.0 * np.nan_to_num(steps, posinf=0.0).max(initial=0.0)), MOST_STEPS)
        if screwed:
            step = limit_steps(linkage.mechanism, step * unit, linkage.size, LARGEST_FOLLOWING) / unit
        else:
            step /= np.maximum(moved / (LARGEST_FOLLOWING * farthest), 1.0)[:, None]
        good = ~lost & ~failed
        q[active[good]] = retract(linkage.mechanism, q[active[good]], step[good] * unit)
        settled = (moved < 1e-15) | ((moved < 1e-11) & (moved >= 0.5 * last[active]))
        last[active] = moved
        effort = np.maximum(size, moved)
        nearer = effort < np.maximum(0.9 * best[active], best[active] - 0.5 * LARGEST_STEP)
        best[active] = np.where(nearer, effort, best[active])
        since[active] = np.where(nearer, 0, since[active] + 1)
        stuck = good & ~settled & (since[active] > (PATIENCE_OF_SCREWS if screwed else PATIENCE))
        failures[active[stuck]] = Status.NOT_CONVERGED.at(_place(linkage))
        active = active[good & ~settled & ~stuck]
    failures[active] = Status.NOT_CONVERGED.at(_place(linkage))
    _judge(linkage, q, parameters, failures)
    q[~are_good(failures)] = np.nan
    return q, failures


def _judge(linkage: LedLinkage, q: np.ndarray, parameters: ParameterRows, failures: np.ndarray) -> None:
    """Name what is wrong with states that have settled: loops that are open, or closed with a joint put in turned."""
    settled = np.flatnonzero(are_good(failures))
    rows = parameters_of(parameters, settled)
    open_ = ~(closure_errors(linkage, q[settled], rows) <= CLOSED)
    failures[settled[open_]] = Status.NOT_CONVERGED.at(_place(linkage))
    rows = parameters_of(parameters, settled[open_])
    for state, place in zip(settled[open_], turned_places(linkage, q[settled[open_]], rows), strict=True):
        if place:
            failures[state] = Status.OPEN_LOOP.at(place, Site.TURNED)


def _mend(function, q, v, parameters, step, unit, failures, active, lost) -> np.ndarray:
    """Take steps (in place) that fast code could not compute from a pivoted solve; mask (k,) of states that have none."""
    bad = ~np.isfinite(step).all(axis=1) & ~lost
    failed = np.zeros(len(q), dtype=bool)
    if bad.any():
        rows = parameters_of(parameters, bad)
        result = function(q=q[bad], v=v[bad], parameters=rows)
        step[bad] = result.outputs["du"] / unit
        failed[bad] = result.failures != GOOD
        failures[active[failed]] = result.failures[result.failures != GOOD]
    return failed


def _place(linkage: LedLinkage) -> str:
    return "pose" if linkage.mechanism.has_platform else "loops"


def tree_rates(linkage: LedLinkage, q: np.ndarray, parameters: ParameterRows, first: int | None = None) -> np.ndarray:
    """Γ (n, nu, nv): tree velocities per independent velocity, or per each of the `first` ones alone; whether or not the loops
    are quite closed."""
    nv = linkage.layout.nv
    rows = parameters if len(parameters) == 1 else parameters[:, None]
    function, v = linkage.function("tree_rates"), np.eye(nv)[:first]
    if len(q) == 1 and len(parameters) == 1:  # a state as a row of its own goes straight to machine code
        return function.values(q=q, v=v, parameters=rows)["u"].T[None]
    out = function.values(q=q[:, None, :], v=v, parameters=rows)["u"]
    return np.swapaxes(out, 1, 2)
