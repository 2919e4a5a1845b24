"""Straight beams, and polylines of them, in space or in the body's xy plane."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from gough.errors import UsageError
from gough.fem._elements import FiniteElements, mass_matrix
from gough.fem._geometry import extent, gauss_on_unit
from gough.fem._material import Material
from gough.fem._memory import demand
from gough.fem._sparse import rows_of_blocks, sum_of_blocks
from gough.fem.beams._straight import GAUSS, STATIONS, BeamShortening, StraightElements
from gough.fem.beams.sections import CrossSection

THEORIES = ("euler_bernoulli", "timoshenko")
BYTES, BYTES_OF_A_PAIR = 1.3e5, 100.0
"""Memory an element takes while matrices are made, and a pair of points while they are checked; measured."""


def beam_elements(
    points: np.ndarray | Sequence[Sequence[float]],
    section: CrossSection | Sequence[CrossSection],
    material: Material,
    *,
    elements: int | Sequence[int] = 8,
    theory: str = "euler_bernoulli",
    section_y: Sequence[float] | np.ndarray | None = None,
    plane: bool = False,
    rotary_inertia: bool | None = None,
) -> FiniteElements:
    """Finite elements of a beam through points (k, 3) (m, body axes), rigidly joined at its corners.

    section: one, or one a segment. elements: per segment, one number or one a segment.
    theory: "euler_bernoulli" (slender) or "timoshenko" (with shear).
    section_y (3,): where the section's y axis points, as near as the segment's direction lets it; may be left out for
        sections with Iy = Iz.
    plane: the beam lies in z = constant and moves in the xy plane alone: 3 freedoms (ux, uy, θz) a node, the section's y
        axis in the plane; else 6 freedoms (ux, uy, uz, θx, θy, θz) a node. Freedoms are along the body's axes.
    rotary_inertia: whether sections have inertia about their own y and z axes, as they turn with bending and with the whole
        body; default: Timoshenko beams. That of their spin about the centreline is always there in space.
    """
    if theory not in THEORIES:
        raise UsageError(f"beam: theory = {theory!r}; choose one of {', '.join(THEORIES)}")
    course = beam_line(points, section, elements, section_y, plane)
    rotary = theory == "timoshenko" if rotary_inertia is None else rotary_inertia
    cut = _straight_elements(course, material, theory == "timoshenko")

    to_local = _to_local(course)
    n = len(course.nodes)
    per_node = 3 if plane else 6
    freedoms = per_node * np.arange(n - 1)[:, None] + np.arange(2 * per_node)
    size = per_node * n

    stiffness = np.einsum("eia,eij,ejb->eab", to_local, cut.stiffness(), to_local)

    def mass_points(stations: int) -> tuple[np.ndarray, np.ndarray, csr_array]:
        mass, position, local_field = _mass_points(course, cut, material, rotary, stations)
        field = np.einsum("eri,epij,eja->epra", course.axes.transpose(0, 2, 1), local_field, to_local)
        of_each = np.repeat(freedoms, field.shape[1], axis=0)
        return mass, position, rows_of_blocks(field.reshape(-1, 3, 2 * per_node), of_each, size)

    mass, position, field_rows = mass_points(GAUSS)
    translation, rotation = _node_operators(n, plane)
    return FiniteElements(
        nodes=course.nodes,
        K=sum_of_blocks(stiffness, freedoms, size),
        M=mass_matrix(mass, field_rows),
        translation=translation,
        rotation=rotation,
        mass=mass,
        position=position,
        field=field_rows,
        cells=np.arange(n - 1)[:, None] + np.arange(2),
        shortening=BeamShortening(course.axes[:, 0], cut, to_local, freedoms, *mass_points(STATIONS)),
    )


@dataclass(frozen=True)
class BeamLine:
    """The course of a beam: nodes (e + 1, 3); of element i between nodes i and i + 1: length (e,), axes (e, 3, 3) with rows
    x, y, z, its segment (e,) and the section's constants (e, 4): A, Iy, Iz, J."""

    nodes: np.ndarray
    length: np.ndarray
    axes: np.ndarray
    segment: np.ndarray
    sections: tuple[CrossSection, ...]
    constants: np.ndarray
    plane: bool


def beam_line(
    points: object,
    section: CrossSection | Sequence[CrossSection],
    elements: int | Sequence[int],
    section_y: object,
    plane: bool,
) -> BeamLine:
    """The line through points (k, 3), or (k, 2) in the plane; arguments as of `beam_elements`."""
    corner = _corners(points, plane)
    segments = len(corner) - 1
    sections = tuple(section) if isinstance(section, Sequence) else (section,) * segments
    if len(sections) != segments:
        raise UsageError(f"beam: {len(sections)} sections for {segments} segments; give one, or one a segment")
    counts = [elements] * segments if isinstance(elements, int | np.integer) else list(elements)
    if all(isinstance(c, int | np.integer) for c in counts):
        demand(
            BYTES * sum(map(int, counts)), f"beam: {sum(map(int, counts))} elements", "take fewer elements a segment"
        )
    if len(counts) != segments or not all(isinstance(c, int | np.integer) and c >= 1 for c in counts):
        raise UsageError(
            f"beam: elements = {elements!r} must be a whole number >= 1, or one for each of {segments} segments"
        )
    segment = np.repeat(np.arange(segments), counts)
    axes = np.array([_axes(corner[s + 1] - corner[s], sections[s], section_y, plane, s) for s in range(segments)])
    pieces = [corner[:1]] + [
        corner[s] + np.arange(1, counts[s] + 1)[:, None] / counts[s] * (corner[s + 1] - corner[s])
        for s in range(segments)
    ]
    length = np.linalg.norm(np.diff(corner, axis=0), axis=1) / counts
    constants = np.array([_constants(s, plane) for s in sections])
    return BeamLine(
        np.concatenate(pieces), length[segment], axes[segment], segment, sections, constants[segment], plane
    )


