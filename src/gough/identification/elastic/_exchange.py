"""Unknowns that may change places: parts that are described alike and that frequencies do not tell apart.

Two equal axes have the same frequencies with their stiffnesses exchanged, a Delta at home with those of its legs: which found
number belongs to which part is then decided by nothing. Exchanges are tried, of pairs and of all of a kind in turn, at numbers
that differ: where no residual changes, the parts are exchangeable.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from gough.errors import BadStateError
from gough.identification.elastic._doubts import say
from gough.identification.elastic._least_squares import Solution
from gough.identification.elastic._unknowns import ElasticUnknown

APART = 0.03
"""Relative distance of the numbers at which exchanges are tried."""
UNCHANGED = 1e-6
"""Change of residuals by an exchange, over that by the numbers themselves, that is none."""
MOST = 8
"""Unknowns of a kind whose pairs are tried."""


def note_exchangeable(
    call: str,
    unknowns: Sequence[ElasticUnknown],
    prior: Mapping[str, tuple[float, float]],
    found: Solution,
    residual: Callable[[np.ndarray], np.ndarray],
) -> tuple[str, ...]:
    """Notes (IdentificationWarning) on unknowns whose found numbers differ and that residuals (n,) do not tell apart."""
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
    return say(call, *notes)


def _exchangeable(members: list[int], values: np.ndarray, residual: Callable[[np.ndarray], np.ndarray]) -> list[int]:
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


def _is_same(
    x: np.ndarray, own: np.ndarray, change: float, members: list[int], residual: Callable[[np.ndarray], np.ndarray]
) -> bool:
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
