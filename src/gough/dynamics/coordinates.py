"""The closed robot in named coordinates x = (x, y, z, three angles) of the platform.

Computes  the mass matrix in ẋ and how the joints follow each coordinate; Christoffel symbols come from its derivatives
          (`gough.model.coriolis`).
Sources   [Lopes, sections 3.1, 3.3].
Derivation  v = T ẋ with T = diag(1, E(angles)); M_x = Tᵀ M T;
            C_ij = ½ Σ_k (∂M_ij/∂x_k + ∂M_ik/∂x_j - ∂M_jk/∂x_i) ẋ_k, so Ṁ_x - 2C is skew.
"""

from typing import Any

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.rates import rate_of_q
from gough.dynamics.validity import check_closed
from gough.scalar import zeros
from gough.spatial import bryant_xyz, rpy_zyx
from gough.spatial.rotation import rates_from_euler

SEQUENCES = {"rpy_zyx": rpy_zyx, "bryant_xyz": bryant_xyz}


def coordinate_mass_matrix(numbers: Numbers, sequence: str, x: Any, joints: Any) -> dict[str, np.ndarray]:
    """M_x (6, 6) and `follow` (nq - 7, 6): rates of the joint coordinates per rate of x (6,) [Lopes, eq. 3].

    v = T ẋ [Lopes, eq. 29]. TᵀMT is taken once, of the robot's whole M [Lopes, eq. 73], not of its parts
    [Lopes, eqs. 27–28, 41, 50, 65]. Rows of `follow` that belong to drives are J_E = J_C T [Lopes, eqs. 5, 33–34].
    """
    rotation = SEQUENCES[sequence](x[3:])
    q = np.concatenate([x[:3], np.array([1.0, 0.0, 0.0, 0.0], dtype=object), joints])
    posture = Posture(numbers, q, rotation=rotation)
    loops = Loops(posture)
    check_closed(loops)
    T = zeros(6, 6)
    for k in range(3):
        T[k, k] = 1.0
    T[3:, 3:] = rates_from_euler(sequence, x[3:])
    M = mass_matrix(loops)
    columns = [rate_of_q(posture, loops.rates(T[:, k]))[7:] for k in range(6)]
    return {"M": T.T @ M @ T, "follow": np.array(columns, dtype=object).T.reshape(len(joints), 6)}
