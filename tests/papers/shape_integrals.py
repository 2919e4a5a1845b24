"""What [Long 2014] and [Briot 2014] ask of a flexible body: constants over its mass, in its frame, in their letters.

Long's s_k are the columns of MS_de, his m_ee is M_ee. A rigid body is one without shapes (N = 0). K_ee, D_ee and the
full M_ee stand for any shapes; both papers print diagonal ones, right for normal modes.
"""

from dataclasses import dataclass

import numpy as np

from papers.vectors import skew


@dataclass(frozen=True)
class Integrals:
    """MS_r (3,), I_rr (3, 3), MS_de (3, N), I_re (N, 3, 3), I_ee (N, N, 3, 3), M_ee, K_ee, D_ee (N, N).

    ∫ dm; ∫ r dm; ∫ r̂ᵀ r̂ dm; ∫ φ_k dm; ∫ r̂ᵀ φ̂_k dm; ∫ φ̂_iᵀ φ̂_k dm; ∫ φ_i·φ_k dm; r undeformed.
    """

    m: float
    MS_r: np.ndarray
    I_rr: np.ndarray
    MS_de: np.ndarray
    I_re: np.ndarray
    I_ee: np.ndarray
    M_ee: np.ndarray
    K_ee: np.ndarray
    D_ee: np.ndarray

    @property
    def N(self):
        """Number of shape functions."""
        return len(self.K_ee)

    @property
    def beta(self):
        """∫ r × φ_k dm (N, 3): twice the axial vector of -I_re."""
        return _axial(self.I_re)

    @property
    def cross(self):
        """[i, k]: ∫ φ_i × φ_k dm (N, N, 3)."""
        return _axial(self.I_ee)

    @property
    def product(self):
        """[i, k]: ∫ of the products of like components of φ_i and φ_k (N, N, 3)."""
        diagonal = np.einsum("ikaa->ika", self.I_ee)
        return diagonal.sum(-1)[..., None] / 2 - diagonal


def _axial(A):
    """∫ a × b of ∫ âᵀ b̂ = ∫ (a·b 1 - b aᵀ), last two axes."""
    return np.stack([A[..., 1, 2] - A[..., 2, 1], A[..., 2, 0] - A[..., 0, 2], A[..., 0, 1] - A[..., 1, 0]], axis=-1)


def of_points(mass, position, shape, K, D):
    """By sums over mass points or weighted quadrature points: mass (g,), position (g, 3), shape (g, 3, N)."""
    r, phi = skew(position), skew(np.swapaxes(shape, 1, 2))  # (g, 3, 3), (g, N, 3, 3)
    return Integrals(
        m=mass.sum(),
        MS_r=mass @ position,
        I_rr=np.einsum("g,gba,gbc->ac", mass, r, r),
        MS_de=np.einsum("g,gak->ak", mass, shape),
        I_re=np.einsum("g,gba,gkbc->kac", mass, r, phi),
        I_ee=np.einsum("g,giba,gkbc->ikac", mass, phi, phi),
        M_ee=np.einsum("g,gai,gak->ik", mass, shape, shape),
        K_ee=K,
        D_ee=D,
    )


def of_library(body):
    """The numbers of a `gough.fem.ElasticBody` without stiffening."""
    assert body.MSdd is None
    return Integrals(body.mass, body.MS, body.J, body.MSde, body.N1, body.N2, body.M, body.K, body.D)


def rigid(m, MS, I):
    """A body without shapes; I about the frame's origin."""
    none = np.zeros((0, 0))
    return Integrals(
        m, np.asarray(MS, float), I, np.zeros((3, 0)), np.zeros((0, 3, 3)), np.zeros((0, 0, 3, 3)), none, none, none
    )
