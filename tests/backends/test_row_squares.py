"""Sums over rows by machine code are those of extended precision, for every width of vectors that this CPU has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.compilation import row_squares
from inner import backends
from inner.backends import KNOWN, compile_object, host

EPS = np.finfo(float).eps
OWN = [None, *(name for name, t in KNOWN.items() if t.triple.startswith("x86") and t.lanes <= host().lanes)]
SHAPES = [(1, 1, 1), (7, 3, 9), (432, 1, 24), (961, 2, 15), (1500, 6, 100)]


def functions(name: str | None) -> Any:
    """Those of another CPU of this kind; None: of this one."""
    if host().lanes < 4 and name is not None:
        pytest.skip("another kind of CPU")
    return row_squares.row_functions(None if name is None else KNOWN[name])


def exact(x: np.ndarray) -> np.ndarray:
    return x.astype(np.longdouble)


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize(
    ("n", "kinds", "p"), [*SHAPES[:-1], (1500, 2, 50), pytest.param(*SHAPES[-1], marks=pytest.mark.slow)]
)
def test_squares_of_rows_over_a_triangle(name: str | None, n: int, kinds: int, p: int) -> None:
    rng = np.random.default_rng(n)
    Y, last = rng.normal(size=(n, kinds, p)), rng.normal(size=(n, kinds))
    R = np.triu(rng.normal(size=(kinds, p + 1, p + 1))) / (p + 1) + np.eye(p + 1)
    for evened in (True, False):
        found = row_squares.RowSquares(R if evened else (kinds, p + 1), functions(name))
        for part in (slice(0, n // 3), slice(n // 3, n)):
            found.add(Y[part], last[part])
        for r in range(kinds):
            block = exact(np.column_stack([Y[:, r], last[:, r]]))
            if evened:
                block = by_substitution(exact(R[r]), block)
            size = np.sqrt((block**2).sum(axis=0))
            off = np.abs(found.total[r] - block.T @ block) / np.outer(size, size)
            assert off.max() < 20 * EPS * np.sqrt(p) * np.linalg.cond(R[r])


def by_substitution(R: np.ndarray, block: np.ndarray) -> np.ndarray:
    """block R⁻¹."""
    out = np.zeros_like(block)
    for k in range(len(R)):
        out[:, k] = (block[:, k] - out[:, :k] @ R[:k, k]) / R[k, k]
    return out


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize(("n", "rows", "p"), SHAPES)
@pytest.mark.parametrize("length", [1, 4, 37])
def test_gradients_of_blocks(name: str | None, n: int, rows: int, p: int, length: int) -> None:
    rng = np.random.default_rng(n + length)
    Y, Z, target = rng.normal(size=(n, rows, p)), rng.normal(size=(n, rows, p)), rng.normal(size=(n, rows))
    phi, weights = rng.normal(size=p), rng.uniform(0.5, 2.0, size=rows)
    found = row_squares.block_sums((Y, target), Z, phi, weights, length, functions(name))
    e = (exact(target) - exact(Y) @ phi) * weights
    g = (e[:, :, None] * Z).sum(axis=1)
    right = np.add.reduceat(g, np.arange(0, n, length), axis=0)
    assert found.shape == right.shape
    assert np.abs(found - right).max() < 100 * EPS * np.sqrt(p * rows * length) * np.abs(e).max() * np.abs(Z).max()


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="2 kinds of 4 numbers"):
        row_squares.RowSquares((2, 4)).add(np.zeros((5, 2, 4)), np.zeros((5, 2)))
    with pytest.raises(ValueError, match="do not fit together"):
        row_squares.block_sums((np.zeros((5, 2, 4)), np.zeros((5, 2))), np.zeros((5, 2, 3)), np.zeros(4), np.ones(2), 1)


@pytest.mark.parametrize("name", KNOWN)
def test_every_cpu_has_a_text(name: str) -> None:
    assert compile_object(backends.row_squares.make_text(KNOWN[name]), KNOWN[name])
