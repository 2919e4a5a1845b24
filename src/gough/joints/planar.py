"""Two translations in a plane and a rotation about its normal (the stated axis)."""

from gough.joints.closures import Along, Perpendicular
from gough.joints.joint import Coordinate, JointType
from gough.joints.motions import Rotation, Translation

PLANAR = JointType(
    name="planar",
    words="plane in_plane e",
    axes=1,
    motions=(Translation(1), Translation(2), Rotation(0)),
    coordinates=(Coordinate("_x", "m"), Coordinate("_y", "m"), Coordinate("_angle", "rad")),
    closures=(Along(2), Perpendicular(0, 2), Perpendicular(1, 2)),
    free_axes=(("along", 0), ("along", 1), ("leg", 2)),
    drawing="puck",
)
