"""Leapfrog steps with the frequencies of vibrations corrected, and their time loop: one look at the forces a step.

With a = v̇(q, v) and A = ∂v̇/∂q along the motions of the closed robot, made anew from time to time,
    v½ = v + h/2 â,   q ← q + h q̇(q, v½), closed,   â ← a + h²/12 A a at (q, v + h â),   v ← v½ + h/2 â                    (1)
Sources   Without A it is the method of Störmer and Verlet. q_n+1 - 2 q_n + q_n-1 = h² q̈ + h⁴/12 q⁗ + …, and q⁗ = A q̈ for linear
          vibrations (the modified equation, as in Shubin and Bell 1987 for waves), whose frequencies are then of fourth order.
Order     2; vibrations: cos ωh is 1 - x/2 + x²/24 instead of its series, x = (ωh)², so stable for ωh < √12, four looks of the
          classical Runge–Kutta method reach 2.83. Forces that depend on velocities see v + hâ: damping must be below about 1/h.
v         is (q_n+1 - q_n-1)/2h = q̇ + h²/6 q⃛, so what is told is v - h²/6 A v, a piece begins with v + h²/6 A v      (2)
State     that of explicit methods, then â, q̇, q̇ as it is expected half a step later, and powers. Own: A by rows.
"""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np

from gough.compilation.service import Marched
from gough.errors import Site, Status, UsageError
from gough.model.tangent import tangent_derivation
from gough.program import Program
from gough.scalar import solve
from gough.simulation.coordinates import unit_quaternions
from gough.simulation.integration._rates import (
    closing_program,
    prepare_rate,
    rate_program,
    rates_at,
    residual_program,
    turn_program,
)
from gough.simulation.integration.marching import Keep, Marching, OneRunLoop, RunStopped
from gough.simulation.integration.method import Method
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.state import State, StateLayout
from gough.spatial.rotation import quaternion_rate_wxyz

Vector = np.ndarray
REFRESH, LASTS = 2000, 0.15
"""Steps with one matrix A, and the longest time (s): with another one vibrations are a little off, nothing else."""


@dataclass(frozen=True, eq=False)
class LeapfrogLayout(StateLayout):
    """The state with what the next step needs behind it."""

    @property
    def acceleration(self) -> slice:
        """Place of â (nv,)."""
        return slice(self.t + 3, self.t + 3 + self.plant.model.layout.nv)

    @property
    def rate(self) -> slice:
        """Place of q̇ (nq,)."""
        return slice(self.acceleration.stop, self.acceleration.stop + self.plant.model.layout.nq)

    @property
    def expected(self) -> slice:
        """Place of q̇ (nq,) half a step later."""
        return slice(self.rate.stop, self.rate.stop + self.plant.model.layout.nq)

    @property
    def power(self) -> slice:
        """Place of the powers."""
        return slice(self.expected.stop, self.expected.stop + len(WORKS))

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return self.power.stop


def slope_program(plant: Plant) -> Program:
    """The program that records A (n, n) by rows over the unknown entries of v."""
    model, states, n = plant.model, LeapfrogLayout(plant), plant.unknowns
    derivation = tangent_derivation(model, plant.order_program(residual_program(plant, "R")), ("q", "z"))
    slopes = prepare_rate(plant, derivation.jacobian("auto"))

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        s, row = states.split(state), given[: plant.rows.size]
        q, v = plant.led_state(s.q, s.v, plant.rows.at(row, s.t))
        z = state[states.acceleration][plant.unknown_of_v]
        found = slopes(parameters, q=q, v=v, inner=s.inner, z=z, row=row, t=[s.t])
        R_q = found["R_q"].reshape(n, model.layout.nv)[:, plant.unknown_of_v]
        A = solve(found["R_z"].reshape(n, n), -R_q, Status.SINGULAR.at(Site.MASS_MATRIX))
        return {"state": state, "record": A.ravel(), "running": 1.0}

    return turn_program(plant, equations, "slopes", states.size)


