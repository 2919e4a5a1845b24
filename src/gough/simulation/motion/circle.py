"""Circles: of a frame's origin in space, or of two drives or joints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arguments import checked, flag, number, numbers, word, words
from gough.errors import UsageError
from gough.simulation.motion.coordinate_motion import coordinate_motion
from gough.simulation.motion.motion import Motion, check_duration
from gough.simulation.motion.paths import Curve, Three, constant
from gough.simulation.motion.plane import plane_of, positive
from gough.simulation.motion.pose_motion import pose_motion
from gough.simulation.motion.time_laws import law as law_of


@dataclass(frozen=True, eq=False)
class Arc(Curve):
    """center + radius (cos θ along + sin θ across), with the angle θ(t) a curve of one coordinate."""

    angle: Curve
    center: np.ndarray
    along_arm: np.ndarray
    across_arm: np.ndarray

    def at(self, t: np.ndarray, left: bool) -> Three:
        """As `Curve.at`."""
        a, ad, add = self.angle.at(t, left)
        c, s = np.cos(a), np.sin(a)
        out = c * self.along_arm + s * self.across_arm
        around = c * self.across_arm - s * self.along_arm
        return self.center + out, ad * around, add * around - ad**2 * out

    def along(self, start: np.ndarray, step: np.ndarray) -> Curve:
        """Nothing: an arc is no time law."""
        raise NotImplementedError("an arc is no time law")


@checked(
    radius=number(above=0),
    duration=number(above=0),
    speed=number(above=0),
    turns=number(),
    law=word,
    ramp=number(0),
    start_angle=number(),
    turning=flag,
    normal=numbers,
    towards=numbers,
    plane=words,
    frame=word,
    extend=word,
)
def circle(
    *,
    radius: float,
    pose: Any = None,
    point: Any = None,
    drives: Any = None,
    joints: Any = None,
    duration: float | None = None,
    speed: float | None = None,
    turns: float = 1.0,
    law: str = "quintic",
    ramp: float | None = None,
    start_angle: float = 0.0,
    turning: bool = False,
    normal: Any = None,
    towards: Any = None,
    plane: Sequence[str] | None = None,
    frame: str | None = None,
    extend: str | None = None,
) -> Motion:
    """`turns` turns (negative: backwards) about a centre, from center + radius towards (turned by start_angle, rad) on.

    The centre: pose= (the orientation stays, or turns along with `turning`), point= of `frame`, or drives= or joints=
    {name: value} with `plane` naming the two that move. duration (s), or speed (m/s) with law "constant".
    law: "quintic", "trigonometric", "trapezoid" with its ramp (s), all from rest to rest; "constant" speed.
    """
    where = plane_of(pose, point, drives, joints, normal, towards, plane, frame)
    r = positive("radius", radius)
    if not np.isfinite(turns) or turns == 0 or not np.isfinite(start_angle):
        raise UsageError(f"turns={turns!r}, start_angle={start_angle!r}; give finite numbers, and turns other than 0")
    if (duration is None) == (speed is None):
        raise UsageError("circle: give duration=, or speed= with law='constant'")
    if speed is not None and law != "constant":
        raise UsageError(f"circle: speed= goes with law='constant', not {law!r}")
    angle = 2.0 * np.pi * float(turns)
    seconds = check_duration("duration", duration) if speed is None else abs(angle) * r / positive("speed", speed)
    if turning and where.kind != "pose":
        raise UsageError("turning= goes with pose=")
    path = law_of(law, seconds, ramp).along(np.array([start_angle]), np.array([angle]))
    arc = Arc(path.breaks, path, where.center, r * where.along, r * where.across)
    if where.kind != "pose":
        kind = "point" if where.kind == "point" else where.kind
        return coordinate_motion(arc, kind, where.names, where.units, where.frame, extend)
    turn = (
        law_of(law, seconds, ramp).along(np.zeros(3), angle * where.normal)
        if turning
        else constant(np.zeros(3), seconds)
    )
    return pose_motion(arc, turn, base=where.base, frame=frame, extend=extend)
