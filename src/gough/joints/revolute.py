"""Rotation about one axis."""

from gough.joints.closures import Perpendicular, SamePoint
from gough.joints.joint import Coordinate, JointType
from gough.joints.motions import Rotation

REVOLUTE = JointType(
    name="revolute",
    words="hinge pin pinned pivot rotary rotational rotation rotate continuous turning hinged swivel r rev",
    axes=1,
    motions=(Rotation(0),),
    coordinates=(Coordinate("", "rad"),),
    closures=(SamePoint(), Perpendicular(0, 2), Perpendicular(1, 2)),
    free_axes=(("leg", 2),),
    drawing="hinge",
)
