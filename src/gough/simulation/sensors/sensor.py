"""What all sensors share: noise, bias, resolution, samples that are lost, a clock of their own, a delay.

A sample of a quantity x is  round((x + bias + noise w) / resolution) resolution, w normal of variance 1, or what the sample
before it was where it is lost. It is held until the next one; `Line` says when it is seen.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.arguments import KnownArguments, floats, number, take
from gough.errors import UsageError
from gough.robot.units import Quantity
from gough.scalar import round_, select
from gough.simulation.sampling.cells import has_truths, in_si, misfits, under, within
from gough.simulation.sampling.line import Line
from gough.simulation.sampling.noise import normal_numbers, uniform_pair

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
Memory = dict[str, Vector]


@dataclass(frozen=True, kw_only=True)
class Sensor(KnownArguments, ABC):
    """noise: standard deviation, bias: added, resolution: of one digit, 0 for none; in the unit of what is measured (SI, or a
    text with it, "1 um"), one for all channels or one each. delay (s): from a sample to its being seen. period (s): between
    samples, None: the controller's. lost: chance that a sample is not there, 0 … 1: then the one before it stays."""

    noise: float | Sequence[float] = 0.0
    bias: float | Sequence[float] = 0.0
    resolution: float | Sequence[float] = 0.0
    delay: float = 0.0
    period: float | None = None
    lost: float = 0.0
    name: ClassVar[str] = "sensor"
    dimensions: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    carried: ClassVar[tuple[str, ...]] = ()
    """What it remembers that follows from the robot's state at the sample before, and that `truth` looks at."""

    def __post_init__(self) -> None:
        for key, names in self.dimensions.items():
            object.__setattr__(self, key, in_si(f"{self.name}: {key}", getattr(self, key), names))
        for key, least in (("noise", 0.0), ("bias", -np.inf), ("resolution", 0.0)):
            object.__setattr__(self, key, self._numbers(key, getattr(self, key), least))
        object.__setattr__(self, "delay", take("delay (s)", number(0), self.delay))
        object.__setattr__(self, "lost", take("lost", number(0, most=1), self.lost))
        if self.period is not None:
            object.__setattr__(self, "period", take("period (s)", number(above=0), self.period))

    def _numbers(self, key: str, value: Any, least: float) -> Any:
        x = floats(key, value)
        if x.ndim > 1 or not x.size or not np.isfinite(x).all() or (x < least).any() or has_truths(value):
            bound = "" if least == -np.inf else f", none below {least:g}"
            raise UsageError(f"{self.name}: {key}={value!r}: give a finite number, or one for each channel{bound}")
        return value if isinstance(value, Quantity) else float(x) if x.ndim == 0 else tuple(value)

    @abstractmethod
    def channels(self, model: "Model") -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(names, units) of what it measures on a robot."""

    @abstractmethod
    def truth(self, measured: Any, memory: Memory, numbers: Memory) -> Vector:
        """What an ideal one would measure (n,). measured: the robot that runs, as `control.own_robot.Measured` has it; memory,
        numbers: see there."""

    def check(self, model: "Model") -> None:
        """UsageError where it cannot be on this robot, or its numbers do not fit."""
        names = self.channels(model)[0]
        for key in ("noise", "bias", "resolution"):
            given = getattr(self, key)
            if isinstance(given, tuple) and len(given) != len(names):
                raise UsageError(
                    f"{self.name}: {key} has {len(given)} numbers, there are {len(names)} channels: {', '.join(names)}"
                )
        for problem in self.unit_problems(model):
            raise UsageError(f"{self.name}: {problem}")

    def unit_problems(self, model: "Model") -> Iterator[str]:
        """What is wrong with numbers that were written in units which the channels have not."""
        channels = list(zip(*self.channels(model), strict=True))
        yield from misfits({key: getattr(self, key) for key in ("noise", "bias", "resolution")}, channels)

    def entries(self, key: str, model: "Model") -> Vector:
        """noise, bias or resolution of all channels (n,)."""
        return np.broadcast_to(np.asarray(getattr(self, key), dtype=float), (len(self.channels(model)[0]),)).copy()

    @property
    def known_form(self) -> Hashable | None:
        """All that shapes its equations, beside its clock; None where its class does not say so by a `structure` of its own."""
        if "structure" not in vars(type(self)):
            return None
        digits = tuple(x > 0 for x in np.atleast_1d(np.asarray(self.resolution, dtype=float)).tolist())
        noisy, biased = (bool(np.any(np.asarray(x, dtype=float))) for x in (self.noise, self.bias))
        return type(self), self.structure, noisy, biased, digits, self.lost > 0

    @property
    def structure(self) -> Hashable:
        """What of its own options shapes the equations."""
        return None

    def clock(self, period: float, width: int = 1) -> Line:
        """When it samples, and when that is seen; period (s): the controller's. width: numbers of a sample."""
        return Line(width, period if self.period is None else self.period, self.delay, self.name)

    def line(self, model: "Model", period: float) -> Line:
        """Its clock on a robot."""
        return self.clock(period, len(self.readings(model)[0]))

    def readings(self, model: "Model") -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(names, units) of what is shown of a sample: what is measured, and what follows from it."""
        return self.channels(model)

    def numbers(self, model: "Model", period: float) -> Memory:
        """What compiled loops are given."""
        own = {key: self.entries(key, model) for key in ("noise", "bias", "resolution")}
        return under("line", self.line(model, period).numbers) | own | {"lost": np.array([self.lost])}

    def memory(self, model: "Model", period: float, key: Vector, begin: float = 0.0) -> Memory:
        """At the first time (s). key (2,): of its random numbers."""
        own = {"key": key, "last": np.zeros(len(self.channels(model)[0]))}
        return under("line", self.line(model, period).memory(begin)) | own

    def sample(
        self, model: "Model", period: float, memory: Memory, numbers: Memory, measured: Any, t: Any
    ) -> tuple[Memory, Vector, Any]:
        """(memory after t (s), what is shown from then on (n,), when something changes next)."""
        line, at = self.line(model, period), within("line", memory)
        given, count = within("line", numbers), at["count"][0]
        due, last = line.is_due(at, given, t), memory["last"]
        x = self._taken(self.truth(measured, memory, numbers), memory["key"], numbers, model, count)
        if self.lost:
            chance = uniform_pair(memory["key"], count, len(x))[0]
            there = select(at["fresh"][0], 1.0, chance - numbers["lost"][0])
            x = np.array([select(there, a, b) for a, b in zip(x, last, strict=True)], dtype=object)
        values = self.follow(x, memory, numbers, given["period"][0], measured)
        after, shown = line.push(at, given, t, values)
        kept = np.array([select(due, a, b) for a, b in zip(x, last, strict=True)], dtype=object)
        more = self.remember(values, memory, due, measured)
        return (
            under("line", after) | {"key": memory["key"], "last": kept} | more,
            shown,
            line.next_event(after, given, t),
        )

    def _taken(self, x: Vector, key: Vector, numbers: Memory, model: "Model", count: Any) -> Vector:
        if self.entries("bias", model).any():
            x = x + numbers["bias"]
        if self.entries("noise", model).any():
            x = x + numbers["noise"] * normal_numbers(key, count, len(x))
        digits = self.entries("resolution", model)
        steps = [
            round_(a / d) * d if given else a for a, d, given in zip(x, numbers["resolution"], digits, strict=True)
        ]
        return np.array(steps, dtype=object)

    def follow(self, x: Vector, memory: Memory, numbers: Memory, period: Any, measured: Any) -> Vector:
        """All that is shown of a sample x (n,), before its delay."""
        return x

    def remember(self, values: Vector, memory: Memory, due: Any, measured: Any) -> Memory:
        """Memory of its own after a sample, which shows these values."""
        return {}

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        told = {f.name: getattr(self, f.name) for f in fields(self)}
        return {"sensor": self.name} | {key: x for key, x in told.items() if x not in (0.0, None)}
