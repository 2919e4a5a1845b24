"""From modal data to the constants of a flexible body, and from own elements to modal data."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gough.errors import ModalDataWarning, UsageError, warn
from gough.fem._elements import FiniteElements
from gough.fem._geometry import extent, rigid_displacements
from gough.fem._reading import blame_numbers
from gough.fem._stiffening import SecondOrder, second_order
from gough.fem.elastic_body import ElasticBody, TiedFrame, shape_integrals
from gough.fem.modal.data import CLOSE, ModalData, ModalFrame, Stated, check_modal_data, inertia_points, mass_points
from gough.fem.reduction.bases import build_basis
from gough.fem.reduction.choices import BasisChoice
from gough.fem.reduction.damping import Damping, damping_matrix, damping_remark
from gough.fem.reduction.reduce import (
    assemble_body,
    choose_slaved_shapes,
    decide_stiffening,
    second_of_arm,
    second_order_field,
)
from gough.fem.reduction.ties import NodeTie, chosen_nodes, frame_axes, tie_frames

AT_THE_NODE = 1e-6
"""Distance from a node, relative to the body, of a frame that moves with it."""
FITS = 1e-6
"""Part of K_G that no displacement of the nodes may leave over."""
NOTHING = 1e-14
"""Part of the largest K_G that is rounding."""


@blame_numbers
def elastic_body_of_modes(
    data: ModalData,
    frames: Mapping[str, NodeTie] | None = None,
    damping: Damping | None = None,
    stiffening: str = "auto",
) -> ElasticBody:
    """A flexible body from modal data, after it was checked (ModalDataWarning, UsageError).

    frames: more frames beside those of the data, by their nodes: one node of shapes with rotations, or three and more, whose
    best rigid fit the frame then follows. damping: instead of the data's D. stiffening "auto": where the data has `second` or
    K_G; else as in `reduce`.
    """
    data, remarks = check_modal_data(data)
    assert data.M is not None
    settled = decide_stiffening(stiffening, data.stiffens)
    stiff = settled != "off"
    m = data.modes
    points = mass_points(data)
    slaved = choose_slaved_shapes(points, _second_order_of(data), settled) if stiff else None
    if settled == "on" and data.second is None:
        remarks.append("displacement of second order: the smallest one that has the integrals K_G")
    tied = {name: _frame_of_data(data, name, frame, stiff) for name, frame in data.frames.items()}
    for name, tie in (frames or {}).items():
        if name in tied:
            raise UsageError(f"frame {name!r} is already in the data; choose another name")
        tied[name] = _frame_on_nodes(data, name, tie, stiff)
    given = data.K_G if data.second is None else data.second
    if np.any(given) and (unknown := [name for name, frame in tied.items() if frame.second is None and _moves(frame)]):
        remark = (
            f"frames whose displacement of second order is not known and taken as zero: {', '.join(unknown)}. Loads there "
            "neither stiffen nor soften the body: give frame_seconds, or `second` at a node there"
        )
        warn(remark, ModalDataWarning)
        remarks.append(remark)
    if stiff:
        none = np.zeros((3, m, m))
        tied = {name: replace(frame, second=none) if frame.second is None else frame for name, frame in tied.items()}
    if damping is not None or data.D is None:
        D, damped = damping_matrix(damping, data.M, data.K), damping_remark(damping)
    else:
        D, damped = data.D, "damping: as in the data"
    return ElasticBody(
        **vars(shape_integrals(*points)),
        M=data.M,
        K=data.K,
        D=D,
        frames=tied,
        labels=data.labels or tuple(f"mode {k + 1}" for k in range(m)),
        frequencies_hz=np.sqrt(np.diag(data.K) / np.diag(data.M)) / (2.0 * np.pi),
        nodes=data.nodes,
        shapes=data.shapes[:, :3],
        cells=data.cells,
        remarks=("axes: those of the modal data", *remarks, f"stiffening: {settled}", damped),
        slaved=slaved,
        turnings=data.shapes[:, 3:] if data.shapes.shape[1] == 6 else None,
        second=data.second if stiff else None,
    )


def _frame_of_data(data: ModalData, name: str, frame: ModalFrame, stiff: bool) -> TiedFrame:
    position, rotation = np.asarray(frame.position, dtype=float), frame_axes(name, frame.rotation)
    second = frame.second if stiff else None
    if frame.translation is not None and frame.turning is not None:
        for what, value in (("translation", frame.translation), ("turning", frame.turning)):
            if value.shape != (3, data.modes):
                raise UsageError(f"frame {name!r}: {what} must be (3, {data.modes}), not {value.shape}")
        near = np.flatnonzero(np.linalg.norm(data.nodes - position, axis=1) <= AT_THE_NODE * extent(data.nodes))
        moved, turned, nodes = frame.translation, frame.turning, near[:1]
    else:
        if frame.node is None:
            raise UsageError(f"frame {name!r}: give its node, or translation and turning")
        if not 0 <= frame.node < len(data.nodes):
            raise UsageError(f"frame {name!r}: node {frame.node} is none of 0 … {len(data.nodes) - 1}")
        nodes = np.array([frame.node])
        moved, turned = frame_motion(data, name, nodes, position)
    followed = _second_of_nodes(data, nodes, position, turned) if stiff else None
    if second is None or followed is None or data.second is None:
        return TiedFrame(position, rotation, moved, turned, followed if second is None else second)
    if np.abs(second - followed).max() > CLOSE * float(np.abs(data.second).max()):
        warn(
            f"frame {name!r}: its displacement of second order (up to {np.abs(second).max():.4g}) is not that of its node (up to "
            f"{np.abs(followed).max():.4g}): used as stated; leave frame_seconds out to take the node's",
            ModalDataWarning,
        )
    return TiedFrame(position, rotation, moved, turned, second)


def _second_of_nodes(
    data: ModalData, nodes: np.ndarray, position: np.ndarray, turning: np.ndarray
) -> np.ndarray | None:
    """Ψ (3, m, m) at a frame that nodes carry, from theirs; None where it is not known."""
    if data.second is None or not len(nodes):
        return None
    return data.second[nodes].mean(axis=0) + second_of_arm(turning, (position - data.nodes[nodes]).mean(axis=0))


def _moves(frame: TiedFrame) -> bool:
    return bool(np.any(frame.translation) or np.any(frame.turning))


def _frame_on_nodes(data: ModalData, name: str, tie: NodeTie, stiff: bool) -> TiedFrame:
    nodes, position = chosen_nodes(data.nodes, name, tie)
    moved, turned = frame_motion(data, name, nodes, position)
    second = _second_of_nodes(data, nodes, position, turned) if stiff else None
    return TiedFrame(position, frame_axes(name, tie.rotation), moved, turned, second)


def frame_motion(data: ModalData, name: str, nodes: np.ndarray, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Translation and turning (3, m) at a position, of one node with rotations or of several nodes' best rigid fit."""
    if len(nodes) == 1:
        if data.shapes.shape[1] < 6:
            raise UsageError(
                f"frame {name!r}: node {nodes[0]} has no rotations in the shapes; give three or more nodes that are not on one "
                "line, or translation and turning"
            )
        move, turn = data.shapes[nodes[0], :3], data.shapes[nodes[0], 3:]
        return move + np.cross(turn.T, position - data.nodes[nodes[0]]).T, turn
    rigid = rigid_displacements(data.nodes[nodes] - position)
    q, _, rank, _ = np.linalg.lstsq(rigid, data.shapes[nodes, :3].reshape(-1, data.modes), rcond=1e-9)
    if rank < 6:
        raise UsageError(
            f"frame {name!r}: its {len(nodes)} nodes are on one line and do not fix its turning; name more"
        )
    return q[:3], q[3:]


