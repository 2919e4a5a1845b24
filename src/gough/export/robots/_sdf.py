"""SDF of Gazebo (1.11): a world with the robot's gravity and one model.

Links stand at home, where all joints of SDF are at 0: coordinates count from home, bounds and springs are moved accordingly.
Loops are joints as any other. A free body has no joint. Drives are Gazebo's plugin that takes forces for a joint; joints that
nothing drives have an effort of 0. Rotors are Drake's words (`drake:rotor_inertia`).
"""

import os
from pathlib import Path
from typing import Any

import numpy as np

from gough.export.robots._halves import share_mass
from gough.export.robots._inertia import LIGHTEST, drop_share, heavy_body
from gough.export.robots._omissions import Omissions
from gough.export.robots._plain import (
    TURN,
    WORLD,
    PlainBody,
    PlainCoupling,
    PlainFreedom,
    PlainJoint,
    PlainLoop,
    PlainRobot,
    at_home,
    three,
)
from gough.export.robots._urdf import DRAKE, rod_place
from gough.export.robots._xml import Tag, document, rpy, written
from gough.interchange.foreign import IN_SDF, Placement
from gough.interchange.naming import FreeNames

VERSION = "1.11"
GOUGH = "urn:gough"
"""The namespace of what SDF has no words for."""
PUSHING = ("gz-sim-apply-joint-force-system", "gz::sim::systems::ApplyJointForce")
"""Gazebo's plugin by which forces are commanded to a joint."""
ONE = {"revolute": "revolute", "prismatic": "prismatic", "ball_screw": "prismatic", "helical": "screw"}
LOOPS = {
    "spherical": "ball",
    "revolute": "revolute",
    "universal": "universal",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
LOOPS["ball_screw"] = "prismatic"
COLOURS = {"platform": "0.35 0.5 0.7 1", "body": "0.6 0.62 0.65 1"}


def sdf_text(robot: PlainRobot, path: Path, omissions: Omissions) -> dict[Path, str]:
    """{file: text}."""
    return {path: _SdfWriter(share_mass(robot, omissions), path, omissions).text()}


class _SdfWriter:
    def __init__(self, robot: PlainRobot, path: Path, omissions: Omissions) -> None:
        self.robot, self.folder, self.omissions = robot, path.parent, omissions
        self.root = Tag("sdf", {"version": VERSION})
        world = self.root.add("world", name=f"{robot.name}_world")
        world.add("gravity", written(robot.gravity))
        self.model = world.add("model", name=robot.name)
        if robot.closure_tolerance is not None:
            self.root.attributes["xmlns:gough"] = GOUGH
            self.model.add(IN_SDF, written(robot.closure_tolerance))
        self.names = FreeNames([WORLD, *(body.name for body in robot.bodies)])
        """Links, joints and frames of a model are called differently."""
        self.axes: dict[str, tuple[str, str, Tag]] = {}
        """Of freedoms: joint, axis or axis2, and its element."""

    def text(self) -> str:
        robot = self.robot
        self.omissions.note_choices(robot.choices, robot.is_undriven_tree)
        if any(f.home for j in robot.joints for f in j.freedoms if j.type != "free"):
            self.omissions.note("coordinates count from home: SDF has joints at 0 where the links stand")
        for joint in robot.joints:
            self._link(joint, robot.body(joint.child))
        for joint in robot.joints:
            self._joint(joint)
        for loop in robot.loops:
            self._loop(loop)
        for coupling in robot.couplings:
            self._coupling(coupling)
        for spring in robot.springs:
            self.omissions.drop("springs", f"{spring.told}: a spring between points")
        for joint in robot.joints:
            for freedom in joint.freedoms:
                if freedom.drive is not None and freedom.name in self.axes:
                    plugin = self.model.add("plugin", filename=PUSHING[0], name=PUSHING[1])
                    plugin.add("joint_name", self.axes[freedom.name][0])
        if any(f.drive is not None and f.inertia for j in robot.joints for f in j.freedoms):
            self.root.attributes["xmlns:drake"] = DRAKE
        return document(self.root, f"{robot.title or robot.name}, written by gough. Units: m, kg, s, rad.")

    def _link(self, joint: PlainJoint, body: PlainBody) -> None:
        tag = self.model.add("link", name=body.name)
        _add_pose(tag, body.home)
        if body.weight_share == 0.0:
            tag.add("gravity", "false")
        else:
            drop_share(self.robot, body, self.omissions)
        found = heavy_body(self.robot, joint, body, self.omissions) or LIGHTEST  # without mass SDF has 1 kg
        inertial = tag.add("inertial")
        _add_pose(inertial, Placement(body.center))
        inertial.add("mass", written(found.mass))
        inertia = inertial.add("inertia")
        for key, at in {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yy": (1, 1), "yz": (1, 2), "zz": (2, 2)}.items():
            inertia.add(f"i{key}", written(found.tensor[at]))
        self._looks(tag, body)
        for name, frame in body.frames.items():
            _add_pose(self.model.add("frame", name=self._called(f"{body.name}_{name}"), attached_to=body.name), frame)

    def _looks(self, tag: Tag, body: PlainBody) -> None:
        color = COLOURS["platform" if body.name == self.robot.platform else "body"]
        for k, surface in enumerate(body.surfaces):
            visual = tag.add("visual", name=f"surface{k or ''}")
            _add_pose(visual, surface.at)
            mesh = visual.add("geometry").add("mesh")
            mesh.add("uri", os.path.relpath(surface.file, self.folder).replace(os.sep, "/"))
            mesh.add("scale", written(surface.scales))
            own = color if surface.color is None else written([c / 255 for c in surface.color] + [1])
            visual.add("material").add("diffuse", own)
        if body.surfaces:
            return
        for k, rod in enumerate(body.rods):
            visual = tag.add("visual", name=f"rod{k}")
            at, length = rod_place(rod)
            _add_pose(visual, at)
            shape = visual.add("geometry").add("cylinder" if length else "sphere")
            shape.add("radius", written(rod.radius))
            if length:
                shape.add("length", written(length))
            visual.add("material").add("diffuse", color)

    # -- joints -----------------------------------------------------------------------------------------------------

    def _joint(self, joint: PlainJoint) -> None:
        told = joint.told
        if joint.type in ("free", "spherical"):
            if any(f.armature for f in joint.freedoms):
                self.omissions.drop("armature", f"{told}: an armature in a {joint.type} joint")
            if any(f.stiffness or f.push or f.curve for f in joint.freedoms):
                self.omissions.drop("springs", f"{told}: a spring in a {joint.type} joint")
            if any(f.viscous or f.coulomb for f in joint.freedoms):
                self.omissions.drop("friction", f"{told}: friction in a {joint.type} joint")
            if joint.type == "spherical":
                self._element(joint.name, "ball", joint.parent, joint.child)
            return
        kind = ONE.get(joint.type, joint.type)
        if kind not in (*ONE.values(), "universal", "fixed"):
            self.omissions.refuse(f"{told}: a {joint.type} joint")
            return
        tag = self._element(joint.name, kind, joint.parent, joint.child)
        if joint.type == "helical":
            turn, slide = joint.freedoms
            lead = next(c for c in self.robot.couplings if c.of_screw and slide.name in c.coefficients)
            tag.add("screw_thread_pitch", written(-2 * np.pi * lead.coefficients[turn.name]))
        freedoms = joint.freedoms[:1] if joint.type == "helical" else joint.freedoms
        for k, freedom in enumerate(freedoms):
            later = at_home(joint.freedoms[k + 1 :]).rotation
            self._axis(
                tag, joint.name, "axis" if k == 0 else "axis2", freedom, three(later.T @ np.asarray(freedom.axis))
            )

    def _element(self, name: str, kind: str, parent: str, child: str, at: Placement | None = None) -> Tag:
        tag = self.model.add("joint", name=self._called(name), type=kind)
        tag.add("parent", parent)
        tag.add("child", child)
        if at is not None:
            _add_pose(tag, at)
        return tag

    def _called(self, name: str) -> str:
        taken = {body.name for body in self.robot.bodies}
        called = self.names.of[name] = self.names.add(f"{name}_joint" if name in taken else name)
        if called != name:
            self.omissions.note(f"{name} is called {called}: links, joints and frames of SDF share their names")
        return called

    def _axis(self, joint: Tag, name: str, which: str, freedom: PlainFreedom, direction: Any) -> None:
        tag = joint.add(which)
        tag.add("xyz", written(direction))
        self.axes[freedom.name] = (self.names.of[name], which, tag)
        home, told, drive = float(freedom.home), freedom.told, freedom.drive
        limit = tag.add("limit")
        for key, bound in (("lower", freedom.lower), ("upper", freedom.upper)):
            if bound is not None:
                limit.add(key, written(bound - home))
        if drive is None:
            limit.add("effort", "0")
        elif drive.force is not None:
            limit.add("effort", written(drive.force))
        if freedom.speed is not None:
            limit.add("velocity", written(freedom.speed))
        if not limit.children:
            tag.children.remove(limit)
        said = freedom.curve or (f"a constant force of {freedom.push:g} without stiffness" if freedom.push else "")
        if said:
            self.omissions.drop("springs", f"{told}: a spring in a joint that is {said}")
        stiffness = 0.0 if said else freedom.stiffness
        if freedom.viscous or freedom.coulomb or stiffness:
            dynamics = tag.add("dynamics")
            if freedom.viscous:
                dynamics.add("damping", written(freedom.viscous))
            if freedom.coulomb:
                dynamics.add("friction", written(freedom.coulomb))
            if stiffness:
                dynamics.add("spring_reference", written(float(freedom.rest) - home))
                dynamics.add("spring_stiffness", written(stiffness))
        if freedom.smoothing:
            message = f"{told}: Coulomb's friction that is smooth at rest (smoothing {freedom.smoothing:g})"
            self.omissions.drop("smoothing", message, "Coulomb's own")
        if freedom.armature and freedom.drive is None:
            self.omissions.drop("armature", f"{told}: an armature of {freedom.armature:g}")
        if drive is not None and freedom.inertia:
            joint.add("drake:rotor_inertia", written(freedom.inertia))
            joint.add("drake:gear_ratio", "1")

    # -- what ties them together ------------------------------------------------------------------------------------

    def _loop(self, loop: PlainLoop) -> None:
        kind = LOOPS.get(loop.type)
        if kind is None:
            self.omissions.drop("loops", f"{loop.told}: a {loop.type} joint that closes a loop")
            return
        sides = [(loop.first, loop.on_first), (loop.second, loop.on_second)]
        axes = [loop.axis] if loop.axes is None else list(loop.axes)
        if loop.second == WORLD:  # a child is a link
            sides, axes = sides[::-1], axes[::-1]
        (parent, on_parent), (child, on_child) = sides
        tag = self._element(loop.name, kind, parent, child, on_child)
        if kind in ("ball", "fixed"):
            if loop.friction:
                self.omissions.drop("friction", f"{loop.told}: friction in a {loop.type} joint that closes a loop")
            return
        if kind == "universal":
            there = on_parent.after(self.robot.home_of(parent)).rotation
            here = on_child.after(self.robot.home_of(child)).rotation
            axes[0] = three(here.T @ there @ np.asarray(axes[0]))
        losses = list(loop.friction) * (len(axes) if len(loop.friction) == 1 else 1) or [(0.0, 0.0, 0.0)] * len(axes)
        if loop.second == WORLD:
            losses = losses[::-1]
        for k, (axis, (viscous, coulomb, smoothing)) in enumerate(zip(axes, losses, strict=True)):
            rounded = smoothing if coulomb else 0.0
            own = PlainFreedom(
                f"{loop.name}_{k + 1}",
                TURN,
                (0.0, 0.0, 1.0),
                0.0,
                viscous=viscous,
                coulomb=coulomb,
                smoothing=rounded,
                told=loop.told,
            )
            self._axis(tag, loop.name, "axis" if k == 0 else "axis2", own, axis)

    def _coupling(self, coupling: PlainCoupling) -> None:
        """<mimic> of two coordinates that count from home."""
        if coupling.of_screw:
            return
        known = [n for n in coupling.coefficients if n in self.axes]
        driven = {f.name for j in self.robot.joints for f in j.freedoms if f.drive is not None}
        free = [n for n in known if n not in driven and not any(c.tag == "mimic" for c in self.axes[n][2].children)]
        if len(coupling.coefficients) != 2 or len(known) != 2 or not free:
            what = "of more than two joints" if len(coupling.coefficients) > 2 else "between joints that follow others"
            self.omissions.drop("couplings", f"{coupling.told}: a coupling {what}")
            return
        follower = free[0]
        leader = next(n for n in coupling.coefficients if n != follower)
        joint, axis, _ = self.axes[leader]
        mimic = self.axes[follower][2].add("mimic", joint=joint, axis=axis)
        mimic.add("multiplier", written(-coupling.coefficients[leader] / coupling.coefficients[follower]))
        mimic.add("offset", "0")
        mimic.add("reference", "0")


def _add_pose(tag: Tag, at: Placement) -> None:
    if not at.is_identity:
        tag.add("pose", written([*at.position, *rpy(at)]))
