"""Translation along one axis."""

from gough.joints.joint import Closure, Coordinate, JointType, Motion

PRISMATIC = JointType(
    name="prismatic",
    axes=1,
    motions=(Motion("translation", 0),),
    coordinates=(Coordinate("", "m"),),
    closures=(
        Closure("along", 0),
        Closure("along", 1),
        Closure("perpendicular", 0, 1),
        Closure("perpendicular", 1, 2),
        Closure("perpendicular", 2, 0),
    ),
    scalar=True,
)
