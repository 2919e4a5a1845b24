"""A massless rod between two points, as a closure only: the distance of the two origins is constant.

Its ends are two balls, or a ball and a universal joint: what a massless rod does about its own line is nothing.
"""

from gough.joints.closures import Distance
from gough.joints.joint import JointDimension, JointType

CONSTANT_LENGTH = JointType(
    name="constant_length",
    words="distance rod link strut cable length rigid_rod tie_rod two_force universal_spherical spherical_spherical",
    axes=0,
    motions=None,
    coordinates=(),
    dimensions=(JointDimension("length", "the distance (m) between the two origins", positive=True),),
    closures=(Distance(),),
    friction_when_cut=False,
    drawing="strut",
)
