"""Recognising a planar mechanism in space: all passive joints are pins with one direction, whatever its tilt.

A part is in the plane when a pin with the plane's normal ties it to one that is. Ball joints between such parts are pins
too, when their points are at one height.
"""

from dataclasses import dataclass

import numpy as np

from gough.analysis.assembly_places import Frame
from gough.analysis.locked import Locked

PARALLEL = 1e-9
"""Largest angle (rad) between axes, and gap along them relative to the mechanism, that count as none."""

Pin = tuple[int, int, np.ndarray, np.ndarray]
"""(part, other part, point (2,) in the part, point (2,) in the other)."""
Place = tuple[np.ndarray, float]
"""Origin (2,) and angle (rad) of a part in the plane."""


@dataclass(frozen=True)
class Plane:
    """axes: {part: e1 e2 n as columns (3, 3)}; heights: {part: of its origin along n}; pins of all joints."""

    axes: dict[int, np.ndarray]
    heights: dict[int, float]
    pins: list[Pin]
    size: float

    def frame(self, part: int, place: Place) -> Frame:
        """The part's frame in the world."""
        (x, y), angle = place
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        ground = self.axes[0]
        return ground @ turn @ self.axes[part].T, ground @ np.array([x, y, self.heights[part]])


def plane_of(locked: Locked) -> Plane | None:
    """The plane in which all parts move, or None."""
    joints = locked.joints
    if not joints or any(joint.kind not in ("pin", "ball") for joint in joints):
        return None
    pins = [joint for joint in joints if joint.kind == "pin"]
    first = next((joint for joint in pins if 0 in joint.parts), None)
    if first is None:
        return None
    size = max(float(np.linalg.norm(joint.point(k))) for joint in joints for k in (0, 1)) or 1.0
    normals = {0: first.direction(first.parts.index(0))}
    heights = {0: 0.0}
    while True:
        before = len(normals)
        for joint in pins:
            for side in (0, 1):
                a, b = joint.parts[side], joint.parts[1 - side]
                if a not in normals or b in normals:
                    continue
                along = joint.direction(side)
                if np.linalg.norm(np.cross(along, normals[a])) > PARALLEL:
                    return None
                normals[b] = joint.direction(1 - side) * np.sign(along @ normals[a])
                heights[b] = heights[a] + float(normals[a] @ joint.point(side) - normals[b] @ joint.point(1 - side))
        if len(normals) == before:
            break
    if len(normals) < locked.count:
        return None
    for joint in joints:
        a, b = joint.parts
        gap = heights[a] + normals[a] @ joint.point(0) - heights[b] - normals[b] @ joint.point(1)
        if abs(gap) > PARALLEL * size:
            return None
        if joint.kind == "pin":
            sides = [(joint.direction(k), normals[part]) for k, part in enumerate(joint.parts)]
            tilt = max(float(np.linalg.norm(np.cross(u, n))) for u, n in sides)
            if tilt > PARALLEL or np.prod([u @ n for u, n in sides]) < 0:
                return None
    axes = {part: _basis(normal) for part, normal in normals.items()}
    flat = [
        (a, b, axes[a][:, :2].T @ joint.point(0), axes[b][:, :2].T @ joint.point(1))
        for joint in joints
        for a, b in [joint.parts]
    ]
    return Plane(axes, heights, flat, size)


def _basis(normal: np.ndarray) -> np.ndarray:
    n = normal / np.linalg.norm(normal)
    e = np.cross(np.eye(3)[int(np.argmin(np.abs(n)))], n)
    e /= np.linalg.norm(e)
    return np.column_stack([e, np.cross(n, e), n])
