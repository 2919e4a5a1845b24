"""Numbers with their change, against derivatives of 40 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from gough import scalar
from gough.errors import Status
from gough.scalar.dual import Dual, as_dual, slopes_of, values_of

FUNCTIONS = {
    "sum": lambda x, y: x + 2.0 * y - 3.0 + (1.5 - x),
    "product": lambda x, y: x * y * x,
    "quotient": lambda x, y: x / y + 2.0 / x,
    "power": lambda x, y: x**3 - y**2,
    "sine": lambda x, y: scalar.sin(x * y) - scalar.cos(y),
    "root": lambda x, y: scalar.sqrt(x * x + y),
    "angle": lambda x, y: scalar.atan2(y, x) + scalar.atan2(x, 1.0) + scalar.atan2(1.0, y),
    "absolute": lambda x, y: scalar.abs_(-x) + scalar.sign(x) * y,
    "choice": lambda x, y: scalar.select(x - y, x * x, y) + scalar.select(y - x, x, 3.0 * y),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_change_is_the_derivative(name: str) -> None:
    f, at, way = FUNCTIONS[name], (0.8, 0.6), (0.3, -1.7)
    found = f(*as_dual(at, way))
    with mpmath.workdps(40):
        x, y, dx, dy = (mpmath.mpf(z) for z in (*at, *way))
        truth = mpmath.diff(lambda s: f(x + s * dx, y + s * dy), 0)
    assert found.value == pytest.approx(f(*at), rel=1e-15)
    assert found.slope == pytest.approx(float(truth), rel=1e-13)


@pytest.mark.parametrize("solve", [scalar.solve, scalar.solve_spd])
def test_the_change_of_a_solution(solve: object) -> None:
    """A(t) x = b(t) by differences of fourth order of NumPy's solutions."""
    rng = np.random.default_rng(1)
    half = rng.normal(size=(2, 5, 5))
    A, dA = (x @ x.T + 5 * np.eye(5) if solve is scalar.solve_spd else x + 5 * np.eye(5) for x in half)
    b, db = rng.normal(size=(2, 5, 2))

    def x(t: float) -> np.ndarray:
        return np.linalg.solve(A + t * dA, b + t * db)

    h = 1e-3
    truth = (8 * (x(h) - x(-h)) - (x(2 * h) - x(-2 * h))) / (12 * h)
    found = solve(as_dual(A, dA), as_dual(b, db), Status.SINGULAR.at("here"))  # type: ignore[operator]
    np.testing.assert_allclose(values_of(found).astype(float), x(0.0), rtol=1e-12)
    np.testing.assert_allclose(slopes_of(found).astype(float), truth, atol=1e-10)


def test_products_and_what_does_not_change() -> None:
    rng = np.random.default_rng(2)
    A, dA, B, dB = rng.normal(size=(4, 3, 3))
    found = scalar.product(as_dual(A, dA), as_dual(B, dB))
    np.testing.assert_allclose(slopes_of(found).astype(float), dA @ B + A @ dB, atol=1e-14)
    held = scalar.constant_matvec(A, as_dual(B[0], dB[0]))
    np.testing.assert_allclose(slopes_of(held).astype(float), A @ dB[0], atol=1e-14)
    assert as_dual([1.0, 2.0]).tolist() == [1.0, 2.0]  # plain numbers stay plain: structure folds
    assert not isinstance(Dual(2.0) * 3.0, Dual) and (Dual(2.0, 1.0) * 0.0) == 0.0
