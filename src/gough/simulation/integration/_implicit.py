"""One step of a diagonally implicit Runge–Kutta method as programs, for a compiled time loop.

Every stage asks for the unknown accelerations, and rates of a law's own states w, z = (v̇, ẇ) with R(q, v, w, z) = 0 at
    v = v_n + h Σ a_ij v̇_j,   q = q_n + h Σ a_ij q̇_j,   w = w_n + h Σ a_ij ẇ_j                                     (1)
(the stage itself included), by Newton steps with one matrix for many steps,
    W = ∂R/∂z + hγ [∂R/∂v + hγ ∂R/∂q, ∂R/∂w],   z ← z - W⁻¹ R                                                      (2)
derivatives along the motions of the closed robot, analytic (`newton`). W⁻¹ is a part of the state (`ImplicitLayout`).
A careful step betters them by Broyden's method.

Time loops go in equal steps, Newton's iteration with one matrix for many of them.
State    that of explicit methods, then the unknowns z, then W⁻¹ by rows: `refresh_program` makes W anew, which the loop inverts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from gough.errors import Failure, Site, Status
from gough.program import Program
from gough.scalar import check, zeros
from gough.simulation.coordinates import unit_quaternions
from gough.simulation.integration._newton import Secants, largest_change, newton_matrix
from gough.simulation.integration._rates import (
    STAGE,
    Rate,
    closing_program,
    end_step,
    prepare_rate,
    rate_program,
    rates_at,
    residual_program,
    step_error,
    trace_states,
    turn_program,
)
from gough.simulation.integration.marching import Keep, Marching, OneRunLoop, RunStopped
from gough.simulation.integration.method import RungeKutta
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout

Vector = np.ndarray
REFRESH = 20
"""Steps with one Newton matrix."""
CAREFUL_STEPS = 5
"""Steps solved with care after Newton's method has failed."""
HALVINGS = 12
"""How often a step of an implicit method is halved before a run gives up."""
ITERATIONS, CAREFUL = 4, 12
"""Newton steps of a stage; and of a stage that is solved with care."""
SHOWS = 1e-3
"""Steps of less than this part of what is accepted show nothing but rounding."""
CORRECTED = 10.0
"""Largest last Newton correction of a velocity, over a typical size a second, in tolerances."""


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


@dataclass(frozen=True)
class ImplicitPrograms:
    """A method as programs, each made when it is asked for. name: of the method, with all that its programs depend on. step:
    from whether it is to be solved with care."""

    name: tuple[Any, ...]
    states: ImplicitLayout
    step: Callable[[bool], Program]
    refresh: Callable[[], Program]
    start: Callable[[], Program]


def refresh_program(plant: Plant, states: ImplicitLayout, name: str, of_v: float, of_q: float) -> Program:
    """The program that makes W anew, equation (1) of `newton`, and puts it where W⁻¹ is to be. of_v, of_q: dv/dz over h and
    dq/dz over h² at the end of a step."""
    matrix = newton_matrix(plant, residual_program(plant, "R"), of_v, of_q)

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s = states.split(state)
        row = given[: plant.rows.size]
        q, v = plant.led_state(s.q, s.v, plant.rows.at(row, s.t))
        W = matrix(parameters, s.h, q=q, v=v, inner=s.inner, z=state[states.z], row=row, t=[s.t])
        after = np.concatenate([state[: states.inverse.start], W.ravel(), state[states.inverse.stop :]])
        return {"state": after, "record": zeros(0), "running": 1.0}

    return turn_program(plant, equations, f"{name} refresh", states.size)


def start_program(
    plant: Plant, states: ImplicitLayout, name: str = "start", more: Callable[..., tuple[Vector, ...]] = lambda *_: ()
) -> Program:
    """The program that gives a state its accelerations z: at the start, and where a motion's accelerations jump. more(state, z,
    rates): what stands behind W⁻¹."""
    rate = rate_program(plant)

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, row = states.split(state), given[: plant.rows.size]
        _, _, found = rates_at(plant, rate, s, row, parameters)
        z = np.concatenate([found["vdot"][plant.unknown_of_v], found["inner"]])
        after = np.concatenate([state[: states.z.start], z, state[states.inverse], *more(state, z, found)])
        return {"state": after, "record": states.record(s, found["tau"], found["vdot"], 0.0), "running": 1.0}

    return turn_program(plant, equations, name, states.size)


