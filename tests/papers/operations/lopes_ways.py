"""[Lopes, Table 1] counted in other ways than `lopes_table.py` does, one choice changed at a time: what its numbers hang on."""

from dataclasses import dataclass

import numpy as np

from papers import lopes
from papers.operations.counted import derivative
from papers.operations.lopes_table import (
    ACTUATORS,
    PLATFORM,
    PRINTED_SPIN,
    ROTATING,
    TRANSLATING,
    coriolis_of,
    count_row,
    single_links,
)


@dataclass(frozen=True)
class Way:
    """divide_once: J_C has products with 1/a_iz, formed once a link. third_column: that a_iz/a_iz is one is not known.
    twist_first: Tᵗ (Jᵗ J) T instead of (J T)ᵗ (J T). triangle: of a symmetric matrix only one half is computed."""

    divide_once: bool = False
    third_column: bool = False
    twist_first: bool = False
    triangle: bool = False


WAYS = {
    "1/a_iz formed once a link": Way(divide_once=True),
    "third column of J_C not known to be 1": Way(third_column=True),
    "Tᵀ (Jᵀ J) T for (J T)ᵀ (J T)": Way(twist_first=True),
    "one half of symmetric matrices": Way(triangle=True),
}


def table(x, xdot, way, data=lopes.DATA):
    """{bodies: Row} at a state."""
    one = single_links(data)
    made = (
        (PLATFORM, _platform, [data]),
        (ACTUATORS, _actuators, [data]),
        (TRANSLATING, _translating, one),
        (ROTATING, _rotating, one),
    )
    coriolis = _coriolis_of_half if way.triangle else coriolis_of
    return {
        name: count_row([(lambda x, d, matrix=matrix: matrix(x, d, way), d) for d in each], x, xdot, coriolis)
        for name, matrix, each in made
    }


def _platform(x, data, way):
    R, T, I_B = lopes.rotation(x), lopes.T(x), np.zeros((6, 6), dtype=object)
    I_B[:3, :3] = data.m_P * np.eye(3, dtype=int)
    I_B[3:, 3:] = _symmetric(R @ np.diag(data.I_P), R.T, way)
    return _symmetric(T.T @ I_B, T, way)


def _actuators(x, data, way):
    return _scaled(data.m_A, _square(_J_C(x, data, way), lopes.T(x), way), way)


def _translating(x, data, way):
    J_B = lopes.J_B(lopes.links(x, data)[0][0], _J_C(x, data, way)[0], data)
    return _scaled(data.m_L, _square(J_B, lopes.T(x), way), way)


def _rotating(x, data, way):
    p, a = lopes.links(x, data)
    D, T, R = lopes.J_D(p[0], a[0], _J_C(x, data, way)[0], PRINTED_SPIN, data), lopes.T(x), lopes.R_L(a[0], data)
    I_B = _symmetric(R @ np.diag(data.I_L), R.T, way)
    if way.twist_first:
        return _symmetric(T.T @ _symmetric(D.T @ I_B, D, way), T, way)
    D = D @ T
    return _symmetric(D.T @ I_B, D, way)


def _J_C(x, data, way):
    """As `lopes.J_C`, divided as `way` says."""
    p, a = lopes.links(x, data)
    rows = []
    for x_i, y_i, z_i in a:
        opposite = -z_i  # a new symbol: not seen to be the divisor
        third = -opposite / z_i if way.third_column else 1
        inverse = 1 / z_i if way.divide_once else None
        rows.append([x_i * inverse, y_i * inverse, third] if way.divide_once else [x_i / z_i, y_i / z_i, third])
    along = np.array(rows, dtype=object)
    return np.hstack([along, np.cross(p, along)])


def _square(J, T, way):
    """(J T)ᵗ (J T)."""
    if way.twist_first:
        return _symmetric(T.T @ _symmetric(J.T, J, way), T, way)
    J = J @ T
    return _symmetric(J.T, J, way)


def _symmetric(A, B, way):
    """A B, known to be symmetric."""
    return _mirrored(lambda i, j: A[i] @ B[:, j], len(A)) if way.triangle else A @ B


def _scaled(m, M, way):
    return _mirrored(lambda i, j: m * M[i, j], len(M)) if way.triangle else m * M


def _mirrored(entry, n):
    M = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(i + 1):
            M[i, j] = M[j, i] = entry(i, j)
    return M


def _coriolis_of_half(I, xdot):
    """(76)-(79) of a matrix known to be symmetric: its rate by one half too."""
    dI = [np.array([[derivative(I[i, j], k) for j in range(6)] for i in range(6)], object) for k in range(6)]
    rate = _mirrored(lambda i, j: sum(xdot[k] * dI[k][i, j] for k in range(6)), 6)
    U = np.array([xdot @ dI[k] for k in range(6)], object)
    return 0.5 * (rate + U.T - U)
