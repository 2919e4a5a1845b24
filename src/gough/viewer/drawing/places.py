"""Where a robot's joints are on its links: one list of the tree's joints and of those that were cut."""

from dataclasses import dataclass

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.joints import ALL
from gough.joints.measure import LENGTH
from gough.robot import Robot
from gough.robot.tree import placed_joints, placed_loops
from gough.structure import WORLD, Mechanism


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
                (limits.lower, limits.upper) if ALL[described[name].type].measure is LENGTH else (None, None),
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
