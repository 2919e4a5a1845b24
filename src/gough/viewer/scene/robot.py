"""A robot in a scene: one node a link, its pieces as children; a frame sends poses and what bends, nothing else."""

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.spatial import quaternion_wxyz_from_rotation
from gough.spatial.poses import quaternion_towards
from gough.structure import WORLD
from gough.viewer.drawing.camera import upright
from gough.viewer.drawing.figure import Figure
from gough.viewer.drawing.mesh import GROUPS, LinkMesh, Mesh, merge_meshes
from gough.viewer.scene.colours import BAD, GRID, GRID_SECTION, ROLES, Colour, mix_colours
from gough.viewer.scene.skins import SkinsScene

FRAMES_OPEN = 30
"""Frames in which exaggerated loops stay open after they could not be closed."""


class RobotScene:
    """Nodes of a figure under `root` of a scene (a page's or a server's).

    offset (3,): where its world stands (m). tint: a colour everything is drawn near to, for a second robot. ground: a grid
    under it and the up direction of the page; default for the first robot (root "/robot").
    carried: flexible bodies hang on their links' nodes, which a page wants that shows motion (see `SkinsScene`).
    upright: the scene's up direction is set already. opacity: of a pale robot, which casts no shadow.
    exaggeration: deflections are drawn so many times as large; takes effect at the next `show`.
    """

    def __init__(
        self,
        scene: Any,
        figure: Figure,
        root: str = "/robot",
        offset: Sequence[float] = (0.0, 0.0, 0.0),
        tint: Colour | None = None,
        ground: bool | None = None,
        carried: bool = False,
        upright: bool = False,
        opacity: float | None = None,
    ) -> None:
        self.scene, self.figure, self.root, self.tint, self.opacity = scene, figure, root, tint, opacity
        self.exaggeration = 1.0
        self.up = tuple(map(float, figure.up))
        self._bad_legs: frozenset[int] = frozenset()
        self._all_bad = False
        self._removed = False
        self._waiting, self._failed = 0, np.inf
        self._meshes: list[PieceNode] = []
        self._pieces: dict[Any, PieceNode] = {}
        self._ground = None
        if root == "/robot" if ground is None else ground:
            if not upright:
                scene.set_up_direction(figure.up)
            self._ground = add_ground(scene, figure)
        self._frame = scene.add_frame(root, show_axes=False, position=tuple(map(float, offset)))
        self._links: dict[int, Any] = {}
        self._made: set[str] = set()
        self._add_pieces([group for group in GROUPS if group not in HIDDEN])
        self._stretched = [self._add_span(k) for k in range(len(figure.spans))]
        self._spans = [piece.node for piece in self._stretched]
        self.carried = carried
        flexible = sorted({skin.link for skin in figure.skins})
        nodes = {link: self._link_node(link).name for link in flexible} if carried else None
        self._skins = SkinsScene(scene, figure, root, tint, nodes, opacity) if figure.skins else None
        self._q = np.array(figure.home)
        self.show(self._q)

    def _add_pieces(self, groups: Iterable[str]) -> None:
        found = by_node(piece for piece in self.figure.pieces if piece.group in groups)
        for (link, role, group, colour), (mesh, legs) in found.items():
            name = f"{self._link_node(link).name}/{role}_{group}_{len(self._meshes)}"
            made = PieceNode(self.scene, name, mesh, legs, group, self._painted(role, colour), self.opacity)
            self._meshes.append(made)
            self._pieces[link, role, group, colour] = made
        self._made |= set(groups)

    def _link_node(self, link: int) -> Any:
        """The frame that moves with a link."""
        if link not in self._links:
            name = "base" if link == WORLD else f"link{link}"
            self._links[link] = self.scene.add_frame(f"{self.root}/{name}", show_axes=False)
        return self._links[link]

    def _add_span(self, k: int) -> "PieceNode":
        span = self.figure.spans[k]
        legs = np.full(len(span.mesh.faces), span.leg)
        name, colour = f"{self.root}/span{k}", self._painted(span.role)
        self._meshes.append(PieceNode(self.scene, name, span.mesh, legs, span.group, colour, self.opacity))
        return self._meshes[-1]

    def _painted(self, role: str, own: Colour | None = None) -> Colour:
        """A role's colour near the tint; a piece's own stays, but of a pale robot."""
        if self.tint is None or (own is not None and self.opacity is None):
            return own or ROLES[role]
        return mix_colours(own or ROLES[role], self.tint)

    @property
    def deflection_range(self) -> tuple[float, float]:
        """(0, deflection in m, true scale) of the lowest and the highest colour; (0, 0) without flexible bodies."""
        return (0.0, 0.0 if self._skins is None else self._skins.range_m)

    def show(self, q: Any) -> None:
        """Move to a configuration (nq,)."""
        if self._removed:
            return
        q = np.asarray(q, dtype=float)
        drawn = self._exaggerated(q)
        placed = self.figure.place(drawn)
        if not np.isfinite(placed.position).all():
            return
        self._q = q
        turns = quaternion_wxyz_from_rotation(placed.rotation)
        with self._whole():
            for link, node in self._links.items():
                if link != WORLD:
                    node.position = placed.position[link]
                    node.wxyz = turns[link]
            for span, node in zip(self.figure.spans, self._spans, strict=True):
                start, end = span.place(placed.position, placed.rotation)
                turn, length = quaternion_towards(start, end)
                node.position, node.wxyz = start, turn
                node.scale = (1.0, 1.0, max(float(length), 1e-9))
            if self._skins is not None:
                self._skins.show(q, drawn, placed)

    def adopt(self, figure: Figure) -> bool:
        """Draw another design of the robot with the nodes that are there, at the next `show`; False, and nothing happens, where
        it has other pieces, or bodies that bend."""
        found = by_node(piece for piece in figure.pieces if piece.group in self._made)
        spans = list(zip(figure.spans, self._stretched, strict=False))
        if self._removed or figure.skins or self._skins is not None or found.keys() != self._pieces.keys():
            return False
        pairs = [(self._pieces[key], mesh) for key, (mesh, _) in found.items()] + [(node, s.mesh) for s, node in spans]
        if len(figure.spans) != len(self._stretched) or not all(node.takes(mesh) for node, mesh in pairs):
            return False
        self.figure = figure
        for node, mesh in pairs:
            node.change_shape(mesh)
        return True

    def _exaggerated(self, q: np.ndarray) -> np.ndarray:
        """q bent more; loops that could not be closed are not tried again in every frame, which would take long."""
        bent = self.figure.bent_configuration(q, self.exaggeration)
        if bent is q or (self._waiting and self.exaggeration >= self._failed):
            self._waiting = max(self._waiting - 1, 0)
            return bent
        closed = self.figure.closed_configuration(bent, q)
        if closed is None:
            self._waiting, self._failed = FRAMES_OPEN, self.exaggeration
            return bent
        self._waiting = 0
        return closed

    def _whole(self) -> Any:
        """A frame arrives as one."""
        owner: Any = getattr(self.scene, "_owner", None)
        return owner.atomic() if hasattr(owner, "atomic") else contextlib.nullcontext()

    @property
    def skins(self) -> SkinsScene | None:
        """Its flexible bodies, where it has some."""
        return self._skins

    def mark(self, legs: Iterable[int]) -> None:
        """These legs in red, by index; () for none."""
        self._bad_legs = frozenset(legs)
        self._paint()

    def mark_all(self, bad: bool) -> None:
        """Everything in red, or not."""
        self._all_bad = bad
        self._paint()

    def _paint(self) -> None:
        for mesh in self._meshes:
            mesh.paint(self._bad_legs, self._all_bad)
        if self._skins is not None:
            self._skins.bad_legs, self._skins.all_bad = self._bad_legs, self._all_bad
            self.show(self._q)

    def group_visible(self, group: str, visible: bool) -> None:
        """Show or hide "bodies", "joints", "frames" or "inertia"."""
        if group not in GROUPS:
            raise UsageError(f"no group {group!r}; there are {', '.join(GROUPS)}")
        if visible and group not in self._made:
            self._add_pieces([group])
            self.show(self._q)
        for mesh in self._meshes:
            if mesh.group == group:
                mesh.show(visible)
        if group == "bodies" and self._skins is not None:
            self._skins.set_visible(visible)

    def place(self, at: Sequence[float], visible: bool = True) -> None:
        """Let its world stand at (3,), m; hidden where it is not visible."""
        self._frame.position = tuple(map(float, at))
        self._frame.visible = visible

    def remove(self) -> None:
        """Take it out of the scene; once more does nothing."""
        if not self._removed:
            self._removed = True
            self._frame.remove()
            if self._ground is not None:
                self._ground.remove()


