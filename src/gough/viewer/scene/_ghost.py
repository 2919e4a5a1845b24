"""The reference of a run in the scene: a pale robot where the motion wants the platform or the drives, a ball at a point."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gough.errors import BadStateError, UsageError
from gough.simulation.results.run import Run
from gough.simulation.results.tracking import REFERENCE
from gough.viewer.drawing.figure import Figure
from gough.viewer.scene.robot import RobotScene

Array = np.ndarray
COLOUR = (70, 160, 105)
OPACITY = 0.35
BALL = 0.012
"""Radius of the ball, in robot sizes."""
SEEN = 0.01
"""Of the robot's size: an error that is seen."""


class Wanted:
    """What a run's motion wants, from what the run keeps of it. robot: whether it is the platform's pose or the drives, from
    which a configuration follows; else points, or nothing."""

    def __init__(self, run: Run) -> None:
        about = run.info.motion
        self.run = run
        self.kind = str(about.get("kind", "")) if isinstance(about, Mapping) and REFERENCE in run.recorded else ""
        frame = about.get("frame") if isinstance(about, Mapping) else None
        own = run.model.mechanism.platform.name if run.layout.n_pose else None
        entries = run.recorded[REFERENCE].entries if self.kind else ()
        self.names = [entry.removeprefix(f"{REFERENCE}.") for entry in entries]
        drives = self.kind == "drives" and set(self.names) == set(run.layout.drive_names)
        self.robot = drives or (self.kind == "pose" and frame in (None, own))
        self.point = self.kind in ("pose", "point") and not self.robot

    @property
    def seen(self) -> bool:
        """Whether the robot is ever so far from it that both can be told apart."""
        if "tracking" not in self.run:
            return False
        units, most = self.run.channel("tracking").units, np.nanmax(np.abs(self.run["tracking"]), axis=0)
        sizes = {"m": SEEN * self.run.model.size, "rad": 2 * SEEN}
        return any(x > sizes.get(unit, np.inf) for unit, x in zip(units, most, strict=True))

    def at(self, time: float) -> Array:
        """The reference (k,) at a time (s), straight between stored times; quaternions of unit length."""
        found = np.array([np.interp(time, self.run.time, x) for x in self.run.recorded[REFERENCE].values.T])
        if self.kind == "pose":
            found[3:7] /= np.linalg.norm(found[3:7])
        return found

    def configuration(self, time: float, near: Array) -> Array | None:
        """The robot (nq,) there, its bodies straight, in the assembly near one; None where it cannot be there."""
        x, run = self.at(time), self.run
        try:
            if self.kind == "pose":
                return run.model.configuration(pose=x[:7], near=near, parameters=run.parameters)
            drives = x[[self.names.index(name) for name in run.layout.drive_names]]
            return run.model.configuration(drives=drives, near=near, parameters=run.parameters)
        except (BadStateError, UsageError):
            return None


class GhostScene:
    """A run's reference under a root of a scene. offset (3,): where the run's robot stands (m)."""

    def __init__(self, scene: Any, wanted: Wanted, figure: Figure, root: str, offset: Sequence[float]) -> None:
        self.wanted = wanted
        self._robot: RobotScene | None = None
        self._ball: Any = None
        if wanted.robot:
            self._robot = RobotScene(scene, figure, root, offset, COLOUR, False, carried=True, opacity=OPACITY)
            self._at = tuple(float(x) for x in offset)
        elif wanted.point:
            self._frame = scene.add_frame(root, show_axes=False, position=tuple(float(x) for x in offset))
            radius = BALL * figure.size
            self._ball = scene.add_icosphere(f"{root}/point", radius=radius, color=COLOUR, opacity=0.6, subdivisions=2)

    def show(self, time: float, near: Array) -> None:
        """At a time (s); near (nq,): where the robot is."""
        if self._robot is not None:
            q = self.wanted.configuration(time, near)
            if q is not None:
                self._robot.show(q)
            self._robot.place(self._at, q is not None)
        elif self._ball is not None:
            self._ball.position = tuple(self.wanted.at(time)[:3])

    def remove(self) -> None:
        """Take it out of the scene."""
        if self._robot is not None:
            self._robot.remove()
        if self._ball is not None:
            self._frame.remove()
