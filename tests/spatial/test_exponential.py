"""Rotation vectors against scipy's rotations, and their rates against differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough.spatial.exponential import LARGEST, Exponential


def vectors() -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    drawn = rng.normal(size=(8, 3))
    sizes = [0.0, 1e-12, 1e-5, 0.01, 0.3, 1.0, 1.3, LARGEST]
    return [x / np.linalg.norm(x) * s for x, s in zip(drawn, sizes, strict=True)]


@pytest.mark.parametrize("theta", vectors())
def test_rotation(theta: np.ndarray) -> None:
    made = Exponential(theta.astype(object)).R.astype(float)
    np.testing.assert_allclose(made, Rotation.from_rotvec(theta).as_matrix(), atol=4e-16, rtol=0)


@pytest.mark.parametrize("axis", range(3))
def test_about_an_axis_it_is_a_plain_rotation(axis: int) -> None:
    theta = np.full(3, 0.0, dtype=object)
    theta[axis] = 2.7  # beyond the series
    made = Exponential(theta)
    assert made.plain
    np.testing.assert_allclose(made.R.astype(float), Rotation.from_rotvec(theta.astype(float)).as_matrix(), atol=1e-15)


def spin(theta: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Angular velocity in turned axes, by a difference of scipy's rotations."""
    h = 1e-4
    steps = [(1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280)]
    here = Rotation.from_rotvec(theta)
    turned = {k: (here.inv() * Rotation.from_rotvec(theta + k * h * rate)).as_rotvec() for k in range(-4, 5)}
    return np.sum([c * (turned[k] - turned[-k]) for k, c in steps], axis=0) / h


@pytest.mark.parametrize("theta", vectors())
def test_angular_velocity_and_its_rate(theta: np.ndarray) -> None:
    rng = np.random.default_rng(7)
    rate, second = rng.normal(size=(2, 3))
    made = Exponential(theta.astype(object))
    np.testing.assert_allclose((made.J @ rate).astype(float), spin(theta, rate), atol=1e-10)
    h = 1e-3

    def along(t: float) -> np.ndarray:
        place = theta + t * rate + 0.5 * t * t * second
        return (Exponential(place.astype(object)).J @ (rate + t * second)).astype(float)

    steps = [(1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280)]
    slope = np.sum([c * (along(k * h) - along(-k * h)) for k, c in steps], axis=0) / h
    found = (made.J @ second + made.rate_bias(rate)).astype(float)
    np.testing.assert_allclose(found, slope, atol=1e-11)
