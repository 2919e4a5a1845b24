"""Programs that all methods share: rates of a state, loops closed, what acts at a moment.

A program is prepared once: its solves ordered, and what follows from parameters alone set apart from what each state needs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.errors import Status
from gough.program import Program, Slot, trace
from gough.program.passes.inputs import split_uniform
from gough.program.passes.outputs import remove_dead_code
from gough.scalar import call, zeros
from gough.simulation.coordinates import CLOSINGS, closed_coordinates
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout

Vector = np.ndarray
OF_GIVEN_STATES = (Status.OPEN_LOOP, Status.BAD_QUATERNION)


@dataclass(frozen=True, eq=False)
class Rate:
    """A program of rates in two parts: `once` works on parameters alone, `each` on a state."""

    once: Program
    each: Program
    n_parameters: int

    def hoisted_values(self, parameters: Vector) -> Vector:
        """What is computed once a design."""
        return call(self.once, np.concatenate([zeros(0), *self._known(parameters)])) if self.once.results else zeros(0)

    def _known(self, parameters: Vector) -> list[Vector]:
        return [parameters if slot.name == "parameters" else zeros(slot.size) for slot in self.once.inputs]

    def __call__(self, parameters: Vector, hoisted: Vector, **inputs: Any) -> dict[str, Vector]:
        """Outputs by name."""
        given = {"parameters": parameters, "hoisted": hoisted, **inputs}
        flat = [np.atleast_1d(np.asarray(given[slot.name], dtype=object)) for slot in self.each.inputs]
        found = call(self.each, np.concatenate(flat))
        out, k = {}, 0
        for slot in self.each.outputs:
            out[slot.name] = found[k : k + slot.size]
            k += slot.size
        return out


def prepare_rate(plant: Plant, program: Program) -> Rate:
    """A program of the plant, its solves ordered, work on uniform parameters set apart."""
    once, each = split_uniform(remove_dead_code(_between_states(plant.order_program(program))))
    return Rate(once, each, len(plant.model.parameters))


def _between_states(program: Program) -> Program:
    """Without the checks of a given q: stages of a step are a little open, which is no error; steps end closed."""
    return replace(program, checks=tuple(c for c in program.checks if c.failure.status not in OF_GIVEN_STATES))


def rate_program(plant: Plant, uniform: bool = True, closing: bool = False) -> Rate:
    """q, v, inner, row, t → qdot, vdot, tau, power, inner rates, closed: see `Plant.rates`. uniform: one design for all runs."""
    model, key = plant.model, ("rates", uniform, closing)
    if key in plant.made:
        return plant.made[key]

    def equations(q: Vector, v: Vector, inner: Vector, row: Vector, t: Vector, parameters: Vector) -> dict[str, Vector]:
        return plant.rates(parameters, q, v, inner, plant.rows.at(row, t[0]), closing)

    slots = (
        Slot("q", (model.layout.nq,)),
        Slot("v", (model.layout.nv,)),
        Slot("inner", (plant.inner_size,)),
        Slot("row", (plant.rows.size,)),
        Slot("t", (1,)),
        Slot("parameters", (len(model.parameters),), uniform=uniform),
    )
    plant.made[key] = made = prepare_rate(plant, trace(equations, slots, "rates", {"parameters": model.pattern}))
    return made


def closing_program(plant: Plant, uniform: bool = True, closings: int = CLOSINGS) -> Callable[[Vector, Vector], Vector]:
    """parameters, q → q with loops closed; a program of its own, so that its solves are ordered, too."""
    mechanism = plant.model.mechanism
    if not mechanism.selection.blocks:
        return lambda parameters, q: q

    def equations(q: Vector, parameters: Vector) -> dict[str, Vector]:
        return {"q": closed_coordinates(Loops(Posture(Numbers(mechanism, parameters), q)))}

    slots = (
        Slot("q", (mechanism.layout.nq,)),
        Slot("parameters", (len(plant.model.parameters),), uniform=uniform),
    )
    once = prepare_rate(plant, trace(equations, slots, "closing", {"parameters": plant.model.pattern}))

    def close(parameters: Vector, q: Vector) -> Vector:
        hoisted = once.hoisted_values(parameters)
        for _ in range(closings):
            q = once(parameters, hoisted, q=q)["q"]
        return q

    return close


def stage_slots(plant: Plant) -> tuple[Slot, ...]:
    """What residuals take; the parameters last."""
    model = plant.model
    return (
        Slot("q", (model.layout.nq,)),
        Slot("v", (model.layout.nv,)),
        Slot("inner", (plant.inner_size,)),
        Slot("z", (plant.unknowns,)),
        Slot("row", (plant.rows.size,)),
        Slot("t", (1,)),
        Slot("parameters", (len(model.parameters),), uniform=True),
    )


def residual_program(plant: Plant, only: str | None) -> Program:
    """q, v, inner, z, row, t → R and what follows from z, or one of them: see `Plant.residual`."""

    def equations(
        q: Vector, v: Vector, inner: Vector, z: Vector, row: Vector, t: Vector, parameters: Vector
    ) -> dict[str, Vector]:
        found = plant.residual(parameters, q, v, inner, z, plant.rows.at(row, t[0]))
        return found if only is None else {only: found[only]}

    return trace(equations, stage_slots(plant), "residual", {"parameters": plant.model.pattern})


def turn_program(
    plant: Plant, equations: Callable[..., dict[str, Any]], name: str, size: int, more: int = 2, own: int | None = None
) -> Program:
    """The program of a turn of a time loop from equations of state (size,), given (a row of the motion, then `more` numbers),
    own (own,) where there are such, and parameters."""
    model = plant.model
    slots = [Slot("state", (size,)), Slot("given", (plant.rows.size + more,))]
    slots += [] if own is None else [Slot("own", (own,))]
    slots.append(Slot("parameters", (len(model.parameters),), uniform=True))
    return trace(equations, tuple(slots), f"{model.mechanism.name} {name}", {"parameters": model.pattern})


def moment_program(plant: Plant) -> Program:
    """A state and a row to a record: drive forces and accelerations there."""
    states, rate = StateLayout(plant), rate_program(plant)

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, row = states.split(state), given[: plant.rows.size]
        q, v = plant.led_state(s.q, s.v, plant.rows.at(row, s.t))
        found = rate(parameters, rate.hoisted_values(parameters), q=q, v=v, inner=s.inner, row=row, t=[s.t])
        here = states.split(states.join(q, v, s.work, s.inner, s.t, s.h, 0.0))
        record = states.record(here, found["tau"], found["vdot"], 0.0)
        return {"state": state, "record": record, "running": 1.0}

    return turn_program(plant, equations, "moment", states.size)
