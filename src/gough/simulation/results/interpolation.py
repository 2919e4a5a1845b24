"""Interpolation between stored states: Hermite polynomials of values and derivatives, local cubics of bare samples.

Time may be stored twice (a jump: the value before, then the value after); what is smooth ends and starts there.
"""

from itertools import pairwise

import numpy as np

Array = np.ndarray


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
