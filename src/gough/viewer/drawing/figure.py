"""Everything that is drawn of a robot, and where it is at a configuration."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.model import Model
from gough.structure import WORLD
from gough.viewer.drawing._joints import Drawn, Joiner, body_role
from gough.viewer.drawing._layout import HomeLayout, joint_places, user_axes
from gough.viewer.drawing._skin import Skin
from gough.viewer.drawing._skins import flexible_bodies, skins_of
from gough.viewer.drawing._solids import band, box, cylinder, plane_of, plate, rim, rod, sphere
from gough.viewer.drawing.mesh import EMPTY, LinkMesh, Mesh, Span, body_meshes, frame_along, merge_meshes


@dataclass(frozen=True)
class Placed:
    """Poses of all links in the world, description axes: position (..., links, 3) in m, rotation (..., links, 3, 3)."""

    position: np.ndarray
    rotation: np.ndarray


class Figure:
    """A robot's drawing. parameters (n,): of another design than the model's; home (nq,): a closed configuration of it, at which
    its parts are made to fit, default the model's home.

    pieces: rigid, by link. spans: between two links. skins: of flexible bodies. size (m): of the robot at home.
    """

    def __init__(self, model: Model, parameters: Any = None, home: Any = None) -> None:
        self.model = model
        self.home = model.home if home is None else np.asarray(home, dtype=float)
        self.parameters = model.parameters if parameters is None else np.asarray(parameters, dtype=float)
        numbers = Numbers(model.mechanism, self.parameters)
        at_home = self.place(self.home)
        joints = joint_places(model.robot, numbers)
        self.layout = HomeLayout(
            model.mechanism, joints, at_home.position, at_home.rotation, self.up, *self._marks(numbers)
        )
        self.size = self.layout.size
        draw = Joiner(self.layout, self.home)
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
        self.pieces: tuple[LinkMesh, ...] = (*drawn, *frame_pieces(self.layout, numbers))
        self.spans: tuple[Span, ...] = (*draw.drawn.spans, *spring_spans(self.layout, numbers))
        self.skins: tuple[Skin, ...] = skins_of(model, self.layout.radius)

    def _looks(self) -> list[LinkMesh]:
        """Bodies with meshes of their own."""
        links = {link.name: i for i, link in enumerate(self.model.mechanism.links) if link.tie is None}
        found = []
        for name, surfaces in body_meshes(self.model.robot).items():
            index = links[name]
            role, leg = body_role(self.layout, index), self.model.mechanism.links[index].leg
            found += [LinkMesh(index, mesh, role, "bodies", leg, colour) for mesh, colour in surfaces]
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
            points.append(self._at_home(skin.link, skin.vertices(self.home)))
        for span in self.spans:
            points += [end[None] for end in span.place(self.layout.position, self.layout.rotation)]
        everything = np.concatenate(points)
        return np.array([everything.min(axis=0), everything.max(axis=0)])

    def _at_home(self, link: int, vertices: np.ndarray) -> np.ndarray:
        if link == WORLD:
            return vertices.astype(float)
        return vertices @ self.layout.rotation[link].T + self.layout.position[link]

    def exaggerated_configuration(self, q: Any, factor: float) -> np.ndarray:
        """The configuration (nq,) of the robot if it bent `factor` times as much as at q (nq,).

        Elastic coordinates are multiplied, and the loops are closed again (see `closed_configuration`). Where that cannot be they
        stay open: what meets at a cut is then drawn apart.
        """
        bent = self.bent_configuration(q, factor)
        closed = self.closed_configuration(bent, q)
        return bent if closed is None else closed

    def bent_configuration(self, q: Any, factor: float) -> np.ndarray:
        """q (nq,) with elastic coordinates `factor` times as large; q itself where that changes nothing."""
        q = np.asarray(q, dtype=float)
        if factor == 1.0 or not self.model.layout.n_elastic:
            return q
        bent = q.copy()
        bent[self.model.layout.elastic] *= factor
        return bent

    def closed_configuration(self, bent: np.ndarray, near: Any) -> np.ndarray | None:
        """`bent` (nq,) with its loops closed, from a closed configuration `near`; None where that cannot be.

        The platform stays where it is and the drives follow; where that cannot be, or without a platform, drives stay.
        """
        near = np.asarray(near, dtype=float)
        if bent is near or not self.model.mechanism.rows:
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


# Rigid bodies between their anchors: rods, plates, the platform, the base.


def draw_bodies(layout: HomeLayout, drawn: Drawn) -> list[LinkMesh]:
    """Pieces of all rigid bodies, from where their joints' drawings end."""
    pieces = []
    for body in sorted(layout.points.keys() | drawn.anchors.keys()):
        if body != WORLD and (layout.mechanism.links[body].elastic is not None or layout.body(body) != body):
            continue
        if body != WORLD and body not in drawn.anchors:
            continue
        points = distinct(drawn.anchors.get(body, []), 0.3 * layout.radius)
        role = body_role(layout, body)
        leg = -1 if body == WORLD else layout.mechanism.links[body].leg
        mesh = _mesh(layout, drawn, body, points, role)
        if len(mesh.faces):
            drawn.shown.add(body)
            pieces.append(LinkMesh(body, mesh, role, "bodies", leg))
    return pieces


