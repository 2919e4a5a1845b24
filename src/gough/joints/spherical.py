"""Rotation about a point; in a tree a unit quaternion wxyz with the angular velocity in body axes."""

from gough.joints.joint import Closure, Coordinate, JointType, Motion

SPHERICAL = JointType(
    name="spherical",
    axes=0,
    motions=(Motion("ball"),),
    coordinates=(Coordinate("_qw", "1"), Coordinate("_qx", "1"), Coordinate("_qy", "1"), Coordinate("_qz", "1")),
    closures=(Closure("point"),),
    free_axes=(("ball", 0),),
)
