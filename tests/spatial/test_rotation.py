"""Rotations against scipy's, quaternions against matrices, Euler rates against finite motions."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough.spatial import (
    about_axis,
    bryant_xyz,
    cross,
    exact_sincos,
    quaternion_wxyz_from_rotation,
    rotation_from_quaternion_wxyz,
    rpy_zyx,
    rpy_zyx_angles,
    skew,
    unit,
)
from gough.spatial.rotation import quaternion_rate_wxyz, rates_from_euler

RANDOM = np.random.default_rng(4)
ANGLES = [tuple(a) for a in RANDOM.uniform(-1.5, 1.5, (6, 3))]


@pytest.mark.parametrize("angles", ANGLES)
def test_euler_sequences(angles: tuple[float, float, float]) -> None:
    np.testing.assert_allclose(
        rpy_zyx(angles).astype(float), Rotation.from_euler("ZYX", angles).as_matrix(), atol=1e-15
    )
    np.testing.assert_allclose(
        bryant_xyz(angles).astype(float), Rotation.from_euler("XYZ", angles).as_matrix(), atol=1e-15
    )
    np.testing.assert_allclose(rpy_zyx_angles(rpy_zyx(angles)), angles, atol=1e-14)


@pytest.mark.parametrize("off", [1e-2, 1e-4, 1e-6, 3e-9])
def test_angles_of_a_matrix_near_a_pitch_of_90_degrees_give_it_back(off: float) -> None:
    """Yaw and roll turn nearly about one axis; of a matrix that is a product, rounded as products are."""
    for k in range(20):
        A, B = Rotation.random(2, rng=np.random.default_rng(k)).as_matrix()
        R = A.T @ (A @ rpy_zyx((0.3 * k, np.pi / 2 - off, 1.0 - k)).astype(float) @ B) @ B.T
        np.testing.assert_allclose(rpy_zyx(rpy_zyx_angles(R)).astype(float), R, atol=1e-13)


@pytest.mark.parametrize("axis", range(3))
def test_about_a_coordinate_axis(axis: int) -> None:
    np.testing.assert_allclose(
        about_axis(axis, 0.7).astype(float), Rotation.from_rotvec(0.7 * np.eye(3)[axis]).as_matrix(), atol=1e-16
    )


@pytest.mark.parametrize("quarter", range(-5, 6))
def test_right_angles_are_exact(quarter: int) -> None:
    s, c = exact_sincos(quarter * np.pi / 2)
    assert (s, c) == [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][quarter % 4]


@pytest.mark.parametrize("seed", range(20))
def test_quaternions(seed: int) -> None:
    """Also near half turns, where the usual formula divides by nothing."""
    rng = np.random.default_rng(seed)
    h = rng.normal(size=4) * [1e-9 if seed % 2 else 1.0, 1, 1, 1]
    h /= np.linalg.norm(h)
    R = rotation_from_quaternion_wxyz(h).astype(float)
    np.testing.assert_allclose(R, Rotation.from_quat(np.roll(h, -1)).as_matrix(), atol=1e-15)
    back = quaternion_wxyz_from_rotation(R)
    assert back[0] >= 0
    assert min(np.abs(back - h).max(), np.abs(back + h).max()) < 1e-15 * 8


def test_quaternions_of_batches_and_half_turns() -> None:
    R = np.array([np.diag([1.0, 1, 1]), np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1])])
    np.testing.assert_allclose(np.abs(quaternion_wxyz_from_rotation(R.reshape(2, 2, 3, 3)).reshape(4, 4)), np.eye(4))


@pytest.mark.parametrize("angles", ANGLES)
@pytest.mark.parametrize(("name", "function"), [("rpy_zyx", rpy_zyx), ("bryant_xyz", bryant_xyz)])
def test_euler_rates(name: str, function, angles: tuple[float, float, float]) -> None:
    rates, h = np.array([0.3, -0.7, 0.5]), 1e-6
    ahead, behind = (function(np.array(angles) + d * rates).astype(float) for d in (h, -h))
    W = (ahead - behind) / (2 * h) @ function(angles).astype(float).T
    omega = np.array([W[2, 1], W[0, 2], W[1, 0]])
    np.testing.assert_allclose((rates_from_euler(name, angles) @ rates).astype(float), omega, atol=1e-9)


def test_quaternion_rate() -> None:
    h, w, step = np.array([0.5, 0.5, -0.5, 0.5]), np.array([0.3, -0.2, 0.9]), 1e-6
    moved = [Rotation.from_rotvec(d * w) * Rotation.from_quat(np.roll(h, -1)) for d in (step, -step)]
    quats = [np.roll(m.as_quat(), 1) for m in moved]
    quats = [q if q @ h > 0 else -q for q in quats]
    np.testing.assert_allclose(quaternion_rate_wxyz(h, w).astype(float), (quats[0] - quats[1]) / (2 * step), atol=1e-9)


def test_vectors() -> None:
    a, b = np.array([1.0, 2, 3]), np.array([-2.0, 0.5, 4])
    np.testing.assert_array_equal(cross(a, b).astype(float), np.cross(a, b))
    np.testing.assert_array_equal((skew(a) @ b).astype(float), np.cross(a, b))
    np.testing.assert_array_equal(unit(1, -1.0).astype(float), [0, -1, 0])
