"""Skins of a robot's flexible bodies: beams swept with their section, plates with their thickness, solids by their surface."""

from typing import Any

import numpy as np

from gough.compilation import Model
from gough.fem.elastic_body import ElasticBody
from gough.robot.flexible import Flexible
from gough.robot.tree import bodies
from gough.structure.elastic_bodies import elastic_bodies
from gough.viewer.drawing.skin import Skin
from gough.viewer.drawing.skin_beam import beam_surface
from gough.viewer.drawing.skin_plate import plate_surface
from gough.viewer.drawing.skin_solid import cloud_surface, solid_surface
from gough.viewer.drawing.skin_surface import Surface


def flexible_bodies(model: Model) -> dict[int, ElasticBody]:
    """Constants of flexible bodies in description axes, by link; those with nodes."""
    if not model.mechanism.flexible:
        return {}
    constants = model.cached("elastic bodies for drawing", lambda: elastic_bodies(model.robot, again=True))
    found = {i: constants[model.mechanism.links[i].name] for i in model.mechanism.flexible}
    return {i: body for i, body in found.items() if len(body.nodes)}


def skins_of(model: Model, radius: float) -> tuple[Skin, ...]:
    """Of all flexible bodies. radius (m): of a rod of this robot; nothing is drawn much thinner."""
    described = bodies(model.robot)
    skins = []
    for index, body in flexible_bodies(model).items():
        link = model.mechanism.links[index]
        assert link.elastic is not None
        surface = _surface(described[link.name].flexible, body, radius)
        skins.append(
            Skin(
                index,
                link.name,
                link.leg,
                link.elastic.coordinates,
                surface.rest,
                surface.shapes,
                surface.turnings,
                surface.second,
                surface.station,
                surface.arms,
                surface.faces,
            )
        )
    return tuple(skins)


def _surface(flexible: Any, body: ElasticBody, radius: float) -> Surface:
    """The surface of a body, by what its description says it is, else by its cells."""
    described = flexible if isinstance(flexible, Flexible) else None
    if not len(body.cells):
        return cloud_surface(body, radius)
    width = body.cells.shape[1]
    if width == 2:
        return beam_surface(body, described.beam if described is not None else None, radius)
    if width == 3 or (width == 4 and _flat(body)):
        return plate_surface(
            body, described.plate.thickness if described is not None and described.plate else None, radius
        )
    return solid_surface(body)


def _flat(body: ElasticBody) -> bool:
    """Whether cells of four nodes are quadrilaterals rather than tetrahedra."""
    if (body.cells[:, :3] < 0).any():
        return False
    fourth = body.cells[:, 3] >= 0  # triangles among quadrilaterals have none
    a, b, c, d = (body.nodes[body.cells[fourth, k]] for k in range(4))
    volume = np.abs(np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)))
    edge = np.linalg.norm(b - a, axis=1) * np.linalg.norm(c - a, axis=1) * np.linalg.norm(d - a, axis=1)
    return bool(np.all(volume <= 1e-2 * edge))
