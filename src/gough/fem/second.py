"""The displacement of second order of a body as a sum of fields, each driven by a quadratic form of the coordinates.

Field     ½ Σ_kl e_k e_l Ψ_kl(x) = Σ_j N_j(x) σ_j(e),  σ_j = ½ eᵀ Q_j e,  so  Ψ_kl = Σ_j N_j Q_j,kl.
"""

from dataclasses import dataclass, replace

import numpy as np

MassPoints = tuple[np.ndarray, np.ndarray, np.ndarray]
"""mass (g,) kg, position (g, 3) m, shapes (g, 3, m)."""


@dataclass(frozen=True)
class SecondOrder:
    """points (g, 3, s), nodes (n, 3, s): the fields N at mass points and at nodes; forms (s, m, m): Q, symmetric.

    sampled: the mass points where the fields are known, None where these are the body's own (which may be too few to
    integrate products of two fields).
    """

    points: np.ndarray
    nodes: np.ndarray
    forms: np.ndarray
    sampled: MassPoints | None = None

    @property
    def at_points(self) -> np.ndarray:
        """Ψ at the mass points (g, 3, m, m)."""
        return np.einsum("gaj,jkl->gakl", self.points, self.forms, optimize=True)

    @property
    def at_nodes(self) -> np.ndarray:
        """Ψ at the nodes (n, 3, m, m)."""
        return np.einsum("naj,jkl->nakl", self.nodes, self.forms, optimize=True)

    def placed(self, R: np.ndarray, origin: np.ndarray) -> "SecondOrder":
        """The same in axes turned by R (3, 3), their own origin at `origin` (3,)."""
        sampled = self.sampled
        if sampled is not None:
            sampled = sampled[0], sampled[1] @ R.T + origin, np.matmul(R, sampled[2])
        return replace(self, points=np.matmul(R, self.points), nodes=np.matmul(R, self.nodes), sampled=sampled)

    def by_pairs(self) -> "SecondOrder":
        """The same displacement with one field for every pair k <= l of coordinates that has one: σ = e_k e_l or ½ e_k²."""
        m = self.forms.shape[1]
        rows, columns = np.triu_indices(m)
        chosen = np.any(self.forms[:, rows, columns], axis=0)
        rows, columns = rows[chosen], columns[chosen]
        each, forms = np.arange(len(rows)), np.zeros((len(rows), m, m))
        forms[each, rows, columns] = forms[each, columns, rows] = 1.0
        weights = self.forms[:, rows, columns]
        return SecondOrder(self.points @ weights, self.nodes @ weights, forms, self.sampled)


def second_order(points: np.ndarray, nodes: np.ndarray | None = None) -> SecondOrder:
    """From Ψ itself, symmetric in its last two axes: at mass points (g, 3, m, m) and at nodes (n, 3, m, m)."""
    m = points.shape[2]
    nodes = np.zeros((0, 3, m, m)) if nodes is None else nodes
    rows, columns = np.triu_indices(m)
    forms = np.zeros((len(rows), m, m))
    each = np.arange(len(rows))
    forms[each, rows, columns] = forms[each, columns, rows] = 1.0
    return SecondOrder(points[:, :, rows, columns], nodes[:, :, rows, columns], forms)
