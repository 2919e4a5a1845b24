"""Translation along one axis."""

from gough.joints.closures import Along, Perpendicular
from gough.joints.joint import Coordinate, JointType
from gough.joints.motions import Translation

PRISMATIC = JointType(
    name="prismatic",
    words="slider slide sliding linear translational translation translate telescopic actuator p slot",
    axes=1,
    motions=(Translation(0),),
    coordinates=(Coordinate("", "m"),),
    closures=(Along(0), Along(1), Perpendicular(0, 1), Perpendicular(1, 2), Perpendicular(2, 0)),
    free_axes=(("along", 2),),
    drawing="slide",
)
