"""A robot in a scene: one node a link, its pieces as children; a frame sends poses and what bends, nothing else."""

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.spatial import quaternion_wxyz_from_rotation
from gough.spatial.poses import quaternion_towards
from gough.structure import WORLD
from gough.viewer.drawing.figure import Figure
from gough.viewer.drawing.piece import GROUPS
from gough.viewer.scene.ground import add_ground
from gough.viewer.scene.palette import ROLES, Colour, mixed
from gough.viewer.scene.pieces import HIDDEN, PieceNode, by_node
from gough.viewer.scene.skins import SkinsScene

FRAMES_OPEN = 30
"""Frames in which exaggerated loops stay open after they could not be closed."""


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
        self._meshes: list[PieceNode] = []
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
        found = by_node(piece for piece in self.figure.pieces if piece.group in groups)
        for (link, role, group, colour), (mesh, legs) in found.items():
            name = f"{self._link_node(link).name}/{role}_{group}_{len(self._meshes)}"
            self._meshes.append(PieceNode(self.scene, name, mesh, legs, group, colour or self._colour(role)))
        self._made |= set(groups)

    def _link_node(self, link: int) -> Any:
        """The frame that moves with a link."""
        if link not in self._links:
            name = "base" if link == WORLD else f"link{link}"
            self._links[link] = self.scene.add_frame(f"{self.root}/{name}", show_axes=False)
        return self._links[link]

    def _add_span(self, k: int) -> Any:
        span = self.figure.spans[k]
        legs = np.full(len(span.mesh.faces), span.leg)
        name, colour = f"{self.root}/span{k}", self._colour(span.role)
        self._meshes.append(PieceNode(self.scene, name, span.mesh, legs, span.group, colour))
        return self._meshes[-1].node

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
            self._skins.visible(visible)

    def remove(self) -> None:
        """Take it out of the scene; once more does nothing."""
        if not self._removed:
            self._removed = True
            self._frame.remove()
            if self._ground is not None:
                self._ground.remove()
