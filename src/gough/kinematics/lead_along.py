"""A way of drive positions followed by many configurations at once, where it is short enough to be sure of the assembly.

What `following.follow` does with care, one after the other: here all of a stretch are led from its begin by Newton's iteration.
A stretch ends where the iteration no longer begins as one that stays in its assembly: first steps of more than LONGEST_STEP, or
second ones of more than a CONTRACTION of them, where Newton and Kantorovich promise no single solution in reach of the first step
any more. Whatever is not plain is for the careful way: None is returned.
"""

import numpy as np

from gough.kinematics.closing import row_scales
from gough.kinematics.following import OPEN
from gough.kinematics.leading import idle_turns
from gough.kinematics.linkage import LedLinkage
from gough.kinematics.one_state.lead import LONGEST_STEP
from gough.kinematics.retraction import coordinate_sizes, step_units, turns_and_slides

CONTRACTION = 0.25
"""Longest second step over the first."""
SETTLED = 1e-8
"""Steps this short end the iteration."""
MOST_STEPS, MOST_STRETCHES = 6, 12


def suits(linkage: LedLinkage) -> bool:
    """Whether drives lead all freedoms of closed loops without screws; no idle ones turn a ball."""
    mechanism = linkage.mechanism
    known = mechanism.rows and not mechanism.tolerances and len(mechanism.drives) == linkage.mobility
    known = known and not idle_turns(linkage)
    return bool(known) and not linkage.cached("turns and slides", lambda: turns_and_slides(mechanism))


def lead_along(linkage: LedLinkage, drives: np.ndarray, start: np.ndarray, parameters: np.ndarray) -> np.ndarray | None:
    """q (n, nq), to SETTLED, with drive coordinates (n, drives) that follow each other, from `start` (nq,). parameters (k,): of
    one design."""
    found, begin = np.empty((len(drives), len(start))), 0
    for _ in range(MOST_STRETCHES):
        stretch = _Stretch(linkage, drives[begin:], start, parameters)
        if not stretch.settle():
            return None
        found[begin : begin + len(stretch.q)] = stretch.q
        begin, start = begin + len(stretch.q), stretch.q[-1]
        if begin == len(drives):
            return found
    return None


class _Stretch:
    """As many of the next configurations as can be led from one."""

    def __init__(self, linkage: LedLinkage, drives: np.ndarray, start: np.ndarray, parameters: np.ndarray) -> None:
        self.linkage, self.drives, self.parameters = linkage, drives, parameters
        self.index, self.n = linkage.mechanism.drive_index, linkage.mobility
        self.unit, self.rows, self.sizes = linkage.cached("scales of leading", lambda: _scales(linkage))
        self.q, self.inverse = start[None], np.zeros((1, self.n, self.n))

    def settle(self) -> bool:
        """Whether the iteration has settled for one or more of them; `q` is theirs then."""
        self._invert()
        first = self._step()
        if not self._cut(first <= LONGEST_STEP):
            return False
        last = first[: len(self.q)]
        for turn in range(MOST_STEPS):
            if turn < 2:  # after that it is so near that the last one serves
                self._invert()
            moved = self._step()
            if not self._cut(moved <= (CONTRACTION * last + SETTLED if turn == 0 else LONGEST_STEP)):
                return False
            moved = moved[: len(self.q)]
            if (moved <= SETTLED).all():
                return bool((np.abs(self.drives - self.q[:, self.index]) <= SETTLED * self.sizes).all())
            last = moved
        return False

    def _invert(self) -> None:
        S = self.linkage.function("drive_map").values(q=self.q, parameters=self.parameters)["S"]
        try:
            self.inverse = np.linalg.inv(S[:, : self.n])
        except np.linalg.LinAlgError:
            self.inverse = np.full((len(S), self.n, self.n), np.nan)

    def _step(self) -> np.ndarray:
        """Lengths (n,) of a step of all of them; NaN where loops are open or nothing is known."""
        v = np.zeros((len(self.drives), self.linkage.layout.nv))
        missing = self.drives - self.q[:, self.index]
        v[:, : self.n] = np.einsum("nij,ni->nj", self.inverse, missing)
        found = self.linkage.function("leading_step").values(q=self.q, v=v, parameters=self.parameters)
        self.q = found["next"]
        way, gap = found["du"] * self.unit, found["residual"] * self.rows
        open_ = np.einsum("ni,ni->n", gap, gap) > OPEN**2
        return np.where(open_, np.nan, np.sqrt(np.einsum("ni,ni->n", way, way)))

    def _cut(self, good: np.ndarray) -> bool:
        """Keep those before the first that is not good; whether one is left."""
        count = len(good) if good.all() else int(good.argmin())
        if count < len(good):
            self.q, self.inverse, self.drives = self.q[:count], self.inverse[:count], self.drives[:count]
        return count > 0


def _scales(linkage: LedLinkage) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What steps and residuals are multiplied by, and the sizes of drive coordinates."""
    mechanism = linkage.mechanism
    sizes = coordinate_sizes(mechanism, linkage.size)[mechanism.drive_index]
    return 1.0 / step_units(mechanism, linkage.size), 1.0 / row_scales(linkage), sizes
