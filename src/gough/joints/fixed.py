"""No relative motion."""

from gough.joints.joint import Closure, JointType

FIXED = JointType(
    name="fixed",
    axes=0,
    motions=(),
    coordinates=(),
    closures=(
        Closure("point"),
        Closure("perpendicular", 0, 1),
        Closure("perpendicular", 1, 2),
        Closure("perpendicular", 2, 0),
    ),
)
