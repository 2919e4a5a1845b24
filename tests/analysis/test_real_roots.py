"""Real zeros of trigonometric polynomials whose zeros are known."""

from __future__ import annotations

import numpy as np
import pytest

from gough.analysis.assemblies._planar import real_zeros


def with_zeros(real: list[float], far: list[complex]):
    """F = product of sin((φ - a)/2) over real zeros and of 1 - 2 k cos(φ - b) + k² over pairs k e^{ib}."""

    def function(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        F = np.ones_like(angle)
        for a in real:
            F = F * np.sin(0.5 * (angle - a))
        for z in far:
            F = F * (1.0 - 2 * abs(z) * np.cos(angle - np.angle(z)) + abs(z) ** 2)
        return F, np.abs(F) + 1.0

    return function


@pytest.mark.parametrize("count", [0, 2, 4, 6])
@pytest.mark.parametrize("seed", range(5))
def test_zeros_are_counted_and_found(count: int, seed: int) -> None:
    rng = np.random.default_rng([count, seed])
    real = np.sort(rng.uniform(-3, 3, count))
    if count and np.diff(real).min(initial=1.0) < 0.02:
        real = np.linspace(-2.5, 2.5, count)
    far = list(rng.uniform(0.2, 0.9, (6 - count) // 2) * np.exp(1j * rng.uniform(-3, 3, (6 - count) // 2)))
    found, doubt = real_zeros(with_zeros(list(real), far), 3)
    assert doubt is None
    np.testing.assert_allclose(found, real, atol=1e-8)


def test_half_a_turn_is_no_special_angle() -> None:
    found, doubt = real_zeros(with_zeros([np.pi, 0.5], [0.3, 0.4]), 3)
    assert doubt is None
    np.testing.assert_allclose(np.sort(np.cos(found)), [-1.0, np.cos(0.5)], atol=1e-9)


def test_lower_degree() -> None:
    found, doubt = real_zeros(with_zeros([0.2, 1.0], []), 3)
    assert doubt is None
    np.testing.assert_allclose(found, [0.2, 1.0], atol=1e-10)


@pytest.mark.parametrize("apart", [0.0, 1e-9])
def test_double_zeros_are_called_uncertain(apart: float) -> None:
    found, doubt = real_zeros(with_zeros([0.7, 0.7 + apart, -1.0, 2.0], [0.5]), 3)
    assert doubt is not None and "close" in doubt
    assert np.abs(found - 0.7).min() < 1e-3


def test_a_pair_just_off_the_circle_is_uncertain_or_excluded() -> None:
    for k in (1e-3, 1e-8, 1e-12):
        _, doubt = real_zeros(with_zeros([1.0, -1.0], [(1.0 - k) * np.exp(2j), 0.4]), 3)
        assert (doubt is None) == (k > 1e-5)


def test_zero_polynomial() -> None:
    assert real_zeros(lambda t: (0.0 * t, np.ones_like(t)), 3)[1] == "every angle is a zero"
    assert real_zeros(lambda t: (np.ones_like(t), np.ones_like(t)), 3)[1] is None
