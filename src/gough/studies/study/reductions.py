"""From numbers at states to one number of a design, and back: which entries it depends on, and how much.

`value` is that number alone, of arrays of any module (NumPy, CuPy).

A reduction takes x (d, s, m): designs, states, entries, and the share (s,) of the case's time that each state stands for, and
gives y (d,) with its slopes ∂y/∂x (d, s, m). Extremes are smooth but where two entries tie; `bounds` says so that optimisers may
take all entries instead of the extreme alone: (sign, sides), y = sign · max of ±x.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Reduced = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Reduction:
    """A member of the family. bounds: (1, both) for y = max x, or max |x| with both; (-1, False) for y = min x; None: none.
    power: of the entry's unit; timed: whether the unit is multiplied by that of time. how: as `gough.backends.reductions` names
    it, with the weights that `weigh` gives."""

    name: str
    apply: Callable[[np.ndarray, np.ndarray], Reduced]
    value: Callable[[Any, Any], Any]
    bounds: tuple[float, bool] | None = None
    timed: bool = False
    how: str = ""

    def weigh(self, share: np.ndarray, entries: int) -> np.ndarray:
        """Weight (s,) of every state where a sum is made of so many entries."""
        part = share if self.timed else share / share.sum()
        return part / entries if self.name == "mean" else part


def _extreme(x: np.ndarray, of: np.ndarray, sign: np.ndarray) -> Reduced:
    """The entry at which `of` is largest, times its sign."""
    flat = of.reshape(len(of), -1)
    at = flat.argmax(axis=1)
    rows = np.arange(len(x))
    slopes = np.zeros_like(flat)
    slopes[rows, at] = sign.reshape(len(of), -1)[rows, at]
    return x.reshape(len(x), -1)[rows, at] * slopes[rows, at], slopes.reshape(x.shape)


def _peak(x: np.ndarray, share: np.ndarray) -> Reduced:
    return _extreme(x, np.abs(x), np.where(x < 0, -1.0, 1.0))


def _largest(x: np.ndarray, share: np.ndarray) -> Reduced:
    return _extreme(x, x, np.ones_like(x))


def _smallest(x: np.ndarray, share: np.ndarray) -> Reduced:
    return _extreme(x, -x, np.ones_like(x))


def _total(x: np.ndarray) -> np.ndarray:
    """Of all states and entries (d,), in the order of memory: a design's sum has the same bits beside others as alone."""
    return np.ascontiguousarray(x).reshape(len(x), -1).sum(axis=1)


def _mean(x: np.ndarray, share: np.ndarray) -> Reduced:
    weight = np.broadcast_to((share / share.sum())[:, None] / x.shape[2], x.shape)
    return _total(x * weight), weight


def _rms(x: np.ndarray, share: np.ndarray) -> Reduced:
    """Of every entry over time; the largest of them."""
    part = share / share.sum()
    all_ = np.sqrt(np.einsum("s,dsm->dm", part, x**2))
    k, rows = all_.argmax(axis=1), np.arange(len(x))
    y, slopes = all_[rows, k], np.zeros_like(x)
    slopes[rows, :, k] = part * x[rows, :, k] / np.where(y > 0, y, 1.0)[:, None]
    return y, slopes


def _range(x: np.ndarray, share: np.ndarray) -> Reduced:
    """Largest minus smallest of every entry; the largest of them."""
    spread = np.ptp(x, axis=1)
    k, rows = spread.argmax(axis=1), np.arange(len(x))
    own, slopes = x[rows, :, k], np.zeros_like(x)
    slopes[rows, own.argmax(axis=1), k] += 1.0
    slopes[rows, own.argmin(axis=1), k] -= 1.0
    return spread[rows, k], slopes


def _integral(x: np.ndarray, share: np.ndarray) -> Reduced:
    """Over time, of the sum of all entries."""
    weight = np.broadcast_to(share[:, None], x.shape)
    return _total(x * weight), weight


def _work(x: np.ndarray, share: np.ndarray) -> Reduced:
    """Over time, of what is above 0 of every entry: what is given back is lost."""
    weight = np.where(x > 0, share[:, None], 0.0)
    return _total(x * weight), weight


def _mean_value(x: Any, share: Any) -> Any:
    return (x.mean(axis=2) * (share / share.sum())).sum(axis=1)


def _rms_value(x: Any, share: Any) -> Any:
    return (x**2 * (share / share.sum())[:, None]).sum(axis=1).max(axis=1) ** 0.5


REDUCTIONS = {
    r.name: r
    for r in (
        Reduction("peak", _peak, lambda x, share: abs(x).max(axis=(1, 2)), (1.0, True), how="peak"),
        Reduction("largest", _largest, lambda x, share: x.max(axis=(1, 2)), (1.0, False), how="largest"),
        Reduction("smallest", _smallest, lambda x, share: x.min(axis=(1, 2)), (-1.0, False), how="smallest"),
        Reduction("mean", _mean, _mean_value, how="sum"),
        Reduction("rms", _rms, _rms_value, how="rms"),
        Reduction("range", _range, lambda x, share: (x.max(axis=1) - x.min(axis=1)).max(axis=1), how="range"),
        Reduction("integral", _integral, lambda x, share: (x.sum(axis=2) * share).sum(axis=1), timed=True, how="sum"),
        Reduction(
            "work", _work, lambda x, share: ((x * (x > 0)).sum(axis=2) * share).sum(axis=1), timed=True, how="gain"
        ),
    )
}


def shares(time: np.ndarray | None, count: int) -> np.ndarray:
    """Time (s,) that every state stands for, by the trapezoidal rule (s); of poses 1 each."""
    if time is None or count < 2:
        return np.ones(count)
    step = np.diff(time)
    return 0.5 * (np.append(step, 0.0) + np.append(0.0, step))
