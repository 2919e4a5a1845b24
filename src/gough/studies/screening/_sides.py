"""Whether drives hold a platform all along a motion, in programs: as `gough.studies.study.branches` asks of states.

The determinant of the drive map has one sign along such a motion. It is written out without a division, so that no state is bad
by it: by minors of the first rows, 192 products of six by six numbers.
"""

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.kinematics.singularity import driven_rows
from gough.scalar import dot, sqrt
from gough.studies.study.branches import NOISE

if TYPE_CHECKING:
    from gough.model import Model

SIDES = ("ahead", "behind")
"""Output slots: what the determinant is more than noise above 0, and below (above 0, and below 0, where it is)."""
HOWS = ("largest", "smallest")
"""What is made of them over the states of a motion."""


def side_equations(model: "Model", S: Any) -> dict[str, Any]:
    """Numbers (1,) of `SIDES`, of a drive map S (nv, drives) of traced scalars."""
    S = S[driven_rows(model)]
    noise = NOISE * sqrt(np.prod([dot(row, row) for row in S]))
    volume = _determinant(S)
    return dict(zip(SIDES, (np.array([volume - noise]), np.array([volume + noise])), strict=True))


def are_on_both_sides(found: Any) -> Any:
    """Designs (n,) of the extremes (n, 2) of `SIDES` along a motion."""
    return (found[:, 0] > 0) & (found[:, 1] < 0)


def _determinant(a: Any) -> Any:
    """Of a (k, k), by minors of its first rows."""
    minors: dict[tuple[int, ...], Any] = {(): 1.0}
    for k, row in enumerate(a):
        grown: dict[tuple[int, ...], Any] = {}
        for columns in combinations(range(len(a)), k + 1):
            parts = [row[c] * minors[columns[:j] + columns[j + 1 :]] for j, c in enumerate(columns)]
            grown[columns] = sum((x if (k - j) % 2 == 0 else -x for j, x in enumerate(parts)), 0.0)
        minors = grown
    return minors[tuple(range(len(a)))]
