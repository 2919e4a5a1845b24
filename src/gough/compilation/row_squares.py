"""Sums over rows of numbers, as many as there are, by machine code (`backends/llvm/row_squares.py`): squares, and blocks of
gradients. They run on the thread that asks, and let others run meanwhile."""

import numpy as np

from gough.backends.backend import address
from gough.backends.llvm.row_squares import TILE, WIDE, RowFunctions, row_functions


class RowSquares:
    """Σ eᵀe of e = [y | last] R⁻¹ for several kinds of rows. R (kinds, p + 1, p + 1): upper triangles that even them out, or the
    numbers (kinds, p + 1) where e is [y | last] itself."""

    def __init__(self, R: np.ndarray | tuple[int, int], functions: RowFunctions | None = None) -> None:
        self._shape = kinds, size = R if isinstance(R, tuple) else R.shape[:2]
        wide = -(-size // WIDE) * WIDE
        self._sums, self._tile = np.zeros((kinds, wide, wide)), np.empty(wide * TILE)
        self._minus, self._inverse = np.zeros((kinds, wide, wide)), np.ones((kinds, wide))
        self._evened = not isinstance(R, tuple)
        if not isinstance(R, tuple):
            self._minus[:, :size, :size] = -R
            self._inverse[:, :size] = 1.0 / np.diagonal(R, axis1=1, axis2=2)
        self._functions = functions or row_functions()

    def add(self, Y: np.ndarray, last: np.ndarray) -> None:
        """Add rows Y (n, kinds, p) and what stands behind them, last (n, kinds)."""
        kinds, size = self._shape
        Y, last = np.ascontiguousarray(Y, dtype=float), np.ascontiguousarray(last, dtype=float)
        if Y.shape[1:] != (kinds, size - 1) or last.shape != Y.shape[:2]:
            raise ValueError(f"rows {Y.shape} and {last.shape} for sums of {kinds} kinds of {size} numbers")
        for r in range(kinds):
            even = (address(self._minus[r]), address(self._inverse[r])) if self._evened else (None, None)
            self._functions.squares(
                *(address(Y) + 8 * r * (size - 1), kinds * (size - 1)),
                *(address(last) + 8 * r, kinds, len(Y), size - 1, self._sums.shape[1]),
                *(*even, address(self._tile), address(self._sums[r])),
            )

    @property
    def total(self) -> np.ndarray:
        """The sums (kinds, p + 1, p + 1) so far."""
        size = self._shape[1]
        upper = np.triu(self._sums[:, :size, :size])
        return upper + np.swapaxes(np.triu(upper, 1), 1, 2)


def block_sums(
    piece: tuple[np.ndarray, np.ndarray],
    Z: np.ndarray,
    phi: np.ndarray,
    weights: np.ndarray,
    length: int,
    functions: RowFunctions | None = None,
) -> np.ndarray:
    """Σ weights (target - Y φ) z (blocks, p) of every `length` samples. piece: Y (n, rows, p) and target (n, rows); Z (n, rows,
    p); phi (p,); weights (rows,)."""
    Y, target, Z, phi, weights = (np.ascontiguousarray(x, dtype=float) for x in (*piece, Z, phi, weights))
    n, rows, p = Y.shape
    if Z.shape != Y.shape or target.shape != (n, rows) or phi.shape != (p,) or weights.shape != (rows,) or length < 1:
        shapes = ", ".join(str(x.shape) for x in (Y, target, Z, phi, weights))
        raise ValueError(f"sums of blocks of {length}: shapes {shapes} do not fit together")
    out = np.zeros((-(-n // length), p))
    given = (address(x) for x in (Y, Z, target, phi, weights))
    (functions or row_functions()).sums(*given, n, rows, p, length, address(out))
    return out
