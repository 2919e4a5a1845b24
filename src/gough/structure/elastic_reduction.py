"""A described flexible body to its constants: elements, frames, basis, damping, stated stiffnesses."""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np

from gough.errors import ReductionWarning, UsageError
from gough.fem import (
    AttachmentModes,
    Circle,
    ClampedModes,
    CraigBampton,
    CrossSection,
    DampingMatrix,
    ElasticBody,
    FiniteElements,
    FreeModes,
    GivenSection,
    Guyan,
    IBeam,
    Material,
    ModalRatio,
    ModeCut,
    Nodal,
    NodeTie,
    Rayleigh,
    Rectangle,
    Tube,
    place_elements,
    reduce,
)
from gough.fem.reduction.choices import MEAN, BasisChoice
from gough.fem.reduction.damping import Damping, damping_matrix
from gough.fem.reduction.ties import TiedElements, tie_frames
from gough.robot import Pose
from gough.robot.files import resolve_path
from gough.robot.flexible import Flexible, TieRule
from gough.robot.flexible.beam import Beam, BeamSection
from gough.robot.flexible.fields import ElasticMaterial
from gough.robot.flexible.modes import ORIGIN, FlexibleDamping, ShapeChoice
from gough.robot.flexible.plate import FlatPlate
from gough.robot.flexible.solid import Solid
from gough.structure.flexible import Points, point_key

# A described beam, plate or solid cut into finite elements, with nodes where something is attached.

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


ROUNDING = 1e-6
"""Momentum of a shape relative to its largest possible one that is no more than rounding."""


def described_body(
    flexible: Flexible, frames: Mapping[str, Pose], points: Points, carried: bool, file: str | None
) -> ElasticBody:
    """Constants of a body. frames: its named ones. points: what is attached, by key. file: the description's, for paths."""
    keys = {ORIGIN: point_key(np.zeros(3))} | {name: point_key(np.array(p.position)) for name, p in frames.items()}
    if flexible.modal is not None:
        from gough.structure.elastic_files import modal_body

        body = modal_body(flexible, {key: (p, _said(flexible, key, keys)) for key, p in points.items()}, file)
    else:
        places = points | {keys[ORIGIN]: np.zeros(3)} if _names_origin(flexible) else points
        body = _reduced(flexible, keys, places, carried, file)
    return _relabelled(_damped(_with_stated_stiffness(body, flexible), flexible.damping), keys)


def _reduced(
    flexible: Flexible, keys: Mapping[str, str], places: Points, carried: bool, file: str | None
) -> ElasticBody:
    """A body from its elements. keys: of its frames by name; places: of everything tied, by key."""
    elements, choice, ties = _to_be_reduced(flexible, keys, places, carried, file)
    stated = flexible.modes is not None and flexible.modes.pairs is not None  # what happens to a pair
    with warnings.catch_warnings() if stated else nullcontext():
        if stated:
            warnings.filterwarnings("ignore", ".*degenerate modes.*", ReductionWarning)
        body = reduce(elements, choice, ties, None, flexible.stiffening)
    return _without_momentum(body) if getattr(choice, "frame", None) == MEAN else body


def tied_body(
    flexible: Flexible, frames: Mapping[str, Pose], points: Points, carried: bool, file: str | None
) -> tuple[TiedElements, BasisChoice, dict[str, str]]:
    """(its elements with their ties, the basis chosen, names of its frames by key) of a body that is no modal data."""
    keys = {ORIGIN: point_key(np.zeros(3))} | {name: point_key(np.array(p.position)) for name, p in frames.items()}
    places = points | {keys[ORIGIN]: np.zeros(3)} if _names_origin(flexible) else points
    elements, choice, ties = _to_be_reduced(flexible, keys, places, carried, file)
    return tie_frames(elements, ties), choice, {key: name for name, key in reversed(list(keys.items()))}


def _to_be_reduced(
    flexible: Flexible, keys: Mapping[str, str], places: Points, carried: bool, file: str | None
) -> tuple[FiniteElements, BasisChoice, dict[str, NodeTie]]:
    assert flexible.modes is not None
    said = {key: _said(flexible, key, keys) for key in places}
    held_by_a_node = [p for key, p in places.items() if said[key].radius is None and said[key].nodes is None]
    cut = elements_of(flexible, held_by_a_node, file)
    choice = basis_choice(flexible.modes, keys, list(places), carried)
    return cut.elements, choice, {key: _tie(said[key], cut, position) for key, position in places.items()}


def basis_choice(modes: ShapeChoice, keys: Mapping[str, str], attached: list[str], carried: bool) -> BasisChoice:
    """The reduction in the words of `fem`. keys: of the frames of the body by name; attached: those of everything tied."""

    def key(name: str | None, default: str) -> str:
        return default if name is None else MEAN if name == MEAN else keys[name]

    count: ModeCut | int = 0
    if modes.number != 0 and (modes.number is not None or modes.up_to is not None):
        count = ModeCut(modes.number, modes.up_to, modes.pairs or "keep")
    align = None if modes.align is None else keys[modes.align]
    seen_from = key(modes.frame, keys[ORIGIN] if carried else MEAN)
    interfaces = tuple(attached if modes.interfaces is None else (keys[name] for name in modes.interfaces))
    if seen_from != MEAN and seen_from not in interfaces:
        interfaces = (seen_from, *interfaces)
    match modes.kind or ("clamped" if carried else "free"):
        case "free":
            return FreeModes(count, key(modes.frame, MEAN), align)
        case "clamped":
            return ClampedModes(key(modes.frame, keys[ORIGIN]), count, align)
        case "nodal":
            return Nodal(key(modes.frame, keys[ORIGIN]))
        case "craig_bampton":
            return CraigBampton(interfaces, count, seen_from)
        case "guyan":
            return Guyan(interfaces, seen_from)
    return AttachmentModes(interfaces, count, seen_from)


