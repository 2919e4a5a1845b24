"""Which drawn designs a robot can have: numbers that are not negative, bodies whose pseudo-inertia is positive definite."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.model import Model

NOT_NEGATIVE = frozenset(
    "M viscous coulomb smoothing stiffness damping rotor_inertia armature rounding clearance length rest_length".split()
)
"""Last words of the names of parameters that are not below 0."""
LEAST = 1e-9
"""Smallest eigenvalue of a body's pseudo-inertia, beside the largest, that counts as positive."""
SYMMETRIC = 1e-6
"""By how much a covariance may differ from its transpose, or be negative, of its largest entries: rounding of an inverse."""


def expand_names(model: "Model", names: Sequence[str]) -> list[list[str]]:
    """Parameters that names or patterns with stars stand for, none twice."""
    known, taken = model.parameter_names, set[str]()
    found: list[list[str]] = []
    for name in names:
        own = [name] if name in known else [n for n in known if "*" in name and fnmatchcase(n, name)]
        if not own:
            raise UsageError(
                f"{model.robot.name} has no parameter {name!r}; use {model.mechanism.table.meant_by(name)}"
            )
        twice = taken.intersection(own)
        if twice:
            raise UsageError(f"{min(twice)} is drawn twice, by {name!r} too; name each parameter once")
        taken |= set(own)
        found.append(own)
    return found


def square_root(C: np.ndarray) -> np.ndarray:
    """S (n, n) with Sᵀ S = C, from the symmetric root of the correlations: numbers without correlation do not mix."""
    spread = np.sqrt(np.maximum(np.diag(C), 0.0))
    scale = np.where(spread > 0, spread, 1.0)
    R = C / np.outer(scale, scale)
    if not np.isfinite(C).all() or (np.diag(C) < 0).any() or np.abs(R - R.T).max() > SYMMETRIC:
        raise UsageError("covariance: expected a symmetric matrix of finite numbers, no variance below 0")
    eigenvalues, vectors = np.linalg.eigh(0.5 * (R + R.T))
    if eigenvalues[0] < -SYMMETRIC * len(C):
        raise UsageError(
            f"covariance: its correlations have the eigenvalue {eigenvalues[0]:.3g}; those of random numbers are not negative"
        )
    return (vectors * np.sqrt(np.maximum(eigenvalues, 0.0))) @ vectors.T * scale


def find_possible(model: "Model", names: Sequence[Sequence[str]], mean: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Whether each of the draws (m, n) can be, (m,); names: of the parameters that each column is."""
    good = np.ones(len(drawn), dtype=bool)
    for k, own in enumerate(names):
        if mean[k] >= 0 and any(name.rpartition(".")[2] in NOT_NEGATIVE for name in own):
            good &= drawn[:, k] >= 0
    for ten, columns in _bodies(model, names):
        at_mean, rows = ten.copy(), np.tile(ten, (len(drawn), 1))
        for place, k in columns:
            at_mean[place], rows[:, place] = mean[k], drawn[:, k]
        if is_positive(at_mean[None])[0]:
            good &= is_positive(rows)
    return good


def _bodies(model: "Model", names: Sequence[Sequence[str]]) -> Iterator[tuple[np.ndarray, list[tuple[int, int]]]]:
    """(ten parameters of the description, [(which of them, column)]) of the rigid bodies that are drawn."""
    column = {name: k for k, own in enumerate(names) for name in own}
    for link in model.mechanism.links:
        if link.ten is not None and link.elastic is None:
            own = [model.parameter_names[i] for i in link.ten]
            columns = [(place, column[name]) for place, name in enumerate(own) if name in column]
            if columns:
                yield np.array([model.parameters[i] for i in link.ten]), columns


def is_positive(ten: np.ndarray) -> np.ndarray:
    """Whether the pseudo-inertia ∫ (r, 1) (r, 1)ᵀ dm of bodies (m, 10) is positive definite, (m,): some distribution of mass has
    these parameters."""
    m, x, y, z, xx, xy, xz, yy, yz, zz = ten.T
    P = np.empty((len(ten), 4, 4))
    P[:, 0, 0], P[:, 1, 1], P[:, 2, 2], P[:, 3, 3] = 0.5 * (yy + zz - xx), 0.5 * (xx + zz - yy), 0.5 * (xx + yy - zz), m
    for (i, j), entry in (((0, 1), -xy), ((0, 2), -xz), ((1, 2), -yz), ((0, 3), x), ((1, 3), y), ((2, 3), z)):
        P[:, i, j] = P[:, j, i] = entry
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(np.einsum("mii->mi", P))  # to correlations: lengths and masses of any size
        P = P / (scale[:, :, None] * scale[:, None, :])
    known = np.isfinite(P).all(axis=(1, 2))
    out = np.zeros(len(ten), dtype=bool)
    out[known] = np.linalg.eigvalsh(P[known])[:, 0] > LEAST
    return out
