"""A robot at home as a drawing sees it: where its joints are, how large it is, which way its bodies lie from a joint."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gough.structure import WORLD, Mechanism
from gough.viewer.drawing.camera import view_direction
from gough.viewer.drawing.places import JointPlace, Side
from gough.viewer.drawing.plates import plane_of

THIN = 0.0105
"""Radius of a rod beside the robot's size."""
SLENDER = 0.16
"""Most a rod's radius may be beside the shortest distance between two joints of a body."""
THINNEST = 0.0045


@dataclass(frozen=True)
class HomeLayout:
    """position (links, 3), rotation (links, 3, 3): of all links at home. up (3,): against gravity.

    centres: mass centre (3,) of links that have one. tips: further points of links, named frames and nodes of what bends.
    """

    mechanism: Mechanism
    joints: tuple[JointPlace, ...]
    position: np.ndarray
    rotation: np.ndarray
    up: np.ndarray
    centres: dict[int, np.ndarray] = field(default_factory=dict)
    tips: dict[int, list[np.ndarray]] = field(default_factory=dict)

    def to_world(self, link: int, point: np.ndarray) -> np.ndarray:
        """World position of a point of a link."""
        return np.asarray(point) if link == WORLD else self.position[link] + self.rotation[link] @ point

    def direction_in(self, link: int, direction: np.ndarray) -> np.ndarray:
        """A world direction in a link's axes."""
        return np.asarray(direction) if link == WORLD else self.rotation[link].T @ direction

    def body(self, link: int) -> int:
        """The link whose body carries a point: a frame tied to a flexible body belongs to that body."""
        while link != WORLD and self.mechanism.links[link].tie is not None:
            link = self.mechanism.links[link].parent
        return link

    @cached_property
    def points(self) -> dict[int, np.ndarray]:
        """World positions (n, 3) of all joints of each body."""
        found: dict[int, list[np.ndarray]] = {}
        for joint in self.joints:
            for side in joint.sides:
                found.setdefault(self.body(side.link), []).append(self.to_world(side.link, side.point))
        return {body: np.array(p) for body, p in found.items()}

    @cached_property
    def size(self) -> float:
        """Diagonal (m) of the box around all joints and tips; around mass centres too where that is a point."""
        found = [p for points in self.points.values() for p in points]
        found += [self.to_world(link, p) for link, points in self.tips.items() for p in points]
        for more in ([], [self.to_world(link, p) for link, p in self.centres.items()]):
            found += more
            extent = float(np.linalg.norm(np.ptp(found, axis=0))) if found else 0.0
            if extent > 0.0:
                return extent
        return 1.0

    @cached_property
    def radius(self) -> float:
        """Of an ordinary rod (m)."""
        gaps = []
        for points in self.points.values():
            d = np.linalg.norm(points[:, None] - points[None], axis=-1)
            gaps += d[d > 0.01 * self.size].tolist()
        shortest = min(gaps, default=self.size)
        return float(np.clip(SLENDER * shortest, THINNEST * self.size, THIN * self.size))

    @cached_property
    def normal(self) -> np.ndarray | None:
        """Of a planar robot the direction (3,) all its hinges are along, away from who looks at it; None of others."""
        hinges = [
            axis if side.link == WORLD else self.rotation[side.link] @ axis
            for joint in self.joints
            for side in joint.sides[:1]
            for axis in side.axes
            if joint.drawing not in ("slide", "puck")
        ]
        if not hinges or any(joint.drawing in ("ball", "strut") for joint in self.joints):
            return None
        normal = hinges[0]
        if any(abs(abs(normal @ axis) - 1.0) > 1e-6 for axis in hinges):
            return None
        return -normal if normal @ view_direction("3/4", self.up) > 0 else normal

    def middle(self, body: int) -> np.ndarray:
        """World point that stands for a body: the mean of its joints, or its mass centre where they are all in one place."""
        points = self.points.get(body, np.zeros((0, 3)))
        spread = float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0
        if spread < self.radius and body in self.centres:
            return self.to_world(body, self.centres[body])
        if spread < self.radius and self.tips.get(body):
            return self.to_world(body, self.tips[body][0])
        return points.mean(axis=0)

    def away(self, joint: JointPlace, k: int) -> np.ndarray:
        """Unit world direction from a joint into the body on its side k; zero where that is nowhere.

        Into a body whose joints spread over an area (a plate) it is the normal, away from the other body.
        """
        side, other = joint.sides[k], joint.sides[1 - k]
        here = self.to_world(side.link, side.point)
        body = self.body(side.link)
        outward = here - self.middle(self.body(other.link))
        points = self.points[body]
        if len(points) > 2:
            plane = plane_of(points, 0.02 * self.size)
            if plane.kind == "area" and plane.extent[2] < 0.6 * plane.extent[1]:
                normal = plane.axes[:, 2]
                if abs(normal @ outward) > 0.15 * np.linalg.norm(outward):
                    return normal * np.sign(normal @ outward)
        direction = self.middle(body) - here
        if body == WORLD or np.linalg.norm(direction) < 0.5 * self.radius:
            direction = outward
        length = float(np.linalg.norm(direction))
        return direction / length if length > 1e-9 * self.size else np.zeros(3)


def across(direction: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Unit vector across `axis` nearest to `direction`; some vector across it where that says nothing."""
    for candidate in (direction, *np.eye(3)[np.argsort(np.abs(axis))]):
        rest = candidate - (candidate @ axis) * axis
        if np.linalg.norm(rest) > 0.05 * max(float(np.linalg.norm(candidate)), 1e-300):
            return rest / np.linalg.norm(rest)
    raise AssertionError("three axes cannot all be along one")


def side_axis(side: Side, k: int = 0) -> np.ndarray:
    """Axis k of a side, the last where there are fewer."""
    return side.axes[min(k, len(side.axes) - 1)]
