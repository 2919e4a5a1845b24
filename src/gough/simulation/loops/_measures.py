"""What a loop bears: margins one drive at a time and of all together, by its sensitivity at the drives.

With the other drives as they are, gain g of drive k or a factor e^{-jφ} there brings the loop to the border of stability where
L_k = -1/g, or L_k e^{-jφ} = -1. A gain and phase at once, g e^{jφ} within the disk of size α around 1, it bears where
α < 1/max |S_kk - 1/2| [Seiler, Packard, Gahinet 2020]; all drives at once and each otherwise where α < 1/μ(S - 1/2), of which the
largest singular value is a bound, here after scaling drives against each other.

What all drives have in common, a factor g, a phase e^{-jφ} or a delay e^{-jωτ}, brings the loop to the border where an eigenvalue
λ of L is -1/g, or λ e^{-jφ} = -1: where |λ| = 1. On a clock such a delay is exact for whole periods alone; `_delay_of_all` asks
loops whose forces arrive later (`ClockedLoops.late`) for their poles.
"""

from collections.abc import Callable
from math import ceil

import numpy as np

from gough.simulation.linear.open_loop import ClockedLoops, OpenLoops
from gough.simulation.loops._frequencies import Responses, continuous_poles

Array = np.ndarray
STABLE = 1e-9
"""Real part of a pole over the largest that is none."""
NOTHING = 1e-6
"""Sensitivity that is none."""
BALANCINGS = 6
MEASURES = {
    "gain_margin": 2,
    "phase_margin_deg": 1,
    "delay_margin": 1,
    "crossover_hz": 1,
    "bandwidth_hz": 1,
    "disk_margin": 1,
}
"""Of every drive, and how many numbers."""
FIRST = 0.5**0.5
"""|S| at the bandwidth."""
ALL = {"gain_margin_all": (2,), "phase_margin_deg_all": (), "delay_margin_all": ()}
"""Of what all drives have in common, and the shape of each."""
FAINT = 1e-8
"""|λ| that no gain brings to 1."""
PARTS = 8
"""Of a period, at whose ends loops with later forces are looked at."""
LOOKED, MORE = 12, 2
"""Periods of a delay by lags up to which they are, so many more than those; where it is longer, so many at first."""


def growth(loops: OpenLoops) -> Array:
    """Largest real part (n,) of the closed loops' poles, 1/s."""
    poles = continuous_poles(np.linalg.eigvals(loops.closed), loops.period)
    return np.where(np.isnan(poles), -np.inf, np.real(poles)).max(axis=1)


def is_stable(loops: OpenLoops) -> Array:
    """Whether all of the closed loops' poles (n,) die out, by more than rounding."""
    values = np.linalg.eigvals(loops.closed)
    if loops.period is not None:
        return np.abs(values).max(axis=1) < 1.0 - STABLE
    return np.real(values).max(axis=1) < -STABLE * np.abs(values).max(axis=1)


