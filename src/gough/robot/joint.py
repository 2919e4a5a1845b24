"""Joints of legs and between bodies: kind, placement, axis, and what acts in them (friction, spring, drive, limits)."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from gough.joints import ALL
from gough.robot.body import Body
from gough.robot.checks.joints import (
    axes_faults,
    axis_kind_faults,
    dimension_faults,
    effect_faults,
    has_axis,
    meant_type,
    with_dimensions,
)
from gough.robot.effects import Armature, Drive, Friction, Frictions, JointSprings, Limits
from gough.robot.fields import Name, Vector, exactly, numbers
from gough.robot.item import Demand, Fault, Item, as_stated, is_given, look
from gough.robot.pose import Mdh, Pose, are_perpendicular

if TYPE_CHECKING:
    MovingType = str
else:
    MovingType = Literal[tuple(name for name, joint in ALL.items() if joint.moves_body)]

AxisPair = Annotated[tuple[Vector, Vector], exactly(2, "two unit vectors [first, second]")]


class MovingJoint(Item):
    """What joints that carry a body have in common. friction, spring, armature, limits: of all its freedoms, or lists of them."""

    NEWER_KEYS: ClassVar[Mapping[str, int]] = {"armature": 2}

    def newer_values(self) -> Mapping[str, int]:
        axes, spring = getattr(self, "axes", None), getattr(self, "spring", None)
        newer = {
            "axes": axes is not None and not are_perpendicular(axes),
            "friction": isinstance(getattr(self, "friction", None), tuple),
            "spring": spring is not None
            and (isinstance(spring, tuple) or not ALL[getattr(self, "type", "")].is_scalar),
        }
        return {key: 2 for key, so in newer.items() if so}

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from joint_faults(data)

    def demands(self) -> Iterator[Demand]:
        for d in ALL[getattr(self, "type", "")].dimensions:
            number = getattr(self, d.key)
            if d.nonzero:
                yield Demand((d.key,), as_stated(number), number, "not zero", "other than 0")


@with_dimensions
class ChainJoint(MovingJoint):
    """A joint of a leg with the body it carries.

    placement (written `pose`, or `mdh`) is the joint frame in the antecedent body's frame; the body's frame is the
    joint frame moved by the joint. axis: of joints that have one (planar: its normal), in the joint frame, default z.
    axes: of universal, the first fixed to the antecedent, the second carried. on: the joint of the leg whose body is the
    antecedent, default the one before it in the chain; "base" is the leg's base frame.
    """

    name: Name
    type: MovingType
    on: Name | None = None
    placement: Pose = Field(default_factory=Pose, alias="pose")
    mdh: Mdh | None = None
    axis: Vector | None = None
    axes: AxisPair | None = None
    body: Body = Field(default_factory=Body)
    friction: Frictions = Field(default_factory=Friction)
    spring: JointSprings = None
    armature: Armature = 0.0
    drive: Drive | None = None
    limits: Limits = Field(default_factory=Limits)

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        return {**prepare_joint(data), "body": named_body(data.get("body"), data.get("name"))}


@with_dimensions
class TreeJoint(MovingJoint):
    """A joint between two bodies of the robot.

    parent: "world", a body under `bodies`, the platform's name, or "leg.body". child: a body under `bodies`; each is
    the child of exactly one joint. The other fields are those of a ChainJoint: placement (written `pose`, or `mdh`) is
    the joint frame in the parent's frame, and the child's frame is the joint frame moved by the joint.
    """

    name: Name
    type: MovingType
    parent: str
    child: str
    placement: Pose = Field(default_factory=Pose, alias="pose")
    mdh: Mdh | None = None
    axis: Vector | None = None
    axes: AxisPair | None = None
    friction: Frictions = Field(default_factory=Friction)
    spring: JointSprings = None
    armature: Armature = 0.0
    drive: Drive | None = None
    limits: Limits = Field(default_factory=Limits)

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        return prepare_joint(data)


def joint_faults(data: dict[str, Any]) -> Iterator[Fault]:
    """Problems between the keys of a joint that moves a body."""
    kind = meant_type(look(data, "type"))
    if is_given(data, "mdh"):
        yield from _mdh_faults(data)
    yield from dimension_faults(kind, data, "joint")
    yield from axis_kind_faults(kind, data)
    yield from axes_faults(data, carried=True)
    yield from effect_faults(kind, data)


def prepare_joint(data: dict[str, Any]) -> dict[str, Any]:
    """The raw keys of such a joint with the placement of its mdh and its default axis."""
    data = dict(data)
    if is_given(data, "mdh"):
        data["pose"] = data.pop("placement", None) or data.pop("pose", None) or _mdh_pose(data["mdh"])
    for key in ("friction", "limits", "armature", "pose", "placement"):
        if key in data and data[key] is None:
            del data[key]
    if has_axis(data.get("type")) and data.get("axis") is None:
        data["axis"] = (0.0, 0.0, 1.0)
    return data


def default_body_name(joint: Any) -> str:
    """The name of the body that a joint carries where none is written."""
    return f"{joint}_body"


def named_body(body: Any, joint: Any) -> Any:
    """A joint's raw body with its default name."""
    if body is None:
        return {"name": default_body_name(joint)}
    if isinstance(body, dict) and body.get("name") is None:
        return {**body, "name": default_body_name(joint)}
    return body


def _mdh_pose(mdh: Any) -> Pose:
    try:
        return Mdh.model_validate(mdh).pose()
    except ValueError:
        return Pose()


def _mdh_faults(data: dict[str, Any]) -> Iterator[Fault]:
    for key in ("pose", "placement"):
        if is_given(data, key) and data[key] != _mdh_pose(data["mdh"]):
            yield Fault((key,), data[key], "placed twice, by pose and mdh", "either pose or mdh")
    if is_given(data, "axis") and numbers(data["axis"], 3) != [0.0, 0.0, 1.0]:
        yield Fault(("axis",), data["axis"], "an axis beside mdh", "no axis: with mdh it is z of the joint frame")