def distinct(points: list[np.ndarray], near: float) -> np.ndarray:
    """Points (n, 3) no two of which are nearer than `near` (m)."""
    kept: list[np.ndarray] = []
    for p in points:
        if all(np.linalg.norm(p - other) > near for other in kept):
            kept.append(p)
    return np.array(kept).reshape(-1, 3)


def _mesh(layout: HomeLayout, drawn: Drawn, body: int, points: np.ndarray, role: str) -> Mesh:
    r = layout.radius
    if body == WORLD:
        return _base(layout, points)
    if len(points) < 2 and body not in drawn.shown:
        more = [*layout.tips.get(body, []), *([layout.centres[body]] if body in layout.centres else [])]
        points = distinct([*points, *more], 2.0 * r)[:2]
    kind = plane_of(points, 1.5 * r).kind if len(points) else "point"
    if role == "platform":
        return _platform(layout, points, kind)
    if kind == "area":
        return plate(points, 1.3 * r, 1.5 * r, r)
    return _course(points, r)


def _course(points: np.ndarray, radius: float) -> Mesh:
    """Rods along points that lie in a line, one after the other; round ends."""
    if len(points) < 2:
        return EMPTY
    along = plane_of(points)
    order = np.argsort((points - along.centre) @ along.axes[:, 0])
    parts = [sphere(radius, 12).moved_mesh(p) for p in points]
    parts += [rod(points[i], points[j], radius) for i, j in pairwise(order)]
    return merge_meshes(parts)


def _platform(layout: HomeLayout, points: np.ndarray, kind: str) -> Mesh:
    r = layout.radius
    if kind == "area":
        return plate(points, 1.8 * r, 2.4 * r, 1.2 * r)
    if kind == "line" and len(points) > 1:
        return _course(points, 1.7 * r)
    if not len(points):
        return EMPTY
    return box(np.array([5.0, 5.0, 5.0]) * r).moved_mesh(points[0])


def _base(layout: HomeLayout, points: np.ndarray) -> Mesh:
    """Feet under every joint on the ground, and bars between them."""
    r = layout.radius
    if not len(points):
        return EMPTY
    plane = plane_of(points, 1.5 * r)
    if plane.kind == "area" and len(points) > 2:
        return rim(points, 1.25 * r)
    if len(points) == 1:
        return cylinder(3.0 * r, 1.2 * r).moved_mesh(points[0], frame_along(np.array([0.0, 0.0, 1.0])))
    return _course(points, 1.25 * r)


# A round section swept along a line.


