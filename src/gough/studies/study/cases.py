"""Cases of a study: states that every design is taken to, along a motion or at poses, under loads and with payloads.

A case prescribes coordinates (a pose, drives, named ones), for a motion with their rates. Where these are the coordinates and
velocities that v leads, they are the same for every design, and derivatives by the design, which hold them, are total. Else v
follows from each design's own kinematics, and there are values without derivatives (`led` says which).

All designs are assembled at once, state after state where legs have no closed form: a design's first state is found from the
description's home, if need be on a way of designs between the two. A state that a design does not reach has a deficit: the
closure error that is left, over the robot's size.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.kinematics.leading import COORDINATES, NamedCoordinates
from gough.model.external import external_load
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.states import states_for, velocities
from gough.simulation.motion.targets import MotionTarget
from gough.studies._closed_states import ClosedStates
from gough.studies.study._following import FollowedStates, home_formulas
from gough.studies.study._grid import PoseGrid
from gough.studies.study._prescribed import ANGLES, are_kept, closure_deficits, prescribed_columns
from gough.studies.study.branches import has_sides, not_held, turned_over

if TYPE_CHECKING:
    from gough.model import Model

COARSE = 24
"""States that are led one after the other where legs have no closed form."""
BETWEEN = (0.25, 0.5, 0.75, 1.0)
"""Designs on the way from the description's to one whose first state is not found from home."""
UNFELT = 1e-9
"""Rate of a coordinate that v does not move."""
NOWHERE = 1e3
"""Position, in sizes of the robot, where a formula has no number: out of reach."""
MISSED = 1e-3
"""Least violation of a state that a design does not take."""


@dataclass(frozen=True, eq=False)
class CaseStates:
    """Designs (d,) in the states (s,) of a case. states: of those designs alone that take all of them, `good` (d,) of which
    there are g: rows of one after the other, g · s. missed (d, s): states that are not taken; violation (d,): 0 where good.
    q (d, s, nq), designs (d, m): of all of them."""

    states: ClosedStates
    good: np.ndarray
    missed: np.ndarray
    violation: np.ndarray
    time: np.ndarray | None
    q: np.ndarray
    designs: np.ndarray