def _corners(points: object, plane: bool) -> np.ndarray:
    corner = np.array(points, dtype=float)
    if plane and corner.ndim == 2 and corner.shape[1] == 2:
        corner = np.column_stack([corner, np.zeros(len(corner))])
    if corner.ndim != 2 or corner.shape[1] != 3 or len(corner) < 2 or not np.all(np.isfinite(corner)):
        raise UsageError(
            f"beam: points must be at least two finite points (k, 3) in m, got an array of shape {corner.shape}"
        )
    demand(BYTES_OF_A_PAIR * len(corner) ** 2, f"beam: a line through {len(corner)} points", "take fewer points")
    size = extent(corner)
    distance = np.linalg.norm(corner[:, None] - corner[None], axis=-1) + size * np.eye(len(corner))
    i, j = np.unravel_index(np.argmin(distance), distance.shape)
    if distance[i, j] <= 1e-9 * size:
        first, second = sorted((int(i), int(j)))
        raise UsageError(
            f"beam: points {first} and {second} coincide at {corner[first].tolist()}: a segment needs a length, and a line "
            "that closes on itself is not supported; leave one out"
        )
    if plane and np.ptp(corner[:, 2]) > 0:
        raise UsageError("beam: with plane=True all points must have the same z; leave plane out for a beam in space")
    return corner


def _axes(direction: np.ndarray, section: CrossSection, section_y: object, plane: bool, segment: int) -> np.ndarray:
    """Rows x (along), y, z of the element's axes."""
    x = direction / np.linalg.norm(direction)
    if plane:
        if section_y is not None:
            raise UsageError("beam: with plane=True the section's y axis lies in the plane; leave section_y out")
        wanted = np.array([-x[1], x[0], 0.0])
    elif section_y is not None:
        wanted = np.asarray(section_y, dtype=float)
        if wanted.shape != (3,) or not np.all(np.isfinite(wanted)) or not np.any(wanted):
            raise UsageError(f"beam: section_y = {section_y!r} must be a direction of three numbers")
    elif section.Iy is not None and abs(section.Iy - section.Iz) <= 1e-12 * section.Iz:
        wanted = np.eye(3)[np.argmin(np.abs(x))]  # any direction will do
    else:
        raise UsageError(
            "beam: this section is not the same about y and z; say with section_y=(x, y, z) where its y axis points"
        )
    y = wanted - (wanted @ x) * x
    size = np.linalg.norm(y)
    if size < 1e-6 * np.linalg.norm(wanted):
        raise UsageError(f"beam: section_y = {wanted.tolist()} is along segment {segment}; take a direction across it")
    y /= size
    return np.array([x, y, np.cross(x, y)])


def _constants(section: CrossSection, plane: bool) -> tuple[float, float, float, float]:
    if not plane and (section.Iy is None or section.J is None):
        raise UsageError("given section: a beam in space needs Iy and J; in the xy plane alone: plane=True")
    return section.area, section.Iy or 0.0, section.Iz, section.J or 0.0


def _straight_elements(course: BeamLine, material: Material, sheared: bool) -> StraightElements:
    """Stiffnesses of every element; φ = 0 without shear."""
    A, Iy, Iz, J = course.constants.T
    E, G, L = material.young, material.G, course.length
    zero = np.zeros_like(L)
    if not sheared:
        return StraightElements(L, E * A, G * J, E * Iy, E * Iz, zero, zero, zero, zero)
    factors = np.array([_shear_factors(s, material, course.plane) for s in course.sections])[course.segment]
    kGA = factors * (G * A)[:, None]
    phi_y = 12 * E * Iz / (kGA[:, 0] * L**2)
    phi_z = 12 * E * Iy / (kGA[:, 1] * L**2)
    return StraightElements(L, E * A, G * J, E * Iy, E * Iz, phi_y, phi_z, kGA[:, 0], kGA[:, 1])


def _shear_factors(section: CrossSection, material: Material, plane: bool) -> tuple[float, float]:
    ky, kz = section.shear_factors(material)
    if kz is None and not plane:
        raise UsageError("given section: a Timoshenko beam in space needs kz, the shear factor along z")
    return ky, 1.0 if kz is None else kz


