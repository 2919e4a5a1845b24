"""Two perpendicular intersecting rotations, the second axis carried by the first [Pedrammehr 2012, eq. 12], [Fried, eq. 2]."""

from gough.joints.joint import Closure, Coordinate, JointType, Motion

UNIVERSAL = JointType(
    name="universal",
    axes=2,
    motions=(Motion("rotation", 0), Motion("rotation", 1)),
    coordinates=(Coordinate("_1", "rad"), Coordinate("_2", "rad")),
    closures=(Closure("point"), Closure("perpendicular", 0, 1)),
    free_axes=(("leg", 0), ("platform", 1)),
)
