"""Isolated singularities on the way: found, and crossed where a method cannot step there.

At an isolated singularity of its loops the velocities v do not determine the joints, but the states before and after are
good and the motion goes on. Most steps land on both sides of it and notice nothing. Where a stage comes too near, or the
equations are too steep for Newton's method or for the error test, one explicit step of a fixed length leaps over it, divided in
other places until a division works. The leap is good if the state after it is: computable, closed, and in the same branch of
the loops (see `branch`). `run_crossings` finds all crossings of a run, whichever way they were made.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.conditions import determinant_signs, reciprocal_conditions
from gough.compilation.singularity import block_matrices
from gough.simulation.integration.branch import other_branch
from gough.simulation.integration.explicit import explicit_step
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.tableaux import tableaux
from gough.simulation.integration.time_loop import Loop

if TYPE_CHECKING:
    from gough.compilation import Model

Vector = np.ndarray
NEAR = 0.05
"""Distance from singularities (reciprocal condition of a loop) below which a step that fails may be a leap."""
AHEAD = 1.1
"""How far ahead a singularity is looked for, in lengths of the leap."""
SINGULAR = 1e-6
"""Least distance from singularities after a leap."""
LACKING = 1e-3
"""Energy that may be lost in a leap, over the kinetic energy or the work done."""
CLOSED = 1e-8
"""Closure error after a leap, over the robot's size."""
DIVISIONS = (
    (1.0,),
    (0.37, 0.63),
    (0.618, 0.382),
    (0.23, 0.31, 0.46),
    *(tuple(np.full(n, 1.0 / n)) for n in (10, 31, 100)),
)
"""Parts of a leap, tried one after the other."""


def nearest_loop(model: "Model", q: Vector, parameters: Vector) -> tuple[float, str]:
    """(distance from singularities, the loop or leg that is nearest to one) at q (nq,); (1, "") without loops."""
    if not model.mechanism.selection.blocks:
        return 1.0, ""
    places, blocks = block_matrices(model, q[None], parameters, model.size)
    found = [float(reciprocal_conditions(a)[0]) for a in blocks]
    k = int(np.nanargmin(np.where(np.isfinite(found), found, 1.0)))
    return found[k], places[k]


class Leap:
    """Fixed explicit steps from before a singularity to behind it."""

    def __init__(self, plant: Plant, parameters: Vector) -> None:
        self.plant, self.parameters = plant, parameters
        self.states = StateLayout(plant)

    @cached_property
    def loop(self) -> Loop:
        """Steps of the classical method."""
        return Loop(explicit_step(self.plant, tableaux()["rk4"], adaptive=False), self.parameters)

    def __call__(
        self, state: Vector, given: Vector, lengths: Sequence[float]
    ) -> tuple[Vector, Vector, float, str] | None:
        """(state behind, records (n, k) of the steps, length (s), loop) from a state (n,), by the first length that works; None
        if none does, or if there is no singularity near."""
        size, t = self.states.size, self.states.t
        place = self.ahead(state, max(lengths))
        if place is None:
            return None
        for length in lengths:
            for division in DIVISIONS:
                x, records = state[None, :size].copy(), []
                for part in division:
                    x[0, t + 1] = part * length
                    found = self.loop(x, 1, given)
                    if found.failed[0] >= 0:
                        break
                    x = found.state.copy()
                    records.append(found.record[0, 0])
                else:
                    if self._good(state[:size], x[0]):
                        return x[0], np.array(records), length, place
        return None

    def ahead(self, state: Vector, length: float) -> str | None:
        """The loop that is near a singularity at a state (n,), or gets to one within about `length` (s)."""
        model = self.plant.model
        s = self.states.split(state)
        distance, place = nearest_loop(model, s.q, self.parameters)
        if distance < NEAR:
            return place
        if not model.mechanism.selection.blocks:
            return None
        rate = model.function("configuration_rate")(q=s.q, v=s.v, parameters=self.parameters).outputs["qdot"]
        places, blocks = block_matrices(
            model, np.stack([s.q, s.q + AHEAD * length * rate]), self.parameters, model.size
        )
        for name, a in zip(places, blocks, strict=True):
            if np.prod(determinant_signs(a)) <= 0:
                return name
        return None

    def _good(self, before: Vector, after: Vector) -> bool:
        """Whether the state after a leap is closed, regular, in the branch of the state before, and has its energy."""
        model = self.plant.model
        if not np.isfinite(after).all():
            return False
        s = self.states.split(np.stack([before, after]))
        if not float(model.closure_error(s.q[1], self.parameters)) < CLOSED:
            return False
        if not nearest_loop(model, s.q[1], self.parameters)[0] > SINGULAR:
            return False
        if other_branch(model, s.t, s.q, s.v, self.parameters):
            return False
        found = model.function("energies")(q=s.q, v=s.v, parameters=self.parameters).outputs
        kinetic, potential = (np.ravel(found[name]) for name in ("kinetic", "potential"))
        done = s.work[1] - s.work[0]
        lack = np.diff(kinetic + potential)[0] - done[0] + done[1] - done[2]
        return bool(abs(lack) <= LACKING * max(kinetic.max(), np.abs(done).max()))
