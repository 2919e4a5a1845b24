"""Distance from what must not be: singularities and stated limits."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.kinematics.singularity import block_scales, drive_map_scales, driven_rows
from gough.studies._closed_states import ClosedStates

MANY, CLEAR = 4, 1e-2
"""Rows from which on, and values above which, eigenvalues are quicker and exact enough."""


def reciprocal_condition(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest over largest singular value (n,) of matrices (n, k, l), k ≤ l, and its derivative (n, k, l): σ' = uᵀ A' v."""
    if a.shape[-2] > a.shape[-1]:
        raise UsageError("condition: there are fewer drives than freedoms, and it is 0 everywhere")
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    if s.shape[-1] == 1:
        large = np.maximum(s[:, 0], 1.0)
        slope = u[:, :, 0, None] * vt[:, None, 0, :] / large[:, None, None]
        return s[:, 0] / large, np.where((s[:, 0] < 1.0)[:, None, None], slope, 0.0)
    low, high = s[:, -1, None, None], s[:, 0, None, None]
    of_low, of_high = u[:, :, -1, None] * vt[:, None, -1, :], u[:, :, 0, None] * vt[:, None, 0, :]
    return (low / high)[:, 0, 0], of_low / high - low / high**2 * of_high


def _least_over_largest(a: np.ndarray) -> np.ndarray:
    """The value of `reciprocal_condition` alone. Roots of the eigenvalues of A Aᵀ are several times as quick, and err by some
    1e-15 over the square of the value: where that is more than 1e-11, singular values decide."""
    if a.shape[-2] != a.shape[-1] or a.shape[-1] < MANY or not np.isfinite(a).all():
        return reciprocal_condition(a)[0]
    squares = np.linalg.eigvalsh(a @ a.transpose(0, 2, 1))
    out = np.sqrt(np.maximum(squares[:, 0], 0.0) / np.where(squares[:, -1] > 0, squares[:, -1], 1.0))
    doubtful = np.flatnonzero(out < CLEAR)
    if len(doubtful):
        out[doubtful] = reciprocal_condition(a[doubtful])[0]
    return out


@dataclass(frozen=True)
class Conditions:
    """Reciprocal condition numbers: of the drive map ("drives") and of each leg or loop, as `model.singularity` measures them,
    length (m): the characteristic one, None for that of the description."""

    names: tuple[str, ...]
    length: float | None = None

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries."""
        return ("1",) * len(self.names)

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m)."""
        return np.stack([_least_over_largest(a) for a in self.matrices(states)], axis=1)

    def matrices(self, states: ClosedStates) -> list[np.ndarray]:
        """Of every entry (n, k, l), in plain numbers, of which it is the reciprocal condition."""
        return [self._matrix(states, name)[0] for name in self.names]

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters)."""
        bars: dict[str, dict[str, np.ndarray]] = {}
        for name, weight in zip(self.names, weights.T, strict=True):
            a, share, place = self._matrix(states, name)
            function, output = SOURCES[name == "drives"]
            bar = bars.setdefault(function, {output: np.zeros_like(states.evaluate(function)[output])})[output]
            bar[place] += reciprocal_condition(a)[1] * share * weight[:, None, None]
        return np.sum([states.pull(function, own)["parameters"] for function, own in bars.items()], axis=0)

    def _matrix(self, states: ClosedStates, name: str) -> tuple[np.ndarray, np.ndarray, Any]:
        """(matrix (n, k, l) in plain numbers, what its entries were multiplied with, its place in the function's output)."""
        model = states.model
        size = model.size if self.length is None else self.length
        function, output = SOURCES[name == "drives"]
        if name == "drives":
            rows, columns = drive_map_scales(model, size)
            felt = driven_rows(model)
            share, place = columns / rows[felt][:, None], (slice(None), felt)
        else:
            groups = model.mechanism.loop_groups
            k, (of_rows, of_columns) = list(groups).index(name), groups[name]
            per_row, per_column = block_scales(model.mechanism, size)[k]
            share, place = per_row * per_column, (slice(None), np.array(of_rows)[:, None], np.array(of_columns))
        return states.evaluate(function)[output][place] * share, share, place


SOURCES = {True: ("drive_map", "S"), False: ("closure_rows", "G")}