def _second_order_of(data: ModalData) -> SecondOrder:
    """The displacement of second order at the points of `mass_points`: as given at the nodes, whose inertias move with them, or
    made from integrals of it.

    K_G says what Ψ does under accelerations that are linear in x, ∫ Ψ dm and ∫ Ψ_a x_b dm. Of all fields with these integrals
    the one with least ∫ Ψ² dm is linear in x itself, Ψ_a = c_a + Σ_b c_ab x_b, and follows from them:

        [ m   MSᵀ    ] [ c_a  ]   [ ∫ Ψ_a dm     ]
        [ MS  ∫ xxᵀdm ] [ c_ab ] = [ ∫ Ψ_a x dm   ].

    So the kinetic energy is that of a motion, and everything K_G says is kept.
    """
    if data.second is not None:
        _, node, _ = inertia_points(data.masses, data.inertias)
        return second_order(data.second[node])
    assert data.K_G is not None
    mass, position, _ = mass_points(data)
    m = data.modes
    linear = np.concatenate([np.ones((len(mass), 1)), position], axis=1)  # (g, 4)
    moments = linear.T @ (mass[:, None] * linear)
    wanted = np.concatenate([data.K_G[:3, None], data.K_G[3:].reshape(3, 3, m, m)], axis=1)  # (3, 4, m, m)
    unit = np.sqrt(np.abs(np.diag(moments)))
    unit = np.where(unit > 1e-9 * unit.max(), unit, 1.0)
    inverse = np.linalg.pinv(moments / np.outer(unit, unit), rcond=1e-9, hermitian=True) / np.outer(unit, unit)
    forms = np.einsum("ij,ajkl->aikl", inverse, wanted)
    left, size = (
        np.abs(x / unit[:, None, None]).max(axis=(0, 1), initial=0.0)  # (m, m): coordinates differ in their units
        for x in (wanted - np.einsum("ij,ajkl->aikl", moments, forms), wanted)
    )
    size = np.maximum(size, np.sqrt(np.multiply.outer(np.diag(size), np.diag(size)))) + NOTHING * size.max(initial=0.0)
    if np.any(left > FITS * size):
        raise UsageError(
            "K_G does not fit the masses: no displacement of the nodes has these integrals (a moment along an axis in which "
            "they have no extent?). Give `second`, the displacement itself, or correct K_G"
        )
    fields = np.einsum("gi,ab->gaib", linear, np.eye(3)).transpose(0, 1, 3, 2)  # (g, 3, a, i)
    return SecondOrder(fields.reshape(len(mass), 3, 12), np.zeros((0, 3, 12)), forms.reshape(12, m, m))


