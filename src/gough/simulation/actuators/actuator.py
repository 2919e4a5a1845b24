"""What all actuators share: a command of every sample comes in, and goes out changed; or something flows in time behind it.

On samples, `pass_sample` changes commands before they are on their way (limits of a drive's firmware). In time, `flow` are
states that are integrated with the robot's, and `act` makes forces of the command that is held and of these states (currents,
rotors)."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.arguments import KnownArguments, floats
from gough.errors import UsageError
from gough.robot.units import Quantity
from gough.simulation.sampling.cells import has_truths, in_si, misfits

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
Memory = dict[str, Vector]


@dataclass(frozen=True)
class Flow:
    """States in time: names, units, first values (n,), sizes (n,) that errors are relative to."""

    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    first: Vector = field(default_factory=lambda: np.zeros(0))
    sizes: Vector = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, kw_only=True)
class Actuator(KnownArguments):
    """Base of all actuators; every number is one for all drives or one each."""

    name: ClassVar[str] = "actuator"
    plain: ClassVar[bool] = False
    """Whether no number of its own shapes its equations; of the very class that says so."""
    may_vanish: ClassVar[tuple[str, ...]] = ()
    """Numbers that may be 0."""
    dimensions: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    drives_joint: ClassVar[bool] = False
    """Whether its force acts between its own rotor and the joint: nothing stands behind it."""

    def __post_init__(self) -> None:
        for key in self._keys():
            value = in_si(f"{self.name}: {key}", getattr(self, key), self.dimensions.get(key, ()))
            x = floats(key, value)
            bad = (x < 0) if key in self.may_vanish else (x <= 0)
            if x.ndim > 1 or not x.size or not np.isfinite(x).all() or bad.any() or has_truths(value):
                what = "a number that is not negative" if key in self.may_vanish else "a positive number"
                raise UsageError(f"{self.name}: {key}={value!r}: give {what}, or one for each drive")
            kept = value if isinstance(value, Quantity) else float(x) if x.ndim == 0 else tuple(value)
            object.__setattr__(self, key, kept)

    def _keys(self) -> Iterator[str]:
        return (f.name for f in fields(self))

    @property
    def known_form(self) -> Hashable | None:
        """All that shapes its equations; None where its class does not say that nothing else does, by `plain = True`."""
        return type(self) if vars(type(self)).get("plain") else None

    def check(self, model: "Model") -> None:
        """UsageError where its numbers do not fit to this robot."""
        names = model.layout.drive_names
        for key in self._keys():
            given = getattr(self, key)
            if isinstance(given, tuple) and len(given) != len(names):
                raise UsageError(
                    f"{self.name}: {key} has {len(given)} numbers, the robot has {len(names)} drives: {', '.join(names)}"
                )
        for problem in self.unit_problems(model):
            raise UsageError(f"{self.name}: {problem}")

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """Units of its numbers, {argument: unit for each drive}, where they depend on the robot."""
        return {}

    def unit_problems(self, model: "Model") -> Iterator[str]:
        """What is wrong with numbers that were written in units which the drives have not."""
        for key, units in self.measured_in(model).items():
            yield from misfits({key: getattr(self, key)}, list(zip(model.layout.drive_names, units, strict=True)))

    def numbers(self, model: "Model") -> Memory:
        """What compiled loops are given."""
        n = len(model.layout.drive_names)
        return {k: np.broadcast_to(np.asarray(getattr(self, k), dtype=float), (n,)).copy() for k in self._keys()}

    @property
    def samples(self) -> bool:
        """Whether it changes samples of commands."""
        return type(self).pass_sample is not Actuator.pass_sample

    def pass_sample(self, command: Vector, before: Vector, begins: Any, numbers: Memory, period: Any) -> Vector:
        """The command (drives,) of a sample that goes on. before: that of the sample before; begins: above 0 at the first one."""
        return command

    def flow(self, model: "Model", drives: Vector, rates: Vector) -> Flow:
        """Its states where the drives are at (drives,) with these rates."""
        return Flow()

    def own_poles(self, model: "Model") -> Vector:
        """Eigenvalues (n,), 1/s, of its states, behind a command that is held: explicit steps must be short beside them."""
        return np.zeros(0)

    def rest(self, command: Vector, measured: Any, numbers: Memory) -> Vector:
        """Its states where a command was held for long, the drives as they are now."""
        return command[:0]

    def act(self, command: Vector, states: Vector, measured: Any, numbers: Memory) -> tuple[Vector, Vector]:
        """(forces (drives,), rates of its states) behind a command. measured: the robot that runs."""
        return command, states

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        return {"actuator": self.name} | {key: getattr(self, key) for key in self._keys()}


def demand_order(actuators: Sequence[Actuator]) -> None:
    """UsageError for actuators that cannot stand in this order."""
    for k, (before, after) in enumerate(pairwise(actuators)):
        if before.drives_joint:
            raise UsageError(
                f"actuators[{k + 1}]: {after.name} behind {before.name}: its force acts between rotor and joint, nothing can "
                f"come between; put the {before.name} last"
            )
        if after.samples and type(before).act is not Actuator.act:
            raise UsageError(
                f"actuators[{k + 1}]: {after.name} behind {before.name}: it changes samples of commands, which are on their "
                f"way before forces flow; put the {after.name} first"
            )


def per_drive(values: Sequence[Any]) -> Vector:
    """An array of traced scalars."""
    return np.array(list(values), dtype=object)
