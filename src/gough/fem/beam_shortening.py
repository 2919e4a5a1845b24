"""Bent beams grow no longer, so their points draw nearer to the start: the displacement of second order.

With inextensible centreline, to second order in the slopes, a point at s of a straight beam along direction t moves by
-½ ∫₀ˢ (v'² + w'²) ds t; on a polyline the segments before it add theirs. Hence Ψ_kl = -∫ (v_k' v_l' + w_k' w_l') ds t.
"""

from dataclasses import dataclass

import numpy as np

from gough.fem.beam_element import GAUSS, StraightElements, gauss_on_unit


@dataclass(frozen=True)
class BeamShortening:
    """The `Shortening` of a line of elements: direction (e, 3) of each, the elements, their freedoms (e, c) and
    to_local (e, 12, c); `per_station` mass points share a station of the centreline."""

    direction: np.ndarray
    elements: StraightElements
    to_local: np.ndarray
    freedoms: np.ndarray
    per_station: int

    def __call__(self, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        m = basis.shape[1]
        inner, weight = gauss_on_unit(3)  # slopes are quadratic: products of degree 4
        ends = np.append(gauss_on_unit(GAUSS)[0], 1.0)
        xi = (ends[:, None] * inner).ravel()
        rows = np.einsum("eqsi,eia->eqsa", self.elements.slopes(xi), self.to_local)
        slope = np.einsum("eqsa,eam->eqsm", rows, basis[self.freedoms])
        slope = slope.reshape(len(rows), len(ends), len(inner), 2, m)
        length = self.elements.length[:, None, None] * ends[:, None] * weight
        drawn = -np.einsum("etis,etisk,etisl->etkl", np.broadcast_to(length[..., None], slope.shape[:-1]), slope, slope)

        # The last target is the element's end: what its successors start from.
        whole = np.einsum("ex,ekl->exkl", self.direction, drawn[:, -1])
        nodes = np.concatenate([np.zeros((1, 3, m, m)), np.cumsum(whole, axis=0)])
        stations = nodes[:-1, None] + np.einsum("ex,etkl->etxkl", self.direction, drawn[:, :-1])
        return np.repeat(stations.reshape(-1, 3, m, m), self.per_station, axis=0), nodes
