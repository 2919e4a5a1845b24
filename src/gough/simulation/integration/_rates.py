"""Programs that all methods share: rates of a state, loops closed, what acts at a moment.

A program is prepared once: its solves ordered, and what follows from parameters alone set apart from what each state needs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.program import Program, Slot, trace
from gough.program.passes.inputs import split_uniform
from gough.program.passes.outputs import remove_dead_code
from gough.scalar import call, zeros
from gough.simulation.coordinates import CLOSINGS, closed_coordinates, unit_quaternions
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.state import State, StateLayout, drop_checks_between_states

Vector = np.ndarray
STAGE = ("q", "v", "inner", "z", "row", "t")
"""What residuals take beside the parameters."""


@dataclass(frozen=True, eq=False)
class Rate:
    """A program of rates in two parts: `once` works on parameters alone, `each` on a state."""

    once: Program
    each: Program

    def hoisted_values(self, parameters: Vector) -> Vector:
        """What is computed once a design."""
        return call(self.once, np.concatenate([zeros(0), *self._known(parameters)])) if self.once.results else zeros(0)

    def _known(self, parameters: Vector) -> list[Vector]:
        return [parameters if slot.name == "parameters" else zeros(slot.size) for slot in self.once.inputs]

    def __call__(self, parameters: Vector, hoisted: Vector | None = None, **inputs: Any) -> dict[str, Vector]:
        """Outputs by name. hoisted: `hoisted_values`, where they are known already."""
        hoisted = self.hoisted_values(parameters) if hoisted is None else hoisted
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
    once, each = split_uniform(remove_dead_code(drop_checks_between_states(plant.order_program(program))))
    return Rate(once, each)


def trace_states(
    plant: Plant, equations: Callable[..., dict[str, Any]], name: str, *inputs: str, uniform: bool = True, **more: int
) -> Program:
    """The program of equations of these inputs of a plant, further ones {name: size}, and last its parameters. uniform: one
    design for all runs."""
    model = plant.model
    known = {"q": model.layout.nq, "v": model.layout.nv, "inner": plant.inner_size}
    known |= {"z": plant.unknowns, "row": plant.rows.size, "t": 1, **more}
    slots = [Slot(key, (known[key],)) for key in (*inputs, *more)]
    slots.append(Slot("parameters", (len(model.parameters),), uniform=uniform))
    return trace(equations, tuple(slots), name, {"parameters": model.pattern})


def rate_program(plant: Plant, uniform: bool = True, closing: bool = False) -> Rate:
    """q, v, inner, row, t → qdot, vdot, tau, power, inner rates, closed: see `Plant.rates`. uniform: one design for all runs."""

    def equations(q: Vector, v: Vector, inner: Vector, row: Vector, t: Vector, parameters: Vector) -> dict[str, Vector]:
        return plant.rates(parameters, q, v, inner, plant.rows.at(row, t[0]), closing)

    def made() -> Rate:
        return prepare_rate(
            plant, trace_states(plant, equations, "rates", "q", "v", "inner", "row", "t", uniform=uniform)
        )

    return plant.kept.get(("rates", uniform, closing), made)


def tick_program(plant: Plant, uniform: bool = True) -> Rate:
    """q, v, inner, row, t → own states of the law from then on, time and next event: see `Plant.tick`."""

    def equations(q: Vector, v: Vector, inner: Vector, row: Vector, t: Vector, parameters: Vector) -> dict[str, Vector]:
        return plant.tick(parameters, q, v, inner, plant.rows.at(row, t[0]))

    def made() -> Rate:
        return prepare_rate(
            plant, trace_states(plant, equations, "tick", "q", "v", "inner", "row", "t", uniform=uniform)
        )

    return plant.kept.get(("tick", uniform), made)


def closing_program(plant: Plant, uniform: bool = True, closings: int = CLOSINGS) -> Callable[[Vector, Vector], Vector]:
    """parameters, q → q with loops closed; a program of its own, so that its solves are ordered, too."""
    mechanism = plant.mechanism
    if not mechanism.selection.blocks:
        return lambda parameters, q: q

    def equations(q: Vector, parameters: Vector) -> dict[str, Vector]:
        return {"q": closed_coordinates(Loops(Posture(Numbers(mechanism, parameters), q)))}

    def made() -> Rate:
        return prepare_rate(plant, trace_states(plant, equations, "closing", "q", uniform=uniform))

    once: Rate = plant.kept.get(("closing", uniform), made)

    def close(parameters: Vector, q: Vector) -> Vector:
        hoisted = once.hoisted_values(parameters)
        for _ in range(closings):
            q = once(parameters, hoisted, q=q)["q"]
        return q

    return close


def residual_program(plant: Plant, only: str | None) -> Program:
    """q, v, inner, z, row, t → R and what follows from z, or one of them: see `Plant.residual`."""

    def equations(
        q: Vector, v: Vector, inner: Vector, z: Vector, row: Vector, t: Vector, parameters: Vector
    ) -> dict[str, Vector]:
        found = plant.residual(parameters, q, v, inner, z, plant.rows.at(row, t[0]))
        return found if only is None else {only: found[only]}

    return trace_states(plant, equations, "residual", *STAGE)


def turn_program(
    plant: Plant, equations: Callable[..., dict[str, Any]], name: str, size: int, more: int = 2, own: int | None = None
) -> Program:
    """The program of a turn of a time loop from equations of state (size,), given (a row of the motion, then `more` numbers),
    own (own,) where there are such, and parameters."""
    sizes = {"state": size, "given": plant.rows.size + more} | ({} if own is None else {"own": own})
    return trace_states(plant, equations, f"{plant.model.mechanism.name} {name}", uniform=True, **sizes)


def rates_at(
    plant: Plant, rate: Rate, s: State, row: Vector, parameters: Vector
) -> tuple[Vector, Vector, dict[str, Vector]]:
    """(q, v, what `rate` gives) at a state, drives where a prescribed motion has them."""
    q, v = plant.led_state(s.q, s.v, plant.rows.at(row, s.t))
    return q, v, rate(parameters, q=q, v=v, inner=s.inner, row=row, t=[s.t])


def sum_stages(found: list[dict[str, Vector]], weights: Vector, key: str, size: int, h: Any) -> Vector:
    """h Σ weight · rate (size,) over the stages of a step."""
    total = zeros(size)
    for weight, stage in zip(weights, found, strict=True):
        if weight:
            total = total + float(weight) * stage[key]
    return total * h


def end_step(
    plant: Plant, s: State, found: list[dict[str, Vector]], weights: Vector, h: Any, row: Vector
) -> tuple[Vector, Vector, Vector, Vector]:
    """(q, v, works, own states of the law) after a step of a Runge–Kutta method, loops not closed."""
    layout = plant.model.layout
    q = s.q + sum_stages(found, weights, "qdot", layout.nq, h)
    v = s.v + sum_stages(found, weights, "vdot", layout.nv, h)
    work = s.work + sum_stages(found, weights, "power", len(WORKS), h)
    inner = moved_inner(plant, s.inner, sum_stages(found, weights, "inner", plant.inner_size, h))
    q, v = plant.led_state(unit_quaternions(plant.model.mechanism, q), v, plant.rows.at(row, s.t + h))
    return q, v, work, inner


def moved_inner(plant: Plant, inner: Vector, by: Vector) -> Vector:
    """Own states of the law moved along their rates; those that do not flow stay."""
    n = plant.flowing
    return np.concatenate([inner[:n] + by[:n], inner[n:]])


def step_error(plant: Plant, found: list[dict[str, Vector]], weights: Vector, h: Any) -> Any:
    """`StateLayout.size_of` what two methods differ in."""
    layout = plant.model.layout
    sizes = (("qdot", layout.nq), ("vdot", layout.nv), ("inner", plant.inner_size))
    dq, dv, inner = (sum_stages(found, weights, key, n, h) for key, n in sizes)
    return StateLayout(plant).size_of(dq, dv, np.concatenate([inner[: plant.flowing], zeros(plant.inner.clocked)]))


def clock_program(plant: Plant) -> Program:
    """A state and a row to the state after what the law's clock does there; the record is the time (s) of its next event."""
    states, tick = StateLayout(plant), tick_program(plant)

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, row = states.split(state), given[: plant.rows.size]
        found = tick(parameters, q=s.q, v=s.v, inner=s.inner, row=row, t=[s.t])
        after = states.join(s.q, s.v, s.work, found["inner"], found["time"][0], s.h, s.error)
        return {"state": after, "record": found["event"], "running": 1.0}

    return turn_program(plant, equations, "clock", states.size)


def moment_program(plant: Plant) -> Program:
    """A state and a row to a record: drive forces and accelerations there."""
    states, rate = StateLayout(plant), rate_program(plant)

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, row = states.split(state), given[: plant.rows.size]
        q, v, found = rates_at(plant, rate, s, row, parameters)
        here = states.split(states.join(q, v, s.work, s.inner, s.t, s.h, 0.0))
        record = states.record(here, found["tau"], found["vdot"], 0.0)
        return {"state": state, "record": record, "running": 1.0}

    return turn_program(plant, equations, "moment", states.size)
