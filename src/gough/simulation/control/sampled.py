"""Sampled controllers: drive forces are computed every period, arrive after a delay, and are held until the next ones arrive."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import number, take
from gough.errors import GOOD, Status, UsageError
from gough.program import Program, Slot, trace
from gough.simulation.control.law import Action, Here, Law
from gough.simulation.control.own_robot import OwnRobot
from gough.simulation.integration.explicit import prepared
from gough.simulation.integration.instant import Rows
from gough.simulation.integration.marching import Loop, Stopped
from gough.simulation.integration.plant import Plant
from gough.simulation.motion.table import MotionTable

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
Command = Callable[[float, Vector, Vector], Vector]
"""Drive forces (drives,) for a time (s), q (nq,) and v (nv,)."""
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sampled(Law):
    """A controller that runs on a clock.

    law: any other law, or a Python function f(t, q, v, reference) -> tau (drives,), reference: the motion at t (position,
    velocity, acceleration), None without a motion. period (s): between samples. delay (s): from a sample to its forces; until
    the first ones arrive they are those of the first sample, as of a controller that was on before. reset: of a function that
    remembers something (an integral, a filter): called before every run; default its own method `reset`, where it has one.
    limit: see `Law`.
    """

    law: Any
    period: float
    delay: float = 0.0
    reset: Callable[[], Any] | None = field(default=None, kw_only=True)
    name = "sampled"

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

    @property
    def any_velocities(self) -> bool:
        """See `Law`: forces are held, and samples are told in the robot's own velocities."""
        return True

    @property
    def can_start_anew(self) -> bool:
        """Whether a second run of it begins as the first one did."""
        return isinstance(self.law, Law) or self._reset is not None

    @property
    def _reset(self) -> Callable[[], Any] | None:
        own = getattr(self.law, "reset", None)
        return self.reset if self.reset is not None else own if callable(own) else None

    @property
    def computes(self) -> bool:  # type: ignore[override]
        """Whether its law computes with a robot of its own."""
        return isinstance(self.law, Law) and self.law.computes

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.law.knows() if isinstance(self.law, Law) else (None, None)

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        self._demand_units(model)
        if not model.mechanism.drives:
            raise UsageError(f"{self.name}: {model.robot.name} has no drives")
        if not isinstance(self.law, Law):
            return
        self.law.check(model, motion)
        if self.law.inner(model, model.home, np.zeros(model.layout.nv)).names:
            raise UsageError(
                f"{self.law.name} with states of its own runs in continuous time only; use elastic='measured'"
            )

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
        return super().describe() | {"period": self.period, "delay": self.delay, "of": inner}

    def command(
        self,
        model: "Model",
        motion: "Motion | None",
        table: MotionTable | None,
        parameters: Vector,
        own: OwnRobot | None = None,
    ) -> Command:
        """The forces as a function of time and state, within limits. own: the robot that its law computes with."""
        if isinstance(self.law, Law):
            inner = _compiled(Plant(model, self.law, Rows.of(table), own=own), table, parameters)
        else:
            if self._reset is not None:
                self._reset()
            inner = _of_function(self.law, motion, model)
        most = None if self.limit is None else self.limits(model)
        return inner if most is None else lambda t, q, v: np.clip(inner(t, q, v), -most, most)


def _of_function(function: Callable[..., Any], motion: "Motion | None", model: "Model") -> Command:
    names = model.layout.drive_names

    def command(t: float, q: Vector, v: Vector) -> Vector:
        reference = None if motion is None else motion.at(min(t, motion.duration))
        try:
            given = function(t, q.copy(), v.copy(), reference)
            found = np.asarray(given)
        except Exception as problem:
            log.exception("the controller failed at t = %.9g s", t)
            raise Stopped(GOOD, t, f"controller failed ({type(problem).__name__}: {problem})") from problem
        if found.dtype.kind not in "fiu" or found.shape != (len(names),):
            what = _shown(given) if found.dtype.kind not in "fiu" else f"an array of shape {found.shape}"
            raise Stopped(
                GOOD, t, f"controller failed (it returned {what}; give {len(names)} drive forces: {', '.join(names)})"
            )
        tau = found.astype(float)
        bad = [name for name, x in zip(names, tau, strict=True) if not np.isfinite(x)]
        if bad:
            raise Stopped(Status.NOT_FINITE.at("controller"), t, f" (force of {', '.join(bad)})")
        return tau

    return command


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _compiled(plant: Plant, table: MotionTable | None, parameters: Vector) -> Command:
    loop = Loop(_program(plant), parameters)
    rows: dict[int, Vector] = {}
    names = plant.model.layout.drive_names

    def command(t: float, q: Vector, v: Vector) -> Vector:
        if table is None:
            row = plant.rows.stretch(0.0, 1.0)
        else:
            k = int(np.clip(np.searchsorted(table.breaks, t, side="right") - 1, 0, len(table.breaks) - 2))
            row = rows.setdefault(k, plant.rows.row(table, k))
        state = np.concatenate([q, v, [t]])
        found = loop(state[None], 1, row[None])
        if found.failed[0] >= 0:
            raise Stopped(loop.reason(state, row), t, " (in the controller)")
        tau = found.record[0, 0]
        bad = [name for name, x in zip(names, tau, strict=True) if not np.isfinite(x)]
        if bad:
            raise Stopped(Status.NOT_FINITE.at("controller"), t, f" (force of {', '.join(bad)})")
        return tau

    return command


def _program(plant: Plant) -> Program:
    """A state q, v, t to the forces of the law."""
    model = plant.model
    nq, nv = model.layout.nq, model.layout.nv

    def forces(q: Vector, v: Vector, row: Vector, t: Vector, parameters: Vector) -> dict[str, Any]:
        return {"tau": plant.commanded(parameters, q, v, plant.rows.at(row, t[0]))}

    inner = (
        Slot("q", (nq,)),
        Slot("v", (nv,)),
        Slot("row", (plant.rows.size,)),
        Slot("t", (1,)),
        Slot("parameters", (len(model.parameters),), uniform=True),
    )
    rate = prepared(plant, trace(forces, inner, "forces", {"parameters": model.pattern}))

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        q, v, t = state[:nq], state[nq : nq + nv], state[nq + nv :]
        found = rate(parameters, rate.hoisted(parameters), q=q, v=v, row=given, t=t)
        return {"state": state, "record": found["tau"], "running": 1.0}

    slots = (
        Slot("state", (nq + nv + 1,)),
        Slot("given", (plant.rows.size,)),
        Slot("parameters", (len(model.parameters),), uniform=True),
    )
    return trace(equations, slots, f"{model.mechanism.name} {plant.law.name}", {"parameters": model.pattern})
