"""Large blocks as loops: functions that solve and multiply, and how one of them is called.

The loops run along rows, so that compilers vectorise them without changing the order of any sum but those of the last
substitution. A symmetric solve works as when it is written out, LDLᵀ without pivoting; four pivots at a time, so that what is
below them is loaded and stored once for four. Rows end where their last entry is that is not a structural zero (`ends`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.backends._cfamily import C, wrap_entries
from gough.program.ops import Product, Solve

PANEL = 4
"""Pivots that are eliminated together."""

SOLVE = """\
/* X of A X = B by A = L D Lt. a: rows of A from the diagonal on, one behind the other; b: m right-hand sides, where X comes;
   ends: one for four rows, behind their last entry; work: 4 n numbers. Pivots whose floor is negative are negative.
   Returns whether a pivot is smaller than its floor. */
static int solve_symmetric(int n, int m, const int *ends, const double *floors, double *restrict a, double *restrict b,
                           double *restrict work) {
    int bad = 0;
    for (int first = 0; first < n; first += 4) {
        const int last = first + 4 < n ? first + 4 : n;
        const int end = ends[first / 4];
        for (int k = first; k < last; ++k) {
            double *const row = a + (k * n - k * (k - 1) / 2 - k);
            double *const factors = work + (k - first) * n;
            const double pivot = row[k];
            const double one = 1.0 / pivot;
            bad |= floors[k] > 0.0 ? !(pivot >= floors[k]) : !(pivot <= floors[k]);
            for (int j = k + 1; j < end; ++j) {
                factors[j] = row[j] * one;
            }
            for (int i = k + 1; i < last; ++i) {
                double *const below = a + (i * n - i * (i - 1) / 2 - i);
                const double factor = factors[i];
                for (int j = i; j < end; ++j) {
                    below[j] -= factor * row[j];
                }
            }
            for (int c = 0; c < m; ++c) {
                double *const x = b + c * n;
                const double value = x[k];
                for (int j = k + 1; j < end; ++j) {
                    x[j] -= factors[j] * value;
                }
                x[k] = value * one;
            }
        }
        for (int i = last; i < end; ++i) {
            const double *const row = a + (first * n - first * (first - 1) / 2 - first);
            const double *const second = row + (n - first - 1);
            const double *const third = second + (n - first - 2);
            const double *const fourth = third + (n - first - 3);
            double *const below = a + (i * n - i * (i - 1) / 2 - i);
            const double f = work[i], g = work[n + i], h = work[2 * n + i], l = work[3 * n + i];
            for (int j = i; j < end; ++j) {
                below[j] = (((below[j] - f * row[j]) - g * second[j]) - h * third[j]) - l * fourth[j];
            }
        }
        for (int k = first; k < last; ++k) {
            double *const row = a + (k * n - k * (k - 1) / 2 - k);
            for (int j = k + 1; j < end; ++j) {
                row[j] = work[(k - first) * n + j];
            }
        }
    }
    for (int c = 0; c < m; ++c) {
        double *const x = b + c * n;
        for (int k = n - 1; k >= 0; --k) {
            const double *const row = a + (k * n - k * (k - 1) / 2 - k);
            const int end = ends[k / 4];
            double sum0 = x[k], sum1 = 0.0, sum2 = 0.0, sum3 = 0.0;
            const int whole = k + 1 + (end - k - 1) / 4 * 4;
            for (int j = k + 1; j < whole; j += 4) {
                sum0 -= row[j] * x[j];
                sum1 -= row[j + 1] * x[j + 1];
                sum2 -= row[j + 2] * x[j + 2];
                sum3 -= row[j + 3] * x[j + 3];
            }
            for (int j = whole; j < end; ++j) {
                sum0 -= row[j] * x[j];
            }
            x[k] = (sum0 + sum1) + (sum2 + sum3);
        }
    }
    return bad;
}"""

MULTIPLY = """\
/* C (n, m) = A (n, k) B (k, m), row by row; of row i of C the entries from spans[2 i] to spans[2 i + 1] alone. */
static void multiply(int n, int k, int m, const int *spans, const double *restrict a, const double *restrict b,
                     double *restrict c) {
    for (int i = 0; i < n; ++i) {
        const int begin = spans[2 * i], end = spans[2 * i + 1];
        const double *const row = a + i * k;
        double *const sums = c + i * m;
        for (int j = begin; j < end; ++j) {
            sums[j] = 0.0;
        }
        for (int t = 0; t < k / 4 * 4; t += 4) {
            const double *const first = b + t * m, *const second = first + m;
            const double *const third = second + m, *const fourth = third + m;
            const double f = row[t], g = row[t + 1], h = row[t + 2], l = row[t + 3];
            for (int j = begin; j < end; ++j) {
                sums[j] = (((sums[j] + f * first[j]) + g * second[j]) + h * third[j]) + l * fourth[j];
            }
        }
        for (int t = k / 4 * 4; t < k; ++t) {
            const double *const first = b + t * m;
            const double f = row[t];
            for (int j = begin; j < end; ++j) {
                sums[j] += f * first[j];
            }
        }
    }
}"""

COPY = """\
/* Rows of numbers: from where, how far apart, to where, how many. */
static void copy_rows(int n, const int *rows, const double *from, double *to) {
    for (int i = 0; i < n; ++i) {
        const double *const source = from + rows[4 * i];
        double *const target = to + rows[4 * i + 2];
        const int step = rows[4 * i + 1], count = rows[4 * i + 3];
        for (int k = 0; k < count; ++k) {
            target[k] = source[k * step];
        }
    }
}"""

CLEAR = """\
static void clear(int n, double *numbers) {
    for (int k = 0; k < n; ++k) {
        numbers[k] = 0.0;
    }
}"""


def copied_rows(moves: Sequence[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """(from, step, to, count) of copies (from, to); targets are passed over once, in their order."""
    rows: list[tuple[int, int, int, int]] = []
    for source, target in sorted(moves, key=lambda move: move[1]):
        if rows:
            first, step, to, count = rows[-1]
            if target == to + count and (count == 1 or source == first + count * step):
                rows[-1] = (first, source - first if count == 1 else step, to, count + 1)
                continue
        rows.append((source, 1, target, 1))
    return rows


def integer_table(name: str, entries: Sequence[int]) -> list[str]:
    """A constant table of places."""
    return [f"static const int {name}[{len(entries)}] = {{", *wrap_entries([str(x) for x in entries]), "};"]


def number_table(name: str, entries: Sequence[str]) -> list[str]:
    """A constant table of numbers."""
    return [f"static const {C.real} {name}[{len(entries)}] = {{", *wrap_entries(entries), "};"]


@dataclass(frozen=True)
class SolveShape:
    """Places of a symmetric solve in its workspace. filled (n, n): operands that are not the number zero, below the diagonal."""

    block: Solve
    filled: np.ndarray

    @property
    def matrix(self) -> int:
        """Numbers of the triangle."""
        return self.block.n * (self.block.n + 1) // 2

    @property
    def size(self) -> int:
        """Numbers in all: the triangle, right-hand sides, four rows of factors."""
        return self.matrix + self.block.n * (self.block.m + PANEL)

    def place_of_operand(self, k: int) -> int | None:
        """Where operand k goes; None above the diagonal, which is not read."""
        n, m = self.block.n, self.block.m
        if k < n * n:
            i, j = divmod(k, n)
            return None if j > i else j * n - j * (j - 1) // 2 + i - j
        i, c = divmod(k - n * n, m)
        return self.matrix + c * n + i

    def place_of_result(self, k: int) -> int:
        """Where result k is found."""
        i, c = divmod(k, self.block.m)
        return self.matrix + c * self.block.n + i

    def ends(self) -> list[int]:
        """Of every four rows of Lᵀ, one behind the last column that is not zero, fill-in included."""
        return panel_ends(self.filled)


def panel_ends(filled: np.ndarray) -> list[int]:
    """As `SolveShape.ends`, of a matrix of which the lower triangle (n, n) is given."""
    n = len(filled)
    last = [int(np.flatnonzero(filled[k:, k])[-1]) + k + 1 if filled[k:, k].any() else k + 1 for k in range(n)]
    ends: list[int] = []
    for first in range(0, n, PANEL):
        end = max(last[first : first + PANEL])
        ends.append(max(end, min(first + PANEL, n)))
        for k in range(first, end):  # rows below get fill-in as far as this panel reaches
            last[k] = max(last[k], end)
    return ends


def solve_work(block: Solve, ends: Sequence[int]) -> int:
    """Multiply-adds of the loops."""
    work = 0
    for k in range(block.n):
        reach = ends[k // PANEL] - k - 1
        work += reach * (reach + 1) // 2 + reach * (2 * block.m + 1)
    return work


def product_spans(block: Product, read: Sequence[bool]) -> list[int]:
    """Of every row of a product, the first column that is read and one behind the last."""
    spans: list[int] = []
    for i in range(block.n):
        columns = [j for j in range(block.m) if read[i * block.m + j]]
        spans += [min(columns), max(columns) + 1] if columns else [0, 0]
    return spans


def product_work(block: Product, spans: Sequence[int]) -> int:
    """Multiply-adds of the loops."""
    return block.k * sum(end - begin for begin, end in zip(spans[::2], spans[1::2], strict=True))
