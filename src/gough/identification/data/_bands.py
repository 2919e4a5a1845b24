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

import numpy as np

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


def _of_channel(x: np.ndarray, step: float) -> tuple[float, float, float]:
    """(band, f_motion, f_noise) in Hz."""
    from scipy.signal import welch

    n = min(len(x) - 2, LONGEST, max(256, (len(x) - 2) // SEGMENTS * 2))
    f, power = welch(np.diff(x, 2), 1.0 / step, nperseg=n, detrend="constant")
    f, power = f[1:], power[1:]
    size = (2.0 * np.sin(np.pi * f * step)) ** 4
    position = _smooth(f, power / size)
    upper = np.array_split((power / size)[len(f) // 2 :], PARTS)
    level = float(
        np.median(np.sort([part.mean() for part in upper])[: PARTS // 2])
    )  # the quieter half: no lines of the mains
    clear = position > CLEAR * level
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
