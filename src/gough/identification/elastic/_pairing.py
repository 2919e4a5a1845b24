"""Which mode of the model a measured frequency is.

By order: the k-th measured is the k-th of the model, at every design anew; so it is right for the robot that was measured, as
long as no mode was missed. By shape: the modes whose shapes agree best, all measured ones together (linear assignment of modal
assurance criteria, MAC = |ψᵀφ|² / (ψᵀψ φᵀφ)); shapes are the measured ones, or those of the model at the start, and modes that
cross do not swap.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from gough.identification.elastic._eigen import Vibration, common_basis, group_slopes, square_slopes
from gough.identification.elastic._rest import RestMatrices

MOST_ORDERS = 4
"""Members of a group of equal frequencies of which all orders are tried."""


@dataclass(frozen=True)
class Pairing:
    """measured (k,): Hz, increasing or not; modes (k,): their modes by order, where they are paired so; shapes (k, sensors): the
    reference otherwise."""

    measured: np.ndarray
    sigma: np.ndarray
    modes: np.ndarray
    shapes: np.ndarray | None = None

    def pair(self, found: Vibration, rows: np.ndarray | None) -> tuple[np.ndarray, dict[int, np.ndarray], np.ndarray]:
        """(modes (k,), bases in groups of equal frequency, MAC (k,)). rows (sensors, n): what sensors see of y."""
        if self.shapes is None or rows is None:
            return self.modes, {}, np.ones(len(self.modes))
        from scipy.optimize import linear_sum_assignment

        bases: dict[int, np.ndarray] = {}
        shapes = found.shapes.copy()
        for a, b in found.groups:
            if b - a > 1:
                bases[a] = _turn_to(rows @ found.shapes[:, a:b], self.shapes)
                shapes[:, a:b] = found.shapes[:, a:b] @ bases[a]
        seen = rows @ shapes
        mac = assurance(self.shapes, seen)
        own, theirs = linear_sum_assignment(-mac)
        modes = np.zeros(len(self.shapes), dtype=int)
        modes[own] = theirs
        return modes, bases, mac[np.arange(len(modes)), modes]

    def slopes(
        self, at: RestMatrices, found: Vibration, modes: np.ndarray, bases: dict[int, np.ndarray], residual: np.ndarray
    ) -> np.ndarray:
        """λ' (k, unknowns) of the paired modes. By order, members of a group of equal frequencies are told apart as a step of
        Gauss and Newton from the residuals (k,) would leave least."""
        by_mode = square_slopes(at, found, bases)
        if self.shapes is not None:
            return by_mode[:, modes].T
        scale = 1.0 / (8 * np.pi**2 * np.sqrt(np.maximum(found.squares, 1e-300)) / (2 * np.pi))
        for a, b in found.groups:
            members = [i for i, mode in enumerate(modes) if a <= mode < b]
            if b - a == 1 or b - a > MOST_ORDERS or not members:
                continue
            Q = common_basis(group_slopes(at, found, (a, b)))
            diagonal = np.einsum("ij,kil,lj->kj", Q, group_slopes(at, found, (a, b)), Q)
            best, kept = np.inf, by_mode
            for order in permutations(range(b - a)):
                tried = by_mode.copy()
                tried[:, a:b] = diagonal[:, list(order)]
                J = (tried * scale)[:, modes].T / self.sigma[:, None]
                size = np.maximum(np.linalg.norm(J, axis=0), 1e-300)
                step = np.linalg.lstsq(J / size, -residual, rcond=None)[0] / size
                moved = (tried.T @ step)[a:b]
                left = float(np.linalg.norm(residual + J @ step))
                left += 1e-9 * float(np.sum(np.maximum(-np.diff(moved), 0.0))) / max(abs(found.squares[a]), 1e-300)
                if left < best - 1e-12:
                    best, kept = left, tried
            by_mode = kept
        return by_mode[:, modes].T


def assurance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """MAC (a, b) of shapes in rows (a, sensors) and in columns (sensors, b)."""
    product = np.abs(first @ second) ** 2
    size = np.sum(np.abs(first) ** 2, axis=1)[:, None] * np.sum(np.abs(second) ** 2, axis=0)
    return product / np.where(size > 0, size, 1.0)


def _turn_to(seen: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """The basis (m, m) of a group, seen as (sensors, m), whose members are nearest to those m shapes (k, sensors) that lie best
    within it."""
    m = seen.shape[1]
    inside = np.linalg.lstsq(seen, shapes.T, rcond=1e-10)[0]
    held = seen @ inside
    share = np.sum(held**2, axis=0) / np.maximum(np.sum(shapes**2, axis=1), 1e-300)
    chosen = np.sort(np.argsort(-share)[:m])
    wanted = inside[:, chosen] * (share[chosen] > 0.5)
    u, s, vt = np.linalg.svd(wanted)
    return u @ vt if s[0] > 0 else np.eye(m)
