"""The displacement of second order of modal data: as given at the nodes, or made from integrals of it.

K_G says what Ψ does under accelerations that are linear in x, ∫ Ψ dm and ∫ Ψ_a x_b dm. Of all fields with these integrals the
one with least ∫ Ψ² dm is linear in x itself, Ψ_a = c_a + Σ_b c_ab x_b, and follows from them:

    [ m   MSᵀ    ] [ c_a  ]   [ ∫ Ψ_a dm     ]
    [ MS  ∫ xxᵀdm ] [ c_ab ] = [ ∫ Ψ_a x dm   ].

So the kinetic energy is that of a motion, and everything K_G says is kept.
"""

import numpy as np

from gough.errors import UsageError
from gough.fem.modal_data import ModalData
from gough.fem.modal_points import inertia_points, mass_points
from gough.fem.second import SecondOrder, second_order

FITS = 1e-6
"""Part of K_G that no displacement of the nodes may leave over."""
NOTHING = 1e-14
"""Part of the largest K_G that is rounding."""


def modal_second(data: ModalData) -> SecondOrder:
    """Of data with `second` or K_G, at the points of `mass_points`; inertias of nodes move with them."""
    if data.second is not None:
        _, node, _ = inertia_points(data.masses, data.inertias)
        return second_order(data.second[node])
    assert data.K_G is not None
    mass, position, _ = mass_points(data)
    m = data.modes
    linear = np.concatenate([np.ones((len(mass), 1)), position], axis=1)  # (g, 4)
    moments = linear.T @ (mass[:, None] * linear)
    wanted = np.concatenate([data.K_G[:3, None], data.K_G[3:].reshape(3, 3, m, m)], axis=1)  # (3, 4, m, m)
    unit = np.sqrt(np.abs(np.diag(moments)))
    unit = np.where(unit > 1e-9 * unit.max(), unit, 1.0)
    inverse = np.linalg.pinv(moments / np.outer(unit, unit), rcond=1e-9, hermitian=True) / np.outer(unit, unit)
    forms = np.einsum("ij,ajkl->aikl", inverse, wanted)
    left, size = (
        np.abs(x / unit[:, None, None]).max(axis=(0, 1), initial=0.0)  # (m, m): coordinates differ in their units
        for x in (wanted - np.einsum("ij,ajkl->aikl", moments, forms), wanted)
    )
    size = np.maximum(size, np.sqrt(np.multiply.outer(np.diag(size), np.diag(size)))) + NOTHING * size.max(initial=0.0)
    if np.any(left > FITS * size):
        raise UsageError(
            "K_G does not fit the masses: no displacement of the nodes has these integrals (a moment along an axis in which "
            "they have no extent?). Give `second`, the displacement itself, or correct K_G"
        )
    fields = np.einsum("gi,ab->gaib", linear, np.eye(3)).transpose(0, 1, 3, 2)  # (g, 3, a, i)
    return SecondOrder(fields.reshape(len(mass), 3, 12), np.zeros((0, 3, 12)), forms.reshape(12, m, m))
