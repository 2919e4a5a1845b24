"""Static equilibrium: where a robot comes to rest under gravity and loads, and the drive forces that hold it.

What is held           unknowns                         equations (r: linear_forces)
the rigid part of q    idle and elastic coordinates, τ  r = 0
drive positions        all independent coordinates, τ   r = 0, drives = given
drive forces           all independent coordinates      r = 0
Newton's iteration with the exact stiffness, all states of a batch at once; the loops are closed on the way. Idle freedoms are
led downhill (`_led_down`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.arguments import a_model, checked, design, numbers, word, wrenches
from gough.compilation.arrays import as_array, as_rows, common_batch, parameter_rows
from gough.compilation.status import check_option, codes, complain
from gough.errors import GOOD, Failure, ReductionWarning, Site, Status, UsageError, warn
from gough.kinematics.closing import CLOSED, closure_errors
from gough.kinematics.lost import lost_direction
from gough.kinematics.openings import openings
from gough.kinematics.retraction import bad_quaternions, retract, step_units
from gough.model import Model
from gough.structure.elastic.places import numbers_at
from gough.structure.layout import Layout
from gough.text import short_repr

ITERATIONS = 60
LARGEST_STEP = 1.0
"""Largest step of a coordinate, in typical sizes: the robot's for lengths, rad, a large amplitude of elastic ones."""
BENT = 0.3
"""Turn (rad) of a frame by bending that is told: the elastica bends 4 % less then, about half its square."""
BALANCED = 1e-9
"""Accepted residual relative to the forces that balance: weight, springs, drives, loads, each by itself."""
NEUTRAL = 1e-13
"""Stiffness over what the forces themselves would give that is rounding: nothing leads back there."""
IDLE = 1e-11
"""The same of idle freedoms, against the largest: loops round them more."""
NOT_BALANCED = Status.SINGULAR.at(Site.STIFFNESS)
ROUNDING = 1e-5
"""Part of the stiffness times a typical size that is added to them: where nothing but springs balances, 1e-14 of what they
would carry when moved by that size is rounding."""


@dataclass(frozen=True)
class Equilibrium:
    """q (..., nq) at rest; tau (..., drives): drive forces that hold it (N, N m); elastic (..., n): elastic coordinates;
    residual (...): largest force out of balance, relative; status (...): codes."""

    q: np.ndarray
    tau: np.ndarray
    elastic: np.ndarray
    residual: np.ndarray
    status: np.ndarray

    __repr__ = short_repr


@checked(
    model=a_model,
    q=numbers,
    drives=numbers,
    tau=numbers,
    wrench=wrenches,
    near=numbers,
    parameters=design,
    on_bad_state=word,
)
def static_equilibrium(
    model: Model,
    pose: Any = None,
    *,
    q: Any = None,
    drives: Any = None,
    tau: Any = None,
    wrench: Any = None,
    near: Any = None,
    parameters: Any = None,
    on_bad_state: str = "raise",
) -> Equilibrium:
    """Rest under gravity, springs and a wrench ({frame: (..., 6)} or (..., 6) on a rigid platform).

    Held: the platform's pose, or the rigid part of q (default: home), or the drive positions `drives` (..., n), or the
    drive forces tau (..., n). near: where the search starts with drives or tau (default: home). Where forces balance and
    nothing leads back (neutral rest), q is the one next to where the search starts. Idle freedoms come to rest: a load that hangs
    from a robot hangs still, as far as forces lead it there; one that stands is left standing.
    """
    check_option(on_bad_state)
    if sum(x is not None for x in (pose, q, drives, tau)) > 1:
        raise UsageError("static_equilibrium: give one of pose=, q=, drives= or tau=")
    numbers = model.parameters
    if parameters is not None:
        changed = model.parameters_with(parameters) if isinstance(parameters, Mapping) else parameters
        numbers = as_array("parameters", changed, len(model.parameters))
    start, forces, held = _start(model, pose, q, drives, tau, near, numbers)
    given = dict(wrench) if isinstance(wrench, Mapping) else {} if wrench is None else {"": wrench}
    loads = [as_array(f"wrench {frame}".strip(), x, 6) for frame, x in given.items()]
    batch = common_batch("static_equilibrium", start, forces, numbers, *loads)
    rows, own = as_rows(start, batch), parameter_rows(numbers, batch)
    begin = np.where((bad_quaternions(model.mechanism, rows) != "")[:, None], np.nan, rows)
    found, push, off, names = _settle(model, begin, as_rows(forces, batch), held, wrench, own, drives, batch)
    names = _blame_start(model, rows, names, own)
    names[~np.isfinite(rows).all(axis=1)] = Status.NOT_FINITE.at("input")
    found[names != GOOD], push[names != GOOD] = np.nan, np.nan
    layout = model.layout
    result = Equilibrium(
        found.reshape(*batch, layout.nq),
        push.reshape(*batch, len(layout.drive_names)),
        found[:, layout.elastic].reshape(*batch, layout.n_elastic),
        off.reshape(batch),
        codes(names).reshape(batch),
    )
    if on_bad_state == "raise" and (names != GOOD).any():
        given = None if parameters is None else own

        def explain(k: int, failure: Failure) -> Callable[[], str]:
            return partial(_explain, model, rows[k].copy(), failure, given, k)

        complain("static_equilibrium", names, batch, result, explain)
    _tell_large_deflections(model, found[names == GOOD], own if len(own) == 1 else own[names == GOOD])
    return result


