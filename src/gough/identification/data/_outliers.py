"""Single samples and short bursts that do not belong to a channel, found without harm to kinks and steps.

A sample is compared with its two neighbours to either side and with what these two say of it (straight lines): m, how far it lies
outside of all of them, is 0 at kinks, in steps and in their rounded corners, and large at a spike alone. It is an outlier where m
is more than `k` noises, and more than ALONE times the largest m beside it, so that smooth but quick motion stays.
A burst of up to BURST samples stands off the running median, which follows slopes and steps, by more than k noises and more than
the median moves nearby.
"""

import numpy as np

K = 8.0
"""Noises (robust standard deviations) that an outlier is away."""
ALONE = 3.0
BESIDE = 6
BURST = 5
ROUNDING = 1e-12
AGAIN = 5
"""So often a counted channel stands still, and moves by one count."""


def find_outliers(x: np.ndarray, time: np.ndarray, k: float = K) -> np.ndarray:
    """Mask (n,) of outliers of a channel at times (n,)."""
    from scipy.ndimage import maximum_filter1d, median_filter, minimum_filter1d

    n = len(x)
    out = np.zeros(n, dtype=bool)
    if n < 4 * BURST or np.ptp(x) == 0:
        return out
    longer, t = (np.concatenate([2 * y[0] - y[2:0:-1], y, 2 * y[-1] - y[-2:-4:-1]]) for y in (x, time))
    slope = np.diff(longer) / np.diff(t)
    left = longer[1 : n + 1] + slope[:n] * (time - t[1 : n + 1])
    right = longer[3 : n + 3] + slope[3 : n + 3] * (time - t[3 : n + 3])
    nearer = np.minimum(np.abs(x - left), np.abs(x - right))
    noise = max(1.4826 * float(np.median(nearer)), _resolution(x), ROUNDING * float(np.abs(x).max()))
    others = np.stack([left, right, *(longer[i : i + n] for i in (0, 1, 3, 4))])
    off = np.maximum(np.maximum(x - others.max(axis=0), others.min(axis=0) - x), 0.0)
    size = 2 * BESIDE + 1
    beside = np.maximum(_shifted_maximum(off, 2, BESIDE), _shifted_maximum(off[::-1], 2, BESIDE)[::-1])
    out |= (off > k * noise) & (off > ALONE * beside)
    middle = median_filter(x, 2 * size - 1, mode="nearest")
    reach = maximum_filter1d(middle, 2 * size - 1) - minimum_filter1d(middle, 2 * size - 1)
    away = np.abs(x - middle) > k * noise + 2.0 * reach
    edges = np.flatnonzero(np.diff(np.concatenate([[False], away, [False]]).astype(int)))
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        if stop - start <= BURST:
            out[start:stop] = True
    return out


def _shifted_maximum(x: np.ndarray, first: int, last: int) -> np.ndarray:
    """The largest of x[i + first … i + last] at i; 0 beyond the end."""
    longer = np.concatenate([x, np.zeros(last + 1)])
    return np.max([longer[k : k + len(x)] for k in range(first, last + 1)], axis=0)


def _resolution(x: np.ndarray) -> float:
    """The step of a channel that is counted, 0 of one that is not.

    Steps are whole multiples of the least one, or, where a unit or few digits blurred them as they were written, a channel that
    stands still again and again moves by about that least step as often.
    """
    steps = np.abs(np.diff(x))
    moved = steps[steps > 1e-12 * np.ptp(x)]
    if not len(moved):
        return 0.0
    least = float(moved.min())
    whole = np.abs(moved / least - np.round(moved / least))
    stood = len(steps) - len(moved)
    alike = np.count_nonzero(moved < 1.5 * least)
    return least if np.median(whole) < 0.01 or min(stood, alike) >= AGAIN else 0.0


def replace_rows(x: np.ndarray, bad: np.ndarray) -> np.ndarray:
    """The channel with bad samples laid onto the smooth curve through their neighbours."""
    from scipy.interpolate import PchipInterpolator

    good = np.flatnonzero(~bad)
    out = x.copy()
    out[bad] = PchipInterpolator(good, x[good], extrapolate=True)(np.flatnonzero(bad))
    return out
