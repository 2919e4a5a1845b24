"""Joints that close loops: of a leg between the last body of its chain and the platform, or between any two bodies."""

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from gough.joints import ALL
from gough.robot.checks.joints import (
    LEAST_ANGLE,
    angle_faults,
    axes_faults,
    axis_kind_faults,
    dimension_faults,
    effect_faults,
    has_axis,
    meant_type,
    with_dimensions,
)
from gough.robot.checks.suggestions import MEANT
from gough.robot.effects import Friction, Frictions, Limits
from gough.robot.fields import Angle, Name, PositiveLength, Vector
from gough.robot.item import Demand, Fault, Item, as_stated, is_given, look
from gough.robot.joint import AxisPair
from gough.robot.pose import Pose
from gough.robot.units import with_article
from gough.scalar import VariedNumber, sin

if TYPE_CHECKING:
    CutType = str
else:
    CutType = Literal[tuple(name for name, joint in ALL.items() if joint.closes_loop)]


class ClosingJoint(Item):
    """What cuts and loops have in common: they have no coordinate, so neither drive, spring nor armature, and a default axis."""

    NEWER_KEYS: ClassVar[Mapping[str, int]] = {"angle": 2}
    NEWER_TYPES: ClassVar[Mapping[str, int]] = {"revolute_spherical": 2}

    called: ClassVar[str] = "loop"
    called_at_length: ClassVar[str] = "loop's joint"

    def newer_values(self) -> Mapping[str, int]:
        kind, friction = getattr(self, "type", ""), getattr(self, "friction", None)
        newer = {"type": self.NEWER_TYPES.get(kind, 1), "friction": 2 if isinstance(friction, tuple) else 1}
        return {key: since for key, since in newer.items() if since > 1}

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from _closure_faults(data, cls.called)

    def demands(self) -> Iterator[Demand]:
        angle = getattr(self, "angle", None)
        if isinstance(angle, VariedNumber):
            least, words = sin(angle) - math.sin(LEAST_ANGLE), "not negative: its axes are not all but parallel"
            yield Demand(("angle",), f"sin({as_stated(angle)}) - sin(5 deg)", least, "not negative", words)

    @classmethod
    def unknown(cls, key: Any, value: Any) -> Fault:
        return _passive_only(key, value, cls.called_at_length) or super().unknown(key, value)

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        data = {key: value for key, value in data.items() if value is not None}
        if has_axis(data.get("type")):
            data.setdefault("axis", (0.0, 0.0, 1.0))
        return data


@with_dimensions
class Cut(ClosingJoint):
    """A cut joint between the last body of a chain and the platform.

    on_leg is the joint frame in the last body. axis (revolute, cylindrical, prismatic; planar: its normal) is in that
    frame. axes of a universal cut: the first fixed to the last body (on_leg frame), the second fixed to the platform
    (on_platform frame of the leg); angle: between them, default 90 deg. length: constant_length, the distance (m) between
    the two origins; revolute_spherical, the second origin's from the axis.
    """

    called: ClassVar[str] = "cut"
    called_at_length: ClassVar[str] = "cut joint"

    name: Name = "cut"
    type: CutType
    on_leg: Pose = Field(default_factory=Pose)
    axis: Vector | None = None
    axes: AxisPair | None = None
    angle: Angle | None = None
    length: PositiveLength | None = None
    friction: Frictions = Field(default_factory=Friction)
    limits: Limits = Field(default_factory=Limits)


class LoopEnd(Item):
    """One side of a loop: a body and the joint frame on it.

    body: "world", a body under `bodies`, the platform's name, or "leg.body"; in a leg also a body of the leg by its own
    name. In a leg a pose on the platform is in the leg's on_platform frame, one on the world in the leg's base frame.
    """

    body: str
    pose: Pose = Field(default_factory=Pose)

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in data.items() if value is not None}


@with_dimensions
class Loop(ClosingJoint):
    """A closure between two bodies.

    axis (revolute, cylindrical, prismatic; planar: its normal) is in the joint frame and the same on both sides. axes of
    a universal loop: the first fixed to the first body, the second to the second body, each in the joint frame there;
    angle: between them, default 90 deg. length: constant_length, the distance (m) between the two origins;
    revolute_spherical, the second origin's from the axis.
    """

    name: Name
    type: CutType
    first: LoopEnd
    second: LoopEnd
    axis: Vector | None = None
    axes: AxisPair | None = None
    angle: Angle | None = None
    length: PositiveLength | None = None
    friction: Frictions = Field(default_factory=Friction)
    limits: Limits = Field(default_factory=Limits)


def _passive_only(key: Any, value: Any, what: str) -> Fault | None:
    """The fault of a drive or spring in a joint that closes a loop: it has no coordinate; None for other keys."""
    word = str(key).lower()
    kinds = {"spring": word.startswith("spring"), "armature": word == "armature"}
    kinds["drive"] = word in ("drive", *MEANT["drive"].split())
    kind = next((name for name, meant in kinds.items() if meant), None)
    if kind is None:
        return None
    message = f"{with_article(kind)} on a {what}, which has no coordinate: the loop is cut there"
    remedy = f"the {kind} on a joint of the tree; cut the loop at another, passive joint"
    return Fault((str(key),), value, message, remedy)


def _closure_faults(data: dict[str, Any], what: str) -> Iterator[Fault]:
    """Problems between the keys of a joint that closes a loop; what: how messages call it."""
    kind = meant_type(look(data, "type"))
    joint = ALL.get(kind) if isinstance(kind, str) else None
    yield from dimension_faults(kind, data, what)
    if joint is not None and not joint.moves_body and is_given(data, "friction"):
        yield Fault(("friction",), data["friction"], f"friction on a {kind} {what}", "no friction")
    for key in ("lower", "upper", "speed"):
        if is_given(data, "limits", key) and joint is not None and not joint.carried_when_cut:
            message = f"{key} on a {what}, which has no coordinate: the loop is cut there"
            yield Fault(
                ("limits", key),
                look(data, "limits", key),
                message,
                "this joint in the tree, with its limits, and the loop cut at another joint",
            )
    yield from axis_kind_faults(kind, data)
    yield from axes_faults(data, carried=False)
    yield from angle_faults(kind, data)
    yield from effect_faults(kind, data, cut=True)
