"""Everything that is drawn of a robot, and where it is at a configuration."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.compilation import Model
from gough.dynamics.numbers import Numbers
from gough.structure import WORLD
from gough.viewer.drawing.bodies import draw_bodies
from gough.viewer.drawing.body_meshes import body_meshes
from gough.viewer.drawing.extras import frame_pieces, inertia_pieces, spring_spans, springs_on
from gough.viewer.drawing.joints import Joiner, body_role
from gough.viewer.drawing.layout import Layout
from gough.viewer.drawing.piece import Piece, Span
from gough.viewer.drawing.places import joint_places
from gough.viewer.drawing.skin import Skin
from gough.viewer.drawing.skins import flexible_bodies, skins_of


@dataclass(frozen=True)
class Placed:
    """Poses of all links in the world, description axes: position (..., links, 3) in m, rotation (..., links, 3, 3)."""

    position: np.ndarray
    rotation: np.ndarray


class Figure:
    """A robot's drawing. parameters (n,): of another design than the model's.

    pieces: rigid, by link. spans: between two links. skins: of flexible bodies. size (m): of the robot at home.
    """

    def __init__(self, model: Model, parameters: Any = None) -> None:
        self.model = model
        self.parameters = model.parameters if parameters is None else np.asarray(parameters, dtype=float)
        numbers = Numbers(model.mechanism, self.parameters)
        home = self.place(model.home)
        joints = joint_places(model.robot, numbers)
        self.layout = Layout(model.mechanism, joints, home.position, home.rotation, self.up, *self._marks(numbers))
        self.size = self.layout.size
        draw = Joiner(self.layout, model.home)
        for joint in joints:
            draw.draw(joint)
        for link, points in springs_on(self.layout, numbers).items():
            for point in points:
                draw.drawn.anchor(link, point)
        looks = self._looks()
        draw.drawn.shown |= {piece.link for piece in looks}
        members = [p for p in draw_bodies(self.layout, draw.drawn) if p.link not in {x.link for x in looks}]
        drawn = [*draw.drawn.pieces, *members, *looks]
        drawn += inertia_pieces(self.layout, numbers, draw.drawn.shown)
        self.pieces: tuple[Piece, ...] = (*drawn, *frame_pieces(self.layout, numbers))
        self.spans: tuple[Span, ...] = (*draw.drawn.spans, *spring_spans(self.layout, numbers))
        self.skins: tuple[Skin, ...] = skins_of(model, self.layout.radius)

    def _looks(self) -> list[Piece]:
        """Bodies with meshes of their own."""
        links = {link.name: i for i, link in enumerate(self.model.mechanism.links) if link.motion != "deflection"}
        found = []
        for name, (mesh, colour) in body_meshes(self.model.robot).items():
            index = links[name]
            role = body_role(self.layout, index)
            found.append(Piece(index, mesh, role, "bodies", self.model.mechanism.links[index].leg, colour))
        return found

    def _marks(self, numbers: Numbers) -> tuple[dict[int, np.ndarray], dict[int, list[np.ndarray]]]:
        """Mass centres by link, and origins of named frames by link; description axes."""
        centres: dict[int, np.ndarray] = {}
        for i, link in enumerate(self.model.mechanism.links):
            if link.ten is not None and link.elastic is None:
                ten = np.array(numbers.at(link.ten), dtype=float)
                if ten[0] > 0:
                    centres[i] = link.to_user @ ten[1:4] / ten[0]
        tips: dict[int, list[np.ndarray]] = {}
        for frame in self.model.mechanism.frames.values():
            if frame.link != WORLD:
                p = numbers.placement(frame.placement)[1].astype(float)
                if p.any():
                    tips.setdefault(frame.link, []).append(self.model.mechanism.links[frame.link].to_user @ p)
        for link, body in flexible_bodies(self.model).items():
            ends = np.unique(np.concatenate([body.nodes.argmin(axis=0), body.nodes.argmax(axis=0)]))
            tips.setdefault(link, []).extend(body.nodes[ends])
        return centres, tips

    def place(self, q: Any) -> Placed:
        """Where all links are at q (..., nq)."""
        e = self.model.function("link_poses")(q=np.asarray(q, dtype=float), parameters=self.parameters)
        position, rotation = e.outputs["positions"], e.outputs["rotations"]
        return Placed(position, rotation.reshape(*position.shape, 3))

    @property
    def up(self) -> np.ndarray:
        """Unit world direction (3,) against gravity; z where there is none."""
        g = self.parameters[list(self.model.mechanism.gravity)]
        size = float(np.linalg.norm(g))
        return -g / size if size > 0 else np.array([0.0, 0.0, 1.0])

    def bounds(self) -> np.ndarray:
        """(2, 3): lowest and highest coordinates (m) of what is drawn at home."""
        points = [np.zeros((0, 3))]
        for piece in self.pieces:
            if piece.group in ("bodies", "joints"):
                points.append(self._at_home(piece.link, piece.mesh.vertices))
        for skin in self.skins:
            points.append(self._at_home(skin.link, skin.vertices(self.model.home)))
        for span in self.spans:
            points += [end[None] for end in span.place(self.layout.position, self.layout.rotation)]
        everything = np.concatenate(points)
        return np.array([everything.min(axis=0), everything.max(axis=0)])

    def _at_home(self, link: int, vertices: np.ndarray) -> np.ndarray:
        if link == WORLD:
            return vertices.astype(float)
        return vertices @ self.layout.rotation[link].T + self.layout.position[link]

    def exaggerated(self, q: Any, factor: float) -> np.ndarray:
        """The configuration (nq,) of the robot if it bent `factor` times as much as at q (nq,).

        Elastic coordinates are multiplied, and the loops are closed again (see `closed`). Where that cannot be they stay open:
        what meets at a cut is then drawn apart.
        """
        bent = self.bent(q, factor)
        closed = self.closed(bent, q)
        return bent if closed is None else closed

    def bent(self, q: Any, factor: float) -> np.ndarray:
        """q (nq,) with elastic coordinates `factor` times as large; q itself where that changes nothing."""
        q = np.asarray(q, dtype=float)
        if factor == 1.0 or not self.model.layout.n_elastic:
            return q
        bent = q.copy()
        bent[self.model.layout.elastic] *= factor
        return bent

    def closed(self, bent: np.ndarray, near: Any) -> np.ndarray | None:
        """`bent` (nq,) with its loops closed, from a closed configuration `near`; None where that cannot be.

        The platform stays where it is and the drives follow; where that cannot be, or without a platform, drives stay.
        """
        near = np.asarray(near, dtype=float)
        if bent is near or not self.model.mechanism.cuts:
            return bent
        held: list[dict[str, Any]] = [{"pose": near[:7]}] if self.model.mechanism.has_platform else []
        if self.model.drive_index:
            held.append({"drives": near[self.model.drive_index]})
        elastic = bent[self.model.layout.elastic]
        for given in held:
            found = self.model.assemble(
                **given, elastic=elastic, near=near, parameters=self.parameters, on_bad_state="mark"
            )
            if not found.status.any() and np.isfinite(found.q).all():
                return found.q
        return None
