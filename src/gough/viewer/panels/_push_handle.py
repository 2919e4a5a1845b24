"""The handle by which a body is pulled, and the spring that is drawn to it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.viewer.live.loop import LiveLoop

if TYPE_CHECKING:
    from gough.viewer._session import Session

SIZE = 0.22
"""Of the handle, in robot sizes."""
SPRING = (214, 48, 49)

WIDTH = 4.0
"""Of the spring, pixels."""
ROOT = "/push"


class PushHandle:
    """A gizmo along the axes in which a force moves the pushed frame; it follows the frame until somebody pulls it."""

    def __init__(self, session: "Session", loop: LiveLoop) -> None:
        self.session, self.loop = session, loop
        self._gizmo: Any = None
        self._line: Any = None
        self._pulling = False
        self._count = 0

    def begin(self) -> None:
        """A handle for the frame that is pushed now."""
        self.remove()
        pushed, figure = self.loop.pushed, self.session.subject.figure
        if pushed is None or not pushed.can_be_dragged:
            return
        low, high = figure.bounds()
        size = max(figure.size, 0.4 * float(np.linalg.norm(np.asarray(high) - np.asarray(low))))
        at, moves = self.loop.frame_position(), pushed.moves[:3]
        self._count += 1  # a new name: pages remember where a node of an old name was
        self._gizmo = self.session.scene.add_transform_controls(
            f"{ROOT}/handle{self._count}",
            scale=SIZE * size,
            line_width=3.0,
            depth_test=False,
            opacity=0.9,
            active_axes=(moves[0], moves[1], moves[2]),
            disable_rotations=True,
            disable_sliders=sum(moves) < 2,
            position=tuple(at),
        )
        self._gizmo.on_update(self._update)
        points = np.stack([at, at])[None].astype(np.float32)
        self._line = self.session.scene.add_line_segments(
            f"{ROOT}/spring{self._count}",
            points,
            colors=SPRING,
            thickness=WIDTH,
            thickness_units="screen",
            visible=False,
        )

    def _update(self, event: Any) -> None:
        self._pulling = event.phase != "end"
        point = np.array(event.target.position, dtype=float)
        if not np.isfinite(point).all():
            return
        self.loop.pull(point if self._pulling else None)
        if not self.loop.playing:
            self.session.worker.post("push", self.show)

    def show(self) -> None:
        """At the frame, or where it is pulled to, with the spring between."""
        gizmo, line = self._gizmo, self._line
        if gizmo is None or line is None or self.loop.sim is None:
            return
        with self.loop.lock:
            at, dragged = self.loop.frame_position(), self.loop.dragged
        if not self._pulling:
            gizmo.position = tuple(at)
        if dragged is not None:
            line.points = np.stack([at, dragged])[None].astype(np.float32)
        if line.visible != (dragged is not None):
            line.visible = dragged is not None

    def remove(self) -> None:
        """Take it out of the scene."""
        for node in (self._gizmo, self._line):
            if node is not None:
                node.remove()
        self._gizmo = self._line = None
        self._pulling = False
