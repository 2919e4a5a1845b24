"""Poses that do not fit the others: found, and left out.

A pose is tested by what it adds to the sum of squares, T = rᵀ (1 - H)⁻¹ r with H its part in the fit, A C Aᵀ: residuals of a pose
that the fit follows are small whatever it measured. Of one that is left out T = rᵀ (1 + H)⁻¹ r, its prediction's. For a good pose
T over the noise of the others has the distribution of chi² where the noise is stated, of F where the others tell it; both know
how many rows a pose has and how few others there are. The limit holds for all poses together (Bonferroni).
Many strange poses hide each other: then all that miss by more than most do are taken away first, and those that pass come back.
So do those in whose place another one could be left out as well: there are too few poses to say which is strange.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri, fdtri

from gough.identification.calibration._adjustment import (
    Adjusted,
    adjust,
    adjust_again,
    is_more_than_chance,
    noise_of,
    root_of_covariance,
)
from gough.identification.calibration._problem import CalibrationProblem, GeometryEstimate

HUBER = 1.5
"""Poses that miss by more than this, in standard deviations, count less while it is not known which are strange."""
GROSS = 10.0
"""Poses that miss by this many times the usual do not count at all then."""
ROBUST, BRIEFLY, PASSES = 8, 5, 6
"""Weighted rounds, their iterations, and rounds of leaving out."""
SETTLING = 40
"""Rounds in which poses come back or go, one by one."""
UNUSUAL = 1e-4
"""Probability, over all poses, of suspecting a good one."""
STRANGE = 5e-3
"""Probability, over all poses, of calling a good one strange."""
CLEARLY = 9.0
"""Difference of squares, in units of the noise, that says which of two poses is strange."""
FOLLOWED = 1e-3
"""Part of a row that the fit leaves, below which it follows the row and tells nothing of it."""
NO_NOISE = 3e-2
"""Of what is assumed where no sigma is given: within it no pose is strange. What is left of simulated measurements without noise
is the prior's pull, and no two poses are alike in it."""
LEAST_NOISE = 1e-4
"""Of what is assumed where no sigma is given: simulated measurements without noise leave rounding errors only."""


@dataclass(frozen=True)
class PoseTests:
    """Of every pose (n,): squares it adds, rows they are of, and the limit for good ones."""

    squares: np.ndarray
    rows: np.ndarray
    limits: np.ndarray

    @property
    def good(self) -> np.ndarray:
        """Mask (n,) of poses within their limits."""
        return self.squares <= self.limits


def adjust_robustly(problem: CalibrationProblem, start: GeometryEstimate) -> tuple[Adjusted, np.ndarray]:
    """(the adjustment, mask (n,) of poses that fit): suspected poses count less first, then those that fail their test not at
    all."""
    n, given = len(start.q), problem.observed.given
    whole = np.ones(n, dtype=bool)
    first = Adjusted(start, problem.equations(start), 0, False)
    usual = _over_usual(first.squares, first.equations.freedom, whole) <= GROSS**2
    found = adjust(problem, start, usual.astype(float))
    if usual.all() and _usual_poses(found, whole).all() and check_poses(found, whole, given).good.all():
        return found, whole
    weights = usual.astype(float)
    for _ in range(ROBUST):
        miss = np.sqrt(_over_usual(*_added_squares(found, weights), whole))
        new = np.where(miss <= GROSS, np.minimum(1.0, HUBER / np.maximum(miss, 1e-12)) ** 2, 0.0)
        if np.abs(new - weights).max() < 1e-2:
            break
        weights = new
        found = adjust(problem, found.at, weights, BRIEFLY)
    keep = whole
    for _ in range(PASSES):
        good = _usual_poses(found, keep, weights)
        if (good == keep).all() and (weights == keep).all():
            break
        keep, weights = good, good.astype(float)
        found = adjust_again(problem, found.at, start, weights)
    return _take_back(problem, start, *_settle_poses(problem, start, found, keep))


def _settle_poses(
    problem: CalibrationProblem, start: GeometryEstimate, found: Adjusted, keep: np.ndarray
) -> tuple[Adjusted, np.ndarray]:
    """Poses that pass their test come back, all at once; of those kept that fail it the worst one goes."""
    seen: set[bytes] = set()
    while keep.any() and keep.tobytes() not in seen and len(seen) < SETTLING:
        seen.add(keep.tobytes())
        tests = check_poses(found, keep, problem.observed.given)
        new = keep | tests.good
        if (new == keep).all() and not tests.good.all():
            failing = np.where(keep & ~tests.good, tests.squares / np.maximum(tests.limits, 1e-300), 0.0)
            new = keep.copy()
            new[np.argmax(failing)] &= not failing.any()
        if (new == keep).all():
            break
        keep = new
        found = adjust_again(problem, found.at, start, keep.astype(float))
    return found, keep


