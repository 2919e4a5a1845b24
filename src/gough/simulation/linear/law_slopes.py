"""A law as it is to small motions about rest, by exact derivatives of its own equations; many poses at once.

In continuous time  δτ = F x + F_i i,  i̇ = R x + R_i i,  x = (δ, δv), i the law's own states.
On a clock          the memory m of the clock at every instant at which something is due: m⁺ = J_x x + J_m m; between the instants
                    the actuators (states f, which flow): δτ = a_x x + a_f f + a_h h, ḟ = r_x x + r_f f + r_h h, h what is held.
Sensors, delays, actuators and own states are in there as they are in runs; noise, resolutions, lost samples and limits are left
out.
"""

from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.numbers import Numbers
from gough.errors import UsageError
from gough.model.linear import without_coulomb
from gough.program import Slot, trace
from gough.program.derivatives import derive
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.feed_forward import FeedForward
from gough.simulation.control.follow_inversion import FollowInversion
from gough.simulation.control.instant import MotionRows
from gough.simulation.control.law import Law
from gough.simulation.control.own_robot import own_robot
from gough.simulation.control.sampled import Sampled
from gough.simulation.integration.plant import Plant
from gough.simulation.motion.function import function
from gough.simulation.motion.motion import Motion
from gough.simulation.sampling.line import SAME

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
KINDS = ("drives", "pose", "")
"""Of references that stand still, in the order in which they are taken."""
MOST_INSTANTS = 64
"""Instants of a period at which a clock may do something."""
STILL = (".count", ".fresh", ".key", "geometry")
"""Cells of a clock's memory that are no signals: they count samples, or begin iterations that converge from anywhere near."""


def kinds_of(law: Law, model: "Model") -> list[str]:
    """Kinds of references that a law follows as they are; many turn all motions into those of the drives."""
    return [kind for kind in KINDS if _takes(law, model, kind)]


def feedback_of(law: Law) -> Law:
    """A law without forces that were found before: small signals do not meet them."""
    if isinstance(law, FollowInversion):
        return law.feedback
    inside = getattr(law, "law", None)
    if isinstance(law, FeedForward):
        return feedback_of(law.law)
    return (
        replace(law, law=feedback_of(inside)) if isinstance(inside, Law) and feedback_of(inside) is not inside else law
    )


def _takes(law: Law, model: "Model", kind: str) -> bool:
    if kind not in (law.kinds or ("",)):
        return False
    if kind != "pose":
        return True
    return model.mechanism.has_platform and law.reference(model, standing(model, kind)).kind == kind


def standing(model: "Model", kind: str) -> Motion:
    """A motion of this kind, "drives" or "pose", that stands at home."""
    x = model.home[:7] if kind == "pose" else model.home[model.drive_index]
    more: Any = {"orientation": "quaternion_wxyz"} if kind == "pose" else {"names": model.layout.drive_names}
    return function(lambda t: [float(a) + 0.0 * t for a in x], 1.0, kind=kind, **more)


def exact_sampling(law: Sampled) -> Sampled:
    """A law on a clock without limits, and whose sensors have no noise, bias, resolution and lost samples."""
    inner = _without_limit(feedback_of(law.law)) if isinstance(law.law, Law) else law.law
    return replace(law, law=inner, limit=None, sensors=tuple(_exact_sensor(x) for x in law.sensors))  # type: ignore[union-attr]


def _without_limit(law: Law) -> Law:
    """As it is tuned: made anew it would not have its gains by bandwidths, or its period."""
    made = copy(law)
    object.__setattr__(made, "limit", None)
    return made


def _exact_sensor(sensor: Any) -> Any:
    own = {f.name for f in fields(sensor)}
    return replace(sensor, **{key: 0.0 for key in ("noise", "bias", "resolution", "lost") if key in own})