@dataclass(frozen=True, eq=False)
class StudyCase:
    """States by name. kind: "pose", "drives" or "coordinates" (of `names`); position (s, n); target: what a motion asks of the
    model, with its sample; None for poses at rest. time (s,): of the states, None for poses. wrench: as for
    `model.inverse_dynamics`. added (m,): what a payload adds to every design's numbers. grid: that the poses are of. follows:
    which coordinates follow the design; position is then that of the description."""

    name: str
    model: "Model"
    kind: str
    names: tuple[str, ...]
    position: np.ndarray
    target: MotionTarget | None = None
    sample: Sample | None = None
    time: np.ndarray | None = None
    wrench: Any = None
    added: np.ndarray | None = None
    grid: PoseGrid | None = None
    follows: FollowedStates | None = None

    @property
    def count(self) -> int:
        """s."""
        return len(self.position)

    @property
    def must_be_held(self) -> bool:
        """Whether drives hold the platform all along (`not_held`): poses have no way between them."""
        return self.target is not None and self.kind != "drives" and has_sides(self.model)

    @cached_property
    def led(self) -> str:
        """ "" where the case prescribes just what v leads; else what is wrong with that."""
        own = list(self.model.mechanism.selection.independent)[: self.model.mobility]
        columns, named = self._columns, ", ".join(self.model.layout.v_names[: self.model.mobility])
        follows = (
            f"velocities that lead the robot ({named}) follow from the design's own kinematics; prescribe all of x y z yaw pitch "
            "roll of a platform that is free to, or drives in a study with `velocities: drives`"
        )
        if columns is None:
            return follows
        if not set(own) <= set(columns):
            return f"it does not prescribe all of what leads the robot ({named})"
        if self.target is None:
            return ""
        beyond = [k for k, c in enumerate(columns) if c not in own]
        felt = np.abs(self.target.rows(self.model.sampled_states["q"])[:, beyond]).max(initial=0.0)
        return follows if felt > UNFELT else ""

    @cached_property
    def _columns(self) -> tuple[int, ...] | None:
        """Tree velocities that are prescribed."""
        return prescribed_columns(self.model, self.kind, self.names, self.target)

    def is_kept(self, q: np.ndarray) -> bool:
        """Whether states (…, nq) have the angles that `led` relies on where some are named."""
        return not ANGLES & {*self.names} or bool(are_kept(self.model, q).all())

    def positions(self, rows: np.ndarray | None) -> np.ndarray:
        """What is prescribed (d or 1, s, n) of designs whose variables are rows (d, variables)."""
        if rows is None or self.follows is None:
            return self.position[None]
        found = self.follows.positions(self.kind, self.position, rows)
        return np.where(np.isfinite(found), found, NOWHERE * self.model.size)

    def settle(self, model: "Model") -> "StudyCase":
        """The same case for the model of a design alone, whose variables have its values."""
        target = None if self.target is None else replace(self.target, model=model)
        rows = model.variables.values[None] if len(model.variables.names) else None
        return replace(self, model=model, target=target, position=self.positions(rows)[0], follows=None)

    def states_of(
        self,
        designs: np.ndarray,
        graded: bool = False,
        near: np.ndarray | None = None,
        variables: np.ndarray | None = None,
    ) -> CaseStates:
        """Designs (d, m) in the states of the case. graded: violations tell by how much states are missed, else how many. near
        (s, nq): the states of a similar design, from which these are found where legs have no closed form. variables (d, n): of
        the description in each design, which states may follow; None: as they are there."""
        P, X = designs if self.added is None else designs + self.added, self.positions(variables)
        q, missed = self._assembled(P, X) if near is None or self._at_once else self._from_near(P, X, near)
        turned = self._turned_over(q, P, missed)
        missed = missed | turned
        lost = np.flatnonzero(turned.any(axis=1))
        if len(lost) and self.grid is None and self.count > COARSE:  # once more, in small steps
            q[lost], again = self._assembled(P[lost], _own(X, lost), self.count)
            missed[lost] = again | self._turned_over(q[lost], P[lost], again)
        if self.must_be_held:
            missed = missed | not_held(self.model, q, P, ~missed)
        v, a, more = self._rates(q, P)
        missed = missed | more
        good = np.asarray(~missed.any(axis=1))
        violation = missed.mean(axis=1)
        if graded and not good.all():
            violation = np.where(good, 0.0, MISSED * violation + self._deficits(P, X, missed))
        n, layout = int(good.sum()) * self.count, self.model.layout
        rows = {"q": q[good].reshape(n, layout.nq)}
        for name, x in (("v", v), ("acceleration", a)):
            x = x if x.ndim == 3 and len(x) == len(P) else np.broadcast_to(x, (len(P), *x.shape[-2:]))
            rows[name] = x[good].reshape(n, x.shape[-1])
        at_frames = dict(self.wrench) if isinstance(self.wrench, Mapping) else {}
        here, own = rows["q"].reshape(-1, self.count, layout.nq), P[good][:, None]

        def spread(x: np.ndarray) -> np.ndarray:
            size = x.shape[-1]
            return np.ascontiguousarray(np.broadcast_to(x, (len(here), self.count, size))).reshape(n, size)

        total = external_load(self.model, here, self.wrench, own)
        direct = external_load(self.model, here, None if at_frames else self.wrench, own)
        apart = {frame: spread(np.asarray(w, dtype=float)) for frame, w in at_frames.items()}
        rows |= {name: spread(x) for name, x in total.items()}
        plain = {name: spread(x) for name, x in direct.items()}
        states = ClosedStates(self.model, rows, P[good], apart, plain, unbent=layout.v_elastic > 0)
        return CaseStates(states, good, missed, violation, self.time, q, P)

    def _assembled(self, P: np.ndarray, X: np.ndarray, coarse: int = COARSE) -> tuple[np.ndarray, np.ndarray]:
        """(q (d, s, nq), whether a state is missed (d, s)) at positions X (d or 1, s, n). coarse: states that are led one after
        the other."""
        model, d, s = self.model, len(P), self.count
        if self.target is not None and self.target.columns is None:
            return self._one_by_one(P)
        if self.kind == "pose" and model.geometry.legs_reach:
            found = model.assemble(X, parameters=P[:, None], on_bad_state="mark")
            return found.q, found.status != 0
        if self.grid is not None:
            return self._over_grid(P, X, self.grid)
        q, missed = np.full((d, s, model.layout.nq), np.nan), np.ones((d, s), dtype=bool)
        led = np.unique(np.linspace(0, s - 1, min(s, coarse)).astype(int))
        near, reached = self._first(P, X[:, 0])
        starts = np.repeat(near[:, None], s, axis=1)
        for k in led:
            own = np.flatnonzero(reached)
            q[own, k], missed[own, k] = self._at(_own(X, own)[:, k], near[own], P[own])
            near = np.where(missed[:, k, None], near, q[:, k])
            starts[:, k:] = near[:, None]
        rest, own = np.setdiff1d(np.arange(s), led), np.flatnonzero(reached)
        if len(rest) and len(own):
            found = self._at(_own(X, own)[:, rest], starts[np.ix_(own, rest)], P[own][:, None])
            q[np.ix_(own, rest)], missed[np.ix_(own, rest)] = found
        return q, missed

    def _over_grid(self, P: np.ndarray, X: np.ndarray, grid: PoseGrid) -> tuple[np.ndarray, np.ndarray]:
        """`_assembled` on a grid, of which a design may reach a part: from the pose next to home outwards, each from its
        neighbour or, where that is missed, from what the neighbour came from."""
        model, shape = self.model, (len(P), self.count)
        q, missed = np.full((*shape, model.layout.nq), np.nan), np.ones(shape, dtype=bool)
        starts = np.repeat(np.repeat(model.home[None, None], shape[0], axis=0), shape[1], axis=1)
        home = NamedCoordinates(model, list(grid.names)).values(model.home)
        layers = grid.layers(dict(zip(grid.names, home.tolist(), strict=True)))
        (middle,), _ = next(layers)
        starts[:, middle], reached = self._first(P, X[:, middle])
        q[reached, middle], missed[:, middle] = starts[reached, middle], ~reached
        for own, before in layers:
            starts[:, own] = np.where(missed[:, before, None], starts[:, before], q[:, before])
            q[:, own], missed[:, own] = self._at(X[:, own], starts[:, own], P[:, None])
        return q, missed

    def _turned_over(self, q: np.ndarray, P: np.ndarray, missed: np.ndarray) -> np.ndarray:
        """Whether a state (d, s) was led to beyond a singularity."""
        out = np.zeros(missed.shape, dtype=bool)
        if not self._at_once and (self.kind == "drives" or not self.led):
            rows, states = np.nonzero(~missed)
            out[rows, states] = turned_over(self.model, q[rows, states], P[rows], self.kind == "drives")
        return out

    @property
    def _at_once(self) -> bool:
        """Whether every state follows from what is prescribed, without a way to it."""
        framed = self.target is not None and self.target.columns is None
        return framed or (self.kind == "pose" and self.model.geometry.legs_reach)

    def _from_near(self, P: np.ndarray, X: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`_assembled`, all states at once; designs that lose one are led as any."""
        q, missed = self._at(X, np.repeat(near[None], len(P), axis=0), P[:, None])
        lost = missed.any(axis=1)
        if lost.any():
            q[lost], missed[lost] = self._assembled(P[lost], _own(X, lost))
        return q, missed

    def _first(self, P: np.ndarray, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q (d, nq) at positions (d or 1, n), whether they are reached (d,)) from home, else on a way of designs."""
        model, d = self.model, len(P)
        q, lost = self._at(position, np.repeat(model.home[None], d, axis=0), P)
        again = np.flatnonzero(lost)
        near = np.repeat(model.home[None], len(again), axis=0)
        own = model.parameters if self.added is None else model.parameters + self.added
        for part in BETWEEN:
            if not len(again):
                break
            made, bad = self._at(_own(position, again), near, own + part * (P[again] - own))
            again, near = again[~bad], made[~bad]
        q[again], lost[again] = near, False
        q[lost] = model.home
        return q, ~lost

    def _at(self, position: np.ndarray, near: np.ndarray, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q (…, nq), whether it was not reached (…)) of designs at one or several positions."""
        if not near.size:
            return near.copy(), np.zeros(near.shape[:-1], dtype=bool)
        asked: dict[str, Any] = {"near": near, "parameters": P, "on_bad_state": "mark"}
        if self.kind == "pose":
            found = self.model.assemble(position, **asked)
        elif self.kind == "drives":
            found = self.model.assemble(drives=position, **asked)
        else:
            named = {name: position[..., k] for k, name in enumerate(self.names)}
            found = self.model.assemble(coordinates=named, **asked)
        return found.q, found.status != 0

    def _rates(self, q: np.ndarray, P: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(v (…, s, nv), accelerations (…, s, mobility), whether there are none (d, s)), of all designs, or each its own."""
        layout, none = self.model.layout, np.zeros(q.shape[:2], dtype=bool)
        v, a = np.zeros((self.count, layout.nv)), np.zeros((self.count, layout.mobility))
        if self.target is None or self.sample is None:
            return v, a, none
        if not self.led and self.is_kept(q):
            columns = list(self._columns or ())
            for k, c in enumerate(self.model.mechanism.selection.independent[: layout.mobility]):
                v[:, k] = self.sample.velocity[:, columns.index(c)]
                a[:, k] = self.sample.acceleration[:, columns.index(c)]
            return v, a, none
        found = [
            velocities(replace(self.target, parameters=p), own, self.sample)[:2] for p, own in zip(P, q, strict=True)
        ]
        v, a = (np.stack([x[k] for x in found]) for k in range(2))
        return np.nan_to_num(v), np.nan_to_num(a), np.asarray(~np.isfinite(v).all(axis=2))

    def _one_by_one(self, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`_assembled` for motions of frames, design after design."""
        assert self.target is not None and self.sample is not None and self.time is not None
        found = [states_for(replace(self.target, parameters=p), self.time, self.sample) for p in P]
        return np.stack([x.q for x in found]), np.stack([x.status != 0 for x in found])

    def _deficits(self, P: np.ndarray, X: np.ndarray, missed: np.ndarray) -> np.ndarray:
        """`closure_deficits` (d,); where nothing tells, the part of states that is missed."""
        if self._columns is None:
            return missed.mean(axis=1)
        return closure_deficits(self.model, self._columns, (self.kind, self.names, X), P, missed)


def _own(x: np.ndarray, rows: Any) -> np.ndarray:
    """Of some designs, where designs differ."""
    return x if len(x) == 1 else x[rows]


def staying_words(name: str, case: StudyCase, varied: set[str]) -> str:
    """What is to be said of a case that stays where it is in the world, though the platform's home moves with what is varied; ""
    of others."""
    homes = home_formulas(case.model)
    moving = {v for n in COORDINATES for v in homes.get(n, ())} & varied
    still = moving - (case.follows.variables if case.follows is not None else set())
    if not still or case.kind == "drives":
        return ""
    return (
        f"case {name}: at the same places in all designs, though home follows {', '.join(sorted(still))}; "
        "`relative: home` moves it along"
    )
