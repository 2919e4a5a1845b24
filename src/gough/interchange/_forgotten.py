"""Signs that a file forgets a loop: it then loads as another mechanism, which nothing else says.

Two ends of chains that lie on each other, at zero or at the stated home, with joints enough between them for a loop that moves;
and joints without an effort below one that has an effort, in a tree without motors, of which all joints would be driven.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from gough.interchange.findings import Findings
from gough.interchange.foreign import ForeignJoint, ForeignRobot, Placement
from gough.joints import ALL
from gough.spatial.rotation import rotation_from_quaternion_wxyz

LOOP = 3
"""Joints that move between two ends, at least: with the one that closes it, the fewest of a loop that moves."""
SAME = 1e-6
"""Distance over the robot's size that is none; ends of files are written in some digits."""
MOST = 400
"""Ends that are looked at."""
FEWEST = 2
"""Joints without an effort from which they are told."""


def tell_forgotten_loops(robot: ForeignRobot, findings: Findings, remedy: str) -> None:
    """Remarks on signs of loops that are not there; remedy: where the format states loops."""
    tree = _Chains(robot)
    told = False
    for first, second, where in _meeting_ends(tree):
        told = True
        findings.remark(
            tree.carrier[first].at,
            f"{first!r} lies on {second!r} {where}, and nothing joins them: are they the two sides of a loop? {remedy}",
        )
    if told or robot.drives_stated or tree.loops or any(joint.driven for joint in robot.joints):
        return
    weak = _without_effort(tree)
    if len(weak) >= FEWEST and any(j.effects.force is not None for joint in weak for j in tree.way(joint.parent)):
        few = ", ".join(joint.name for joint in weak[:6]) + (f" and {len(weak) - 6} more" if len(weak) > 6 else "")
        findings.remark(
            weak[0].at,
            f"without an effort, while joints that carry them have one: {few}; in a tree without motors all joints are driven, "
            f"these too. Are they passive joints of loops, which the file lacks? {remedy}; else name the drives",
        )


class _Chains:
    """The tree of a robot: what carries its bodies, and where they are."""

    def __init__(self, robot: ForeignRobot) -> None:
        self.carrier: dict[str, ForeignJoint] = {}
        self.loops = []
        for joint in robot.joints:
            if joint.closes or joint.child in self.carrier or not ALL[joint.type].moves_body:
                self.loops.append(joint)
            else:
                self.carrier[joint.child] = joint
        self.following = {c.follower for c in robot.couplings if c.follower is not None}
        self.bodies = [body.name for body in robot.bodies if body.name in self.carrier]

    def way(self, body: str) -> list[ForeignJoint]:
        """Joints from a body to the root."""
        found: list[ForeignJoint] = []
        while body in self.carrier and len(found) <= len(self.carrier):
            found.append(self.carrier[body])
            body = found[-1].parent
        return found

    def ends(self) -> list[str]:
        """Bodies that carry nothing, and that no loop holds; so do those that are fixed to one of these."""
        parents = {joint.parent for joint in self.carrier.values()}
        held = {end for joint in self.loops for end in (joint.parent, joint.child)}
        held |= {self.rigid(end) for end in held}
        return [n for n in self.bodies if n not in parents and n not in held and self.rigid(n) not in held][:MOST]

    def rigid(self, body: str) -> str:
        """The first body on the way to the root that is fixed to this one."""
        while body in self.carrier and self.carrier[body].type == "fixed":
            body = self.carrier[body].parent
        return body

    def places(self, home: bool) -> dict[str, np.ndarray]:
        """Origins (3,) of ends, with joints at 0, or where they are stated to be at home."""
        return {body: np.asarray(self._place(body, home).position) for body in self.ends()}

    def _place(self, body: str, home: bool) -> Placement:
        at = Placement()
        for joint in self.way(body):
            at = at.after(joint.on_child.inverse())
            if home and joint.start is not None:
                at = at.after(_moved(joint))
            at = at.after(joint.on_parent)
        return at


def _moved(joint: ForeignJoint) -> Placement:
    """A joint's motion to where it starts, of one coordinate."""
    axis, value = np.asarray(joint.axis, dtype=float), joint.start or (0.0,)
    if len(value) != 1:
        return Placement()
    if joint.type == "prismatic":
        return Placement(tuple((axis * value[0]).tolist()))
    turn = np.concatenate(
        [[np.cos(0.5 * value[0])], np.sin(0.5 * value[0]) * axis / max(float(np.linalg.norm(axis)), 1e-300)]
    )
    return Placement(rotation=np.asarray(rotation_from_quaternion_wxyz(turn), dtype=float))


def _meeting_ends(tree: _Chains) -> Iterator[tuple[str, str, str]]:
    """(an end, another one that it lies on, "where all joints are at 0" or "at home")."""
    seen: set[tuple[str, str]] = set()
    stated = any(joint.start for joint in tree.carrier.values() if ALL[joint.type].is_scalar)
    for home, where in ((False, "where all joints are at 0"), (True, "at home")):
        if home and not stated:
            return
        at = tree.places(home)
        size = max((float(np.abs(x).max()) for x in at.values()), default=0.0)
        for first, second in combinations(at, 2):
            near = size > 0.0 and np.linalg.norm(at[first] - at[second]) <= SAME * size
            if near and (first, second) not in seen and _joints_between(tree, first, second) >= LOOP:
                seen.add((first, second))
                yield first, second, where


def _joints_between(tree: _Chains, first: str, second: str) -> int:
    """Joints with one coordinate of their own between two bodies; none where a joint that moves freely is among them."""
    ways = [{joint.name: joint for joint in tree.way(body)} for body in (first, second)]
    apart = [joint for name, joint in (*ways[0].items(), *ways[1].items()) if (name in ways[0]) != (name in ways[1])]
    if any(joint.type == "free" for joint in apart):
        return 0
    return sum(joint.type != "fixed" and joint.name not in tree.following for joint in apart)


def _without_effort(tree: _Chains) -> Sequence[ForeignJoint]:
    """Joints of one coordinate of their own without a bound of force."""
    return [
        joint
        for joint in tree.carrier.values()
        if ALL[joint.type].is_scalar and joint.name not in tree.following and joint.effects.force is None
    ]
