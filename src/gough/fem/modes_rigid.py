"""The rigid motions a body's freedoms can make: up to six, fewer for a plate without membrane or a planar beam.

A rigid motion has node displacements t + θ × x and node rotations θ. With B = TᵀT + ℓ² RᵀR of the node operators, its
freedoms solve (K/σ + B) x = Tᵀ t + ℓ² Rᵀ θ exactly, for any σ, because K x = 0: one factorisation finds all six (of B alone
where nodes see every freedom).
Those that the freedoms cannot follow leave a residual and are no motion of this model.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, svd
from scipy.sparse import csc_array, csr_array

from gough.errors import UsageError
from gough.fem.cross import hat
from gough.fem.finite_elements import FiniteElements
from gough.fem.modes_factor import Factor

HELD = 1e-9
"""Energy of a rigid motion, against the mean stiffness at the nodes, above which something resists it."""


@dataclass(frozen=True)
class RigidMotions:
    """massive (d, r): rigid motions with kinetic energy; massless (d, s): those without (the spin of a thin straight beam)."""

    massive: np.ndarray
    massless: np.ndarray

    @property
    def all(self) -> np.ndarray:
        """Both side by side (d, r + s)."""
        return np.concatenate([self.massive, self.massless], axis=1)


def rigid_motions(elements: FiniteElements) -> RigidMotions:
    """Rigid motions of the freedoms; an error where the stiffness resists one (the model is held somewhere)."""
    X, resistance = _found(elements)
    held = resistance > HELD
    if held.any():
        raise UsageError(
            f"the stiffness resists {int(held.sum())} of the body's {len(held)} rigid motions: the model is held somewhere "
            "(leave its supports out, or reduce it as it is held with ClampedModes(at=None)), its nodes are misplaced or in "
            "other axes, or its matrix has too few digits"
        )
    weight, V = eigh(X.T @ (elements.M @ X))
    light = weight <= 1e-12 * weight.max(initial=0.0)
    return RigidMotions(X @ V[:, ~light], X @ V[:, light])


def count_free_rigid(elements: FiniteElements) -> int:
    """How many rigid motions cost no energy."""
    return int(np.sum(_found(elements)[1] <= HELD))


def _found(elements: FiniteElements) -> tuple[np.ndarray, np.ndarray]:
    """Rigid motions (d, r), orthonormal in B, and the relative energy (r,) each costs."""
    nodes, T, R = elements.nodes, elements.translation, elements.rotation
    length = max(float(np.linalg.norm(np.ptp(nodes, axis=0))), 1e-9)
    moved, turned = _rigid_fields(nodes, length)
    B = T.T @ T if R is None else T.T @ T + length**2 * (R.T @ R)
    load = T.T @ moved if R is None else T.T @ moved + length**2 * (R.T @ turned)
    sigma = elements.K.trace() / B.trace()
    everywhere = np.diff(csc_array(B).indptr).min() > 0  # B alone then determines the motion, node by node
    A = csr_array(B) if everywhere else csr_array(elements.K / sigma + B)
    factor = Factor(A)
    X = factor.solve(load)
    X += factor.solve(load - A @ X)
    misfit = [T @ X - moved] if R is None else [T @ X - moved, length * (R @ X - turned)]
    _, s, Vt = svd(np.concatenate(misfit) / np.sqrt(len(nodes)), full_matrices=False)
    X = X @ Vt[s < 1e-6].T
    size, V = eigh(X.T @ (B @ X))
    X = (X @ V)[:, size > 1e-12 * len(nodes)] / np.sqrt(size[size > 1e-12 * len(nodes)])
    if X.shape[1] == 0:
        return X, np.zeros(0)
    energy, V = eigh(X.T @ (elements.K @ X) / sigma)
    return X @ V, np.abs(energy)


def _rigid_fields(nodes: np.ndarray, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Node displacements and rotations (3 n, 6) of three translations by 1 and three turns by 1/length about the centre."""
    moved, turned = np.zeros((len(nodes), 3, 6)), np.zeros((len(nodes), 3, 6))
    moved[:, :, :3] = np.eye(3)
    moved[:, :, 3:] = -hat(nodes - nodes.mean(axis=0)) / length
    turned[:, :, 3:] = np.eye(3) / length
    return moved.reshape(-1, 6), turned.reshape(-1, 6)
