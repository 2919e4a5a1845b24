"""A machine of screens that reduces as a GPU does: its kernels' text, compiled by a C++ compiler, on NumPy's arrays."""

from __future__ import annotations

import numpy as np
from tests.backends.cuda_reduced_host import HostReduced

from inner.studies import HostMachine, first_of_many, reduced_rows, round_objectives


def beaten(rows: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Which rows one of `by` beats, some at a time."""
    out = np.zeros(len(rows), dtype=bool)
    for other in by:
        out |= (rows >= other).all(axis=1) & (rows > other).any(axis=1)
    return out


class ReducingMachine(HostMachine):
    """kernels: of the cases that it reduces. wanted: rows of states that a block holds at once, all by default."""

    designs = 300
    remembers = True

    def __init__(self, rows: int | None = None) -> None:
        self.rows, self.kernels = rows, []

    def reduce_case(self, space, own, measures):
        made = reduced_rows(space, own, measures)
        host = HostReduced(made.kernel)
        self.kernels.append(host)

        def compute(x):
            values, word = host(x, made.table, self.rows)
            return values, *made.judge(word)

        return compute

    def first(self, F, known):
        return first_of_many(round_objectives(F), known, beaten)
