"""A robot at home as a drawing sees it: where its joints are on its links (those of the
tree and those that were cut), how large it is, which way its bodies lie from a joint."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.joints import ALL
from gough.joints.measure import LENGTH
from gough.robot import Robot
from gough.robot.tree import placed_joints, placed_loops
from gough.structure import WORLD, Mechanism
from gough.viewer.drawing._solids import plane_of
from gough.viewer.drawing.camera import view_direction


@dataclass(frozen=True)
class Side:
    """A joint on one of its links: `point` (3,) and `axes` (k, 3), unit, in the description's axes of link `link`."""

    link: int
    point: np.ndarray
    axes: np.ndarray


@dataclass(frozen=True)
class JointPlace:
    """A joint: its first side (the parent; of a leg's cut the leg's tip) and its second. type: as in gough.joints.

    middle: links between the two (of a universal joint the cross). q: position of its first coordinate in q, -1 of a cut.
    bounds: of a sliding coordinate, where stated.
    """

    name: str
    type: str
    leg: int
    driven: bool
    sides: tuple[Side, Side]
    middle: tuple[int, ...] = ()
    q: int = -1
    bounds: tuple[float | None, float | None] = (None, None)

    @property
    def drawing(self) -> str:
        """How it is drawn."""
        return ALL[self.type].drawing

    @property
    def slide(self) -> int:
        """Position in q of the coordinate that is a length; -1 where it has none."""
        lengths = [k for k, c in enumerate(ALL[self.type].coordinates) if c.unit == LENGTH.unit]
        return self.q + lengths[0] if self.q >= 0 and lengths else -1


def user_axes(mechanism: Mechanism, link: int) -> np.ndarray:
    """Internal axes of a link to the description's (3, 3)."""
    return np.eye(3) if link == WORLD else mechanism.links[link].to_user


def joint_places(robot: Robot, numbers: Numbers) -> tuple[JointPlace, ...]:
    """All joints of a robot, those of the tree first."""
    mechanism = numbers.mechanism
    described = {joint.name: joint.joint for joint in placed_joints(robot)}
    of_joint: dict[str, list[int]] = {}
    for i, link in enumerate(mechanism.links):
        if link.joint:
            of_joint.setdefault(link.joint, []).append(i)
    out = []
    for name, links in of_joint.items():
        first, last = mechanism.links[links[0]], mechanism.links[links[-1]]
        R, p = _placement(numbers, first.placement)
        A = user_axes(mechanism, first.parent)
        turning = [mechanism.links[i] for i in links if mechanism.links[i].nu == 1]
        directions = np.array([link.sign * np.eye(3)[link.axis] for link in turning]).reshape(-1, 3)
        limits = described[name].limits
        out.append(
            JointPlace(
                name,
                described[name].type,
                first.leg,
                any(mechanism.links[i].drive is not None for i in links),
                (
                    Side(first.parent, A @ p, directions @ (A @ R).T),
                    Side(links[-1], np.zeros(3), directions @ last.to_user.T),
                ),
                tuple(links[:-1]),
                first.q,
                (limits.of_coordinate("lower", 0), limits.of_coordinate("upper", 0))
                if ALL[described[name].type].measure is LENGTH
                else (None, None),
            )
        )
    return (*out, *_cuts(robot, numbers))


def _cuts(robot: Robot, numbers: Numbers) -> list[JointPlace]:
    mechanism = numbers.mechanism
    described = {loop.name for loop in placed_loops(robot)}
    out = []
    for cut in mechanism.cuts:
        sides = []
        for k, (link, placement) in enumerate(((cut.first, cut.on_first), (cut.second, cut.on_second))):
            R, p = _placement(numbers, placement)
            A = user_axes(mechanism, link)
            kind = ALL[cut.type]
            columns = (k,) if kind.axes == 2 else () if kind.carries_no_moment else (2,)
            sides.append(Side(link, A @ p, np.array([A @ R[:, c] for c in columns]).reshape(-1, 3)))
        kind = cut.type if cut.name in described else "fixed"
        out.append(JointPlace(cut.name, kind, cut.leg, False, (sides[0], sides[1])))
    return out


def _placement(numbers: Numbers, placement: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    R, p = numbers.placement(placement)
    return R.astype(float), p.astype(float)


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
