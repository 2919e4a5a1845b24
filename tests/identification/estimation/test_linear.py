"""RowTriangles: least squares by them is that of all rows at once, in extended precision where it is hard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from inner.identification import (
    EquationPart,
    ForceEquations,
    Piece,
    Rows,
    RowTriangles,
    Thinning,
    solve_scaled,
    solve_weighed,
)

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


@dataclass
class GivenRows:
    """Numbers in the place of a robot's equations; whoever goes through them one after the other goes by reflections."""

    Y: np.ndarray
    target: np.ndarray

    @property
    def rows(self) -> GivenRows:
        return self

    @property
    def samples(self) -> np.ndarray:
        return self.target

    @property
    def size(self) -> int:
        return self.Y.shape[2]

    @property
    def names(self) -> range:
        return range(self.Y.shape[1])

    @property
    def count(self) -> int:
        return len(self.Y)

    def equations(self, _: object, part: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.Y[part], self.target[part], self.target[part]

    def parts(self, together: int = 1) -> list[Any]:
        edges = range(0, self.count, 700 * together)
        cuts = [slice(a, a + 700 * together) for a in edges]
        pieces = [Piece(*self.equations(None, cut)[:2], 0, cut.start, self.target) for cut in cuts]
        return [EquationPart(cast(Any, self), Thinning(), (), (), (piece,)) for piece in pieces]


def ill_conditioned(condition: float) -> GivenRows:
    """Columns of many sizes, nearly dependent, and little noise."""
    rng = np.random.default_rng(5)
    n, p, kinds = 9000, 20, 2
    Y = np.zeros((n, kinds, p))
    for r in range(kinds):
        turn, _ = np.linalg.qr(rng.normal(size=(p, p)))
        Y[:, r] = rng.normal(size=(n, p)) * np.geomspace(1.0, 1.0 / condition, p) @ turn * np.geomspace(1e-3, 1e3, p)
    truth = rng.normal(size=p) / np.geomspace(1e-3, 1e3, p)
    target = Y @ truth
    return GivenRows(Y, target + 1e-7 * np.abs(target).mean() * rng.normal(size=target.shape))


def solve_extended(Y: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(φ, R of columns as they are) by modified Gram-Schmidt, twice, with 64 bits of mantissa or more."""
    Q = np.column_stack([Y, target]).astype(np.longdouble)
    whole = np.eye(Q.shape[1], dtype=np.longdouble)
    for _ in range(2):
        R = np.zeros_like(whole)
        for k in range(Q.shape[1]):
            R[k, k] = np.sqrt((Q[:, k] ** 2).sum())
            Q[:, k] /= R[k, k]
            R[k, k + 1 :] = Q[:, k] @ Q[:, k + 1 :]
            Q[:, k + 1 :] -= np.outer(Q[:, k], R[k, k + 1 :])
        whole = R @ whole
    phi = np.zeros(len(whole) - 1, dtype=np.longdouble)
    for k in range(len(phi))[::-1]:
        phi[k] = (whole[k, -1] - whole[k, k + 1 : -1] @ phi[k + 1 :]) / whole[k, k]
    return phi, whole


@pytest.mark.skipif(float(np.finfo(np.longdouble).eps) > 1e-18, reason="no extended precision on this machine")
def test_squares_of_ill_conditioned_rows_are_as_exact_as_reflections() -> None:
    """Condition 1e8: plain squares know nothing of the last columns, evened ones as much as Householder's reflections."""
    given: Any = ill_conditioned(1e8)
    triangles = RowTriangles.of(given)
    eps = float(np.finfo(float).eps)
    for r in given.names:
        Y, target = given.Y[:, r], given.target[:, r]
        size = np.linalg.norm(Y, axis=0)
        condition = np.linalg.cond(Y / size)
        assert 3e6 < condition < 1e9
        right, R = solve_extended(Y, target)
        phi = np.linalg.solve(triangles.R[r][:-1, :-1], triangles.R[r][:-1, -1])
        reflected: Any = np.linalg.qr(np.column_stack([Y, target]), mode="r")
        usual = np.linalg.solve(reflected[:-1, :-1], reflected[:-1, -1])
        far, most = (float(np.abs((x - right) * size).max() / np.abs(right * size).max()) for x in (phi, usual))
        assert far < max(4 * most, condition * eps)  # 2e-8; plain squares: 1e16 eps > 1
        left = np.abs(np.diagonal(triangles.R[r])) / np.abs(np.diagonal(R)) - 1  # what each column adds to those before
        assert np.abs(left[:-1]).max() < 20 * condition * eps
        assert (triangles.squares(usual)[r]) == pytest.approx(float(((target - Y @ usual) ** 2).sum()), rel=1e-4)


def test_columns_of_zeros_stay_so() -> None:
    """Friction of one drive does not act at another: with legs apart most rows have such columns."""
    given: Any = ill_conditioned(1e3)
    given.Y[:, 0, [3, 11]], given.Y[:, 1, 19] = 0.0, 0.0
    triangles = RowTriangles.of(given)
    for r in given.names:
        block = np.column_stack([given.Y[:, r], given.target[:, r]]).astype(np.longdouble)
        size = np.maximum(np.sqrt((block**2).sum(axis=0)), 1e-300)
        off = (triangles.R[r].T @ triangles.R[r] - block.T @ block) / np.outer(size, size)
        assert np.abs(off).max() < 1e-13
    found, z = solve_weighed(triangles, np.zeros(20), np.ones(2)), given.target.ravel()
    plain, *_ = np.linalg.lstsq(given.Y.reshape(-1, 20) * np.geomspace(1e3, 1e-3, 20), z, rcond=None)
    assert np.allclose(found.phi / np.geomspace(1e3, 1e-3, 20), plain, rtol=0, atol=1e-9 * np.abs(plain).max())


def test_a_column_that_the_few_did_not_show_counts() -> None:
    """Zero in all samples that R₀ was made of, not in others."""
    given: Any = ill_conditioned(1e3)
    seen = np.zeros(given.count, dtype=bool)
    seen[:: given.count // (8 * 21)] = True
    given.Y[seen, 0, 4] = 0.0
    R = RowTriangles.of(given).R[0]
    block = np.column_stack([given.Y[:, 0], given.target[:, 0]])
    size = np.linalg.norm(block, axis=0)
    assert np.abs((R.T @ R - block.T @ block) / np.outer(size, size)).max() < 1e-12


def test_threads_change_no_bit() -> None:
    given: Any = ill_conditioned(1e5)
    found = []
    try:
        for threads in (1, 2, 5):
            gough.set_threads(threads)
            found.append(RowTriangles.of(given).R)
    finally:
        gough.set_threads(None)
    assert all(np.array_equal(found[0], other) for other in found[1:])
