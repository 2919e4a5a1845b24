"""One view of both forms of a robot: the joints of its tree, the loops that close it, and its bodies by full name.

A full name is "leg.body" (or "leg.joint") for what belongs to a leg, the plain name for everything else.
A loop that is cut at a joint with a coordinate of its own (`JointType.carried_when_cut`) is seen as that joint in the tree, under
the loop's name, and a massless body "LOOP.nut" that is fixed to the other side.
"""

from dataclasses import dataclass, replace

from gough.joints import ALL
from gough.robot._leg import BASE, Leg
from gough.robot.body import Body
from gough.robot.closures import Cut, Loop, LoopEnd
from gough.robot.effects import Friction, Limits, acts_alone
from gough.robot.joint import ChainJoint, TreeJoint
from gough.robot.platform.guide import guide_joints, guide_name, guide_values
from gough.robot.platform.home_axes import frame_on_platform
from gough.robot.pose import Pose
from gough.robot.robot import Platform, Robot

WORLD = "world"
NUT = "nut"
"""Last part of the name of the massless body that the joint of a loop carries, where it has a coordinate."""

Axis = tuple[float, float, float]


@dataclass(frozen=True)
class PlacedJoint:
    """A joint of the tree with the body that it carries.

    name and body_name are full names, parent is the full name of the body before it ("world" included). base is the
    frame in the parent that comes before joint.placement, the leg's base, or None. leg: index in robot.legs, or -1.
    """

    name: str
    joint: ChainJoint | TreeJoint
    parent: str
    base: Pose | None
    body: Body
    body_name: str
    leg: int


@dataclass(frozen=True)
class PlacedLoop:
    """A closure between two bodies by their full names; the joint frame on each is its base (or none), then its pose.

    leg: index in robot.legs, or -1.
    """

    name: str
    type: str
    axis: Axis | None
    axes: tuple[Axis, Axis] | None
    angle: float | None
    length: float | None
    friction: Friction | tuple[Friction | None, ...]
    limits: Limits
    first: str
    first_base: Pose | None
    first_pose: Pose
    second: str
    second_base: Pose | None
    second_pose: Pose
    leg: int
    described: Cut | Loop


def placed_joints(robot: Robot) -> tuple[PlacedJoint, ...]:
    """All joints, parents before children: those of the legs in order, then the robot's own."""
    placed = [joint for index, leg in enumerate(robot.legs) for joint in _leg_joints(index, leg)]
    own = {body.name: body for body in robot.bodies}
    for joint in _parents_first(robot.joints):
        placed.append(PlacedJoint(joint.name, joint, joint.parent, None, own[joint.child], joint.child, -1))
    placed += _guide(robot)
    return (*placed, *(_carrying(loop) for loop in _described_loops(robot) if _is_carried(loop)))


def _guide(robot: Robot) -> list[PlacedJoint]:
    """Of a platform with stated freedoms."""
    platform = robot.platform
    if not isinstance(platform, Platform) or platform.freedoms is None or robot.home.pose is None:
        return []
    found = guide_joints(platform.name, platform.body, platform.freedoms, robot.home.pose)
    return [
        PlacedJoint(
            f"{platform.name}.{joint.name}",
            joint,
            joint.parent,
            None,
            body,
            platform.name if body is platform.body else f"{platform.name}.{body.name}",
            -1,
        )
        for joint, body in found
    ]


def guided_home(robot: Robot) -> dict[str, float]:
    """Coordinates of the guide's joints at the stated home pose, by full name; {} without a guide."""
    if not isinstance(robot.platform, Platform) or robot.platform.freedoms is None or robot.home.pose is None:
        return {}
    values = guide_values(robot.home.pose)
    return {f"{robot.platform.name}.{guide_name(name)}": values[name] for name in robot.platform.freedoms}


def placed_loops(robot: Robot) -> tuple[PlacedLoop, ...]:
    """All closures: of each leg its cut, then its loops; then the robot's own."""
    return tuple(_fixed_nut(loop) if _is_carried(loop) else loop for loop in _described_loops(robot))


def _described_loops(robot: Robot) -> tuple[PlacedLoop, ...]:
    placed: list[PlacedLoop] = []
    for index, leg in enumerate(robot.legs):
        if leg.cut is not None:
            placed.append(_placed_cut(robot, index, leg))
        placed += [_placed_loop(loop, robot, index, leg) for loop in leg.loops]
    return tuple(placed + [_placed_loop(loop, robot, -1, None) for loop in robot.loops])


def platform_body(robot: Robot) -> Body | None:
    """The platform: its own body, or the body that `platform` names; None where the robot has no platform."""
    if isinstance(robot.platform, Platform):
        return robot.platform.body
    return next((body for body in robot.bodies if body.name == robot.platform), None)


def platform_name(robot: Robot) -> str | None:
    """The platform's name, None where the robot has no platform."""
    return robot.platform.name if isinstance(robot.platform, Platform) else robot.platform


def platform_joint(robot: Robot) -> PlacedJoint | None:
    """The free joint from the world to the body that is the platform, which the platform's pose and twist stand for.

    None where there is none, or where something acts in it (friction, a spring): that belongs to the joint's own coordinates.
    """
    name = platform_name(robot)
    found = next((j for j in placed_joints(robot) if j.body_name == name and j.parent == WORLD), None)
    if found is None or found.joint.type != "free":
        return None
    return None if acts_alone(found.joint) else found


