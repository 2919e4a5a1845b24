"""A joint of the second form: it ties a body to the body that carries it, by their names."""

from collections.abc import Iterator
from typing import Any

from pydantic import Field

from gough.robot.fields import Name, Vector
from gough.robot.item import Fault, Item
from gough.robot.joint import AxisPair, Drive, Friction, JointSpring, JointType, Limits, joint_faults, prepare_joint
from gough.robot.pose import Mdh, Pose


class TreeJoint(Item):
    """A joint between two bodies of the robot.

    parent: "world", a body under `bodies`, the platform's name, or "leg.body". child: a body under `bodies`; each is
    the child of exactly one joint. The other fields are those of a ChainJoint: placement (written `pose`, or `mdh`) is
    the joint frame in the parent's frame, and the child's frame is the joint frame moved by the joint.
    """

    name: Name
    type: JointType
    parent: str
    child: str
    placement: Pose = Field(default_factory=Pose, alias="pose")
    mdh: Mdh | None = None
    axis: Vector | None = None
    axes: AxisPair | None = None
    friction: Friction = Field(default_factory=Friction)
    spring: JointSpring | None = None
    drive: Drive | None = None
    limits: Limits = Field(default_factory=Limits)

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from joint_faults(data)

    @classmethod
    def prepare(cls, data: dict[str, Any]) -> dict[str, Any]:
        return prepare_joint(data)
