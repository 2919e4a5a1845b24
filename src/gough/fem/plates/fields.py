"""Fields of a plate's middle surface as sparse operators on its freedoms.

Deflection w: Argyris' triangle. Shear strains γ = ∇w - β (β the slope of the normals) and
in-plane displacements: scikit-fem's cubic triangles. Products of two quintics are integrated exactly.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gough.fem.meshing.polygon import TriangleMesh
from gough.fem.plates.argyris import argyris
from gough.fem.sparse import rows_of_blocks

DEGREE = 10


@dataclass(frozen=True)
class Fields:
    """At the points of integration (p, 2) with weights (p,) in m²: operators (p, d) by name.

    w, w_x, w_y, w_xx, w_xy, w_yy; with shear g1, g2 and their g1_x …; with membrane u, v and their u_x ….
    vertex: the column of a name's value at every node (n,) (w, w_x, w_y, g1, g2, u, v). curl (n, d): ½(v_x - u_y) at the
    nodes, the mean of the triangles around. second: columns of second derivatives of w at the nodes.
    """

    points: np.ndarray
    weights: np.ndarray
    operators: dict[str, csr_array]
    vertex: dict[str, np.ndarray]
    curl: csr_array | None
    second: np.ndarray
    size: int

    def __getitem__(self, name: str) -> csr_array:
        return self.operators[name]


def fields(mesh: TriangleMesh, shear: bool, membrane: bool) -> Fields:
    """Operators of all fields, columns in the order w, g1, g2, u, v."""
    import skfem
    from skfem.quadrature import get_quadrature
    from skfem.refdom import RefTri

    rule = get_quadrature(RefTri, DEGREE)
    triangles = skfem.MeshTri(np.ascontiguousarray(mesh.nodes.T), np.ascontiguousarray(mesh.triangles.T))
    deflection = argyris(mesh.nodes, triangles.t.T, rule[0].T)
    cubic: Any = skfem.Basis(triangles, skfem.ElementTriP3(), quadrature=rule)
    names = ["g1", "g2"] * shear + ["u", "v"] * membrane
    starts = deflection.count + cubic.N * np.arange(len(names) + 1)
    size = int(starts[-1])

    operators = {f"w{tail}": _rows(values, deflection.freedoms, size) for tail, values in deflection.values.items()}
    at_nodes = 6 * np.arange(len(mesh.nodes))
    vertex = {"w": at_nodes, "w_x": at_nodes + 1, "w_y": at_nodes + 2}
    for name, start in zip(names, starts, strict=False):
        for tail, values in _cubic_values(cubic).items():
            operators[name + tail] = _rows(values, start + cubic.element_dofs.T, size)
        vertex[name] = start + cubic.nodal_dofs[0]
    return Fields(
        points=np.asarray(cubic.global_coordinates()).reshape(2, -1).T,
        weights=cubic.dx.ravel(),
        operators=operators,
        vertex=vertex,
        curl=_curl(triangles, int(starts[-3]), int(starts[-2]), size) if membrane else None,
        second=(at_nodes[:, None] + [3, 4, 5]).ravel(),
        size=size,
    )


def _cubic_values(basis: Any) -> dict[str, np.ndarray]:
    """Value and slopes (c, q, 10) of a scikit-fem basis."""
    shapes = [shape[0] for shape in basis.basis]
    found = {"": [np.asarray(s) for s in shapes], "_x": [s.grad[0] for s in shapes], "_y": [s.grad[1] for s in shapes]}
    return {key: np.stack(values, axis=-1) for key, values in found.items()}


def _rows(values: np.ndarray, freedoms: np.ndarray, size: int) -> csr_array:
    """(c q, size) from values (c, q, k) at the freedoms (c, k) of each cell."""
    c, q, k = values.shape
    return rows_of_blocks(values.reshape(c * q, 1, k), np.repeat(freedoms, q, axis=0), size)


def _curl(triangles: Any, u: int, v: int, size: int) -> csr_array:
    """½(v_x - u_y) at the nodes (n, size), the mean of the triangles around."""
    import skfem

    corners = (np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), np.full(3, 1 / 6))
    basis: Any = skfem.Basis(triangles, skfem.ElementTriP3(), quadrature=corners)
    at, freedoms = _cubic_values(basis), basis.element_dofs.T
    half_curl = (_rows(at["_x"], v + freedoms, size) - _rows(at["_y"], u + freedoms, size)) / 2
    node = triangles.t.T.ravel()  # of each evaluation, cell by cell
    share = 1 / np.bincount(node)[node]
    mean = csr_array((share, (node, np.arange(len(node)))), shape=(triangles.nvertices, len(node)))
    return csr_array(mean @ half_curl)