def bodies(robot: Robot) -> dict[str, Body]:
    """Every body by its full name: the platform, those of the legs, the robot's own."""
    result: dict[str, Body] = {}
    if isinstance(robot.platform, Platform):
        result[robot.platform.name] = robot.platform.body
    result |= {f"{leg.name}.{joint.body.name}": joint.body for leg in robot.legs for joint in leg.chain}
    result |= {body.name: body for body in robot.bodies}
    result |= {joint.body_name: joint.body for joint in _guide(robot)}
    return result | {_nut(loop): Body(name=NUT) for loop in _described_loops(robot) if _is_carried(loop)}


def _is_carried(loop: PlacedLoop) -> bool:
    return ALL[loop.type].carried_when_cut


def _nut(loop: PlacedLoop) -> str:
    return f"{loop.name}.{NUT}"


def _carrying(loop: PlacedLoop) -> PlacedJoint:
    """The joint of a loop as one of the tree, from the loop's first body to the massless nut."""
    dimensions = {d.key: getattr(loop.described, d.key) for d in ALL[loop.type].dimensions}
    joint = TreeJoint(
        name=NUT,
        type=loop.type,
        parent=loop.first,
        child=NUT,
        pose=loop.first_pose,
        axis=loop.axis,
        axes=loop.axes,
        friction=loop.friction,
        limits=loop.limits,
        **dimensions,
    )
    return PlacedJoint(loop.name, joint, loop.first, loop.first_base, Body(name=NUT), _nut(loop), loop.leg)


def _fixed_nut(loop: PlacedLoop) -> PlacedLoop:
    """The closure that is left of such a loop."""
    held = {"name": _nut(loop), "type": "fixed", "axis": None, "axes": None, "angle": None, "length": None}
    start = {"first": _nut(loop), "first_base": None, "first_pose": Pose()}
    return replace(loop, **held, **start, friction=Friction(), limits=Limits())


def _parents_first(joints: tuple[TreeJoint, ...]) -> list[TreeJoint]:
    """In the order of the description, except that a parent's joint comes before those of its children."""
    carrier = {joint.child: joint for joint in joints}
    order: dict[str, TreeJoint] = {}
    for joint in joints:
        way: dict[str, TreeJoint] = {}
        above: TreeJoint | None = joint
        while above is not None and above.name not in order and above.name not in way:
            way[above.name] = above
            above = carrier.get(above.parent)
        order |= dict(reversed(way.items()))
    return list(order.values())


def _leg_joints(index: int, leg: Leg) -> list[PlacedJoint]:
    carried = {joint.name: f"{leg.name}.{joint.body.name}" for joint in leg.chain}
    result = []
    before = WORLD
    for joint in leg.chain:
        parent = before if joint.on is None else WORLD if joint.on == BASE else carried[joint.on]
        base = leg.base if parent == WORLD else None
        before = carried[joint.name]
        result.append(PlacedJoint(f"{leg.name}.{joint.name}", joint, parent, base, joint.body, before, index))
    return result


def _placed_cut(robot: Robot, index: int, leg: Leg) -> PlacedLoop:
    cut, last, platform = leg.cut, leg.chain[-1].body.name, platform_name(robot)
    if cut is None or platform is None:
        raise ValueError(f"{leg.name}: a cut without a platform")
    return PlacedLoop(
        name=f"{leg.name}.{cut.name}",
        type=cut.type,
        axis=cut.axis,
        axes=cut.axes,
        angle=cut.angle,
        length=cut.length,
        friction=cut.friction,
        limits=cut.limits,
        first=f"{leg.name}.{last}",
        first_base=None,
        first_pose=cut.on_leg,
        second=platform,
        second_base=None,
        second_pose=frame_on_platform(leg, robot.home),
        leg=index,
        described=cut,
    )


def _placed_loop(loop: Loop, robot: Robot, index: int, leg: Leg | None) -> PlacedLoop:
    first, first_base = _end(loop.first, robot, leg)
    second, second_base = _end(loop.second, robot, leg)
    return PlacedLoop(
        name=loop.name if leg is None else f"{leg.name}.{loop.name}",
        type=loop.type,
        axis=loop.axis,
        axes=loop.axes,
        angle=loop.angle,
        length=loop.length,
        friction=loop.friction,
        limits=loop.limits,
        first=first,
        first_base=first_base,
        first_pose=loop.first.pose,
        second=second,
        second_base=second_base,
        second_pose=loop.second.pose,
        leg=index,
        described=loop,
    )


def _end(end: LoopEnd, robot: Robot, leg: Leg | None) -> tuple[str, Pose | None]:
    """The full name of a loop's body and the frame that comes before its pose."""
    if leg is None:
        return end.body, None
    if any(joint.body.name == end.body for joint in leg.chain):
        return f"{leg.name}.{end.body}", None
    if end.body == WORLD:
        return end.body, leg.base
    return end.body, frame_on_platform(leg, robot.home) if end.body == platform_name(robot) else None
