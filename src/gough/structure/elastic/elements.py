"""A described beam, plate, solid or pair of matrices cut into finite elements, with nodes where something is attached."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gough import fem
from gough.robot import units
from gough.robot.files import resolve_path
from gough.robot.flexible import Flexible
from gough.robot.flexible.elements import Beam, BeamSection, FlatPlate, Solid
from gough.robot.flexible.fields import ElasticMaterial
from gough.robot.flexible.other_programs import FileUnits, Matrices

ON_THE_LINE = 1e-9
"""Distance from a beam's line or a plate's plane, relative to the body, of a point that lies on it."""
PART_OF_THE_EXTENT = 1 / 8
"""Size of a plate's elements where none is stated: they are of fifth order."""


@dataclass(frozen=True)
class Elements:
    """Finite elements in body axes, and sets of their nodes (indices) by name."""

    elements: fem.FiniteElements
    node_sets: Mapping[str, np.ndarray] = field(default_factory=dict)


def elements_of(flexible: Flexible, points: Sequence[np.ndarray], file: str | None) -> Elements:
    """The body in elements. points: attached ones (m, body axes); file: of the description."""
    if flexible.beam is not None:
        return Elements(described_beam(flexible.beam, points))
    if flexible.plate is not None:
        return Elements(described_plate(flexible.plate, points))
    if flexible.solid is not None:
        return _solid(flexible.solid, file)
    assert flexible.matrices is not None
    elements = matrix_elements(flexible.matrices, file)
    return Elements(elements, elements.node_sets)


def described_beam(described: Beam, points: Sequence[np.ndarray]) -> fem.FiniteElements:
    """A beam whose segments are divided where a point on them would lie between two nodes."""
    corners = np.array(described.corners())
    sections, counts = described.segment_sections(), described.segment_elements()
    places, each, parts = [corners[:1]], [], []
    for start, end, section, count in zip(corners, corners[1:], sections, counts, strict=False):
        stops = np.array([*_stops(start, end, count, points), 1.0])
        places.append(start + stops[:, None] * (end - start))
        shares = np.diff([0.0, *stops]) * count
        parts += [1 if len(stops) > 1 and share < 1 else round(float(share)) for share in shares]
        each += [fem_section(section)] * len(stops)
    return fem.beam_elements(
        np.concatenate(places),
        each,
        fem_material(described.material),
        elements=parts,
        theory=described.theory,
        section_y=described.section_y,
        plane=described.plane,
        rotary_inertia=described.rotary_inertia,
    )


def _stops(start: np.ndarray, end: np.ndarray, count: int, points: Sequence[np.ndarray]) -> list[float]:
    """Where along a segment (0 … 1) points lie on it; none where all of them fall on nodes anyway."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return []
    inside = set()
    for point in points:
        t = float((point - start) @ along) / length**2
        near = float(np.linalg.norm(point - start - t * along)) <= ON_THE_LINE * length
        if near and ON_THE_LINE < t < 1 - ON_THE_LINE:
            inside.add(t)
    between = [t for t in inside if abs(t * count - round(t * count)) > ON_THE_LINE * count]
    stops: list[float] = []
    for t in sorted(inside) if between else ():
        if not stops or t - stops[-1] > ON_THE_LINE:
            stops.append(t)
    return stops


def described_plate(described: FlatPlate, points: Sequence[np.ndarray]) -> fem.FiniteElements:
    """A plate with nodes at the points that lie in its middle plane."""
    outline = np.array(described.outline)
    extent = float(np.ptp(outline, axis=0).max())
    rotation, origin = described.placement.rotation(), np.array(described.placement.position)
    local = [rotation.T @ (point - origin) for point in points]
    return fem.plate_elements(
        outline,
        described.thickness,
        fem_material(described.material),
        size=PART_OF_THE_EXTENT * extent if described.size is None else described.size,
        holes=[np.array(hole) for hole in described.holes],
        points=np.array([p[:2] for p in local if abs(p[2]) <= ON_THE_LINE * extent]).reshape(-1, 2),
        theory=described.theory,
        membrane=described.membrane,
        rotary_inertia=described.rotary_inertia,
        rotation=rotation,
        origin=origin,
    )


def _solid(described: Solid, file: str | None) -> Elements:
    elements, node_sets = fem.read_mesh(
        resolve_path(described.file, file), fem_material(described.material), described.unit
    )
    pose = described.placement
    return Elements(fem.place_elements(elements, pose.rotation(), np.array(pose.position)), node_sets)


def fem_material(described: ElasticMaterial) -> fem.Material:
    """The material in the words of `fem`."""
    return fem.Material(described.E, described.density, described.nu, described.G)


def fem_section(described: BeamSection) -> fem.CrossSection:
    """The section in the words of `fem`."""
    if (r := described.rectangle) is not None:
        return fem.Rectangle(r.y, r.z)
    if (c := described.circle) is not None:
        return fem.Circle(c.radius)
    if (t := described.tube) is not None:
        return fem.Tube(t.radius, t.wall)
    if (i := described.i_beam) is not None:
        return fem.IBeam(i.height, i.width, i.web, i.flange)
    assert described.area is not None and described.Iz is not None
    return fem.GivenSection(described.area, described.Iz, described.Iy, described.J, described.ky, described.kz)


def matrix_elements(described: Matrices, file: str | None) -> fem.FiniteElements:
    """Elements from the matrices of another program."""

    elements = _matrices(described, file_units(described.units), file)
    pose = described.placement
    return fem.place_elements(elements, pose.rotation(), np.array(pose.position))


def _matrices(described: Matrices, unit: fem.UnitFactors, file: str | None) -> fem.FiniteElements:
    def path(written: str) -> Path:
        return resolve_path(written, file)

    if (m := described.matrix_market or described.abaqus) is not None:
        reader = fem.read_abaqus_matrices if described.matrix_market is None else fem.read_matrix_market
        freedoms = None if m.freedoms is None else path(m.freedoms)
        return reader(path(m.stiffness), path(m.mass), path(m.nodes), freedoms, unit, m.modal)
    if (d := described.dmig) is not None:
        return fem.read_nastran_dmig(path(d.file), path(d.nodes), d.stiffness, d.mass, unit)
    o = described.op4
    assert o is not None
    return fem.read_nastran_op4(path(o.file), path(o.nodes), path(o.freedoms), o.stiffness, o.mass, unit)


def file_units(described: FileUnits) -> fem.UnitFactors:
    """The units a file is written in, in the words of `fem`."""
    return fem.UnitFactors(*(float(units.parse_unit(u)[0]) for u in (described.length, described.mass, described.time)))
