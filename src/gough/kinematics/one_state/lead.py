"""One configuration led to drive positions, to named coordinates or by a step, in machine code.

What `following.follow` does for batches. A short way of loops that are all but closed, where nothing is to be limited, is
Newton's iteration alone; a longer one is led by `OneFollow` first. A state at which something is wrong is for `follow`: None is
returned.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from gough.compilation.one_state import Straight
from gough.kinematics.closing import CLOSED, row_scales
from gough.kinematics.following import OPEN
from gough.kinematics.leading import (
    LONGEST_TURN,
    POSE_TOLERANCE,
    NamedCoordinates,
    idle_turns,
    solve_led,
    solve_rigid,
)
from gough.kinematics.linkage import LedLinkage
from gough.kinematics.one_state._follow import OneFollow, OneMisses, StraightFunctions
from gough.kinematics.one_state._named import OneNamed
from gough.kinematics.one_state._turn import turn_between
from gough.kinematics.retraction import coordinate_sizes, step_units, wrap_angle

LONGEST_STEP = 0.1
"""Longest step, in the measure of `following.LARGEST_STEP`, that is taken without limits."""
MOST_STEPS = 12


class OneLead:
    """Of a robot's own design."""

    def __init__(self, linkage: LedLinkage) -> None:
        self._linkage, mechanism = linkage, linkage.mechanism
        self._functions = StraightFunctions(linkage)
        self._follower = OneFollow(linkage, self._functions)
        self._unit = 1.0 / step_units(mechanism, linkage.size)
        self._scales = 1.0 / row_scales(linkage)
        self._index = np.array(mechanism.drive_index, dtype=int)
        self._drive_sizes = coordinate_sizes(mechanism, linkage.size)[self._index]
        self._square = len(self._index) == linkage.mobility
        self._apart = 0 < len(self._index) == len(set(mechanism.drive_index))
        self._named: dict[tuple[str, ...], OneNamed] = {}
        self._rates = _Rates(linkage)
        self._idle = [k for k, _, _ in idle_turns(linkage)]

    def compile(self) -> None:
        """Make all machine code now."""
        self._functions.compile(() if self._square else ("drive_step",))

    def to_drives(self, drives: np.ndarray, start: np.ndarray) -> np.ndarray | None:
        """q (nq,) with drive coordinates (drives,), from `start` (nq,)."""
        begin = self._follower.normalise(start)
        if self._follower.is_tree and self._apart:  # nothing follows
            begin[self._index] = drives
            return begin if np.isfinite(begin).all() else None
        if not self._follower.plain or not len(drives):
            return None
        if self._idle:
            q = self._beside_turns(drives, begin)
        else:
            step = self._functions.find("drive_step") if self._square else None
            near = None if step is None else lambda q: step(q, drives) or self._pivoted(q, drives)
            q = self._lead(begin, near, lambda q: self._missing_drives(q, drives))
        if q is None or not (np.abs(drives - q[self._index]) / self._drive_sizes).max() < POSE_TOLERANCE:
            return None
        return q

    def _beside_turns(self, drives: np.ndarray, begin: np.ndarray) -> np.ndarray | None:
        """`to_drives` where idle turns of balls stay as they are in `begin` (nq,)."""
        step = self._functions.find("leading_step")
        stay = self._rates.misses(begin, np.zeros(self._linkage.layout.nv))

        def misses(q: np.ndarray) -> np.ndarray | None:
            out = self._missing_drives(q, drives)
            if out is not None:
                out[self._idle] = stay(q)[self._idle]
            return out

        def near(q: np.ndarray) -> Sequence[np.ndarray] | None:
            way = misses(q)
            return None if step is None or way is None else step(q, way)

        return None if step is None or not self._rates.known else self._lead(begin, near, misses)

    def _missing_drives(self, q: np.ndarray, drives: np.ndarray) -> np.ndarray | None:
        """As in `leading.drives_led`."""
        look = self._functions.find("drive_map", unchecked=True)
        found = None if look is None else look(q)
        if found is None:
            return None
        scale = self._drive_sizes
        return solve_led(self._linkage, (found[0].T / scale[:, None])[None], ((drives - q[self._index]) / scale)[None])[
            0
        ]

    def _pivoted(self, q: np.ndarray, drives: np.ndarray) -> Sequence[np.ndarray] | None:
        """A step where the order of elimination that machine code has meets a small pivot, as it may at a symmetric home."""
        look, step = self._functions.find("drive_map", unchecked=True), self._functions.find("leading_step")
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
        """q (nq,) when v moves `start` (nq,) by `way` (nv,)."""
        begin = self._follower.normalise(start)
        if self._follower.is_tree:  # nothing follows
            short = self._rates.longest_turn(way) <= LONGEST_TURN and np.isfinite(way).all()
            q = self._follower.retract(begin, self._rates.of_tree(way)) if short else begin
            return q if short and np.isfinite(q).all() else None
        step = self._functions.find("leading_step") if self._follower.plain else None
        if step is None or not self._rates.known:
            return None
        misses = self._rates.misses(begin, way)
        far = misses if self._rates.longest_turn(way) <= LONGEST_TURN else None  # longer ones are led in pieces
        return self._lead(begin, lambda q: step(q, misses(q)), far)

    def to_coordinates(self, names: tuple[str, ...], values: Sequence[float], start: np.ndarray) -> np.ndarray | None:
        """q (nq,) with named coordinates at values, from `start` (nq,); as `leading.coordinates_led`."""
        if not self._follower.plain:
            return None
        rates = self._functions.find("tree_rates", unchecked=True)
        named = self._named.get(names)
        if named is None:
            if len(self._named) >= MOST_NAMES:
                self._named.clear()
            named = self._named[names] = OneNamed(NamedCoordinates(self._linkage, names))
        if rates is None or not named.plain:
            return None
        given = np.array(values, dtype=float)

        def misses(q: np.ndarray) -> np.ndarray | None:
            found = named.look(q, rates)
            if found is None:
                return None
            now, C = found
            error = given - now
            error = np.where(named.wrapped, wrap_angle(error), error)
            return solve_rigid(self._linkage, C[None], error[None])[0]

        q = self._follower.follow(self._follower.normalise(start), misses)
        found = None if q is None else named.look(q, rates)
        if q is None or found is None:
            return None
        off = np.abs(given - found[0])
        off = np.where(named.periodic, np.abs(wrap_angle(off)), off) / named.sizes
        return q if bool((off <= POSE_TOLERANCE).all()) else None

    def _lead(self, q: np.ndarray, step: Straight | None, misses: OneMisses | None) -> np.ndarray | None:
        """q led by whole steps of Newton where they are short, else first by limited ones towards what `misses` says."""
        if step is None:
            return None if misses is None else self._follower.follow(q, misses)
        last, far = np.inf, misses
        for _ in range(MOST_STEPS):
            found = step(q)
            if found is None:
                return None
            after, du, residual = found
            way, gap = du * self._unit, residual * self._scales
            moved = math.sqrt(way @ way)  # not below the largest
            is_short = (
                gap @ gap <= OPEN**2 if far is not None else np.abs(gap).max(initial=0.0) <= OPEN
            )  # as `OneFollow` ends
            if not (moved <= LONGEST_STEP and is_short):
                led = None if far is None else self._follower.follow(q, far, LONGEST_STEP)
                if led is None:
                    return None
                q, far = led, None
                continue
            q = after
            if moved < 1e-15 or (moved < 1e-11 and moved >= 0.5 * last):
                error = self._follower.closure_error(q)
                return q if error is not None and error <= CLOSED else None
            last = moved
        return None


