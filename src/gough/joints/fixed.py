"""No relative motion."""

from gough.joints.closures import Perpendicular, SamePoint
from gough.joints.joint import JointType

FIXED = JointType(
    name="fixed",
    words="weld welded rigid locked static glued bolted rigid_joint f none",
    axes=0,
    motions=(),
    coordinates=(),
    closures=(SamePoint(), Perpendicular(0, 1), Perpendicular(1, 2), Perpendicular(2, 0)),
    drawing="nothing",
)