def measure_loops(loops: OpenLoops, sizes: Array) -> dict[str, Array]:
    """Margins of stable loops (n,): those of MEASURES (n, drives) or (n, drives, 2), disk_margin_all, sensitivity_peak, peak_hz
    (n,). sizes (drives,): of forces that compare."""
    of, n, drives = Responses(loops), len(loops.A), loops.B.shape[2]
    out = {name: np.full((n, drives) if k == 1 else (n, drives, 2), np.inf) for name, k in MEASURES.items()}
    out["gain_margin"][:, :, 0] = 0.0
    pose, drive, _, S = of.crossings(np.imag, _turns)
    ends = [(pose, drive, S)]
    for w in _real_ends(of):
        found = np.diagonal(of.sensitivity(np.arange(n), w), axis1=1, axis2=2)
        found = np.real(found)
        p, k = np.nonzero(_turns(found))
        ends.append((p, k, found[p, k]))
    for p, k, S in ends:
        g = -1.0 / _opened(np.real(S))
        up = g > 1
        np.minimum.at(out["gain_margin"][..., 1], (p[up], k[up]), g[up])
        np.maximum.at(out["gain_margin"][..., 0], (p[~up], k[~up]), g[~up])
    out |= _of_all(of)
    pose, drive, w, S = of.crossings(_above_one, np.isfinite)
    back = _lag_to_border(S)
    np.minimum.at(out["phase_margin_deg"], (pose, drive), np.degrees(np.minimum(back, 2 * np.pi - back)))
    np.minimum.at(out["delay_margin"], (pose, drive), back / w)
    out["crossover_hz"] = _extreme(np.maximum, (n, drives), pose, drive, w / (2 * np.pi))
    pose, drive, w, _ = of.crossings(lambda x: np.abs(x) - FIRST, np.isfinite)
    lowest = np.abs(np.diagonal(of.grid[:, 0], axis1=1, axis2=2)) < FIRST
    out["bandwidth_hz"] = np.where(lowest, _extreme(np.minimum, (n, drives), pose, drive, w / (2 * np.pi)), 0.0)
    half, far = 0.5 * np.eye(drives), loops.period is None  # in continuous time S goes to 1
    least = 0.5 if far else 0.0
    shown = of.largest(lambda S: np.abs(np.diagonal(S - half, axis1=-2, axis2=-1)))[0]
    out["disk_margin"] = 1.0 / np.maximum(shown, least)
    out["disk_margin_all"] = 1.0 / np.maximum(of.largest(lambda S: _structured(S - half))[0][:, 0], least)
    peak, at = (x[:, 0] for x in of.largest(lambda S: _singular(S * sizes / sizes[:, None])))
    none = far & (peak <= 1.0 + NOTHING)
    out["sensitivity_peak"] = np.where(none, 1.0, peak)
    return out | {"peak_hz": np.where(none, np.inf, at / (2 * np.pi))}


def _of_all(of: Responses) -> dict[str, Array]:
    """Margins (n, …) of what all drives have in common."""
    n = len(of.loops.A)
    gain, phase, delay = np.tile([0.0, np.inf], (n, 1)), np.full(n, np.inf), np.full(n, np.inf)
    pose, _, s = of.locus_crossings(np.imag, lambda s: _turns(s, FAINT))
    ends = [(pose, s)]
    for w in _real_ends(of):
        found = np.linalg.eigvals(of.sensitivity(np.arange(n), w)) + 0j
        p, k = np.nonzero(_turns(found, FAINT))
        ends.append((p, found[p, k]))
    for p, s in ends:
        g = -1.0 / _opened(np.real(s))
        up = g > 1
        np.minimum.at(gain[:, 1], p[up], g[up])
        np.maximum.at(gain[:, 0], p[~up], g[~up])
    pose, w, s = of.locus_crossings(_above_one, np.isfinite)
    back = _lag_to_border(s)
    np.minimum.at(phase, pose, np.degrees(np.minimum(back, 2 * np.pi - back)))
    np.minimum.at(delay, pose, back / w)
    if of.loops.clock is not None:
        delay = _delay_of_all(of.loops, delay)
    return dict(zip(ALL, (gain, phase, delay), strict=True))


def _delay_of_all(loops: OpenLoops, lags: Array) -> Array:
    """The least delay (n,), s, of all forces at which loops on a clock are not stable, by their poles. lags (n,): by a lag of the
    forces, e^{-jωτ}, which counts where it is long beside a period."""
    assert loops.clock is not None
    T, out = loops.clock.period, lags.copy()
    for k in range(len(lags)):
        clock = loops.clock.part(np.array([k]))

        def rate(delay: float, clock: ClockedLoops = clock) -> float:
            values = np.abs(np.linalg.eigvals(clock.late(delay).closed)).max()
            return float(np.log(max(values, 1e-300)) / T)

        periods = ceil(lags[k] / T) + MORE if lags[k] < LOOKED * T else MORE
        found = _first_above(rate, T / PARTS, periods * PARTS)
        out[k] = lags[k] if found is None else found
    return out


