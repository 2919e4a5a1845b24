"""A flexible body as the dynamics sees it: elastic coordinates e (m,), and everything constant about them.

Field     a point at x moves to r = x + Σ_k ê_k Φ_k(x) + Σ_j σ_j N_j(x) in the body's axes. Without stiffening ê = e and
          there are no N. With it, shapes N are slaved to the coordinates: σ_j = ½ eᵀ Q_j e, ê = e + C σ, so that
          r = x + Σ e_k Φ_k + ½ Σ e_k e_l Ψ_kl with Ψ_kl = Σ_j Q_j,kl (N_j + Σ_i C_ij Φ_i).
Integrals over the mass, of any two shapes k and l, own or slaved:
    MS  = ∫ x dm              J   = -∫ x̂ x̂ dm
    MSde_k  = ∫ Φ_k dm        N1_k  = -∫ x̂ Φ̂_k dm
    N2_kl   = -∫ Φ̂_k Φ̂_l dm   M_kl  = ∫ Φ_k · Φ_l dm
so that  -∫ r̂ Φ̂_k dm = N1_k + Σ_l ê_l N2_lk, whose symmetric part gives the inertia tensor's change and the centrifugal
forces, and whose antisymmetric part is ∫ r × Φ_k dm (β_k + Σ e_l λ_lk in [Briot 2014]).
A product of cross-product matrices is -â b̂ = (a·b) 1 - b aᵀ, so every integral of two crossed fields comes from one table of
products ∫ b aᵀ dm.
"""

from dataclasses import dataclass

import numpy as np

