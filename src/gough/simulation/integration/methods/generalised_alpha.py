"""One step of the generalised-α method as programs, and the method itself.

With a, an acceleration at a time of its own, z = (v̇, ẇ) that satisfies the equations of motion R(q, v, w, z) = 0 at every step's
end, ₊ for the next one (w: the law's own states, treated as velocities)
    (1 - αm) a₊ + αm a = (1 - αf) z₊ + αf z                                                                         (1)
    v₊ = v + h [(1 - γ) a + γ a₊],   v̄ = v + h [(½ - β) a + β a₊],   q₊ = q + h v̄                                    (2)
q by its rates q̇ = N(q) v where these are not entries of v:  q₊ = q + h/2 N(q) v + h N(q₊) (v̄ - v/2), which is (2) for constant N;
then quaternions have unit length and loops are closed. Newton's matrix is that of Runge–Kutta methods with other numbers.
Sources   Chung and Hulbert 1993: αm = (2ρ - 1)/(ρ + 1), αf = ρ/(ρ + 1), γ = ½ + αf - αm, β = (½ + γ)²/4; ρ: what is left of an
          infinitely fast vibration after a step. In the form (1) of Arnold and Brüls 2007: second order, nonlinear or not.
Error     q of a step: (1/6 - β - (αm - αf)/2) h² (z₊ - z), the first term that (2) leaves.
State     that of implicit methods, then a, q̇ and powers.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.rates import rate_of_q
from gough.dynamics.regrouping import regroup_inertia
from gough.errors import Site, Status, UsageError
from gough.program import Program
from gough.scalar import check, zeros
from gough.simulation.coordinates import unit_quaternions
from gough.simulation.integration._implicit import (
    CORRECTED,
    SHOWS,
    ImplicitLayout,
    ImplicitMarching,
    ImplicitPrograms,
    refresh_program,
    start_program,
)
from gough.simulation.integration._newton import Secants, largest_change
from gough.simulation.integration._rates import (
    STAGE,
    Rate,
    closing_program,
    prepare_rate,
    trace_states,
    turn_program,
)
from gough.simulation.integration.method import Method
from gough.simulation.integration.plant import WORKS, Plant

Vector = np.ndarray
ITERATIONS, CAREFUL = 4, 12
"""Newton steps; and those of a step that is solved with care."""
LARGE = 50
"""Unknowns above which W⁻¹ R is a part of the program that all iterations call: n² operations are long to compile once each."""


@dataclass(frozen=True)
class Weights:
    """αm, αf, γ, β, by what is left of an infinitely fast vibration after a step, 0 … 1."""

    rho_infinity: float

    @property
    def m(self) -> float:
        """αm."""
        return (2.0 * self.rho_infinity - 1.0) / (self.rho_infinity + 1.0)

    @property
    def f(self) -> float:
        """αf."""
        return self.rho_infinity / (self.rho_infinity + 1.0)

    @property
    def gamma(self) -> float:
        """γ."""
        return 0.5 + self.f - self.m

    @property
    def beta(self) -> float:
        """β."""
        return 0.25 * (0.5 + self.gamma) ** 2

    @property
    def fresh(self) -> float:
        """∂a₊/∂z₊."""
        return (1.0 - self.f) / (1.0 - self.m)

    @property
    def error(self) -> float:
        """Of a step's error, over h² (z₊ - z)."""
        return 1.0 / 6.0 - self.beta - 0.5 * (self.m - self.f)


@dataclass(frozen=True, eq=False)
class AlphaLayout(ImplicitLayout):
    """The state of implicit methods with a, q̇ and powers behind it."""

    @property
    def a(self) -> slice:
        """Place of a (unknowns,)."""
        return slice(self.inverse.stop, self.inverse.stop + self.plant.unknowns)

    @property
    def rate(self) -> slice:
        """Place of q̇ (nq,)."""
        return slice(self.a.stop, self.a.stop + self.plant.model.layout.nq)

    @property
    def power(self) -> slice:
        """Place of the powers."""
        return slice(self.rate.stop, self.rate.stop + len(WORKS))

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return self.power.stop


def alpha_start(plant: Plant) -> Program:
    """The program that gives a state its accelerations. a keeps its distance from z: what jumps in one jumps in the other."""
    states = AlphaLayout(plant)

    def more(state: Vector, z: Vector, found: dict[str, Vector]) -> tuple[Vector, ...]:
        return z + (state[states.a] - state[states.z]), found["qdot"], found["power"]

    return start_program(plant, states, "generalised alpha start", more)


def _stage_rate(plant: Plant) -> Rate:
    """`Plant.residual`, Newton's step -W⁻¹ R of large robots, as `stage_program` has it, and N(q) `mean` as `moved` (nq,)."""
    n = plant.unknowns
    large = n > LARGE

    def equations(mean: Vector, parameters: Vector, **given: Vector) -> dict[str, Vector]:
        q, v, inner, z = (given[name] for name in ("q", "v", "inner", "z"))
        now = plant.rows.at(given["row"], given["t"][0])
        found = plant.residual(parameters, q, v, inner, z, now)
        loops = Loops(
            Posture(regroup_inertia(Numbers(plant.model.mechanism, parameters)), plant.led_state(q, v, now)[0])
        )
        step = {"newton": -(given["inverse"].reshape(n, n) @ found["R"])} if large else {}
        return found | step | {"moved": rate_of_q(loops.posture, loops.rates(mean))}

    more: dict[str, Any] = {"mean": plant.model.layout.nv} | ({"inverse": n * n} if large else {})
    return prepare_rate(plant, trace_states(plant, equations, "stage", *STAGE, **more))