def _first_above(rate: Callable[[float], float], step: float, steps: int) -> float | None:
    """The first x at which rate(x) reaches 0, looked at in steps; of maxima between them, too. None where there is none."""
    x, y = [0.0], [rate(0.0)]
    for k in range(1, steps + 1):
        x, y = [*x[-2:], k * step], [*y[-2:], rate(k * step)]
        if y[-1] >= 0:
            return _border(rate, x[-2], x[-1])
        if len(y) == 3 and y[1] > y[0] and y[1] > y[2]:
            top = x[1] + 0.5 * step * (y[2] - y[0]) / (2 * y[1] - y[0] - y[2])
            if rate(top) >= 0:
                return _border(rate, x[1] if top > x[1] else x[0], top)
    return None


def _border(rate: Callable[[float], float], below: float, above: float) -> float:
    """Where rate changes its sign."""
    for _ in range(40):
        half = 0.5 * (below + above)
        below, above = (below, half) if rate(half) >= 0 else (half, above)
    return above


def _lag_to_border(S: Array) -> Array:
    """By how much (rad, above 0) loops of S must lag to be -1."""
    back = np.angle(_opened(S)) + np.pi
    return np.where(back <= 0, back + 2 * np.pi, back)


def _real_ends(of: Responses) -> list[Array]:
    """ω (n,) at which responses are real: 0, and the Nyquist frequency of a clock."""
    n, period = len(of.loops.A), of.loops.period
    return [np.zeros(n), *([] if period is None else [np.full(n, np.pi / period)])]


def _opened(S: Array) -> Array:
    """L_k of S_kk."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1.0 / S - 1.0


def _turns(S: Array, least: float = 0.0) -> Array:
    """Whether L_k is real and negative there, or as good as infinite: S_kk above 1, or below 0, not 0. least: |L_k| that
    is none."""
    real = np.real(S)
    return np.isfinite(S) & ((real > 1.0 + least) | (real < -NOTHING)) & (np.abs(np.imag(S)) <= 1e-6 * np.abs(S))


def _above_one(S: Array) -> Array:
    """Sign of |L_k| - 1: of |1 - S| - |S|."""
    return 1.0 - 2.0 * np.real(S)


def _extreme(which: np.ufunc, shape: tuple[int, ...], pose: Array, drive: Array, hz: Array) -> Array:
    """The largest or smallest frequency of every drive; NaN without one."""
    out = np.full(shape, -np.inf if which is np.maximum else np.inf)
    which.at(out, (pose, drive), hz)
    return np.where(np.isfinite(out), out, np.nan)


def _singular(M: Array) -> Array:
    """Largest singular value (m, 1)."""
    return np.linalg.norm(M, 2, axis=(-2, -1))[:, None]


def _structured(M: Array) -> Array:
    """The same (m, 1), least over scales of the rows that columns have inversely, nearly (Osborne's balancing)."""
    if M.shape[-1] == 1:
        return np.abs(M[:, :, 0])
    size, off = np.abs(M) ** 2, 1.0 - np.eye(M.shape[-1])
    scale = np.ones(M.shape[:-1])
    for _ in range(BALANCINGS):
        for k in range(M.shape[-1]):
            shown = size * off * (scale[:, :, None] / scale[:, None, :]) ** 2
            row, column = shown[:, k].sum(axis=-1), shown[:, :, k].sum(axis=-1)
            with np.errstate(divide="ignore", invalid="ignore"):
                factor = (column / row) ** 0.25
            scale[:, k] *= np.where(np.isfinite(factor) & (factor > 0), factor, 1.0)
    return _singular(M * scale[:, :, None] / scale[:, None, :])
