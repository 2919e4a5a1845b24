"""Flexible bodies from files of other programs: modal data, and matrices."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from gough.errors import ModalDataWarning, UsageError, warn
from gough.fem import ElasticBody, FiniteElements, ModalData, NodeTie, UnitFactors, place_elements
from gough.robot import units
from gough.robot.files import resolve_path
from gough.robot.flexible import Flexible, TieRule
from gough.robot.flexible.other_programs import FileUnits, Matrices, Modal
from gough.structure.flexible import point_key

AT_THE_PLACE = 1e-6
"""Distance, relative to the body, at which a frame of the file is the one at an attached point."""

Held = Mapping[str, tuple[np.ndarray, TieRule]]


def modal_body(flexible: Flexible, attached: Held, file: str | None) -> ElasticBody:
    """A body from modal data. attached: by key, position (3,) and what holds it: a frame of the file there, or nodes."""
    from gough.fem import elastic_body_of_modes

    assert flexible.modal is not None
    data = _modal_data(flexible.modal, file)
    own: dict[str, str] = {}
    ties: dict[str, NodeTie] = {}
    for key, (position, said) in attached.items():
        name = _frame_there(data, position, said)
        if name is not None:
            own[key] = name
        else:
            ties[key] = NodeTie(position, radius=said.radius, tolerance=said.tolerance)
    body = elastic_body_of_modes(data, ties, None, flexible.stiffening)
    for key, name in own.items():
        if np.abs(body.frames[name].rotation - np.eye(3)).max() > AT_THE_PLACE:
            warn(
                f"the file's frame {name!r} has axes of its own; those of {key} in the description are used",
                ModalDataWarning,
            )
    theirs = {key: replace(body.frames[name], rotation=np.eye(3)) for key, name in own.items()}
    return replace(body, frames={key: body.frames[key] for key in ties} | theirs)


def described_matrices(described: Matrices, file: str | None) -> FiniteElements:
    """Elements from the matrices of another program."""

    elements = _matrices(described, _units(described.units), file)
    pose = described.placement
    return place_elements(elements, pose.rotation(), np.array(pose.position))


def _modal_data(described: Modal, file: str | None) -> ModalData:
    given = None if described.units is None else _units(described.units)
    if described.file is not None:
        from gough.fem import read_modal_file

        return read_modal_file(resolve_path(described.file, file), given)
    from gough.fem import read_nastran_modes

    assert described.bulk is not None and described.op2 is not None
    bulk, op2 = resolve_path(described.bulk, file), resolve_path(described.op2, file)
    return read_nastran_modes(bulk, op2, described.subcase, given or UnitFactors())


def _frame_there(data: ModalData, position: np.ndarray, said: TieRule) -> str | None:
    """The name of the file's frame at a position: the one that the description names, or any that stands there."""
    size = float(np.linalg.norm(np.ptp(data.nodes, axis=0)))
    near = AT_THE_PLACE * size if said.tolerance is None else said.tolerance
    distance = {name: float(np.linalg.norm(frame.position - position)) for name, frame in data.frames.items()}
    if said.nodes is not None:
        if said.nodes not in distance:
            raise UsageError(f"ties: the file has no frame {said.nodes!r}; it has: {', '.join(distance) or 'none'}")
        if distance[said.nodes] > near:
            where = np.asarray(data.frames[said.nodes].position).tolist()
            raise UsageError(f"ties: the file's frame {said.nodes!r} is at {where}, not at {position.tolist()}")
        return said.nodes
    if said.radius is not None or not distance:
        return None
    there = sorted((name for name in distance if distance[name] <= near), key=lambda name: distance[name])
    other = next(
        (name for name in there[1:] if distance[name] == distance[there[0]] and _differ(data, there[0], name)), None
    )
    if other is not None:
        raise UsageError(
            f"the file has two frames at {position.tolist()} that move differently, {there[0]!r} and {other!r}: say which one "
            f"holds, for instance ties: {{at: {{{point_key(position)}: {{nodes: {there[0]}}}}}}}"
        )
    return there[0] if there else None


def _differ(data: ModalData, first: str, second: str) -> bool:
    def motion(name: str) -> list:
        f = data.frames[name]
        return [f.node, *(None if x is None else np.asarray(x).tolist() for x in (f.translation, f.turning, f.second))]

    return motion(first) != motion(second)


def _matrices(described: Matrices, unit: UnitFactors, file: str | None) -> FiniteElements:
    def path(written: str) -> Path:
        return resolve_path(written, file)

    if (m := described.matrix_market or described.abaqus) is not None:
        from gough.fem import read_abaqus_matrices, read_matrix_market

        reader = read_abaqus_matrices if described.matrix_market is None else read_matrix_market
        freedoms = None if m.freedoms is None else path(m.freedoms)
        return reader(path(m.stiffness), path(m.mass), path(m.nodes), freedoms, unit, m.modal)
    from gough.fem import read_nastran_dmig, read_nastran_op4

    if (d := described.dmig) is not None:
        return read_nastran_dmig(path(d.file), path(d.nodes), d.stiffness, d.mass, unit)
    o = described.op4
    assert o is not None
    return read_nastran_op4(path(o.file), path(o.nodes), path(o.freedoms), o.stiffness, o.mass, unit)


def _units(described: FileUnits) -> UnitFactors:
    return UnitFactors(*(float(units.parse_unit(u)[0]) for u in (described.length, described.mass, described.time)))
