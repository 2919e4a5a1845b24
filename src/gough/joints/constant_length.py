"""A massless rod between two points, as a closure only: the distance of the two origins is constant."""

from gough.joints.joint import Closure, JointType

CONSTANT_LENGTH = JointType(
    name="constant_length", axes=0, motions=None, coordinates=(), closures=(Closure("distance"),)
)
