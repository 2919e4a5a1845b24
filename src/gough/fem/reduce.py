"""From finite elements to the constants of a flexible body: ties, basis, integrals, damping."""

from collections.abc import Mapping
from typing import Literal, cast, get_args

import numpy as np
from scipy.linalg import LinAlgError, eigh

from gough.errors import ReductionWarning, UsageError, warn
from gough.fem.basis import build_basis
from gough.fem.basis_choices import MEAN, Basis, BasisChoice, FreeModes
from gough.fem.damping import Damping, damping_matrix
from gough.fem.elastic_body import ElasticBody, Slaved, TiedFrame
from gough.fem.finite_elements import FiniteElements
from gough.fem.integrals import shape_integrals
from gough.fem.modes_rigid import ground
from gough.fem.reading import workable
from gough.fem.reduce_second import frame_second, second_order_field
from gough.fem.second import MassPoints, SecondOrder
from gough.fem.slaved import rigid_motion_shapes, slaved_shapes
from gough.fem.tie_nodes import Tie
from gough.fem.ties import FrameTie, TiedElements, tie
from gough.fem.units import doubtful_units

FELT, GROUNDED = 1e-3, 0.05
"""Part of a rigid motion by which a stiffness holds its body back that is told, and that is refused."""
Stiffening = Literal["auto", "on", "rigid_motion", "off"]


@workable
def reduce(
    elements: FiniteElements,
    basis: BasisChoice,
    frames: Mapping[str, Tie] | None = None,
    damping: Damping | None = None,
    stiffening: Stiffening = "auto",
) -> ElasticBody:
    """A flexible body with few coordinates from finite elements (m, kg, N), in the elements' axes and about their origin.

    basis: FreeModes, ClampedModes, Nodal, CraigBampton, Guyan or AttachmentModes. frames: what joints, wrenches and tools
    attach to, each tied to nodes. stiffening: "auto" where the elements know how they shorten, "on" (an error where they do
    not), "rigid_motion" (likewise; displacements of second order only together with the motion of the body's frame) or "off".
    What was done is in the body's `remarks`.
    """
    tied = tie(elements, frames or {})
    chosen = build_basis(tied, basis)
    _demand_free(tied, chosen, not isinstance(basis, FreeModes))
    return assembled(tied, chosen, damping, decided(stiffening, elements.shortening is not None))


