"""Integrals over the mass of a flexible body, from mass points and the shapes there (see elastic_body.py for their meaning).

A product of cross-product matrices is -â b̂ = (a·b) 1 - b aᵀ, so every integral of two crossed fields comes from one table of
products ∫ b aᵀ dm.
"""

from dataclasses import dataclass

import numpy as np

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
