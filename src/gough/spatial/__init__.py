"""Vectors, rotations, wrenches and inertias of any scalar. Twists (v, ω) and wrenches (f, m) are linear first."""

from gough.spatial._vector import cross, skew, turning_matrix, unit
from gough.spatial.inertia import RigidInertia, inertia_wrench
from gough.spatial.rotation import (
    about_axis,
    bryant_xyz,
    exact_sincos,
    level_rpy_zyx_angles,
    quaternion_wxyz_from_rotation,
    rotation_from_quaternion_wxyz,
    rpy_zyx,
    rpy_zyx_angles,
    varied_quaternion_wxyz,
)

__all__ = [
    "RigidInertia",
    "about_axis",
    "bryant_xyz",
    "cross",
    "exact_sincos",
    "inertia_wrench",
    "level_rpy_zyx_angles",
    "quaternion_wxyz_from_rotation",
    "rotation_from_quaternion_wxyz",
    "rpy_zyx",
    "rpy_zyx_angles",
    "skew",
    "turning_matrix",
    "unit",
    "varied_quaternion_wxyz",
]
