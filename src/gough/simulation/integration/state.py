"""The state of a time loop, and what it records, as flat vectors."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gough.errors import Site, Status
from gough.frozen import lock_arrays
from gough.kinematics.retraction import coordinate_sizes, step_units
from gough.program import Program
from gough.scalar import abs_, select
from gough.simulation.integration.plant import WORKS, Plant

Vector = np.ndarray


@dataclass(frozen=True)
class State:
    """The parts of a state."""

    q: Vector
    v: Vector
    work: Vector
    inner: Vector
    t: Any
    h: Any
    error: Any


@dataclass(frozen=True, eq=False)
class StateLayout:
    """q, v, works, own states of the law, t, h, error, one after the other."""

    plant: Plant

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return self.t + 3

    @property
    def t(self) -> int:
        """Place of the time."""
        return self.inner + self.plant.inner_size

    @property
    def inner(self) -> int:
        """Place of the law's own states."""
        return self.plant.model.layout.nq + self.plant.model.layout.nv + len(WORKS)

    def split(self, state: Vector) -> State:
        """The parts (last axis) of a state, traced or numbers."""
        nq, nv, t = self.plant.model.layout.nq, self.plant.model.layout.nv, self.t
        return State(
            state[..., :nq],
            state[..., nq : nq + nv],
            state[..., nq + nv : self.inner],
            state[..., self.inner : t],
            state[..., t][()],
            state[..., t + 1][()],
            state[..., t + 2][()],
        )

    def join(self, q: Vector, v: Vector, work: Vector, inner: Vector, t: Any, h: Any, error: Any) -> Vector:
        """A state from its parts."""
        return np.concatenate([q, v, work, inner, [t, h, error]])

    def record(self, s: State, tau: Vector, vdot: Vector, error: Any) -> Vector:
        """What is kept of a step: the state it begins with, drive forces and accelerations there, the step's error."""
        return np.concatenate([s.q, s.v, s.work, s.inner, [s.t, s.h, error], tau, vdot])

    @property
    def record_size(self) -> int:
        """Numbers of a record."""
        return self.size + len(self.plant.model.mechanism.drives) + self.plant.model.layout.nv

    @cached_property
    def units(self) -> tuple[Vector, Vector]:
        """Typical sizes of the entries of q (nq,) and v (nv,): errors are relative to them."""
        model = self.plant.model

        def found() -> tuple[Vector, Vector]:
            tree = step_units(model.mechanism, model.size)
            both = coordinate_sizes(model.mechanism, model.size), tree[list(model.mechanism.selection.independent)]
            lock_arrays(both)
            return both

        return model.cached("units of states", found)

    def sizes(self, works: float) -> Vector:
        """Typical sizes of q, v, works and own states of the law (n,), as in `size_of`; works: of theirs."""
        q, v = self.units
        return np.concatenate([q, 100.0 * v, np.full(len(WORKS), works), self.plant.inner.sizes])

    def size_of(self, dq: Vector, dv: Vector, d_inner: Vector) -> Any:
        """The largest error of a step: of positions relative to their typical size; of velocities relative to the size an
        error that lasts for a hundredth of a second would give positions; of a law's own states relative to theirs."""
        q_unit, v_unit = self.units
        total: Any = 0.0
        units = (*q_unit, *(100.0 * v_unit), *self.plant.inner.sizes)
        for x, unit in zip((*dq, *dv, *d_inner), units, strict=True):
            if isinstance(x, float) and x == 0.0:
                continue
            part = abs_(x) * (1.0 / unit)
            total = part if isinstance(total, float) else select(part - total, part, total)
        return total


OF_GIVEN_STATES = (Status.OPEN_LOOP, Status.BAD_QUATERNION)


def drop_checks_between_states(program: Program) -> Program:
    """Without the checks of a given q: stages of a step are a little open, which is no error; steps end closed. Nor those of
    what geometry locks: a run that is on that branch stays there, and singular poses are watched for (`crossing`)."""
    checks = [c for c in program.checks if c.failure.status not in OF_GIVEN_STATES and c.failure.site != Site.LOCKS]
    return replace(program, checks=tuple(checks))
