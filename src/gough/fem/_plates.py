"""Plates of any polygon with holes, by Kirchhoff (thin) or Mindlin (with shear), in the xy plane of their own axes.

The Mindlin plate is the Kirchhoff plate plus shear strains as fields of their own: normals turn by β = ∇w - γ, the energy is
    ½ ∫ D [(β_x,x + β_y,y)² - 2(1-ν)(β_x,x β_y,y - ¼(β_x,y + β_y,x)²)] + k G h |γ|² dA,   D = E h³ / (12 (1-ν²)).
γ → 0 is then in reach of any mesh, so a thin plate does not lock. Near free edges γ falls off within about the thickness h:
a row of triangles as wide as that lies along the boundary.

Fields are sparse operators on the freedoms. Deflection w: Argyris' triangle. Shear strains γ = ∇w - β (β the slope of the
normals) and in-plane displacements: scikit-fem's cubic triangles. Products of two quintics are integrated exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array, vstack

from gough.errors import UsageError
from gough.fem._elements import FiniteElements, mass_matrix, place_elements
from gough.fem._material import Material, demand_positive
from gough.fem._memory import demand, limit
from gough.fem._slopes import lengths
from gough.fem._sparse import order, rows_of_blocks
from gough.fem.meshing.outline import outline_with_holes
from gough.fem.meshing.polygon import TriangleMesh, mesh_polygon, with_layer
from gough.scalar.slopes import has_slopes, join_slopes, real_part, slope_part

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
    triangles = skfem.MeshTri(np.ascontiguousarray(real_part(mesh.nodes).T), np.ascontiguousarray(mesh.triangles.T))
    drift = _drift(mesh.nodes, triangles.t.T) if has_slopes(mesh.nodes) else None
    deflection = argyris(mesh.nodes, triangles.t.T, rule[0].T)
    cubic: Any = skfem.Basis(triangles, skfem.ElementTriP3(), quadrature=rule)
    names = ["g1", "g2"] * shear + ["u", "v"] * membrane
    starts = deflection.count + cubic.N * np.arange(len(names) + 1)
    size = int(starts[-1])

    operators = {f"w{tail}": _rows(values, deflection.freedoms, size) for tail, values in deflection.values.items()}
    at_nodes = 6 * np.arange(len(mesh.nodes))
    vertex = {"w": at_nodes, "w_x": at_nodes + 1, "w_y": at_nodes + 2}
    for name, start in zip(names, starts, strict=False):
        for tail, values in _cubic_values(cubic, drift).items():
            operators[name + tail] = _rows(values, start + cubic.element_dofs.T, size)
        vertex[name] = start + cubic.nodal_dofs[0]
    points, weights = np.asarray(cubic.global_coordinates()).reshape(2, -1).T, cubic.dx.ravel()
    if drift is not None:
        moved = np.einsum("qk,cki->cqi", _barycentric(rule[0].T), slope_part(mesh.nodes[triangles.t.T]))
        points = join_slopes(points, moved.reshape(-1, 2))
        weights = join_slopes(weights, (cubic.dx * np.trace(drift, axis1=1, axis2=2)[:, None]).ravel())
    return Fields(
        points=points,
        weights=weights,
        operators=operators,
        vertex=vertex,
        curl=_curl(triangles, int(starts[-3]), int(starts[-2]), size, drift) if membrane else None,
        second=(at_nodes[:, None] + [3, 4, 5]).ravel(),
        size=size,
    )


def _drift(nodes: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """(c, 2, 2): ∂v_i/∂x_j of the velocity v with which cells (c, 3) follow nodes (n, 2) that have slopes."""
    corner = nodes[cells]
    jacobian = np.stack([corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]], axis=-1)
    return slope_part(jacobian) @ np.linalg.inv(real_part(jacobian))


def _barycentric(points: np.ndarray) -> np.ndarray:
    """(q, 3) of points (q, 2) of the reference triangle."""
    return np.column_stack([1 - points.sum(axis=1), points])


def _cubic_values(basis: Any, drift: np.ndarray | None) -> dict[str, np.ndarray]:
    """Value and slopes (c, q, 10) of a scikit-fem basis; a gradient changes by -(∂v/∂x)ᵀ of it where cells drift."""
    shapes = [shape[0] for shape in basis.basis]
    found = {"": [np.asarray(s) for s in shapes], "_x": [s.grad[0] for s in shapes], "_y": [s.grad[1] for s in shapes]}
    values = {key: np.stack(parts, axis=-1) for key, parts in found.items()}
    if drift is None:
        return values
    moved = [np.einsum("ca,caqk->cqk", drift[:, :, i], np.stack([values["_x"], values["_y"]], axis=1)) for i in (0, 1)]
    return values | {key: join_slopes(values[key], -m) for key, m in zip(("_x", "_y"), moved, strict=True)}


def _rows(values: np.ndarray, freedoms: np.ndarray, size: int) -> csr_array:
    """(c q, size) from values (c, q, k) at the freedoms (c, k) of each cell."""
    c, q, k = values.shape
    return rows_of_blocks(values.reshape(c * q, 1, k), np.repeat(freedoms, q, axis=0), size)


def _curl(triangles: Any, u: int, v: int, size: int, drift: np.ndarray | None) -> csr_array:
    """½(v_x - u_y) at the nodes (n, size), the mean of the triangles around."""
    import skfem

    corners = (np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), np.full(3, 1 / 6))
    basis: Any = skfem.Basis(triangles, skfem.ElementTriP3(), quadrature=corners)
    at, freedoms = _cubic_values(basis, drift), basis.element_dofs.T
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
    rows = np.zeros((len(cells), 21, 21), dtype=change.dtype)
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
    out = np.zeros((len(inverse), 6, 6), dtype=inverse.dtype)
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
    normals = np.stack([-along[..., 1], along[..., 0]], axis=-1) / lengths(along)[..., None]
    at_corners = (6 * cells[:, :, None] + np.arange(6)).reshape(len(cells), 18)
    at_edges = 6 * len(nodes) + which.reshape(-1, 3)
    return np.concatenate([at_corners, at_edges], axis=1), 6 * len(nodes) + len(edges), normals


def _powers(points: np.ndarray) -> np.ndarray:
    """(q, 6, 21): derivatives `_ORDERS` of the monomials about the triangle's middle at points (q, 2)."""
    x = points - 1 / 3
    out = np.empty((len(points), 6, len(_EXPONENTS)))
    for k, derivative in enumerate(_ORDERS):
        left = _EXPONENTS - derivative
        factor = np.ones(len(_EXPONENTS))
        for axis in (0, 1):
            for step in range(derivative[axis]):
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


