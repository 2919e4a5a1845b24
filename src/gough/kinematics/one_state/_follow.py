"""One configuration led to given independent coordinates: `following.follow` for a single state, step for step, by machine code.

The steps are limited as there, so that the same assembly is found. Wherever something is wrong with a state, None is returned,
and `follow` says what it is.
"""

import math
from collections.abc import Callable, Collection

import numpy as np

from gough.compilation.one_state import Straight
from gough.dynamics.catalogue import FunctionKey
from gough.kinematics.closing import CLOSED, row_scales
from gough.kinematics.following import ITERATIONS, LARGEST_FOLLOWING, LARGEST_STEP, OPEN, PATIENCE
from gough.kinematics.linkage import LedLinkage
from gough.kinematics.one_state._turn import scale_to_unit, turn_quaternion
from gough.kinematics.retraction import step_units, turns_and_slides

CALLS = 16
"""Calls after which machine code is made for it."""
OF_LEADING = {
    "drive_step": False,
    "leading_step": False,
    "closing_step": True,
    "drive_map": True,
    "closure_residual": True,
}
"""Functions that lead a configuration, and whether they are asked as computed, whatever their checks say."""
OneMisses = Callable[[np.ndarray], np.ndarray | None]
"""q (nq,) -> what v must still do to reach the target (nv,); None where nothing can be said."""


class StraightFunctions:
    """A linkage's functions of one state in machine code, once they are asked for often; of its own design."""

    def __init__(self, linkage: LedLinkage) -> None:
        self._linkage = linkage
        self._ready: dict[str, Straight] = {}
        self._calls: dict[str, int] = {}

    def compile(self, left_out: Collection[str] = ()) -> None:
        """Make all machine code now."""
        for name, unchecked in OF_LEADING.items():
            if name not in left_out:
                self._calls[name] = CALLS
                self.find(name, unchecked)

    def find(self, name: str, unchecked: bool = False) -> Straight | None:
        """By name; unchecked: outputs as computed, whatever the checks say."""
        known = self._ready.get(name)
        if known is None:
            self._calls[name] = self._calls.get(name, 0) + 1
            if self._calls[name] < CALLS:
                return None
            ready = self._linkage.function(FunctionKey(name)).unlocked.compile().one_state
            if ready is None:
                return None
            known = self._ready[name] = ready.caller(self._linkage.parameters, unchecked=unchecked)
        return known


class OneFollow:
    """Of a robot's own design."""

    def __init__(self, linkage: LedLinkage, functions: StraightFunctions) -> None:
        mechanism, self._functions = linkage.mechanism, functions
        self.is_tree = not mechanism.rows
        self.plain = not mechanism.tolerances and not turns_and_slides(mechanism) and not self.is_tree
        self._unit = step_units(mechanism, linkage.size)
        self._own = self._unit[list(mechanism.selection.independent)]
        self._scales = row_scales(linkage)
        self._turns = [
            (link.quaternion, link.spin, link.motion.spins_in_body)
            for link in mechanism.links
            if link.quaternion is not None and link.spin is not None
        ]
        pairs = [pair for link in mechanism.links for pair in link.plain]
        for link in mechanism.links:
            if link.elastic is not None:
                places = range(mechanism.layout.nq)[link.elastic.coordinates]
                pairs += zip(places, link.elastic.columns, strict=True)
        self._q, self._u = np.array(pairs, dtype=int).reshape(-1, 2).T

    def normalise(self, q: np.ndarray) -> np.ndarray:
        """q (nq,) with all quaternions of unit length."""
        out = q.copy()
        for place, _, _ in self._turns:
            out[place] = scale_to_unit(q[place].tolist())
        return out

    def follow(self, start: np.ndarray, misses: OneMisses, near: float = 0.0) -> np.ndarray | None:
        """q (nq,) led from `start` until `misses` vanish and the loops are closed; or, with `near`, until a whole step is no
        longer than that, for others to end."""
        step = self._functions.find("closing_step", unchecked=True)
        if step is None or not np.isfinite(start).all():
            return None
        q, last, best, since = start, math.inf, math.inf, 0
        for _ in range(ITERATIONS):
            wanted, error = misses(q), self.closure_error(q)
            if wanted is None or error is None:
                return None
            size = float(np.abs(wanted / self._own).max(initial=0.0))
            if not size < math.inf:
                return None
            limited = wanted / max(size / LARGEST_STEP, 1.0) if error <= OPEN else np.zeros_like(wanted)
            found = step(q, limited)
            du = None if found is None else found[0] / self._unit
            moved = math.nan if du is None else float(np.abs(du).max(initial=0.0))
            if du is None or not moved < math.inf:
                return None
            if near and size <= LARGEST_STEP and error <= OPEN and math.sqrt(du @ du) <= near:
                return q
            q = self.retract(q, du / max(moved / LARGEST_FOLLOWING, 1.0) * self._unit)
            if moved < 1e-15 or (moved < 1e-11 and moved >= 0.5 * last):
                after = self.closure_error(q)
                return q if after is not None and after <= CLOSED else None
            last, effort = moved, max(size, moved)
            nearer = effort < max(0.9 * best, best - 0.5 * LARGEST_STEP)
            best, since = (effort, 0) if nearer else (best, since + 1)
            if since > PATIENCE:
                return None
        return None

    def closure_error(self, q: np.ndarray) -> float | None:
        """Largest scaled closure error, as `closing.closure_errors`; NaN where there is none."""
        look = self._functions.find("closure_residual", unchecked=True)
        found = None if look is None else look(q)
        if found is None:
            return None
        residual, misalignment = found
        error = float(np.abs(residual / self._scales).max())
        axes = float(np.abs(misalignment).max(initial=0.0))
        return error if axes <= error else axes if error == error else error

    def retract(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q moved by a step of the tree, as `retraction.retract` does it."""
        out = q.copy()
        out[self._q] += step[self._u]
        for place, spin, in_body in self._turns:
            out[place] = turn_quaternion(q[place].tolist(), step[spin].tolist(), in_body)
        return out