def begin_program(plant: Plant) -> Program:
    """The program of the beginning of a piece: â, q̇ and powers, v by equation (2); records the state there."""
    states, rate = LeapfrogLayout(plant), rate_program(plant)

    def equations(state: Vector, given: Vector, own: Vector, parameters: Vector) -> dict[str, Any]:
        s, row = states.split(state), given[: plant.rows.size]
        q, v, found = rates_at(plant, rate, s, row, parameters)
        here = states.join(q, v, s.work, s.inner, s.t, s.h, 0.0)
        begun = states.join(q, _added(plant, own, v, s.h * s.h * (1.0 / 6.0)), s.work, s.inner, s.t, s.h, 0.0)
        a = _added(plant, own, found["vdot"], s.h * s.h * (1.0 / 12.0))
        record = states.record(states.split(here), found["tau"], found["vdot"], 0.0)
        after = np.concatenate([begun, a, found["qdot"], found["qdot"], found["power"]])
        return {"state": after, "record": record, "running": 1.0}

    return turn_program(plant, equations, "begin", states.size, own=plant.unknowns**2)


def leapfrog_step(plant: Plant) -> Program:
    """The program of a step, equations (1); records the state after it, v as it is.

    Forces are looked at where q is expected, which leaves loops open by a part that is of third order; a first Newton step that
    closes them comes with the rates.
    """
    states, rate = LeapfrogLayout(plant), rate_program(plant, closing=True)
    close = closing_program(plant, closings=1)

    def equations(state: Vector, given: Vector, own: Vector, parameters: Vector) -> dict[str, Any]:
        s, row, h = states.split(state), given[: plant.rows.size], state[states.t + 1]
        a, power = state[states.acceleration], state[states.power]
        t = s.t + h
        now = plant.rows.at(row, t)
        half = s.v + (0.5 * h) * a
        q, v = plant.led_state(_moved(plant, s, state[states.expected], half), half + (0.5 * h) * a, now)
        found = rate(parameters, q=q, v=v, inner=s.inner, row=row, t=[t])
        q, a = close(parameters, found["closed"]), _added(plant, own, found["vdot"], h * h * (1.0 / 12.0))
        _, v = plant.led_state(q, half + (0.5 * h) * a, now)
        work = s.work + (0.5 * h) * (power + found["power"])
        ended = states.join(q, v, work, s.inner, t, h, 0.0)
        record = states.record(states.split(ended), found["tau"], found["vdot"], 0.0)
        expected = 1.5 * found["qdot"] - 0.5 * state[states.rate]
        after = np.concatenate([ended, a, found["qdot"], expected, found["power"]])
        return {"state": after, "record": record, "running": row[1] - t}

    return turn_program(plant, equations, "leapfrog", states.size, own=plant.unknowns**2)


def _moved(plant: Plant, s: State, expected: Vector, half: Vector) -> Vector:
    """q after a step with velocities `half`; what these do not say goes on as expected."""
    mechanism = plant.model.mechanism
    q = s.q + s.h * expected
    for place, entry in plant.plain:
        q[place] = s.q[place] + s.h * half[entry]
    own = mechanism.selection.independent
    if mechanism.has_platform and {3, 4, 5} <= set(own):
        turning = half[[own.index(k) for k in (3, 4, 5)]]
        q[3:7] = s.q[3:7] + s.h * quaternion_rate_wxyz(s.q[3:7], turning)
    return unit_quaternions(mechanism, q)


def _added(plant: Plant, own: Vector, x: Vector, factor: Any) -> Vector:
    """x + factor A x (nv,) over the unknown entries."""
    n, at = plant.unknowns, plant.unknown_of_v
    out = x.copy()
    out[at] = x[at] + factor * (own.reshape(n, n) @ x[at])
    return out


