"""What acts on the drives while time runs: forces over time, a motion they follow exactly, or a controller.

A law is written in traced scalars, so that it becomes a part of the compiled time loop and of its Jacobian. Its settings (gains,
limits) are inputs of that loop: one compile serves them all. It may have states of its own, integrated with the robot's.
It has a robot of its own (see `own_robot`), and what is measured on the one that runs.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.arguments import KnownArguments, floats
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.errors import UsageError
from gough.robot.units import Quantity, misfit
from gough.simulation.control.acting import Action, Inner, demand_shape
from gough.simulation.control.instant import Instant
from gough.simulation.control.limits import Around, clipped_forces, stated_limits
from gough.simulation.control.own_robot import Measured, OwnRobot, plain_nominal
from gough.simulation.control.reference import in_drive_order
from gough.simulation.sampling.cells import has_truths

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
Signals = dict[str, tuple[list[int], tuple[str, ...], tuple[str, ...]]]
"""Channels by name: places among a law's own states, units, columns."""
Reports = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
"""Channels by name: units, columns."""


def as_numbers(name: str, value: Any, least: float | None = None, empty: bool = False) -> Any:
    """A float, or a tuple of floats; finite, not below `least`; () only where `empty`. Units stay until the robot is known."""
    x = floats(name, value)
    if has_truths(value):
        raise UsageError(f"{name}={value!r}: give a number, or one each, not True or False")
    if empty and x.shape == (0,):
        return ()
    if x.ndim > 1 or x.size == 0 or not np.isfinite(x).all():
        raise UsageError(f"{name}={value!r}: give a finite number, or one each")
    if least is not None and (x < least).any():
        raise UsageError(f"{name}={value!r}: must not be below {least:g}")
    if x.ndim == 0:
        return value if isinstance(value, Quantity) else float(x)
    given = value if isinstance(value, list | tuple) else x
    return tuple(own if isinstance(own, Quantity) else float(plain) for own, plain in zip(given, x, strict=True))


def entries(name: str, value: Any, size: int, what: str) -> np.ndarray:
    """The numbers (size,) of as many `what`."""
    x = np.asarray(value, dtype=float)
    if x.ndim == 1 and len(x) != size:
        raise UsageError(f"{name}: {len(x)} numbers are given, the robot has {size} {what}")
    return np.broadcast_to(x, (size,)).copy()


def plain_limit(limit: Any) -> Any:
    """A limit as given, checked: None, "description", a number, or a tuple."""
    if limit is None or (isinstance(limit, str) and limit == "description"):
        return limit
    if isinstance(limit, str):
        raise UsageError(f"limit={limit!r}; give a number, one a drive, or 'description' for those the robot states")
    found = as_numbers("limit", limit, 0.0)
    if not np.min(found) > 0:
        raise UsageError(f"limit={limit!r}: give positive forces (N, N m)")
    return found


@dataclass(frozen=True, eq=False)
class Here:
    """One instant, as a law sees it. own: its robot; measured: the one that runs. inner: the law's own states.
    settings: numbers of the law, as `Law.settings` gives them; inputs: those of its robot. now: the motion. around: what laws and
    limits around it make of its forces."""

    own: OwnRobot
    measured: Measured
    inner: Vector
    settings: Vector
    inputs: Vector
    now: Instant
    around: Around = field(default_factory=Around)

    @property
    def model(self) -> "Model":
        """That of the law's robot."""
        return self.own.model

    @cached_property
    def _state(self) -> tuple[Numbers, Vector, Vector]:
        return self.own.state(self.measured, self.inputs)

    @property
    def numbers(self) -> Numbers:
        """Of the law's robot, inertias regrouped."""
        return self._state[0]

    @property
    def q(self) -> Vector:
        """Of the law's robot (nq,)."""
        return self._state[1]

    @property
    def v(self) -> Vector:
        """Of the law's robot (nv,)."""
        return self._state[2]

    @cached_property
    def loops(self) -> Loops:
        """Loops of the law's robot."""
        return self.measured.loops if self.own.numbers is None else Loops(Posture(self.numbers, self.q))


@dataclass(frozen=True)
class Tick:
    """What a clock does at an instant: states that do not flow (n,) from then on, the exact time (s), that of the next event."""

    memory: Vector
    time: Any
    next_event: Any
    flows: Vector | None = None
    """The own states that flow, from then on; None where they stay as they are."""


