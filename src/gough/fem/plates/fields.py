"""Fields of a plate's middle surface as sparse operators on its freedoms.

Deflection w: Argyris' triangle. Shear strains γ = ∇w - β (β the slope of the normals) and
in-plane displacements: scikit-fem's cubic triangles. Products of two quintics are integrated exactly.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from gough.fem.meshing.polygon import TriangleMesh
from gough.fem.sparse import rows_of_blocks

DEGREE = 10
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
_EDGES = ((0, 1), (1, 2), (0, 2))
_EXPONENTS = np.array([(i, j) for i in range(6) for j in range(6 - i)])
_ORDERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
NAMES = ("", "_x", "_y", "_xx", "_xy", "_yy")


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


def plate_fields(mesh: TriangleMesh, shear: bool, membrane: bool) -> Fields:
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


@dataclass(frozen=True)
class Argyris:
    """Argyris' triangle: quintic, with continuous slopes, for the deflection of thin plates.

    Freedoms: w, w_x, w_y, w_xx, w_xy, w_yy at the corners and the slope across each edge at its middle. The shapes are those of
    the reference triangle, combined so that the freedoms are the real ones: cells of any place, size and slimness keep their
    digits (scikit-fem's own inverts powers of the coordinates and loses them).

    freedoms (c, 21) of each cell, their number, and values (c, q, 21) of w and its derivatives at q points, by `NAMES`.

    Freedom 6 i + k is NAMES[k] of w at node i; those of edges follow.
    """

    freedoms: np.ndarray
    count: int
    values: dict[str, np.ndarray]


def argyris(nodes: np.ndarray, cells: np.ndarray, points: np.ndarray) -> Argyris:
    """The space on triangles (c, 3) of nodes (n, 2), evaluated at points (q, 2) of the reference triangle."""
    corner = nodes[cells]
    jacobian = np.stack([corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]], axis=-1)
    change = _derivative_change(np.linalg.inv(jacobian))
    freedoms, count, normals = _numbering(nodes, cells)

    # Rows: the real freedoms applied to the shapes of the reference triangle.
    rows = np.zeros((len(cells), 21, 21))
    for k in range(3):
        rows[:, 6 * k : 6 * k + 6] = change @ _reference(_CORNERS[k : k + 1])[0]
    for k, (a, b) in enumerate(_EDGES):
        slopes = change[:, 1:3] @ _reference((_CORNERS[a] + _CORNERS[b])[None] / 2)[0]
        rows[:, 18 + k] = np.einsum("cx,cxj->cj", normals[:, k], slopes)
    combined = np.linalg.inv(rows)

    at = np.einsum("cde,qej,cjk->dcqk", change, _reference(points), combined, optimize=True)
    return Argyris(freedoms, count, dict(zip(NAMES, at, strict=True)))


def _derivative_change(inverse: np.ndarray) -> np.ndarray:
    """(c, 6, 6): (w, w_x, w_y, w_xx, w_xy, w_yy) from those by the reference's coordinates; inverse (c, 2, 2) of ∂x/∂X."""
    (a, c), (b, d) = inverse[:, :, 0].T, inverse[:, :, 1].T  # X_x, Y_x and X_y, Y_y
    out = np.zeros((len(inverse), 6, 6))
    out[:, 0, 0] = 1
    out[:, 1, 1], out[:, 1, 2] = a, c
    out[:, 2, 1], out[:, 2, 2] = b, d
    out[:, 3, 3], out[:, 3, 4], out[:, 3, 5] = a * a, 2 * a * c, c * c
    out[:, 4, 3], out[:, 4, 4], out[:, 4, 5] = a * b, a * d + b * c, c * d
    out[:, 5, 3], out[:, 5, 4], out[:, 5, 5] = b * b, 2 * b * d, d * d
    return out


def _numbering(nodes: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, int, np.ndarray]:
    """Freedoms (c, 21), their number, unit normals (c, 3, 2) of the edges, the same seen from both sides."""
    ends = np.sort(np.stack([cells[:, list(e)] for e in _EDGES], axis=1), axis=-1)
    edges, which = np.unique(ends.reshape(-1, 2), axis=0, return_inverse=True)
    along = nodes[ends[..., 1]] - nodes[ends[..., 0]]
    normals = np.stack([-along[..., 1], along[..., 0]], axis=-1) / np.linalg.norm(along, axis=-1)[..., None]
    at_corners = (6 * cells[:, :, None] + np.arange(6)).reshape(len(cells), 18)
    at_edges = 6 * len(nodes) + which.reshape(-1, 3)
    return np.concatenate([at_corners, at_edges], axis=1), 6 * len(nodes) + len(edges), normals


def _powers(points: np.ndarray) -> np.ndarray:
    """(q, 6, 21): derivatives `_ORDERS` of the monomials about the triangle's middle at points (q, 2)."""
    x = points - 1 / 3
    out = np.empty((len(points), 6, len(_EXPONENTS)))
    for k, order in enumerate(_ORDERS):
        left = _EXPONENTS - order
        factor = np.ones(len(_EXPONENTS))
        for axis in (0, 1):
            for step in range(order[axis]):
                factor = factor * (_EXPONENTS[:, axis] - step)
        out[:, k] = factor * np.prod(x[:, None] ** np.maximum(left, 0), axis=-1)
    return out


@cache
def _coefficients() -> np.ndarray:
    """(21, 21): monomials' coefficients of the reference triangle's own shapes."""
    rows = [*_powers(_CORNERS).reshape(18, -1)]
    for a, b in _EDGES:
        slopes = _powers((_CORNERS[a] + _CORNERS[b])[None] / 2)[0, 1:3]
        t = _CORNERS[b] - _CORNERS[a]
        rows.append(np.array([-t[1], t[0]]) @ slopes)
    return np.linalg.inv(np.array(rows))


def _reference(points: np.ndarray) -> np.ndarray:
    """(q, 6, 21): derivatives of the reference triangle's shapes at points (q, 2)."""
    return _powers(points) @ _coefficients()
