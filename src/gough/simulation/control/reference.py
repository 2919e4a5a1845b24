"""Motions in the terms of a law: drives in the robot's order, a platform's own pose, drives that follow from a pose.

What is no polynomial any more is tabulated by fitted ones (see `motion.table`): to 1e-13 of its range.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gough.arguments import a_model, a_motion, checked
from gough.errors import Status, UsageError
from gough.simulation.motion.motion import Motion, coordinate_motion, pose_motion
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.states import states_for
from gough.simulation.motion.targets import MotionTarget, drive_order, target_of
from gough.spatial.charts import Three
from gough.spatial.poses import quaternion_product

if TYPE_CHECKING:
    from gough.model import Model


@dataclass(frozen=True, eq=False)
class LedPath:
    """What a motion leads of a robot."""

    of: Motion
    target: MotionTarget

    @property
    def breaks(self) -> np.ndarray:
        """Those of the motion."""
        return self.of.breaks

    def sample(self, t: np.ndarray, left: bool) -> Sample:
        """The motion at times t (m,) in terms of the robot."""
        return self.target.wanted_sample(Sample(*self.of._at(t, left)))


class PlatformPath(LedPath):
    """The pose of a robot's platform in a motion of another frame on it: x y z and the quaternion's numbers."""

    def at(self, t: np.ndarray, left: bool) -> Three:
        """As `TimePath.at`: q̇ = ω q/2, q̈ = (ω̇ q + ω q̇)/2."""
        wanted = self.sample(t, left)
        q, velocity, acceleration = wanted.position[:, 3:], wanted.velocity, wanted.acceleration
        w, wd = (np.insert(0.5 * x[:, 3:], 0, 0.0, axis=1) for x in (velocity, acceleration))
        qd = quaternion_product(w, q)
        qdd = quaternion_product(wd, q) + quaternion_product(w, qd)
        rates = [np.concatenate([x[:, :3], turn], axis=1) for x, turn in ((velocity, qd), (acceleration, qdd))]
        return wanted.position, rates[0], rates[1]


class DrivesPath(LedPath):
    """The drives of a robot that follows a motion; of the robot before it bends."""

    def at(self, t: np.ndarray, left: bool) -> Three:
        """As `TimePath.at`."""
        wanted, model = self.sample(t, left), self.target.model
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
        found = model.function("joint_motion").values(q=along.q, v=along.v, vdot=whole, parameters=self.target.numbers)
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
    return replace(
        motion,
        names=tuple(motion.names[k] for k in order),
        units=tuple(motion.units[k] for k in order),
        parts=tuple(part.reordered_part(order) for part in motion.parts),
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
    return pose_motion(PlatformPath(motion, target), "quaternion_wxyz", extend=motion.extend)


@checked(model=a_model, motion=a_motion)
def drives_of(model: "Model", motion: Motion, parameters: np.ndarray | None = None) -> Motion:
    """What the drives do in a motion of any kind, as a motion of kind "drives" in the robot's order.

    By the inverse geometry at every time asked for, rates and accelerations exact; flexible bodies are straight. Another motion
    than one of drives begins in home's assembly. parameters (n,): of another design.
    """
    if motion.kind == "drives":
        return in_drive_order(model, motion)
    layout = model.layout
    units = tuple("rad" if unit == "N m" else "m" for unit in layout.drive_units)
    path = DrivesPath(motion, target_of(model, motion, parameters))
    return coordinate_motion(path, "drives", layout.drive_names, units, extend=motion.extend)
