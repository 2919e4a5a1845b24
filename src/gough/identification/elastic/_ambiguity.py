"""Other numbers that explain frequencies as well as those that were found.

Two equal axes have the same frequencies with their stiffnesses exchanged, a Delta at home with those of its legs: which found
number belongs to which part is then decided by nothing. Exchanges are tried, of pairs and of all of a kind in turn, at numbers
that differ: where no residual changes, the parts are exchangeable.
Parts that are not alike have twins, too: two masses on springs in a row have the same two frequencies with 1200 and 450 N/m as
with 1350 and 400. No deviation tells that, so the search is repeated from starts to either side, along what frequencies feel
least. Twins that are much farther from the description than what was found are not meant.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from gough.errors import BadStateError, UsageError
from gough.identification.elastic._doubts import say
from gough.identification.elastic._least_squares import Solution, minimise_squares
from gough.identification.elastic._problem import FitProblem
from gough.identification.elastic._unknowns import ElasticUnknown

APART = 0.03
"""Relative distance of the numbers at which exchanges are tried."""
UNCHANGED = 1e-6
"""Change of residuals by an exchange, over that by the numbers themselves, that is none."""
MOST = 8
"""Unknowns of a kind whose pairs are tried."""
WEAKEST, AROUND = 2, 0.1
"""Directions that frequencies feel least, along which other starts lie, and how far away they are at least."""
FARTHER = 2.0
"""Times as far from the description as what was found: numbers beyond are not meant."""
AS_WELL = 4.0
"""By how much the sum of squares, in deviations, may be larger."""
ROUNDING = 1e-6
"""Part of the measured numbers that is none, where data have no noise."""
FAR = 2.0, 0.01
"""Deviations, and part of a number, that make it another one."""

Call = Callable[[np.ndarray], np.ndarray]


def note_ambiguous(
    problem: FitProblem, found: Solution, residual: Call, jacobian: Call, known: bool, measured: np.ndarray
) -> tuple[str, ...]:
    """Notes (IdentificationWarning) on other numbers that have the same residuals (n,); measured (n,): in the deviations that
    these are weighed by. Nothing is looked for where the user said by start= which are meant, or where numbers are open."""
    notes = _exchanged(problem.unknowns, problem.prior, found, residual)
    if not notes and not problem.started and len(problem.unknowns) > 1 and np.isfinite(found.from_data).all():
        notes = _twins(problem, found, residual, jacobian, known, measured)
    return say(problem.call, *notes)


def _twins(
    problem: FitProblem, found: Solution, residual: Call, jacobian: Call, known: bool, measured: np.ndarray
) -> list[str]:
    """Of searches from other starts, the first that ends elsewhere and as well."""
    noise = found.excess or (found.noise if np.isfinite(found.noise) else 0.0)
    slack = AS_WELL * noise**2 + ROUNDING**2 * float(measured @ measured)
    spread = np.sqrt(np.diag(found.covariance))
    apart = np.maximum(np.where(np.isfinite(spread), FAR[0] * spread, 0.0), FAR[1] * np.abs(found.values))
    size, described, low, high = (
        np.array([getattr(u, key) for u in problem.unknowns]) for key in ("size", "value", "low", "high")
    )

    def from_description(x: np.ndarray) -> float:
        there = (x > 0) & (described > 0)
        off = (x - described) / size
        off[there] = np.log(x[there] / described[there])
        return float(np.linalg.norm(off))

    scale = np.where(found.values > 0, found.values, size)
    feels_least = np.linalg.svd(jacobian(found.values) * scale)[2][::-1][:WEAKEST]
    away = FARTHER * from_description(found.values)
    for way in (sign * direction for direction in feels_least for sign in (1.0, -1.0)):
        by = max(away, AROUND) * way
        moved = np.where(found.values > 0, found.values * np.exp(by), found.values + by * size)
        try:
            other = minimise_squares(
                problem.unknowns, residual, jacobian, problem.prior, known, np.clip(moved, low, high)
            )
        except (BadStateError, UsageError, ValueError, np.linalg.LinAlgError):  # no robot there
            continue
        if from_description(other.values) > away:
            continue
        if other.squares > found.squares + slack or not (np.abs(other.values - found.values) > apart).any():
            continue
        how = "better" if other.squares < found.squares - slack else "as well"
        numbers = ", ".join(
            f"{u.name} = {y:.6g} (found: {x:.6g})"
            for u, x, y in zip(problem.unknowns, found.values, other.values, strict=True)
        )
        text = (
            f"other numbers explain these frequencies {how}: {numbers}; deviations know nothing of them. Say by start= or prior= "
            "which are meant, or measure what tells them apart (more modes, other poses, a known mass added)"
        )
        return [text]
    return []


def _exchanged(
    unknowns: Sequence[ElasticUnknown], prior: Mapping[str, tuple[float, float]], found: Solution, residual: Call
) -> list[str]:
    """Of unknowns whose found numbers differ and that residuals (n,) do not tell apart."""
    kinds: dict[tuple, list[int]] = {}
    for k, u in enumerate(unknowns):
        kinds.setdefault((u.unit, u.value, u.start, u.low, u.high, prior.get(u.name)), []).append(k)
    notes = []
    for members in kinds.values():
        same = _exchangeable(members, found.values, residual) if 2 <= len(members) <= MOST else []
        if not _differ(same, found):
            continue
        names = ", ".join(unknowns[k].name for k in same)
        notes.append(
            f"{names} are described alike, and these frequencies are the same when their numbers change places: which number is "
            "whose is not told. Tie them to one number, give measured shapes (shapes=, sensors=, pairing='shape'), or a start or "
            "prior that says which is larger"
        )
    return notes


def _exchangeable(members: list[int], values: np.ndarray, residual: Call) -> list[int]:
    """Of unknowns of a kind those that may change places with another."""
    x = values.copy()
    x[members] = np.mean(values[members]) * (1.0 + APART * np.arange(len(members)))
    equal = x.copy()
    equal[members] = x[members].mean()
    try:
        own = residual(x)
        change = float(np.linalg.norm(own - residual(equal)))
        pairs = {pair for pair in combinations(members, 2) if _is_same(x, own, change, list(pair), residual)}
        if len(members) > 2 and _is_same(x, own, change, members, residual):
            return members
    except BadStateError:
        return []
    return sorted({k for pair in pairs for k in pair})


def _is_same(x: np.ndarray, own: np.ndarray, change: float, members: list[int], residual: Call) -> bool:
    """Whether residuals stay when the members change places in turn."""
    moved = x.copy()
    moved[members] = np.roll(x[members], 1)
    off = float(np.linalg.norm(residual(moved) - own))
    return bool(change > 0 and off < UNCHANGED * change)


def _differ(members: list[int], found: Solution) -> bool:
    """Whether found numbers are further apart than their deviations."""
    for a, b in combinations(members, 2):
        spread = np.sqrt(found.covariance[a, a] + found.covariance[b, b])
        away = abs(found.values[a] - found.values[b])
        if away > (spread if np.isfinite(spread) else 1e-6 * abs(found.values[a])):
            return True
    return False
