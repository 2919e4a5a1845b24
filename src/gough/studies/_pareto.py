"""Designs that no other beats in every objective: kept on-line, while points pass by.

Objectives are compared to ten digits. Else designs with the same footprint, say, would stand beside those that beat them in all
else, by what rounding makes of equal numbers.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.studies.study.evaluation import Evaluated

MOST = 20_000
"""Points of a front that are kept; beyond, crowded ones go."""


DIGITS = 10


def round_objectives(F: Any) -> Any:
    """Numbers to `DIGITS` digits; arrays of any module."""
    scale = 10.0 ** (DIGITS - 1 - np.floor(np.log10(abs(F) + (F == 0))))
    return np.rint(F * scale) / scale


def front_rows(F: np.ndarray) -> np.ndarray:
    """Which rows of F (n, objectives), all to be small, no other row dominates (n,) bool; of equal rows the first. All to
    `DIGITS` digits."""
    F = round_objectives(F)
    n = len(F)
    keep = np.zeros(n, dtype=bool)
    left = np.lexsort((np.arange(n), *F.T[::-1], F.sum(axis=1)))  # a point is dominated by none that comes after it
    while len(left):
        first = left[0]
        keep[first] = True
        rest = left[1:]
        left = rest[(F[rest] < F[first]).any(axis=1)]
    return keep


def crowding(F: np.ndarray) -> np.ndarray:
    """How far apart the neighbours of every row of a front are (n,), over the front's size in each objective; ends: infinite."""
    n = len(F)
    out = np.zeros(n)
    for f in F.T:
        order = np.argsort(f, kind="stable")
        size = f[order[-1]] - f[order[0]]
        gap = np.full(n, np.inf)
        if n > 2:
            gap[order[1:-1]] = (f[order[2:]] - f[order[:-2]]) / (size if size > 0 else 1.0)
        out += gap
    return out


def _beaten_by_each_other(old: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of two fronts (n, o), (k, o): which rows of the old one a new row beats (n,), and which new ones an old row beats or equals
    (k,). Rows of a front do not beat each other, so that no others need to be compared."""
    old_beaten, new_beaten = np.zeros(len(old), dtype=bool), np.zeros(len(new), dtype=bool)
    for k, row in enumerate(new):
        if (old <= row).all(axis=1).any():
            new_beaten[k] = True
        else:
            old_beaten |= (old >= row).all(axis=1)
    return old_beaten, new_beaten


@dataclass(frozen=True, eq=False)
class ParetoFront:
    """Feasible designs of which none dominates another; objectives (n, o), all to be small. left_out (k, o): of designs that no
    other beat and that went from the most crowded places: what they beat is on no front."""

    designs: Evaluated
    objectives: np.ndarray
    left_out: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    @classmethod
    def empty(cls, variables: int, measures: int, constraints: int, objectives: int) -> "ParetoFront":
        """Without a point."""
        none = Evaluated(np.zeros((0, variables)), np.zeros((0, measures)), np.zeros((0, constraints)), np.zeros(0))
        return cls(none, np.zeros((0, objectives)))

    def __len__(self) -> int:
        return len(self.objectives)

    def with_(self, more: Evaluated, objectives: np.ndarray) -> "ParetoFront":
        """The front of these designs and others: objectives (n, o) of all of `more`, of which infeasible ones do not count."""
        good = np.flatnonzero(more.feasible & np.isfinite(objectives).all(axis=1))
        good = good[front_rows(objectives[good])]
        new = objectives[good]
        rounded, left = round_objectives(new), self.left_out.reshape(-1, new.shape[1])
        old_beaten, new_beaten = _beaten_by_each_other(round_objectives(self.objectives), rounded)
        left_beaten, also_beaten = _beaten_by_each_other(round_objectives(left), rounded)
        beaten = np.concatenate([old_beaten, new_beaten | also_beaten])
        F, keep, left = np.concatenate([self.objectives, new]), np.flatnonzero(~beaten), left[~left_beaten]
        if len(keep) > MOST:
            order = np.argsort(-crowding(F[keep]), kind="stable")
            left, keep = np.concatenate([left, F[keep[order[MOST:]]]]), np.sort(keep[order[:MOST]])
        parts = [self.designs, take(more, good)]
        return ParetoFront(take(Evaluated.join(parts), keep), F[keep], left)


def take(designs: Evaluated, rows: np.ndarray) -> Evaluated:
    """Some of them."""
    return Evaluated(designs.x[rows], designs.values[rows], designs.constraints[rows], designs.violation[rows])