class ImplicitMarching(Marching):
    """Implicit methods with equal steps. Where Newton's method fails, a few steps are solved with care; where that
    fails, too, a step is taken as 2, 4, 8, … shorter ones."""

    def __init__(
        self, plant: Plant, programs: ImplicitPrograms, parameters: Vector, step: float, tolerance: float
    ) -> None:
        super().__init__(plant, parameters, step, tolerance)
        self.states: ImplicitLayout = programs.states
        self.programs = programs
        self.loop = self._kept("step", lambda: programs.step(False))
        self.refresh = self._kept("refresh", programs.refresh)
        self.start = self._kept("start", programs.start)
        self.loops = (self.loop, self.refresh, self.start)

    @cached_property
    def careful(self) -> OneRunLoop:
        """Steps solved with care; made when the first one is needed."""
        return self._kept("careful step", lambda: self.programs.step(True))

    def _kept(self, what: str, make: Callable[[], Program]) -> OneRunLoop:
        return OneRunLoop(self.plant.loop_code((*self.programs.name, what), make), self.parameters)

    def piece(self, state: Vector, row: Vector, keep: Keep) -> Vector:
        """See `Marching`."""
        t, given = self.states.t, self.turn_inputs(row)
        x = np.zeros((1, self.states.size))
        x[0, : min(len(state), self.states.size)] = state[: self.states.size]
        begin = float(x[0, t])
        x = self._made(self.start, x, given)
        keep(self.start(x, 1, given).record[:, 0])
        h, count = self.equal_steps(row, begin)
        done = halvings = with_care = 0
        while done < count:
            if halvings:
                x, records, halvings = self._in_parts(x, given, h, halvings)
                halvings -= 1
            else:
                steps = min(REFRESH, self.next_chunk(), count - done, with_care or REFRESH)
                x, records, why = self._steps(self.careful if with_care else self.loop, x, given, h, steps)
                if with_care:
                    with_care = max(with_care - max(len(records), 1), 0)
                    halvings = 1 if why else 0
                    self.care_taken += len(records)
                elif why:
                    with_care = CAREFUL_STEPS
            keep(records)
            self.steps += len(records)
            self.note_errors(records[:, t + 2])
            done += len(records)
            x[0, t] = row[1] - (count - done) * h
        x[0, t] = row[1]
        return x[0]

    def _steps(
        self, loop: OneRunLoop, x: Vector, given: Vector, h: float, steps: int
    ) -> tuple[Vector, Vector, Callable[[], Failure] | None]:
        """(state, records, what tells why it failed) after up to so many steps."""
        x = x.copy()
        x[0, self.states.t + 1] = h
        x = self._inverted(self._made(self.refresh, x, given))
        found = loop(x, steps, given, every=1)
        failed = int(found.failed[0])
        records = found.record[:, 0] if failed < 0 else found.record[:failed, 0]
        if failed < 0:
            return found.state.copy(), records, None
        last = found.state.copy()
        return last, records, lambda: loop.reason(last[0], given)

    def _inverted(self, x: Vector) -> Vector:
        """A state (1, n) with W⁻¹ where its W stands; inverted here, not in straight code of n³ operations."""
        n, place = self.plant.unknowns, self.states.inverse
        try:
            x[0, place] = np.linalg.inv(x[0, place].reshape(n, n)).ravel()
        except np.linalg.LinAlgError:
            raise RunStopped(Status.SINGULAR.at(Site.NEWTON_MATRIX), float(x[0, self.states.t])) from None
        return x

    def _in_parts(self, x: Vector, given: Vector, h: float, halvings: int) -> tuple[Vector, Vector, int]:
        """(state, its record, halvings) after one step, taken as 2^halvings shorter ones, or more where that fails."""
        begin = x
        while True:
            x, parts = begin, 2**halvings
            for _ in range(parts):
                x, records, why = self._steps(self.careful, x, given, h / parts, 1)
                if why is not None:
                    break
            else:
                return x, records, halvings
            self.rejected += 1
            halvings += 1
            if halvings > HALVINGS:
                raise RunStopped(why(), float(x[0, self.states.t]))

    def _made(self, loop: OneRunLoop, x: Vector, given: Vector) -> Vector:
        found = loop(x, 1, given)
        if found.failed[0] < 0:
            return found.state.copy()
        slow = loop.with_care(x[0], given)
        if slow is None:
            raise RunStopped(loop.reason(x[0], given), float(x[0, self.states.t]))
        return slow[0][None].copy()


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
            (self.name,),
            states,
            lambda careful: implicit_step(plant, self, careful),
            lambda: refresh_program(plant, states, self.name, short, short * short),
            lambda: start_program(plant, states),
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

    return prepare_rate(plant, trace_states(plant, equations, "stage", *STAGE, inverse=n * n))


def implicit_step(plant: Plant, method: ImplicitRungeKutta, careful: bool = False) -> Program:
    """The program of a step with W⁻¹ as it is. careful: with Broyden's method and more iterations, for steps in which forces
    change their slope: friction that reverses, drives that saturate."""
    model, states = plant.model, ImplicitLayout(plant)
    mechanism, layout = model.mechanism, model.layout
    stage_rate = stage_program(plant)
    close = closing_program(plant)
    moving = plant.unknown_of_v
    own = len(moving)
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
            worst = largest_change(change, h, units, worst)
        check(Status.NOT_CONVERGED.at(Site.NEWTON), CORRECTED * tolerance - worst, 0.0)
        q, v, work, inner = end_step(plant, s, found, method.b, h, row)
        q, t = close(parameters, q), s.t + h
        error = step_error(plant, found, method.error, h)
        end, last = states.join(q, v, work, inner, t, h, error), found[-1]
        record = states.record(states.split(end), last["tau"], last["vdot"], error)
        return {"state": np.concatenate([end, z, inverse]), "record": record, "running": row[1] - t}

    return turn_program(plant, equations, f"{method.name}{' careful' * careful}", states.size)
