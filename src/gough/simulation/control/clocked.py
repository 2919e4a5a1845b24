"""A law on a clock inside the compiled time loop, between its sensors and its actuators.

Own states: first those of the actuators and of the observer, which flow; then the memory, which changes at the begin of a step
where something is due.
    instant   sensors take their samples, late ones are shown; then the law takes its own: commands, within limits, pass the
              actuators and are on their way; then those that arrive are held
    between   forces are what is held, or what the actuators make of it in time
The observer's estimate flows with the forces that are held; readings correct it at the law's samples.
The law's own states x are those of the sampled law: x_{k+1} = x_k + T ẋ(x_k, …).
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.scalar import select
from gough.simulation.actuators.actuator import Actuator, Flow
from gough.simulation.control.acting import Action, Inner, demand_shape, record_action
from gough.simulation.control.law import Here, Law, Signals, Tick
from gough.simulation.control.limits import Around, clipped_forces
from gough.simulation.control.linear.design import model_and_numbers
from gough.simulation.control.observers.estimated import PLACES, RATES, Estimated, RunningObserver
from gough.simulation.control.own_robot import Measured, OwnRobot
from gough.simulation.control.sampled import Sampled
from gough.simulation.control.sensed import Sensed, channel_names, place_unbent
from gough.simulation.sampling.cells import Cells, under, within
from gough.simulation.sampling.line import Line, common_grid
from gough.simulation.sampling.noise import key_of
from gough.simulation.sensors.sensor import Sensor

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
Memory = dict[str, Vector]
SIZE = 1e300
"""Of what has no error: it does not flow."""


@dataclass(frozen=True)
class Clocked(Law):
    """of: what the user gave, whose law is one of gough's."""

    of: Sampled
    name = "sampled"

    @property
    def sensors(self) -> tuple[Sensor, ...]:
        """What the law sees."""
        return self.of.sensors  # type: ignore[return-value]

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """What its commands pass."""
        return self.of.actuators  # type: ignore[return-value]

    @property
    def law(self) -> Law:
        """That is sampled."""
        return self.of.law

    @property
    def sees_drives(self) -> bool:  # type: ignore[override]
        """See `Law`."""
        return bool(self.sensors)

    @property
    def computes(self) -> bool:  # type: ignore[override]
        """See `Law`."""
        return self.of.computes

    @property
    def any_velocities(self) -> bool:
        """See `Law`: an estimate is told in one choice of velocities."""
        return self.law.any_velocities and self.of.observer is None

    def watch(self, model: "Model") -> RunningObserver | None:
        """Its observer at work. model: the law's."""
        observer = self.of.observer
        return None if observer is None else RunningObserver(observer, model, self.sensors, self.of.period)

    def holds(self, model: "Model") -> bool:
        """Whether forces are held between samples."""
        none = np.zeros(len(model.mechanism.drives))
        return not any(flow.names for flow in self._flows(model, none, none))

    @property
    def known_form(self) -> Hashable | None:
        """See `Law`: that of its law, and those of what is around it."""
        parts = (*self.sensors, *self.actuators)
        own, around = self.law.known_form, [part.known_form for part in parts]
        if own is None or None in around:
            return None
        lines = [sensor.clock(self.of.period) for sensor in self.sensors]
        clocks = [(x.whole, bool(x.phase)) for x in (Line(1, self.of.period, self.of.delay), *lines)]
        observer = None if self.of.observer is None else self.of.observer.structure
        return Clocked, self.limit is None, own, tuple(around), len(self.sensors), tuple(clocks), observer

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.of.knows()

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`; model: the law's."""
        self.of.check(model, motion, in_loop=True)

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return self.law.reference(model, motion, parameters)

    def lines(self, model: "Model") -> list[Line]:
        """The clock of the law, and those of its sensors."""
        return [self.line(model), *(sensor.line(model, self.of.period) for sensor in self.sensors)]

    def grid(self, model: "Model") -> float | None:
        """Time (s) of which all its times are multiples; None where there is none."""
        return common_grid(self.lines(model))

    def next_event(self, model: "Model", t: float) -> float:
        """See `Law`."""
        return min(line.next_time(t) for line in self.lines(model))

    def line(self, model: "Model") -> Line:
        """The clock of its commands."""
        return Line(len(model.mechanism.drives), self.of.period, self.of.delay, self.name)

    def given_numbers(self, model: "Model", own: "Model") -> Memory:
        """What the compiled loop is given, by name."""
        out = {"law": self.law.settings(model, own)} | under("line", self.line(model).numbers)
        if self.limit is not None:
            out["limit"] = self.limits(model)
        for k, sensor in enumerate(self.sensors):
            out |= under(f"sensor{k}", sensor.numbers(model, self.of.period))
        for k, actuator in enumerate(self.actuators):
            out |= under(f"actuator{k}", actuator.numbers(model))
        watch = self.watch(own)
        return out if watch is None else out | under("observer", watch.numbers())

    def settings(self, model: "Model", own: "Model | None" = None) -> Vector:
        """See `Law`: parts that do not fit are named here, of the robot that runs."""
        for part in (*self.sensors, *self.actuators):
            part.check(model)
        found = self.given_numbers(model, own or model)
        return Cells.of(found).join(found)

    def first_memory(self, model: "Model", states: Vector, q: Vector | None = None, begin: float = 0.0) -> Memory:
        """At the first time, by name. states: those of the law that is sampled; model, q (nq,): of its robot; begin (s)."""
        n = len(model.mechanism.drives)
        seen = {"geometry": model.home if q is None else np.asarray(q)} if self.sensors else {}
        out = (
            seen
            | {"states": states, "command": np.zeros(n), "held": np.zeros(n)}
            | under("line", self.line(model).memory(begin))
        )
        for k, sensor in enumerate(self.sensors):
            shown = {"shown": np.zeros(len(sensor.readings(model)[0]))}
            out |= under(f"sensor{k}", sensor.memory(model, self.of.period, self._key(k, 0), begin) | shown)
        watch = self.watch(model)
        return out if watch is None else out | under("observer", watch.memory())

    def _flows(self, model: "Model", drives: Vector, rates: Vector) -> list[Flow]:
        return [actuator.flow(model, drives, rates) for actuator in self.actuators]

    def inner(self, model: "Model", q: Vector, v: Vector) -> Inner:
        """See `Law`."""
        sampled = self.law.inner(model, q, v)
        memory = self.first_memory(model, sampled.first, place_unbent(model, q) if self.sensors else q)
        rates = model.function("tree_rates").values(q=q, v=v, parameters=model.parameters)["u"]
        at = [model.mechanism.links[d.link].u for d in model.mechanism.drives]
        flows, watch = self._flows(model, q[model.drive_index], rates[at]), self.watch(model)
        flows += [] if watch is None else [watch.flow(q, v)]
        cells = Cells.of(memory)
        none = np.full(cells.size, SIZE)
        return Inner(
            (*(name for flow in flows for name in flow.names), *cells.names),
            (*(unit for flow in flows for unit in flow.units), *("1",) * cells.size),
            np.concatenate([*(flow.first for flow in flows), cells.join(memory)]),
            np.concatenate([*(flow.sizes for flow in flows), none]),
            cells.size,
        )

    def first_of_runs(self, model: "Model", first: Vector, runs: Sequence[int], begin: float = 0.0) -> Vector:
        """See `Law`: runs differ by the keys of what is drawn by chance."""
        start, cells, found = self.split(model, first)
        fresh = self.first_memory(model, found["states"], begin=begin)
        counts = {name: x for name, x in fresh.items() if name.endswith(".count")}
        flows, watch = first[:start].copy(), self.watch(model)
        if watch is not None:
            numbers = model_and_numbers(model, None, self.knows()[0])[1]
            flows[start - watch.size :] = watch.first(numbers, flows[start - watch.size :])
        out = np.tile(np.concatenate([flows, cells.join(found | counts)]), (len(runs), 1))
        for k in range(len(self.sensors)):
            at = start + cells.starts[f"sensor{k}.key"]
            out[:, at : at + 2] = [self._key(k, run) for run in runs]
        return out

    def _key(self, k: int, run: int) -> Vector:
        return key_of(self.of.seed, run, f"{self.sensors[k].name} {k}")

    def split(self, model: "Model", inner: Vector) -> tuple[int, Cells, Memory]:
        """(how many of the own states flow, cells of the others, these by name). model: the law's."""
        none, watch = np.zeros(len(model.mechanism.drives)), self.watch(model)
        flowing = sum(len(flow.names) for flow in self._flows(model, none, none))
        flowing += 0 if watch is None else watch.size
        sizes = Cells.of(self.first_memory(model, np.zeros(0))).sizes
        cells = Cells({**sizes, "states": len(inner) - flowing - sum(sizes.values())})
        return flowing, cells, cells.split(inner[flowing:])

    def _given(self, here: Here) -> Memory:
        found = self.given_numbers(here.measured.model, here.own.model)
        return Cells.of(found).split(here.settings)

    def act(self, here: Here) -> Action:
        """See `Law`: what is held, behind the actuators."""
        model = here.measured.model
        _, _, memory = self.split(here.own.model, here.inner)
        force, given, at, rates = memory["held"], self._given(here), 0, []
        none = np.zeros(len(force))
        for k, (actuator, flow) in enumerate(zip(self.actuators, self._flows(model, none, none), strict=True)):
            if flow.names:
                states = here.inner[at : at + len(flow.names)]
                force, rate = actuator.act(force, states, here.measured, within(f"actuator{k}", given))
                rates.append(rate)
                at += len(flow.names)
        watch = self.watch(here.own.model)
        if watch is not None:
            numbers = here.own.believed_numbers(here.measured, here.inputs)
            rates.append(watch.rates(numbers, here.inner[at : at + watch.size], memory["held"]))
        return Action(force, np.concatenate(rates) if rates else np.zeros(0))

    def tick(self, here: Here) -> Tick:
        """See `Law`."""
        model, t = here.measured.model, here.now.time
        flowing, cells, memory = self.split(here.own.model, here.inner)
        given, after = self._given(here), dict(memory)
        exact, events, shown = t, [], []
        for k, sensor in enumerate(self.sensors):
            own, numbers, name = within(f"sensor{k}", memory), within(f"sensor{k}", given), f"sensor{k}"
            sensed = sensor.line(model, self.of.period)
            exact = self._exact(sensed, within("line", own), within("line", numbers), t, exact)
            found, seen, event = sensor.sample(model, self.of.period, own, numbers, here.measured, t)
            after |= under(name, found | {"shown": seen})
            shown.append(seen)
            events.append(event)
        line, own, numbers = self.line(model), within("line", memory), within("line", given)
        exact = self._exact(line, own, numbers, t, exact)
        due, begins = line.is_due(own, numbers, t), own["fresh"][0]
        believed = self._believed(here, shown, memory, given, t)
        view = self._view(here, shown, memory, given["law"], believed and believed[0])
        action, command = self.sampled_action(model, view, memory["command"], begins, given)
        after["command"] = _where(due, command, memory["command"])
        rates = demand_shape(self.law, "rates", action.rates, self._names(here), "state of its own")
        if isinstance(view.measured, Sensed):
            after["geometry"] = _where(due, view.measured.estimate, memory["geometry"])
        moved = memory["states"] + rates * numbers["period"][0]
        after["states"] = _where(due, moved, memory["states"])
        found, after["held"] = line.push(own, numbers, t, command)
        after |= under("line", found)
        events.append(line.next_event(found, numbers, t))
        own_flows = flowing - (len(believed[1]) if believed else 0)
        flows = here.inner[:flowing]
        if own_flows:
            begun = self._begun(model, here, after["held"], given)
            flows = np.concatenate([_where(begins, begun, flows[:own_flows]), flows[own_flows:]])
        if believed:
            flows = np.concatenate([flows[:own_flows], _where(due, believed[1], flows[own_flows:])])
            after["observer.carried"] = _where(due, believed[2], memory["observer.carried"])
        return Tick(cells.join(after), exact, _least(events), flows if flowing else None)

    def _believed(
        self, here: Here, shown: list[Vector], memory: Memory, given: Memory, t: Any
    ) -> tuple[Estimated, Vector, Vector] | None:
        """(the robot as the observer has it after these readings, its states, what is remembered); None without an observer."""
        watch = self.watch(here.own.model)
        if watch is None:
            return None
        numbers = here.own.believed_numbers(here.measured, here.inputs)
        flowing = len(here.inner) - Cells.of(memory).size
        sensors = [within(f"sensor{k}", given) for k in range(len(shown))]
        fresh = [memory[f"sensor{k}.line.fresh"] for k in range(len(shown))]
        states = here.inner[flowing - watch.size : flowing]
        own = within("observer", given)
        return watch.estimate_after(numbers, states, own, sensors, fresh, memory["observer.carried"], shown, t)

    def _begun(self, model: "Model", here: Here, command: Vector, given: Memory) -> Vector:
        """States of the actuators as if the first command had been held for long."""
        n, found = len(command), []
        for k, (actuator, flow) in enumerate(
            zip(self.actuators, self._flows(model, np.zeros(n), np.zeros(n)), strict=True)
        ):
            if flow.names:
                found.append(actuator.rest(command, here.measured, within(f"actuator{k}", given)))
        return np.concatenate(found)

    @staticmethod
    def _exact(line: Line, memory: Memory, numbers: Memory, t: Any, before: Any) -> Any:
        """The time (s) as its clock has it, where that strikes: sums of steps are off by rounding."""
        strikes, exact = line.strikes(memory, numbers, t), memory["count"][0] * numbers["period"][0]
        return select(strikes, exact, before)

    def _view(
        self, here: Here, shown: list[Vector], memory: Memory, settings: Vector, believed: Estimated | None
    ) -> Here:
        """What the law that is sampled sees: the robot's state, or, through sensors, its own robot where they show it, or as
        its observer believes it to be."""
        if not self.sensors:
            return replace(here, inner=memory["states"], settings=settings)
        model = here.own.model
        numbers = here.own.believed_numbers(here.measured, here.inputs)
        seen: Measured = Sensed(model, numbers, self.sensors, shown, memory["geometry"])
        if believed is not None and self.of.observer is not None and not self.of.observer.passive:
            seen = believed
        own = OwnRobot(model, None, model)
        return Here(own, seen, memory["states"], settings, here.inputs[:0], here.now)

    def _names(self, here: Here) -> tuple[str, ...]:
        """Of the states of the law that is sampled."""
        own = here.own.model
        return self.law.inner(own, own.home, np.zeros(own.layout.nv)).names

    def sampled_action(
        self, model: "Model", view: Here, before: Vector, begins: Any, given: Memory
    ) -> tuple[Action, Vector]:
        """(what the law does at a sample, its commands (drives,)). before: those of the last sample."""
        commands = partial(self._commands, model, before=before, begins=begins, given=given)
        changed = self.limit is not None or any(x.samples for x in self.actuators)
        action = record_action(self.law, replace(view, around=Around(None, commands if changed else None)))
        return action, commands(action.tau)

    def _commands(self, model: "Model", tau: Vector, *, before: Vector, begins: Any, given: Memory) -> Vector:
        """Commands (drives,) of a sample, as they are sent on their way."""
        command = demand_shape(self.law, "forces", tau, model.layout.drive_names, "drive")
        if self.limit is not None:
            command = clipped_forces(command, given["limit"])
        for k, actuator in enumerate(self.actuators):
            numbers = within(f"actuator{k}", given)
            command = actuator.pass_sample(command, before, begins, numbers, given["line.period"][0])
        return command

    def signals(self, model: "Model", names: Any, units: Any) -> Signals:
        """See `Law`: what the sensors show, the commands that are held, states of actuators and of the law that is sampled."""
        layout = model.layout
        out: Signals = {
            "command": (_places(names, "held"), layout.drive_units, _columns("command", layout.drive_names))
        }
        for k, (sensor, name) in enumerate(zip(self.sensors, channel_names(self.sensors), strict=True)):
            entries, its = sensor.readings(model)
            out[name] = _places(names, f"sensor{k}.shown"), its, _columns(name, entries)
        own = self.knows()[1] or model
        inner = self.law.inner(own, own.home, np.zeros(own.layout.nv))
        places = _places(names, "states")
        for name, (which, its, columns) in self.law.signals(own, inner.names, inner.units).items():
            out[name] = [places[k] for k in which], its, columns
        watched = (f"{PLACES}.", f"{RATES}.")
        for key in watched if self.of.observer is not None else ():
            at = [k for k, name in enumerate(names) if name.startswith(key)]
            told = tuple(f"controller.{names[k]}" for k in at)
            out[f"controller.{key[:-1]}"] = at, tuple(units[k] for k in at), told
        flowing = [
            k for k, unit in enumerate(units) if unit and "[" not in names[k] and not names[k].startswith(watched)
        ]
        if flowing:
            out["actuators"] = flowing, tuple(units[k] for k in flowing), tuple(names[k] for k in flowing)
        return out

    def tell_run(self, model: "Model", t: Vector, q: Vector) -> Iterator[tuple[float, str]]:
        """See `Law`."""
        yield from self.law.tell_run(model, t, q)

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        return self.of.describe() | {"asked": "in the time loop"}


def _places(names: Any, cell: str) -> list[int]:
    return [k for k, name in enumerate(names) if name.startswith(f"{cell}[")]


def _columns(channel: str, names: Any) -> tuple[str, ...]:
    return tuple(f"{channel}.{name}" for name in names)


def _where(condition: Any, a: Vector, b: Vector) -> Vector:
    return np.array([select(condition, x, y) for x, y in zip(a, b, strict=True)], dtype=object)


def _least(values: list[Any]) -> Any:
    least = values[0]
    for x in values[1:]:
        least = select(least - x, x, least)
    return least
