"""URDF, with what ROS, Gazebo and URDF+ add to it, becomes a foreign robot.

The root link stands still, with or without mass; a link called world that nothing carries is the world. A joint's frame is that
of its child at 0, so `Placement`s of joints are the file's own <origin>s, and their digits are kept.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gough.interchange._forgotten import tell_forgotten_loops
from gough.interchange.findings import Findings
from gough.interchange.foreign import WORLD, ForeignBody, ForeignJoint, ForeignRobot, ReadingOptions
from gough.interchange.loops import BESIDE, add_loops, loops_beside
from gough.interchange.urdf._closing import read_loops
from gough.interchange.urdf._drake import JOINT as DRAKE_JOINT
from gough.interchange.urdf._drake import READ as OF_DRAKE
from gough.interchange.urdf._drake import read_drake
from gough.interchange.urdf._gazebo import with_gazebo_springs
from gough.interchange.urdf._joints import JointsRead, read_joints
from gough.interchange.urdf._links import LinkReader
from gough.interchange.urdf._motors import Motor, read_control_mimics, read_motors
from gough.interchange.urdf._sheet import Sheet
from gough.interchange.xml import Element, read_xml
from gough.joints import ALL
from gough.robot.checks.suggestions import meant_word

PARTS = ("link", "joint", "material", "transmission", "ros2_control", "gazebo", "loop", "coupling", *OF_DRAKE)
LEFT_OUT = {"sensor": "sensors are left out"}
CLOSING = re.compile(r"closing_(.+)_1")
"""A frame of onshape-to-robot on one side of a loop; _2 ends the other's name."""
XACRO = re.compile(r"\$[{(]")


def read(path: Path, options: ReadingOptions, findings: Findings) -> ForeignRobot:
    """A robot from a URDF file."""
    root = read_xml(path)
    sheet = Sheet(str(path), findings)
    if root.tag != "robot":
        sheet.refuse(root, f"<{root.tag}> in the place of <robot>", "a URDF file")
        findings.tell_problems()
    _refuse_xacro(sheet, root, path)
    links = _link_names(sheet, root)
    reader = LinkReader(sheet, path, options.packages, root)
    read_links = [reader.read_link(element, name, links[name]) for name, element in _named_links(root, links)]
    found = read_joints(sheet, root, links)
    loops, couplings = read_loops(sheet, root, links, found.joints)
    balls, springs = read_drake(sheet, root, links, [joint.name for joint in (*found.joints, *loops)])
    loops += balls
    _refuse_islands(sheet, root, read_links, found.joints)
    for element in root.children:
        if element.tag not in PARTS:
            sheet.say(element, LEFT_OUT.get(element.tag, f"<{element.tag}> is not known and left out"))
    findings.tell_problems()
    scalar = [joint.name for joint in found.joints if ALL[joint.type].is_scalar]
    followed = read_control_mimics(sheet, root, scalar, found.couplings)
    joints = _with_motors(sheet, root, found, bool(loops or couplings))
    ground = {name for name in links.values() if name == WORLD}
    robot = ForeignRobot(
        name=root.get("name") or path.stem,
        file=str(path),
        format="URDF",
        bodies=tuple(body for body in read_links if body.name not in ground),
        joints=(*joints, *loops),
        couplings=(*found.couplings, *followed, *couplings),
        springs=tuple(springs),
    )
    beside = loops_beside(path, findings) if options.loops is None else options.loops
    paired = beside is None and not loops and _tell_pairs(sheet, root, path, links)
    if beside is not None:
        robot = add_loops(robot, beside, findings)
    if not paired:
        own = f"{path.stem}{BESIDE}" if beside is None else beside.name
        tell_forgotten_loops(robot, findings, f"Then state it under `loops:` of {own}")
    return robot


def _tell_pairs(sheet: Sheet, root: Element, path: Path, links: Mapping[str, str]) -> bool:
    """Links that look like the two sides of a loop, in a file that says nothing of loops; whether there are any."""
    ends = [name for name in links if (found := CLOSING.fullmatch(name)) and f"closing_{found[1]}_2" in links]
    if ends:
        first = str(ends[0])
        second, name = f"{first[:-1]}2", first.removeprefix("closing_").removesuffix("_1")
        said = f"{{name: {name}, type: revolute, first: {{body: {first}}}, second: {{body: {second}}}}}"
        message = (
            f"{first!r} and {second!r} look like the two sides of a loop, which nothing closes; in {path.stem}{BESIDE}"
        )
        more = f" ({len(ends)} such pairs)" if len(ends) > 1 else ""
        sheet.say(root, f"{message} beside it `loops: [{said}]`, of the joint's own type, would{more}")
    return bool(ends)


