"""Interpolation between stored states: Hermite polynomials of values and derivatives, local cubics of bare samples.

Time may be stored twice (a jump: the value before, then the value after); what is smooth ends and starts there.

A robot's tree is interpolated by quintic Hermite polynomials, loops not yet closed. Vibrations that stored states do not resolve
make polynomials of high degree swing far beyond them: elastic coordinates are interpolated by that degree, 5, 3 or 1, which has
the least error where stored states are left out.
"""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gough.simulation.coordinates import plain_coordinates
from gough.spatial.charts import CONJUGATE, from_rotation_vector, rotate, rotation_vector_rates
from gough.spatial.poses import quaternion_product, rotation_vector

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

Array = np.ndarray
SAMPLES, FEW = 2000, 3
"""Stored states by which errors are estimated, and how many are too few to say anything."""
DEGREES = (5, 3, 1)


def pieces(time: Array) -> list[tuple[int, int]]:
    """(first, end) of the stretches of samples between jumps."""
    jumps = np.flatnonzero(np.diff(time) == 0.0) + 1
    ends = [0, *jumps.tolist(), len(time)]
    return list(pairwise(ends))


def intervals(time: Array, wanted: Array) -> Array:
    """The interval (first sample of it) that holds each wanted time; a time that is stored starts its interval."""
    last = max(len(time) - 2, 0)
    return np.clip(np.searchsorted(time, wanted, side="right") - 1, 0, last)


def place_in(time: Array, i: Array, wanted: Array) -> Array:
    """Where in its interval, 0 … 1, each wanted time lies; after a jump at the run's end: 1."""
    h = time[i + 1] - time[i]
    return np.where(h > 0, (wanted - time[i]) / np.where(h > 0, h, 1.0), 1.0)


def hermite(
    s: Array, h: Array, ends: tuple[Array, Array], rates: tuple[Array, Array], accelerations: tuple[Array, Array]
) -> tuple[Array, Array, Array]:
    """(value, rate, acceleration), each (m, n), at s (m,) in [0, 1] of intervals of length h (m,).

    Quintic where both ends have an acceleration, cubic where they have only rates, else straight (NaN: not known).
    """
    s, h = s[:, None], np.where(h > 0, h, 1.0)[:, None]
    rise = ends[1] - ends[0]
    d, a = [h * x for x in rates], [h * h * x for x in accelerations]
    # coefficients of s … s⁵
    quintic = (
        d[0],
        0.5 * a[0],
        10 * rise - 6 * d[0] - 4 * d[1] - 1.5 * a[0] + 0.5 * a[1],
        -15 * rise + 8 * d[0] + 7 * d[1] + 1.5 * a[0] - a[1],
        6 * rise - 3 * d[0] - 3 * d[1] - 0.5 * a[0] + 0.5 * a[1],
    )
    none = np.zeros_like(rise)
    cubic = (d[0], 3 * rise - 2 * d[0] - d[1], -2 * rise + d[0] + d[1], none, none)
    straight = (rise, none, none, none, none)
    moves = np.isfinite(d[0] + d[1]).all(axis=1, keepdims=True)
    bends = moves & np.isfinite(a[0] + a[1]).all(axis=1, keepdims=True)
    k = [
        np.where(bends, five, np.where(moves, three, one))
        for five, three, one in zip(quintic, cubic, straight, strict=True)
    ]
    value = ends[0] + s * (k[0] + s * (k[1] + s * (k[2] + s * (k[3] + s * k[4]))))
    rate = k[0] + s * (2 * k[1] + s * (3 * k[2] + s * (4 * k[3] + s * 5 * k[4])))
    acceleration = 2 * k[1] + s * (6 * k[2] + s * (12 * k[3] + s * 20 * k[4]))
    return value, rate / h, acceleration / (h * h)


def local_cubics(time: Array, samples: Array) -> Array:
    """Polynomials (n - 1, 4, k) in s ∈ [0, 1] on every interval, through the four samples (n, k) about it; lower degrees in
    stretches of fewer samples. Nothing is taken across a jump."""
    n = len(time)
    out = np.zeros((max(n - 1, 0), 4, samples.shape[1]))
    h = np.diff(time)
    for first, end in pieces(time):
        count = min(4, end - first)
        if count < 2:
            continue
        i = np.arange(first, end - 1)
        start = np.clip(i - 1, first, end - count)
        window = start[:, None] + np.arange(count)
        x = (time[window] - time[i][:, None]) / h[i][:, None]
        powers = x[:, :, None] ** np.arange(count)
        out[i, :count] = np.linalg.solve(powers, samples[window])
    return out


def interpolated_samples(time: Array, samples: Array, wanted: Array) -> Array:
    """Samples (n, k) at wanted times (m,), by local cubics."""
    if len(time) == 1:
        return np.repeat(samples, len(wanted), axis=0)
    k = local_cubics(time, samples)
    i = intervals(time, wanted)
    s = place_in(time, i, wanted)[:, None]
    values = samples[i] + s * (k[i, 1] + s * (k[i, 2] + s * k[i, 3]))
    return np.where(s == 1.0, samples[i + 1], values)