# What a robot stands on: a discreet grid below it, and which way is up.


def add_ground(scene: Any, figure: Figure) -> Any:
    """A grid just below the lowest point drawn at home, across the up direction; returns its node."""
    low, high = figure.bounds()
    corners = np.array([[a, b, c] for a in (low[0], high[0]) for b in (low[1], high[1]) for c in (low[2], high[2])])
    up = figure.up
    level = float((corners @ up).min()) - 0.012 * figure.size
    middle = (low + high) / 2
    at = middle + (level - middle @ up) * up
    cell = nice_length(figure.size / 8)
    return scene.add_grid(
        "/ground",
        width=12 * figure.size,
        height=12 * figure.size,
        cell_size=cell,
        section_size=5 * cell,
        cell_color=GRID,
        section_color=GRID_SECTION,
        cell_thickness=0.6,
        section_thickness=1.0,
        fade_distance=5.0 * figure.size,
        fade_strength=1.5,
        fade_from="origin",
        shadow_opacity=0.16,
        position=at,
        wxyz=quaternion_wxyz_from_rotation(upright(up)),
    )


def nice_length(length: float) -> float:
    """1, 2 or 5 times a power of ten (m), not above `length` by more than rounding."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * max(k for k in (1, 2, 5) if k * power <= length * (1 + 1e-9)))


# A rigid mesh of a robot in a scene, of one link and colour; legs that are bad are drawn red.
#
# A page spends its time on meshes more than on triangles, and on each one again for its shadow. So what several legs have on one
# link is one mesh, and the red faces get a mesh of their own only when there are some; joints cast no shadows.

HIDDEN = ("frames", "inertia")
"""Groups that are made when they are first shown."""
SEE_THROUGH = 0.45
"""Opacity of inertias."""


class PieceNode:
    """mesh with the leg of each face (f,), -1 of none. group: what it is shown and hidden with. opacity: of a pale one."""

    def __init__(
        self,
        scene: Any,
        name: str,
        mesh: Mesh,
        legs: np.ndarray,
        group: str,
        colour: Colour,
        opacity: float | None = None,
    ) -> None:
        self.opacity = SEE_THROUGH if group == "inertia" else opacity
        self.scene, self.name, self.mesh, self.legs, self.group, self.colour = scene, name, mesh, legs, group, colour
        self.node = self._add(name, mesh.faces, colour)
        self._red: Any = None
        self._bad = np.zeros(len(legs), dtype=bool)

    def _add(self, name: str, faces: np.ndarray, colour: Colour) -> Any:
        return self.scene.add_mesh_simple(
            name,
            self.mesh.vertices,
            faces,
            color=colour,
            opacity=self.opacity,
            cast_shadow=self.group == "bodies" and self.opacity is None,
            receive_shadow=self.group not in HIDDEN,
        )

    def paint(self, bad_legs: frozenset[int], all_bad: bool) -> None:
        """The faces of these legs, or all, in red."""
        bad = np.isin(self.legs, list(bad_legs)) | all_bad
        if np.array_equal(bad, self._bad):
            return
        self._bad = bad
        if self._red is not None:
            self._red.remove()
            self._red = None
        whole = bad.all() or not bad.any()
        self.node.faces = self.mesh.faces if whole else self.mesh.faces[~bad]
        self.node.color = BAD if bad.all() else self.colour
        if not whole:
            self._red = self._add(f"{self.name}/red", self.mesh.faces[bad], BAD)

    def takes(self, mesh: Mesh) -> bool:
        """Whether a mesh has the same triangles between other points."""
        return mesh.vertices.shape == self.mesh.vertices.shape and np.array_equal(mesh.faces, self.mesh.faces)

    def change_shape(self, mesh: Mesh) -> None:
        """Move its points to those of a mesh with the same triangles."""
        if np.array_equal(mesh.vertices, self.mesh.vertices):
            return
        self.mesh = mesh
        for node in (self.node, *(() if self._red is None else (self._red,))):
            node.vertices = mesh.vertices

    def show(self, visible: bool) -> None:
        """Show or hide it; what is red goes with its parent."""
        self.node.visible = visible


def by_node(pieces: Iterable[LinkMesh]) -> dict[tuple[int, str, str, Colour | None], tuple[Mesh, np.ndarray]]:
    """Pieces of one link, role, group and colour of their own as one mesh each, with the legs of its faces."""
    alike: dict[tuple[int, str, str, Colour | None], list[LinkMesh]] = {}
    for piece in pieces:
        alike.setdefault((piece.link, piece.role, piece.group, piece.colour), []).append(piece)
    return {
        key: (
            merge_meshes(p.mesh for p in found),
            np.repeat([p.leg for p in found], [len(p.mesh.faces) for p in found]),
        )
        for key, found in alike.items()
    }
