"""[Lopes, Table 1] counted: the matrices of the bodies as the transcription forms them (eqs. 15-65, 76-79), body by body.

What Table 1 shows of its own counting is taken: all numbers of both rows of links are multiples of six, three of the actuators'
are not, so a link is counted by itself and six times, with no addition of the six, and the actuators together by (41); rows add
up to its total, so sums over bodies are not counted. The rest is ours. Parameters are symbols, the platform's and the base's
points lie in their planes. Every body computes what it needs from x anew, nothing is shared between bodies. Products of
matrices are formed entry by entry, all 36 of them, J T before its square; derivatives by x follow by the chain rule, step by
step. (59) is counted as printed, without spin, since its correction is ours. `lopes_ways.py` has other choices.
"""

from dataclasses import dataclass, replace

import numpy as np

from papers import lopes
from papers.operations.counted import Counted, Dual, Tally, derivative, values

PLATFORM, ACTUATORS, TRANSLATING, ROTATING = "mobile platform", "six actuators", "translating links", "rotating links"
PRINTED_SPIN = replace(lopes.ALL_ON, eq59_spin=False)


@dataclass(frozen=True)
class Row:
    """Of some bodies: their inertia and Coriolis matrix (6, 6), and (additions, multiplications, divisions) of each."""

    inertia: np.ndarray
    coriolis: np.ndarray
    inertia_count: tuple[int, int, int]
    coriolis_count: tuple[int, int, int]


def table(x, xdot, data=lopes.DATA):
    """{bodies: Row} at a state."""
    one = single_links(data)
    return {
        PLATFORM: count_row([(lopes.I_P_E, data)], x, xdot),
        ACTUATORS: count_row([(lopes.I_A_E, data)], x, xdot),
        TRANSLATING: count_row([(_translating, d) for d in one], x, xdot),
        ROTATING: count_row([(_rotating, d) for d in one], x, xdot),
    }


def single_links(data):
    """Data of six robots with one link each."""
    return [replace(data, b=data.b[i : i + 1], p=data.p[i : i + 1]) for i in range(6)]


def _translating(x, data):
    return lopes.I_L_tra_E(lopes.links(x, data)[0][0], lopes.J_C(x, data)[0], lopes.T(x), data)


def _rotating(x, data):
    p, a = lopes.links(x, data)
    return lopes.I_L_rot_E(p[0], a[0], lopes.J_C(x, data)[0], lopes.T(x), PRINTED_SPIN, data)


def count_row(bodies, x, xdot, coriolis=None):
    """The matrices of bodies [(its inertia matrix, its data)], counted and added up. coriolis: `coriolis_of`, or another one."""
    I, V, counts = np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((2, 3), int)
    for matrix, data in bodies:
        tally = Tally()
        found = matrix(_symbols(x, tally), symbolic(data, tally))
        I += values(found)
        counts[0] += tally.count
        tally = Tally()
        coordinates = [Dual(c, np.eye(6, dtype=int)[k]) for k, c in enumerate(_symbols(x, tally))]
        found = matrix(np.array(coordinates, dtype=object), symbolic(data, tally))
        V += values((coriolis or coriolis_of)(found, _symbols(xdot, tally)))
        counts[1] += tally.count
    (a, b, c), (d, e, f) = counts.tolist()
    return Row(I, V, (a, b, c), (d, e, f))


def symbolic(data, tally):
    """The data as symbols; points lie in planes, their third coordinate is zero by structure."""
    points = {name: np.array([[*_symbols(row[:2], tally), 0] for row in getattr(data, name)], object) for name in "bp"}
    tensors = {name: _symbols(getattr(data, name), tally) for name in ("I_P", "I_L")}
    numbers = {name: Counted(getattr(data, name), tally) for name in ("L", "m_P", "m_A", "m_L", "b_cm")}
    return replace(data, **points, **tensors, **numbers)


def coriolis_of(I, xdot):
    """(76)-(79), with ∂I/∂x."""
    dI = [np.array([[derivative(I[i, j], k) for j in range(6)] for i in range(6)], object) for k in range(6)]
    rate = sum(xdot[k] * dI[k] for k in range(6))
    U = np.array([xdot @ dI[k] for k in range(6)], object)  # (77): row k is ẋᵗ ∂I/∂x_k
    return 0.5 * (rate + U.T - U)


def _symbols(numbers, tally):
    return np.array([Counted(v, tally) for v in numbers], dtype=object)
