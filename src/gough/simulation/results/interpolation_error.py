"""How well a run can be interpolated between its stored states: every state is left out and interpolated from its neighbours.

The error so found, e₂, belongs to twice the spacing, e₄ to four times; where e₄/e₂ shows the order of a smooth motion, the error
of the spacing itself is e₂ over that ratio, else e₂: what a run lost between its stored states (`every`) does not come back.
Vibrations that stored states do not resolve make polynomials of high degree swing far beyond them: elastic coordinates are
interpolated by that degree, 5, 3 or 1, which has the least error so found, and forces of drives that follow a motion by inverse
dynamics of the interpolated motion or by cubics, whichever is better.
"""

from typing import Any

import numpy as np

from gough.simulation.results.run import Run
from gough.simulation.results.units import units_of

Array = np.ndarray
SAMPLES, FEW = 2000, 3
"""Stored states by which errors are estimated, and how many are too few to say anything."""
CONVERGES, MOST = 8.0, 64.0
"""Ratio e₄/e₂ above which a motion is smooth, and the largest that is believed."""
SMALL = 0.05
"""Part of a range above which e₂ says nothing of an order: stored states miss whole swings."""
ROUNDED = 1e-9
"""Errors of this part of the largest value are rounding."""
DEGREES = (5, 3, 1)


def left_out(run: Run, gap: int) -> Array:
    """Stored states (m,) that have neighbours `gap` before and behind without a jump between, SAMPLES of them at most."""
    t, n = run.time, len(run)
    at = np.arange(gap, n - gap)
    if not len(at):
        return at
    piece = np.add.accumulate(np.append(0, np.diff(t) == 0))
    at = at[(t[at] > t[at - gap]) & (t[at + gap] > t[at]) & (piece[at - gap] == piece[at + gap])]
    return at[np.unique(np.linspace(0, len(at) - 1, min(len(at), SAMPLES)).astype(int))] if len(at) else at


def share(run: Run, at: Array, gap: int) -> Array:
    """Where states (m,) stand between their neighbours, 0 … 1."""
    t = run.time
    return (t[at] - t[at - gap]) / (t[at + gap] - t[at - gap])


def elastic_degrees(run: Run) -> Array:
    """Degree (n_elastic,) of the polynomials of every elastic coordinate."""
    from gough.simulation.results.resample import interpolated

    columns = run.layout.elastic
    best = np.full(run.layout.n_elastic, DEGREES[0])
    at = left_out(run, 1)
    if len(at) < FEW:
        return best
    errors = []
    for degree in DEGREES:
        q = interpolated(run, at - 1, share(run, at, 1), at + 1, np.full(len(best), degree))[0]
        errors.append(np.nanmean(np.abs(q - run.q[at])[:, columns], axis=0))
    return np.array(DEGREES)[np.nanargmin(errors, axis=0)]


def cubic(run: Run, at: Array, gap: int) -> Array:
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


def interpolation_error(run: Run, forces: Any) -> dict[str, dict[str, Any]]:
    """{"q": …, "elastic": …, "tau": …}: of the column with the largest error over its range between stored states its name, the
    error with its unit, and relative to the range. forces(at, gap): drive forces as they are interpolated, None for held ones."""
    from gough.simulation.results.resample import interpolated

    at = left_out(run, 2)
    if len(at) < FEW:
        return {}
    missed = []
    for gap in (1, 2):
        q = interpolated(run, at - gap, share(run, at, gap), at + gap)[0]
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
