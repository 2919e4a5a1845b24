"""The drag handle of the platform: only what can move can be pulled."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.kinematics.leading import COORDINATES
from gough.spatial.euler import coordinates_of
from gough.viewer.posing.axes import PosingAxes

if TYPE_CHECKING:
    import viser

    from gough.viewer._session import Session

SIZE = 0.3
"""Of the handle, in robot sizes."""
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
Pulled = Callable[[dict[str, float]], None]
"""Told of the platform's coordinates (m, rad) that a pull asks for."""


class PoseHandle:
    """One gizmo where one shows just the free motions, else one for the positions and one for every free angle."""

    def __init__(self, session: "Session", axes: PosingAxes, pulled: Pulled) -> None:
        self.session = session
        self.pulled = pulled
        by_pose = axes.model.mechanism.has_platform and not axes.by_drives
        self.free = {n for n in axes.names if n in COORDINATES} if by_pose else set()
        self._pulling: Any = None
        self._gizmos: list[tuple[viser.TransformControlsHandle, bool]] = []
        size = SIZE * session.subject.figure.size
        for k, (options, upright) in enumerate(gizmos(self.free)):
            gizmo = session.scene.add_transform_controls(
                f"/handle{k}", scale=size, line_width=3.0, depth_test=False, opacity=0.8, **options
            )
            gizmo.on_update(self._update)
            self._gizmos.append((gizmo, upright))

    def _update(self, event: Any) -> None:
        if event.phase == "end":
            self._pulling = None
            return
        self._pulling = event.target
        pose = np.concatenate([event.target.position, event.target.wxyz]).astype(float)
        if not np.isfinite(pose).all():
            return
        upright = next(u for g, u in self._gizmos if g is event.target)
        found: dict[str, float] = dict(zip(COORDINATES, coordinates_of(pose, "rpy_zyx").tolist(), strict=True))
        wanted = {"x", "y", "z"} if upright else set(COORDINATES)
        self.pulled({n: found[n] for n in wanted & self.free})

    def place(self, pose: np.ndarray) -> None:
        """Put it at a platform pose (7,); what is being pulled stays where it is pulled to."""
        for gizmo, upright in self._gizmos:
            if gizmo is not self._pulling:
                gizmo.position = pose[:3]
                gizmo.wxyz = UPRIGHT if upright else pose[3:7]

    @property
    def visible(self) -> bool:
        """Whether it is drawn."""
        return any(gizmo.visible for gizmo, _ in self._gizmos)

    @visible.setter
    def visible(self, shown: bool) -> None:
        for gizmo, _ in self._gizmos:
            gizmo.visible = shown

    def remove(self) -> None:
        """Take it out of the scene."""
        for gizmo, _ in self._gizmos:
            gizmo.remove()
        self._gizmos = []


def gizmos(free: set[str]) -> list[tuple[dict[str, Any], bool]]:
    """(options of transform controls, whether they stand upright in the world) for free coordinates of the platform.

    An arrow along an axis needs that axis active, a turn about an axis both others.
    """
    moves = tuple(n in free for n in ("x", "y", "z"))
    turns = tuple(n in free for n in ("roll", "pitch", "yaw"))
    if not any(moves) and not any(turns):
        return []
    shown = tuple(moves[(k + 1) % 3] and moves[(k + 2) % 3] for k in range(3))
    if shown == turns and any(turns):
        return [({"active_axes": moves}, False)]
    out: list[tuple[dict[str, Any], bool]] = []
    if any(moves):
        out.append(({"active_axes": moves, "disable_rotations": True, "disable_sliders": sum(moves) < 2}, True))
    still = {"disable_axes": True, "disable_sliders": True}
    if all(turns):
        return [*out, (still, False)]
    for k in range(3):
        if turns[k]:
            out.append((still | {"active_axes": tuple(j != k for j in range(3))}, False))
    return out