@dataclass(frozen=True, eq=False)
class LawSlopes:
    """The derivatives of the law of a plant. kind: of its reference, which stands still; numbers (n,): of the robot, without
    Coulomb friction."""

    plant: Plant
    kind: str
    numbers: Array

    @property
    def model(self) -> "Model":
        """The robot that runs."""
        return self.plant.model

    @classmethod
    def of(cls, model: "Model", law: Law, kind: str, numbers: Array) -> "LawSlopes":
        """Those of a law as the time loop has it, without limits and the like; numbers (n,): of the robot that runs."""
        own = own_robot(law, model, numbers[None], model)
        law.check(own.model, standing(own.model, kind) if kind else None)
        law.settings(model, own.model)  # a bad gain is named
        if own.numbers is not None:
            own = replace(own, numbers=without_coulomb(own.model, own.numbers))
        channels = {"drives": len(model.mechanism.drives), "pose": 6, "": 0}[kind]
        plant = Plant(model, law, MotionRows(kind, channels, 0), own=own)
        return cls(plant, kind, without_coulomb(model, numbers))

    def rows(self, q: Array) -> Array:
        """Of a reference (n, size) that stands where the robot is at q (n, nq)."""
        n = len(q)
        head = np.tile([0.0, 1.0, 0.0], (n, 1))
        tail = np.tile(np.array(self.plant.rows.tail), (n, 1))
        if self.kind == "pose":
            return np.concatenate([head, q[:, 3:7], q[:, :3], np.zeros((n, 3)), tail], axis=1)
        at = q[:, self.model.drive_index] if self.kind else q[:, :0]
        return np.concatenate([head, at, tail], axis=1)

    @cached_property
    def _program(self) -> Any:
        plant, layout = self.plant, self.model.layout
        sizes = {"q": layout.nq, "v": layout.nv, "inner": plant.inner_size, "row": plant.rows.size, "t": 1}
        slots = [Slot(name, (k,)) for name, k in sizes.items()]
        slots.append(Slot("parameters", (len(self.model.parameters),), uniform=True))

        def equations(q: Array, v: Array, inner: Array, row: Array, t: Array, parameters: Array) -> dict[str, Any]:
            now = plant.rows.at(row, t[0])
            found = plant.law_action(Numbers(plant.mechanism, parameters), q, v, inner, now)
            out = {"tau": found.tau, "rates": found.rates}
            return out | ({"after": plant.tick(parameters, q, v, inner, now)["inner"]} if plant.inner.clocked else {})

        return plant.order_program(trace(equations, tuple(slots), "law", {"parameters": self.model.pattern}))

    @property
    def _functions(self) -> tuple[Function, Function]:
        """(the law, its derivatives by q, v and own states)."""

        def made() -> tuple[Function, Function]:
            program, table = self._program, self.model.mechanism.table
            by = ("q", "v", "inner") if self.plant.inner_size else ("q", "v")
            pattern = dict(self.model.pattern)
            return Function(program, table, pattern), Function(derive(program, by), table, pattern)

        return self.model.cached(("slopes of a law", self.kind, self.plant.form), made)

    def at(self, q: Array, inner: Array, t: float) -> dict[str, Array]:
        """Derivatives at rest at q (n, nq), own states inner (n, k), time t (s): tau, rates and after (of a clock), each by x
        and by inner, named tau_x, tau_i, …."""
        nv, n = self.model.layout.nv, len(q)
        given = {"q": q, "v": np.zeros((n, nv)), "inner": inner, "row": self.rows(q), "t": np.full((n, 1), t)}
        found = self._functions[1].values(**given, parameters=self.numbers)
        rate = self.model.cached("rates by v", lambda: self.model.function("configuration_rate").derivative("v"))
        N = rate.values(q=q, v=np.zeros((n, nv)), parameters=self.numbers)["qdot_v"]
        out, k = {}, inner.shape[1]
        for name in ("tau", "rates", *(("after",) if self.plant.inner.clocked else ())):
            if f"{name}_q" not in found:
                out[f"{name}_x"], out[f"{name}_i"] = np.zeros((n, 0, 2 * nv)), np.zeros((n, 0, k))
                continue
            out[f"{name}_x"] = np.concatenate([found[f"{name}_q"] @ N, found[f"{name}_v"]], axis=2)
            out[f"{name}_i"] = found[f"{name}_inner"] if k else np.zeros((*out[f"{name}_x"].shape[:2], 0))
        return out

    def first(self, q: Array) -> Array:
        """Own states (n, k) as runs from rest at q (n, nq) begin with them."""
        still = np.zeros(self.model.layout.nv)
        names = self.plant.inner.names
        places = [k for k, name in enumerate(names) if name.startswith("geometry[")]
        if not names:
            return np.zeros((len(q), 0))
        if self.plant.inner.clocked and len(places) in (0, q.shape[1]):  # the rest is the same, or settles
            out = np.tile(self.plant.inner_first(q[0], still), (len(q), 1))
            out[:, places] = q[:, : len(places)]
            return out
        return np.concatenate([self.plant.inner_first(x, still) for x in q])

    def settle_clock(self, q: Array, instants: list[float], cycles: int) -> Array:
        """Own states (n, k) of a clock that has run through so many cycles of instants (s) with the robot at rest."""
        inner = self.first(q)
        for t in self.times(instants, cycles):
            inner = self.step(q, inner, t)
        return inner

    def step(self, q: Array, inner: Array, t: float) -> Array:
        """Own states (n, k) of a clock after an instant t (s), the robot at rest."""
        still = np.zeros((len(q), self.model.layout.nv))
        given = {"q": q, "v": still, "inner": inner, "row": self.rows(q), "t": np.full((len(q), 1), t)}
        return self._functions[0].values(**given, parameters=self.numbers)["after"]

    def times(self, instants: list[float], cycles: int) -> list[float]:
        """All instants (s) of the first cycles, from time 0 on."""
        period = self.clock.of.period
        every = sorted(k * period + t for k in range(-1, cycles) for t in instants)
        return [t for t in every if t > -SAME * period]

    @property
    def clock(self) -> Clocked:
        """The law on its clock."""
        assert isinstance(self.plant.law, Clocked)
        return self.plant.law

    def instants(self) -> list[float]:
        """Times (s) behind the one at which forces of a sample arrive, up to one period later, at which the clock does
        something: the last is the next arrival. The sample itself is at 0."""
        clock, own = self.clock, self.plant.laws_robot.model
        period, lines = clock.of.period, clock.lines(own)
        phase, found = lines[0].phase, []
        for line in lines:
            times = period / line.period
            if abs(times - round(times)) > SAME * times or round(times) < 1:
                raise UsageError(
                    f"{line.name}: its period of {line.period:g} s is no part of that of the controller ({period:g} s): the loop "
                    "is another one from sample to sample; give a period that fits"
                )
            for k in range(round(times)):
                found += [k * line.period, k * line.period + line.phase]
        shifted = sorted((t - phase) % period for t in found)
        after = [t if t > SAME * period else t + period for t in shifted]
        distinct: list[float] = []
        for t in sorted(after):
            if not distinct or t - distinct[-1] > SAME * period:
                distinct.append(t)
        if len(distinct) > MOST_INSTANTS:
            raise UsageError(f"the clocks have {len(distinct)} instants in a period; {MOST_INSTANTS} are the most")
        return [t + phase for t in distinct]
