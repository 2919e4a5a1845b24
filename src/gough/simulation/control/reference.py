"""Motions in the terms of a law: drives in the robot's order, a platform's own pose, drives that follow from a pose.

What is no polynomial any more is tabulated by fitted ones (see `table_fit`): to 1e-13 of its range.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_model, a_motion, checked
from gough.errors import Status, UsageError
from gough.simulation.given import demand, demand_model
from gough.simulation.motion.motion import Motion, Sample
from gough.simulation.motion.paths import Three
from gough.simulation.motion.states import states_for
from gough.simulation.motion.table import MotionTable, unmeasured
from gough.simulation.motion.targets import Target, drive_order, target_of

if TYPE_CHECKING:
    from gough.model import Model


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Reordered(Motion):
    """Channels of another motion in another order."""

    of: Motion
    order: tuple[int, ...]

    def _at(self, t: np.ndarray, left: bool) -> Three:
        x, xd, xdd = self.of._at(t, left)
        order = list(self.order)
        return x[:, order], xd[:, order], xdd[:, order]

    def _table(self) -> MotionTable:
        made = unmeasured(self.of)
        units = tuple(self.units)
        return replace(made, names=self.names, units=units, coefficients=made.coefficients[:, list(self.order)])

    @property
    def kinks(self) -> np.ndarray:  # type: ignore[override]
        """As those of the motion itself."""
        return self.of.kinks


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InTermsOf(Motion):
    """Another motion as what a robot's platform or its drives do then; drives of the robot before it bends."""

    of: Motion
    target: Target

    def _at(self, t: np.ndarray, left: bool) -> Three:
        wanted = self.target.wanted(Sample(*self.of._at(t, left)))
        if self.kind == "pose":
            return wanted.position, wanted.velocity, wanted.acceleration
        model = self.target.model
        order = np.argsort(t, kind="stable")
        back = np.argsort(order, kind="stable")
        rising = Sample(wanted.position[order], wanted.velocity[order], wanted.acceleration[order])
        along = states_for(self.target, t[order], rising)
        bad = along.status != 0
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            what = Status(int(along.status[k])).name.lower()
            raise UsageError(
                f"{model.robot.name} cannot follow the motion at t = {along.t[k]:.6g} s: {what} ({along.places[k]}); see "
                "gough.check_motion"
            )
        whole = np.concatenate(
            [along.acceleration, np.zeros((len(t), model.layout.nv - model.layout.mobility))], axis=1
        )
        found = model.function("joint_motion").values(
            q=along.q, v=along.v, acceleration=whole, parameters=self.target.numbers
        )
        columns = [model.mechanism.links[d.link].u for d in model.mechanism.drives]
        three = (along.q[:, model.drive_index], found["u"][:, columns], found["ud"][:, columns])
        return tuple(x[back] for x in three)  # type: ignore[return-value]


def in_drive_order(model: "Model", motion: Motion) -> Motion:
    """The motion as it is; drives (and forces on them) in the order of the robot's."""
    if motion.kind not in ("drives", "forces"):
        return motion
    order = drive_order(model, motion)
    if order == tuple(range(len(order))):
        return motion
    units = tuple(motion.units[k] for k in order)
    names = tuple(motion.names[k] for k in order)
    return Reordered(
        kind=motion.kind, names=names, units=units, breaks=motion.breaks, extend=motion.extend, of=motion, order=order
    )


def of_platform(model: "Model", motion: Motion, parameters: np.ndarray | None = None) -> Motion:
    """A motion of kind "pose" as that of the platform itself."""
    target = target_of(model, motion, parameters)
    if target.columns is None:
        raise UsageError(
            f"frame {motion.frame!r} is not on the platform of {model.robot.name}: its pose is no output of a controller; give "
            "the pose of the platform, or a motion of the drives (gough.laws.drives_of)"
        )
    if target.on_platform is None:
        return motion
    return _made(motion, target, "pose", motion.names, motion.units)


@checked(model=a_model, motion=a_motion)
def drives_of(model: "Model", motion: Motion, parameters: np.ndarray | None = None) -> Motion:
    """What the drives do in a motion of any kind, as a motion of kind "drives" in the robot's order.

    By the inverse geometry at every time asked for, rates and accelerations exact; flexible bodies are straight. Another motion
    than one of drives begins in home's assembly. parameters (n,): of another design.
    """
    demand_model(model, "drives_of")
    demand(Motion, "motion", motion, "a gough.Motion (gough.motions makes them)")
    if motion.kind == "drives":
        return in_drive_order(model, motion)
    layout = model.layout
    units = tuple("rad" if unit == "N m" else "m" for unit in layout.drive_units)
    return _made(motion, target_of(model, motion, parameters), "drives", layout.drive_names, units)


def _made(motion: Motion, target: Target, kind: str, names: Any, units: Any) -> InTermsOf:
    return InTermsOf(
        kind=kind,
        names=tuple(names),
        units=tuple(units),
        breaks=motion.breaks,
        extend=motion.extend,
        of=motion,
        target=target,
    )
