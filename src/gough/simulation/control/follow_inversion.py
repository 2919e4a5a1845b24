"""Forces that were found before, and feedback about the motion they belong to.

τ = τ_ref(t) + feedback of (x - x_ref(t)),   x: drives, or drives and deformations, and their rates                       (1)
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.errors import UsageError
from gough.scalar import product
from gough.simulation.control.instant import Instant
from gough.simulation.control.joint_pd import JointPD
from gough.simulation.control.law import Here, Law
from gough.simulation.control.linear.lqr import LQR, places_of_others
from gough.simulation.inversion.inverted import StableInversion
from gough.simulation.motion.paths import inside

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
SAME = 1e-12
"""Difference of two positions (m, rad) that is rounding."""


@dataclass(frozen=True)
class FollowInversion(Law):
    """The drive forces of a stable inversion, and feedback about its motion.

    inverted: what `gough.stable_inversion` found; the motion is `inverted.motion`. feedback: a `JointPD` (without gravity,
    which the forces contain), of the drives alone; or an `LQR`, of deformations, too, which robots need that depart with
    their drives held. limit: see `Law`; nominal=, model= are those of the feedback.
    """

    inverted: StableInversion
    feedback: JointPD | LQR
    name = "following an inversion"
    kinds = ("drives",)
    in_files = False
    fixed_reference: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.inverted, StableInversion):
            raise UsageError(f"inverted={self.inverted!r}; give what gough.stable_inversion found")
        if not isinstance(self.feedback, JointPD | LQR):
            raise UsageError(f"feedback={self.feedback!r}; give a gough.laws.JointPD, or a gough.laws.LQR")
        if self.nominal is not None or self.feedback.limit is not None:
            raise UsageError(
                "following an inversion: give nominal= to its feedback=, and limit= to itself: forces are limited together"
            )
        if isinstance(self.feedback, JointPD) and self.feedback.gravity:
            raise UsageError("following an inversion: its forces hold the weight; give a JointPD with gravity=False")

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.feedback.knows()

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return type(self.feedback), self.feedback.structure

    @property
    def drives_as(self) -> Any:
        """See `Law`."""
        return self.feedback.drives_as

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        super().check(model, motion)
        if motion is None or not _begins_as(motion, self.inverted.motion):
            raise UsageError(
                "following an inversion: the motion is not that of its inversion; give inverted.motion as it is"
            )
        own = self.inverted.model.layout
        if (own.q_names, own.drive_names) != (model.layout.q_names, model.layout.drive_names):
            raise UsageError(
                f"following an inversion: {model.robot.name} has other coordinates than {self.inverted.model.robot.name}, "
                f"which was inverted"
            )
        self.feedback.check(model, motion)

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """See `Law`."""
        return replace(self, feedback=self.feedback.tune(model, period))

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`: drives, other coordinates and forces."""
        made = self.inverted.reference
        longer = motion.duration - made.duration
        return made.hold(longer, jump=True) if longer > 0 else made

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """See `Law`."""
        return {"limit": model.layout.drive_units}

    def own_settings(self, model: "Model") -> Vector:
        """Those of the feedback."""
        return self.feedback.own_settings(model)

    def forces(self, here: Here) -> Vector:
        """tau (drives,): equation (1)."""
        n, now, seen = len(here.model.layout.drive_names), here.now, here.measured
        others = len(now.position) - n
        planned = now.position[others:]
        if isinstance(self.feedback, JointPD):
            drives = Instant(
                now.position[:n], now.velocity[:n], now.acceleration[:n], None, now.kind, now.tail, now.time
            )
            return planned + self.feedback.forces(replace(here, now=drives))
        places = places_of_others(here.model)
        m = len(places)
        K = here.settings[2 * n + m : 2 * n + m + n * 2 * (n + m)].reshape(n, -1)
        away = [seen.drives, np.array([here.q[place] for place, _ in places], dtype=object)]
        rates = [seen.drive_rates, np.array([here.v[k] for _, k in places], dtype=object)]
        x, xd = np.concatenate(away), np.concatenate(rates)
        return planned - product(K, np.concatenate([x - now.position[:others], xd - now.velocity[:others]]))

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        found = self.inverted
        told = {"feedback": self.feedback.describe(), "frame": found.frame, "zeros": len(found.growing)}
        return super().describe() | told | {"pre": found.before.seconds, "post": found.after.seconds}


def _begins_as(motion: "Motion", own: "Motion") -> bool:
    """Whether a motion is the own one, at rest behind it where it is longer."""
    if motion is own:
        return True
    if motion.names != own.names or motion.duration < own.duration:
        return False
    t = np.concatenate([inside(own.breaks, 1), [own.duration]])
    same = np.abs(motion.at(t, side="left").position - own.at(t, side="left").position).max() <= SAME
    behind = np.linspace(own.duration, motion.duration, 9)
    return bool(same) and float(np.abs(motion.at(behind).position - own.at(own.duration).position).max()) <= SAME
