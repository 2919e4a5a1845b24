"""The variables of an FMU: their names, units and meaning, and where their values stand.

Values of one kind stand together, so that a value reference tells kind and place: kinds in the order of `KINDS`, from 0 on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.errors import UsageError
from gough.export.fmu._programs import POSE, TWIST
from gough.export.fmu._subject import FmuSubject
from gough.simulation.coordinates import units_of
from gough.simulation.integration.state import StateLayout
from gough.structure.reductions import reducing_variables

Array = np.ndarray
KINDS = (
    "time",
    "input",
    "design",
    "position",
    "velocity",
    "inner",
    "position_rate",
    "acceleration",
    "inner_rate",
    "told",
    "force",
    "joint",
)
AXES = ("x", "y", "z")
LOAD = (("fx", "N"), ("fy", "N"), ("fz", "N"), ("mx", "N m"), ("my", "N m"), ("mz", "N m"))


@dataclass(frozen=True)
class Variable:
    """kind: one of `KINDS`. causality: "independent", "input", "output", "parameter" or "local". start: None where it is
    calculated. of: of a derivative the value reference of its state. nominal: typical size, of a state."""

    reference: int
    kind: str
    name: str
    unit: str
    text: str
    causality: str
    start: float | None = None
    of: int | None = None
    nominal: float | None = None


@dataclass(frozen=True, eq=False)
class Variables:
    """All of them, in the order of their value references."""

    subject: FmuSubject

    @cached_property
    def all(self) -> tuple[Variable, ...]:
        """Every variable."""
        out: list[Variable] = []
        for kind in KINDS:
            for given in getattr(self, f"_{kind}")():
                name, unit, text, causality, *more = given
                start, of, nominal = (*more, None, None, None)[:3]
                out.append(Variable(len(out), kind, name, unit, text, causality, start, of, nominal))
        seen: dict[str, int] = {}
        for x in out:
            if x.name in seen:
                raise UsageError(
                    f"two variables of the FMU would be called {x.name!r}; rename a frame, joint or variable"
                )
            seen[x.name] = x.reference
        return tuple(out)

    def of_kind(self, kind: str) -> list[Variable]:
        """Those of a kind."""
        return [x for x in self.all if x.kind == kind]

    def first(self, kind: str) -> int:
        """The first value reference of a kind, whether there is one or not."""
        return sum(len(list(getattr(self, f"_{x}")())) for x in KINDS[: KINDS.index(kind)])

    @cached_property
    def states(self) -> list[Variable]:
        """Continuous states."""
        return [*self.of_kind("position"), *self.of_kind("velocity"), *self.of_kind("inner")]

    @cached_property
    def derivatives(self) -> list[Variable]:
        """Of the states, in their order."""
        return [*self.of_kind("position_rate"), *self.of_kind("acceleration"), *self.of_kind("inner_rate")]

    @cached_property
    def design(self) -> tuple[tuple[str, ...], tuple[str, ...], Array, bool]:
        """(names, units, values (n,), whether they are variables of the description) of what a user may set."""
        subject = self.subject
        if not subject.takes_designs:
            return (), (), np.zeros(0), False
        own, table = subject.model.variables, subject.plant.model.mechanism.table
        if len(own.names) and np.array_equal(subject.numbers, subject.plant.model.parameters):
            follows = reducing_variables(subject.model.robot)
            kept = [k for k, name in enumerate(own.names) if name not in follows]
            return tuple(own.names[k] for k in kept), tuple(own.units[k] for k in kept), own.values[kept], True
        places = [k for k in range(len(table.names)) if k not in subject.plant.model.pattern]
        return (
            tuple(table.names[k] for k in places),
            tuple(table.units[k] for k in places),
            subject.numbers[places],
            False,
        )

    # Each kind: (name, unit, text, causality, start, reference of its state, nominal).

    def _time(self) -> Iterator[tuple]:
        yield "time", "s", "time", "independent"

    def _input(self) -> Iterator[tuple]:
        subject = self.subject
        for name, unit, pushed in zip(
            subject.names, subject.plant.model.layout.drive_units, subject.pushed.tolist(), strict=True
        ):
            if subject.drives == "forces":
                yield f"{name}.force", unit, f"what the drive {name} pushes or turns with", "input", pushed
            elif subject.drives:
                rate = "m/s2" if unit == "N" else "rad/s2"
                yield f"{name}.acceleration", rate, f"acceleration of the drive {name}", "input", 0.0
        for frame in subject.plant.wrenches.frames:
            frame = frame or subject.model.mechanism.platform.name
            for axis, unit in LOAD:
                what = "force" if axis[0] == "f" else "moment"
                yield (
                    f"load.{frame}.{axis}",
                    unit,
                    f"{what} from outside on {frame}, world axis {axis[1]}",
                    "input",
                    0.0,
                )

    def _design(self) -> Iterator[tuple]:
        names, units, values, free = self.design
        prefix = "variable" if free else "parameter"
        for name, unit, value in zip(names, units, values, strict=True):
            yield f"{prefix}.{name}", unit, f"{prefix} {name} of the design", "parameter", float(value)

    @cached_property
    def _states(self) -> list[tuple[str, str, str]]:
        """(name, unit, text) of all positions."""
        subject = self.subject
        layout, units = subject.plant.model.layout, units_of(subject.plant.model)
        out = []
        turns = {k: (t, axis) for t in subject.turned for axis, k in enumerate(t.entries) if k >= 0}
        for k in range(layout.nv):
            if k in subject.plain:
                place = subject.plain[k]
                out.append((layout.q_names[place], units.q[place], f"coordinate {layout.q_names[place]}"))
            elif k in turns:
                t, axis = turns[k]
                where = "axes that turn with it" if t.body else "world axes"
                text = f"rotation vector of {t.name} from where its chart begins, component {AXES[axis]}, {where}"
                out.append((f"{t.name}.rotation.{AXES[axis]}", "rad", text))
            else:
                raise UsageError(
                    f"{subject.model.robot.name}: velocity {layout.v_names[k]} is the rate of no coordinate, so that no state of "
                    "an FMU belongs to it; build the robot with velocities='drives'"
                )
        return out

    def _position(self) -> Iterator[tuple]:
        subject, (q, _) = self.subject, _sizes(self.subject)
        for k, (name, unit, text) in enumerate(self._states):
            place = subject.plain.get(k)
            start = 0.0 if place is None else float(subject.first[place])
            yield f"position.{name}", unit, text, "local", start, None, 1.0 if place is None else float(q[place])

    def _velocity(self) -> Iterator[tuple]:
        subject, (_, v) = self.subject, _sizes(self.subject)
        layout = subject.plant.model.layout
        for k, (name, unit) in enumerate(zip(layout.v_names, units_of(subject.plant.model).v, strict=True)):
            yield (
                f"velocity.{name}",
                unit,
                f"independent velocity {name}",
                "local",
                float(subject.first[layout.nq + k]),
                None,
                float(v[k]),
            )

    def _inner(self) -> Iterator[tuple]:
        plant, n = self.subject.plant, self.subject.plant.model.layout.nq + self.subject.plant.model.layout.nv + 3
        inner = plant.inner
        for k in range(plant.flowing):
            text = f"own state {inner.names[k]} of the controller"
            yield (
                f"controller.{inner.names[k]}",
                inner.units[k],
                text,
                "local",
                float(self.subject.first[n + k]),
                None,
                float(inner.sizes[k]),
            )

    def _position_rate(self) -> Iterator[tuple]:
        first = self.first("position")
        for k, (name, unit, text) in enumerate(self._states):
            yield f"der(position.{name})", f"{unit}/s", f"rate of: {text}", "local", None, first + k

    def _acceleration(self) -> Iterator[tuple]:
        first, layout = self.first("velocity"), self.subject.plant.model.layout
        for k, (name, unit) in enumerate(
            zip(layout.v_names, units_of(self.subject.plant.model).acceleration, strict=True)
        ):
            yield f"der(velocity.{name})", unit, f"acceleration of {name}", "local", None, first + k

    def _inner_rate(self) -> Iterator[tuple]:
        first, inner = self.first("inner"), self.subject.plant.inner
        for k in range(self.subject.plant.flowing):
            yield (
                f"der(controller.{inner.names[k]})",
                f"{inner.units[k]}/s",
                f"rate of {inner.names[k]}",
                "local",
                None,
                first + k,
            )

    def _told(self) -> Iterator[tuple]:
        subject = self.subject
        layout = subject.plant.model.layout
        for name, place in zip(subject.names, subject.plant.model.drive_index, strict=True):
            yield f"{name}.position", layout.q_units[place], f"where the drive {name} is", "output"
        for name, place in zip(subject.names, subject.plant.model.drive_index, strict=True):
            yield f"{name}.velocity", f"{layout.q_units[place]}/s", f"rate of the drive {name}", "output"
        for frame in subject.frames:
            for axis, unit in zip(POSE, ("m",) * 3 + ("rad",) * 3, strict=True):
                yield (
                    f"frame.{frame}.{axis}",
                    unit,
                    f"{axis} of {frame} in the world (R = Rz(yaw) Ry(pitch) Rx(roll))",
                    "output",
                )
            for axis, unit in zip(TWIST, ("m/s",) * 3 + ("rad/s",) * 3, strict=True):
                yield f"frame.{frame}.{axis}", unit, f"{axis} of {frame}, world axes", "output"
        yield "energy.kinetic", "J", "kinetic energy", "output"
        yield "energy.potential", "J", "potential energy of weight, springs and strain", "output"
        yield "power.losses", "W", "power that friction and dampers take", "output"
        yield "closure_error", "", "largest residual of the closures (m, 1)", "output"

    def _force(self) -> Iterator[tuple]:
        subject = self.subject
        if subject.drives == "forces":
            return
        for name, unit in zip(subject.names, subject.plant.model.layout.drive_units, strict=True):
            yield f"{name}.force", unit, f"what the drive {name} pushes or turns with", "output"

    def _joint(self) -> Iterator[tuple]:
        layout, units = self.subject.plant.model.layout, units_of(self.subject.plant.model)
        for name, unit in zip(layout.q_names, units.q, strict=True):
            yield f"q.{name}", unit, f"coordinate {name} of the configuration q", "local"


def _sizes(subject: FmuSubject) -> Sequence[Array]:
    """Typical sizes of q (nq,) and v (nv,)."""
    return StateLayout(subject.plant).units
