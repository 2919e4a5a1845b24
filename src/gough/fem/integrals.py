"""Integrals over the mass of a flexible body, from mass points and the shapes there (see elastic_body.py for their meaning).

A product of cross-product matrices is -â b̂ = (a·b) 1 - b aᵀ, so every integral of two crossed fields comes from one table of
products ∫ b aᵀ dm.
"""

from dataclasses import dataclass

import numpy as np

NOISE = 1e-13
"""Part of the largest value an integral could have (Cauchy and Schwarz) below which it is rounding and set to zero."""


@dataclass(frozen=True)
class SecondOrder:
    """The two integrals of Ψ that the dynamics needs: first (3, m, m) = ∫ Ψ_kl dm, moment (3, 3, m, m) = ∫ Ψ_kl,a x_b dm."""

    first: np.ndarray
    moment: np.ndarray


@dataclass(frozen=True)
class ShapeIntegrals:
    """mass; MS (3,); J (3, 3); MSde (3, m); MSdd (3, m, m) or None; N1 (m, 3, 3); N2 (m, m, 3, 3)."""

    mass: float
    MS: np.ndarray
    J: np.ndarray
    MSde: np.ndarray
    MSdd: np.ndarray | None
    N1: np.ndarray
    N2: np.ndarray


def second_order(mass: np.ndarray, position: np.ndarray, second: np.ndarray) -> SecondOrder:
    """Integrals of Ψ (g, 3, m, m) at mass points: masses (g,), positions (g, 3)."""
    first = np.einsum("g,gakl->akl", mass, second)
    moment = np.einsum("gb,gakl->abkl", mass[:, None] * position, second, optimize=True)
    size = np.linalg.norm(second, axis=1)
    reach = np.linalg.norm(position, axis=1)
    most = [np.einsum("g,gkl->kl", np.abs(mass) * arm, size) for arm in (np.ones(len(mass)), reach)]
    return SecondOrder(_without_noise(first, 10.0 * most[0]), _without_noise(moment, 10.0 * most[1]))


def shape_integrals(
    mass: np.ndarray, position: np.ndarray, shapes: np.ndarray, second: SecondOrder | None = None
) -> ShapeIntegrals:
    """All integrals. mass (g,) kg; position (g, 3) m; shapes (g, 3, m): displacement per unit coordinate, body axes."""
    g, _, m = shapes.shape
    weighted = mass[:, None] * position
    flat = shapes.reshape(g, 3 * m)
    MSde = (mass @ flat).reshape(3, m)
    outer = (weighted.T @ flat).reshape(3, 3, m)  # [b, a, k] = ∫ x_b Φ_a
    products = (flat.T @ (mass[:, None] * flat)).reshape(3, m, 3, m)  # [a, k, b, l] = ∫ Φ_ka Φ_lb
    sizes = np.sqrt(np.maximum(np.einsum("akak->k", products), 0.0))  # √∫ Φ_k²
    reach = np.sqrt(abs(mass @ np.sum(position**2, axis=1)))  # √∫ x²
    total = float(mass.sum())
    MSde = _without_noise(MSde, np.sqrt(abs(total)) * sizes)
    outer = _without_noise(outer, reach * sizes)
    products = _without_noise(products, sizes[:, None, None] * sizes)
    N2 = _crossed(products.transpose(1, 3, 2, 0))  # b = Φ_l, a = Φ_k
    if second is not None:
        N2 = N2 + _crossed(second.moment.transpose(2, 3, 0, 1))
    return ShapeIntegrals(
        mass=total,
        MS=weighted.sum(axis=0),
        J=_crossed(position.T @ weighted),
        MSde=MSde,
        MSdd=None if second is None else second.first,
        N1=_crossed(outer.transpose(2, 1, 0)),
        N2=N2,
    )


def _crossed(products: np.ndarray) -> np.ndarray:
    """-∫ â b̂ dm (…, 3, 3) from ∫ b aᵀ dm (…, 3, 3)."""
    return np.trace(products, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - products


def _without_noise(values: np.ndarray, bound: np.ndarray) -> np.ndarray:
    return np.where(np.abs(values) > NOISE * bound, values, 0.0)
