"""Plates of any polygon with holes, by Kirchhoff (thin) or Mindlin (with shear), in the xy plane of their own axes.

The Mindlin plate is the Kirchhoff plate plus shear strains as fields of their own: normals turn by β = ∇w - γ, the energy is
    ½ ∫ D [(β_x,x + β_y,y)² - 2(1-ν)(β_x,x β_y,y - ¼(β_x,y + β_y,x)²)] + k G h |γ|² dA,   D = E h³ / (12 (1-ν²)).
γ → 0 is then in reach of any mesh, so a thin plate does not lock. Near free edges γ falls off within about the thickness h:
a row of triangles as wide as that lies along the boundary.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array, vstack

from gough.errors import UsageError
from gough.fem.elements import FiniteElements, mass_matrix, place_elements
from gough.fem.material import Material, demand_positive
from gough.fem.memory import demand, limit
from gough.fem.meshing.outline import outline_with_holes
from gough.fem.meshing.polygon import TriangleMesh, mesh_polygon, with_layer
from gough.fem.plates.fields import Fields, plate_fields
from gough.fem.sparse import order

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
