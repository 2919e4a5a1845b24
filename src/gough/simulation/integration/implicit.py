"""One step of a diagonally implicit Runge–Kutta method as programs, for a compiled time loop.

Every stage asks for the unknown accelerations, and rates of a law's own states w, z = (v̇, ẇ) with R(q, v, w, z) = 0 at
    v = v_n + h Σ a_ij v̇_j,   q = q_n + h Σ a_ij q̇_j,   w = w_n + h Σ a_ij ẇ_j                                     (1)
(the stage itself included), by Newton steps with one matrix for many steps,
    W = ∂R/∂z + hγ [∂R/∂v + hγ ∂R/∂q, ∂R/∂w],   z ← z - W⁻¹ R                                                      (2)
derivatives along the motions of the closed robot, analytic. W⁻¹ is a part of the state: `refresh` makes W anew, which the time
loop inverts, and `step` uses it.
A careful step betters them by Broyden's method (`secants`).
State    that of explicit methods, then z, then W⁻¹ by rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import Status
from gough.program import Program, Slot, trace
from gough.scalar import abs_, check, select, zeros
from gough.simulation.integration.explicit import Rate, closing_program, prepared, rate_program
from gough.simulation.integration.moves import unit_quaternions
from gough.simulation.integration.newton_matrix import newton_matrix
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.secants import Secants
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.tableaux import Tableau

Vector = np.ndarray
ITERATIONS, CAREFUL = 4, 12
"""Newton steps of a stage; and of a stage that is solved with care."""
SHOWS = 1e-3
"""Steps of less than this part of what is accepted show nothing but rounding."""
CORRECTED = 10.0
"""Largest last Newton correction of a velocity, over a typical size a second, in tolerances."""


@dataclass(frozen=True)
class ImplicitPrograms:
    """A method as programs. step: from whether it is to be solved with care."""

    states: "ImplicitLayout"
    step: Callable[[bool], Program]
    refresh: Program
    start: Program


def runge_kutta(plant: Plant, tableau: Tableau) -> ImplicitPrograms:
    """A diagonally implicit Runge–Kutta method."""
    states, short = ImplicitLayout(plant), tableau.gamma
    return ImplicitPrograms(
        states,
        lambda careful: implicit_step(plant, tableau, careful),
        refresh_program(plant, states, tableau.name, short, short * short),
        start_program(plant),
    )


@dataclass(frozen=True, eq=False)
class ImplicitLayout(StateLayout):
    """The state with z and W⁻¹ behind it."""

    @property
    def z(self) -> slice:
        """Place of the unknowns."""
        return slice(self.t + 3, self.t + 3 + self.plant.unknowns)

    @property
    def inverse(self) -> slice:
        """Place of W⁻¹."""
        return slice(self.z.stop, self.z.stop + self.plant.unknowns**2)

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return self.inverse.stop


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


def refresh_program(plant: Plant, states: ImplicitLayout, name: str, of_v: float, of_q: float) -> Program:
    """The program that makes W anew, equation (2), and puts it where W⁻¹ is to be. of_v, of_q: dv/dz over h and dq/dz over h²
    at the end of a step."""
    model = plant.model
    matrix = newton_matrix(plant, residual_program(plant, "R"), of_v, of_q)

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s = states.split(state)
        row = given[: plant.rows.size]
        q, v = plant.led(s.q, s.v, plant.rows.at(row, s.t))
        W = matrix(parameters, s.h, q=q, v=v, inner=s.inner, z=state[states.z], row=row, t=[s.t])
        after = np.concatenate([state[: states.inverse.start], W.ravel(), state[states.inverse.stop :]])
        return {"state": after, "record": zeros(0), "running": 1.0}

    return outer(plant, states, equations, f"{model.mechanism.name} {name} refresh")


def start_program(plant: Plant) -> Program:
    """The program that gives a state its accelerations z: at the start, and where a motion's accelerations jump."""
    states, rate = ImplicitLayout(plant), rate_program(plant)

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, row = states.split(state), given[: plant.rows.size]
        q, v = plant.led(s.q, s.v, plant.rows.at(row, s.t))
        found = rate(parameters, rate.hoisted(parameters), q=q, v=v, inner=s.inner, row=row, t=[s.t])
        z = np.concatenate([found["vdot"][plant.unknown_of_v], found["inner"]])
        after = np.concatenate([state[: states.z.start], z, state[states.inverse]])
        return {"state": after, "record": states.record(s, found["tau"], found["vdot"], 0.0), "running": 1.0}

    return outer(plant, states, equations, f"{plant.model.mechanism.name} start")


def stage_program(plant: Plant) -> Rate:
    """What `residual_program` gives, with Newton's step -W⁻¹ R in place of R: the product is a part of the program that all
    iterations call."""
    n = plant.unknowns

    def equations(
        q: Vector, v: Vector, inner: Vector, z: Vector, row: Vector, t: Vector, inverse: Vector, parameters: Vector
    ) -> dict[str, Vector]:
        found = plant.residual(parameters, q, v, inner, z, plant.rows.at(row, t[0]))
        R = found.pop("R")
        return {**found, "newton": -(inverse.reshape(n, n) @ R)}

    *known, parameters = stage_slots(plant)
    slots = (*known, Slot("inverse", (n * n,)), parameters)
    return prepared(plant, trace(equations, slots, "stage", {"parameters": plant.model.pattern}))