def _take_back(
    problem: CalibrationProblem, start: GeometryEstimate, found: Adjusted, keep: np.ndarray
) -> tuple[Adjusted, np.ndarray]:
    """Poses come back where leaving out another one instead would explain as much: then nothing says which is strange."""
    doubtful = keep.copy()
    noise = max(noise_of(found, keep)[0], 1.0 if problem.observed.given else 0.0)
    for k in np.flatnonzero(~keep):
        with_it = keep.copy()
        with_it[k] = True
        tried = adjust(problem, found.at, with_it.astype(float), BRIEFLY)
        squares, _ = _added_squares(tried, with_it.astype(float))
        doubtful[k] = squares[keep].max(initial=0.0) > squares[k] - CLEARLY * noise**2
    if (doubtful == keep).all():
        return found, keep
    return adjust_again(problem, found.at, start, doubtful.astype(float)), doubtful


def check_poses(found: Adjusted, keep: np.ndarray, given: bool) -> PoseTests:
    """Each pose beside those kept (n,) without it; given: whether somebody stated the noise."""
    added, rows = _added_rows(found, keep.astype(float))
    squares = np.sum(added**2, axis=1)
    noise, freedom = noise_of(found, keep)
    others = np.maximum(freedom - np.where(keep, rows, 0), 0.0)
    least = LEAST_NOISE if given else NO_NOISE
    left = np.maximum(noise**2 * freedom - np.where(keep, squares, 0.0), least**2 * others)
    chance = STRANGE / len(keep)
    tested = np.maximum(rows, 1)
    alike = _alike(added, tested, keep)
    own, theirs = tested * alike, np.maximum(others * alike, 0.5)
    by_others = tested * fdtri(own, theirs, 1.0 - chance) * left / np.maximum(others, 1.0)
    by_others = np.where(others >= 1.0, by_others, np.inf)
    limits = by_others
    if given:
        limits = np.where(is_more_than_chance(left, others), by_others, chdtri(tested, chance))
    return PoseTests(squares, rows, np.where(rows > 0, limits, np.inf))


def _alike(added: np.ndarray, rows: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Part (n,) of the rows of a pose, as many as `rows` (n,), that count as independent ones of equal size: told by what the
    others that are kept added (n, m).

    Ratios of noise that are only assumed make some rows larger than others; their sum of squares is then spread as one of fewer
    (Satterthwaite 1946): (tr S)² / tr S², S the covariance of the rows, corrected for its own spread.
    """
    products = np.einsum("ni,nj->nij", added, added)
    own = np.where(keep, 1.0, 0.0)
    count = np.maximum(keep.sum() - own, 1.0)
    S = (products[keep].sum(axis=0) - products * own[:, None, None]) / count[:, None, None]
    trace, squared = np.einsum("nii->n", S), np.einsum("nij,nij->n", S, S)
    squared = np.maximum((squared - trace**2 / count) / (1.0 + 1.0 / count), 1e-300)
    return np.clip(trace**2 / squared / rows, 1.0 / rows, 1.0)


def _added_rows(found: Adjusted, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows (n, m) whose squares sum to T, how many of them are free (n,)) of poses that count with weights (n,)."""
    e, w = found.equations, weights[:, None]
    part = e.matrix @ root_of_covariance(found, weights)
    h, turn = np.linalg.eigh(part @ np.swapaxes(part, 1, 2))
    h = np.maximum(h, 0.0)
    r = np.einsum("nij,ni->nj", turn, e.residual)
    left = 1.0 - w * h
    tells = left > FOLLOWED
    added = np.where(tells, r / np.sqrt(np.where(tells, left * (left + h), 1.0)), 0.0)
    return np.einsum("nij,nj->ni", turn, added), np.maximum(e.freedom - (~tells).sum(axis=1), 0)


def _added_squares(found: Adjusted, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(T (n,), its rows (n,))."""
    added, rows = _added_rows(found, weights)
    return np.sum(added**2, axis=1), rows


def _over_usual(squares: np.ndarray, rows: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Squares (n,) over what is usual for their rows, measured by poses kept: 1 is typical."""
    ratio = squares / chdtri(np.maximum(rows, 1), 0.5)
    counted = keep & (rows > 0)
    usual = float(np.median(ratio[counted])) if counted.any() else 1.0
    return np.where(rows > 0, ratio / max(usual, 1e-12), 0.0)


def _usual_poses(found: Adjusted, keep: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Mask (n,) of poses that miss as most of those kept do."""
    squares, rows = _added_squares(found, keep.astype(float) if weights is None else weights)
    tested = np.maximum(rows, 1)
    limit = chdtri(tested, UNUSUAL / len(keep)) / chdtri(tested, 0.5)
    return _over_usual(squares, rows, keep) <= limit