def _demand_free(tied: TiedElements, basis: Basis, clamped: bool) -> None:
    """An error or a warning where the stiffness holds the body itself, beside the clamp of its basis."""
    if basis.held is None:
        return
    frame = tied.frame(basis.held) if clamped and basis.held != MEAN else None
    none = np.zeros(0, dtype=int)
    lowest = _lowest(*matrices(tied.elements, basis))
    found = ground(tied.elements, lowest, none if frame is None else frame.own, none if frame is None else frame.nodes)
    if found is None or not found.share > FELT:
        return
    label = tied.labels[found.freedom]
    text = (
        f"the stiffness resists rigid motion, which that of a free body does not: when the body is moved as a whole by 1 mm, it "
        f"pulls back with {1e-3 * found.force:.3g} {'N m' if label.rpartition('.')[2].startswith('r') else 'N'} at "
        f"{_spoken(tied, label)} and most there, and stays behind by {100 * min(found.share, 1.0):.3g} % of the way. The "
        "model is held somewhere or has springs to ground, its nodes are misplaced, swapped or in other axes, it is "
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


def _spoken(tied: TiedElements, label: str) -> str:
    """A freedom in words: the node's number in its file, and where it is."""
    place, _, component = label.rpartition(".")
    words = place.split(" ")
    if words[0] == "node" and len(words) == 2 and words[1].isdigit():
        k, labels = int(words[1]), tied.elements.labels
        at = ", ".join(f"{x:.4g}" for x in tied.elements.nodes[k])
        return f"node {k if labels is None else labels[k]} at [{at}] m, {component},"
    return label if not place else f"frame {place}, {component},"


def decided(stiffening: str, possible: bool) -> Stiffening:
    """Geometric stiffening with "auto" decided, or an error where it is asked for and nothing says how."""
    if stiffening not in get_args(Stiffening):
        raise UsageError(f"stiffening must be 'auto', 'on', 'rigid_motion' or 'off', not {stiffening!r}")
    if stiffening in ("on", "rigid_motion") and not possible:
        raise UsageError(
            f"stiffening={stiffening!r}, but this body does not say how it shortens; use 'auto' or 'off', or supply `second` "
            "or K_G"
        )
    if stiffening == "auto":
        return "on" if possible else "off"
    return cast(Stiffening, stiffening)


def slaved_to(points: MassPoints, second: SecondOrder, stiffening: Stiffening) -> Slaved:
    """Slaved shapes of a body whose stiffening is on or rigid_motion; points: where the fields are known."""
    if stiffening == "rigid_motion":
        return rigid_motion_shapes(*points[:2], second)
    return slaved_shapes(*points, second)


def assembled(tied: TiedElements, basis: Basis, damping: Damping | None, stiffening: Stiffening) -> ElasticBody:
    """The body of a basis (d, m) in the freedoms of tied elements."""
    body, V = tied.elements, basis.shapes
    g, n, m = len(body.mass), len(body.nodes), V.shape[1]
    K, M = matrices(body, basis)
    field = None if stiffening == "off" else second_order_field(tied, basis)
    points = body.mass, body.position, (body.field @ V).reshape(g, 3, m)
    integrals = shape_integrals(*points)
    if body.couplings is not None:
        integrals = body.couplings.applied(integrals, V, M)
    slaved = None if field is None else slaved_to(field.sampled or points, field, stiffening)
    remarks = [_axes(basis), *basis.remarks, f"stiffening: {stiffening}"]
    remarks += [
        f"frame {name} holds {len(f.nodes)} nodes rigidly" for name, f in tied.frames.items() if len(f.nodes) > 1
    ]
    for warning in [*massless(M, K, basis.labels), *doubtful_units(integrals.mass, body.nodes)]:
        warn(warning, ReductionWarning)
        remarks.append(warning)
    with np.errstate(divide="ignore"):
        frequencies = np.sqrt(np.diag(K) / np.diag(M)) / (2.0 * np.pi)
    return ElasticBody(
        **vars(integrals),
        M=M,
        K=K,
        D=damping_matrix(damping, M, K),
        frames={name: _frame(f, V, field, body.nodes) for name, f in tied.frames.items()},
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


def matrices(body: FiniteElements, basis: Basis) -> tuple[np.ndarray, np.ndarray]:
    """K and M (m, m) of the coordinates; modal ones exactly diagonal and one."""
    V = basis.shapes
    K, M = V.T @ (body.K @ V), V.T @ (body.M @ V)
    if basis.modal:
        return np.diag(np.diag(K)), np.eye(len(M))
    return 0.5 * (K + K.T), 0.5 * (M + M.T)


def massless(M: np.ndarray, K: np.ndarray, labels: tuple[str, ...]) -> list[str]:
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


def damping_remark(damping: Damping | None) -> str:
    """One line on how the body is damped."""
    return "damping: none" if damping is None else f"damping: {type(damping).__name__}"


def _axes(basis: Basis) -> str:
    if basis.held is None:
        return "axes: those the model is held in"
    return "axes: mean (the shapes carry no momentum)" if basis.held == MEAN else f"axes: fixed to frame {basis.held}"


def _frame(frame: FrameTie, V: np.ndarray, field: SecondOrder | None, places: np.ndarray) -> TiedFrame:
    motion = frame.motion @ V
    second = None if field is None else frame_second(frame, motion[3:], field, places)
    return TiedFrame(frame.position, frame.rotation, motion[:3], motion[3:], second)
