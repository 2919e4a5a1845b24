"""Charts of orientations against SciPy: rotations, and the derivative of the matrix exponential."""

import numpy as np
import pytest
from scipy.linalg import expm_frechet
from scipy.spatial.transform import Rotation

from gough.spatial.charts import CHARTS, rotation_of_chart, rotation_vector_rates
from gough.spatial.euler import euler_angles, quaternion_of_euler
from inner.spatial import rotation_vector


def hat(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def wxyz(rotations):
    return np.roll(rotations.as_quat(), 1, axis=-1)


def random(seed, size):
    return np.random.default_rng(seed).uniform(-1, 1, (40, size))


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.1, 0.9999, 1.0001, 3.0, 6.0, 9.0])
def test_angular_velocity_of_a_rotation_vector(angle):
    axes, rates = random(1, 3), random(2, 3)
    phi = angle * axes / np.linalg.norm(axes, axis=1, keepdims=True)
    q, w, _ = rotation_of_chart("rotation_vector", phi, rates, np.zeros_like(phi))
    for k in range(len(phi)):
        R, dR = expm_frechet(hat(phi[k]), hat(rates[k]))
        spin = dR @ R.T
        assert np.abs(np.array([spin[2, 1], spin[0, 2], spin[1, 0]]) - w[k]).max() < 1e-13
        assert np.abs(Rotation.from_quat(np.roll(q[k], -1)).as_matrix() - R).max() < 1e-13


@pytest.mark.parametrize("chart", list(CHARTS))
@pytest.mark.parametrize("reach", [1e-6, 0.3, 1.6])
def test_angular_acceleration(chart, reach):
    """Along c(t) = c0 + ċ t + c̈ t²/2: ω̇ by central differences of ω."""
    size = 4 if chart == "quaternion_wxyz" else 3
    c0, cd, cdd = (reach * random(s, size) for s in (3, 4, 5))
    c0[:, 0] += 2.0 * reach * (size == 4)

    def at(t):
        return rotation_of_chart(chart, c0 + cd * t + 0.5 * cdd * t * t, cd + cdd * t, cdd)

    h = 1e-3
    slopes = [(at(s * h)[1] - at(-s * h)[1]) / (2 * s * h) for s in (1, 2)]
    wd = (4 * slopes[0] - slopes[1]) / 3
    found = at(0.0)[2]
    assert np.abs(wd - found).max() < 1e-8 * np.abs(found).max()


def test_euler_angles_are_scipy_s():
    angles = random(6, 3) * np.array([3.0, 1.4, 3.0])
    for chart, sequence in (("rpy_zyx", "ZYX"), ("bryant_xyz", "XYZ")):
        q, _, _ = rotation_of_chart(chart, angles, np.zeros_like(angles), np.zeros_like(angles))
        other = wxyz(Rotation.from_euler(sequence, angles))
        assert np.abs(np.abs(np.einsum("ni,ni->n", q, other)) - 1).max() < 1e-14
        assert np.abs(quaternion_of_euler(chart, angles) - q).max() < 1e-15
        back = euler_angles(chart, q)
        assert np.abs(np.exp(1j * back) - np.exp(1j * angles)).max() < 1e-12


def test_rotation_vectors_and_their_rates_come_back():
    phi, rate, second = (random(s, 3) * 1.5 for s in (7, 8, 9))
    q, w, wd = rotation_of_chart("rotation_vector", phi, rate, second)
    assert np.abs(rotation_vector(q) - phi).max() < 1e-14
    assert np.abs(rotation_vector(q) - Rotation.from_quat(np.roll(q, -1, axis=1)).as_rotvec()).max() < 1e-14
    back = rotation_vector_rates(phi, w, wd)
    assert np.abs(back[0] - rate).max() < 1e-12 and np.abs(back[1] - second).max() < 1e-12
    assert not rotation_vector(np.array([1.0, 0, 0, 0])).any()