def _to_local(course: BeamLine) -> np.ndarray:
    """(e, 12, 12 or 6): an element's freedoms along its own axes from those along the body's."""
    e = len(course.length)
    whole = np.zeros((e, 12, 12))
    for block in range(4):
        whole[:, 3 * block : 3 * block + 3, 3 * block : 3 * block + 3] = course.axes
    return whole[:, :, [0, 1, 5, 6, 7, 11]] if course.plane else whole


def _mass_points(
    course: BeamLine, cut: StraightElements, material: Material, rotary: bool, stations: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """mass (g,), position (g, 3), field along the elements' own axes (e, g/e, 3, 12); stations: Gauss points an element."""
    share, offset, twisted = _section_points(course, rotary)
    per_station = offset.shape[1]
    xi, weight = gauss_on_unit(stations)

    shapes = cut.shapes(xi)[:, :, None]  # (e, q, 1, 6, 12)
    y, z = offset[:, None, :, 1, None], offset[:, None, :, 2, None]
    field = np.repeat(shapes[..., :3, :], per_station, axis=2).astype(np.result_type(shapes, offset))
    if rotary:
        field[..., 0, :] += z * shapes[..., 4, :] - y * shapes[..., 5, :]
    field[..., 1, :] -= twisted[:, None] * z * shapes[..., 3, :]
    field[..., 2, :] += twisted[:, None] * y * shapes[..., 3, :]

    start, direction = course.nodes[:-1], course.axes[:, 0]
    centre = start[:, None] + xi[:, None] * (course.length[:, None] * direction)[:, None]
    position = centre[:, :, None] + np.einsum("eoi,eix->eox", offset, course.axes)[:, None]
    A = course.constants[:, 0]
    mass = (material.density * A * course.length)[:, None, None] * weight[:, None] * share[:, None]
    return mass.ravel(), position.reshape(-1, 3), field.reshape(len(A), -1, 3, 12)


def _section_points(course: BeamLine, rotary: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """share (e, p) of a station's mass, offset (e, p, 3) from the centreline along the element's axes, and whether each of
    the p points follows torsion.

    Two pairs of points carry the second moments ∫ y² dA and ∫ z² dA. Without rotary inertia they follow torsion but not
    the section's turning with bending. Then neither may the section's inertia about y and z be there when the whole body
    turns, or the beam's motion would weigh otherwise with a joint at its one end than at its other. So pairs that stay where
    they are, some of negative mass, take it away: -diag(0, Iy, Iz) has the second moments ½ diag(-Iy - Iz, Iy - Iz, Iz - Iy).
    What is left is the centreline's inertia and the spin about it. In the plane that is the centreline alone.
    """
    A, Iy, Iz, _ = course.constants.T
    if course.plane and not rotary:
        return np.ones((len(A), 1)), np.zeros((len(A), 1, 3)), np.ones(1)
    y, z = np.sqrt(Iz / A), np.sqrt(Iy / A)
    if rotary:
        share, offset = _pairs(A, [(1, np.sqrt(2) * y, 0.25), (2, np.sqrt(2) * z, 0.25)])
        return share, offset, np.ones(4)
    mean = np.sqrt((Iy + Iz) / (2 * A))
    pairs = [(1, y, 0.5), (2, z, 0.5), (0, mean, -0.5)]
    uneven = (Iy - Iz) / (2 * (Iy + Iz))
    if np.any(np.abs(uneven) > 1e-12) or np.any(uneven.imag):
        pairs += [(1, mean, uneven), (2, mean, -uneven)]
    share, offset = _pairs(A, pairs)
    return share, offset, np.repeat([1.0, 1.0, 0.0, 0.0, 0.0][: len(pairs)], 2)


def _pairs(
    each: np.ndarray, pairs: Sequence[tuple[int, np.ndarray, np.ndarray | float]]
) -> tuple[np.ndarray, np.ndarray]:
    """share (e, p) and offset (e, p, 3) of pairs of points at ± a distance (e,) along an axis, with a share of mass each."""
    kind = np.result_type(each, *(x for _, *numbers in pairs for x in numbers))
    share = np.empty((len(each), len(pairs), 2), dtype=kind)
    offset = np.zeros((len(each), len(pairs), 2, 3), dtype=kind)
    for k, (axis, distance, part) in enumerate(pairs):
        share[:, k] = np.broadcast_to(part, len(each))[:, None]
        offset[:, k, 0, axis], offset[:, k, 1, axis] = distance, -distance
    return share.reshape(len(each), -1), offset.reshape(len(each), -1, 3)


def _node_operators(n: int, plane: bool) -> tuple[csr_array, csr_array]:
    """Displacement and rotation vector of every node, (3 n, freedoms) each."""
    per_node = 3 if plane else 6
    block = np.zeros((2, 3, per_node))
    if plane:
        block[0, 0, 0] = block[0, 1, 1] = block[1, 2, 2] = 1
    else:
        block[0, :, :3] = block[1, :, 3:] = np.eye(3)
    columns = np.arange(per_node * n).reshape(n, per_node)
    return tuple(rows_of_blocks(np.broadcast_to(b, (n, 3, per_node)), columns, per_node * n) for b in block)  # type: ignore[return-value]
