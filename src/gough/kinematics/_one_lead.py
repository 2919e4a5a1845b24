"""One configuration led to drive positions or by a small step, by Newton's iteration in machine code.

What `following.follow` does for batches, where nothing is to be limited: short ways, loops that are all but closed. Longer ways,
and every state at which something is wrong, are for it: None is returned.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from gough.compilation.one_state import Straight
from gough.dynamics.catalogue import FunctionKey
from gough.kinematics.closing import CLOSED, row_scales
from gough.kinematics.following import OPEN
from gough.kinematics.leading import POSE_TOLERANCE
from gough.kinematics.linkage import LedLinkage
from gough.kinematics.retraction import coordinate_sizes, normalise_quaternions, step_units, turns_and_slides

LONGEST_STEP = 0.1
"""Longest step, in the measure of `following.LARGEST_STEP`, that is taken here."""
MOST_STEPS = 12
CALLS = 16
"""Calls after which machine code is made for it."""
CHECKED = {"drive_step": True, "leading_step": True, "drive_map": False, "closure_residual": False}
"""Functions that are called, and whether their checks count."""


class OneLead:
    """Of a robot's own design."""

    def __init__(self, linkage: LedLinkage) -> None:
        self._linkage, mechanism = linkage, linkage.mechanism
        self._unit = 1.0 / step_units(mechanism, linkage.size)
        self._scales = 1.0 / row_scales(linkage)
        self._plain = not mechanism.tolerances and not turns_and_slides(mechanism) and bool(mechanism.rows)
        self._index = np.array(mechanism.drive_index, dtype=int)
        self._drive_sizes = coordinate_sizes(mechanism, linkage.size)[self._index]
        self._ready: dict[str, Straight] = {}
        self._calls: dict[str, int] = {}

    @cached_property
    def _places(self) -> np.ndarray | None:
        """Coordinates whose rates v are, None where some are no coordinates' rates."""
        mechanism, found = self._linkage.mechanism, {}
        for link in mechanism.links:
            if link.nu == 1:
                found[link.u] = link.q
            if link.is_platform:
                found |= {column: link.q + column for column in range(3)}
            if link.elastic is not None:
                elastic = zip(link.elastic.columns, range(mechanism.layout.nq)[link.elastic.coordinates], strict=True)
                found |= dict(elastic)
        places = [found.get(column) for column in mechanism.selection.independent]
        return None if None in places else np.array(places, dtype=int)

    def to_drives(self, drives: np.ndarray, start: np.ndarray) -> np.ndarray | None:
        """q (nq,) with drive coordinates (drives,), from `start` (nq,)."""
        if not self._plain or len(self._index) != self._linkage.mobility:
            return None
        step = self._straight("drive_step")
        q = None if step is None else self._iterate(start, lambda q: step(q, drives) or self._pivoted(q, drives))
        if q is None or not (np.abs(drives - q[self._index]) / self._drive_sizes).max() < POSE_TOLERANCE:
            return None
        return q

    def _pivoted(self, q: np.ndarray, drives: np.ndarray) -> Sequence[np.ndarray] | None:
        """A step where the order of elimination that machine code has meets a small pivot, as it may at a symmetric home."""
        look, step = self._straight("drive_map"), self._straight("leading_step")
        found = None if look is None or step is None else look(q)
        if found is None or step is None:
            return None
        n, nv = self._linkage.mobility, self._linkage.layout.nv
        try:
            v = np.linalg.solve(found[0][:n].T, drives - q[self._index])
        except np.linalg.LinAlgError:
            return None
        return step(q, np.concatenate([v, np.zeros(nv - n)]))

    def by_step(self, start: np.ndarray, way: np.ndarray) -> np.ndarray | None:
        """q (nq,) when v moves `start` (nq,) by `way` (nv,), where v are rates of coordinates."""
        if not self._plain or self._places is None:
            return None
        step = self._straight("leading_step")
        if step is None:
            return None
        begin = normalise_quaternions(self._linkage.mechanism, start)
        places = self._places
        target = begin[places] + way
        return self._iterate(begin, lambda q: step(q, target - q[places]))

    def _iterate(self, q: np.ndarray, step: Straight) -> np.ndarray | None:
        last = np.inf
        for _ in range(MOST_STEPS):
            found = step(q)
            if found is None:
                return None
            after, du, residual = found
            way, gap = du * self._unit, residual * self._scales
            moved = math.sqrt(way @ way)  # not below the largest
            if not (moved <= LONGEST_STEP and gap @ gap <= OPEN**2):
                return None
            q = after
            if moved < 1e-15 or (moved < 1e-11 and moved >= 0.5 * last):
                return q if self._is_closed(q) else None
            last = moved
        return None

    def _is_closed(self, q: np.ndarray) -> bool:
        look = self._straight("closure_residual")
        found = None if look is None else look(q)
        if found is None:
            return False
        residual, misalignment = found
        closed = bool(np.abs(residual * self._scales).max() <= CLOSED)
        return closed and (not misalignment.size or bool(np.abs(misalignment).max() <= CLOSED))

    def compile(self) -> None:
        """Make all machine code now."""
        for name in CHECKED:
            self._calls[name] = CALLS
            self._straight(name)

    def _straight(self, name: str) -> Straight | None:
        known = self._ready.get(name)
        if known is None:
            self._calls[name] = self._calls.get(name, 0) + 1
            if self._calls[name] < CALLS:
                return None
            ready = self._linkage.function(FunctionKey(name)).compile().one_state
            if ready is None:
                return None
            known = self._ready[name] = ready.caller(self._linkage.parameters, unchecked=not CHECKED[name])
        return known
