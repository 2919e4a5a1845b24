"""From modal data to the constants of a flexible body."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gough.errors import ModalDataWarning, UsageError, warn
from gough.fem.cross import hat
from gough.fem.damping import Damping, damping_matrix
from gough.fem.elastic_body import ElasticBody, TiedFrame
from gough.fem.integrals import shape_integrals
from gough.fem.modal_checks import CLOSE, checked
from gough.fem.modal_data import ModalData, ModalFrame
from gough.fem.modal_points import mass_points
from gough.fem.modal_second import modal_second
from gough.fem.reading import workable
from gough.fem.reduce import damping_remark, decided, slaved_to
from gough.fem.reduce_second import turned_arm
from gough.fem.tie_nodes import Tie, chosen_nodes

AT_THE_NODE = 1e-6
"""Distance from a node, relative to the body, of a frame that moves with it."""


@workable
def elastic_body(
    data: ModalData,
    frames: Mapping[str, Tie] | None = None,
    damping: Damping | None = None,
    stiffening: str = "auto",
) -> ElasticBody:
    """A flexible body from modal data, after it was checked (ModalDataWarning, UsageError).

    frames: more frames beside those of the data, by their nodes: one node of shapes with rotations, or three and more, whose
    best rigid fit the frame then follows. damping: instead of the data's D. stiffening "auto": where the data has `second` or
    K_G; else as in `reduce`.
    """
    data, remarks = checked(data)
    assert data.M is not None
    settled = decided(stiffening, data.stiffens)
    stiff = settled != "off"
    m = data.modes
    points = mass_points(data)
    slaved = slaved_to(points, modal_second(data), settled) if stiff else None
    if settled == "on" and data.second is None:
        remarks.append("displacement of second order: the smallest one that has the integrals K_G")
    tied = {name: _frame(data, name, frame, stiff) for name, frame in data.frames.items()}
    for name, tie in (frames or {}).items():
        if name in tied:
            raise UsageError(f"frame {name!r} is already in the data; choose another name")
        tied[name] = _tied(data, name, tie, stiff)
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


def _frame(data: ModalData, name: str, frame: ModalFrame, stiff: bool) -> TiedFrame:
    position, rotation = np.asarray(frame.position, dtype=float), Tie(rotation=frame.rotation).axes(name)
    second = frame.second if stiff else None
    if frame.translation is not None and frame.turning is not None:
        for what, value in (("translation", frame.translation), ("turning", frame.turning)):
            if value.shape != (3, data.modes):
                raise UsageError(f"frame {name!r}: {what} must be (3, {data.modes}), not {value.shape}")
        near = np.flatnonzero(np.linalg.norm(data.nodes - position, axis=1) <= AT_THE_NODE * _size(data))
        moved, turned, nodes = frame.translation, frame.turning, near[:1]
    else:
        if frame.node is None:
            raise UsageError(f"frame {name!r}: give its node, or translation and turning")
        if not 0 <= frame.node < len(data.nodes):
            raise UsageError(f"frame {name!r}: node {frame.node} is none of 0 … {len(data.nodes) - 1}")
        nodes = np.array([frame.node])
        moved, turned = _carried(data, name, nodes, position)
    followed = _followed(data, nodes, position, turned) if stiff else None
    if second is not None and followed is not None and data.second is not None:
        _compared(name, second, followed, CLOSE * float(np.abs(data.second).max()))
    return TiedFrame(position, rotation, moved, turned, followed if second is None else second)


def _compared(name: str, stated: np.ndarray, followed: np.ndarray, close: float) -> None:
    if np.abs(stated - followed).max() > close:
        warn(
            f"frame {name!r}: its displacement of second order (up to {np.abs(stated).max():.4g}) is not that of its node (up to "
            f"{np.abs(followed).max():.4g}): used as stated; leave frame_seconds out to take the node's",
            ModalDataWarning,
        )


def _followed(data: ModalData, nodes: np.ndarray, position: np.ndarray, turning: np.ndarray) -> np.ndarray | None:
    """Ψ (3, m, m) at a frame that nodes carry, from theirs; None where it is not known."""
    if data.second is None or not len(nodes):
        return None
    return data.second[nodes].mean(axis=0) + turned_arm(turning, (position - data.nodes[nodes]).mean(axis=0))


def _moves(frame: TiedFrame) -> bool:
    return bool(np.any(frame.translation) or np.any(frame.turning))


def _size(data: ModalData) -> float:
    return float(np.linalg.norm(np.ptp(data.nodes, axis=0)))


def _tied(data: ModalData, name: str, tie: Tie, stiff: bool) -> TiedFrame:
    nodes, position = chosen_nodes(data.nodes, name, tie)
    moved, turned = _carried(data, name, nodes, position)
    second = _followed(data, nodes, position, turned) if stiff else None
    return TiedFrame(position, tie.axes(name), moved, turned, second)


def _carried(data: ModalData, name: str, nodes: np.ndarray, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Translation and turning (3, m) at a position, of one node with rotations or of several nodes' best rigid fit."""
    if len(nodes) == 1:
        if data.shapes.shape[1] < 6:
            raise UsageError(
                f"frame {name!r}: node {nodes[0]} has no rotations in the shapes; give three or more nodes that are not on one "
                "line, or translation and turning"
            )
        move, turn = data.shapes[nodes[0], :3], data.shapes[nodes[0], 3:]
        return move + np.cross(turn.T, position - data.nodes[nodes[0]]).T, turn
    rigid = np.concatenate(
        [np.tile(np.eye(3), (len(nodes), 1, 1)), -hat(data.nodes[nodes] - position)], axis=2
    ).reshape(-1, 6)
    q, _, rank, _ = np.linalg.lstsq(rigid, data.shapes[nodes, :3].reshape(-1, data.modes), rcond=1e-9)
    if rank < 6:
        raise UsageError(
            f"frame {name!r}: its {len(nodes)} nodes are on one line and do not fix its turning; name more"
        )
    return q[:3], q[3:]
