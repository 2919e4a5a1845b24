"""One step of a diagonally implicit Runge–Kutta method as programs, for a compiled time loop.

Every stage asks for the unknown accelerations, and rates of a law's own states w, z = (v̇, ẇ) with R(q, v, w, z) = 0 at
    v = v_n + h Σ a_ij v̇_j,   q = q_n + h Σ a_ij q̇_j,   w = w_n + h Σ a_ij ẇ_j                                     (1)
(the stage itself included), by Newton steps with one matrix for many steps,
    W = ∂R/∂z + hγ [∂R/∂v + hγ ∂R/∂q, ∂R/∂w],   z ← z - W⁻¹ R                                                      (2)
derivatives along the motions of the closed robot, analytic (`newton`). W⁻¹ is a part of the state (`implicit_marching`).
A careful step betters them by Broyden's method.
"""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from gough.errors import Site, Status
from gough.program import Program, Slot, trace
from gough.scalar import abs_, check, select, zeros
from gough.simulation.coordinates import unit_quaternions
from gough.simulation.integration.implicit_marching import (
    ImplicitLayout,
    ImplicitMarching,
    ImplicitPrograms,
    refresh_program,
    start_program,
)
from gough.simulation.integration.newton import Secants
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.rates import Rate, closing_program, prepare_rate, stage_slots, turn_program
from gough.simulation.integration.runge_kutta import RungeKutta

Vector = np.ndarray
ITERATIONS, CAREFUL = 4, 12
"""Newton steps of a stage; and of a stage that is solved with care."""
SHOWS = 1e-3
"""Steps of less than this part of what is accepted show nothing but rounding."""
CORRECTED = 10.0
"""Largest last Newton correction of a velocity, over a typical size a second, in tolerances."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ImplicitRungeKutta(RungeKutta):
    """Equal steps, stable with any. gamma: the diagonal of every stage, but perhaps the first."""

    gamma: float
    implicit: bool = True
    adaptive: bool = False
    limit: float = inf

    def marching(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> ImplicitMarching:
        """See `Method`."""
        states, short = ImplicitLayout(plant), self.gamma
        programs = ImplicitPrograms(
            states,
            lambda careful: implicit_step(plant, self, careful),
            refresh_program(plant, states, self.name, short, short * short),
            start_program(plant),
        )
        return ImplicitMarching(plant, programs, parameters, step, tolerance)


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
    return prepare_rate(plant, trace(equations, slots, "stage", {"parameters": plant.model.pattern}))


def implicit_step(plant: Plant, method: ImplicitRungeKutta, careful: bool = False) -> Program:
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
        hoisted = stage_rate.hoisted_values(parameters)
        inverse, z, h = state[states.inverse], state[states.z], s.h

        def stage_at(**at: Any) -> dict[str, Vector]:
            return stage_rate(parameters, hoisted, row=row, inverse=inverse, **at)

        found: list[dict[str, Vector]] = []
        worst: Any = 0.0
        for i in range(method.stages):
            t = s.t + float(method.c[i]) * h
            now = plant.rows.at(row, t)
            q0, v0, inner0 = s.q, s.v, s.inner
            for j in range(i):
                if method.A[i, j]:
                    q0 = q0 + (h * method.A[i, j]) * found[j]["qdot"]
                    v0 = v0 + (h * method.A[i, j]) * found[j]["vdot"]
                    inner0 = inner0 + (h * method.A[i, j]) * found[j]["inner"]
            short = h * float(method.A[i, i])
            if method.A[i, i] == 0.0:  # the last stage of the step before, whose z the state has kept
                found.append(stage_at(q=s.q, v=s.v, inner=s.inner, z=z, t=[t]))
                continue
            q = q0 + short * (found[-1]["qdot"] if found else zeros(layout.nq))
            least = (SHOWS * CORRECTED) * tolerance / h
            secants = Secants(1.0 / units, least) if careful else None
            for _ in range(CAREFUL if careful else ITERATIONS):
                v = v0.copy()
                v[moving] = v0[moving] + short * z[:own]
                q_now, v_now = plant.led_state(unit_quaternions(mechanism, q), v, now)
                inner = inner0 + short * z[own:]
                stage = stage_at(q=q_now, v=v_now, inner=inner, z=z, t=[t])
                change = stage["newton"] if secants is None else secants.improved_step(stage["newton"])
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
        check(Status.NOT_CONVERGED.at(Site.NEWTON), CORRECTED * tolerance - worst, 0.0)
        return _finish(states, s, found, (h, row, z, parameters))

    def _finish(states: ImplicitLayout, s: Any, found: list, rest: tuple) -> dict[str, Any]:
        h, row, z, parameters = rest

        def sum_of(weights: Vector, key: str, size: int) -> Vector:
            total = zeros(size)
            for weight, stage in zip(weights, found, strict=True):
                if weight:
                    total = total + float(weight) * stage[key]
            return total * h

        q = s.q + sum_of(method.b, "qdot", layout.nq)
        v = s.v + sum_of(method.b, "vdot", layout.nv)
        work = s.work + sum_of(method.b, "power", len(WORKS))
        inner = s.inner + sum_of(method.b, "inner", plant.inner_size)
        t = s.t + h
        q, v = plant.led_state(unit_quaternions(mechanism, q), v, plant.rows.at(row, t))
        q = close(parameters, q)
        dq, dv = sum_of(method.error, "qdot", layout.nq), sum_of(method.error, "vdot", layout.nv)
        error = states.size_of(dq, dv, sum_of(method.error, "inner", plant.inner_size))
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

    return turn_program(plant, equations_kept, f"{method.name}{' careful' * careful}", states.size)