def _names_origin(flexible: Flexible) -> bool:
    modes = flexible.modes
    if modes is None:
        return False
    held = modes.kind in ("clamped", "nodal") and modes.frame is None
    return held or ORIGIN in (modes.frame, modes.align, *(modes.interfaces or ()))


def _said(flexible: Flexible, key: str, keys: Mapping[str, str]) -> TieRule:
    """What the description says of how the frame under a key is held: of a frame there by name, else of all."""
    named = next((tie for name, tie in flexible.ties.at.items() if keys[name] == key), None)
    return named or TieRule(radius=flexible.ties.radius, tolerance=flexible.ties.tolerance)


def _tie(said: TieRule, cut: Elements, position: np.ndarray) -> NodeTie:
    if said.nodes is None:
        return NodeTie(position, radius=said.radius, tolerance=said.tolerance)
    if said.nodes not in cut.node_sets:
        known = ", ".join(cut.node_sets) or "none"
        raise UsageError(f"ties: there is no set of nodes {said.nodes!r}; there are: {known}")
    return NodeTie(position, nodes=cut.node_sets[said.nodes])


def _without_momentum(body: ElasticBody) -> ElasticBody:
    """Mean axes: shapes have no momentum, neither of translation nor of turning, so what rounding left of it is zero."""
    size = np.sqrt(np.diag(body.M) * body.mass)
    arm = np.sqrt(np.trace(body.J) / (2 * body.mass))
    turning = 0.5 * (body.N1 - body.N1.transpose(0, 2, 1))
    if np.any(np.abs(body.MSde) > ROUNDING * size) or np.any(np.abs(turning) > ROUNDING * arm * size[:, None, None]):
        raise UsageError(
            "the shapes carry momentum although their axes are mean ones; refine the elements, or clamp a frame"
        )
    slaved = body.slaved
    if slaved is not None:  # they were made without a mean
        even = 0.5 * (slaved.N1 + slaved.N1.transpose(0, 2, 1))
        slaved = replace(slaved, MSde=np.zeros_like(slaved.MSde), N1=even)
    return replace(body, MSde=np.zeros_like(body.MSde), N1=body.N1 - turning, slaved=slaved)


def _with_stated_stiffness(body: ElasticBody, flexible: Flexible) -> ElasticBody:
    """The body with the stiffnesses or frequencies that the description states in the place of its own."""
    stated, what = flexible.stiffness or flexible.frequencies, "stiffness" if flexible.stiffness else "frequencies"
    if stated is None:
        return body
    if len(stated) != body.modes:
        raise UsageError(f"{what}: {len(stated)} numbers for {body.modes} modes; give one for each")
    M = np.diag(body.M)
    if np.any(body.K - np.diag(np.diag(body.K))) or np.any(body.M - np.diag(M)):
        raise UsageError(f"{what}: these coordinates are no modes, each has to do with others; use modes")
    numbers = np.array(stated)
    k = numbers if flexible.stiffness else (2 * np.pi * numbers) ** 2 * M
    hz = np.sqrt(k / M) / (2 * np.pi)
    change = float(np.max(np.abs(hz / body.frequencies_hz - 1)))
    remark = f"{what} stated, up to {change:.2g} of the computed frequencies away"
    return replace(body, K=np.diag(k), frequencies_hz=hz, remarks=(*body.remarks, remark))


def _damped(body: ElasticBody, damping: FlexibleDamping | None) -> ElasticBody:
    said = _damping(damping)
    if said is None:
        return body
    instead = " (in place of the D of the data)" if np.any(body.D) else ""
    kind = f"damping: {type(said).__name__}{instead}"
    remarks = (*(r for r in body.remarks if not r.startswith("damping:")), kind)
    return replace(body, D=damping_matrix(said, body.M, body.K), remarks=remarks)


def _damping(damping: FlexibleDamping | None) -> Damping | None:
    if damping is None:
        return None
    if damping.ratio is not None:
        return ModalRatio(damping.ratio[0] if len(damping.ratio) == 1 else damping.ratio)
    if damping.rayleigh is not None:
        return Rayleigh(damping.rayleigh.alpha, damping.rayleigh.beta)
    return DampingMatrix(np.array(damping.matrix))


def _relabelled(body: ElasticBody, keys: Mapping[str, str]) -> ElasticBody:
    """Coordinates without spaces and with the names of frames where they have one: mode1, tip.x, node3.rz; remarks too."""
    names = {key: name for name, key in reversed(list(keys.items()))}

    def label(text: str) -> str:
        frame, dot, component = text.rpartition(".")
        plain = f"{names.get(frame, frame)}{dot}{component}"
        return plain.replace("mode ", "mode").replace("node ", "node").replace(" ", "_")

    def remark(text: str) -> str:
        frame = next((key for key in names if text.startswith(f"frame {key} ") or text.endswith(f" frame {key}")), None)
        return text if frame is None else text.replace(frame, names[frame])

    return replace(body, labels=tuple(map(label, body.labels)), remarks=tuple(map(remark, body.remarks)))
