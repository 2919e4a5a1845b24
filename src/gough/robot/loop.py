"""A loop: a joint that closes the tree between two of its bodies."""

from collections.abc import Iterator
from typing import Any

from pydantic import Field

from gough.robot.cut import CutType, closure_faults, passive_only, prepare_closure
from gough.robot.fields import Name, PositiveLength, Vector
from gough.robot.item import Fault, Item
from gough.robot.joint import AxisPair, Friction, Limits
from gough.robot.pose import Pose


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


class Loop(Item):
    """A closure between two bodies.

    axis (revolute, cylindrical, prismatic; planar: its normal) is in the joint frame and the same on both sides. axes of
    a universal loop: the first fixed to the first body, the second to the second body, each in the joint frame there.
    length: constant_length only, the distance (m) between the two origins.
    """

    name: Name
    type: CutType
    first: LoopEnd
    second: LoopEnd
    axis: Vector | None = None
    axes: AxisPair | None = None
    length: PositiveLength | None = None
    friction: Friction = Field(default_factory=Friction)
    limits: Limits = Field(default_factory=Limits)

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from closure_faults(data, "loop")

    @classmethod
    def unknown(cls, key: Any, value: Any) -> Fault:
        return passive_only(key, value, "loop's joint") or super().unknown(key, value)

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        return prepare_closure(data)
