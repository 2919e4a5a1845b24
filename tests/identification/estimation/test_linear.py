"""RowTriangles: least squares by them is that of all rows at once, in extended precision where it is hard."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from inner.identification import ForceEquations, Rows, RowTriangles, Thinning, solve_scaled, solve_weighed

from .motions import five_bar, samples


@pytest.fixture(scope="module")
def rows() -> Rows:
    return Rows.of(five_bar(), gough.base_parameters(five_bar(), ("inertia", "rotors", "friction", "offsets")))


@pytest.mark.parametrize("count", [1501, 60], ids=["squares", "reflections"])
def test_weighed_least_squares_is_that_of_all_rows(rows: Rows, count: int) -> None:
    """Many samples go by squares of evened rows, few by reflections."""
    whole = samples(0.05)
    step = len(whole) // count
    data = whole.rows(slice(0, None, step))
    triangles = RowTriangles.of(ForceEquations(rows, data, Thinning()))
    sigma = np.array([0.01, 0.03])
    found = solve_weighed(triangles, rows.first, sigma)
    [piece] = rows.pieces(data, Thinning())
    Y = (piece.Y / sigma[:, None]).reshape(-1, rows.size)
    z = (piece.target / sigma).ravel()
    size = np.linalg.norm(Y, axis=0)
    plain, *_ = np.linalg.lstsq(Y / size, z, rcond=None)
    assert np.allclose(found.phi * size, plain, rtol=0, atol=1e-9 * np.abs(plain).max())
    assert np.allclose(found.covariance, np.linalg.inv(Y.T @ Y), rtol=1e-6)
    left = ((piece.target - piece.Y @ found.phi) ** 2).sum(axis=0)
    assert np.allclose(triangles.squares(found.phi), left, rtol=1e-8)


def test_noises_of_drives_are_found(rows: Rows) -> None:
    data = samples()
    rng = np.random.default_rng(3)
    noisy = replace(data, force=data.force + rng.normal(size=data.force.shape) * [0.02, 0.2])
    found = solve_weighed(RowTriangles.of(ForceEquations(rows, noisy, Thinning())), rows.first)
    assert found.sigma == pytest.approx([0.02, 0.2], rel=0.05)


def test_what_data_do_not_tell_stays_where_it_was() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(50, 4))
    A[:, 3] = A[:, 2] * 2  # one direction is blind
    truth, first = np.array([1.0, -2.0, 0.5, 0.25]), np.array([0.0, 0.0, 3.0, 0.0])
    R: Any = np.linalg.qr(np.column_stack([A, A @ truth]), mode="r")
    phi, _, directions, values = solve_scaled(R[:4, :4], R[:4, 4], first)
    assert np.allclose(A @ phi, A @ truth) and len(directions) == 1 and values[-1] < 1e-12 * values[0]
    assert abs(directions[0] @ [0, 0, 1, 2]) < 1e-10  # along (2, -1) of the last two: no force
    off = (phi - first)[2:] * np.linalg.norm(A, axis=0)[2:]
    blind = np.array([2.0, -1.0]) * np.linalg.norm(A, axis=0)[2:]
    assert abs(off @ blind) < 1e-9 * np.linalg.norm(off) * np.linalg.norm(blind)


def test_too_few_samples_are_refused(rows: Rows) -> None:
    data = samples()
    few = data.rows(slice(0, 2))
    with pytest.raises(UsageError, match="2 samples that are left give 4 equations for 9 parameters, and 18 are"):
        RowTriangles.of(ForceEquations(rows, few, Thinning()))