def modal_data_of_elements(
    elements: FiniteElements,
    basis: BasisChoice,
    frames: Mapping[str, NodeTie] | None = None,
    damping: Damping | None = None,
    stiffening: str = "auto",
) -> ModalData:
    """The data of `reduce(...)` with the same arguments: the mass points become the nodes, so that nothing is lost.

    `elastic_body_of_modes` of it, with the same stiffening, is the same body.
    """
    tied = tie_frames(elements, frames or {})
    chosen = build_basis(tied, basis)
    settled = decide_stiffening(stiffening, elements.shortening is not None)
    body = assemble_body(tied, chosen, damping, settled)
    second = None if settled == "off" else second_order_field(tied, chosen)
    points = elements.mass, elements.position, (tied.elements.field @ chosen.shapes).reshape(-1, 3, body.modes)
    if second is not None and second.sampled is not None:
        points = second.sampled
    mass, position, shapes = points
    return ModalData(
        nodes=position,
        masses=mass,
        shapes=shapes,
        K=body.K,
        M=body.M,
        D=body.D,
        second=None if second is None else second.at_points,
        frames={
            name: ModalFrame(f.position, f.rotation, None, f.translation, f.turning, f.second)
            for name, f in body.frames.items()
        },
        labels=body.labels,
        stated=Stated(body.mass, body.MS / body.mass, body.J),
    )
