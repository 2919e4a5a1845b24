"""The rigid motions a body's freedoms can make: up to six, fewer for a plate without membrane or a planar beam.

A rigid motion has node displacements t + θ × x and node rotations θ. Freedoms that nodes see follow from them; the others (a
plate's second derivatives, a superelement's modes) have the values of least energy, exactly where K x = 0. Motions in
directions that no node has are none of this model. A direction that some nodes have and others have not is either condensed
or held: the stiffness tells.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, svd
from scipy.sparse import csr_array

from gough.errors import UsageError
from gough.fem._elements import FiniteElements
from gough.fem._geometry import extent, rigid_displacements
from gough.fem._sparse import Factor
from gough.scalar.slopes import real_part

HELD = 1e-9
"""Energy of a rigid motion, against the mean stiffness at the nodes, above which something resists it."""
EXACT = 1e-12
"""Force that a rigid motion leaves at a freedom, relative to the forces that cancel there, that is no more than rounding."""


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
    """Rigid motions of the freedoms; whether the stiffness resists them is asked once there are modes (`find_ground`)."""
    X = _rigid_basis(elements)
    weight, V = eigh(real_part(X.T @ (elements.M @ X)))
    light = weight <= 1e-12 * weight.max(initial=0.0)
    return RigidMotions(X @ V[:, ~light], X @ V[:, light])


def count_free_rigid(elements: FiniteElements) -> int:
    """How many rigid motions cost no energy."""
    X = _rigid_basis(elements)
    energy = np.linalg.eigvalsh(real_part(X.T @ (elements.K @ X))) / _mean_stiffness(elements)
    return int(np.sum(np.abs(energy) <= HELD))


@dataclass(frozen=True)
class Ground:
    """How a stiffness resists the motion of its body as a whole: the part of such a motion by which the body stays behind, the
    freedom that holds it most, and the force (N, or N m) there when the farthest node is to go 1 m."""

    share: float
    freedom: int
    force: float


def find_ground(elements: FiniteElements, lowest: float, held: np.ndarray, still: np.ndarray) -> Ground | None:
    """What resists rigid motion x; None where nothing does: K x of a free body is zero. lowest: λ ((rad/s)²) of its first mode.

    A body driven at that frequency by the inertia of x deflects by d = (K + λM)⁻¹ K x; |d| / |x| over the mass is the share.
    held: freedoms that a clamp takes (what holds the body there does no harm); still: its nodes, which may lack freedoms.
    Without a clamp x itself is taken out of the modes, and its energy x'Kx / λ counts too.
    """
    X = _rigid_basis(elements, still)
    if not X.shape[1]:
        return None
    weight, V = eigh(X.T @ (elements.M @ X))
    heavy = weight > 1e-12 * weight.max(initial=0.0)
    X = (X @ V)[:, heavy] / np.sqrt(weight[heavy])
    free = np.setdiff1d(np.arange(len(X)), held)
    force, cancelled = (elements.K @ X)[free], (abs(elements.K) @ abs(X))[free]
    if not np.any(np.abs(force) > EXACT * cancelled):
        return None
    K, M = (csr_array(A[free][:, free]) for A in (elements.K, elements.M))
    D = Factor(csr_array(K + lowest * M)).solve(force)
    square, V = eigh(D.T @ (M @ D))
    share, worst = float(np.sqrt(max(square[-1], 0.0))), V[:, -1]
    if not len(held):
        energy, V = eigh(X.T @ (elements.K @ X) / lowest)
        most = int(np.argmax(np.abs(energy)))
        if abs(energy[most]) > share:
            share, worst = abs(float(energy[most])), V[:, most]
    x, f = X @ worst, force @ worst
    where = int(np.argmax(np.abs(x[free] * f)))
    farthest = float(np.linalg.norm((elements.translation @ x).reshape(-1, 3), axis=1).max())
    return Ground(share, int(free[where]), abs(float(f[where])) / max(farthest, 1e-300))


def _mean_stiffness(elements: FiniteElements) -> float:
    T, R = elements.translation, elements.rotation
    square = float((real_part(T.data) ** 2).sum())
    if R is not None:
        square += max(extent(elements.nodes), 1e-9) ** 2 * float((real_part(R.data) ** 2).sum())
    return elements.K.trace().real / square


def _rigid_basis(elements: FiniteElements, still: np.ndarray | None = None) -> np.ndarray:
    """Rigid motions (d, r), orthonormal in B = TᵀT + ℓ² RᵀR of the nodes' operators. still: nodes that lack freedoms if held."""
    nodes, T, R = elements.nodes, elements.translation, elements.rotation
    length = max(extent(elements.nodes), 1e-9)
    moved = rigid_displacements(nodes - nodes.mean(axis=0)) / (
        [1.0] * 3 + [length] * 3
    )  # turns by 1/length about the centre
    turned = np.tile(np.eye(3, 6, 3) / length, (len(nodes), 1))
    B = csr_array(T.T @ T if R is None else T.T @ T + length**2 * (R.T @ R))
    load = T.T @ moved if R is None else T.T @ moved + length**2 * (R.T @ turned)
    X = _least_energy(elements, B, load)
    asked = _rows_asked(T, still)
    misfit = [(T @ X - moved)[asked]]
    if R is not None:
        misfit.append(length * (R @ X - turned)[_rows_asked(R, still)])
    _, s, Vt = svd(np.concatenate(misfit).real / np.sqrt(len(nodes)), full_matrices=False)
    X = X @ Vt[s < 1e-6].T
    size, V = eigh((X.T @ (B @ X)).real)
    there = size > 1e-12 * len(nodes)
    return (X @ V)[:, there] / np.sqrt(size[there])


def _least_energy(elements: FiniteElements, B: csr_array, load: np.ndarray) -> np.ndarray:
    """Freedoms (d, 6) with B x = load where nodes see them, and of least energy where they do not."""
    seen = B.diagonal() > 0.0
    s, u = np.flatnonzero(seen), np.flatnonzero(~seen)
    X = np.zeros(load.shape, dtype=np.result_type(elements.K, load))
    A = csr_array(B[s][:, s])
    try:
        factor = Factor(A)
        X[s] = factor.solve(load[s])
        X[s] += factor.solve(load[s] - A @ X[s])
        if len(u):
            rest = elements.K[u] @ X
            X[u] = -Factor(csr_array(elements.K[u][:, u])).solve(rest)
        return X
    except UsageError:  # nodes see fewer motions than they have freedoms: the stiffness says which
        A = csr_array(elements.K / _mean_stiffness(elements) + B)
        factor = Factor(A)
        X = factor.solve(load)
        return X + factor.solve(load - A @ X)


def _rows_asked(operator: csr_array, still: np.ndarray | None) -> np.ndarray:
    """Which rows (3 n,) of node motions a rigid motion must follow: not of a direction that a node lacks and others have."""
    present = (np.asarray(abs(operator).sum(axis=1)).ravel() > 0.0).reshape(-1, 3)
    asked = present | ~present.any(axis=0)
    if still is not None:
        asked[still] = True
    return asked.ravel()
