"""Motions as they are written in files: one mapping a family, keys as the arguments of the functions.

motion: {quintic: {poses: [...], durations: 0.8 s, rests: [...]}}        one motion
motion: [{quintic: {...}}, {hold: 0.5 s}, {circle: {...}}]               one after the other
motion: long2014_poses                                                   a named one
Times and lists of numbers have units; coordinates and speeds remember theirs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator

from gough.errors import UsageError
from gough.robot.fields import Angle, Coordinate, FullName, Number, Position, Vector, quantity
from gough.robot.item import Item
from gough.robot.pose import Pose
from gough.robot.units import demand_fit
from gough.simulation.motion._law_limits import RATES
from gough.simulation.motion._points import with_units
from gough.simulation.motion._written import Numbers, number_field
from gough.simulation.motion.circle import circle, square
from gough.simulation.motion.fourier import POSED, fourier
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.moves import polygon, quintic, septic, trapezoid, trigonometric
from gough.simulation.motion.quiet.quiet import quiet
from gough.simulation.motion.s_curve import s_curve
from gough.simulation.motion.shape import shape
from gough.simulation.motion.spline import spline, spline_file

_positive, _not_negative = number_field("time", bound="positive"), number_field("time", bound="not negative")
_list = number_field("time", bound="not negative", one=False)
_values = number_field("length", "angle", "number", one=False)
_speeds = number_field("speed", "angular speed", bound="positive")
_turn_speeds = number_field("angular speed", bound="positive")
_accelerations = number_field("acceleration", "angular acceleration", bound="positive")
_turn_accelerations = number_field("angular acceleration", bound="positive")
_jerks, _turn_jerks = (
    number_field("jerk", "angular jerk", bound="positive"),
    number_field("angular jerk", bound="positive"),
)
_snaps, _turn_snaps = (
    number_field("snap", "angular snap", bound="positive"),
    number_field("angular snap", bound="positive"),
)

Durations = Annotated[float | Numbers, *_positive]
"""Positive times (s): one, or a list."""
Rests = Annotated[float | Numbers, *_not_negative]
Moments = Annotated[Numbers, *_list]
"""A list of times."""
Values = Annotated[Numbers, *_values]
"""A list of lengths or angles."""
Speeds = Annotated[float | Numbers, *_speeds]
TurnSpeeds = Annotated[float | Numbers, *_turn_speeds]
Accelerations = Annotated[float | Numbers, *_accelerations]
TurnAccelerations = Annotated[float | Numbers, *_turn_accelerations]
Jerks = Annotated[float | Numbers, *_jerks]
TurnJerks = Annotated[float | Numbers, *_turn_jerks]
Snaps = Annotated[float | Numbers, *_snaps]
TurnSnaps = Annotated[float | Numbers, *_turn_snaps]
Time = Annotated[float, quantity("time", bound="positive")]
Extend = Literal["hold"]
Place = Pose | Literal["home"]


def _pose_or_home(value: Any) -> Any:
    """Never tried as both, so that each fault is told once."""
    return value if value == "home" or value is None else Pose.model_validate(value, context={"reading": True})


PoseOrHome = Annotated[Place, BeforeValidator(_pose_or_home)]


class MotionItem(Item):
    """What all families share."""

    make: ClassVar[Callable[..., Motion]]
    extend: Extend | None = None

    def arguments(self, home: np.ndarray | None) -> dict[str, Any]:
        """Arguments of the family's function; home (7,): where "home" is written."""
        given = {name: getattr(self, name) for name in type(self).model_fields if name != "source"}
        return {name: value for name, value in given.items() if value is not None}

    def motion(self, home: np.ndarray | None, folder: Path) -> Motion:
        """What the item describes; home (7,): where "home" is written, folder: where its files are."""
        return type(self).make(**self.arguments(home))


class ThroughItem(MotionItem):
    """A motion through points."""

    poses: tuple[Pose, ...] | None = None
    points: tuple[Position, ...] | None = None
    drives: dict[str, Values] | None = None
    joints: dict[str, Values] | None = None
    orientation: Literal["shortest", "rpy_zyx", "bryant_xyz"] | None = None
    offsets_from: PoseOrHome | None = None
    frame: FullName | None = None

    def arguments(self, home: np.ndarray | None) -> dict[str, Any]:
        out = super().arguments(home)
        if out.get("offsets_from") == "home":
            out["offsets_from"] = home_of(home)
        return out