def swept_bar(line: np.ndarray, radius: float, sides: int = 10) -> Mesh:
    """A round bar along points (n, 3), its section carried along without twisting."""
    line = np.asarray(line, dtype=float)
    tangents = np.gradient(line, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    x = frame_along(tangents[0])[:, 0]
    turn = np.linspace(0.0, 2 * np.pi, sides, endpoint=False)
    rings = []
    for p, t in zip(line, tangents, strict=True):
        x = x - (x @ t) * t
        x = x / np.linalg.norm(x)
        y = np.cross(t, x)
        rings.append(p + radius * (np.cos(turn)[:, None] * x + np.sin(turn)[:, None] * y))
    i = np.arange(sides)
    fan = np.column_stack([np.full(sides, sides), i, (i + 1) % sides])
    first, last = (np.concatenate([rings[k], line[k : k + 1] if k == 0 else line[-1:]]) for k in (0, -1))
    return merge_meshes([band(*rings), Mesh(first, fan[:, ::-1]), Mesh(last, fan)])


def coil(radius: float, wire: float, turns: int = 9, steps: int = 14) -> Mesh:
    """A spring from z = 0 to z = 1, straight at its ends; stretched along z its turns move apart, its wire hardly shows it."""
    t = np.linspace(0.0, 1.0, turns * steps + 1)
    swell = radius * np.minimum(1.0, np.minimum(t, 1.0 - t) * turns)
    angle = 2 * np.pi * turns * t
    line = np.column_stack([swell * np.cos(angle), swell * np.sin(angle), 0.08 + 0.84 * t])
    return swept_bar(np.concatenate([[[0, 0, 0], [0, 0, 0.07]], line[1:-1], [[0, 0, 0.93], [0, 0, 1]]]), wire, 8)


# What is drawn on request or where nothing else would be: boxes of equal inertia, named frames, springs.

AXIS_COLOURS = ((205, 70, 66), (76, 156, 84), (64, 106, 204))
"""Of x, y, z."""


def inertia_pieces(layout: HomeLayout, numbers: Numbers, shown: set[int]) -> list[LinkMesh]:
    """Of each rigid body with mass the box of its inertia, in group "inertia"; in "bodies" where nothing else shows it."""
    pieces = []
    for i, link in enumerate(layout.mechanism.links):
        if link.ten is None or link.elastic is not None:
            continue
        ten = np.array(numbers.at(link.ten), dtype=float)
        r = layout.radius
        if (mesh := inertia_box(ten, link.to_user, r, 0.5 * layout.size)) is not None:
            pieces.append(LinkMesh(i, mesh, "inertia", "inertia", link.leg))
        if i not in shown and (mesh := inertia_box(ten, link.to_user, 2.2 * r, 5.0 * r)) is not None:
            pieces.append(LinkMesh(i, mesh, "link", "bodies", link.leg))
    return pieces


def inertia_box(ten: np.ndarray, axes: np.ndarray, least: float, most: float) -> Mesh | None:
    """The box of uniform density with mass, mass centre and inertia of `ten` (10,), turned by `axes` (3, 3).

    Its edges are at least and at most so long (m): of a point mass, and of an inertia that no body can have. None without mass.
    """
    mass = ten[0]
    if mass <= 0:
        return None
    centre = ten[1:4] / mass
    xx, xy, xz, yy, yz, zz = ten[4:]
    about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    central = about_origin - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    moments, principal = np.linalg.eigh(central)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / mass  # m (b² + c²) / 12 and so on, solved
    edges = np.clip(np.sqrt(np.maximum(squares, 0.0)), least, most)
    if np.linalg.det(principal) < 0:
        principal = -principal
    return box(edges).moved_mesh(axes @ centre, axes @ principal)


def frame_pieces(layout: HomeLayout, numbers: Numbers) -> list[LinkMesh]:
    """A triad at every named frame, x red, y green, z blue."""
    pieces, length, thin = [], 5.0 * layout.radius, 0.28 * layout.radius
    for frame in layout.mechanism.frames.values():
        R, p = (x.astype(float) for x in numbers.placement(frame.placement))
        A = user_axes(layout.mechanism, frame.link)
        at, turn = A @ p, A @ R
        for k, colour in enumerate(AXIS_COLOURS):
            mesh = rod(at, at + length * turn[:, k], thin, 10)
            pieces.append(LinkMesh(frame.link, mesh, "joint", "frames", -1, colour))
    return pieces


def spring_spans(layout: HomeLayout, numbers: Numbers) -> list[Span]:
    """A coil between the two points of every spring."""
    spans = []
    for spring in layout.mechanism.springs:
        ends = []
        for link, positions in zip(spring.links, spring.points, strict=True):
            ends.append(user_axes(layout.mechanism, link) @ np.array(numbers.at(positions), dtype=float))
        spans.append(Span(spring.links, np.array(ends), coil(1.5 * layout.radius, 0.32 * layout.radius), "spring"))
    return spans


def springs_on(layout: HomeLayout, numbers: Numbers) -> dict[int, list[np.ndarray]]:
    """Where springs hold on bodies: points by link; not the world's."""
    found: dict[int, list[np.ndarray]] = {}
    for span in spring_spans(layout, numbers):
        for link, point in zip(span.links, span.points, strict=True):
            if link != WORLD:
                found.setdefault(link, []).append(point)
    return found
