"""Rotation about and translation along one axis."""

from gough.joints.joint import Closure, Coordinate, JointType, Motion

CYLINDRICAL = JointType(
    name="cylindrical",
    axes=1,
    motions=(Motion("rotation", 0), Motion("translation", 0)),
    coordinates=(Coordinate("_angle", "rad"), Coordinate("_offset", "m")),
    closures=(
        Closure("along", 0),
        Closure("along", 1),
        Closure("perpendicular", 0, 2),
        Closure("perpendicular", 1, 2),
    ),
    free_axes=(("leg", 2),),
)