from gough.scalar.slopes import as_number
from gough.text import short_repr


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
class Slaved:
    """Shapes that follow m elastic coordinates to second order; made by `fem.slaved_shapes`, `fem.moment_shapes` or
    `fem.rigid_motion_shapes`.

    forms (s, m, m): Q, symmetric. along (m, s): C. The first o forms have a shape N of their own, the others' are
    made of the body's shapes: MSde (3, o), N1 (o, 3, 3). products (o, m + o, 3, 3): ∫ N_i Φ_kᵀ dm with the body's own
    shapes, then with the slaved. rigid_motion: they work together with the motion of the body's frame alone, so products are
    left out (zero), and `along` is zero. moments: they are displacements linear in x, with the moments of the true ones.
    """

    forms: np.ndarray
    along: np.ndarray
    MSde: np.ndarray
    N1: np.ndarray
    products: np.ndarray
    rigid_motion: bool = False
    moments: bool = False

    @property
    def stiffening(self) -> str:
        """Which form this is, in the words of descriptions."""
        return "rigid_motion" if self.rigid_motion else "moments" if self.moments else "on"

    @property
    def own(self) -> int:
        """How many have a shape of their own."""
        return len(self.N1)

    @property
    def M(self) -> np.ndarray:
        """∫ N_i · Φ_k dm (o, m + o)."""
        return np.trace(self.products, axis1=2, axis2=3)

    @property
    def N2(self) -> np.ndarray:
        """-∫ N̂_i Φ̂_k dm (o, m + o, 3, 3)."""
        return self.M[:, :, None, None] * np.eye(3) - self.products.transpose(0, 1, 3, 2)

    def coordinates(self, e: np.ndarray) -> np.ndarray:
        """(ê, σ) (…, m + o) at elastic coordinates (…, m)."""
        sigma = 0.5 * np.einsum("jkl,...k,...l->...j", self.forms, e, e)
        return np.concatenate([e + sigma @ self.along.T, sigma[..., : self.own]], axis=-1)

    def rates(self, e: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Time derivative of `coordinates` for elastic rates (…, m)."""
        sigma = np.einsum("jkl,...k,...l->...j", self.forms, e, rate)
        return np.concatenate([rate + sigma @ self.along.T, sigma[..., : self.own]], axis=-1)


@dataclass(frozen=True)
class ElasticBody:
    """Constants of a flexible body with m elastic coordinates; units kg, m, N, body axes about the body's origin.

    mass; MS (3,); J (3, 3); MSde (3, m); N1 (m, 3, 3); N2 (m, m, 3, 3); M, K, D (m, m). slaved: None without stiffening.
    frames: by name. labels: a name of each coordinate. frequencies_hz (m,): √(k/m) of each coordinate alone.
    nodes (n, 3), shapes (n, 3, m), cells: for drawing; empty where nothing is known. turnings (n, 3, m): rotation vectors of the
    nodes per unit coordinate, second (n, 3, m, m): Ψ at the nodes; None where they have none.
    remarks: what a user should know about how it was made ("stiffening: off", "pair 12/13 kept whole", …).
    """

    mass: float
    MS: np.ndarray
    J: np.ndarray
    MSde: np.ndarray
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
    slaved: Slaved | None = None
    turnings: np.ndarray | None = None
    second: np.ndarray | None = None

    @property
    def modes(self) -> int:
        """Number of elastic coordinates."""
        return len(self.K)

    @property
    def MSdd(self) -> np.ndarray | None:
        """∫ Ψ_kl dm (3, m, m), None without stiffening."""
        if self.slaved is None:
            return None
        first = self.MSde @ self.slaved.along
        first[:, : self.slaved.own] += self.slaved.MSde
        return np.einsum("aj,jkl->akl", first, self.slaved.forms)

    __repr__ = short_repr


NOISE = 1e-13
"""Part of the largest value an integral could have (Cauchy and Schwarz) below which it is rounding and set to zero."""


@dataclass(frozen=True)
class ShapeIntegrals:
    """mass; MS (3,); J (3, 3); MSde (3, m); N1 (m, 3, 3); N2 (m, m, 3, 3)."""

    mass: float
    MS: np.ndarray
    J: np.ndarray
    MSde: np.ndarray
    N1: np.ndarray
    N2: np.ndarray


def shape_integrals(mass: np.ndarray, position: np.ndarray, shapes: np.ndarray) -> ShapeIntegrals:
    """All integrals. mass (g,) kg; position (g, 3) m; shapes (g, 3, m): displacement per unit coordinate, body axes.

    MSde is MS_de [Briot 2014, eq. 56]. N1 and N2 are I_re and I_ee [Briot 2014, eq. 60]. Their antisymmetric parts are β and λ
    [Briot 2014, eqs. 58–59], [Long 2014, eq. 34, corrected].
    """
    g, _, m = shapes.shape
    weighted = mass[:, None] * position
    flat = shapes.reshape(g, 3 * m)
    MSde = (mass @ flat).reshape(3, m)
    outer = (weighted.T @ flat).reshape(3, 3, m)  # [b, a, k] = ∫ x_b Φ_a
    products = (flat.T @ (mass[:, None] * flat)).reshape(3, m, 3, m)  # [a, k, b, l] = ∫ Φ_ka Φ_lb
    sizes = np.sqrt(np.maximum(np.einsum("akak->k", products), 0.0))  # √∫ Φ_k²
    reach = np.sqrt(abs(mass @ np.sum(position**2, axis=1)))  # √∫ x², for a bound
    total = as_number(mass.sum())
    MSde = without_noise(MSde, np.sqrt(abs(total)) * sizes)
    outer = without_noise(outer, reach * sizes)
    products = without_noise(products, sizes[:, None, None] * sizes)
    return ShapeIntegrals(
        mass=total,
        MS=weighted.sum(axis=0),
        J=cross_products(position.T @ weighted),
        MSde=MSde,
        N1=cross_products(outer.transpose(2, 1, 0)),
        N2=cross_products(products.transpose(1, 3, 2, 0)),  # b = Φ_l, a = Φ_k
    )


def shape_products(mass: np.ndarray, shapes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """∫ Φ_i Φ_kᵀ dm (i, k, 3, 3) of shapes (g, 3, i) with others (g, 3, k) at mass points (g,)."""
    g = len(mass)
    weighted = mass[:, None] * shapes.reshape(g, -1)
    products = (weighted.T @ others.reshape(g, -1)).reshape(3, shapes.shape[2], 3, others.shape[2])
    sizes = [np.sqrt(np.einsum("g,gak->k", np.abs(mass), x**2)) for x in (shapes, others)]
    return without_noise(products.transpose(1, 3, 0, 2), np.multiply.outer(*sizes)[:, :, None, None])


def cross_products(products: np.ndarray) -> np.ndarray:
    """-∫ â b̂ dm (…, 3, 3) from ∫ b aᵀ dm (…, 3, 3)."""
    return np.trace(products, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - products


def without_noise(values: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """Values with zeros where they are only rounding beside the largest they could be."""
    return np.where(np.abs(values) > NOISE * bound, values, 0.0)


def inertia_points(masses: np.ndarray, inertias: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(mass (g,), node of each (g,), arm from that node (g, 3)) of nodes with masses (n,) and inertias (n, 3, 3).

    A tensor I is that of pairs at ±d on its principal axes with masses E_j/(2 d²) each, E = ½ tr(I) 1 - I the second
    moments, taken from the node's own mass: exact for every product of two linear fields, also where a mass is negative.
    """
    nodes = np.arange(len(masses))
    at = np.flatnonzero(np.abs(inertias).max(axis=(1, 2))) if inertias is not None else np.zeros(0, dtype=int)
    if inertias is None or not len(at):
        return masses, nodes, np.zeros((len(masses), 3))
    I = inertias[at]
    moments, axes = np.linalg.eigh(0.5 * np.trace(I, axis1=1, axis2=2)[:, None, None] * np.eye(3) - I)
    weight = np.where(masses[at] > 0.0, masses[at], max(float(masses.mean()), 1e-30))
    d = np.sqrt(np.abs(moments).max(axis=1) / weight)
    pair = moments / (2.0 * d[:, None] ** 2)
    arms = np.concatenate([axes, -axes], axis=2).transpose(0, 2, 1) * d[:, None, None]  # (nodes with inertia, 6, 3)
    own = masses.astype(float).copy()
    own[at] -= 2.0 * pair.sum(axis=1)
    return (
        np.concatenate([own, np.concatenate([pair, pair], axis=1).ravel()]),
        np.concatenate([nodes, np.repeat(at, 6)]),
        np.concatenate([np.zeros((len(masses), 3)), arms.reshape(-1, 3)]),
    )
