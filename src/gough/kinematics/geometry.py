"""Configurations of the closed robot: joint coordinates from a pose (closed form, else Newton), pose from drives (Newton).

Closed-form legs carry a branch (length or elbow, rotation), each 0 or 1; it is chosen once from the home configuration and
kept, so a robot never jumps to another assembly by itself. `near` picks the branch nearest to a given configuration instead.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.leg_geometry import closed_form_joints, closed_form_kind
from gough.dynamics.leg_kinds import ELBOWS
from gough.dynamics.mass_matrix import legs_follow
from gough.dynamics.numbers import Numbers
from gough.errors import GOOD, Status, UsageError
from gough.kinematics.catalogue import slots_of
from gough.kinematics.closed_legs import close_platform
from gough.kinematics.leading import pose_led
from gough.kinematics.newton import leg_newton
from gough.kinematics.search import search_leg
from gough.kinematics.settling import carried_pose, carriers_known, home_guess, regular_home, settle, stated_home
from gough.program import trace
from gough.spatial import rotation_from_quaternion_wxyz
from gough.spatial.poses import integrate_pose, pose_difference

if TYPE_CHECKING:
    from gough.model.model import Model

Branch = tuple[int, int]
BRANCHES: tuple[Branch, ...] = ((0, 0), (0, 1), (1, 0), (1, 1))
LARGEST_STEP = 0.25
"""Largest step (relative to the robot's size, or rad) of a pose along which legs without closed form are led."""
MOST_STEPS = 24


class Geometry:
    """Inverse and forward geometry of one model."""

    def __init__(self, model: "Model") -> None:
        self.model = model
        mechanism = model.mechanism
        self.lead = mechanism.layout.joints.start
        """Entries of q before the joints: the pose and the elastic coordinates."""
        self.kinds = _closed_form_kinds(model)
        self.newton_legs = [k for k, kind in enumerate(self.kinds) if kind is None]
        self._functions: dict[tuple, Function] = {}
        self.branches: list[Branch] = [(0, 0)] * len(mechanism.legs)
        self.home_joints = np.zeros(mechanism.layout.n_joints)

    @property
    def by_legs(self) -> bool:
        """Whether a pose gives the joints of every leg by itself."""
        return legs_follow(self.model.mechanism)

    @property
    def legs_reach(self) -> bool:
        """Whether each leg follows a pose by itself, whatever v is: a robot led by its drives takes the same poses."""
        mechanism = self.model.mechanism
        own = mechanism.selection
        led = replace(own, independent=(*range(6), *own.independent[mechanism.layout.mobility :]))
        return legs_follow(replace(mechanism, selection=led))

    @property
    def by_closed_legs(self) -> bool:
        """Whether closed forms give all legs of a platform that v may not lead, or that has fewer than six freedoms."""
        cuts = self.model.mechanism.cuts
        known = bool(self.kinds) and all(kind is not None for kind in self.kinds)
        fits = not self.model.mechanism.tolerances
        return known and fits and all(cut.leg >= 0 or cut.type == "fixed" for cut in cuts)

    def settle_home(self) -> np.ndarray:
        """Choose branches from the home configuration and return its q (nq,), closed as far as it can be."""
        model = self.model
        start, known = home_guess(model)
        q = stated_home(model, start, known)
        if q is None:
            q = settle(model, self.home_start(), known)
        return self._begun_at(q)

    def settle_elsewhere(self) -> np.ndarray | None:
        """The same where the first home is singular and the description leaves a choice; else None."""
        _, known = home_guess(self.model)
        q = regular_home(self.model, self.home_start(), known)
        return None if q is None else self._begun_at(q)

    def _begun_at(self, q: np.ndarray) -> np.ndarray:
        self.home_joints = q[self.lead :]
        if any(kind is not None for kind in self.kinds):
            self._recognise_branches(q)
        return q

    def home_start(self) -> np.ndarray:
        """q (nq,) where assembling the home begins: what is stated, legs where they can be found by themselves."""
        model = self.model
        start, known = home_guess(model)
        if not model.mechanism.has_platform or not model.mechanism.legs:
            return start
        given, carried = start.copy(), carried_pose(model, start, known)
        start[:7] = start[:7] if carried is None else carried
        start[self.lead :] = self._settle_legs(start[: self.lead], start[self.lead :], known[self.lead :])
        if (
            not carriers_known(model, known) and not known[:7].all()
        ):  # legs found at no stated pose say nothing about stated joints
            start[known] = given[known]
        return start

    def _recognise_branches(self, q: np.ndarray) -> None:
        """The branches that the assembled home is in: it may be a little off the stated pose, or another than was hinted."""
        candidates = np.stack(self._all_branches(q[None, : self.lead], self.model.parameters[None]))[
            :, 0
        ]  # (4, joints)
        for k, kind in enumerate(self.kinds):
            if kind is not None:
                columns = self._columns(k)
                cost = np.abs(self._wrapped(candidates[:, columns] - q[self.lead :][columns], columns)).sum(axis=1)
                self.branches[k] = BRANCHES[int(np.argmin(np.where(np.isfinite(cost), np.round(cost, 9), np.inf)))]

    def _settle_legs(self, pose: np.ndarray, guess: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Joints (joints,) of all legs at a pose; `known` marks those whose guess was given."""
        model = self.model
        candidates = self._all_branches(pose[None], model.parameters[None])
        for k in range(len(model.mechanism.legs)):
            if self.kinds[k] is None:
                continue
            columns = self._columns(k)
            given = known[columns]
            weight = np.where(given, 1.0, 0.0) if given.any() else self._angular(columns)
            target = np.where(given, guess[columns], 0.0)
            free = given.any() or self.kinds[k] in ELBOWS
            options = range(4) if free else range(2)  # without a hint, keep the usual length
            distance = [self._wrapped(candidates[b][0, columns] - target, columns) for b in options]
            cost = np.array([np.sum(weight * np.abs(d)) for d in distance])
            best = int(np.argmin(np.where(np.isfinite(cost), np.round(cost, 9), np.inf)))
            self.branches[k] = BRANCHES[best]
            if np.isfinite(cost[best]):
                elbows = self.kinds[k] in ELBOWS
                guess[columns] = target + distance[best] if elbows else candidates[best][0, columns]
        for k in self.newton_legs:
            columns = self._columns(k)
            if model.mechanism.legs[k].cuts and columns:
                hint = guess[columns] if known[columns].any() else None
                guess[columns] = search_leg(model, k, np.concatenate([pose, guess]), hint)[columns]
        return guess

    def from_pose(
        self,
        poses: np.ndarray,
        parameters: np.ndarray,
        near: np.ndarray | None = None,
        branch: Sequence[Branch] | None = None,
        elastic: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(q (n, nq), failed checks (n,)) of poses (n, 7); elastic (n, k): default those of near, else 0."""
        elastic = self._bent(len(poses), near, elastic)
        by_legs = self.legs_reach
        if not by_legs and not self.by_closed_legs:
            if branch is not None:
                raise UsageError(f"branch=: the legs of {self.model.robot.name} have no closed form; use near=")
            return pose_led(self.model, poses, parameters, self._started(elastic, near))
        poses = np.concatenate([poses, elastic], axis=1)
        joints, names = self._leg_joints(poses, parameters, near, branch)
        if not by_legs:
            return close_platform(self.model, np.concatenate([poses, joints], axis=1), names, parameters, near)
        if near is not None:
            near_joints = near[:, self.lead :]
            for k in self.newton_legs:
                joints[:, self._columns(k)] = near_joints[:, self._columns(k)]
        q = np.concatenate([poses, joints], axis=1)
        if self.newton_legs:
            open_ = names == GOOD
            start = None if near is None else near[open_]
            q[open_], failed = self._follow(q[open_], _rows(parameters, open_), start)
            names[np.flatnonzero(open_)] = failed
        q[names != GOOD, self.lead :] = np.nan
        return q, names

    def _bent(self, n: int, near: np.ndarray | None, elastic: np.ndarray | None) -> np.ndarray:
        if elastic is not None:
            return elastic
        place = self.model.layout.elastic
        return np.zeros((n, place.stop - place.start)) if near is None else near[:, place]

    def _started(self, elastic: np.ndarray, near: np.ndarray | None) -> np.ndarray | None:
        """Where a search starts: `near` (or home) with these elastic coordinates."""
        if not elastic.shape[1]:
            return near
        start = np.repeat(self.model.home[None], len(elastic), axis=0) if near is None else near.copy()
        start[:, self.model.layout.elastic] = elastic
        return start

    def _leg_joints(
        self, poses: np.ndarray, parameters: np.ndarray, near: np.ndarray | None, branch: Sequence[Branch] | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(joints (n, joints), failed checks (n,)): those of closed-form legs at poses (n, 7), others as at home."""
        n = len(poses)
        joints = np.broadcast_to(self.home_joints, (n, len(self.home_joints))).copy()
        names = np.full(n, GOOD, dtype=object)
        if all(kind is None for kind in self.kinds):
            return joints, names
        if near is None:
            evaluation = self._closed(tuple(branch or self.branches))(pose=poses, parameters=parameters)
            found, names = evaluation.outputs["joints"].reshape(n, len(self.home_joints)), evaluation.failures.copy()
        else:
            found, names = self._nearest(poses, parameters, near)
        for k, kind in enumerate(self.kinds):
            if kind is not None:
                columns = self._columns(k)
                part = found[:, columns]
                if near is None and kind in ELBOWS:  # cranks turn freely: count their turns from home
                    home = self.home_joints[columns]
                    part = home + self._wrapped(part - home, columns)
                joints[:, columns] = part
        return joints, names

    def _follow(self, q: np.ndarray, parameters: np.ndarray, near: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Newton legs led from home (or `near`) to the poses of q in small steps, so that they keep their assembly."""
        start = self.model.home_pose if near is None else near[:, :7]
        whole = pose_difference(np.broadcast_to(start, (len(q), 7)), q[:, :7])
        size = np.abs(whole) / np.array([self.model.size] * 3 + [1.0] * 3)
        steps = int(np.clip(np.ceil(size.max(initial=0.0) / LARGEST_STEP), 1, MOST_STEPS))
        x, names = q.copy(), np.full(len(q), GOOD, dtype=object)
        for k in range(1, steps + 1):
            x[:, :7] = (
                q[:, :7] if k == steps else integrate_pose(np.broadcast_to(start, (len(q), 7)), whole * (k / steps))
            )
            x, names = leg_newton(self.model, x, parameters, self.newton_legs)
            x[names != GOOD, self.lead :] = q[
                names != GOOD, self.lead :
            ]  # an intermediate pose out of reach: go on from the start
        return x, names

    def _closed(self, branches: tuple[Branch, ...]) -> Function:
        if branches not in self._functions:
            model = self.model
            chosen: list[Branch | None] = [
                b if kind is not None else None for b, kind in zip(branches, self.kinds, strict=True)
            ]

            def equations(pose: Any, parameters: Any) -> dict[str, Any]:
                rotation = rotation_from_quaternion_wxyz(pose[3:7])
                return {"joints": closed_form_joints(Numbers(model.mechanism, parameters), pose, rotation, chosen)}

            program = trace(
                equations,
                slots_of(model.mechanism, ("pose",)),
                f"{model.mechanism.name} inverse_geometry",
                {"parameters": model.pattern},
            )
            self._functions[branches] = Function(program, model.mechanism.table, model.pattern)
        return self._functions[branches]

    def _all_branches(self, poses: np.ndarray, parameters: np.ndarray) -> list[np.ndarray]:
        """Joints (n, joints) in each of the four branches; NaN for legs that do not reach."""
        if all(kind is None for kind in self.kinds):
            return [np.zeros((len(poses), len(self.home_joints)))] * len(BRANCHES)
        return [
            self._closed((b,) * len(self.kinds)).values(pose=poses, parameters=parameters)["joints"] for b in BRANCHES
        ]

    def _nearest(self, poses: np.ndarray, parameters: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        stacked = np.stack(self._all_branches(poses, parameters))  # (4, n, joints)
        out = stacked[0].copy()
        failed = np.full(len(poses), GOOD, dtype=object)
        rows = np.arange(len(poses))
        for k, kind in enumerate(self.kinds):
            if kind is None:
                continue
            columns = self._columns(k)
            wrapped = self._wrapped(stacked[:, :, columns] - near[None, :, self.lead :][:, :, columns], columns)
            cost = np.abs(wrapped).sum(axis=-1)
            best = np.argmin(np.where(np.isfinite(cost), cost, np.inf), axis=0)
            out[:, columns] = near[:, self.lead :][:, columns] + wrapped[best, rows]
            lost = ~np.isfinite(cost[best, rows])
            failed[lost & (failed == GOOD)] = Status.OUT_OF_REACH.at(self.model.mechanism.legs[k].name)
        return out, failed

    def _columns(self, leg: int) -> list[int]:
        links = self.model.mechanism.links
        return [links[i].q - self.lead + j for i in self.model.mechanism.legs[leg].links for j in range(links[i].nq)]

    def _angular(self, columns: list[int]) -> np.ndarray:
        return np.array([1.0 if self.model.layout.q_units[self.lead + c] == "rad" else 0.0 for c in columns])

    def _wrapped(self, difference: np.ndarray, columns: list[int]) -> np.ndarray:
        """Differences of coordinates with angles brought into (-π, π]."""
        angular = self._angular(columns) > 0
        turned = np.remainder(difference + np.pi, 2 * np.pi) - np.pi
        return np.where(angular, turned, difference)


def _closed_form_kinds(model: "Model") -> list[str | None]:
    """Closed form of every leg, judged by the pattern of structural zeros (the other parameters are traced)."""
    kinds: list[str | None] = []
    if not model.mechanism.has_platform:
        return [None] * len(model.mechanism.legs)

    def look(parameters: Any) -> dict[str, Any]:
        numbers = Numbers(model.mechanism, parameters)
        kinds.extend(closed_form_kind(numbers, k) for k in range(len(model.mechanism.legs)))
        return {}

    trace(look, slots_of(model.mechanism, ()), values={"parameters": model.pattern})
    return kinds


def _rows(parameters: np.ndarray, chosen: Any) -> np.ndarray:
    """Rows of per-state parameters; a single row serves all."""
    return parameters if len(parameters) == 1 else parameters[chosen]


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