MOST_NAMES = 64
"""Sets of names that are remembered."""


class _Rates:
    """What v's entries move: coordinates by their rates, or rotations in space by some components of their rotation vectors."""

    def __init__(self, linkage: LedLinkage) -> None:
        mechanism, places, turns = linkage.mechanism, {}, {}
        for link in mechanism.links:
            places |= {u: q for q, u in link.plain}
            if link.elastic is not None:
                places |= dict(
                    zip(link.elastic.columns, range(mechanism.layout.nq)[link.elastic.coordinates], strict=True)
                )
            if link.quaternion is not None and link.spin is not None:
                key = (link.quaternion, link.motion.spins_in_body)
                turns |= {u: (*key, axis) for axis, u in enumerate(range(mechanism.layout.nu)[link.spin])}
        own = mechanism.selection.independent
        self._own, self._nu = np.array(own, dtype=int), mechanism.layout.nu
        self.known = all(u in places or u in turns for u in own)
        self._entries = np.array([k for k, u in enumerate(own) if u in places], dtype=int)
        self._places = np.array([places[u] for u in own if u in places], dtype=int)
        self._turns = [(k, *turns[u]) for k, u in enumerate(own) if u in turns]

    def longest_turn(self, way: np.ndarray) -> float:
        """Largest component of a rotation vector in `way` (nv,)."""
        return max((abs(float(way[k])) for k, *_ in self._turns), default=0.0)

    def of_tree(self, way: np.ndarray) -> np.ndarray:
        """The step (nu,) of the tree in which v makes `way` (nv,) and nothing else moves."""
        out = np.zeros(self._nu)
        out[self._own] = way
        return out

    def misses(self, begin: np.ndarray, way: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """What v must still do (nv,) at q to have moved `begin` (nq,) by `way` (nv,), as `leading.step_led` has it."""
        places = self._places
        target = begin[places] + way[self._entries]
        if not self._turns:
            return lambda q: target - q[places]
        origins = [(k, place, begin[place].tolist(), in_body, axis) for k, place, in_body, axis in self._turns]

        def missing(q: np.ndarray) -> np.ndarray:
            out = way.copy()
            out[self._entries] = target - q[places]
            known, done = None, (0.0, 0.0, 0.0)
            for k, place, origin, in_body, axis in origins:
                if known is not place:
                    known, done = place, turn_between(origin, q[place].tolist(), in_body)
                out[k] -= done[axis]
            return out

        return missing
