"""A robot in a scene: one node a link, its pieces as children; a frame sends poses and what bends, nothing else."""

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.structure import WORLD
from gough.viewer.drawing.figure import Figure
from gough.viewer.drawing.mesh import merged
from gough.viewer.drawing.piece import GROUPS, Piece
from gough.viewer.scene.ground import add_ground
from gough.viewer.scene.palette import BAD, ROLES, Colour, mixed
from gough.viewer.scene.skins import SkinsScene
from gough.viewer.scene.turning import between_points, quaternion_wxyz

HIDDEN = ("frames", "inertia")
"""Groups that are made when they are first shown."""

FRAMES_OPEN = 30
"""Frames in which exaggerated loops stay open after they could not be closed."""


@dataclass
class _Shown:
    """A mesh of the scene: its node, group, leg and own colour."""

    node: Any
    group: str
    leg: int
    colour: Colour


class RobotScene:
    """Nodes of a figure under `root` of a scene (a page's or a server's).

    offset (3,): where its world stands (m). tint: a colour everything is drawn near to, for a second robot. ground: a grid
    under it and the up direction of the page; default for the first robot (root "/robot").
    carried: flexible bodies hang on their links' nodes, which a page wants that shows motion (see `SkinsScene`).
    upright: the scene's up direction is set already.
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
    ) -> None:
        self.scene, self.figure, self.root, self.tint = scene, figure, root, tint
        self.exaggeration = 1.0
        self.up = tuple(map(float, figure.up))
        self._bad_legs: frozenset[int] = frozenset()
        self._all_bad = False
        self._removed = False
        self._waiting, self._failed = 0, np.inf
        self._meshes: list[_Shown] = []
        self._ground = None
        if root == "/robot" if ground is None else ground:
            if not upright:
                scene.set_up_direction(figure.up)
            self._ground = add_ground(scene, figure)
        self._frame = scene.add_frame(root, show_axes=False, position=tuple(map(float, offset)))
        self._links: dict[int, Any] = {}
        self._made: set[str] = set()
        self._add_pieces([group for group in GROUPS if group not in HIDDEN])
        self._spans = [self._add_span(k) for k in range(len(figure.spans))]
        self.carried = carried
        flexible = sorted({skin.link for skin in figure.skins})
        nodes = {link: self._link_node(link).name for link in flexible} if carried else None
        self._skins = SkinsScene(scene, figure, root, tint, nodes) if figure.skins else None
        self._q = np.array(figure.model.home)
        self.show(self._q)

    def _add_pieces(self, groups: Iterable[str]) -> None:
        """Pieces of one link, colour and leg are one node."""
        alike: dict[tuple, list[Piece]] = {}
        for piece in self.figure.pieces:
            if piece.group in groups:
                alike.setdefault((piece.link, piece.role, piece.group, piece.leg, piece.colour), []).append(piece)
        for (link, role, group, leg, colour), pieces in alike.items():
            mesh = merged(piece.mesh for piece in pieces)
            name = f"{self._link_node(link).name}/{role}_{group}_{len(self._meshes)}"
            self._add_mesh(name, mesh, group, leg, colour or self._colour(role), 0.45 if group == "inertia" else None)
        self._made |= set(groups)

    def _link_node(self, link: int) -> Any:
        """The frame that moves with a link."""
        if link not in self._links:
            name = "base" if link == WORLD else f"link{link}"
            self._links[link] = self.scene.add_frame(f"{self.root}/{name}", show_axes=False)
        return self._links[link]

    def _add_mesh(
        self, name: str, mesh: Any, group: str, leg: int, colour: Colour, opacity: float | None = None
    ) -> Any:
        node = self.scene.add_mesh_simple(
            name,
            mesh.vertices,
            mesh.faces,
            color=colour,
            opacity=opacity,
            cast_shadow=group not in HIDDEN,
            receive_shadow=group not in HIDDEN,
        )
        self._meshes.append(_Shown(node, group, leg, colour))
        return node

    def _add_span(self, k: int) -> Any:
        span = self.figure.spans[k]
        return self._add_mesh(f"{self.root}/span{k}", span.mesh, span.group, span.leg, self._colour(span.role))

    def _colour(self, role: str) -> Colour:
        return ROLES[role] if self.tint is None else mixed(ROLES[role], self.tint)

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
        turns = quaternion_wxyz(placed.rotation)
        with self._whole():
            for link, node in self._links.items():
                if link != WORLD:
                    node.position = placed.position[link]
                    node.wxyz = turns[link]
            for span, node in zip(self.figure.spans, self._spans, strict=True):
                start, end = span.place(placed.position, placed.rotation)
                turn, length = between_points(start, end)
                node.position, node.wxyz = start, turn
                node.scale = (1.0, 1.0, max(float(length), 1e-9))
            if self._skins is not None:
                self._skins.show(q, drawn, placed)

    def _exaggerated(self, q: np.ndarray) -> np.ndarray:
        """q bent more; loops that could not be closed are not tried again in every frame, which would take long."""
        bent = self.figure.bent(q, self.exaggeration)
        if bent is q or (self._waiting and self.exaggeration >= self._failed):
            self._waiting = max(self._waiting - 1, 0)
            return bent
        closed = self.figure.closed(bent, q)
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
        for shown in self._meshes:
            bad = self._all_bad or shown.leg in self._bad_legs
            colour = BAD if bad else shown.colour
            if tuple(shown.node.color) != colour:
                shown.node.color = colour
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
        for shown in self._meshes:
            if shown.group == group:
                shown.node.visible = visible
        if group == "bodies" and self._skins is not None:
            self._skins.visible(visible)

    def remove(self) -> None:
        """Take it out of the scene; once more does nothing."""
        if not self._removed:
            self._removed = True
            self._frame.remove()
            if self._ground is not None:
                self._ground.remove()
