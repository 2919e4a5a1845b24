"""Runge–Kutta coefficients against the order conditions (rooted trees up to order 5) and the stability function."""

from __future__ import annotations

import numpy as np
import pytest

from gough.simulation.integration._implicit import ImplicitRungeKutta
from inner.simulation import METHODS, RungeKutta

ALL = [m for m in METHODS.values() if isinstance(m, RungeKutta)]


def conditions(t: RungeKutta, b: np.ndarray) -> list[tuple[int, float]]:
    """(order, what should vanish)."""
    A, c, one = t.A, t.c, np.ones(t.stages)
    found = [
        (1, b @ one - 1),
        (2, b @ c - 1 / 2),
        (3, b @ c**2 - 1 / 3),
        (3, b @ A @ c - 1 / 6),
        (4, b @ c**3 - 1 / 4),
        (4, b @ (c * (A @ c)) - 1 / 8),
        (4, b @ A @ c**2 - 1 / 12),
        (4, b @ A @ A @ c - 1 / 24),
        (5, b @ c**4 - 1 / 5),
        (5, b @ (c**2 * (A @ c)) - 1 / 10),
        (5, b @ (A @ c) ** 2 - 1 / 20),
        (5, b @ (c * (A @ c**2)) - 1 / 15),
        (5, b @ A @ c**3 - 1 / 20),
        (5, b @ (c * (A @ A @ c)) - 1 / 30),
        (5, b @ A @ (c * (A @ c)) - 1 / 40),
        (5, b @ A @ A @ c**2 - 1 / 60),
        (5, b @ A @ A @ A @ c - 1 / 120),
    ]
    return [(order, float(rest)) for order, rest in found]


@pytest.mark.parametrize("t", ALL, ids=lambda t: t.name)
def test_order(t: RungeKutta) -> None:
    for order, rest in conditions(t, t.b):
        if order <= t.order:
            assert abs(rest) < 1e-14, order
    assert any(abs(rest) > 1e-5 for order, rest in conditions(t, t.b) if order == t.order + 1) or t.order == 5
    if len(t.error):
        for order, rest in conditions(t, t.b - t.error):
            if order <= t.order - 1:
                assert abs(rest) < 1e-14, order


@pytest.mark.parametrize("t", [m for m in ALL if isinstance(m, ImplicitRungeKutta)], ids=lambda t: t.name)
def test_l_stable(t: ImplicitRungeKutta) -> None:
    one = np.ones(t.stages)

    def growth(z: complex) -> float:
        return float(abs(1 + z * t.b @ np.linalg.solve(np.eye(t.stages) - z * t.A, one)))

    assert max(growth(1j * y) for y in np.logspace(-3, 6, 400)) <= 1 + 1e-12
    assert growth(-1e9) < 1e-6
    assert np.allclose(t.A[-1], t.b)  # stiffly accurate
    assert set(np.diag(t.A).round(15)) <= {0.0, round(t.gamma, 15)}