def _refuse_xacro(sheet: Sheet, root: Element, path: Path) -> None:
    """Macros that nobody has expanded; a namespace that was left over is none."""
    for element in root.walk():
        told = next((v for v in element.attributes.values() if XACRO.search(v)), None)
        if element.tag.startswith("xacro:") or told is not None:
            what = f"<{element.tag}>" if told is None else f"{told!r}"
            remedy = f"URDF: run `xacro {path.name} > {path.stem.removesuffix('.urdf')}_expanded.urdf`"
            sheet.refuse(element, f"{what} of xacro, a program that writes URDF", remedy)
            sheet.findings.tell_problems()


def _link_names(sheet: Sheet, root: Element) -> dict[str, str]:
    """{name of a link: name of its body}: a root called world is the world, another link of that name gets another one."""
    children = {found.get("link") for joint in root.all("joint") for found in joint.all("child")}
    lines: dict[str, int] = {}
    for element in root.all("link"):
        name = sheet.name(element)
        if name in lines:
            sheet.refuse(element, f"the link {name!r} a second time (first on line {lines[name]})", "another name")
        elif name is not None:
            lines[name] = element.line
    if not lines:
        sheet.refuse(root, "a robot without links", "at least one <link>")
    names = {name: name for name in lines}
    if WORLD in names and WORLD in children:
        names[WORLD] = next(n for k in range(len(names) + 1) if (n := f"world_link{'_' * k}") not in names)
    return names


def _named_links(root: Element, links: Mapping[str, str]) -> list[tuple[str, Element]]:
    """Each link once."""
    first: dict[str, Element] = {}
    for element in root.all("link"):
        first.setdefault(element.get("name") or "", element)
    return [(name, first[name]) for name in links]


def _refuse_islands(sheet: Sheet, root: Element, bodies: Sequence[ForeignBody], joints: Sequence[ForeignJoint]) -> None:
    """URDF has one root, which everything hangs on; links that a refused joint would carry are no second roots."""
    refused = root.all(DRAKE_JOINT)
    meant = {str(found.get("link")) for joint in (*root.all("joint"), *refused) for found in joint.all("child")}
    known = [body.name for body in bodies]
    meant |= {near for name in meant - set(known) if (near := meant_word(name, known)) is not None}
    carried = {joint.child for joint in joints}
    roots = {body.name: body for body in bodies if body.name not in carried}
    on_world = WORLD in roots or any(joint.parent == WORLD for joint in joints)
    first = WORLD if on_world else next((name for name in roots if name not in meant), next(iter(roots), None))
    if bodies and first is None:
        sheet.refuse(root, "every link is the child of a joint: a circle without a root", "a link that nothing carries")
    for name, body in roots.items():
        if name != first and name not in meant:
            message = f"a second root beside {first!r}: no joint carries it"
            sheet.findings.refuse(body.at, message, "a joint that carries it")
    if first is not None and len(joints) == len(root.all("joint")) and not refused:
        _refuse_circles(sheet, bodies, joints, {first, *roots})
    carrier: dict[str, ForeignJoint] = {}
    for joint in joints:
        if carrier.setdefault(joint.child, joint) is not joint:
            message = "a link that two joints carry closes a loop; other readers of URDF refuse it"
            sheet.findings.remark(joint.at, message)


def _refuse_circles(
    sheet: Sheet, bodies: Sequence[ForeignBody], joints: Sequence[ForeignJoint], held: set[str]
) -> None:
    """Links that carry each other in a circle hang on no root."""
    below: dict[str, list[str]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint.child)
    stack = list(held)
    while stack:
        new = [name for name in below.get(stack.pop(), []) if name not in held]
        held |= set(new)
        stack += new
    lost = [body for body in bodies if body.name not in held]
    if lost:
        names = ", ".join(body.name for body in lost[:6]) + (f" and {len(lost) - 6} more" if len(lost) > 6 else "")
        message = f"links in a circle, which no joint ties to the root: {names}"
        sheet.findings.refuse(lost[0].at, message, "a joint from the root, or from what hangs on it, to one of them")


def _with_motors(sheet: Sheet, root: Element, found: JointsRead, closed: bool) -> list[ForeignJoint]:
    joints = with_gazebo_springs(sheet, root, {joint.name: joint for joint in found.joints})
    scalar = [name for name, joint in joints.items() if ALL[joint.type].is_scalar]
    motors = read_motors(sheet, root, scalar)
    if not motors and found.dependent and closed:
        motors = {name: Motor() for name in scalar if name not in found.dependent}  # the independent joints of URDF+
    return [_driven(joint, motors.get(name)) for name, joint in joints.items()]


def _driven(joint: ForeignJoint, motor: Motor | None) -> ForeignJoint:
    if motor is None:
        return joint
    effects = replace(joint.effects, rotor_inertia=motor.rotor_inertia, gear=motor.gear)
    return replace(joint, driven=True, effects=effects)
