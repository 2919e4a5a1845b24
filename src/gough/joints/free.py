"""Six freedoms: three translations along the joint frame's axes, then a ball."""

from gough.joints.joint import Coordinate, JointType, Motion

FREE = JointType(
    name="free",
    axes=0,
    motions=(
        Motion("translation", direction=(1.0, 0.0, 0.0)),
        Motion("translation", direction=(0.0, 1.0, 0.0)),
        Motion("translation", direction=(0.0, 0.0, 1.0)),
        Motion("ball"),
    ),
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
)
