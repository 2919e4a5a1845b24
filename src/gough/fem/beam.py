"""Straight beams, and polylines of them, in space or in the body's xy plane."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from gough.errors import UsageError
from gough.fem.beam_element import GAUSS, StraightElements, gauss_on_unit
from gough.fem.beam_line import Line, line
from gough.fem.beam_shortening import STATIONS, BeamShortening
from gough.fem.couplings import couplings_of_points
from gough.fem.finite_elements import FiniteElements
from gough.fem.material import Material
from gough.fem.operators import mass_matrix, rows_of_blocks, sum_of_blocks
from gough.fem.sections import Section

THEORIES = ("euler_bernoulli", "timoshenko")


def beam_elements(
    points: np.ndarray | Sequence[Sequence[float]],
    section: Section | Sequence[Section],
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
    rotary_inertia: whether sections that turn with bending have inertia, be it that the beam bends or that its frame turns;
        default: Timoshenko beams. Torsion always has.
    """
    if theory not in THEORIES:
        raise UsageError(f"beam: theory = {theory!r}; choose one of {', '.join(THEORIES)}")
    course = line(points, section, elements, section_y, plane)
    rotary = theory == "timoshenko" if rotary_inertia is None else rotary_inertia
    cut = _cut(course, material, theory == "timoshenko")

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
    couplings = None
    if not rotary and not plane:  # sections that bending does not turn are not turned by the body's frame either
        exact = couplings_of_points(mass, position, field_rows)
        couplings = replace(exact, J=exact.J - _of_bent_sections(course, material))
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
        couplings=couplings,
    )


def _cut(course: Line, material: Material, sheared: bool) -> StraightElements:
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


def _shear_factors(section: Section, material: Material, plane: bool) -> tuple[float, float]:
    ky, kz = section.shear_factors(material)
    if kz is None and not plane:
        raise UsageError("given section: a Timoshenko beam in space needs kz, the shear factor along z")
    return ky, 1.0 if kz is None else kz


def _to_local(course: Line) -> np.ndarray:
    """(e, 12, 12 or 6): an element's freedoms along its own axes from those along the body's."""
    e = len(course.length)
    whole = np.zeros((e, 12, 12))
    for block in range(4):
        whole[:, 3 * block : 3 * block + 3, 3 * block : 3 * block + 3] = course.axes
    return whole[:, :, [0, 1, 5, 6, 7, 11]] if course.plane else whole


def _mass_points(
    course: Line, cut: StraightElements, material: Material, rotary: bool, stations: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """mass (g,), position (g, 3), field along the elements' own axes (e, g/e, 3, 12); stations: Gauss points an element.

    Four points a station, off the centreline, carry the section's second moments. Without rotary inertia they follow
    torsion but not the section's turning with bending; in the plane the centreline alone is enough then.
    """
    A, Iy, Iz, _ = course.constants.T
    xi, weight = gauss_on_unit(stations)
    if course.plane and not rotary:
        offset = np.zeros((len(A), 1, 2))
    else:
        y, z, none = np.sqrt(2 * Iz / A), np.sqrt(2 * Iy / A), np.zeros_like(A)
        offset = np.stack([np.stack(p, -1) for p in ((y, none), (-y, none), (none, z), (none, -z))], axis=1)
    per_station = offset.shape[1]

    shapes = cut.shapes(xi)[:, :, None]  # (e, q, 1, 6, 12)
    y, z = offset[:, None, :, 0, None], offset[:, None, :, 1, None]
    field = np.repeat(shapes[..., :3, :], per_station, axis=2)
    if rotary:
        field[..., 0, :] += z * shapes[..., 4, :] - y * shapes[..., 5, :]
    field[..., 1, :] -= z * shapes[..., 3, :]
    field[..., 2, :] += y * shapes[..., 3, :]

    start, direction = course.nodes[:-1], course.axes[:, 0]
    centre = start[:, None] + xi[:, None] * (course.length[:, None] * direction)[:, None]
    across = np.einsum("eoi,eix->eox", offset, course.axes[:, 1:])
    position = centre[:, :, None] + across[:, None]
    mass = (material.density * A * course.length)[:, None] * weight
    mass = np.repeat(mass.ravel(), per_station) / per_station
    return mass, position.reshape(-1, 3), field.reshape(len(A), -1, 3, 12)


def _of_bent_sections(course: Line, material: Material) -> np.ndarray:
    """Inertia (3, 3) of the sections about their own principal axes, that of torsion left out."""
    _, Iy, Iz, _ = course.constants.T
    y, z = course.axes[:, 1], course.axes[:, 2]
    lengths = material.density * course.length
    return np.einsum("e,ea,eb->ab", lengths * Iy, y, y) + np.einsum("e,ea,eb->ab", lengths * Iz, z, z)


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
