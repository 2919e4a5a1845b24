"""URDF, and beside it NAME.loops.yaml with what URDF has no words for: loops, couplings, platform, drives, home, gravity.

URDF is a tree of joints with one coordinate. A joint with several turns and slides is a chain of such joints with links without
inertia between them (`leg0_hip_1`, `leg0_hip_2`); a screw is a turn and a slide that mimics it. A ball is a `floating` joint with
a spherical loop that holds its origins together: exact in every position, where three hinges would have a singular one.
Coordinates mean what they mean in the description; home is in the loops file.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np

from gough.export.robots._inertia import drop_share
from gough.export.robots._omissions import Omissions
from gough.export.robots._plain import (
    BALL,
    SLIDE,
    WORLD,
    DrawnRod,
    PlainBody,
    PlainCoupling,
    PlainFreedom,
    PlainJoint,
    PlainRobot,
)
from gough.export.robots._xml import Tag, document, rpy, written
from gough.interchange.foreign import FAR, FAR_FORCE, Placement
from gough.interchange.naming import FreeNames
from gough.robot.writer import yaml_text
from gough.spatial.rotation import quaternion_wxyz_from_rotation

DRAKE = "http://drake.mit.edu"
COLOURS = {"platform": "0.35 0.5 0.7 1", "body": "0.6 0.62 0.65 1"}
INTERFACE = "hardware_interface/EffortJointInterface"


def urdf_text(robot: PlainRobot, path: Path, omissions: Omissions) -> dict[Path, str]:
    """{file: text} of the URDF and of its loops file."""
    writer = _UrdfWriter(robot, path, omissions)
    text = writer.text()
    return {path: text, path.with_name(f"{path.stem}.loops.yaml"): writer.loops_text()}


class _UrdfWriter:
    def __init__(self, robot: PlainRobot, path: Path, omissions: Omissions) -> None:
        self.robot, self.path, self.omissions = robot, path, omissions
        self.root = Tag("robot", {"name": robot.name})
        self.links = FreeNames([WORLD, *(body.name for body in robot.bodies)])
        self.elements: dict[str, Tag] = {}
        self.balls: list[dict[str, Any]] = []
        self.home: dict[str, Any] = {}
        self.mimics: set[str] = set()

    def text(self) -> str:
        robot = self.robot
        self.root.add("link", name=WORLD)
        for joint in robot.joints:
            self._joint(joint)
            self._link(robot.body(joint.child))
        for coupling in robot.couplings:
            self._mimic(coupling)
        for spring in robot.springs:
            self.omissions.drop("springs", f"{spring.told}: a spring between points")
        freedoms = [f for j in robot.joints for f in j.freedoms]
        if any(f.drive is not None and f.inertia for f in freedoms):
            self.root.attributes["xmlns:drake"] = DRAKE
        for freedom in freedoms:
            self._transmission(freedom)
            if freedom.stiffness and freedom.kind != BALL and not freedom.curve:
                about = self.root.add("gazebo", reference=freedom.name)
                about.add("springStiffness", written(freedom.stiffness))
                about.add("springReference", written(freedom.rest))
        beside = f"{self.path.stem}.loops.yaml"
        return document(
            self.root,
            f"{robot.title or robot.name}, written by gough. Units: m, kg, s, rad. Loops, home and more: {beside}.",
        )

    # -- links ------------------------------------------------------------------------------------------------------

    def _link(self, body: PlainBody) -> None:
        tag = self.root.add("link", name=body.name)
        drop_share(self.robot, body, self.omissions)
        if not body.is_massless:
            inertial = tag.add("inertial")
            inertial.add("origin", xyz=body.center)
            inertial.add("mass", value=body.mass)
            entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
            inertial.add("inertia", **{key: body.inertia[at] for key, at in entries.items()})
        role = "platform" if body.name == self.robot.platform else "body"
        for k, surface in enumerate(body.surfaces):
            visual = tag.add("visual")
            visual.add("origin", xyz=surface.at.position, rpy=rpy(surface.at))
            file = os.path.relpath(surface.file, self.path.parent).replace(os.sep, "/")
            visual.add("geometry").add("mesh", filename=file, scale=surface.scales)
            if surface.color is not None:
                color = [c / 255 for c in surface.color] + [1]
                visual.add("material", name=f"{body.name}_color{k or ''}").add("color", rgba=color)
        if body.surfaces:
            return
        for rod in body.rods:
            visual = tag.add("visual")
            at, length = rod_place(rod)
            visual.add("origin", xyz=at.position, rpy=rpy(at))
            geometry = visual.add("geometry")
            if length:
                geometry.add("cylinder", radius=rod.radius, length=length)
            else:
                geometry.add("sphere", radius=rod.radius)
            visual.add("material", name=role).add("color", rgba=COLOURS[role])
        for name, frame in body.frames.items():
            own = self.links.add(f"{body.name}_{name}")
            self.root.add("link", name=own)
            self._element(f"{own}_frame", "fixed", body.name, own, frame)

    # -- joints -----------------------------------------------------------------------------------------------------

    def _joint(self, joint: PlainJoint) -> None:
        at, parent = joint.on_parent, joint.parent
        if joint.type in ("spherical", "free"):
            self._element(joint.name, "floating", parent, joint.child, at)
            self._floating(joint)
            return
        if not joint.freedoms:
            self._element(joint.name, "fixed", parent, joint.child, at)
        for k, freedom in enumerate(joint.freedoms):
            last = k == len(joint.freedoms) - 1
            child = joint.child if last else self.links.add(f"{freedom.name}_link")
            if not last:
                self.root.add("link", name=child)
            self._freedom(freedom, parent, child, at)
            at, parent = Placement(), child

    def _element(self, name: str, kind: str, parent: str, child: str, at: Placement) -> Tag:
        tag = self.root.add("joint", name=name, type=kind)
        if not at.is_identity:
            tag.add("origin", xyz=at.position, rpy=rpy(at) if at.turns else None)
        tag.add("parent", link=parent)
        tag.add("child", link=child)
        self.elements[name] = tag
        return tag

    def _freedom(self, freedom: PlainFreedom, parent: str, child: str, at: Placement) -> None:
        slides = freedom.kind == SLIDE
        bounded = freedom.lower is not None or freedom.upper is not None
        kind = "prismatic" if slides else "revolute" if bounded else "continuous"
        tag = self._element(freedom.name, kind, parent, child, at)
        tag.add("axis", xyz=freedom.axis)
        self.home[freedom.name] = freedom.home
        force = None if freedom.drive is None else freedom.drive.force
        if kind != "continuous" or force is not None or freedom.speed is not None:
            ends = {"lower": freedom.lower, "upper": freedom.upper} if kind != "continuous" else {}
            far = {"lower": -FAR, "upper": FAR}
            limit = {key: far[key] if x is None else x for key, x in ends.items()}
            limit |= {"effort": FAR_FORCE if force is None else force}
            limit |= {"velocity": FAR if freedom.speed is None else freedom.speed}
            tag.add("limit", **limit)
        if freedom.viscous or freedom.coulomb:
            tag.add("dynamics", damping=freedom.viscous or None, friction=freedom.coulomb or None)
        told = freedom.told
        if freedom.smoothing:
            message = f"{told}: Coulomb's friction that is smooth at rest (smoothing {freedom.smoothing:g})"
            self.omissions.drop("smoothing", message, "Coulomb's own")
        if freedom.armature and freedom.drive is None:
            self.omissions.drop("armature", f"{told}: an armature of {freedom.armature:g}")
        if freedom.curve or freedom.push:
            said = freedom.curve or f"a constant force of {freedom.push:g} without stiffness"
            self.omissions.drop("springs", f"{told}: a spring in a joint that is {said}")

    def _floating(self, joint: PlainJoint) -> None:
        slides, ball = [f for f in joint.freedoms if f.kind == SLIDE], joint.freedoms[-1]
        position = [f.home for f in slides] or [0.0, 0.0, 0.0]
        self.home[joint.name] = [*position, *ball.home]
        if any(f.armature for f in joint.freedoms):
            self.omissions.drop("armature", f"{joint.told}: an armature in a {joint.type} joint")
        if any(f.stiffness or f.push or f.curve for f in joint.freedoms):
            self.omissions.drop("springs", f"{joint.told}: a spring in a {joint.type} joint")
        if joint.type == "free":
            if any(f.viscous or f.coulomb for f in joint.freedoms):
                self.omissions.drop("friction", f"{joint.told}: friction in a free joint")
            return
        friction = _friction_words([(ball.viscous, ball.coulomb, ball.smoothing)])
        self.balls.append(
            {
                "name": f"{joint.name}_ball",
                "type": "spherical",
                "first": _end(joint.parent, joint.on_parent),
                "second": _end(joint.child, Placement()),
                **({} if friction is None else {"friction": friction}),
            }
        )

    def _mimic(self, coupling: PlainCoupling) -> None:
        """A relation of two joints as <mimic>, where the one that follows neither leads nor follows others."""
        tied = [name for c in self.robot.couplings for name in c.coefficients]
        driven = {f.name for j in self.robot.joints for f in j.freedoms if f.drive is not None}
        alone = [n for n in coupling.coefficients if tied.count(n) == 1 and n not in driven and n in self.elements]
        if len(coupling.coefficients) != 2 or not alone:
            return
        follower = alone[0]
        leader = next(n for n in coupling.coefficients if n != follower)
        c = coupling.coefficients
        ratio, offset = -c[leader] / c[follower], coupling.offset / c[follower]
        tag = self.elements[follower]
        tag.add("mimic", joint=leader, multiplier=ratio, offset=offset or None)
        self.mimics.add(coupling.name)

    def _transmission(self, freedom: PlainFreedom) -> None:
        drive = freedom.drive
        if drive is None:
            return
        tag = self.root.add("transmission", name=f"{freedom.name}_drive")
        tag.add("type", "transmission_interface/SimpleTransmission")
        tag.add("joint", name=freedom.name).add("hardwareInterface", INTERFACE)
        motor = tag.add("actuator", name=f"{freedom.name}_motor")
        motor.add("mechanicalReduction", "1")
        if freedom.inertia:
            motor.add("drake:rotor_inertia", value=freedom.inertia)

    # -- what URDF has no words for -----------------------------------------------------------------------------------

    def loops_text(self) -> str:
        """Keys of a description, with the names of the URDF."""
        robot = self.robot
        data: dict[str, Any] = {"gravity": list(robot.gravity)}
        if robot.platform is not None:
            data["platform"] = robot.platform
        drives = [f.name for j in robot.joints for f in j.freedoms if f.drive is not None]
        data["drives"] = drives  # none are said, too: without motors a reader may drive all joints of a tree
        loops = [*self.balls, *(self._loop(loop) for loop in robot.loops)]
        if loops:
            data["loops"] = loops
        couplings = [c for c in robot.couplings if c.name not in self.mimics]
        if couplings:
            data["couplings"] = [
                {"name": c.name, "type": "differential", "coefficients": dict(c.coefficients), "offset": c.offset}
                for c in couplings
            ]
        data |= robot.choices
        if self.home:
            data["home"] = {"joints": self.home}
        head = f"# Beside {self.path.name}, with names of its links and joints: what URDF has no words for. Units: m, rad, N.\n"
        return head + yaml_text(data)

    def _loop(self, loop: Any) -> dict[str, Any]:
        data: dict[str, Any] = {
            "name": loop.name,
            "type": loop.type,
            "first": _end(loop.first, loop.on_first),
            "second": _end(loop.second, loop.on_second),
        }
        if loop.axis is not None:
            data["axis"] = list(loop.axis)
        if loop.axes is not None:
            data["axes"] = [list(axis) for axis in loop.axes]
            data |= {} if abs(loop.angle - np.pi / 2) < 1e-15 else {"angle": loop.angle}
        data |= {key: x for key, x in (("length", loop.length), ("lead", loop.lead)) if x is not None}
        friction = _friction_words(loop.friction)
        return data if friction is None else data | {"friction": friction}


def rod_place(rod: DrawnRod) -> tuple[Placement, float]:
    """(the frame in a rod's middle with z along it, its length)."""
    start, end = np.asarray(rod.start), np.asarray(rod.end)
    length = float(np.linalg.norm(end - start))
    if length == 0.0:
        return Placement(rod.start), 0.0
    z = (end - start) / length
    x = np.cross(np.eye(3)[(int(np.argmax(np.abs(z))) + 1) % 3], z)
    x /= np.linalg.norm(x)
    middle = 0.5 * (start + end)
    return Placement(tuple(middle.tolist()), np.column_stack([x, np.cross(z, x), z]) + 0.0), length


def _end(body: str, at: Placement) -> dict[str, Any]:
    pose: dict[str, Any] = {}
    if at.position != (0.0, 0.0, 0.0):
        pose["position"] = list(at.position)
    if at.turns:
        pose["quaternion_wxyz"] = quaternion_wxyz_from_rotation(at.rotation).tolist()
    return {"body": body, **({"pose": pose} if pose else {})}


def _friction_words(friction: Any) -> Any:
    """As the description has it; None where there is none."""
    each = [
        {key: x for key, x in zip(("viscous", "coulomb", "smoothing"), numbers, strict=True) if x}
        for numbers in friction
    ]
    if not any(each):
        return None
    return each[0] if len(each) == 1 else [own or None for own in each]