def alpha_step(plant: Plant, weights: Weights, careful: bool = False) -> Program:
    """The program of a step with W⁻¹ as it is. careful: as `implicit_step`."""
    model, states = plant.model, AlphaLayout(plant)
    mechanism, layout, moving = model.mechanism, model.layout, plant.unknown_of_v
    stage_rate, close = _stage_rate(plant), closing_program(plant)
    n, own = plant.unknowns, len(moving)
    units = np.concatenate([states.units[1][moving], plant.inner.sizes])
    w = weights

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, row, tolerance = states.split(state), given[: plant.rows.size], given[-2]
        hoisted, h = stage_rate.hoisted_values(parameters), s.h
        inverse, a, before = state[states.inverse], state[states.a], state[states.z]
        t = s.t + h
        now = plant.rows.at(row, t)
        known = (w.f / (1.0 - w.m)) * before - (w.m / (1.0 - w.m)) * a

        def ended(z: Vector, moved: Vector) -> tuple[Vector, ...]:
            """(q, v, inner, v̄ - v/2, a₊) after a step, equations (1) and (2)."""
            after = w.fresh * z + known
            faster = (h * (1.0 - w.gamma)) * a + (h * w.gamma) * after
            mean = (h * (0.5 - w.beta)) * a + (h * w.beta) * after
            v = s.v.copy()
            v[moving] = s.v[moving] + faster[:own]
            q = s.q + (0.5 * h) * state[states.rate] + h * moved
            for place, entry in plant.plain:  # no later than z: these carry the stiffness
                if entry in moving:
                    q[place] = s.q[place] + h * (s.v[entry] + mean[moving.index(entry)])
            q, v = plant.led_state(unit_quaternions(mechanism, q), v, now)
            half = 0.5 * v
            half[moving] = 0.5 * s.v[moving] + mean[:own]
            return q, v, s.inner + faster[own:], half, after

        z, moved = before, 0.5 * state[states.rate]
        secants = Secants(1.0 / units, (SHOWS * CORRECTED) * tolerance / h) if careful else None
        for _ in range(CAREFUL if careful else ITERATIONS):
            q, v, inner, half, _ = ended(z, moved)
            at = {"q": q, "v": v, "inner": inner, "z": z, "row": row, "t": [t], "mean": half}
            stage = stage_rate(parameters, hoisted, **at, **({"inverse": inverse} if n > LARGE else {}))
            change = stage["newton"] if n > LARGE else -(inverse.reshape(n, n) @ stage["R"])
            change = change if secants is None else secants.improved_step(change)
            z, moved = z + change, stage["moved"]
        worst = largest_change(change, h, units)
        check(Status.NOT_CONVERGED.at(Site.NEWTON), CORRECTED * tolerance - worst, 0.0)
        q, v, inner, _, after = ended(z, moved)
        q = close(parameters, q)
        work = s.work + (0.5 * h) * (state[states.power] + stage["power"])
        off = zeros(layout.nv)
        off[moving] = (100.0 * w.error * h * h) * (z - before)[
            :own
        ]  # `size_of` takes velocities a hundred times smaller
        error = states.size_of(zeros(layout.nq), off, zeros(plant.inner_size))
        vdot = stage["vdot"].copy()
        vdot[moving] = z[:own]
        end = states.join(q, v, work, inner, t, h, error)
        whole = [end, z, state[states.inverse], after, stage["qdot"], stage["power"]]
        record = states.record(states.split(end), stage["tau"], vdot, error)
        return {"state": np.concatenate(whole), "record": record, "running": row[1] - t}

    return turn_program(plant, equations, f"generalised alpha {w.rho_infinity:g}{' careful' * careful}", states.size)


@dataclass(frozen=True, eq=False, kw_only=True)
class GeneralisedAlpha(Method):
    """Equal steps, stable with any. rho_infinity: what is left of an infinitely fast vibration after a step, 0 … 1."""

    rho_infinity: float

    def with_rho_infinity(self, rho_infinity: float | None) -> "GeneralisedAlpha":
        """See `Method`."""
        if rho_infinity is None:
            return self
        if not 0 <= rho_infinity <= 1:
            raise UsageError(
                f"rho_infinity={rho_infinity!r}: give a number between 0 (fast vibrations vanish) and 1 (they stay)"
            )
        return replace(self, rho_infinity=rho_infinity)

    def marching(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> ImplicitMarching:
        """See `Method`."""
        states, w = AlphaLayout(plant), Weights(self.rho_infinity)
        programs = ImplicitPrograms(
            (self.name, self.rho_infinity),
            states,
            lambda careful: alpha_step(plant, w, careful),
            lambda: refresh_program(plant, states, "generalised alpha", w.gamma * w.fresh, w.beta * w.fresh),
            lambda: alpha_start(plant),
        )
        return ImplicitMarching(plant, programs, parameters, step, tolerance)


GENERALISED_ALPHA = GeneralisedAlpha(
    name="generalised_alpha",
    order=2,
    implicit=True,
    adaptive=False,
    limit=inf,
    use="stiff vibrations: damping of the unresolved ones chosen by rho_infinity",
    rho_infinity=0.8,
)