def _tell_large_deflections(model: Model, q: np.ndarray, parameters: np.ndarray) -> None:
    """Warn of the frame of a flexible body that turns most, where shapes for small deflections are off by per cents."""
    worst, where = BENT, ""
    for link in model.mechanism.links:
        if link.tie is None or not len(q):
            continue
        turning = numbers_at(parameters, link.tie.turning).reshape(len(parameters), -1, 3)
        e = q[:, link.tie.q : link.tie.q + link.tie.modes]
        angle = float(np.linalg.norm(np.sum(turning * e[:, :, None], axis=1), axis=1).max())
        if angle > worst:
            worst, where = angle, link.name
    if where:
        warn(
            f"at rest {where} is turned by {worst:.3g} rad ({np.degrees(worst):.3g} deg) by bending: shapes are made for small "
            f"deflections, and those of one body are off by about {50 * worst**2:.2g} % there; describe it as several bodies",
            ReductionWarning,
        )


def _explain(model: Model, q: np.ndarray, failure: Failure, parameters: np.ndarray | None, state: int) -> str:
    own = None if parameters is None else parameters[0 if len(parameters) == 1 else state]
    return "" if failure == NOT_BALANCED else lost_direction(model, q, failure, own)


def start_faults(model: Model, rows: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """What is wrong with each q (n, nq) that is given, GOOD where nothing is."""
    out = np.array(
        [Status.BAD_QUATERNION.at(place) if place else GOOD for place in bad_quaternions(model.mechanism, rows)], object
    )
    with np.errstate(invalid="ignore"):  # a quaternion of zeros
        gaps = closure_errors(model, rows, parameters)
    for k in np.flatnonzero(~(gaps < CLOSED) & (out == GOOD)):
        own = parameters[0 if len(parameters) == 1 else k]
        out[k] = (
            Status.OPEN_LOOP.at(openings(model, rows[k], own)[0].cut.name)
            if model.mechanism.rows
            else Status.NOT_FINITE.at("input")
        )
    return out


def _blame_start(model: Model, rows: np.ndarray, names: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """The failed checks (n,): where it failed because of the start q (n, nq), what is wrong with that."""
    quaternions = bad_quaternions(model.mechanism, rows)
    bad = np.flatnonzero((names != GOOD) | (quaternions != GOOD))
    if not len(bad):
        return names
    own = parameters if len(parameters) == 1 else parameters[bad]
    out, faults = names.copy(), start_faults(model, rows[bad], own)
    of_forces = np.full(len(bad), GOOD, dtype=object)
    if (faults == GOOD).any():
        forces = model.function("bias_force")(q=rows[bad], v=np.zeros(model.layout.nv), parameters=own)
        of_forces[forces.bad] = forces.failed
    out[bad] = np.where(faults != GOOD, faults, np.where(of_forces != GOOD, of_forces, names[bad]))
    return out


def _start(
    model: Model, pose: Any, q: Any, drives: Any, tau: Any, near: Any, numbers: np.ndarray
) -> tuple[np.ndarray, np.ndarray, str]:
    """(q to start from, drive forces to start from, what is held)."""
    count = len(model.mechanism.drives)
    none = np.zeros(count)
    begin = model.home if near is None else as_array("near", near, model.layout.nq)
    if tau is not None:
        return begin, as_array("tau", tau, count), "tau"
    if drives is not None:
        return model.configuration(drives=drives, near=near, parameters=numbers), none, "drives"
    if count < model.mobility:
        raise UsageError(
            f"static_equilibrium: {model.robot.name} has {count} drives for {model.mobility} freedoms, which cannot hold it "
            f"anywhere; give drive forces (tau=)"
        )
    if pose is not None:
        return model.configuration(pose, near=near, parameters=numbers), none, "rigid"
    return begin if q is None else as_array("q", q, model.layout.nq), none, "rigid"


def _settle(model, q, tau, held: str, wrench, parameters, drives, batch):
    """(q, tau, residuals (n,), failed checks (n,)) of rows."""
    q, tau = q.copy(), tau.copy()
    n = len(q)
    layout, unit = model.layout, step_units(model.mechanism, model.size)
    own = unit[list(model.mechanism.selection.independent)]
    targets = None if drives is None else as_rows(as_array("drives", drives, tau.shape[1]), batch)
    names = np.full(n, GOOD, dtype=object)
    off, last = np.full(n, np.inf), np.full(n, np.inf)
    active = np.flatnonzero(np.isfinite(q).all(axis=1))
    for _ in range(ITERATIONS):
        if not len(active):
            break
        here = parameters if len(parameters) == 1 else parameters[active]
        forces = RestForces(model, here, _part(wrench, active, batch))
        r, K, S = (
            forces.residual(q[active], tau[active]),
            forces.stiffness(q[active], tau[active]),
            forces.drive_map(q[active]),
        )
        miss = None if targets is None else targets[active] - q[active][:, model.drive_index]
        balancing = [np.abs(part * own).max(axis=1, initial=0.0) for part in forces.parts(q[active], tau[active])]
        stiff = np.abs(K * own * own[:, None])
        swung = stiff[:, layout.idle, layout.idle].max(
            axis=(1, 2), initial=0.0
        )  # what hangs pulls at all that carries it
        rounding = ROUNDING * np.maximum(stiff.max(axis=2, initial=0.0), swung[:, None])
        scale = np.sum(balancing, axis=0)[:, None] + _carried(model, K, q[active], own)[:, None] + rounding
        down = _led_down(K, r, own, layout)
        step, push = _newton(r, down, S, own, layout, held, miss, scale.max(axis=1, initial=0.0))
        off[active] = (np.abs(r * own) / np.maximum(scale, 1e-300)).max(axis=1, initial=0.0)
        size = np.abs(step / own).max(axis=1, initial=0.0)
        lost = ~np.isfinite(size)
        names[active[lost]] = NOT_BALANCED
        gap = np.zeros(len(active)) if miss is None else np.abs(miss).max(axis=1, initial=0.0) / model.size
        done = ~lost & (off[active] < BALANCED) & (gap < CLOSED) & ((size < 1e-12) | (size >= 0.5 * last[active]))
        last[active] = size
        go = ~lost & ~done
        shorter = np.maximum(size / LARGEST_STEP, 1.0)[go, None]
        active = active[go]
        if not len(active):
            break
        rows = parameters if len(parameters) == 1 else parameters[active]
        du = model.function("closing_step").values(q=q[active], v=step[go] / shorter, parameters=rows)["du"]
        q[active] = retract(model.mechanism, q[active], du)
        tau[active] += push[go] / shorter
    names[active] = _no_rest(model, q[active], tau[active], wrench, parameters, active, batch)
    good = np.flatnonzero((names == GOOD) & np.isfinite(q).all(axis=1))
    if len(good):
        rows = parameters if len(parameters) == 1 else parameters[good]
        names[good[closure_errors(model, q[good], rows) > CLOSED]] = Status.NOT_CONVERGED.at("loops")
    bad = names != GOOD
    q[bad], tau[bad] = np.nan, np.nan
    return q, tau, off, names


def _led_down(K: np.ndarray, r: np.ndarray, own: np.ndarray, layout: Layout) -> np.ndarray:
    """K (n, nv, nv) in which the stiffness of idle freedoms is such that Newton's step goes where forces r (n, nv) lead, downhill
    and not far: along its principal motions its size in place of its sign, at least what makes a step of LARGEST_STEP. Next to a
    stable rest it is K."""
    if not layout.v_idle:
        return K
    idle = np.arange(layout.nv)[layout.idle]
    stiff, motions, pushed = _idle_motions(K, r, own, idle)
    least = np.abs(pushed) / LARGEST_STEP
    more = np.where(stiff >= least, 0.0, np.maximum(np.abs(stiff), least) - stiff)
    out = K.copy()
    out[np.ix_(np.arange(len(K)), idle, idle)] += (
        np.einsum("nik,nk,njk->nij", motions, more, motions) / own[idle, None] / own[idle]
    )
    return out


def _idle_motions(
    K: np.ndarray, r: np.ndarray, own: np.ndarray, idle: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(stiffness (n, k), motions (n, k, k) in columns, forces along them (n, k)) of idle freedoms, in typical sizes; 0 where K or
    r is not finite."""
    scaled = K[:, idle][:, :, idle] * own[idle, None] * own[idle]
    finite = np.asarray(np.isfinite(scaled).all(axis=(1, 2)) & np.isfinite(r).all(axis=1))
    symmetric = 0.5 * (scaled + np.swapaxes(scaled, 1, 2))
    stiff, motions = np.linalg.eigh(np.where(finite[:, None, None], symmetric, 0.0))
    return stiff, motions, np.einsum("nji,nj->ni", motions, np.where(finite[:, None], (r * own)[:, idle], 0.0))


def _no_rest(model: Model, q, tau, wrench, parameters, active: np.ndarray, batch) -> np.ndarray:
    """Why the search has not ended at q (n, nq): nothing leads an idle freedom back, it goes on; or it is too slow."""
    out = np.full(len(q), Status.NOT_CONVERGED.at("equilibrium"), dtype=object)
    idle = np.arange(model.layout.nv)[model.layout.idle]
    if len(q) and len(idle):
        here = parameters if len(parameters) == 1 else parameters[active]
        forces = RestForces(model, here, _part(wrench, active, batch))
        own = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
        stiff, _, pushed = _idle_motions(forces.stiffness(q, tau), forces.residual(q, tau), own, idle)
        out[(np.abs(stiff) <= IDLE * np.abs(pushed)).any(axis=1)] = NOT_BALANCED
    return out


def _carried(model: Model, K: np.ndarray, q: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Size (n,) of the forces by which bent bodies carry what acts on them: there may be nothing left for the drives."""
    columns = model.mechanism.selection.independent
    places = [
        (columns.index(u), link.elastic.q + j)
        for link in model.mechanism.links
        if link.elastic is not None
        for j, u in enumerate(link.elastic.columns)
        if u in columns
    ]
    rows, at = [k for k, _ in places], [i for _, i in places]
    stiff = np.abs(K[:, rows][:, :, rows] * own[rows, None])
    return np.einsum("nij,nj->ni", stiff, np.abs(q[:, at])).max(axis=1, initial=0.0)


def _newton(r, K, S, own, layout: Layout, held: str, miss, scale) -> tuple[np.ndarray, np.ndarray]:
    """(steps (n, nv) along v, changes of tau (n, drives)); NaN where there is none. scale (n,): of the forces, in r * own."""
    n, nv, count = S.shape
    if held == "tau":
        return _shortest(K * own[:, None] * own, -r * own, scale) * own, np.zeros((n, count))
    free = np.arange(layout.mobility, nv) if held == "rigid" else np.arange(nv)
    K = K[:, :, free] * own[:, None] * own[free]
    S = S * own[:, None]
    largest = np.abs(K).max(axis=(1, 2), initial=0.0)
    if layout.v_idle:  # a wheel: its stiffness may be rounding
        largest = np.maximum(largest, scale)
    size = largest / np.maximum(np.abs(S).max(axis=(1, 2), initial=0.0), 1e-300)
    size = np.where((size > 0) & np.isfinite(size), size, 1.0)[:, None, None]
    if held == "rigid":
        A = np.concatenate([K / size, -S], axis=2)
        x = _shortest(A, -r * own, scale, IDLE) if layout.v_idle else _solve(A, -r * own)
        step = np.zeros((n, nv))
        step[:, free] = x[:, : len(free)] / size[:, 0] * own[free]
        return step, x[:, len(free) :]
    A = np.zeros((n, nv + count, nv + count))
    A[:, :nv, :nv], A[:, :nv, nv:], A[:, nv:, :nv] = K / size, -S, np.swapaxes(S, 1, 2)
    b = np.concatenate([-r * own / size[:, 0], miss], axis=1)
    x = _shortest(A, b, scale / size[:, 0, 0], IDLE) if layout.v_idle else _solve(A, b)
    return x[:, :nv] * own, x[:, nv:] * size[:, 0]


def _shortest(A: np.ndarray, b: np.ndarray, scale: np.ndarray, least: float | None = None) -> np.ndarray:
    """Solutions (n, k) of systems (n, m, k). Where nothing leads back along a motion (neutral rest: a planar robot across
    gravity) that motion is left out; NaN where forces are out of balance along it. least: of the largest, in place of NEUTRAL of
    the forces."""
    finite = np.asarray(np.isfinite(A).all(axis=(1, 2)) & np.isfinite(b).all(axis=1))
    u, s, vt = np.linalg.svd(np.where(finite[:, None, None], A, 0.0), full_matrices=False)
    limit = s.max(axis=1, initial=0.0)
    neutral = s <= (NEUTRAL * np.maximum(limit, scale) if least is None else least * limit)[:, None]
    left = np.einsum("nji,nj->ni", u, b)
    short = np.einsum("nji,nj->ni", vt, np.where(neutral, 0.0, left) / np.where(neutral, 1.0, s))
    short[(neutral & (np.abs(left) > BALANCED * scale[:, None])).any(axis=1)] = np.nan
    return np.where(np.asarray(neutral.any(axis=1))[:, None], short, _solve(A, b))


def _solve(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solutions (n, k) of square systems, least squares and shortest for others; NaN where singular."""
    finite = np.asarray(np.isfinite(A).all(axis=(1, 2)) & np.isfinite(b).all(axis=1))
    out = np.full((len(A), A.shape[2]), np.nan)
    if not finite.any():
        return out
    if A.shape[1] != A.shape[2]:
        out[finite] = np.einsum("nij,nj->ni", np.linalg.pinv(A[finite], rcond=1e-13), b[finite])
        return out
    try:
        out[finite] = np.linalg.solve(A[finite], b[finite][..., None])[..., 0]
    except np.linalg.LinAlgError:
        for i in np.flatnonzero(finite):
            if np.linalg.matrix_rank(A[i]) == len(A[i]):
                out[i] = np.linalg.solve(A[i], b[i])
    return out


def _part(wrench: Any, active: np.ndarray, batch: tuple[int, ...]) -> Any:
    """The wrench of some rows of a batch."""
    if wrench is None:
        return None
    if isinstance(wrench, dict):
        return {frame: _part(value, active, batch) for frame, value in wrench.items()}
    value = np.asarray(wrench, dtype=float)
    return value if value.ndim == 1 else as_rows(value, batch)[active]
