"""From finite elements to the constants of a flexible body: ties, basis, integrals, damping."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, cast, get_args

import numpy as np
from scipy.linalg import LinAlgError, eigh

from gough.errors import ReductionWarning, UsageError, warn
from gough.fem._elements import FiniteElements
from gough.fem._geometry import hat, rigid_displacements
from gough.fem._reading import blame_numbers, doubtful_units
from gough.fem._slopes import least_squares
from gough.fem._stiffening import MassPoints, SecondOrder, moment_shapes, rigid_motion_shapes, slaved_shapes
from gough.fem.elastic_body import ElasticBody, Slaved, TiedFrame, shape_integrals
from gough.fem.reduction._rigid import find_ground
from gough.fem.reduction.bases import build_basis
from gough.fem.reduction.choices import MEAN, BasisChoice, FreeModes, ShapeBasis
from gough.fem.reduction.damping import Damping, damping_matrix, damping_remark
from gough.fem.reduction.ties import FrameTie, Freedom, NodeTie, TiedElements, tie_frames
from gough.scalar.slopes import has_slopes, real_part

FELT, GROUNDED = 1e-3, 0.05
"""Part of a rigid motion by which a stiffness holds its body back that is told, and that is refused."""
Stiffening = Literal["auto", "on", "moments", "rigid_motion", "off"]


@blame_numbers
def reduce(
    elements: FiniteElements,
    basis: BasisChoice,
    frames: Mapping[str, NodeTie] | None = None,
    damping: Damping | None = None,
    stiffening: Stiffening = "auto",
) -> ElasticBody:
    """A flexible body with few coordinates from finite elements (m, kg, N), in the elements' axes and about their origin.

    basis: FreeModes, ClampedModes, Nodal, CraigBampton, Guyan or AttachmentModes. frames: what joints, wrenches and tools
    attach to, each tied to nodes. stiffening: "auto" where the elements know how they shorten, "on" (an error where they do
    not), "moments" (likewise; the displacement of second order by the one linear in x with its moments), "rigid_motion"
    (likewise; displacements of second order only together with the motion of the body's frame) or "off".
    What was done is in the body's `remarks`.
    """
    tied = tie_frames(elements, frames or {})
    chosen = build_basis(tied, basis)
    if not has_slopes(elements.K, elements.M):  # they were looked at without
        _demand_free(tied, chosen, not isinstance(basis, FreeModes))
    return assemble_body(tied, chosen, damping, decide_stiffening(stiffening, elements.shortening is not None))


def _demand_free(tied: TiedElements, basis: ShapeBasis, clamped: bool) -> None:
    """An error or a warning where the stiffness holds the body itself, beside the clamp of its basis."""
    if basis.held is None:
        return
    frame = tied.frame(basis.held) if clamped and basis.held != MEAN else None
    none = np.zeros(0, dtype=int)
    lowest = _lowest(*matrices(tied.elements, basis))
    found = find_ground(
        tied.elements, lowest, none if frame is None else frame.own, none if frame is None else frame.nodes
    )
    if found is None or not found.share > FELT:
        return
    freedom = tied.freedoms[found.freedom]
    text = (
        f"the stiffness resists rigid motion, which that of a free body does not: when the body is moved as a whole by 1 mm, it "
        f"pulls back with {1e-3 * found.force:.3g} {'N m' if freedom.component.startswith('r') else 'N'} at "
        f"{_freedom_in_words(tied.elements, freedom)} and most there, and stays behind by {100 * min(found.share, 1.0):.3g} % of "
        "the way. The model is held somewhere or has springs to ground, its nodes are misplaced, swapped or in other axes, it is "
        "preloaded, or its numbers have too few digits: "
        "write the matrices free and unloaded, with all digits, and the nodes of the same model"
    )
    if found.share > GROUNDED:
        raise UsageError(f"{text} (or reduce it as it is held: ClampedModes(at=None) in Python)")
    warn(text, ReductionWarning)


def _lowest(K: np.ndarray, M: np.ndarray) -> float:
    """Lowest λ of K φ = λ M φ; M may be singular."""
    scale = 1.0 / np.sqrt(np.diag(K))
    K, M = (A * np.outer(scale, scale) for A in (K, M))
    try:
        return 1.0 / float(eigh(M, K, eigvals_only=True, subset_by_index=[len(M) - 1, len(M) - 1])[0])
    except LinAlgError:
        return 1.0 / float(np.linalg.eigvalsh(M)[-1])


def _freedom_in_words(elements: FiniteElements, freedom: Freedom) -> str:
    """With the node's number in its file, and where it is."""
    if not freedom.component:
        return freedom.label
    if isinstance(freedom.of, str):
        return f"frame {freedom.of}, {freedom.component},"
    at = ", ".join(f"{x:.4g}" for x in elements.nodes[freedom.of])
    number = freedom.of if elements.labels is None else elements.labels[freedom.of]
    return f"node {number} at [{at}] m, {freedom.component},"


def decide_stiffening(stiffening: str, possible: bool) -> Stiffening:
    """Geometric stiffening with "auto" decided, or an error where it is asked for and nothing says how."""
    if stiffening not in get_args(Stiffening):
        raise UsageError(f"stiffening must be 'auto', 'on', 'moments', 'rigid_motion' or 'off', not {stiffening!r}")
    if stiffening in ("on", "moments", "rigid_motion") and not possible:
        raise UsageError(
            f"stiffening={stiffening!r}, but this body does not say how it shortens; use 'auto' or 'off', or supply `second` "
            "or K_G"
        )
    if stiffening == "auto":
        return "on" if possible else "off"
    return cast(Stiffening, stiffening)


def choose_slaved_shapes(points: MassPoints, second: SecondOrder, stiffening: Stiffening) -> Slaved:
    """Slaved shapes of a body whose stiffening is not off; points: where the fields are known."""
    if stiffening == "rigid_motion":
        return rigid_motion_shapes(*points[:2], second)
    if stiffening == "moments":
        return moment_shapes(*points, second)
    return slaved_shapes(*points, second)


def assemble_body(
    tied: TiedElements, basis: ShapeBasis, damping: Damping | None, stiffening: Stiffening
) -> ElasticBody:
    """The body of a basis (d, m) in the freedoms of tied elements."""
    body, V = tied.elements, basis.shapes
    g, n, m = len(body.mass), len(body.nodes), V.shape[1]
    K, M = matrices(body, basis)
    field = None if stiffening == "off" else second_order_field(tied, basis)
    points = body.mass, body.position, (body.field @ V).reshape(g, 3, m)
    integrals = shape_integrals(*points)
    if body.couplings is not None:
        integrals = body.couplings.shape_integrals(integrals, V, M)
    slaved = None if field is None else choose_slaved_shapes(field.sampled or points, field, stiffening)
    remarks = [_axes(basis), *basis.remarks, f"stiffening: {stiffening}"]
    remarks += [
        f"frame {name} holds {len(f.nodes)} nodes rigidly" for name, f in tied.frames.items() if len(f.nodes) > 1
    ]
    for warning in [
        *massless_remarks(real_part(M), real_part(K), basis.labels),
        *doubtful_units(integrals.mass.real, real_part(body.nodes)),
    ]:
        warn(warning, ReductionWarning)
        remarks.append(warning)
    with np.errstate(divide="ignore"):
        frequencies = np.sqrt(np.diag(K) / np.diag(M)) / (2.0 * np.pi)
    return ElasticBody(
        **vars(integrals),
        M=M,
        K=K,
        D=damping_matrix(damping, M, K),
        frames={name: _tied_frame(f, V, field, body.nodes) for name, f in tied.frames.items()},
        labels=basis.labels,
        frequencies_hz=frequencies,
        nodes=body.nodes,
        shapes=(body.translation @ V).reshape(n, 3, m),
        cells=body.cells,
        remarks=(*remarks, damping_remark(damping)),
        slaved=slaved,
        turnings=None if body.rotation is None else (body.rotation @ V).reshape(n, 3, m),
        second=field.at_nodes if field is not None and len(field.nodes) == n else None,
    )


def matrices(body: FiniteElements, basis: ShapeBasis) -> tuple[np.ndarray, np.ndarray]:
    """K and M (m, m) of the coordinates; modal ones exactly diagonal and one."""
    V = basis.shapes
    K, M = V.T @ (body.K @ V), V.T @ (body.M @ V)
    if basis.modal:
        return np.diag(np.diag(K)), np.eye(len(M))
    return 0.5 * (K + K.T), 0.5 * (M + M.T)


def massless_remarks(M: np.ndarray, K: np.ndarray, labels: tuple[str, ...]) -> list[str]:
    """A sentence where coordinates have no mass: equations of motion cannot be solved for them alone.

    Coordinates are metres, radians or m kg^½: their masses are compared by the squares of periods they make, M/K.
    """
    diagonal = np.diag(M)
    period = diagonal / np.maximum(np.diag(K), 1e-300)
    lost = [label for label, square in zip(labels, period, strict=True) if square <= 1e-14 * period.max()]
    if lost:
        return [
            f"coordinates without mass: {', '.join(lost[:6])}{' …' if len(lost) > 6 else ''}; reduce to modes, or add inertia"
        ]
    scale = 1.0 / np.sqrt(diagonal)
    if np.linalg.eigvalsh(M * np.outer(scale, scale))[0] < 1e-13:
        return ["the mass of the coordinates is singular: some motion has no mass; reduce to modes, or add inertia"]
    return []


def _axes(basis: ShapeBasis) -> str:
    if basis.held is None:
        return "axes: those the model is held in"
    return "axes: mean (the shapes carry no momentum)" if basis.held == MEAN else f"axes: fixed to frame {basis.held}"


def _tied_frame(frame: FrameTie, V: np.ndarray, field: SecondOrder | None, places: np.ndarray) -> TiedFrame:
    motion = frame.motion @ V
    second = None if field is None else frame_second(frame, motion[3:], field, places)
    return TiedFrame(frame.position, frame.rotation, motion[:3], motion[3:], second)


def second_order_field(tied: TiedElements, basis: ShapeBasis) -> SecondOrder:
    """That of a basis on elements that have a `shortening`, seen from the axes the body's coordinates are in.

    What the elements give is from the start of a beam; rigid displacements of second order belong to the body's axes, so they
    are taken out: every field is zero at a held frame, or has no mean (translation and turning) about mean axes.
    """
    body = tied.elements
    assert body.shortening is not None  # asked for only then
    second = body.shortening(basis.shapes)
    if basis.held is None:
        return second
    if basis.held != MEAN:
        shift = second.nodes[tied.frame(basis.held).nodes].mean(axis=0)
        return replace(second, points=second.points - shift, nodes=second.nodes - shift)
    mass, position = (body.mass, body.position) if second.sampled is None else second.sampled[:2]
    at_points, at_nodes = rigid_displacements(position), rigid_displacements(body.nodes)
    weight = np.repeat(mass, 3)
    normal = at_points.T @ (weight[:, None] * at_points)
    flat = second.points.reshape(len(weight), -1)
    c = least_squares(normal, at_points.T @ (weight[:, None] * flat), 1e-12)
    return replace(
        second,
        points=second.points - (at_points @ c).reshape(second.points.shape),
        nodes=second.nodes - (at_nodes @ c).reshape(second.nodes.shape),
    )


def frame_second(frame: FrameTie, turning: np.ndarray, second: SecondOrder, places: np.ndarray) -> np.ndarray:
    """Ψ (3, m, m) at a frame's origin: that of its nodes, and ½ θ × (θ × a) of the arm a from each node to the origin.

    turning (3, m): of the frame; places (n, 3): of the nodes.
    """
    arm = (frame.position - places[frame.nodes]).mean(axis=0)
    nodes = np.einsum("aj,jkl->akl", second.nodes[frame.nodes].mean(axis=0), second.forms)
    return nodes + second_of_arm(turning, arm)


def second_of_arm(turning: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Ψ (3, m, m) at the end of an arm (3,) that turns by turning (3, m) at its start: ½ θ × (θ × a)."""
    twice = np.einsum("kab,bl->akl", hat(turning.T), np.cross(turning.T, arm).T)
    return 0.5 * (twice + twice.transpose(0, 2, 1))