THEORIES = ("kirchhoff", "mindlin")
BYTES = {"kirchhoff": 1.3e5, "mindlin": 4.6e5}
"""Memory a triangle takes while the matrices are made; measured."""
BYTES_OF_MEMBRANE = 7e4
AREA_OF_A_TRIANGLE = 0.43
"""In squares of the edges' length."""


def plate_elements(
    outline: np.ndarray | Sequence[Sequence[float]],
    thickness: float,
    material: Material,
    *,
    size: float,
    holes: Sequence[np.ndarray | Sequence[Sequence[float]]] = (),
    points: np.ndarray | Sequence[Sequence[float]] = (),
    theory: str = "kirchhoff",
    membrane: bool = False,
    rotary_inertia: bool | None = None,
    shear_factor: float = 5 / 6,
    rotation: np.ndarray | None = None,
    origin: np.ndarray | Sequence[float] | None = None,
) -> FiniteElements:
    """Finite elements of a plate with corners `outline` (k, 2), `holes` and `thickness` (m), edges about `size` long (m).

    points (p, 2): attachment points; each becomes a node. theory: "kirchhoff" (thin) or "mindlin" (with shear).
    membrane: the plate also stretches in its plane; else its points move along its normal alone (and by z times its turning).
    rotary_inertia: whether normals that turn have inertia; default: Mindlin plates.
    rotation (3, 3), origin (3,): where the plate's axes lie in the body's; z is its normal, z = 0 its middle.
    A frame tied to a single node sees the local give of a point load, which grows slowly with ever finer meshes: tie it to the
    nodes within its real radius where that matters.
    """
    demand_positive("plate", thickness=thickness, shear_factor=shear_factor)
    if theory not in THEORIES:
        raise UsageError(f"plate: theory = {theory!r}; choose one of {', '.join(THEORIES)}")
    shear = theory == "mindlin"
    rotary = shear if rotary_inertia is None else rotary_inertia
    each = BYTES[theory] + (BYTES_OF_MEMBRANE if membrane else 0)
    _demand(outline_with_holes(outline, holes).area / (AREA_OF_A_TRIANGLE * size**2), each, size)
    mesh = mesh_polygon(outline, size, holes, points)
    if shear:
        mesh = with_layer(mesh, thickness)
    _demand(len(mesh.triangles), each, size)
    at = plate_fields(mesh, shear, membrane)
    change = _freedoms(at, shear, size)

    stiffness = _bending(at, shear, thickness, material, shear_factor)
    if membrane:
        stretching = material.young * thickness / (1 - material.nu**2)
        stiffness = stiffness + _plane_energy(at, at["u_x"], at["v_y"], at["u_y"] + at["v_x"], stretching, material.nu)
    mass, position, field = _mass_points(
        at, shear, membrane, thickness * material.density, thickness if rotary else 0.0
    )
    field = csr_array(field @ change)
    translation, turning = _node_operators(mesh, at, shear, membrane)
    K = change.T @ stiffness @ change
    elements = FiniteElements(
        nodes=np.column_stack([mesh.nodes, np.zeros(len(mesh.nodes))]),
        K=csr_array((K + K.T) / 2),
        M=mass_matrix(mass, field),
        translation=csr_array(translation @ change),
        rotation=csr_array(turning @ change),
        mass=mass,
        position=position,
        field=field,
        cells=mesh.triangles,
    )
    return place_elements(elements, rotation, None if origin is None else np.asarray(origin, dtype=float))