class QuinticItem(ThroughItem):
    """`quintic`."""

    durations: Durations | None = None
    times: Moments | None = None
    rests: Rests | None = None
    make = staticmethod(quintic)


class TrigonometricItem(QuinticItem):
    """`trigonometric`."""

    make = staticmethod(trigonometric)


class TrapezoidItem(QuinticItem):
    """`trapezoid`."""

    ramps: Rests | None = None
    speeds: Speeds | None = None
    turn_ramps: Rests | None = None
    turn_speeds: TurnSpeeds | None = None

    def motion(self, home: np.ndarray | None, folder: Path) -> Motion:
        made = trapezoid(**self.arguments(home))
        named = self.drives or self.joints
        moved = ("x", "y", "z") if named is None else [name for name, x in named.items() if len(set(x)) > 1]
        return with_units(made, moved, self.speeds, "speeds")


class SepticItem(QuinticItem):
    """`septic`."""

    make = staticmethod(septic)


class LimitedItem(ThroughItem):
    """A motion under limits."""

    speed: Speeds | None = None
    acceleration: Accelerations | None = None
    jerk: Jerks | None = None
    snap: Snaps | None = None
    turn_speed: TurnSpeeds | None = None
    turn_acceleration: TurnAccelerations | None = None
    turn_jerk: TurnJerks | None = None
    turn_snap: TurnSnaps | None = None

    def limited_motion(self, made: Motion) -> Motion:
        """The motion whose coordinates have the units of the limits."""
        named = tuple(self.drives or self.joints or ())
        for key in RATES:
            limit = getattr(self, key)
            if isinstance(limit, tuple) and named:
                for name, one in zip(named, limit, strict=True):
                    made = with_units(made, [name], one, key)
            else:
                made = with_units(made, named or ("x", "y", "z"), limit, key)
        return made


class SCurveItem(LimitedItem, QuinticItem):
    """`s_curve`."""

    make = staticmethod(s_curve)

    def motion(self, home: np.ndarray | None, folder: Path) -> Motion:
        return self.limited_motion(s_curve(**self.arguments(home)))


class QuietItem(LimitedItem):
    """`quiet`."""

    duration: Time | None = None
    band: Annotated[float, quantity("number", bound="not negative")] = 0.1
    tolerance: Annotated[float, quantity("number", bound="positive")] = 0.05
    pieces: int | None = None
    samples: int = 33
    make = staticmethod(quiet)

    def quiet_motion(self, home: np.ndarray | None, model: Any) -> Motion:
        """The motion of a model, which must be known."""
        if model is None:
            raise UsageError("quiet: whose modes? read the motion with its robot, model=")
        return self.limited_motion(quiet(model, **self.arguments(home)))


class EdgesItem(MotionItem):
    """Edges of a closed path."""

    durations: Durations
    rests: Rests | None = None
    period: Time | None = None
    law: Literal["quintic", "septic", "trapezoid", "trigonometric"] = "quintic"
    ramps: Rests | None = None


class PolygonItem(ThroughItem, EdgesItem):
    """`polygon`."""

    make = staticmethod(polygon)


class PosedItem(MotionItem):
    """A path about one pose."""

    pose: PoseOrHome | None = None

    def arguments(self, home: np.ndarray | None) -> dict[str, Any]:
        out = super().arguments(home)
        if out.get("pose") == "home":
            out["pose"] = home_of(home)
        return out


class CentreItem(PosedItem):
    """A path about a centre in a plane."""

    point: Position | None = None
    drives: dict[str, Coordinate] | None = None
    joints: dict[str, Coordinate] | None = None
    normal: Vector | None = None
    towards: Vector | None = None
    plane: tuple[str, str] | None = None
    frame: FullName | None = None

    def measured_motion(self, made: Motion, *keys: str) -> Motion:
        """The motion in whose plane the numbers at `keys` are measured."""
        named = self.drives or self.joints
        moved = ("x", "y", "z") if named is None else self.plane or tuple(named)
        for key in keys:
            made = with_units(made, moved, getattr(self, key), key)
        return made


class SquareItem(CentreItem, EdgesItem):
    """`square`."""

    side: Annotated[float, quantity("length", "angle", bound="positive")]

    def motion(self, home: np.ndarray | None, folder: Path) -> Motion:
        return self.measured_motion(square(**self.arguments(home)), "side")


