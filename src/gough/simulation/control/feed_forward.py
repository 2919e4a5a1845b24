"""Forces over time on top of another law: what was learnt, or computed before, beside the feedback."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.errors import UsageError
from gough.simulation.control.instant import Instant
from gough.simulation.control.law import Action, Here, Inner, Law, Signals, demand_shape
from gough.simulation.control.reference import drives_of, in_drive_order
from gough.simulation.motion.motion import Motion, coordinate_motion
from gough.simulation.motion.paths import PolynomialPath, side_by_side
from gough.simulation.motion.table import table

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
SAME = 1e-9
"""How far durations may be apart, of the longer one."""


@dataclass(frozen=True)
class FeedForward(Law):
    """Forces over time beside another law: τ = τ_law + push.

    law: a controller that follows motions of drives; it gets what the drives do in the motion, whatever its kind. push: a
    motion of kind "forces" as long as the motion itself (`gough.laws.forces`, `forces_of`, `gough.iterative_learning`). limit:
    of both together; nominal: that of the law inside.
    """

    law: Law
    push: Motion
    name = "feed-forward"
    kinds = ("drives", "pose", "joints", "point")
    fixed_reference: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.law, Law) or self.law.prescribed or self.law.held or "drives" not in self.law.kinds:
            told = self.law.name if isinstance(self.law, Law) else repr(self.law)
            outside = "; sample it as a whole, gough.laws.Sampled(FeedForward(…), period)" if told == "sampled" else ""
            raise UsageError(f"{self.name}: law={told}: give a controller that follows motions of drives{outside}")
        if not isinstance(self.push, Motion) or self.push.kind != "forces":
            raise UsageError(f"{self.name}: push={self.push!r}: give a motion of kind 'forces' (gough.laws.forces)")
        if self.nominal is not None:
            raise UsageError(f"{self.name}: nominal=: give it to the law inside")

    @property
    def vibrates(self) -> bool:  # type: ignore[override]
        """See `Law`."""
        return self.law.vibrates

    @property
    def known_form(self) -> Hashable | None:
        """See `Law`."""
        inside = self.law.known_form
        return inside and (type(self), self.limit is None, inside)

    @property
    def any_velocities(self) -> bool:
        """See `Law`."""
        return self.law.any_velocities

    @property
    def drives_as(self) -> Any:
        """See `Law`."""
        return self.law.drives_as

    @property
    def computes(self) -> bool:  # type: ignore[override]
        """See `Law`."""
        return self.law.computes

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.law.knows()

    def error_gains(self, model: "Model") -> tuple[Vector, Vector]:
        """See `Law`."""
        return self.law.error_gains(model)

    def own_poles(self, model: "Model") -> Vector:
        """See `Law`."""
        return self.law.own_poles(model)

    def holds_floating(self, model: "Model", kind: str) -> bool:
        """See `Law`."""
        return self.law.holds_floating(model, "drives")

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """See `Law`."""
        law = self.law.tune(model, period)
        return self if law is self.law else replace(self, law=law)

    def check(self, model: "Model", motion: Motion | None) -> None:
        """See `Law`."""
        super().check(model, motion)
        assert motion is not None
        self.law.check(model, drives_of(model, motion))
        in_drive_order(model, self.push)
        lengths = motion.duration, self.push.duration
        if abs(lengths[0] - lengths[1]) > SAME * max(lengths):
            raise UsageError(
                f"{self.name}: the motion takes {lengths[0]:.9g} s, the forces {lengths[1]:.9g} s; they must be as long"
            )

    def reference(self, model: "Model", motion: Motion, parameters: Vector | None = None) -> Motion:
        """See `Law`: channels of the drives, then of the forces."""
        led = self.law.reference(model, drives_of(model, motion, parameters), parameters)
        pushed = in_drive_order(model, self.push)
        first, second = (PolynomialPath(x.breaks, x.coefficients) for x in map(table, (led, pushed)))
        second = replace(second, breaks=second.breaks * (first.duration / second.duration))
        drives = model.layout.drive_names
        word = (
            "force" if len(led.names) == len(drives) else f"force{len(led.names)}"
        )  # the law inside brings forces, too
        names = (*led.names, *(f"{word}.{x}" for x in drives))
        return coordinate_motion(side_by_side(first, second), "drives", names, (*led.units, *model.layout.drive_units))

    def settings(self, model: "Model", own: "Model | None" = None) -> Vector:
        """See `Law`."""
        limits = np.zeros(0) if self.limit is None else self.limits(model)
        return np.concatenate([self.law.settings(model, own), limits])

    def inner(self, model: "Model", q: Vector, v: Vector) -> Inner:
        """See `Law`."""
        return self.law.inner(model, q, v)

    def signals(self, model: "Model", names: Any, units: Any) -> Signals:
        """See `Law`."""
        return self.law.signals(model, names, units)

    def reports(self, model: "Model") -> Any:
        """See `Law`."""
        return self.law.reports(model)

    def report(self, here: Here) -> dict[str, Vector]:
        """See `Law`."""
        return self.law.report(here)

    def act(self, here: Here) -> Action:
        """See `Law`."""
        now, m = here.now, len(here.now.position) - len(here.measured.model.mechanism.drives)
        led = Instant(now.position[:m], now.velocity[:m], now.acceleration[:m], None, now.kind, now.tail, now.time)
        size, push = len(self.law.settings(here.measured.model, here.own.model)), now.position[m:]
        limit = None if self.limit is None else lambda tau: self.limited(here, tau)
        view = replace(here, now=led, settings=here.settings[:size], around=here.around.inside(push, limit))
        action = self.law.act(view)
        tau = demand_shape(self.law, "forces", action.tau, here.model.layout.drive_names, "drive")
        return Action(self.limited(here, tau + push), action.rates)

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        return super().describe() | {"of": self.law.describe(), "forces_s": self.push.duration}
