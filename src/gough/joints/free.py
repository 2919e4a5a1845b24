"""Six freedoms: three translations along the joint frame's axes, then a ball."""

from gough.joints.joint import Coordinate, JointType
from gough.joints.motions import Ball, Translation

FREE = JointType(
    name="free",
    words="floating freejoint free_joint six_dof 6dof bushing unconstrained",
    axes=0,
    motions=(Translation(0), Translation(1), Translation(2), Ball()),
    coordinates=(
        Coordinate("_x", "m"),
        Coordinate("_y", "m"),
        Coordinate("_z", "m"),
        Coordinate("_qw", "1"),
        Coordinate("_qx", "1"),
        Coordinate("_qy", "1"),
        Coordinate("_qz", "1"),
    ),
    closures=None,
    drawing="unseen",
)
