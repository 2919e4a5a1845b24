"""The robot as an observer believes it to be: its state inside the time loop, which flows, and follows readings at samples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.forward import forward_dynamics
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.rates import rate_of_q
from gough.errors import UsageError
from gough.kinematics.retraction import coordinate_sizes, step_units
from gough.scalar import product, select
from gough.simulation.actuators.actuator import Flow
from gough.simulation.control.observers._places import (
    carried_size,
    carry_state,
    ideal_readings,
    split_carried,
)
from gough.simulation.control.observers.observer import Observer
from gough.simulation.control.own_robot import Measured
from gough.simulation.control.sensed import channel_names
from gough.simulation.coordinates import CLOSINGS, closed_coordinates, moved_coordinates, units_of
from gough.simulation.sensors.sensor import Sensor

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
Memory = dict[str, Vector]
PLACES, RATES = "estimate", "estimate_rates"
"""Channels of a run, behind `controller.`: q̂ and v̂."""


class Estimated(Measured):
    """As `Measured`, of the estimate. shown: what the sensors show, one after the other."""

    def __init__(
        self, model: "Model", numbers: Numbers, q: Vector, v: Vector, sensors: Sequence[Sensor], shown: Sequence[Vector]
    ) -> None:
        super().__init__(model, numbers, q, v)
        vars(self)["shown"] = dict(zip(channel_names(sensors), shown, strict=True))

    def show(self, name: str) -> Vector:
        """What a sensor shows (n,), by the name of its channel in a run."""
        known = vars(self)["shown"]
        if name not in known:
            raise UsageError(f"sensors=: the controller asks for {name!r}; there is {', '.join(known)}")
        return known[name]


@dataclass(frozen=True, eq=False)
class RunningObserver:
    """An observer at work in a time loop. model: its own robot; period (s)."""

    observer: Observer
    model: "Model"
    sensors: tuple[Sensor, ...]
    period: float

    @property
    def size(self) -> int:
        """Numbers of an estimate."""
        return self.model.layout.nq + self.model.layout.nv

    def flow(self, q: Vector, v: Vector) -> Flow:
        """Its states, where the own robot begins at q, v."""
        model, layout, units = self.model, self.model.layout, units_of(self.model)
        own = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
        return Flow(
            (*(f"{PLACES}.{x}" for x in layout.q_names), *(f"{RATES}.{x}" for x in layout.v_names)),
            (*units.q, *units.v),
            np.concatenate([np.asarray(q, dtype=float), np.asarray(v, dtype=float)]),
            np.concatenate([coordinate_sizes(model.mechanism, model.size), 100.0 * own]),
        )

    def first(self, numbers: Vector, states: Vector) -> Vector:
        """Its first estimate, where the robot's state, as the own robot has it, is this one. numbers (n,): of the own robot."""
        return np.concatenate(self.observer.first_estimate(self.model, numbers, *self._split(states)))

    def numbers(self) -> Memory:
        """What compiled loops are given."""
        return {} if self.observer.tuned is None else self.observer.tuned.numbers()

    def memory(self) -> Memory:
        """What it remembers of the sample before, at first."""
        return {"carried": np.zeros(sum(carried_size(self.model, x, self.period) for x in self.sensors))}

    def rates(self, numbers: Numbers, states: Vector, tau: Vector) -> Vector:
        """dx̂/dt of an estimate, with forces tau (drives,) of the drives."""
        q, v = self._split(states)
        loops = Loops(Posture(numbers, q))
        vdot = forward_dynamics(numbers, q, v, tau)["vdot"]
        return np.concatenate([rate_of_q(loops.posture, loops.rates(v)), vdot])

    def estimate_after(
        self,
        numbers: Numbers,
        states: Vector,
        given: Memory,
        sensors: list[Memory],
        fresh: list[Any],
        carried: Vector,
        shown: Sequence[Vector],
        t: Any,
    ) -> tuple[Estimated, Vector, Vector]:
        """(the robot after readings, its states, what is remembered of it). sensors: their numbers; fresh: whether they had no
        sample yet; shown: what they show; t (s)."""
        mechanism, nv = self.model.mechanism, self.model.layout.nv
        q, v = self._split(states)
        before = Estimated(self.model, numbers, q, v, self.sensors, shown)
        remembered = split_carried(self.model, self.sensors, self.period, carried)
        foreseen = ideal_readings(self.sensors, before, remembered, sensors, fresh)
        sizes = [len(x.channels(self.model)[0]) for x in self.sensors]
        seen = np.concatenate([x[:size] for x, size in zip(shown, sizes, strict=True)])
        step = self._gained(given, seen - foreseen, t)
        q = moved_coordinates(mechanism, q, before.loops.rates(step[:nv]))
        for _ in range(CLOSINGS if mechanism.selection.blocks else 0):
            q = closed_coordinates(Loops(Posture(numbers, q)))
        v = v + step[nv:]
        after = Estimated(self.model, numbers, q, v, self.sensors, shown)
        return after, np.concatenate([q, v]), carry_state(self.sensors, after, remembered)

    def _gained(self, given: Memory, missed: Vector, t: Any) -> Vector:
        """L (y - h) (2nv,) with the gain at a time (s)."""
        m, n = len(missed), 2 * self.model.layout.nv
        total = product(given["first"].reshape(n, m), missed)
        more = given["more"].reshape(-1, n, m)
        for part, begin, rate in zip(more, given["from"], given["rate"], strict=True):
            s = (t - begin) * rate
            share = select(s, select(s - 1.0, 1.0, s), 0.0)
            total = total + share * product(part, missed)
        return total

    def _split(self, states: Vector) -> tuple[Vector, Vector]:
        return states[: self.model.layout.nq], states[self.model.layout.nq :]
