"""A flexible body as the dynamics sees it: elastic coordinates e (m,), and everything constant about them.

Field     a point at x moves to r = x + Σ_k e_k Φ_k(x) + ½ Σ_kl e_k e_l Ψ_kl(x) in the body's axes; Ψ = 0 without stiffening.
Integrals over the mass, Ψ to first order (with the rigid motion alone):
    MS  = ∫ x dm              J   = -∫ x̂ x̂ dm
    MSde_k  = ∫ Φ_k dm        MSdd_kl = ∫ Ψ_kl dm
    N1_k    = -∫ x̂ Φ̂_k dm     N2_kl  = -∫ Φ̂_k Φ̂_l dm - ∫ x̂ Ψ̂_kl dm
so that  -∫ r̂ Φ̂_k dm = N1_k + Σ_l e_l N2_lk, whose symmetric part gives the inertia tensor's change and the centrifugal
forces, and whose antisymmetric part is ∫ r × Φ_k dm (β_k + Σ e_l λ_lk in [Briot 2014, eqs. 57–59]).
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TiedFrame:
    """A frame that moves with the body's material.

    position (3,), rotation (3, 3): at rest, body axes. translation, turning (3, m): displacement and rotation vector per
    unit coordinate, body axes. second (3, m, m): Ψ at its origin, None without stiffening.
    """

    position: np.ndarray
    rotation: np.ndarray
    translation: np.ndarray
    turning: np.ndarray
    second: np.ndarray | None = None


@dataclass(frozen=True)
class ElasticBody:
    """Constants of a flexible body with m elastic coordinates; units kg, m, N, body axes about the body's origin.

    mass; MS (3,); J (3, 3); MSde (3, m); MSdd (3, m, m) or None; N1 (m, 3, 3); N2 (m, m, 3, 3); M, K, D (m, m).
    frames: by name. labels: a name of each coordinate. frequencies_hz (m,): √(k/m) of each coordinate alone.
    nodes (n, 3), shapes (n, 3, m), cells: for drawing; empty where nothing is known.
    remarks: what a user should know about how it was made ("stiffening: off", "pair 12/13 kept whole", …).
    """

    mass: float
    MS: np.ndarray
    J: np.ndarray
    MSde: np.ndarray
    MSdd: np.ndarray | None
    N1: np.ndarray
    N2: np.ndarray
    M: np.ndarray
    K: np.ndarray
    D: np.ndarray
    frames: dict[str, TiedFrame]
    labels: tuple[str, ...]
    frequencies_hz: np.ndarray
    nodes: np.ndarray
    shapes: np.ndarray
    cells: np.ndarray
    remarks: tuple[str, ...] = ()

    @property
    def modes(self) -> int:
        """Number of elastic coordinates."""
        return len(self.K)
