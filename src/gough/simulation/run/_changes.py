"""What may change while a robot is stepped: gains of its controller and constant wrenches on it, inputs of the compiled loop.

They stand in the tail of every row: settings of the law, then numbers of loads. What shapes the code stays as it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.law import Law
from gough.simulation.control.sampled import Sampled
from gough.simulation.events import Event, Happening
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.wrenches import Wrenches
from gough.simulation.loads.constant import Constant
from gough.simulation.motion.table import table
from gough.simulation.run.clocks import law_in_loop
from gough.simulation.run.setup import Setup

Array = np.ndarray


@dataclass
class LoopInputs:
    """The law that acts, its settings (n,) and the wrenches; since when (s) which wrenches act, what else changed, the law at
    first."""

    law: Law
    settings: Array
    wrenches: Wrenches
    since: list[tuple[float, Wrenches]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.begin(0.0)

    @classmethod
    def of(cls, plant: Plant) -> "LoopInputs":
        """Those a plant begins with."""
        tail = np.array(plant.rows.tail)
        return cls(plant.law, tail[: len(tail) - plant.wrenches.size], plant.wrenches)

    def begin(self, t: float) -> None:
        """What was before a time (s) is not told any more."""
        self.first_law, self.since, self.events = self.law, [(t, self.wrenches)], []

    def put_on(self, row: Array) -> Array:
        """A row (k,), which it changes, with these settings and loads."""
        end = len(row) - self.wrenches.size
        row[end - len(self.settings) : end] = self.settings
        return self.wrenches.fill(row)

    def change(self, t: float, law: Law | None, settings: Array, wrenches: Wrenches) -> None:
        """From a time (s) on."""
        if law is not None:
            told = _difference(self.law.describe(), law.describe())
            if told:
                self.events.append(Event(t, Happening.CHANGED, f"{law.name}: {told}"))
            self.law = law
        self.settings = settings
        if wrenches != self.wrenches:
            self.wrenches = wrenches
            if self.since[-1][0] == t:
                self.since.pop()
            self.since.append((t, wrenches))

    def wrench_at(self, time: Array) -> dict[str, Array] | None:
        """{frame: (n, 6)} that acted at stored times (n,), s, which rise; of a time stored twice what acted before and after."""
        if not self.wrenches.frames:
            return None
        begins = np.array([t for t, _ in self.since])
        before = np.searchsorted(begins, time, side="left") - 1
        again = np.concatenate([[False], time[1:] == time[:-1]])
        which = np.where(again | (before < 0), np.searchsorted(begins, time, side="right") - 1, before)
        out = {frame: np.zeros((len(time), 6)) for frame in self.wrenches.frames}
        for k, (_, wrenches) in enumerate(self.since):
            rows = np.flatnonzero(np.maximum(which, 0) == k)
            for frame, values in (wrenches.by_frame(time[rows]) or {}).items():
                out[frame][rows] = values
        return out


def changed_inputs(
    setup: Setup, now: LoopInputs, controller: Law | None, wrench: Any
) -> tuple[Law | None, Array, Wrenches]:
    """(the law in the loop, None: as before; its settings (n,); the wrenches) with another controller of the same kind, or other
    constant wrenches."""
    law, settings, wrenches = None, now.settings, now.wrenches
    if controller is not None:
        law, settings = _changed_law(setup, now, controller)
    if wrench is not None:
        asked, loads = Wrenches.of(setup.asked, wrench), list(now.wrenches.loads)
        for frame, load in zip(asked.frames, asked.loads, strict=True):
            constant = [k for k, f in enumerate(now.wrenches.frames) if f == frame and isinstance(loads[k], Constant)]
            if not constant:
                over_time = frame in now.wrenches.frames
                known = ", ".join(repr(f or "the platform") for f in dict.fromkeys(now.wrenches.frames)) or "none"
                what = "loads over time alone, which stay" if over_time else f"none (it has: {known})"
                raise UsageError(
                    f"wrench: on {frame or 'the platform'!r} this stepper has {what}; make it with a constant one there, of "
                    "zeros if it begins without"
                )
            loads[constant[0]] = load
        wrenches = replace(now.wrenches, loads=tuple(loads))
    return law, settings, wrenches


def _changed_law(setup: Setup, now: LoopInputs, controller: Law) -> tuple[Law, Array]:
    if now.law.held and not isinstance(now.law, Sampled):
        raise UsageError(
            "controller=: this stepper has none, its forces are given step by step; make one with controller="
        )
    if isinstance(now.law, Sampled):
        raise UsageError(
            "controller=: its forces are computed between the steps, by what it was made with; laws of gough with methods rk4, "
            "dp5 and bs3 can change"
        )
    plant, settings = setup.plant, setup.settings
    law = law_in_loop(controller, settings.method, setup.asked, settings.motion)
    law.check(plant.laws_robot.model, settings.motion)
    if not (type(law) is type(now.law) and _same(law.knows(), now.law.knows())):
        raise UsageError(
            f"controller={controller.name!r}: the stepper was made with {now.law.name!r}, whose robot stays; make "
            "another one, and begin it where this one is with reset(q, v, t)"
        )
    if not _same(law.limit, now.law.limit):
        raise UsageError(
            f"limit={law.limit!r}: the limits stay those that the stepper was made with, {now.law.limit!r}"
        )
    _demand_same_clock(setup, now.law, law)
    _demand_same_reference(setup, law)
    made = replace(plant, law=law)
    if made.equations_form != plant.equations_form:
        raise UsageError(
            f"{law.name}: this shapes its equations, it is no gain ({_difference(now.law.describe(), law.describe())}); make "
            "another stepper, and begin it where this one is with reset(q, v, t)"
        )
    return law, np.array(made.rows.tail)[: len(now.settings)]


def _demand_same_clock(setup: Setup, before: Law, after: Law) -> None:
    """UsageError where a law on a clock has other times or other random numbers, which are counted since the start."""
    if not (isinstance(before, Clocked) and isinstance(after, Clocked)):
        return
    own = setup.plant.laws_robot.model
    for old, new in zip(before.lines(own), after.lines(own), strict=False):
        if old.period != new.period:
            raise UsageError(
                f"{new.name}: the period stays that which the stepper was made with, {old.period:g} s, not {new.period:g} s: "
                "samples are counted since the start; make another one, and begin it where this one is with reset(q, v, t)"
            )
    chance = any(np.any(np.asarray(x.noise, dtype=float)) or x.lost for x in before.sensors)
    if chance and before.of.seed != after.of.seed:
        raise UsageError(
            f"seed={after.of.seed}: random numbers go on as the stepper was made, with seed={before.of.seed}; make another one"
        )


def _demand_same_reference(setup: Setup, law: Law) -> None:
    """UsageError where a law brings forces or motions of its own that are not those in the loop."""
    inside: Any = law
    while isinstance(inside, Law) and inside.fixed_reference:
        inside = getattr(inside, "law", None)
    if not isinstance(inside, Law) or setup.settings.motion is None or setup.table is None:
        return
    believed = setup.own.reference_numbers(setup.numbers)
    made, now = table(law.reference(setup.own.model, setup.settings.motion, believed)), setup.table
    same = np.array_equal(made.breaks, now.breaks) and np.array_equal(made.coefficients, now.coefficients)
    if not same:
        raise UsageError(
            f"{inside.name}: its forces over time stay those that the stepper was made with; make another one, and begin it "
            "where this one is with reset(q, v, t)"
        )


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What differs in what two laws tell of themselves."""
    found = []
    for key in after:
        a, b = before.get(key), after[key]
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            found.append(_difference(a, b))
        elif not _same(a, b):
            found.append(f"{key} {_short(a)} → {_short(b)}")
    return ", ".join(x for x in found if x)


def _short(x: Any) -> str:
    if isinstance(x, tuple | list | np.ndarray):
        return f"({' '.join(_short(k) for k in x)})"
    return f"{x:.6g}" if isinstance(x, float) else str(x)