def implicit_step(plant: Plant, tableau: Tableau, careful: bool = False) -> Program:
    """The program of a step with W⁻¹ as it is. careful: with Broyden's method and more iterations, for steps in which forces
    change their slope: friction that reverses, drives that saturate."""
    model, states = plant.model, ImplicitLayout(plant)
    mechanism, layout = model.mechanism, model.layout
    stage_rate = stage_program(plant)
    close = closing_program(plant)
    moving = plant.unknown_of_v
    n, own = plant.unknowns, len(moving)
    units = np.concatenate([states.units[1][moving], plant.inner.sizes])

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s = states.split(state)
        row, tolerance = given[: plant.rows.size], given[-2]
        hoisted = stage_rate.hoisted(parameters)
        inverse, z, h = state[states.inverse], state[states.z], s.h

        def stage_at(**at: Any) -> dict[str, Vector]:
            return stage_rate(parameters, hoisted, row=row, inverse=inverse, **at)

        found: list[dict[str, Vector]] = []
        worst: Any = 0.0
        for i in range(tableau.stages):
            t = s.t + float(tableau.c[i]) * h
            now = plant.rows.at(row, t)
            q0, v0, inner0 = s.q, s.v, s.inner
            for j in range(i):
                if tableau.A[i, j]:
                    q0 = q0 + (h * tableau.A[i, j]) * found[j]["qdot"]
                    v0 = v0 + (h * tableau.A[i, j]) * found[j]["vdot"]
                    inner0 = inner0 + (h * tableau.A[i, j]) * found[j]["inner"]
            short = h * float(tableau.A[i, i])
            if tableau.A[i, i] == 0.0:  # the last stage of the step before, whose z the state has kept
                found.append(stage_at(q=s.q, v=s.v, inner=s.inner, z=z, t=[t]))
                continue
            q = q0 + short * (found[-1]["qdot"] if found else zeros(layout.nq))
            least = (SHOWS * CORRECTED) * tolerance / h
            secants = Secants(1.0 / units, least) if careful else None
            for _ in range(CAREFUL if careful else ITERATIONS):
                v = v0.copy()
                v[moving] = v0[moving] + short * z[:own]
                q_now, v_now = plant.led(unit_quaternions(mechanism, q), v, now)
                inner = inner0 + short * z[own:]
                stage = stage_at(q=q_now, v=v_now, inner=inner, z=z, t=[t])
                change = stage["newton"] if secants is None else secants.bettered(stage["newton"])
                z = z + change
                q = q0 + short * stage["qdot"]
                for place, entry in plant.plain:  # no later than z: these carry the stiffness
                    if entry in moving:
                        q[place] = q0[place] + short * (v0[entry] + short * z[moving.index(entry)])
            moved = stage["vdot"].copy()
            moved[moving] = z[:own]
            found.append({**stage, "vdot": moved, "inner": z[own:]})
            sizes = [abs_(x) * (h * float(1.0 / u)) for x, u in zip(change, units, strict=True)]
            for x in sizes:
                worst = x if isinstance(worst, float) else select(x - worst, x, worst)
        check(Status.NOT_CONVERGED.at("Newton"), CORRECTED * tolerance - worst, 0.0)
        return _finish(states, s, found, (h, row, z, parameters))

    def _finish(states: ImplicitLayout, s: Any, found: list, rest: tuple) -> dict[str, Any]:
        h, row, z, parameters = rest

        def sum_of(weights: Vector, key: str, size: int) -> Vector:
            total = zeros(size)
            for weight, stage in zip(weights, found, strict=True):
                if weight:
                    total = total + float(weight) * stage[key]
            return total * h

        q = s.q + sum_of(tableau.b, "qdot", layout.nq)
        v = s.v + sum_of(tableau.b, "vdot", layout.nv)
        work = s.work + sum_of(tableau.b, "power", len(WORKS))
        inner = s.inner + sum_of(tableau.b, "inner", plant.inner_size)
        t = s.t + h
        q, v = plant.led(unit_quaternions(mechanism, q), v, plant.rows.at(row, t))
        q = close(parameters, q)
        dq, dv = sum_of(tableau.error, "qdot", layout.nq), sum_of(tableau.error, "vdot", layout.nv)
        error = states.size_of(dq, dv, sum_of(tableau.error, "inner", plant.inner_size))
        after = np.concatenate([states.join(q, v, work, inner, t, h, error), z])
        last = found[-1]
        ending = states.split(after)
        record = states.record(ending, last["tau"], last["vdot"], error)
        whole = np.concatenate([after, np.full(n * n, 0.0, dtype=object)])
        return {"state": whole, "record": record, "running": row[1] - t}

    def equations_kept(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        out = equations(state, given, parameters)
        out["state"][states.inverse] = state[states.inverse]
        return out

    return outer(plant, states, equations_kept, f"{mechanism.name} {tableau.name}{' careful' * careful}")


def outer(plant: Plant, states: StateLayout, equations: Any, name: str) -> Program:
    """The program of a turn of a time loop."""
    model = plant.model
    slots = (
        Slot("state", (states.size,)),
        Slot("given", (plant.rows.size + 2,)),
        Slot("parameters", (len(model.parameters),), uniform=True),
    )
    return trace(equations, slots, name, {"parameters": model.pattern})
