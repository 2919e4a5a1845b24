"""The band of a record: up to which frequency positions tell of the motion.

The spectrum of the second differences of a position, divided by theirs, is that of the position. Encoders add noise that is white
(steps, electronics): its level N is what is left at high frequencies. From it

    f_noise    up to which the position stands out of the noise, S > CLEAR · N; lines of vibration far beyond do not count,
    f_motion   below which SHARE of the power of second differences lies, where S > CLEAR · N and without the noise's.

The band is WIDER · f_motion, so that the filter takes hardly anything (0.4 % at f_motion, 1.5e-5 at half of it) of what moves the
robot, but not beyond f_noise, where accelerations would be noise, nor near half the sampling rate. The channel that needs most
decides.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gough.identification.data._filters import ORDER

CLEAR = 4.0
SHARE = 0.999
WIDER = 2.0
SMOOTH, NEAR, PARTS = 5, 0.04, 16
"""Bins of a spectrum, and part of a frequency, that are averaged before it is compared with noise; parts of its upper half."""
NEXT, GAP = 3.5, 0.1
"""Nothing clear up to NEXT times a frequency, or this part of half the sampling rate beyond it: what comes then is a line."""
MOST = 0.4
"""Of the sampling rate."""
SEGMENTS = 16
LONGEST = 1 << 16
"""Samples of a segment of a spectrum."""
FEWEST = 64
"""Samples of a channel that has a spectrum."""
LEAST_CYCLES = 8.0
"""A band is at least so many periods of the record."""
NOISY = 3e-4
"""Part of the power of accelerations that is noise, from which it is told; inertias that move little have more of it."""


def choose_band(channels: Mapping[str, Sequence[tuple[np.ndarray, float]]]) -> tuple[float, str]:
    """(Hz, how it was found) from {channel: pieces (x (n,), step)}; channels that stand still have no say."""
    found: dict[str, tuple[float, float, float]] = {}
    for name, pieces in channels.items():
        own = [_of_channel(x, step) for x, step in pieces if len(x) >= FEWEST and np.ptp(x) > 0]
        if own:
            found[name] = max(own)
    step = max(step for pieces in channels.values() for _, step in pieces)
    if not found:
        band = MOST / step
        return band, f"band {band:.4g} Hz: nothing moves, or records are too short to find one"
    name, (band, motion, noise) = max(found.items(), key=lambda item: item[1][0])
    band = min(band, MOST / step)
    rule = f"{WIDER:g} times {motion:.4g} Hz, below which {100 * SHARE:g} % of its acceleration's power lies"
    if noise < WIDER * motion:
        rule = f"where its motion sinks into noise ({100 * SHARE:g} % of its acceleration's power lies below {motion:.4g} Hz)"
    elif band >= MOST / step:
        rule = f"{MOST:g} of the sampling rate; its motion reaches up to {motion:.4g} Hz"
    return band, f"band {band:.4g} Hz, chosen from {name}: {rule}"


def motion_hz(x: np.ndarray, step: float) -> float:
    """f_motion of a channel (n,) at steps (s); 0 of one that stands still or is too short."""
    return _of_channel(x, step)[1] if len(x) >= FEWEST and np.ptp(x) > 0 else 0.0


def noise_words(
    channels: Mapping[str, Sequence[tuple[np.ndarray, float]]], band_hz: float | None, taps: np.ndarray, spacing: float
) -> str:
    """What to say where noise of positions is a part of the accelerations that least squares lean by: "" where it is none.
    taps: of the filter of the equations, of samples `spacing` s apart."""
    shares = {name: _noise_share(pieces, band_hz, taps, spacing) for name, pieces in channels.items()}
    name = max(shares, key=lambda n: shares[n], default="")
    if not name or shares[name] < NOISY:
        return ""
    own, _ = choose_band(channels)
    narrower = "" if band_hz is not None and band_hz < 1.1 * own else f"a narrower band ('auto' takes {own:.3g} Hz), "
    return (
        f"{shares[name]:.2g} of the power of {name}'s acceleration is noise of its measurement: inertias by least squares come "
        "out too small by about that part, and by more where other motions are quicker than their own, which deviations do not "
        f"contain; {narrower}finer encoders, quicker motion or method='iv' make it small"
    )


def _noise_share(
    pieces: Sequence[tuple[np.ndarray, float]], band_hz: float | None, taps: np.ndarray, spacing: float
) -> float:
    """Part of the power of a channel's accelerations, filtered as equations are, that is its white noise."""
    from scipy.signal import freqz

    noise = total = 0.0
    for x, step in pieces:
        if len(x) < FEWEST or np.ptp(x) == 0:
            continue
        f, power, size, level = _spectrum(x, step)
        low = np.inf if band_hz is None else band_hz
        turns: Any = 2 * np.pi * f * spacing
        equations = np.abs(freqz(taps, worN=turns)[1]) ** 2
        passed = equations * (2 * np.pi * f) ** 4 / (1.0 + (f / low) ** (2 * ORDER)) ** 2
        noise += len(x) * float(np.sum(level * passed))
        total += len(x) * float(np.sum(power / size * passed))
    return min(noise / total, 1.0) if total > 0 else 0.0


def _spectrum(x: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """(f (m,), power of second differences, size of these over the position's, level of the position's white noise)."""
    from scipy.signal import welch

    n = min(len(x) - 2, LONGEST, max(256, (len(x) - 2) // SEGMENTS * 2))
    f, power = welch(np.diff(x, 2), 1.0 / step, nperseg=n, detrend="constant")
    f, power = f[1:], power[1:]
    size = (2.0 * np.sin(np.pi * f * step)) ** 4
    upper = np.array_split((power / size)[len(f) // 2 :], PARTS)
    level = np.median(np.sort([part.mean() for part in upper])[: PARTS // 2])  # the quieter half: no lines of the mains
    return f, power, size, float(level)


def _of_channel(x: np.ndarray, step: float) -> tuple[float, float, float]:
    """(band, f_motion, f_noise) in Hz."""
    f, power, size, level = _spectrum(x, step)
    clear = _smooth(f, power / size) > CLEAR * level
    at = f[clear]
    alone = np.flatnonzero(at[1:] > np.minimum(NEXT * at[:-1], at[:-1] + GAP * f[-1]))
    noise = float(f[-1] if not len(at) else at[alone[0]] if len(alone) else at[-1])
    clear &= f <= noise
    total = np.cumsum(np.where(clear, np.maximum(power - level * size, 0.0), 0.0))
    if total[-1] <= 0:
        return float(f[-1]), float(f[-1]), noise
    motion = float(f[np.searchsorted(total, SHARE * total[-1])])
    least = LEAST_CYCLES / (len(x) * step)
    return max(min(WIDER * motion, noise), least), motion, noise


def _smooth(f: np.ndarray, power: np.ndarray) -> np.ndarray:
    """Means over a few bins, and over a part NEAR of the frequency to both sides where that is more: noise may come in lines."""
    half = np.maximum(NEAR * np.arange(1, len(f) + 1), SMOOTH // 2).astype(int)
    total = np.concatenate([[0.0], np.cumsum(power)])
    at = np.arange(len(f))
    low, high = np.maximum(at - half, 0), np.minimum(at + half + 1, len(f))
    return (total[high] - total[low]) / (high - low)
