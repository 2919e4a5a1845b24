"""What all observers share: what disturbs the robot, what it is taken for, and how an estimate follows readings.

    x̂ = x̄ ⊕ L (y - h(x̄)) at a sample,   dx̂/dt = f(x̂, τ) until the next one                                             (1)
x̂ = (q̂, v̂): configuration and velocities of the observer's own robot, f its forward dynamics with the forces that are held, h
what ideal sensors would show of it, ⊕ a motion along v with loops closed. Observers differ in the gain L.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.analysis.modes import reference_state
from gough.arguments import KnownArguments, floats, number, take
from gough.errors import BadStateError, UsageError
from gough.simulation.control.law import as_numbers, entries
from gough.simulation.control.observers._places import Disturbances, LinearPlace, linear_place
from gough.simulation.control.observers.design import ObserverDesign, Schedule, demand_readable, design_of
from gough.simulation.control.own_robot import demand_own_model, plain_nominal
from gough.simulation.sensors.sensor import Sensor

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
BEGINNINGS = ("known", "equilibrium", "straight")


@dataclass(frozen=True, kw_only=True)
class Observer(KnownArguments, ABC):
    """Base of all observers.

    disturbance (N, N·m): standard deviation of unknown forces of the drives, another one every period, one for all or one each;
    None: a thousandth of what accelerates each drive by 9.81 m/s² (one that turns: that over the robot's size). acceleration
    (m/s²): of unknown accelerations of all the robot's parts, for what else the model does not know. Readings are trusted as
    their sensors' noise and resolution say. at (nq,): the configuration that gains are made at, None: home, in its equilibrium.
    begins: "known", the state the robot begins in; of its drives or platform alone, bodies at rest in the "equilibrium" of the
    robot that it knows, or "straight". passive: the law sees its sensors, the observer looks on. nominal, model: of the robot
    it takes the real one for, as of a law; law and observer share it.
    """

    disturbance: float | Sequence[float] | None = None
    acceleration: float = 0.01
    at: Sequence[float] | np.ndarray | None = None
    begins: str = "known"
    passive: bool = False
    nominal: Mapping[str, float] | Sequence[float] | np.ndarray | str | None = None
    model: "Model | None" = None
    name: ClassVar[str] = "observer"
    dimensions: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "disturbance": ("force", "torque"),
        "acceleration": ("acceleration",),
    }
    tuned: ClassVar[ObserverDesign | None] = None

    def __post_init__(self) -> None:
        if self.disturbance is not None:
            object.__setattr__(self, "disturbance", as_numbers("disturbance", self.disturbance, 0.0))
        kept = take("acceleration (m/s2)", number(0), self.acceleration)
        object.__setattr__(self, "acceleration", kept)
        if self.at is not None:
            object.__setattr__(self, "at", tuple(floats("at", self.at).ravel().tolist()))
        if self.begins not in BEGINNINGS:
            raise UsageError(f"{self.name}: begins={self.begins!r}; use {' or '.join(map(repr, BEGINNINGS))}")
        if not isinstance(self.passive, bool):
            raise UsageError(f"{self.name}: passive={self.passive!r}: give True or False")
        object.__setattr__(self, "nominal", plain_nominal(self.nominal))
        demand_own_model(self.model)

    @property
    def structure(self) -> Hashable:
        """All that shapes its equations."""
        return type(self), self.passive, 0 if self.tuned is None else len(self.tuned.times)

    def design(
        self,
        model: "Model",
        period: float,
        sensors: Sensor | Sequence[Sensor],
        motion: "Motion | None" = None,
        numbers: Any = None,
    ) -> ObserverDesign:
        """Gains, covariances and modes of low observability for a robot, period (s) and sensors, without a run. motion: that the
        robot will do; numbers (n,): the parameters it is believed to have, default the model's."""
        period = take("period (s)", number(above=0), period)
        listed = (sensors,) if isinstance(sensors, Sensor) else tuple(sensors)
        known = np.array(model.parameters) if numbers is None else np.asarray(numbers, dtype=float)
        demand_readable(self.name, model, period, listed)
        n = len(model.mechanism.drives)
        given = None if self.disturbance is None else entries("disturbance", self.disturbance, n, "drives")
        disturbances = Disturbances(given, self.acceleration)

        def place(state: tuple[Vector, Vector, Vector]) -> LinearPlace:
            return linear_place(model, known, state, period, listed, disturbances)

        schedule = self.schedule(model, known, period, motion, place)
        return design_of(self.name, model, period, listed, schedule)

    @abstractmethod
    def schedule(self, model: "Model", numbers: Vector, period: float, motion: "Motion | None", place: Any) -> Schedule:
        """Covariances before readings over time. place: a state (q, v, tau) to its `LinearPlace`."""

    def tuned_for(
        self, model: "Model", numbers: Vector, period: float, sensors: Sequence[Sensor], motion: "Motion | None"
    ) -> "Observer":
        """The same with its gains. model, numbers (n,): of its own robot."""
        made = replace(self)
        object.__setattr__(made, "tuned", self.design(model, period, sensors, motion, numbers))
        return made

    def rest_at(self, model: "Model", numbers: Vector, q: Any = None) -> tuple[Vector, Vector, Vector]:
        """State (q, v, tau) of equilibrium, at q (nq,), `at`, or home."""
        asked = self.at if q is None else q
        where = None if asked is None else np.asarray(asked, dtype=float)
        if where is not None and where.shape != (model.layout.nq,):
            raise UsageError(
                f"{self.name}: at has {where.size} numbers; give one configuration ({model.layout.nq},), as "
                "model.configuration(…) makes it"
            )
        try:
            found, _ = reference_state(model, where, "equilibrium", None, numbers)
        except BadStateError as problem:
            raise UsageError(
                f"{self.name}: {model.robot.name} has no equilibrium to make gains at; give at= a configuration that its drives "
                "can hold"
            ) from problem
        return found.q, np.zeros(model.layout.nv), found.tau

    def first_estimate(self, model: "Model", numbers: Vector, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """(q, v) it begins with, of its own robot with these numbers, which begins at q, v."""
        layout = model.layout
        if self.begins == "known" or layout.nv == layout.rigid:
            return q, v
        q, v = q.copy(), v.copy()
        v[layout.rigid :] = 0.0
        if self.begins == "straight":
            q[layout.elastic] = 0.0
            return model.project(q, numbers), v
        try:
            return static_equilibrium(model, q=q, parameters=numbers).q, v
        except BadStateError as problem:
            raise UsageError(
                f"{self.name}: begins='equilibrium': {model.robot.name} finds none where it begins; take begins='known'"
            ) from problem

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it: what it takes for granted, and modes of low observability."""
        told: dict[str, Any] = {"observer": self.name, "acceleration": self.acceleration, "begins": self.begins}
        if self.model is not None:
            told["model"] = self.model.robot.name
        if self.nominal is not None:
            told["nominal"] = self.nominal
        if self.passive:
            told["passive"] = True
        found = self.tuned
        if found is not None:
            told |= {
                "disturbance": found.forces.tolist(),
                "readings": list(found.readings),
                "gains": len(found.times),
                "hardly_seen": list(found.hardly_seen),
                "hardly_seen_hz": list(found.hardly_seen_hz),
            }
        return told
