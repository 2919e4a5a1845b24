"""A described beam, plate or solid cut into finite elements, with nodes where something is attached."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gough.fem import (
    Circle,
    CrossSection,
    FiniteElements,
    GivenSection,
    IBeam,
    Material,
    Rectangle,
    Tube,
    place_elements,
)
from gough.robot.files import resolve_path
from gough.robot.flexible import Flexible
from gough.robot.flexible.beam import Beam, BeamSection
from gough.robot.flexible.fields import ElasticMaterial
from gough.robot.flexible.plate import FlatPlate
from gough.robot.flexible.solid import Solid

ON_THE_LINE = 1e-9
"""Distance from a beam's line or a plate's plane, relative to the body, of a point that lies on it."""
PART_OF_THE_EXTENT = 1 / 8
"""Size of a plate's elements where none is stated: they are of fifth order."""


@dataclass(frozen=True)
class Elements:
    """Finite elements in body axes, and sets of their nodes (indices) by name."""

    elements: FiniteElements
    node_sets: Mapping[str, np.ndarray] = field(default_factory=dict)


def elements_of(flexible: Flexible, points: Sequence[np.ndarray], file: str | None) -> Elements:
    """The body in elements. points: attached ones (m, body axes); file: of the description."""
    if flexible.beam is not None:
        return Elements(described_beam(flexible.beam, points))
    if flexible.plate is not None:
        return Elements(described_plate(flexible.plate, points))
    if flexible.solid is not None:
        return _solid(flexible.solid, file)
    from gough.structure.elastic_files import described_matrices

    assert flexible.matrices is not None
    elements = described_matrices(flexible.matrices, file)
    return Elements(elements, elements.node_sets)


def described_beam(described: Beam, points: Sequence[np.ndarray]) -> FiniteElements:
    """A beam whose segments are divided where a point on them would lie between two nodes."""
    from gough.fem import beam_elements

    corners = np.array(described.corners())
    sections, counts = described.segment_sections(), described.segment_elements()
    places, each, parts = [corners[:1]], [], []
    for start, end, section, count in zip(corners, corners[1:], sections, counts, strict=False):
        stops = np.array([*_stops(start, end, count, points), 1.0])
        places.append(start + stops[:, None] * (end - start))
        shares = np.diff([0.0, *stops]) * count
        parts += [1 if len(stops) > 1 and share < 1 else round(float(share)) for share in shares]
        each += [fem_section(section)] * len(stops)
    return beam_elements(
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


def described_plate(described: FlatPlate, points: Sequence[np.ndarray]) -> FiniteElements:
    """A plate with nodes at the points that lie in its middle plane."""
    from gough.fem import plate_elements

    outline = np.array(described.outline)
    extent = float(np.ptp(outline, axis=0).max())
    rotation, origin = described.placement.rotation(), np.array(described.placement.position)
    local = [rotation.T @ (point - origin) for point in points]
    return plate_elements(
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
    from gough.fem import read_mesh

    elements, node_sets = read_mesh(
        resolve_path(described.file, file), fem_material(described.material), described.unit
    )
    pose = described.placement
    return Elements(place_elements(elements, pose.rotation(), np.array(pose.position)), node_sets)


def fem_material(described: ElasticMaterial) -> Material:
    """The material in the words of `fem`."""
    return Material(described.E, described.density, described.nu, described.G)


def fem_section(described: BeamSection) -> CrossSection:
    """The section in the words of `fem`."""
    if (r := described.rectangle) is not None:
        return Rectangle(r.y, r.z)
    if (c := described.circle) is not None:
        return Circle(c.radius)
    if (t := described.tube) is not None:
        return Tube(t.radius, t.wall)
    if (i := described.i_beam) is not None:
        return IBeam(i.height, i.width, i.web, i.flange)
    assert described.area is not None and described.Iz is not None
    return GivenSection(described.area, described.Iz, described.Iy, described.J, described.ky, described.kz)
