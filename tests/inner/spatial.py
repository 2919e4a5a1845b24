"""Inner names of `gough.spatial`."""

from gough.spatial.poses import (
    integrate_pose,
    pose_difference,
    quaternion_towards,
    rotation_of_quaternion,
    rotation_vector,
)

__all__ = ["integrate_pose", "pose_difference", "quaternion_towards", "rotation_of_quaternion", "rotation_vector"]
