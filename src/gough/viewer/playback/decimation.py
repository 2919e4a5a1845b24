"""Long curves for a small screen: fewer points, no peak lost."""

import numpy as np

Array = np.ndarray


def thinned(time: Array, values: Array, points: int = 600) -> tuple[Array, Array]:
    """Curves (n, k) over time (n,) with at most about `points` points (m,), (m, k).

    Every stretch of samples gives two points, in which each curve has its smallest and largest value in the order in which it
    takes them: peaks stay in height, and in place to half a stretch. Ends stay as they are. NaN: no value; a stretch of
    nothing else stays NaN. Short curves come back as they are.
    """
    n = len(time)
    buckets = max(points // 2 - 1, 1)
    if n <= max(points, 4):
        return time, values
    edges = 1 + np.unique(np.linspace(0, n - 2, buckets + 1).astype(int))  # ends are apart
    first, last = edges[:-1], edges[1:] - 1
    filled_low = np.where(np.isnan(values), np.inf, values)
    filled_high = np.where(np.isnan(values), -np.inf, values)
    low = np.minimum.reduceat(filled_low[: n - 1], first, axis=0)
    high = np.maximum.reduceat(filled_high[: n - 1], first, axis=0)
    which = np.repeat(np.arange(len(first)), last - first + 1)
    inside = slice(1, n - 1)
    low_at = _first_place(filled_low[inside] == low[which], which, len(first))
    high_at = _first_place(filled_high[inside] == high[which], which, len(first))
    empty = ~np.isfinite(low) & ~np.isfinite(high)
    low, high = np.where(empty, np.nan, low), np.where(empty, np.nan, high)
    falls = high_at < low_at
    out = np.empty((2 * len(first) + 2, values.shape[1]))
    out[0], out[-1] = values[0], values[-1]
    out[1:-1:2] = np.where(falls, high, low)
    out[2:-1:2] = np.where(falls, low, high)
    at = np.empty(len(out))
    at[0], at[-1] = time[0], time[-1]
    at[1:-1:2], at[2:-1:2] = time[first], time[last]
    return at, out


def _first_place(found: Array, which: Array, count: int) -> Array:
    """Row (count, k) in which each bucket first has a mark, of marks (n, k) in buckets `which` (n,)."""
    rows = np.arange(len(found))
    out = np.full((count, found.shape[1]), len(found))
    for k in range(found.shape[1]):
        marked = rows[found[:, k]]
        np.minimum.at(out[:, k], which[marked], marked)
    return out


def window(time: Array, start: float, end: float) -> slice:
    """The samples from start to end (s), with one beyond each."""
    a = int(np.searchsorted(time, start, side="left"))
    b = int(np.searchsorted(time, end, side="right"))
    return slice(max(a - 1, 0), min(b + 1, len(time)))
