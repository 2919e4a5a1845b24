"""Sampled controllers: drive forces are computed every period, arrive after a delay, and are held until the next ones arrive."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.arguments import number, take, whole
from gough.errors import RunWarning, UsageError, warn
from gough.simulation.actuators.actuator import Actuator, demand_order
from gough.simulation.control.law import Action, Here, Law
from gough.simulation.control.observers.observer import Observer
from gough.simulation.sensors.sensor import Sensor

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
LONG = 1.0
"""A period or delay (s) of which there are doubts."""


@dataclass(frozen=True)
class Sampled(Law):
    """A controller that runs on a clock.

    law: any other law, or a Python function f(t, q, v, reference) -> tau (drives,), reference: the motion at t (position,
    velocity, acceleration), None without a motion. period (s): between samples. delay (s): from a sample to its forces; until
    the first ones arrive they are those of the first sample, as of a controller that was on before. reset: of a function that
    remembers something (an integral, a filter): called before every run; default its own method `reset`, where it has one.
    limit: see `Law`; applied to samples.

    sensors: what the law sees of the robot instead of its state (`gough.sensors`), one or several; actuators: what stands between
    its commands and the drives (`gough.actuators`), in the order in which commands pass them; seed: of the sensors' noise. Laws
    of gough, their own states included (x_{k+1} = x_k + period ẋ), are a part of the compiled time loop where steps are explicit.
    observer: one of `gough.observers`, which estimates the whole robot, elastic coordinates too, from the readings; the law sees
    the estimate.
    """

    law: Any
    period: float
    delay: float = 0.0
    reset: Callable[[], Any] | None = field(default=None, kw_only=True)
    sensors: Sensor | Sequence[Sensor] = field(default=(), kw_only=True)
    observer: Observer | None = field(default=None, kw_only=True)
    actuators: Actuator | Sequence[Actuator] = field(default=(), kw_only=True)
    seed: int = field(default=0, kw_only=True)
    name = "sampled"
    called: ClassVar[str] = ""
    """Why a function is called at every sample, instead of being a part of the time loop."""
    held = True
    dimensions: ClassVar = {"period": ("time",), "delay": ("time",)}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nominal is not None:
            raise UsageError("nominal=: give it to the law that is sampled; a function computes with what it likes")
        if isinstance(self.law, Law) and (self.law.prescribed or isinstance(self.law, Sampled)):
            raise UsageError(f"{self.law.name} cannot be sampled; give a controller or a function")
        if not isinstance(self.law, Law) and not callable(self.law):
            raise UsageError(f"law={self.law!r}: give a law of gough.laws, or a function f(t, q, v, reference) -> tau")
        if self.reset is not None and (isinstance(self.law, Law) or not callable(self.reset)):
            raise UsageError(
                "reset=: give a function without arguments, which puts the function that is sampled back to its start"
            )
        for key, kind in (("period", number(above=0)), ("delay", number(0))):
            object.__setattr__(self, key, take(f"{key} (s)", kind, getattr(self, key)))
        object.__setattr__(self, "seed", take("seed", whole(0), self.seed))
        object.__setattr__(self, "sensors", _several("sensors", self.sensors, Sensor))
        object.__setattr__(self, "actuators", _several("actuators", self.actuators, Actuator))
        demand_order(self.actuators)  # type: ignore[arg-type]
        if self.observer is not None:
            self._demand_observable()

    def _demand_observable(self) -> None:
        """UsageError where its observer cannot be one here."""
        if not isinstance(self.observer, Observer):
            raise UsageError(f"observer={self.observer!r}: give one of gough.observers")
        if not self.sensors:
            raise UsageError(
                f"{self.observer.name}: an observer needs readings; give sensors=[gough.sensors.Encoders(noise=…)]"
            )
        if not isinstance(self.law, Law):
            return
        if self.law.observes:
            raise UsageError(f"{self.law.name} has an observer of its own; leave observer= out, or sample an LQR")
        if any(x is not None for x in self.law.knows()) and any(x is not None for x in self._observers_robot):
            raise UsageError("observer and law share one robot: give nominal= and model= to one of the two")

    @property
    def _observers_robot(self) -> "tuple[Any, Model | None]":
        return (None, None) if self.observer is None else (self.observer.nominal, self.observer.model)

    @property
    def equipped(self) -> bool:
        """Whether sensors or actuators stand between the robot and the law."""
        return bool(self.sensors or self.actuators)

    def with_reason(self, why: str) -> "Sampled":
        """The same, which says why its function is called."""
        made = replace(self)
        object.__setattr__(made, "called", why)
        return made

    def unit_problems(self, model: "Model") -> Iterator[tuple[str, int | None, str]]:
        """See `Law`."""
        yield from super().unit_problems(model)
        for key in ("sensors", "actuators"):
            for k, part in enumerate(getattr(self, key)):
                yield from ((key, k, f"{part.name}: {said}") for said in part.unit_problems(model))

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return ()

    @property
    def any_velocities(self) -> bool:
        """See `Law`: forces are held, and samples are told in the robot's own velocities."""
        return True

    @property
    def can_start_anew(self) -> bool:
        """Whether a second run of it begins as the first one did."""
        return isinstance(self.law, Law) or self.resetting is not None

    @property
    def resetting(self) -> Callable[[], Any] | None:
        """What puts a function that is sampled back to its start; None where nothing does."""
        own = getattr(self.law, "reset", None)
        return self.reset if self.reset is not None else own if callable(own) else None

    @property
    def computes(self) -> bool:  # type: ignore[override]
        """Whether its law or observer computes with a robot of its own."""
        return self.observer is not None or (isinstance(self.law, Law) and self.law.computes)

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`: what the law knows, or its observer."""
        own = self.law.knows() if isinstance(self.law, Law) else (None, None)
        return own if any(x is not None for x in own) else self._observers_robot

    def check(self, model: "Model", motion: "Motion | None", in_loop: bool = False) -> None:
        """See `Law`. in_loop: whether it is a part of the time loop."""
        self._demand_units(model)
        self._doubt_times(motion)
        if not model.mechanism.drives:
            raise UsageError(f"{self.name}: {model.robot.name} has no drives")
        if not isinstance(self.law, Law):
            return
        self.law.check(model, motion)
        has_states = bool(self.law.inner(model, model.home, np.zeros(model.layout.nv)).names)
        if has_states and self.law.vibrates:
            raise UsageError(
                f"{self.law.name} with states of its own runs in continuous time only; use elastic='measured'"
            )
        if has_states and not in_loop:
            raise UsageError(
                f"{self.law.name} has states of its own, which are sampled with methods rk4, dp5 and bs3 alone"
            )

    def _doubt_times(self, motion: "Motion | None") -> None:
        """A warning of a period or a delay that is as long as none is: milliseconds, most likely."""
        for key in ("period", "delay"):
            time = getattr(self, key)
            ends = (
                ""
                if motion is None or time <= motion.duration
                else f" is longer than the motion ({motion.duration:g} s)"
            )
            if ends or time >= LONG:
                text = f"{key}={time:g} s{ends or ' is long for a controller'}: are these milliseconds? Times are in seconds"
                warn(f"{self.name}: {text}", RunWarning)

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return self.law.reference(model, motion, parameters) if isinstance(self.law, Law) else motion

    def forces(self, here: Here) -> Vector:
        """The forces held, which stand in the row."""
        return here.now.position

    def act(self, here: Here) -> Action:
        """See `Law`; limits are applied to samples."""
        return Action(self.forces(here))

    def settings(self, model: "Model", own: "Model | None" = None) -> Vector:
        """None: samples are computed outside of the time loop."""
        return np.zeros(0)

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        inner = self.law.describe() if isinstance(self.law, Law) else {"function": getattr(self.law, "__name__", "f")}
        if self.called:
            inner |= {"called": self.called}
        told = {"period": self.period, "delay": self.delay, "of": inner}
        if self.observer is not None:
            told["observer"] = self.observer.describe() | self._unknown_to_observer()
        for key in ("sensors", "actuators"):
            if getattr(self, key):
                told[key] = [x.describe() for x in getattr(self, key)]
        return super().describe() | told | ({"seed": self.seed} if self.sensors else {})

    def _unknown_to_observer(self) -> dict[str, Any]:
        """What of forces and readings the observer takes for something else than it is."""
        actuators, sensors = _several("actuators", self.actuators, Actuator), _several("sensors", self.sensors, Sensor)
        unknown = [x.name for x in actuators if type(x).act is not Actuator.act]
        unknown += [f"bias of {x.name}" for x in sensors if np.any(np.asarray(x.bias, dtype=float))]
        return {"not_known": unknown} if unknown else {}


def _several(name: str, given: Any, kind: type) -> tuple[Any, ...]:
    """One, or several, as a tuple."""
    found = (given,) if isinstance(given, kind) else given
    if not isinstance(found, list | tuple) or not all(isinstance(x, kind) for x in found):
        raise UsageError(f"{name}={given!r}: give one of gough.{name}, or a list of such")
    return tuple(found)
