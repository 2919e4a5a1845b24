"""The family of joints: one file a member; a new one is a file and a line here."""

from gough.joints.ball_screw import BALL_SCREW
from gough.joints.constant_length import CONSTANT_LENGTH
from gough.joints.cylindrical import CYLINDRICAL
from gough.joints.fixed import FIXED
from gough.joints.free import FREE
from gough.joints.helical import HELICAL
from gough.joints.joint import JointType
from gough.joints.planar import PLANAR
from gough.joints.prismatic import PRISMATIC
from gough.joints.revolute import REVOLUTE
from gough.joints.revolute_spherical import REVOLUTE_SPHERICAL
from gough.joints.spherical import SPHERICAL
from gough.joints.universal import UNIVERSAL

ALL = {
    joint.name: joint
    for joint in (
        FIXED,
        REVOLUTE,
        PRISMATIC,
        UNIVERSAL,
        SPHERICAL,
        CYLINDRICAL,
        HELICAL,
        BALL_SCREW,
        PLANAR,
        FREE,
        CONSTANT_LENGTH,
        REVOLUTE_SPHERICAL,
    )
}

__all__ = ["ALL", "JointType"]
