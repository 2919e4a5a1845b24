"""Two translations in a plane and a rotation about its normal (the stated axis)."""

from gough.joints.joint import Closure, Coordinate, JointType, Motion

PLANAR = JointType(
    name="planar",
    axes=1,
    motions=(Motion("translation", 1), Motion("translation", 2), Motion("rotation", 0)),
    coordinates=(Coordinate("_x", "m"), Coordinate("_y", "m"), Coordinate("_angle", "rad")),
    closures=(Closure("along", 2), Closure("perpendicular", 0, 2), Closure("perpendicular", 1, 2)),
    free_axes=(("leg", 2),),
)
