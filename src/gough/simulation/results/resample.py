"""A run at other times.

Method    All coordinates of the robot's tree are interpolated between stored states by quintic Hermite polynomials of values,
          rates and accelerations; orientations by the same polynomial of the rotation vector from the interval's first
          state, so that they stay rotations (turns below half a turn between stored states). Loops are closed afterwards with
          the independent coordinates kept. v and v̇ are the polynomial's derivatives. Where v hardly tells the other rates (near
          a singularity of v), loops are closed by the shortest way, and v and v̇ are those that fit all rates of the tree best.
Accuracy  For spacing h and smooth motion: q to h⁶, v to h⁵, v̇ to h⁴, forces, wrenches and recorded channels (local cubics)
          to h⁴. Stored states come back as they are. Where a state has no acceleration (a singular one) q is cubic, h⁴;
          where it has no rates, straight.
Forces    of drives that follow a motion exactly are those the interpolated motion needs (inverse dynamics): friction reverses
          where the joint does, and not between two stored states.
Error     Every stored state is left out and interpolated from its neighbours. The error so found, e₂, belongs to twice the
          spacing, e₄ to four times; where e₄/e₂ shows the order of a smooth motion, the error of the spacing itself is e₂ over
          that ratio, else e₂: what a run lost between its stored states (`every`) does not come back. Forces of drives that
          follow a motion are by inverse dynamics of the interpolated motion or by cubics, whichever is better. Errors above
          WORTH_TELLING of a coordinate's or force's range are warned about.
Jumps     Nothing is interpolated across a time that is stored twice; at that time the state after it counts. With `tau_held`
          forces are those of the interval's start, and so are the accelerations at its end.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import floats
from gough.errors import RunWarning, Status, UsageError, warn
from gough.kinematics.closing import close
from gough.kinematics.following import tree_rates
from gough.kinematics.mobility import CLOSED
from gough.kinematics.retraction import step_units
from gough.simulation.control.follow import Follow
from gough.simulation.coordinates import units_of
from gough.simulation.results._recorded import lock_array
from gough.simulation.results.interpolation import (
    FEW,
    interpolated_motion,
    interpolated_samples,
    intervals,
    left_out_states,
    place_in,
    share,
    tree_motion,
)

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

Array = np.ndarray

ROUNDING = 1e-12
"""Times may lie outside the run by this part of its length."""
FITTING = 1e-6
"""Of the largest rate (sizes of the robot and rad): v tells the rates of the tree."""
LARGEST = 50_000_000
"""States of a resampled run."""
HALF_TURN = 0.9 * np.pi
"""Between two stored states, rad."""
WORTH_TELLING = 0.01
"""Error of a coordinate or force over its range that is warned about."""
CONVERGES, MOST = 8.0, 64.0
"""Ratio e₄/e₂ above which a motion is smooth, and the largest that is believed."""
SMALL = 0.05
"""Part of a range above which e₂ says nothing of an order: stored states miss whole swings."""
ROUNDED = 1e-9
"""Errors of this part of the largest value are rounding."""


def resample(run: "Run", times: Any, rate: float | None, tell: bool = True) -> "Run":
    """See `Run.resample`. tell: whether errors are estimated, and warned about."""
    wanted = _wanted(run, times, rate)
    if len(run) == 1:
        i = np.zeros(len(wanted), dtype=int)
        s = np.zeros(len(wanted))
    else:
        i = intervals(run.time, wanted)
        s = place_in(run.time, i, wanted)
    q, rates, bends = interpolated_motion(run, i, s)
    independent = list(run.model.mechanism.selection.independent)
    v, acceleration = rates[:, independent], bends[:, independent]
    exact = np.where(s == 0.0, i, np.where(s == 1.0, np.minimum(i + 1, len(run) - 1), -1))
    free = q
    q, status = _closed(run, q.copy(), exact < 0, i)
    kept = exact >= 0
    _mend(run, (q, v, acceleration), np.flatnonzero(~kept), (free, rates, bends), status)
    q[kept], v[kept], acceleration[kept] = (x[exact[kept]] for x in (run.q, run.v, run.acceleration))
    status[kept] = run.status[exact[kept]]
    held = np.where(kept, exact, i)
    tau = run.tau[held] if run.tau_held else interpolated_samples(run.time, run.tau, wanted)
    wrench = {frame: lock_array(interpolated_samples(run.time, w, wanted)) for frame, w in run.wrench.items()}
    rows = np.flatnonzero(~kept)
    if len(rows) and _by_motion(run):
        there = {frame: w[rows] for frame, w in wrench.items()}
        found = _needed(run, (q[rows], rates[rows], bends[rows]), there)
        good = np.isfinite(found).all(axis=1)
        tau[rows[good]] = found[good]
    if tell and len(rows):
        run = _told(run)
    recorded = {}
    for name, r in run.recorded.items():
        if not r.derived:
            columns = interpolated_samples(run.time, r.values.reshape(len(run), -1), wanted)
            recorded[name] = replace(r, values=lock_array(columns.reshape(-1, *r.values.shape[1:])))
    return replace(
        run,
        time=lock_array(wanted),
        q=lock_array(q),
        v=lock_array(v),
        tau=lock_array(tau),
        given_acceleration=lock_array(acceleration),
        given_status=lock_array(status),
        wrench=wrench,
        recorded=recorded,
        _cache={},
    )


def _mend(
    run: "Run", told: tuple[Array, Array, Array], rows: Array, tree: tuple[Array, Array, Array], status: Array
) -> None:
    """Corrects q, v, v̇ in rows (m,) whose v do not give the rates of the interpolated tree (q, u, u̇)."""
    model = run.model
    if not len(rows) or not model.mechanism.selection.blocks:
        return
    (q, v, acceleration), (free, u, ud) = told, tree
    motion, design = model.function("joint_motion"), run.design
    unit = step_units(model.mechanism, model.size)
    found = motion(q=q[rows], v=v[rows], vdot=acceleration[rows], parameters=design).outputs["u"]
    off = np.abs((found - u[rows]) / unit).max(axis=1)
    rows = rows[~(off <= FITTING * np.abs(u / unit).max())]
    closed, gap = close(model, free[rows], np.atleast_2d(design))
    rows, closed = rows[gap < CLOSED], closed[gap < CLOSED]
    if not len(rows):
        return
    inverse = np.linalg.pinv(tree_rates(model, closed, np.atleast_2d(design)) / unit[:, None])
    q[rows], status[rows] = closed, np.where(status[rows] == Status.NOT_CONVERGED, 0, status[rows])
    v[rows] = np.einsum("nij,nj->ni", inverse, u[rows] / unit)
    still = motion(q=closed, v=v[rows], vdot=0.0 * v[rows], parameters=design).outputs["ud"]
    acceleration[rows] = np.einsum("nij,nj->ni", inverse, (ud[rows] - still) / unit)


def _follows(run: "Run") -> bool:
    """Whether the drives followed a motion exactly, so that forces are what it needs."""
    law = run.info.controller
    return isinstance(law, Mapping) and law.get("law") == Follow.name and run.model.driven and not run.tau_held


def _needed(run: "Run", motion: tuple[Array, Array, Array], wrench: Mapping[str, Array]) -> Array:
    """Forces (m, drives) of a motion (q, tree rates, their derivatives), loops closed; NaN where there are none."""
    model = run.model
    own = list(model.mechanism.selection.independent)
    loads = {frame or model.mechanism.platform.name: w for frame, w in wrench.items()} or None
    q, u, ud = motion
    acceleration = ud[:, own][:, : model.mobility]
    return model.inverse_dynamics(q, u[:, own], acceleration, loads, parameters=run.parameters, on_bad_state="mark").tau


def _needed_at(run: "Run", at: Array, gap: int) -> Array:
    """Forces (m, drives) at stored states (m,) that are left out, by the motion interpolated from their neighbours."""
    q, u, ud = interpolated_motion(run, at - gap, share(run, at, gap), at + gap)
    q = run.model.project(q, run.parameters, on_bad_state="mark") if run.model.mechanism.rows else q
    return _needed(run, (q, u, ud), {frame: w[at] for frame, w in run.wrench.items()})


def _by_motion(run: "Run") -> bool:
    """Whether forces of a run that followed a motion are better computed from it than interpolated."""

    def make() -> bool:
        at = left_out_states(run, 1)
        if not _follows(run) or len(at) < FEW:
            return _follows(run)
        errors = [np.abs(f(run, at, 1) - run.tau[at]) for f in (_needed_at, cubic)]
        known = np.isfinite(errors[0] + errors[1]).all(axis=1)
        return bool(not known.any() or np.max(errors[0][known]) <= np.max(errors[1][known]))

    return run.cached("forces by motion", make)


def _told(run: "Run") -> "Run":
    """The run with the errors of its interpolation among its settings; large ones are warned about."""
    how = _needed_at if _by_motion(run) else cubic

    def make() -> dict[str, Any]:
        return interpolation_error(run, None if run.tau_held else lambda at, gap: how(run, at, gap))

    found = run.cached("interpolation error", make)
    turned, name = _largest_turn(run)
    if turned > HALF_TURN:
        warn(
            f"{run.robot.name}: resample: {name} turns by about {turned:.3g} rad between two stored states, and more than half a "
            "turn cannot be told from less; keep more of them (every=), or take their own times",
            RunWarning,
        )
    large = [e for e in found.values() if e["relative"] > WORTH_TELLING]
    if large:
        shown = "; ".join(
            f"{e['column']} by about {e['error']:.2g} {e['unit']} ({100 * e['relative']:.2g} % of its range)"
            for e in large
        )
        warn(
            f"{run.robot.name}: resample: stored states are too far apart for what happens between them: {shown}; keep more of "
            "them (every=), or take their own times",
            RunWarning,
        )
    return run.described(settings={**run.info.settings, "interpolation_error": found}) if found else run


def _largest_turn(run: "Run") -> tuple[float, str]:
    """(largest angle (rad), of what) by which a platform or ball joint turns between two stored states, by its rates."""
    largest = (0.0, "")
    u, h = tree_motion(run)[0], np.diff(run.time)
    for link in run.model.mechanism.links:
        if link.spin is not None and len(h):
            speed = np.linalg.norm(u[:, link.spin], axis=1)
            turns = 0.5 * (speed[1:] + speed[:-1]) * h
            turn = float(np.nanmax(turns)) if np.isfinite(turns).any() else 0.0
            largest = max(largest, (turn, link.name))
    return largest


def _wanted(run: "Run", times: Any, rate: float | None) -> Array:
    if (times is None) == (rate is None):
        raise UsageError("resample: give either times or rate=")
    first, last = run.time[0], run.time[-1]
    if rate is not None:
        count = int(np.floor((last - first) * rate * (1 + ROUNDING))) + 1
        if count > LARGEST:
            raise UsageError(f"resample: rate={rate:g} makes {count} states; {LARGEST} are the most")
        return np.minimum(first + np.arange(count) / rate, last)
    t = np.atleast_1d(floats("resample: times", times))
    if t.ndim != 1 or not len(t) or not np.isfinite(t).all():
        raise UsageError(f"resample: times have shape {t.shape}; give finite times (m,), at least one")
    if (np.diff(t) <= 0).any():
        raise UsageError("resample: times must increase")
    slack = ROUNDING * max(last - first, abs(first), abs(last))
    if t[0] < first - slack or t[-1] > last + slack:
        raise UsageError(f"resample: times {t[0]:g} … {t[-1]:g} s, but the run has {first:g} … {last:g} s")
    return np.clip(t, first, last)


def _closed(run: "Run", q: Array, open_: Array, i: Array) -> tuple[Array, Array]:
    """q with its loops closed where they may be open, and the status of all states."""
    nxt = np.minimum(i + 1, len(run) - 1)
    status = np.maximum(run.status[i], run.status[nxt]).astype(np.uint8)
    at = np.flatnonzero(open_)
    if len(at) and run.model.mechanism.rows:
        closed = run.model.project(q[at], run.parameters, on_bad_state="mark")
        good = np.isfinite(closed).all(axis=1)
        q[at[good]] = closed[good]
        status[at[~good]] = Status.NOT_CONVERGED
    return q, status


def cubic(run: "Run", at: Array, gap: int) -> Array:
    """Forces (m, drives) at stored states by the cubic of two neighbours on either side; NaN where there are not as many."""
    t, n = run.time, len(run)
    window = at[:, None] + gap * np.array([-2, -1, 1, 2])
    good = np.asarray(((window >= 0) & (window < n)).all(axis=1))
    good[good] &= (np.diff(t[window[good]], axis=1) > 0).all(axis=1)
    node = t[window[good]] - t[at[good]][:, None]
    weights = np.ones_like(node)
    for a in range(4):
        for b in range(4):
            if a != b:
                weights[:, a] *= node[:, b] / (node[:, b] - node[:, a])
    out = np.full((len(at), run.tau.shape[1]), np.nan)
    out[good] = np.einsum("mp,mpk->mk", weights, run.tau[window[good]])
    return out


def interpolation_error(run: "Run", forces: Any) -> dict[str, dict[str, Any]]:
    """{"q": …, "elastic": …, "tau": …}: of the column with the largest error over its range between stored states its name, the
    error with its unit, and relative to the range. forces(at, gap): drive forces as they are interpolated, None for held ones."""
    at = left_out_states(run, 2)
    if len(at) < FEW:
        return {}
    missed = []
    for gap in (1, 2):
        q = interpolated_motion(run, at - gap, share(run, at, gap), at + gap)[0]
        missed.append((np.abs(q - run.q[at]), None if forces is None else np.abs(forces(at, gap) - run.tau[at])))
    layout, told = run.layout, units_of(run.model)
    elastic = list(range(layout.nq))[layout.elastic]
    plain = [k for k in range(layout.nq) if k not in elastic and layout.q_units[k] != "1"]  # no quaternions
    groups = [("q", 0, plain, layout.q_names, told.q, run.q), ("elastic", 0, elastic, layout.q_names, told.q, run.q)]
    if forces is not None:
        groups.append(("tau", 1, list(range(run.tau.shape[1])), layout.drive_names, layout.drive_units, run.tau))
    out = {}
    for name, i, places, names, units, values in groups:
        if not places:
            continue
        near, far = (np.where(np.isfinite(m[i]), m[i], 0.0)[:, places].max(axis=0) for m in missed)
        ratio = np.minimum(far / np.maximum(near, 1e-300), MOST)
        size = np.nanmax(values[:, places], axis=0) - np.nanmin(values[:, places], axis=0)
        smooth = (ratio >= CONVERGES) & (near < SMALL * size)
        error = np.where(smooth, near / np.maximum(ratio, 1.0), near)
        floor = ROUNDED * max(float(np.nanmax(np.abs(values[:, places]), initial=0.0)), 1e-300)
        relative = np.where(error > floor, error / np.maximum(size, floor), 0.0)
        k = int(np.argmax(relative))
        column = {"column": names[places[k]], "error": float(error[k]), "unit": units[places[k]]}
        out[name] = column | {"relative": float(relative[k])}
    return out
