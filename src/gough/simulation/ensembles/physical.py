"""Which drawn designs a robot can have: numbers that are not negative, bodies whose pseudo-inertia is positive definite."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.structure.changing.names import names_meant
from gough.structure.changing.offsets import OFFSET, add_preloads

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


def expand_names(model: "Model", names: Sequence[str]) -> tuple[list[list[str]], dict[str, str]]:
    """(parameters and offsets that names stand for, none twice; {offset: the preload that it is taken from}). Names may be
    patterns with stars, or tied ones as an identification writes them, {left_rod,right_rod}.M."""
    table, taken = model.mechanism.table, set[str]()
    _, preloads = add_preloads(model.robot, [n for n in names if n.endswith(OFFSET)], table)
    found: list[list[str]] = []
    for name in names:
        own = names_meant(name, [*model.parameter_names, *preloads])
        if not own:
            raise UsageError(f"{model.robot.name} has no parameter {name!r}; use {table.meant_by(name)}")
        twice = taken.intersection(own)
        if twice:
            raise UsageError(f"{min(twice)} is drawn twice, by {name!r} too; name each parameter once")
        taken |= set(own)
        found.append(own)
    return found, preloads


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


@dataclass(frozen=True)
class PossibleSet:
    """What draws x (n,) of estimates must keep. signed: columns that are not negative; tens (b, 10), columns (b, 10): of bodies
    whose pseudo-inertia is positive definite, their parameters in the description and the columns that replace them, or -1."""

    signed: tuple[int, ...]
    tens: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, model: "Model", names: Sequence[Sequence[str]], mean: np.ndarray) -> "PossibleSet":
        """names: of the parameters that each column is. What the mean itself does not keep is not asked for."""
        signed = tuple(
            k
            for k, own in enumerate(names)
            if mean[k] >= 0 and any(name.rpartition(".")[2] in NOT_NEGATIVE for name in own)
        )
        found = dict.fromkeys(_bodies(model, names))  # bodies of tied legs once
        tens = np.array([ten for ten, _ in found]).reshape(-1, 10)
        columns = np.array([own for _, own in found], dtype=int).reshape(-1, 10)
        good = is_positive(cls(signed, tens, columns).bodies(mean[None])[0])
        return cls(signed, tens[good], columns[good])

    def bodies(self, drawn: np.ndarray) -> np.ndarray:
        """Ten parameters (m, b, 10) of the bodies of draws (m, n)."""
        return np.where(self.columns >= 0, drawn[:, self.columns], self.tens)

    def holds(self, drawn: np.ndarray) -> np.ndarray:
        """Whether each of the draws (m, n) can be, (m,)."""
        good = (drawn[:, list(self.signed)] >= 0).all(axis=1)
        bodies = self.bodies(drawn)
        whole = is_positive(bodies.reshape(-1, 10)).reshape(bodies.shape[:2])
        return np.logical_and(good, whole.all(axis=1))

    def pseudo_inertias(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(J (b, 4, 4) at the mean, its slopes (b, 4, 4, n))."""
        units = pseudo_inertia(np.eye(10))  # (10, 4, 4)
        picked = (self.columns[:, :, None] == np.arange(len(mean))).astype(float)
        return pseudo_inertia(self.bodies(mean[None])[0]), np.einsum("kij,bkn->bijn", units, picked)


def _bodies(model: "Model", names: Sequence[Sequence[str]]) -> Iterator[tuple[tuple[float, ...], tuple[int, ...]]]:
    """(ten parameters of the description, column of each or -1) of the rigid bodies that are drawn."""
    column = {name: k for k, own in enumerate(names) for name in own}
    for link in model.mechanism.links:
        if link.ten is not None and link.elastic is None:
            columns = tuple(column.get(model.parameter_names[i], -1) for i in link.ten)
            if max(columns) >= 0:
                ten = (0.0 if k >= 0 else float(model.parameters[i]) for i, k in zip(link.ten, columns, strict=True))
                yield tuple(ten), columns


def pseudo_inertia(ten: np.ndarray) -> np.ndarray:
    """∫ (r, 1) (r, 1)ᵀ dm (m, 4, 4) of bodies (m, 10)."""
    m, x, y, z, xx, xy, xz, yy, yz, zz = ten.T
    P = np.empty((len(ten), 4, 4))
    P[:, 0, 0], P[:, 1, 1], P[:, 2, 2], P[:, 3, 3] = 0.5 * (yy + zz - xx), 0.5 * (xx + zz - yy), 0.5 * (xx + yy - zz), m
    for (i, j), entry in (((0, 1), -xy), ((0, 2), -xz), ((1, 2), -yz), ((0, 3), x), ((1, 3), y), ((2, 3), z)):
        P[:, i, j] = P[:, j, i] = entry
    return P


def is_positive(ten: np.ndarray) -> np.ndarray:
    """Whether the pseudo-inertia of bodies (m, 10) is positive definite, (m,): some distribution of mass has these parameters."""
    P = pseudo_inertia(ten)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(np.einsum("mii->mi", P))  # to correlations: lengths and masses of any size
        P = P / (scale[:, :, None] * scale[:, None, :])
    known = np.isfinite(P).all(axis=(1, 2))
    out = np.zeros(len(ten), dtype=bool)
    out[known] = np.linalg.eigvalsh(P[known])[:, 0] > LEAST
    return out
