"""One step of an explicit Runge–Kutta method as a program, for a compiled time loop.

State    q, v, works, own states of the law, time, step (adaptive: what to try next; fixed: the step), error of the last try.
Given    a row of the motion's table; then tolerance, longest step.
A step never leaves the piece of the motion it began in: the last one of a piece is made to fit.
Stages are the state moved along its rates, as a vector; a step ends with quaternions of unit length and loops closed.
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
from gough.program.passes.dead_code import remove_dead_code
from gough.program.passes.hoist import split_uniform
from gough.scalar import abs_, call, check, select, sqrt, zeros
from gough.simulation.integration.moves import CLOSINGS, closed, unit_quaternions
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.tableaux import Tableau

Vector = np.ndarray
OF_GIVEN_STATES = (Status.OPEN_LOOP, Status.BAD_QUATERNION)
SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0
"""Factors of the next step: for the error to pass, least, and most."""


@dataclass(frozen=True, eq=False)
class Rate:
    """A program of rates in two parts: `once` works on parameters alone, `each` on a state."""

    once: Program
    each: Program
    n_parameters: int

    def hoisted(self, parameters: Vector) -> Vector:
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


def prepared(plant: Plant, program: Program) -> Rate:
    """A program of the plant, its solves ordered, work on uniform parameters set apart."""
    once, each = split_uniform(remove_dead_code(_between_states(plant.ordered(program))))
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
    plant.made[key] = made = prepared(plant, trace(equations, slots, "rates", {"parameters": model.pattern}))
    return made


def closing_program(plant: Plant, uniform: bool = True, closings: int = CLOSINGS) -> Callable[[Vector, Vector], Vector]:
    """parameters, q → q with loops closed; a program of its own, so that its solves are ordered, too."""
    mechanism = plant.model.mechanism
    if not mechanism.selection.blocks:
        return lambda parameters, q: q

    def equations(q: Vector, parameters: Vector) -> dict[str, Vector]:
        return {"q": closed(Loops(Posture(Numbers(mechanism, parameters), q)))}

    slots = (
        Slot("q", (mechanism.layout.nq,)),
        Slot("parameters", (len(plant.model.parameters),), uniform=uniform),
    )
    once = prepared(plant, trace(equations, slots, "closing", {"parameters": plant.model.pattern}))

    def close(parameters: Vector, q: Vector) -> Vector:
        hoisted = once.hoisted(parameters)
        for _ in range(closings):
            q = once(parameters, hoisted, q=q)["q"]
        return q

    return close


def explicit_step(plant: Plant, tableau: Tableau, adaptive: bool, uniform: bool = True) -> Program:
    """The program of a step; see `march_driver` for its slots. uniform: one design for all runs; else parameters are "own"."""
    model, states = plant.model, StateLayout(plant)
    mechanism, layout = model.mechanism, model.layout
    rate, close = rate_program(plant, uniform), closing_program(plant, uniform)
    design = "parameters" if uniform else "own"

    def equations(state: Vector, given: Vector, **designs: Vector) -> dict[str, Any]:
        s, parameters = states.split(state), designs[design]
        row, tolerance, longest = given[: plant.rows.size], given[-2], given[-1]
        hoisted = rate.hoisted(parameters)
        left = row[1] - s.t
        h = _fitted(s.h, left, longest) if adaptive else s.h
        found = []
        for i in range(tableau.stages):
            q, v, inner = s.q, s.v, s.inner
            for j in np.flatnonzero(tableau.A[i]):
                part, stage = h * tableau.A[i, j], found[j]
                q, v, inner = q + part * stage["qdot"], v + part * stage["vdot"], inner + part * stage["inner"]
            if i:
                q = unit_quaternions(mechanism, q)
            t = s.t + float(tableau.c[i]) * h
            found.append(rate(parameters, hoisted, q=q, v=v, inner=inner, row=row, t=[t]))

        def sum_of(weights: Vector, key: str, size: int) -> Vector:
            total = zeros(size)
            for weight, stage in zip(weights, found, strict=True):
                if weight:
                    total = total + weight * stage[key]
            return total * h

        q = s.q + sum_of(tableau.b, "qdot", layout.nq)
        v = s.v + sum_of(tableau.b, "vdot", layout.nv)
        work = s.work + sum_of(tableau.b, "power", len(WORKS))
        inner = s.inner + sum_of(tableau.b, "inner", plant.inner_size)
        t = s.t + h
        q, v = plant.led(unit_quaternions(mechanism, q), v, plant.rows.at(row, t))
        q = close(parameters, q)
        error: Any = 0.0
        if len(tableau.error):
            dq, dv = sum_of(tableau.error, "qdot", layout.nq), sum_of(tableau.error, "vdot", layout.nv)
            error = states.size_of(dq, dv, sum_of(tableau.error, "inner", plant.inner_size)) / tolerance
        first = found[0]
        record = states.record(s, first["tau"], first["vdot"], error)
        if not adaptive:
            after = states.join(q, v, work, inner, t, s.h, error)
            return {"state": after, "record": record, "running": row[1] - t}
        good = 1.0 - error
        factor = SAFETY / sqrt(
            sqrt(select(error - 1e-8, error, 1e-8))
        )  # as of order 4 or 3: a little cautious for order 5
        factor = select(factor - GROW, GROW, select(SHRINK - factor, SHRINK, factor))
        factor = select(good, factor, select(factor - SAFETY, SAFETY, factor))
        check(Status.STEP.at("too small"), h * factor - 1e-12 * abs_(s.t) - 1e-14, 0.0)
        taken = states.join(q, v, work, inner, t, h * factor, error)
        kept = states.join(s.q, s.v, s.work, s.inner, s.t, h * factor, error)
        after = np.array([select(good, a, b) for a, b in zip(taken, kept, strict=True)], dtype=object)
        end = row[1] - after[states.t]
        return {"state": after, "record": record, "running": select(end - 1e-13 * (1.0 + abs_(row[1])), 1.0, 0.0)}

    slots = (
        Slot("state", (states.size,)),
        Slot("given", (plant.rows.size + 2,)),
        Slot(design, (len(model.parameters),), uniform=uniform),
    )
    return trace(equations, slots, f"{mechanism.name} {tableau.name}", {design: model.pattern})


def _fitted(h: Any, left: Any, longest: Any) -> Any:
    """The step to try: not longer than allowed, and two equal ones before the end of a piece rather than a tiny last one."""
    h = select(h - longest, longest, h)
    return select(1.05 * h - left, left, select(2.0 * h - left, 0.5 * left, h))
