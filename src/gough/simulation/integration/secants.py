"""Broyden's method in traced scalars: Newton steps with one matrix, bettered by what the steps before have shown.

With p = -W⁻¹ R, Newton's step in terms of the unknowns, and s_0, s_1, …, s_k the steps taken so far, the next one is
    p ← p + s_{j+1} (s_j · p)/|s_j|²  for j < k,   s_{k+1} = p / (1 - s_k · p/|s_k|²)                              (1)
[Kelley 1995, Iterative methods for linear and nonlinear equations, section 7.3]. In one dimension it is the secant's step. Where
friction reverses, Newton's own steps lead from one flat side of its law to the other and back; a secant falls between them.
"""

from typing import Any

import numpy as np

from gough.scalar import dot, select

Vector = np.ndarray
LONGEST = 0.1
"""Least denominator of (1): steps get no longer than ten times Newton's."""


class Secants:
    """The steps of one solution. scales (n,): 1/typical sizes of the unknowns. least: scaled size of a step that shows nothing;
    after such a one steps are Newton's own."""

    def __init__(self, scales: Vector, least: Any) -> None:
        self.scales, self.least = scales, least * least
        self.steps: list[Vector] = []
        self.inverses: list[Any] = []

    def bettered(self, newton: Vector) -> Vector:
        """The next step (n,) from Newton's (n,)."""
        p = newton * self.scales
        for s, after, inverse in zip(self.steps[:-1], self.steps[1:], self.inverses[:-1], strict=True):
            p = p + after * (dot(s, p) * inverse)
        if self.steps:
            along = 1.0 - dot(self.steps[-1], p) * self.inverses[-1]
            p = p * (1.0 / select(along - LONGEST, along, LONGEST))
        square = dot(p, p)
        shows = square - self.least
        self.steps.append(p)
        self.inverses.append(select(shows, 1.0 / select(shows, square, 1.0), 0.0))
        return p * (1.0 / self.scales)