@dataclass(frozen=True, kw_only=True)
class Law(KnownArguments):
    """Base of all laws. name: for results and messages. prescribed: the drives follow the motion whatever force it takes.
    kinds: of the motions it takes; () for none.

    limit: largest |force| of the drives (N, N·m): a number, one a drive, "description" for the limits the robot's description
    states, None for no limit. nominal: numbers of the robot that the law computes with, {parameter: SI number} of what is not
    as the description has it, or all of them (n,); None: the description's, whatever `simulate` changes of the robot that runs;
    "actual": those of the robot that runs.
    """

    limit: float | Sequence[float] | np.ndarray | str | None = None
    nominal: Mapping[str, float] | Sequence[float] | np.ndarray | str | None = None
    name: ClassVar[str] = "none"
    prescribed: ClassVar[bool] = False
    kinds: ClassVar[tuple[str, ...]] = ()
    computes: ClassVar[bool] = True
    """Whether it computes with a robot of its own."""
    held: ClassVar[bool] = False
    """Whether forces are computed outside of the time loop and held from one moment to another; they stand in its rows."""
    sees_drives: ClassVar[bool] = False
    """Whether drives are all that it is told of the robot that runs: then its own robot needs to share no more than these."""
    observes: ClassVar[bool] = False
    """Whether it estimates the robot's state by itself."""
    vibrates: ClassVar[bool] = False
    """Whether its own states vibrate, so that sums over the samples of a clock do not tell them."""
    in_files: ClassVar[bool] = True
    """Whether a scenario can name it: not where it takes what only Python has."""
    fixed_reference: ClassVar[bool] = True
    """Whether `reference` is the same for all laws of this class, whatever their arguments."""
    dimensions: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """What its arguments measure where they are written with units in files; `limit` is a force in every law."""

    @property
    def structure(self) -> Hashable:
        """What of its arguments shapes the equations of `act`, beside whether there are limits: an option, not a gain. Runs whose
        laws have it in common share their compiled loop. It counts for the very class that defines it; laws without one of
        their own are traced at every run, and share the loop where the same comes out."""
        return None

    @property
    def known_form(self) -> Hashable | None:
        """All that shapes its equations; None where its class does not say it by a `structure` of its own."""
        return (type(self), self.limit is None, self.structure) if "structure" in vars(type(self)) else None

    @property
    def any_velocities(self) -> bool:
        """Whether its forces are the same whichever of the robot's velocities are independent."""
        return False

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", plain_limit(self.limit))
        object.__setattr__(self, "nominal", plain_nominal(self.nominal))
        if self.nominal is not None and not self.computes:
            raise UsageError(f"nominal=: {self.name} computes with no model of the robot")

    @property
    def drives_as(self) -> Any:
        """What the drives are to small motions, as `natural_frequencies` takes it."""
        return "locked" if self.prescribed else "free"

    def error_gains(self, model: "Model") -> tuple[Vector, Vector]:
        """(K_p, K_d) (n,) of errors e that it makes vanish each by itself, ë + K_d ė + K_p e = 0 (1/s², 1/s); none by default."""
        return np.zeros(0), np.zeros(0)

    def own_poles(self, model: "Model") -> Vector:
        """Eigenvalues (n,), 1/s, of its own states by themselves, where they flow: explicit steps must be short beside them."""
        return np.zeros(0)

    def holds_floating(self, model: "Model", kind: str) -> bool:
        """Whether it gives the rigid part of v of a model that bends the accelerations it wants, so that what the bodies do is
        left to the zero dynamics. kind: of the motion."""
        return False

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """The law with all numbers that follow from the robot, gains by bandwidths, say: itself where none do. model: of the
        robot that runs; the law's own is what it `knows`. period (s): of the clock that samples it, None without one."""
        return self

    def knows(self) -> "tuple[Any, Model | None]":
        """(nominal, model) that say what robot it computes with; see `own_robot`."""
        return self.nominal, None

    def forces(self, here: Here) -> Vector:
        """tau (drives,), without limits; a law that says `act` itself needs none."""
        raise NotImplementedError(f"{self.name} says no forces")

    def act(self, here: Here) -> Action:
        """Forces within limits and rates of own states."""
        return Action(self.limited(here, self.forces(here)))

    def limited(self, here: Here, tau: Vector) -> Vector:
        """Forces within the limits, which stand last among the settings."""
        tau = demand_shape(self, "forces", tau, here.model.layout.drive_names, "drive")
        return tau if self.limit is None else clipped_forces(tau, here.settings[-len(tau) :])

    def inner(self, model: "Model", q: Vector, v: Vector) -> Inner:
        """Own states at the first state of the robot."""
        return Inner()

    def first_of_runs(self, model: "Model", first: Vector, runs: Sequence[int], begin: float = 0.0) -> Vector:
        """Own states (runs, n) at the first time (s) of some of many runs, from those (n,) of the first run at 0."""
        return np.tile(first, (len(runs), 1))

    def tick(self, here: Here) -> Tick:
        """What happens at the begin of a step, of laws with states that do not flow."""
        raise NotImplementedError(f"{self.name} has no clock")

    def grid(self, model: "Model") -> float | None:
        """Time (s) of which all times of its clock are multiples; None where there is none, or no clock."""
        return None

    def next_event(self, model: "Model", t: float) -> float:
        """When (s) its clock changes something after t; never without one."""
        return np.inf

    def signals(self, model: "Model", names: Sequence[str], units: Sequence[str]) -> Signals:
        """What a run tells of its own states, which have these names and units."""
        own = list(range(len(names))), tuple(units), tuple(f"controller.{x}" for x in names)
        return {"controller.states": own} if names else {}

    def tell_run(self, model: "Model", t: Vector, q: Vector) -> Iterator[tuple[float, str]]:
        """(time (s), what happened) to the law in a run that stood at q (n, nq) at times t (n,), in words."""
        yield from ()

    def reports(self, model: "Model") -> Reports:
        """What a run in continuous time tells beside its own states, {channel: (units, columns)}."""
        return {}

    def report(self, here: Here) -> dict[str, Vector]:
        """The numbers of `reports` at an instant, by channel; `here.now` has no motion."""
        return {}

    def own_settings(self, model: "Model") -> Vector:
        """Numbers that `forces` reads from `here.settings` (n,), checked against the robot."""
        return np.zeros(0)

    def settings(self, model: "Model", own: "Model | None" = None) -> Vector:
        """All numbers of the law for this robot (n,): its own, by the model it computes with, then the limits."""
        limits = np.zeros(0) if self.limit is None else self.limits(model)
        return np.concatenate([self.own_settings(own or model), limits])

    def limits(self, model: "Model") -> Vector:
        """Largest forces (drives,); infinite where the description states none."""
        if self.limit == "description":
            return stated_limits(model)
        return entries("limit", self.limit, len(model.mechanism.drives), "drives")

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """Units of the law's numbers, {argument: unit for each drive}, where they depend on the robot."""
        return {"limit": model.layout.drive_units}

    def unit_problems(self, model: "Model") -> Iterator[tuple[str, int | None, str]]:
        """(argument, entry of a list, what is wrong) of numbers that were written in units which the drives have not."""
        names = model.layout.drive_names
        for key, units in self.measured_in(model).items():
            given = getattr(self, key)
            if isinstance(given, Quantity) and len(set(units)) > 1:
                own = ", ".join(f"{unit} of {name}" for name, unit in zip(names, units, strict=True))
                yield (
                    key,
                    None,
                    f"{given.written} for drives of several kinds ({own}); give one number each, or without a unit",
                )
                continue
            listed = isinstance(given, tuple)
            for k, (value, name, unit) in enumerate(
                zip(given if listed else [given] * len(names), names, units, strict=False)
            ):
                problem = misfit(value, unit, f"that of {name}")
                if problem:
                    yield key, k if listed else None, problem
                    if not listed:
                        break

    def _demand_units(self, model: "Model") -> None:
        """UsageError for the first of `unit_problems`."""
        for key, k, problem in self.unit_problems(model):
            raise UsageError(f"{self.name}: {key if k is None else f'{key}[{k}]'}: {problem}")

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """The motion in the terms of the law: by default as it is, drives in the robot's order. parameters (n,): of the model."""
        return in_drive_order(model, motion)

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """UsageError where this robot or motion cannot be controlled so."""
        self._demand_units(model)
        kind = "" if motion is None else motion.kind
        if self.kinds and kind not in self.kinds:
            wanted = " or ".join(repr(x) if x else "none" for x in self.kinds)
            remedy = (
                "; gough.laws.drives_of(model, motion) makes one of the drives, and joint_pd follows motions of joints"
                if kind and "drives" in self.kinds
                else ""
            )
            raise UsageError(f"{self.name} needs a motion of kind {wanted}, not {kind or 'none'!r}{remedy}")
        if not self.kinds and kind:
            raise UsageError(
                f"{self.name} follows no motion; leave motion= out, and give duration= and the first state q= instead"
            )

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        told = {key: getattr(self, key) for key in ("limit", "nominal") if getattr(self, key) is not None}
        return {"law": self.name} | told
