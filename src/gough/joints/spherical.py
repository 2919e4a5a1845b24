"""Rotation about a point; in a tree a unit quaternion wxyz with the angular velocity in body axes."""

from gough.joints.closures import SamePoint
from gough.joints.joint import Coordinate, JointType
from gough.joints.motions import Ball

SPHERICAL = JointType(
    name="spherical",
    words="ball ball_joint ballsocket ball_socket ball_and_socket spheric rod_end s socket 3r",
    axes=0,
    motions=(Ball(),),
    coordinates=(Coordinate("_qw", "1"), Coordinate("_qx", "1"), Coordinate("_qy", "1"), Coordinate("_qz", "1")),
    closures=(SamePoint(),),
    tilts=True,
    free_axes=(("ball", 0),),
    drawing="ball",
)
