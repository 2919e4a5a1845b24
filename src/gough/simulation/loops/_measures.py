"""What a loop bears: margins one drive at a time and of all together, by its sensitivity at the drives.

With the other drives as they are, gain g of drive k or a factor e^{-jφ} there brings the loop to the border of stability where
L_k = -1/g, or L_k e^{-jφ} = -1. A gain and phase at once, g e^{jφ} within the disk of size α around 1, it bears where
α < 1/max |S_kk - 1/2| [Seiler, Packard, Gahinet 2020]; all drives at once and each otherwise where α < 1/μ(S - 1/2), of which the
largest singular value is a bound, here after scaling drives against each other.
"""

import numpy as np

from gough.simulation.linear.open_loop import OpenLoops
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
    pose, drive, w, S = of.crossings(_above_one, np.isfinite)
    back = np.angle(_opened(S)) + np.pi  # to -1 by a lag
    back = np.where(back <= 0, back + 2 * np.pi, back)
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


def _real_ends(of: Responses) -> list[Array]:
    """ω (n,) at which responses are real: 0, and the Nyquist frequency of a clock."""
    n, period = len(of.loops.A), of.loops.period
    return [np.zeros(n), *([] if period is None else [np.full(n, np.pi / period)])]


def _opened(S: Array) -> Array:
    """L_k of S_kk."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1.0 / S - 1.0


def _turns(S: Array) -> Array:
    """Whether L_k is real and negative there, or as good as infinite: S_kk above 1, or below 0, not 0."""
    return np.isfinite(S) & ((np.real(S) > 1.0) | (np.real(S) < -NOTHING)) & (np.abs(np.imag(S)) <= 1e-6 * np.abs(S))


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