class CircleItem(CentreItem):
    """`circle`."""

    radius: Annotated[float, quantity("length", "angle", bound="positive")]
    duration: Time | None = None
    speed: Annotated[float, quantity("speed", "angular speed", bound="positive")] | None = None
    turns: Number = 1.0
    law: Literal["quintic", "septic", "trapezoid", "trigonometric", "constant"] = "quintic"
    ramp: Time | None = None
    start_angle: Angle = 0.0
    turning: bool = False

    def motion(self, home: np.ndarray | None, folder: Path) -> Motion:
        return self.measured_motion(circle(**self.arguments(home)), "radius", "speed")


class SplineItem(ThroughItem):
    """`spline`; or `spline_file` with file:."""

    times: Moments | None = None
    file: str | None = None
    kind: Literal["drives", "joints"] | None = None
    degree: Literal[3, 5] = 3
    ends: Literal["rest", "natural", "free", "periodic"] = "rest"

    def motion(self, home: np.ndarray | None, folder: Path) -> Motion:
        arguments = self.arguments(home)
        if self.file is None:
            if self.kind is not None:
                raise UsageError("kind goes with file")
            if self.times is None:
                raise UsageError("give times, or a file with a column t")
            return spline(**arguments)
        inside = {"poses", "points", "drives", "joints", "times", "orientation", "offsets_from"} & set(arguments)
        if inside:
            raise UsageError(f"{', '.join(sorted(inside))}: not beside file, which has the samples")
        return spline_file(folder / arguments.pop("file"), **arguments)


class FourierItem(PosedItem):
    """`fourier`."""

    period: Time
    drives: dict[str, Coordinate] | None = None
    joints: dict[str, Coordinate] | None = None
    cosines: dict[str, Values] | None = None
    sines: dict[str, Values] | None = None
    periods: int = 1
    frame: FullName | None = None

    def motion(self, home: np.ndarray | None, folder: Path) -> Motion:
        made = fourier(**self.arguments(home))
        for key in ("cosines", "sines"):
            waves = getattr(self, key) or {}
            if self.pose is not None:
                demand_fit(waves, POSED, f"fourier: {key}")
            for name, amplitudes in waves.items() if self.pose is None else ():
                made = with_units(made, [name], amplitudes, f"{key}.{name}")
        return made


class ServosItem(Item):
    """Drives that are held by servos, one number or one each."""

    stiffness: Annotated[float | Numbers, *number_field("stiffness", "angular stiffness", bound="not negative")] = 0.0
    damping: Annotated[float | Numbers, *number_field("damping", "angular damping", bound="not negative")] = 0.0


def _locked_or_servos(value: Any) -> Any:
    """Never tried as both, so that each fault is told once."""
    return value if value == "locked" else ServosItem.model_validate(value, context={"reading": True})


class ShapeItem(Item):
    """Arguments of `shape` beside a motion."""

    shaper: Literal["zv", "zvd", "ei", "two_mode"] = "zv"
    modes: Annotated[float | Numbers, *number_field("number", bound="not negative")] | None = None
    drives: Annotated[Literal["locked"] | ServosItem, BeforeValidator(_locked_or_servos)] = "locked"
    frequency: Annotated[float | Numbers, *number_field("frequency", bound="positive")] | None = None
    damping: Annotated[float | Numbers, *number_field("number", bound="not negative")] | None = None
    tolerance: Annotated[float, quantity("number", bound="positive")] = 0.05
    samples: int = 33

    def shaped_motion(self, motion: Motion, model: Any) -> Motion:
        """The motion, shaped for the model (None: for the frequency given)."""
        held = (
            self.drives
            if isinstance(self.drives, str)
            else {"stiffness": self.drives.stiffness, "damping": self.drives.damping}
        )
        given = {
            name: getattr(self, name) for name in ("shaper", "modes", "frequency", "damping", "tolerance", "samples")
        }
        return shape(motion, model, drives=held, **given)


FAMILIES: dict[str, type[MotionItem]] = {
    "quintic": QuinticItem,
    "septic": SepticItem,
    "s_curve": SCurveItem,
    "quiet": QuietItem,
    "trapezoid": TrapezoidItem,
    "trigonometric": TrigonometricItem,
    "circle": CircleItem,
    "polygon": PolygonItem,
    "square": SquareItem,
    "spline": SplineItem,
    "fourier": FourierItem,
}
"""What may be written under `motion`, by key."""


def home_of(home: np.ndarray | None) -> np.ndarray:
    """The pose at home, or a UsageError where nobody said which robot moves."""
    if home is None:
        raise UsageError("'home' needs a robot: read the motion with model=, or write the pose")
    return home


__all__ = ["FAMILIES", "MotionItem", "home_of"]
