"""Rotation about and translation along one axis."""

from gough.joints.closures import Along, Perpendicular
from gough.joints.joint import Coordinate, JointType
from gough.joints.motions import Rotation, Translation

CYLINDRICAL = JointType(
    name="cylindrical",
    words="cylinder cylindric c",
    axes=1,
    motions=(Rotation(0), Translation(0)),
    coordinates=(Coordinate("_angle", "rad"), Coordinate("_offset", "m")),
    closures=(Along(0), Along(1), Perpendicular(0, 2), Perpendicular(1, 2)),
    free_axes=(("leg", 2), ("along", 2)),
    drawing="sleeve",
)
