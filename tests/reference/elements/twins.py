"""A described robot with bodies of finite elements, twice: as it is, and with the reference's own evaluation of its fields.

From the library come the mesh and the shapes as freedoms of its nodes; see `field`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.fem import NodeTie
from gough.fem.reduction.choices import MEAN
from gough.robot import tree as view
from gough.structure.elastic._reduction import basis_choice
from inner.fem import build_basis, tie_frames
from inner.structure import is_carried
from reference.flexible.described import attached_points, point_key
from reference.flexible.points import flexible_robot, linear_part

from .beams import bar_of, beam_field
from .field import ElementField
from .plates import plate_field


def element_twin(robot: Any) -> Any:
    """The robot whose flexible bodies are `ElementField`s, for `FlexibleReference`."""
    points = attached_points(robot)
    return flexible_robot(robot, {name: described_field(robot, name, points[name]) for name in points})


def described_field(robot: Any, name: str, points: dict[str, np.ndarray]) -> ElementField:
    """The reference's view of one body of beams or of a plate."""
    body, carried = view.bodies(robot)[name], is_carried(robot, name)
    flexible: Any = body.flexible
    origin = point_key(np.zeros(3))
    places = points | {origin: np.zeros(3)} if carried else points
    keys = {"origin": origin} | {frame: point_key(np.array(p.position)) for frame, p in body.frames.items()}
    elements = flexible.shape.finite_elements(list(places.values()), robot.file)
    tied = tie_frames(elements, {key: NodeTie(p) for key, p in places.items()})
    basis = build_basis(tied, basis_choice(flexible.modes, keys, list(places), carried))
    freedoms = np.asarray(tied.expansion @ basis.shapes)
    names = {key: frame for frame, key in reversed(list(keys.items()))}
    labels = tuple(_label(text, names) for text in basis.labels)
    if flexible.beam is not None:
        held = None if basis.held in (None, MEAN) else places[str(basis.held)]
        field = _beam(flexible, elements.nodes, freedoms, labels, held)
    else:
        plate = flexible.plate
        assert plate is not None and not plate.membrane and plate.rotary_inertia is not False
        field = plate_field(
            elements.nodes,
            elements.cells,
            freedoms,
            labels,
            thickness=plate.thickness,
            material=plate.material,
            size=plate.size,
            mindlin=plate.theory == "mindlin",
        )
    if flexible.stiffness is not None:
        field.K = np.diag(flexible.stiffness)
    if flexible.damping is not None:
        field.D = _damping(flexible.damping, field)
    return field


def _beam(flexible: Any, nodes: np.ndarray, freedoms: np.ndarray, labels: Any, held: Any) -> ElementField:
    beam, n, m = flexible.beam, len(nodes), freedoms.shape[1]
    motion = np.zeros((n, 6, m))
    motion[:, [0, 1, 5] if beam.plane else range(6)] = freedoms.reshape(n, -1, m)
    rotary = beam.theory == "timoshenko" if beam.rotary_inertia is None else beam.rotary_inertia
    field = beam_field(
        nodes,
        bar_of(beam),
        motion,
        labels,
        plane=beam.plane,
        section_y=beam.section_y,
        rotary=rotary,
        stiffened=flexible.stiffening != "off",
        held=held,
    )
    field.rigid_motion = flexible.stiffening == "rigid_motion"
    if flexible.stiffening == "moments" and field.second is not None:
        field.second = linear_part(field.mass, field.position, field.second)
    return field


def _damping(described: Any, field: ElementField) -> np.ndarray:
    """Modal damping D = Σ 2 ζ ω (M φ)(M φ)ᵀ over the modes of K, M, each of unit mass; one ratio for all."""
    assert described.ratio is not None and len(described.ratio) == 1
    M = field.M
    L = np.linalg.cholesky(M)
    inverse = np.linalg.inv(L)
    squares, modes = np.linalg.eigh(inverse @ field.K @ inverse.T)
    return 2 * described.ratio[0] * (L @ (modes * np.sqrt(squares)) @ (L @ modes).T)


def _label(text: str, names: dict[str, str]) -> str:
    """As the library writes them."""
    frame, dot, component = text.rpartition(".")
    return f"{names.get(frame, frame)}{dot}{component}".replace("mode ", "mode").replace("node ", "node")
