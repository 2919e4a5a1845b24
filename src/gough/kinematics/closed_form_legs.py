"""Legs with a closed form: their joints at a pose in each branch, and the branch that is nearest to given joints.

A branch is (length or elbow, rotation), each 0 or 1. That of home is kept, so a robot never jumps to another assembly by
itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.compilation.designs import ParameterRows
from gough.compilation.evaluation import Evaluation
from gough.compilation.function import Function
from gough.dynamics.catalogue import FunctionKey
from gough.dynamics.legs.geometry import BRANCHES, Branch, closed_form_kind
from gough.dynamics.legs.kinds import ELBOWS
from gough.dynamics.numbers import Numbers
from gough.errors import GOOD, Status, UsageError
from gough.kinematics._leg_newton import search_leg
from gough.kinematics.linkage import Linkage
from gough.kinematics.retraction import comparable_coordinates, periodic_coordinates, wrap_angle
from gough.program import Slot, trace
from gough.robot import Robot
from gough.structure import Structure


def leg_kinds(structure: Structure, pattern: Mapping[int, float]) -> tuple[str | None, ...]:
    """Closed form of every leg, judged by the pattern of structural zeros (the other parameters are traced)."""
    kinds: list[str | None] = []
    if not structure.has_platform:
        return (None,) * len(structure.legs)

    def look(parameters: Any) -> dict[str, Any]:
        numbers = Numbers(structure.without_velocities(), parameters)
        kinds.extend(closed_form_kind(numbers, k) for k in range(len(structure.legs)))
        return {}

    trace(look, [Slot("parameters", (len(structure.table.names),))], values={"parameters": dict(pattern)})
    return tuple(kinds)


@dataclass(frozen=True)
class ClosedFormLegs:
    """The legs of a linkage that have a kind; joints (n, joints) stand as in q, those of other legs are nothing."""

    linkage: Linkage
    kinds: tuple[str | None, ...]

    @cached_property
    def others(self) -> list[int]:
        """Legs without a closed form."""
        return [k for k, kind in enumerate(self.kinds) if kind is None]

    @cached_property
    def lead(self) -> int:
        """Entries of q before the joints: the pose and the elastic coordinates."""
        return self.linkage.structure.layout.joints.start

    @cached_property
    def _columns(self) -> list[list[int]]:
        structure = self.linkage.structure
        legs = [[structure.links[i] for i in leg.links] for leg in structure.legs]
        return [[link.q - self.lead + j for link in links for j in range(link.nq)] for links in legs]

    @cached_property
    def _angular(self) -> np.ndarray:
        structure = self.linkage.structure
        return np.isin(np.arange(self.lead, structure.layout.nq), periodic_coordinates(structure))

    @cached_property
    def _measures(self) -> np.ndarray:
        return comparable_coordinates(self.linkage.structure)[self.lead :]

    def columns(self, leg: int) -> list[int]:
        """Positions of a leg's joints among all joints."""
        return self._columns[leg]

    def wrap(self, difference: np.ndarray, columns: Sequence[int] | np.ndarray) -> np.ndarray:
        """Differences (..., columns) of joints with angles of which whole turns make no difference brought into [-π, π)."""
        return np.where(self.angular(columns), wrap_angle(difference), difference)

    def angular(self, columns: Sequence[int] | np.ndarray) -> np.ndarray:
        """Which of the joints are angles of which whole turns make no difference; a spindle's counts as the length it is."""
        return self._angular[columns]

    def measures(self, columns: Sequence[int] | np.ndarray) -> np.ndarray:
        """What differences of the joints are multiplied by to be compared (columns,): see `comparable_coordinates`."""
        return self._measures[columns]

    def evaluate(self, poses: np.ndarray, parameters: ParameterRows, branches: Sequence[Branch]) -> Evaluation:
        """Joints at poses (n, 7 + elastic) in these branches."""
        return self.function(branches)(pose=poses, parameters=parameters)

    def function(self, branches: Sequence[Branch]) -> Function:
        """Joints at a pose in these branches."""
        own = tuple(b if kind is not None else None for b, kind in zip(branches, self.kinds, strict=True))
        return self.linkage.function(FunctionKey("leg_joints", branches=own))

    def in_all_branches(self, poses: np.ndarray, parameters: ParameterRows) -> np.ndarray:
        """Joints (4, n, joints) in each of the four branches; NaN for legs that do not reach."""
        if all(kind is None for kind in self.kinds):
            return np.zeros((len(BRANCHES), len(poses), self.linkage.structure.layout.n_joints))
        return np.moveaxis(self.in_branches.values(pose=poses, parameters=parameters)["joints"], -2, 0)

    @cached_property
    def in_branches(self) -> Function:
        """Joints (4, joints) at a pose with all legs in one branch, for each of the four."""
        own = tuple(BRANCHES[0] if kind is not None else None for kind in self.kinds)
        return self.linkage.function(FunctionKey("branched_joints", branches=own))

    def nearest(self, poses: np.ndarray, parameters: ParameterRows, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(joints (n, joints), failures (n,)) in the branches nearest to configurations `near` (n, nq)."""
        stacked = self.in_all_branches(poses, parameters)
        out = stacked[0].copy()
        failures = np.full(len(poses), GOOD, dtype=object)
        columns, starts = self.by_leg
        if not len(columns):
            return out, failures
        close = near[:, self.lead + columns]
        wrapped = self.wrap(stacked[:, :, columns] - close, columns)
        cost = np.add.reduceat(np.abs(wrapped * self.measures(columns)), starts, axis=-1)
        cost = np.where(np.isfinite(cost), cost, np.inf)
        best = np.argmin(cost, axis=0)
        leg = np.repeat(np.arange(len(starts)), np.diff([*starts, len(columns)]))
        out[:, columns] = close + np.take_along_axis(wrapped, best[None, :, leg], axis=0)[0]
        lost = np.isinf(np.take_along_axis(cost, best[None], axis=0)[0])
        known = [k for k, kind in enumerate(self.kinds) if kind is not None]
        for state in np.flatnonzero(lost.any(axis=1)):
            leg_lost = known[int(np.argmax(lost[state]))]
            failures[state] = Status.OUT_OF_REACH.at(self.linkage.structure.legs[leg_lost].name)
        return out, failures

    @cached_property
    def by_leg(self) -> tuple[np.ndarray, np.ndarray]:
        """(positions of the joints of legs with a closed form, leg after leg; where each leg's begin in it)."""
        own = [self.columns(k) for k, kind in enumerate(self.kinds) if kind is not None]
        starts = np.cumsum([0, *(len(columns) for columns in own)])[:-1]
        return np.array([c for columns in own for c in columns], dtype=int), starts.astype(int)

    def branches_of(self, q: np.ndarray) -> tuple[Branch, ...]:
        """The branch of every leg that an assembled q (nq,) is in: it may be a little off a stated pose, or another than was
        hinted."""
        branches: list[Branch] = [(0, 0)] * len(self.kinds)
        if all(kind is None for kind in self.kinds):
            return tuple(branches)
        candidates = self.in_all_branches(q[None, : self.lead], self.linkage.parameters[None])[:, 0]
        for k, kind in enumerate(self.kinds):
            if kind is not None:
                columns = self.columns(k)
                away = self.wrap(candidates[:, columns] - q[self.lead :][columns], columns) * self.measures(columns)
                cost = np.abs(away).sum(axis=1)
                branches[k] = BRANCHES[int(np.argmin(np.where(np.isfinite(cost), np.round(cost, 9), np.inf)))]
        return tuple(branches)

    def settle(self, robot: Robot, start: np.ndarray, known: np.ndarray) -> np.ndarray:
        """`start` (nq,) with all legs at its pose where they can be found by themselves; `known` (nq,) marks what was given."""
        q, linkage = start.copy(), self.linkage
        pose, guess, hinted = q[: self.lead], q[self.lead :], known[self.lead :]
        candidates = self.in_all_branches(pose[None], linkage.parameters[None])[:, 0]
        for k, kind in enumerate(self.kinds):
            if kind is None:
                continue
            columns = self.columns(k)
            given = hinted[columns]
            weight = (
                np.where(given, self.measures(columns), 0.0) if given.any() else self.angular(columns).astype(float)
            )
            target = np.where(given, guess[columns], 0.0)
            elbows = kind in ELBOWS
            options = range(4) if given.any() or elbows else range(2)  # without a hint, keep the usual length
            away = [self.wrap(candidates[b][columns] - target, columns) for b in options]
            cost = np.array([np.sum(weight * np.abs(d)) for d in away])
            best = int(np.argmin(np.where(np.isfinite(cost), np.round(cost, 9), np.inf)))
            if np.isfinite(cost[best]):
                guess[columns] = target + away[best] if elbows else candidates[best][columns]
        for k in self.others:
            columns = self.columns(k)
            if linkage.structure.legs[k].cuts and columns:
                hint = guess[columns] if hinted[columns].any() else None
                guess[columns] = search_leg(linkage, robot, k, q, hint)[columns]
        return q


def check_branch(branch: Any, legs: int) -> list[Branch] | None:
    """Branches per leg from one pair for all legs or one pair per leg."""
    if branch is None:
        return None
    try:
        pairs = [branch] * legs if len(branch) == 2 and all(isinstance(b, int) for b in branch) else list(branch)
        sound = len(pairs) == legs and all(len(p) == 2 and all(b in (0, 1) for b in p) for p in pairs)
    except TypeError:
        pairs, sound = [], False
    if not sound:
        raise UsageError(
            f"branch={branch!r}; give (length, rotation) of 0 or 1 for all legs, or one pair per leg ({legs})"
        )
    return [(int(a), int(b)) for a, b in pairs]
