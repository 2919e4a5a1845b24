"""Poses against products of elementary 4 x 4 matrices and against SciPy."""

import math

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.spatial.transform import Rotation

from gough.robot import Axes, ChainJoint, Mdh, Pose

ANGLES = (0.3, -0.7, 1.1)


def turn(axis: str, angle: float) -> np.ndarray:
    matrix = np.eye(4)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix[i, i] = matrix[j, j] = math.cos(angle)
    matrix[j, i] = math.sin(angle)
    matrix[i, j] = -math.sin(angle)
    return matrix


def shift(axis: str, length: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix["xyz".index(axis), 3] = length
    return matrix


def test_mdh_is_the_product_of_its_six_motions(rng):
    for _ in range(20):
        gamma, alpha, theta = rng.uniform(-3, 3, 3)
        b, d, r = rng.uniform(-1, 1, 3)
        expected = (
            turn("z", gamma) @ shift("z", b) @ turn("x", alpha) @ shift("x", d) @ turn("z", theta) @ shift("z", r)
        )
        pose = Mdh(gamma=gamma, b=b, alpha=alpha, d=d, theta=theta, r=r).pose()
        np.testing.assert_allclose(pose.rotation(), expected[:3, :3], atol=1e-15)
        np.testing.assert_allclose(pose.position, expected[:3, 3], atol=1e-15)


def test_mdh_of_a_joint_becomes_its_placement_with_the_axis_z():
    joint = ChainJoint.model_validate({"name": "a", "type": "revolute", "mdh": {"alpha": "90 deg", "d": 0.2}})
    assert joint.axis == (0.0, 0.0, 1.0)
    assert joint.placement.position == (0.2, 0.0, 0.0)
    np.testing.assert_array_equal(joint.placement.rotation(), [[1, 0, 0], [0, 0, -1], [0, 1, 0]])


@pytest.mark.parametrize(
    ("form", "value", "expected"),
    [
        ("rpy_zyx", ANGLES, Rotation.from_euler("ZYX", ANGLES)),
        ("bryant_xyz", ANGLES, Rotation.from_euler("XYZ", ANGLES)),
        ("quaternion_wxyz", (0.5, 0.5, -0.5, 0.5), Rotation.from_quat([0.5, -0.5, 0.5, 0.5])),
        ("matrix", Rotation.from_rotvec(ANGLES).as_matrix(), Rotation.from_rotvec(ANGLES)),
    ],
)
def test_rotation(form, value, expected):
    np.testing.assert_allclose(Pose(**{form: value}).rotation(), expected.as_matrix(), atol=1e-15)


@pytest.mark.parametrize("missing", ["x", "y", "z", ""])
def test_axes(missing):
    matrix = Rotation.from_rotvec(ANGLES).as_matrix()
    axes = Axes(**{name: matrix[:, i] for i, name in enumerate("xyz") if name != missing})
    np.testing.assert_allclose(Pose(axes=axes).rotation(), matrix, atol=1e-15)


def test_quarter_turns_are_exact():
    quarter = Pose(rpy_zyx=(math.pi / 2, -math.pi, 1.5 * math.pi)).rotation()
    assert set(np.unique(np.abs(quarter))) == {0.0, 1.0}


def test_from_matrix_returns_what_went_in(rng):
    matrix, position = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    pose = Pose.from_matrix(matrix, position)
    np.testing.assert_array_equal(pose.rotation(), matrix)
    np.testing.assert_array_equal(pose.position, position)
    assert Pose.from_matrix(np.eye(3), (0, 0, 0)) == Pose.identity()


def test_frozen():
    with pytest.raises(ValidationError):
        Pose.identity().position = (1, 2, 3)  # type: ignore[misc]
