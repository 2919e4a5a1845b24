"""Rotation about one axis."""

from gough.joints.joint import Closure, Coordinate, JointType, Motion

REVOLUTE = JointType(
    name="revolute",
    axes=1,
    motions=(Motion("rotation", 0),),
    coordinates=(Coordinate("", "rad"),),
    closures=(Closure("point"), Closure("perpendicular", 0, 2), Closure("perpendicular", 1, 2)),
    scalar=True,
    rotational=True,
    free_axes=(("leg", 2),),
)