def _demand(triangles: float, each: float, size: float) -> None:
    """Refuse a mesh that would take too much memory, with the size that would not."""
    enough = size * np.sqrt(max(1.0, 1.05 * triangles * each / limit()))
    demand(
        triangles * each,
        f"plate: {triangles:.0f} triangles with edges of {1e3 * size:.4g} mm",
        f"take larger elements, size: {1e3 * enough:.2g} mm (they are of fifth order: a few across the plate are enough)",
    )


def _freedoms(at: Fields, shear: bool, size: float) -> csr_array:
    """(d, d): scikit-fem's freedoms from ours: w, θx, θy at the nodes, curvatures there times `size` (rad), the rest as it is.

    θx = w_y - γ_y and θy = -(w_x - γ_x) at every node, so that a frame tied to a node takes three freedoms away.
    """
    scale = np.ones(at.size)
    scale[at.second] = 1 / size
    scale[at.vertex["w_x"]] = -1
    rows, columns, values = [np.arange(at.size)], [np.arange(at.size)], [scale]
    if shear:
        rows += [at.vertex["w_x"], at.vertex["w_y"]]
        columns += [at.vertex["g1"], at.vertex["g2"]]
        values += [np.ones(len(at.vertex["w"]))] * 2
    where = (np.concatenate(rows), np.concatenate(columns))
    return csr_array(coo_array((np.concatenate(values), where), shape=(at.size, at.size)))


def _plane_energy(at: Fields, xx: csr_array, yy: csr_array, xy: csr_array, rigidity: float, nu: float) -> csr_array:
    """∫ rigidity [xx² + yy² + 2ν xx yy + ½(1-ν) xy²] dA as a sum of squares, so that it is never negative."""
    parts = ((xx + yy, (1 + nu) / 2), (xx - yy, (1 - nu) / 2), (xy, (1 - nu) / 2))
    return csr_array(sum(_square(at, csr_array(operator), rigidity * factor) for operator, factor in parts))


def _square(at: Fields, operator: csr_array, factor: float) -> csr_array:
    return csr_array(operator.T @ diags_array(factor * at.weights) @ operator)


def _bending(at: Fields, shear: bool, thickness: float, material: Material, shear_factor: float) -> csr_array:
    rigidity = material.young * thickness**3 / (12 * (1 - material.nu**2))
    xx, yy, xy = at["w_xx"], at["w_yy"], 2 * at["w_xy"]
    if not shear:
        return _plane_energy(at, xx, yy, xy, rigidity, material.nu)
    bent = _plane_energy(at, xx - at["g1_x"], yy - at["g2_y"], xy - at["g1_y"] - at["g2_x"], rigidity, material.nu)
    sheared = shear_factor * material.G * thickness
    return csr_array(bent + _square(at, at["g1"], sheared) + _square(at, at["g2"], sheared))


def _mass_points(
    at: Fields, shear: bool, membrane: bool, per_area: float, thickness: float
) -> tuple[np.ndarray, np.ndarray, csr_array]:
    """mass (g,), position (g, 3), field (3 g, d): at the middle, or in two layers at ±thickness/√12."""
    nothing = csr_array((len(at.weights), at.size))
    turn_x, turn_y = at["w_y"], -at["w_x"]
    if shear:
        turn_x, turn_y = turn_x - at["g2"], turn_y + at["g1"]
    heights = (0.0,) if thickness == 0 else (thickness / np.sqrt(12), -thickness / np.sqrt(12))
    layers, positions = [], []
    for z in heights:
        u = (at["u"] if membrane else nothing) + z * turn_y
        v = (at["v"] if membrane else nothing) - z * turn_x
        layers.append(interleave(csr_array(u), csr_array(v), at["w"]))
        positions.append(np.column_stack([at.points, np.full(len(at.points), z)]))
    mass = np.tile(per_area * at.weights / len(heights), len(heights))
    return mass, np.concatenate(positions), csr_array(vstack(layers))


def _node_operators(mesh: TriangleMesh, at: Fields, shear: bool, membrane: bool) -> tuple[csr_array, csr_array]:
    """Displacement and rotation vector of the nodes on scikit-fem's freedoms."""
    n = len(mesh.nodes)

    def pick(name: str, sign: float = 1.0) -> csr_array:
        return csr_array((np.full(n, sign), (np.arange(n), at.vertex[name])), shape=(n, at.size))

    nothing = csr_array((n, at.size))
    u, v = (pick("u"), pick("v")) if membrane else (nothing, nothing)
    turn_x, turn_y = pick("w_y"), pick("w_x", -1.0)
    if shear:
        turn_x, turn_y = csr_array(turn_x - pick("g2")), csr_array(turn_y + pick("g1"))
    return interleave(u, v, pick("w")), interleave(turn_x, turn_y, nothing if at.curl is None else at.curl)


def interleave(x: csr_array, y: csr_array, z: csr_array) -> csr_array:
    """(3 n, d) with rows x₀ y₀ z₀ x₁ … from three (n, d)."""
    n = order(x)
    return csr_array(csr_array(vstack([x, y, z]))[np.arange(3 * n).reshape(3, n).T.ravel()])
