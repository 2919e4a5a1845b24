"""One sample of a law on a clock as a controller on a machine computes it: what sensors show comes in, commands go out.

It is the law of the time loop (`control/clocked.py`) without the robot that runs:
    sample   t, readings, reference, memory → commands, memory from then on. Rates of encoders are differences of what they show;
             the rest of the state is forward geometry from the sample before, or the observer's estimate after its correction
    rates    estimate, forces that are held → rates of the estimate, which follows them by classical Runge-Kutta steps until the
             next sample
Noise, digits, delays and lost samples of sensors are the machine's, as are the actuators' states in time. All numbers of robot
and law are constants of the programs.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.dynamics.regrouping import regroup_inertia
from gough.errors import Status, UsageError
from gough.program import Program, Slot, trace
from gough.program.passes.expand_blocks import inline_calls
from gough.program.passes.idle_cells import drop_idle_cells
from gough.program.passes.order_solves import order_solves
from gough.program.passes.outputs import remove_dead_code
from gough.scalar import check, dot, select, zeros
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.instant import Instant
from gough.simulation.control.law import Here
from gough.simulation.control.observers.estimated import Estimated, RunningObserver
from gough.simulation.control.own_robot import Measured, OwnRobot
from gough.simulation.control.sampled import Sampled
from gough.simulation.control.sensed import Sensed, channel_names
from gough.simulation.integration.state import StateLayout, drop_checks_between_states
from gough.simulation.run.sampled_reference import Entries, SampledReference
from gough.simulation.run.setup import Setup
from gough.simulation.sampling.cells import within
from gough.simulation.sensors.encoders import Encoders
from gough.simulation.sensors.sensor import Sensor

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
CLOSED = {"double": 1e-6, "single": 1e-4}
"""What forward geometry may leave of its closures (m; for lengths m², for directions 1)."""
AFTER = "_after"
"""Ends the name of a cell of the memory from then on."""
SAME = 1e-9
"""Difference of periods, of one, that is none."""


@dataclass(frozen=True, eq=False)
class LawSample:
    """setup: what a run with this law begins with, by a method of equal steps. follows: whether its motion is a table, else the
    reference is an input. precision: "double" or "single"."""

    setup: Setup
    follows: bool = True
    precision: str = "double"

    def __post_init__(self) -> None:
        law = self.setup.law
        if not isinstance(law, Clocked):
            why = law.called if isinstance(law, Sampled) else ""
            if why:
                raise UsageError(
                    f"the function that is sampled cannot be written out: {why}; write it as a formula of t, q, v and the "
                    "motion, or as a law (docs/extending/controller.md)"
                )
            raise UsageError(
                f"{law.name} runs in continuous time; a program computes it from sample to sample: give "
                "gough.laws.Sampled(law, period, sensors=[gough.sensors.Encoders()])"
            )
        for sensor in law.sensors:
            own = sensor.period
            if own is not None and isinstance(sensor, Encoders) and abs(own - self.period) > SAME * self.period:
                raise UsageError(
                    f"{sensor.name}: a period of {own:g} s beside the controller's {self.period:g} s: the program reads them "
                    "at the controller's samples, and takes rates from these; leave period= of the sensor out"
                )

    # ---------------------------------------------------------------- what there is

    @property
    def law(self) -> Clocked:
        """On its clock."""
        law = self.setup.law
        assert isinstance(law, Clocked)
        return law

    @property
    def period(self) -> float:
        """Between samples (s)."""
        return self.law.of.period

    @property
    def model(self) -> "Model":
        """Of the robot that the law computes with."""
        return self.setup.own.model

    @cached_property
    def watch(self) -> RunningObserver | None:
        """The observer at work."""
        return self.law.watch(self.model)

    @property
    def substeps(self) -> tuple[int, int]:
        """Steps of the estimate from a sample to the next: with the forces that were held before, then with those after."""
        line, step = self.law.line(self.setup.model), self.setup.settings.taken_step
        before = round(line.phase / step)
        return before, round(self.period / step) - before

    @property
    def substep(self) -> float:
        """Length of these steps (s)."""
        return self.setup.settings.taken_step

    @cached_property
    def reference(self) -> SampledReference:
        """What a sample is told of the motion."""
        return SampledReference(self.setup.table, self.follows)

    @cached_property
    def sensors(self) -> list[tuple[str, Sensor]]:
        """By their names."""
        return list(zip(channel_names(self.law.sensors), self.law.sensors, strict=True))

    @cached_property
    def readings(self) -> list[Entries]:
        """What is measured at a sample: channels of the sensors, or the whole state without any."""
        model = self.setup.model
        if self.sensors:
            return [Entries(name, tuple(zip(*x.channels(model), strict=True))) for name, x in self.sensors]
        layout = model.layout
        q, v = zip(layout.q_names, layout.q_units, strict=True), zip(layout.v_names, layout.v_units, strict=True)
        return [Entries("q", tuple(q)), Entries("v", tuple(v))]

    @cached_property
    def commands(self) -> Entries:
        """Forces of the drives."""
        layout = self.setup.model.layout
        return Entries("command", tuple(zip(layout.drive_names, layout.drive_units, strict=True)))

    # ---------------------------------------------------------------- memory

    @cached_property
    def seen_memory(self) -> dict[str, Vector]:
        """First values of the readings that rates are differences from: they go on where the rest does not."""
        drives = self.setup.first[self.setup.model.drive_index]
        return {f"{name}_last": drives for name in self._encoders}

    @cached_property
    def _rates_memory(self) -> dict[str, Vector]:
        """First values of what rates of encoders are where there is nothing to take a difference from."""
        model, setup = self.setup.model, self.setup
        nq, nv = model.layout.nq, model.layout.nv
        q, v = setup.first[:nq], setup.first[nq : nq + nv]
        u = model.function("tree_rates").values(q=q, v=v, parameters=setup.numbers)["u"]
        rates = u[[model.mechanism.links[d.link].u for d in model.mechanism.drives]]
        return {f"{name}_rates": rates for name in self._encoders}

    @property
    def _encoders(self) -> list[str]:
        """Names of sensors of this kind."""
        return [name for name, sensor in self.sensors if isinstance(sensor, Encoders)]

    @cached_property
    def law_memory(self) -> dict[str, Vector]:
        """First values of what the law and its observer remember, and the rates they are given."""
        setup, law = self.setup, self.law
        inner = StateLayout(setup.plant).split(setup.first).inner
        flowing, _, memory = law.split(self.model, inner)
        out = self._rates_memory | {"states": memory["states"]}
        if self.sensors:
            out["geometry"] = memory["geometry"]
        if self.watch is not None:
            out["estimate"] = inner[flowing - self.watch.size : flowing]
            out["carried"] = memory["observer.carried"]
        return {key: np.asarray(x, dtype=float) for key, x in out.items() if len(x)}

    @property
    def memory(self) -> dict[str, Vector]:
        """First values of all cells."""
        return self.seen_memory | self.law_memory

    # ---------------------------------------------------------------- programs

    @cached_property
    def sample_program(self) -> Program:
        """time (1,), since (1,): the same from where the polynomials of the piece count, first (1,): above 0 at the first
        sample, waits: above 0 while rates are those that are remembered, last_command, readings, reference, cells → command,
        cells with AFTER. What is not read is left out."""
        cells = self.memory
        sizes = {"time": 1, "since": 1, "first": 1, "waits": len(self.waits), "last_command": self.commands.size}
        sizes |= {x.name: x.size for x in (*self.readings, *self.reference.entries)} | {
            k: len(x) for k, x in cells.items()
        }
        slots = tuple(Slot(name, (n,)) for name, n in sizes.items())
        found = inline_calls(trace(self._equations, slots, f"{self.model.mechanism.name} {self.law.law.name}"))
        return self._prepared(drop_idle_cells(found, {k: k + AFTER for k in cells if k not in ("estimate", "carried")}))

    @cached_property
    def rates_program(self) -> Program | None:
        """estimate, held → rates; None without an observer."""
        watch = self.watch
        if watch is None:
            return None
        numbers = self._believed

        def equations(estimate: Vector, held: Vector) -> dict[str, Vector]:
            return {"rates": watch.rates(numbers, estimate, held)}

        slots = (Slot("estimate", (watch.size,)), Slot("held", (self.commands.size,)))
        return self._prepared(
            inline_calls(trace(equations, slots, f"{self.model.mechanism.name} rates of the estimate"))
        )

    def _prepared(self, program: Program) -> Program:
        """Without the checks of states that are given, solves ordered by sampled states."""
        program = remove_dead_code(drop_checks_between_states(program))
        known = self._sampled_inputs
        n = len(self.model.sampled_states["q"])
        columns = [np.broadcast_to(known.get(s.name, np.ones((1, s.size))), (n, s.size)) for s in program.inputs]
        return order_solves(program, np.concatenate(columns, axis=1))

    @cached_property
    def _sampled_inputs(self) -> dict[str, Vector]:
        """Inputs (states or 1, n) at sampled states, at which solves are ordered."""
        own, runs = self.model.sampled_states, self.setup.model.sampled_states
        drives = own["q"][:, self.model.drive_index]
        out = {key: x[None] for key, x in self.memory.items()}
        for name, sensor in self.sensors:
            if isinstance(sensor, Encoders):
                out |= {name: drives, f"{name}_last": drives - self.period}
        if not self.sensors and len(runs["q"]) == len(own["q"]):
            out |= {"q": runs["q"], "v": runs["v"]}
        if "geometry" in out:
            out["geometry"] = own["q"]
        if "estimate" in out:
            out["estimate"] = np.concatenate([own["q"], own["v"]], axis=1)
        return out | self.reference.usual | {"first": np.zeros((1, 1)), "waits": np.zeros((1, len(self.waits)))}

    @cached_property
    def _running(self) -> tuple[Numbers, "Model"]:
        """Numbers of the robot that runs, exact where they are structure."""
        setup = self.setup
        exact = np.array(setup.numbers, dtype=float)
        for k, value in setup.model.pattern.items():
            exact[k] = value
        return Numbers(setup.plant.mechanism, np.array(list(map(float, exact)), dtype=object)), setup.model

    @cached_property
    def _believed(self) -> Numbers:
        """Numbers of the law's robot."""
        nothing = zeros(0)
        numbers, model = self._running
        running = Measured(model, regroup_inertia(numbers), nothing, nothing)
        return self.setup.own.believed_numbers(running, self._own_inputs)

    @property
    def _own_inputs(self) -> Vector:
        return np.array(list(map(float, self.setup.own.inputs)), dtype=object)

    @cached_property
    def _given(self) -> dict[str, Vector]:
        """Numbers of the law and all around it, by name."""
        found = self.law.given_numbers(self.setup.model, self.model)
        return {key: np.array(list(map(float, x)), dtype=object) for key, x in found.items()}

    @cached_property
    def waits(self) -> tuple[int, ...]:
        """Samples behind the first one for which rates of encoders are still those of the begin, one a sensor of this kind:
        until a second reading arrives."""
        lines = [x.line(self.setup.model, self.period) for _, x in self.sensors if isinstance(x, Encoders)]
        return tuple(line.whole + bool(line.phase) for line in lines)

    @property
    def on_the_way(self) -> tuple[int, bool]:
        """Of commands that arrive late: whole periods, and whether the rest is no whole one."""
        line = self.law.line(self.setup.model)
        return line.whole, bool(line.phase)

    def _equations(self, time: Vector, since: Vector, first: Vector, waits: Vector, **inputs: Vector) -> dict[str, Any]:
        law, given, begins = self.law, self._given, first[0]
        shown, after = self._show(inputs, waits)
        believed = self._estimate(inputs, shown, begins, time[0])
        view = self._view(inputs, shown, believed, self.reference.at(time[0], since[0], inputs))
        before = inputs["last_command"]
        action, command = law.sampled_action(self.setup.model, view, before, begins, given)
        out: dict[str, Any] = {"command": command, **after}
        if "states" in inputs:
            out["states"] = inputs["states"] + action.rates * self.period
        if "geometry" in inputs:
            out["geometry"] = inputs["geometry"]
            if isinstance(view.measured, Sensed):
                out["geometry"] = view.measured.estimate
                self._demand_closed(view.measured)
        if believed is not None:
            out["estimate"] = believed[1]
            if "carried" in inputs:
                out["carried"] = believed[2]
        return {key + AFTER if key in inputs else key: x for key, x in out.items()}

    def _show(self, inputs: dict[str, Vector], waits: Vector) -> tuple[list[Vector], dict[str, Vector]]:
        """(what the sensors show, their memory from then on)."""
        shown, after, number = [], {}, 0
        for k, (name, sensor) in enumerate(self.sensors):
            x = inputs[name]
            if isinstance(sensor, Encoders):
                rates = (x - inputs[f"{name}_last"]) / self.period
                if sensor.bandwidth is not None:
                    part = self._given[f"sensor{k}.part"][0]
                    rates = inputs[f"{name}_rates"] + part * (rates - inputs[f"{name}_rates"])
                was = inputs[f"{name}_rates"]
                rates = np.array([select(waits[number], a, b) for a, b in zip(was, rates, strict=True)], dtype=object)
                after |= {f"{name}_last": x, f"{name}_rates": rates}
                x, number = np.concatenate([x, rates]), number + 1
            shown.append(x)
        return shown, after

    def _estimate(
        self, inputs: dict[str, Vector], shown: list[Vector], begins: Any, t: Any
    ) -> tuple[Estimated, Vector, Vector] | None:
        """See `RunningObserver.estimate_after`."""
        if self.watch is None:
            return None
        sensors = [within(f"sensor{k}", self._given) for k in range(len(shown))]
        fresh = [np.array([begins], dtype=object)] * len(shown)
        own, carried = within("observer", self._given), inputs.get("carried", zeros(0))
        return self.watch.estimate_after(self._believed, inputs["estimate"], own, sensors, fresh, carried, shown, t)

    def _view(self, inputs: dict[str, Vector], shown: list[Vector], believed: Any, now: Instant) -> Here:
        """What the law sees."""
        states, settings = inputs.get("states", zeros(0)), self._given["law"]
        if not self.sensors:
            numbers, model = self._running
            measured = Measured(model, regroup_inertia(numbers), inputs["q"], inputs["v"])
            return Here(self.setup.own, measured, states, settings, self._own_inputs, now)
        model = self.model
        seen: Measured = Sensed(model, self._believed, self.law.sensors, shown, inputs["geometry"])
        observer = self.law.of.observer
        if believed is not None and observer is not None and not observer.passive:
            seen = believed[0]
        return Here(OwnRobot(model, None, model), seen, states, settings, zeros(0), now)

    def _demand_closed(self, seen: Sensed) -> None:
        """Demand that forward geometry, where it was asked for, has closed the loops."""
        if "q" not in vars(seen) or not self.model.mechanism.selection.blocks:
            return
        for cut in seen.loops.cuts:
            left = np.concatenate([cut.residual(), cut.misalignment()])
            place = f"forward geometry of {seen.loops.label_of(cut.cut)}"
            check(Status.NOT_CONVERGED.at(place), CLOSED[self.precision] ** 2 - dot(left, left), 0.0)
