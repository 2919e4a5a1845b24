"""Rows that may be on a front: what no other row beats, found in an order that needs few comparisons."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.compilation.device_rows import beaten_rows
from gough.studies._pareto import round_objectives

FEW, FIRST = 16, 64
"""Designs that all others are compared with at a time, at the beginning and later."""
SEEDS, STRONG = 8192, 1024
"""On a GPU: rows, spread over all, of which the best are compared with all; rows that all that is left is compared with next."""


def may_be_first(F: Any) -> Any:
    """Rows of F (n, objectives), all to be small, that no other beats; of equal rows all. Arrays of any module.

    What beats a row has a smaller sum. So rows are put in the order of their sums, and the first ones of what is left, some at a
    time, are compared with all the rest; what they beat goes.
    """
    n, objectives = F.shape
    if not n or not objectives:
        return abs(F).sum(axis=1).argsort()[:0]
    columns = list(round_objectives(F).T.copy())
    total: Any = sum(x / (x.max() - x.min() + (x.max() == x.min())) for x in columns)
    left, done = total.argsort(), 0
    columns = [x[left] for x in columns]
    while done < len(left):
        step = FIRST if done else FEW
        beaten: Any = False
        for k in range(done, min(done + step, len(left))):
            worse, differs = True, False
            for x in columns:
                worse, differs = (x >= x[k]) & worse, (x > x[k]) | differs
            beaten = (worse & differs) | beaten
        done = int((~beaten[: done + step]).sum())
        left, columns = left[~beaten], [x[~beaten] for x in columns]
    return left


def first_of_many(F: Any, known: Any, beaten: Callable[[Any, Any], Any] = beaten_rows) -> Any:
    """The same where whole arrays are compared at once: rows of F (n, objectives), rounded ones, that no other and none of
    `known` (k, objectives) beats. beaten(rows, by): which rows one of `by` beats.

    Most rows are beaten by one of few: by the best of those known and of some spread over all, the strongest first.
    """
    n, objectives = F.shape
    if not n or not objectives:
        return abs(F).sum(axis=1).argsort()[:0]
    size = F.max(axis=0) - F.min(axis=0)
    size = size + (size == 0)

    def ordered(rows: Any) -> Any:
        return (rows / size).sum(axis=1).argsort()

    some = F[:: max(1, n // SEEDS)]
    best = np.concatenate([known, some]) if len(known) else some
    best = best[~beaten(best, best)]
    left = (~beaten(F, best[ordered(best)])).nonzero()[0]
    own = F[left]
    order = ordered(own)
    left, own = left[order], own[order]
    for count in (STRONG, len(left)):
        keep = ~beaten(own, own[:count])
        left, own = left[keep], own[keep]
    return left
