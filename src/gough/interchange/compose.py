"""A foreign robot becomes a description: tree and loops, names, drives and platform, everything through the checks of `Robot`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from gough.interchange.choosing import choose_drives, choose_platform
from gough.interchange.findings import Findings
from gough.interchange.foreign import (
    WORLD,
    Effects,
    ForeignBody,
    ForeignCoupling,
    ForeignJoint,
    ForeignRobot,
    Looks,
    Placement,
    Written,
)
from gough.interchange.naming import FreeNames, PartNames, robot_name
from gough.interchange.spanning import ONE_AXIS, anchor_joint, span_tree
from gough.robot import Robot
from gough.robot.coordinates import rate_names
from gough.robot.errors import DescriptionError, Problem
from gough.robot.item import Fault, faults_of

ORIGIN = "origin"
"""Frame of a body whose own frame in its file is not where its joint moves it: that frame."""


@dataclass(frozen=True)
class Choices:
    """What the user says beyond the file: names of the platform and of the drives, by how much (m) loops may stay open (None:
    by rule)."""

    platform: str | None = None
    drives: Sequence[str] | None = None
    closure_tolerance: float | None = None


def compose(foreign: ForeignRobot, choices: Choices, findings: Findings) -> Robot:
    """The description; raises DescriptionError with everything that was refused, warns of what was left out."""
    findings.tell_problems()
    if choices.closure_tolerance is not None:
        foreign = replace(foreign, closure_tolerance=choices.closure_tolerance)
    foreign = foreign.with_joints(tuple(replace(j, effects=j.effects.bounded) for j in foreign.joints))
    drives = choose_drives(foreign, choices.drives, findings)
    platform = choose_platform(foreign, choices.platform)
    coupled = {name for coupling in foreign.couplings for name in coupling.coefficients}
    spanned = span_tree(foreign, findings, {*drives, *coupled})
    findings.tell_problems()
    foreign = replace(foreign, bodies=(*foreign.bodies, *spanned.halves))
    foreign, tree = _with_platform_frame(foreign, spanned.tree, platform)
    maker = _DescriptionMaker(foreign, drives, platform, findings)
    data, places = maker.description(tree, spanned.loops)
    findings.tell()
    try:
        robot = Robot.model_validate(data).model_copy(update={"file": foreign.file})
    except ValidationError as error:
        raise DescriptionError(_located(faults_of(error), places, foreign.file)) from None
    robot._sharing_assumed = (
        foreign.format == "URDF" and foreign.drive_sharing is None and robot.drive_sharing is not None
    )
    robot._folder = str(Path(foreign.file).parent.absolute())
    return robot


def _with_platform_frame(
    foreign: ForeignRobot, tree: Sequence[ForeignJoint], platform: str | None
) -> tuple[ForeignRobot, Sequence[ForeignJoint]]:
    """The robot and its tree, the platform's frame where the file has it: its pose is the robot's output.

    Where its joint would move that frame's origin to itself, the joint carries a body without mass and shape instead, on which
    the platform is fixed.
    """
    at = next((k for k, joint in enumerate(tree) if joint.child == platform), None)
    if at is None or anchor_joint(tree[at])[0].is_identity:
        return foreign, tree
    joint = tree[at]
    taken = {*(body.name for body in foreign.bodies), *(j.name for j in foreign.joints), *(j.name for j in tree)}
    name = FreeNames(taken).take(f"{joint.child}_carrier")
    carried = replace(joint, child=name, on_child=Placement())
    frame = ForeignJoint(name, "fixed", name, joint.child, joint.at, joint.on_child.inverse(), closes=False)
    carrier = ForeignBody(name, joint.at)
    return replace(foreign, bodies=(*foreign.bodies, carrier)), (*tree[:at], carried, frame, *tree[at + 1 :])


class _DescriptionMaker:
    """PartNames, and frames of bodies as the description has them: `own` places them in those of the file."""

    def __init__(self, foreign: ForeignRobot, drives: Sequence[str], platform: str | None, findings: Findings) -> None:
        self.foreign, self.drives, self.platform, self.findings = foreign, set(drives), platform, findings
        self.bodies = PartNames("body")
        self.bodies.of[WORLD] = WORLD
        self.joints = PartNames("joint", platform is not None)
        self.own: dict[str, Placement] = {WORLD: Placement()}

    def description(
        self, tree: Sequence[ForeignJoint], loops: Sequence[ForeignJoint]
    ) -> tuple[dict[str, Any], dict[tuple[str, int], Written]]:
        """(raw data of a robot, where its parts are written)."""
        known = {body.name: body for body in self.foreign.bodies}
        self.bodies.add_all((joint.child, None) for joint in tree)
        self.joints.add_all([*((j.name, j.type) for j in tree), *((j.name, None) for j in loops)])
        self.couplings = PartNames("coupling", taken=self.joints.of.values())
        joints = [self._joint(joint) for joint in tree]
        bodies = [self._body(known[joint.child]) for joint in tree]
        data: dict[str, Any] = {
            "name": robot_name(self.foreign.name),
            "title": self.foreign.title,
            "gravity": self.foreign.gravity,
            "bodies": bodies,
            "joints": joints,
            "loops": [self._loop(joint) for joint in loops],
            "couplings": [self._coupling(coupling) for coupling in self.foreign.couplings],
            "springs": [
                {
                    "name": f"spring_{k}",
                    "from": self._point(*spring.ends[0]),
                    "to": self._point(*spring.ends[1]),
                    "stiffness": spring.stiffness,
                    "damping": spring.damping,
                    "rest_length": spring.rest_length,
                    **({"tension_only": True} if spring.tension_only else {}),
                }
                for k, spring in enumerate(self.foreign.springs)
            ],
            "home": {"joints": self._home(tree)},
        }
        if self.foreign.closure_tolerance is not None:
            data["closure_tolerance"] = self.foreign.closure_tolerance
        rates = {
            old: new
            for joint in tree
            for old, new in zip(
                rate_names(joint.name, joint.type), rate_names(self.joints.of[joint.name], joint.type), strict=True
            )
        }
        wanted = self.foreign.velocities or "any"
        data["velocities"] = wanted if isinstance(wanted, str) else [rates.get(name, name) for name in wanted]
        if self.foreign.idle:
            data["idle"] = [rates.get(name, name) for name in self.foreign.idle]
        data["drive_sharing"] = self.foreign.drive_sharing or ("least_norm" if loops and self.drives else None)
        if self.platform is not None:
            data["platform"] = self.bodies.of[self.platform]
        changed = {"bodies": self.bodies.changed, "joints": self.joints.changed}
        for kind, names in changed.items():
            self._tell_letters(kind, {old: new for old, new in names.items() if not old.isascii()})
        source: dict[str, Any] = {"file": Path(self.foreign.file).name, "format": self.foreign.format}
        source |= {
            f"renamed {kind}": {new: old for old, new in names.items()} for kind, names in changed.items() if names
        }
        data["source"] = source
        places = {("joints", k): joint.at for k, joint in enumerate(tree)}
        places |= {("bodies", k): known[joint.child].at for k, joint in enumerate(tree)}
        places |= {("loops", k): joint.at for k, joint in enumerate(loops)}
        places |= {("couplings", k): coupling.at for k, coupling in enumerate(self.foreign.couplings)}
        places |= {("springs", k): spring.at for k, spring in enumerate(self.foreign.springs)}
        places |= {("idle", k): at for k, at in enumerate(self.foreign.idle.values())}
        return data, places

    def _tell_letters(self, kind: str, names: Mapping[str, str]) -> None:
        """Names are of Latin letters: nobody finds one of another alphabet again who is not told."""
        if names:
            told = ", ".join(f"{old!r} is {new}" for old, new in list(names.items())[:6])
            more = f" and {len(names) - 6} more" if len(names) > 6 else ""
            here = Written(self.foreign.file, None, "")
            self.findings.remark(here, f"names of {kind} have the letters A to Z, digits and _: {told}{more}")

    def _joint(self, joint: ForeignJoint) -> dict[str, Any]:
        self.own[joint.child], placed = anchor_joint(joint)
        data = {
            "name": self.joints.of[joint.name],
            "type": joint.type,
            "parent": self.bodies.of[joint.parent],
            "child": self.bodies.of[joint.child],
            "pose": pose_words(placed.on_parent.after(self.own[joint.parent].inverse())),
            **_axes(placed),
            **({} if joint.lead is None else {"lead": joint.lead}),
        }
        return data | effect_words(joint.effects, joint.name in self.drives) | dict(joint.words)

    def _loop(self, joint: ForeignJoint) -> dict[str, Any]:
        own = joint.effects
        if own.lower is not None or own.upper is not None or own.speed is not None:
            self.findings.remark(joint.at, "it closes a loop, so it has no coordinate: its bounds are left out")
        friction = {"viscous": own.viscous, "coulomb": own.coulomb} if own.viscous or own.coulomb else None
        return {
            "name": self.joints.of[joint.name],
            "type": joint.type,
            "first": self._end(joint.parent, joint.on_parent),
            "second": self._end(joint.child, joint.on_child),
            **_axes(joint),
            **({} if joint.lead is None else {"lead": joint.lead}),
            **({} if joint.length is None else {"length": joint.length}),
            **({} if friction is None else {"friction": friction}),
            **joint.words,
        }

    def _coupling(self, coupling: ForeignCoupling) -> dict[str, Any]:
        found: dict[str, Any] = {"name": self.couplings.add(coupling.name), "offset": coupling.offset}
        own = {self.joints.of[name]: value for name, value in coupling.coefficients.items()}
        follower = None if coupling.follower is None else self.joints.of[coupling.follower]
        if len(own) == 2 and follower is not None and own.get(follower) == 1.0:
            (leader, value) = next((name, value) for name, value in own.items() if name != follower)
            return found | {"type": "mimic", "joint": follower, "of": leader, "ratio": -value}
        return found | {"type": "differential", "coefficients": own}

    def _end(self, body: str, at: Placement) -> dict[str, Any]:
        return {"body": self.bodies.of[body], "pose": pose_words(at.after(self.own[body].inverse()))}

    def _point(self, body: str, position: tuple[float, float, float]) -> dict[str, Any]:
        moved = Placement(position).after(self.own[body].inverse())
        return {"body": self.bodies.of[body], "position": moved.position}

    def _body(self, body: ForeignBody) -> dict[str, Any]:
        own = self.own[body.name]
        back = own.inverse()
        turn = back.rotation
        center = Placement(body.center).after(back).position
        data: dict[str, Any] = {"name": self.bodies.of[body.name], "mass": body.mass}
        if body.mass:
            data["center_of_mass"] = center
            data |= {} if body.weight_share == 1.0 else {"weight_share": body.weight_share}
        if body.inertia.any():
            I = turn @ body.inertia @ turn.T if own.turns else body.inertia
            entries = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
            data["inertia"] = {"about": "center_of_mass", **{k: float(I[at]) for k, at in entries.items()}}
        names = PartNames("frame")
        names.add_all((name, None) for name in body.frames)
        frames = {names.of[name]: pose_words(at.after(back)) for name, at in body.frames.items()}
        if not own.is_identity:
            frames[names.add(ORIGIN)] = pose_words(back)
        if frames:
            data["frames"] = frames
        if body.looks:
            data["mesh"] = [_mesh_words(looks, back) for looks in body.looks]
        return data

    def _home(self, tree: Sequence[ForeignJoint]) -> dict[str, Any]:
        found = {}
        for joint in tree:
            start = anchor_joint(joint)[1].start
            if start is not None:
                found[self.joints.of[joint.name]] = list(start)
        return found


def _axes(joint: ForeignJoint) -> dict[str, Any]:
    if joint.axes is not None:
        return {"axes": joint.axes}
    return {"axis": joint.axis} if joint.type in ONE_AXIS else {}


def _mesh_words(looks: Looks, back: Placement) -> dict[str, Any]:
    data: dict[str, Any] = {"file": looks.file, "scale": looks.scale, "pose": pose_words(looks.at.after(back))}
    data |= {} if looks.color is None else {"color": looks.color}
    data |= {} if looks.stretch == (1.0, 1.0, 1.0) else {"stretch": looks.stretch}
    return data | ({} if looks.prim is None else {"prim": looks.prim})


def pose_words(at: Placement) -> dict[str, Any]:
    """A pose as descriptions write it."""
    data: dict[str, Any] = {} if at.position == (0.0, 0.0, 0.0) else {"position": at.position}
    if at.words is not None:
        return data | dict(at.words)
    return data | ({"matrix": _orthonormal(at.rotation).tolist()} if at.turns else {})


def _orthonormal(rotation: np.ndarray) -> np.ndarray:
    """What rounding left of a product of rotations, a rotation again."""
    u, _, vt = np.linalg.svd(rotation)
    near = u @ vt
    return rotation if np.allclose(near, rotation, rtol=0, atol=1e-14) else near


def effect_words(own: Effects, driven: bool) -> dict[str, Any]:
    """What acts in a joint, as descriptions write it."""
    data: dict[str, Any] = {}
    losses = {"viscous": own.viscous, "coulomb": own.coulomb}
    losses = {key: value for key, value in losses.items() if value}
    if own.armature:
        data["armature"] = own.armature
    if own.stiffness:
        data["spring"] = {"stiffness": own.stiffness} | ({"rest": own.rest} if own.rest else {})
    if driven:
        drive: dict[str, Any] = dict(losses)
        if own.rotor_inertia:
            drive |= {"rotor_inertia": own.rotor_inertia, "gear": own.gear}
        if own.force is not None:
            drive["force_limit"] = own.force
        if own.speed is not None:
            drive["speed_limit"] = own.speed
        if own.lower is not None and own.upper is not None:
            drive["stroke"] = (own.lower, own.upper)
        else:  # a stroke has two ends
            bounds = {key: value for key, value in (("lower", own.lower), ("upper", own.upper)) if value is not None}
            data |= {"limits": bounds} if bounds else {}
        return data | {"drive": drive}
    if losses:
        data["friction"] = losses
    if own.rotor_inertia:
        data["armature"] = own.armature + own.gear**2 * own.rotor_inertia
    limits = {"lower": own.lower, "upper": own.upper, "speed": own.speed}
    limits = {key: value for key, value in limits.items() if value is not None}
    return data | ({"limits": limits} if limits else {})


def _located(faults: Sequence[Fault], places: Mapping[tuple[str, int], Written], file: str) -> list[Problem]:
    found = []
    for fault in faults:
        at = places.get(fault.place[:2], Written(file, None, ""))  # type: ignore[call-overload]
        rest = ".".join(str(step) for step in fault.place[2:])
        found.append(
            Problem(at.file, at.line, f"{at.path}.{rest}".strip("."), fault.value, fault.message, fault.expected)
        )
    return found