def interpolated_motion(
    run: "Run", i: Array, s: Array, nxt: Array | None = None, degrees: Array | None = None
) -> tuple[Array, Array, Array]:
    """q (m, nq) with loops not yet closed, tree rates u and u̇ (m, nu) at s (m,) of the intervals that start at i (m,) and end at
    nxt (m,), default the next stored states. degrees (n_elastic,): of elastic coordinates, default the best."""
    mechanism = run.model.mechanism
    nxt = np.minimum(i + 1, len(run) - 1) if nxt is None else nxt
    h = run.time[nxt] - run.time[i]
    u, start, end = tree_motion(run)
    start, end = start[i], end[nxt]
    q = run.q[i].copy()
    rate, acceleration = u[i].copy(), start.copy()
    plain = plain_coordinates(mechanism)
    at_q, at_u = [a for a, _ in plain], [b for _, b in plain]
    q[:, at_q], rate[:, at_u], acceleration[:, at_u] = hermite(
        s, h, (run.q[i][:, at_q], run.q[nxt][:, at_q]), (u[i][:, at_u], u[nxt][:, at_u]), (start[:, at_u], end[:, at_u])
    )
    if run.layout.n_elastic:
        best = run.cached("elastic degrees", lambda: elastic_degrees(run)) if degrees is None else degrees
        bent = range(run.layout.nq)[run.layout.elastic]
        for degree in set(best.tolist()) - {5}:
            some = [(a, b) for a, b in plain if a in bent and best[a - bent.start] == degree]
            a_q, a_u = [a for a, _ in some], [b for _, b in some]
            none = np.full((len(i), len(some)), np.nan)
            slopes = (u[i][:, a_u], u[nxt][:, a_u]) if degree == 3 else (none, none)
            ends = (run.q[i][:, a_q], run.q[nxt][:, a_q])
            q[:, a_q], rate[:, a_u], acceleration[:, a_u] = hermite(s, h, ends, slopes, (none, none))
    for link in mechanism.links:
        place, turns = link.quaternion, link.spin
        if place is None or turns is None:
            continue
        ends = run.q[i, place], run.q[nxt, place]
        spins, pushes = (u[i][:, turns], u[nxt][:, turns]), (start[:, turns], end[:, turns])
        in_body = link.motion.spins_in_body
        q[:, place], rate[:, turns], acceleration[:, turns] = _rotation(s, h, ends, spins, pushes, in_body)
    return q, rate, acceleration


def tree_motion(run: "Run") -> tuple[Array, Array, Array]:
    """Tree rates u, and their derivatives at the start of the interval after and at the end of the one before each state."""
    return run.cached("tree motion", lambda: _tree_motion(run))


def _tree_motion(run: "Run") -> tuple[Array, Array, Array]:
    f = run.model.function("joint_motion")
    here = f(q=run.q, v=run.v, vdot=run.acceleration, parameters=run.design).outputs
    if not run.tau_held or len(run) == 1:
        return here["u"], here["ud"], here["ud"]
    before = run.tau[np.maximum(np.arange(len(run)) - 1, 0)]
    pushed = run.model.forward_dynamics(
        run.q, run.v, before, run.loads, parameters=run.parameters, on_bad_state="mark"
    ).vdot
    return here["u"], here["ud"], f(q=run.q, v=run.v, vdot=pushed, parameters=run.design).outputs["ud"]


def _rotation(
    s: Array,
    h: Array,
    ends: tuple[Array, Array],
    spins: tuple[Array, Array],
    pushes: tuple[Array, Array],
    in_body: bool,
) -> tuple[Array, Array, Array]:
    """Quaternion, angular velocity and acceleration at s; in_body: these are in the axes of the body, else of its parent."""
    if in_body:  # the derivative of ω is the same vector in both axes
        spins = (rotate(ends[0], spins[0]), rotate(ends[1], spins[1]))
        pushes = (rotate(ends[0], pushes[0]), rotate(ends[1], pushes[1]))
    phi = rotation_vector(quaternion_product(ends[1], ends[0] * CONJUGATE))
    rate, bend = rotation_vector_rates(phi, spins[1], pushes[1])
    motion = hermite(s, h, (np.zeros_like(phi), phi), (spins[0], rate), (pushes[0], bend))
    turn, w, a = from_rotation_vector(*motion)
    q = quaternion_product(turn, ends[0])
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    if in_body:
        w, a = rotate(q * CONJUGATE, w), rotate(q * CONJUGATE, a)
    return q, w, a


def left_out_states(run: "Run", gap: int) -> Array:
    """Stored states (m,) that have neighbours `gap` before and behind without a jump between, SAMPLES of them at most."""
    t, n = run.time, len(run)
    at = np.arange(gap, n - gap)
    if not len(at):
        return at
    piece = np.add.accumulate(np.append(0, np.diff(t) == 0))
    at = at[(t[at] > t[at - gap]) & (t[at + gap] > t[at]) & (piece[at - gap] == piece[at + gap])]
    return at[np.unique(np.linspace(0, len(at) - 1, min(len(at), SAMPLES)).astype(int))] if len(at) else at


def share(run: "Run", at: Array, gap: int) -> Array:
    """Where states (m,) stand between their neighbours, 0 … 1."""
    t = run.time
    return (t[at] - t[at - gap]) / (t[at + gap] - t[at - gap])


def elastic_degrees(run: "Run") -> Array:
    """Degree (n_elastic,) of the polynomials of every elastic coordinate."""
    columns = run.layout.elastic
    best = np.full(run.layout.n_elastic, DEGREES[0])
    at = left_out_states(run, 1)
    if len(at) < FEW:
        return best
    errors = []
    for degree in DEGREES:
        q = interpolated_motion(run, at - 1, share(run, at, 1), at + 1, np.full(len(best), degree))[0]
        errors.append(np.nanmean(np.abs(q - run.q[at])[:, columns], axis=0))
    return np.array(DEGREES)[np.nanargmin(errors, axis=0)]