class LeapfrogMarching(Marching):
    """Equal steps in every piece."""

    def __init__(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> None:
        super().__init__(plant, parameters, step, tolerance)
        if plant.inner_size:
            raise UsageError(
                f"method='leapfrog' does not integrate the own states of a controller ({', '.join(plant.inner.names)}); take rk4"
            )
        self.states: LeapfrogLayout = LeapfrogLayout(plant)
        self.loop = OneRunLoop(plant.loop_code("leapfrog step", lambda: leapfrog_step(plant)), parameters)
        self.begin = OneRunLoop(plant.loop_code("leapfrog begin", lambda: begin_program(plant)), parameters)
        self.slopes = OneRunLoop(plant.loop_code("leapfrog slopes", lambda: slope_program(plant)), parameters)
        self.loops = (self.loop, self.begin, self.slopes)

    def piece(self, state: Vector, row: Vector, keep: Keep) -> Vector:
        """See `Marching`."""
        states, given, t = self.states, self.turn_inputs(row), self.states.t
        x = np.zeros((1, states.size))
        x[0, : min(len(state), states.size)] = state[: states.size]
        h, left = self.equal_steps(row, float(x[0, t]))
        x[0, t + 1] = h
        none = np.zeros((1, self.plant.unknowns**2))
        x[0, states.acceleration] = self._made(self.begin, x, given, none).state[0, states.acceleration]
        own = self._made(self.slopes, x, given).record[0]
        found = self._made(self.begin, x, given, own)
        keep(found.record[:, 0])
        longest = min(REFRESH, ceil(LASTS / h))
        x, lasts = found.state.copy(), longest
        while left > 0:
            chunk = min(lasts, self.next_chunk(), left)
            found = self.loop(x, chunk, given, own=own)
            x, bad = found.state.copy(), int(found.failed[0])
            records = self._told(found.record[: chunk if bad < 0 else bad, 0], own)
            keep(records)
            self.steps += len(records)
            if bad >= 0:
                raise RunStopped(self.loop.reason(x[0], given, own), float(x[0, t]))
            left, lasts = left - chunk, lasts - chunk
            if left > 0 and lasts == 0:
                own, lasts = self._made(self.slopes, x, given).record[0], longest
        x[0, t] = row[1]
        return self._told(x[0], own)

    def _told(self, rows: Vector, own: Vector) -> Vector:
        """States or records (..., k) with v as it is told, equation (2)."""
        at, n = self.plant.unknown_of_v, self.plant.unknowns
        places = self.plant.model.layout.nq + np.array(at, dtype=int)
        rows[..., places] -= rows[..., [self.states.t + 1]] ** 2 / 6.0 * (rows[..., places] @ own.reshape(n, n).T)
        return rows

    def _made(self, loop: OneRunLoop, x: Vector, given: Vector, own: Vector | None = None) -> Marched:
        found = loop(x, 1, given, own=own)
        if found.failed[0] >= 0:
            raise RunStopped(loop.reason(x[0], given, own), float(x[0, self.states.t]))
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class Leapfrog(Method):
    """Equal steps, one look at the forces each."""

    def growth(self, z: Vector) -> Vector:
        """See `Method`: equations (1) of ẍ = -c ẋ - ω² x on (x, hv, h²â), with λ one of its pair; a real λ decays by itself."""
        z = np.asarray(z, dtype=complex)
        swings = np.imag(z) != 0
        c, w = np.where(swings, -2.0 * np.real(z), -np.real(z)), np.where(swings, np.abs(z) ** 2, 0.0)
        x = np.broadcast_to([1.0, 1.0, 0.5], (*z.shape, 3))
        a = (1.0 - w / 12.0)[..., None] * (-w[..., None] * x - c[..., None] * np.array([0.0, 1.0, 1.0]))
        v = np.array([0.0, 1.0, 0.5]) + 0.5 * a
        return np.abs(np.linalg.eigvals(np.stack([x, v, a], axis=-2))).max(axis=-1)

    def marching(self, plant: Plant, parameters: Vector, step: float, tolerance: float) -> LeapfrogMarching:
        """See `Method`."""
        return LeapfrogMarching(plant, parameters, step, tolerance)


LEAPFROG = Leapfrog(
    name="leapfrog",
    order=2,
    implicit=False,
    adaptive=False,
    limit=sqrt(12),
    use="lightly damped vibrations over a long time: one evaluation a step",
)
