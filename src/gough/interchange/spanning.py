"""Which joints carry bodies and which close loops: a tree from the world outwards, every joint turned to point along it.

The file's own word counts first (`ForeignJoint.closes`). What is open is settled so that joints which need a coordinate (a
drive, a spring, an armature, a coupling) stay in the tree, then those with bounds, which a cut would lose, then those with
friction, which acts in a cut too. Among the others those with many freedoms are cut, because a cut owes a row for each freedom
that its joint does not have. A loop in which every joint needs its coordinate is cut inside a body: the last joint carries a
half of it without mass, which a fixed joint ties to the whole.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import numpy as np

from gough.interchange.findings import Findings
from gough.interchange.foreign import WORLD, ForeignBody, ForeignJoint, ForeignRobot, Placement, Written
from gough.interchange.naming import FreeNames
from gough.joints import ALL

ONE_AXIS = ("revolute", "prismatic", "cylindrical", "helical", "ball_screw", "planar")


@dataclass(frozen=True)
class Spanned:
    """Joints of the tree, each after the one that carries its parent, those that close loops, and bodies without mass that
    stand for parts of others: halves of those that are cut."""

    tree: tuple[ForeignJoint, ...]
    loops: tuple[ForeignJoint, ...]
    halves: tuple[ForeignBody, ...] = ()


def span_tree(robot: ForeignRobot, findings: Findings, needed: Collection[str] = ()) -> Spanned:
    """The tree and the loops; needed: names of joints that must have coordinates (drives, couplings)."""
    order = sorted(robot.joints, key=lambda j: _reluctance(j, needed))
    group = {name: name for name in (WORLD, *(b.name for b in robot.bodies))}
    chosen: list[ForeignJoint] = []
    loops: list[ForeignJoint] = []
    for joint in order:
        first, second = _root(group, joint.parent), _root(group, joint.child)
        carries = ALL[joint.type].moves_body
        if first == second or joint.closes or not carries:
            loops.append(joint)
        else:
            group[second] = first
            chosen.append(joint)
    held = {_root(group, WORLD)}
    for body in robot.bodies:
        root = _root(group, body.name)
        if root not in held:
            held.add(root)
            chosen.append(_tie(robot, _base_of(robot, group, root, chosen), {j.name for j in (*robot.joints, *chosen)}))
    written = {joint.name: k for k, joint in enumerate(robot.joints)}
    loops.sort(key=lambda j: written[j.name])
    names = FreeNames({WORLD, *group, *written, *(j.name for j in chosen)})
    halves: list[ForeignBody] = []
    for k, joint in enumerate(loops):
        if _needs_coordinate(joint, needed) or not ALL[joint.type].closes_loop:
            if not ALL[joint.type].moves_body:
                findings.refuse(
                    joint.at, f"a {joint.type} joint with a drive, a spring, friction or an armature", "none"
                )
                continue
            half = ForeignBody(names.take(f"{joint.name}_half"), joint.at)
            weld = names.take(f"{joint.name}_weld")
            loops[k] = ForeignJoint(weld, "fixed", half.name, joint.child, joint.at, closes=True)
            chosen.append(replace(joint, child=half.name, closes=None))
            halves.append(half)
    return Spanned(tuple(_outwards(chosen, written)), tuple(loops), tuple(halves))


def _reluctance(joint: ForeignJoint, needed: Collection[str]) -> tuple[bool, bool, bool, bool, int]:
    """Sorts joints that belong into the tree first."""
    own = joint.effects
    bounds = (own.lower, own.upper, own.speed, own.force)
    wanted = joint.driven or any(bound is not None for bound in bounds)
    return (
        joint.closes is True,
        not _needs_coordinate(joint, needed),
        not wanted,
        not own.acts,
        ALL[joint.type].freedoms,
    )


def _needs_coordinate(joint: ForeignJoint, needed: Collection[str]) -> bool:
    """Whether something acts in it, or is said of it, that a cut has no place for: friction has one, in most types."""
    own = joint.effects
    rubs = bool(own.viscous or own.coulomb) and not ALL[joint.type].friction_when_cut
    return joint.name in needed or rubs or bool(own.armature or own.stiffness or own.rotor_inertia)


def _root(group: dict[str, str], name: str) -> str:
    while group[name] != name:
        group[name] = name = group[group[name]]
    return name


def _base_of(robot: ForeignRobot, group: dict[str, str], root: str, chosen: Iterable[ForeignJoint]) -> ForeignBody:
    """The first body of an island that no joint of the tree carries: what the file builds everything else on."""
    carried = {joint.child for joint in chosen}
    own = [body for body in robot.bodies if _root(group, body.name) == root]
    return next((body for body in own if body.name not in carried), own[0])


def _tie(robot: ForeignRobot, body: ForeignBody, taken: Collection[str]) -> ForeignJoint:
    """What holds an island: nothing at all where the format has floating bodies, else the ground."""
    kind, name = ("free", f"{body.name}_floats") if robot.floating else ("fixed", f"{body.name}_base")
    at = Written(body.at.file, body.at.line, body.at.path)
    return ForeignJoint(FreeNames(taken).take(name), kind, WORLD, body.name, at)


def _outwards(joints: list[ForeignJoint], written: dict[str, int]) -> Iterable[ForeignJoint]:
    """From the world on; in the file's order among those that could come next. Joints met from their child's side are turned."""
    at_body: dict[str, list[ForeignJoint]] = {}
    for joint in sorted(joints, key=lambda j: written.get(j.name, len(written))):
        for name in (joint.parent, joint.child):
            at_body.setdefault(name, []).append(joint)
    reached, done, stack = {WORLD}, set(), [WORLD]
    while stack:
        body = stack.pop()
        onwards = []
        for joint in at_body.get(body, []):
            if joint.name in done:
                continue
            done.add(joint.name)
            turned = joint if joint.parent == body else turn_joint(joint)
            yield turned
            reached.add(turned.child)
            onwards.append(turned.child)
        stack.extend(reversed(onwards))


def turn_joint(joint: ForeignJoint) -> ForeignJoint:
    """The same joint seen from its child; coordinates keep their signs: what turned about an axis turns about its opposite."""
    axes = None if joint.axes is None else (_minus(joint.axes[1]), _minus(joint.axes[0]))
    start = joint.start
    if start is not None and joint.type == "universal":
        start = (start[1], start[0])
    elif start is not None and joint.type == "spherical":
        start = (start[0], *(-x for x in start[1:]))
    elif start is not None and joint.type in ("free", "planar"):
        start = _turned_start(joint.type, start, joint.axis)
    return replace(
        joint,
        parent=joint.child,
        child=joint.parent,
        on_parent=joint.on_child,
        on_child=joint.on_parent,
        axis=_minus(joint.axis) if joint.type in ONE_AXIS and joint.type != "planar" else joint.axis,
        axes=axes,
        start=start,
    )


def _minus(axis: tuple[float, float, float]) -> tuple[float, float, float]:
    return (0.0 - axis[0], 0.0 - axis[1], 0.0 - axis[2])


def _turned_start(kind: str, start: tuple[float, ...], axis: tuple[float, float, float]) -> tuple[float, ...] | None:
    from gough.spatial.poses import rotation_of_quaternion

    if kind == "planar":
        return None  # the slides are along other axes then; the loops find them
    back = rotation_of_quaternion(np.array(start[3:])).T
    return (*(-back @ np.array(start[:3])), start[3], *(-x for x in start[4:]))


def anchor_joint(joint: ForeignJoint) -> tuple[Placement, ForeignJoint]:
    """(the child's new frame in its old one, the joint with the identity on the child's side).

    A description's body has its origin where its joint moves it. Where the file's has it elsewhere, axes are kept and the origin
    moves to the joint, unless the motion is the same seen from the old origin.
    """
    there = joint.on_child
    if there.is_identity:
        return Placement(), joint
    if joint.type == "planar":  # its slides follow the joint's own axes
        return there, replace(joint, on_child=Placement())
    turn = Placement(rotation=there.rotation.T) if there.turns else Placement()
    moved = np.asarray(there.position)
    kept = Placement(there.position)
    if joint.type in ("fixed", "prismatic", "ball_screw") or (joint.type in ONE_AXIS and _along(joint, moved, there)):
        turn, kept = there.inverse(), Placement()
    elif not moved.any():
        kept = Placement()
    axis, axes, start = joint.axis, joint.axes, joint.start
    if there.turns:
        axis = _three_of(there.rotation, axis)
        axes = None if axes is None else (_three_of(there.rotation, axes[0]), _three_of(there.rotation, axes[1]))
        if start is not None and joint.type in ("spherical", "free"):
            n = len(start) - 4
            start = (
                *(() if n == 0 else _three_of(there.rotation, start[:3])),
                start[n],
                *_three_of(there.rotation, start[n + 1 :]),
            )
    placed = turn.after(joint.on_parent)
    return kept, replace(joint, on_parent=placed, on_child=Placement(), axis=axis, axes=axes, start=start)


def _along(joint: ForeignJoint, moved: np.ndarray, there: Placement) -> bool:
    axis = there.rotation @ np.asarray(joint.axis)
    return bool(np.linalg.norm(np.cross(axis, moved)) <= 1e-15 * np.linalg.norm(moved))


def _three_of(rotation: np.ndarray, x: Iterable[float]) -> tuple[float, float, float]:
    return tuple(float(v) + 0.0 for v in rotation @ np.array(list(x)))  # type: ignore[return-value]
