"""Bent beams grow no longer, so their points draw nearer to the start: the displacement of second order.

With inextensible centreline, to second order in the slopes, a point at s of a straight beam along direction t moves by
-½ ∫₀ˢ (v'² + w'²) ds t; on a polyline the segments before it add theirs. Hence Ψ_kl = -∫ (v_k' v_l' + w_k' w_l') ds t.

Within an element slopes are quadratic, their products Σ_r q_r P_r(ξ) with Legendre's polynomials P_0 … P_4 of ξ = s/L. So five
fields an element make all of Ψ: -L ∫₀^ξ P_r. The first rises to the element's end and stays, the others vanish at both ends.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Legendre
from scipy.sparse import csr_array

from gough.fem.beam_element import StraightElements, gauss_on_unit
from gough.fem.second import SecondOrder

DEGREES = 5
STATIONS = 6
"""Gauss points of an element: products of two displacements of second order are of degree 10."""
NOISE = 1e-12
"""A product of slopes below that beside the shapes' own is rounding: between planes of bending, of stretching and torsion."""


@dataclass(frozen=True)
class BeamShortening:
    """The `Shortening` of a line of elements: direction (e, 3) of each, the elements, their freedoms (e, c) and
    to_local (e, 12, c); mass (g,), position (g, 3), field (3 g, freedoms) at STATIONS an element, several points each."""

    direction: np.ndarray
    elements: StraightElements
    to_local: np.ndarray
    freedoms: np.ndarray
    mass: np.ndarray
    position: np.ndarray
    field: csr_array

    def __call__(self, basis: np.ndarray) -> SecondOrder:
        e, m = len(self.direction), basis.shape[1]
        sampled = self.mass, self.position, (self.field @ basis).reshape(-1, 3, m)
        return SecondOrder(*self._fields(), self._products(basis).reshape(e * DEGREES, m, m), sampled)

    def _products(self, basis: np.ndarray) -> np.ndarray:
        """q_r of products of slopes (e, r, m, m)."""
        xi, weight = gauss_on_unit(DEGREES)  # products of degree 4 times polynomials of degree 4
        ends = np.einsum("eia,eam->eim", self.to_local, basis[self.freedoms])
        slope = np.einsum("eqsi,eim->eqsm", self.elements.slopes(xi), ends)
        tests = np.array([(2 * r + 1) * p(xi) for r, p in enumerate(_polynomials())])
        q = np.einsum("rq,q,eqsk,eqsl->erkl", tests, weight, slope, slope, optimize=True)
        stretch, twist = (ends[:, 6] - ends[:, 0]) / self.elements.length[:, None], ends[:, [3, 9]]
        size = np.sqrt(np.einsum("ekk->k", q[:, 0]) + np.sum(stretch**2, axis=0) + np.sum(twist**2, axis=(0, 1)))
        return np.where(np.abs(q) > NOISE * size[:, None] * size, q, 0.0)

    def _fields(self) -> tuple[np.ndarray, np.ndarray]:
        """At mass points (g, 3, e r) and at nodes (e + 1, 3, e r)."""
        e, xi = len(self.direction), gauss_on_unit(STATIONS)[0]
        drawn = np.array([p.integ(lbnd=0.0)(xi) for p in _polynomials()])  # (r, q)
        along = -self.elements.length[:, None] * self.direction  # (e, 3)
        stations, nodes = np.zeros((e, len(xi), 3, e, DEGREES)), np.zeros((e + 1, 3, e, DEGREES))
        for k in range(e):
            stations[k, :, :, k] = np.einsum("x,rq->qxr", along[k], drawn)
            stations[k + 1 :, :, :, k, 0] = along[k]
            nodes[k + 1 :, :, k, 0] = along[k]
        points = np.repeat(stations.reshape(-1, 3, e * DEGREES), len(self.mass) // (e * STATIONS), axis=0)
        return points, nodes.reshape(e + 1, 3, e * DEGREES)


def _polynomials() -> list[Legendre]:
    """Legendre's polynomials on 0 … 1."""
    return [Legendre.basis(r, domain=[0.0, 1.0]) for r in range(DEGREES)]
