"""MuJoCo's XML. Home is the reference configuration: bodies stand there as the loops close, `ref` keeps what coordinates mean.

A body has all the hinges and slides of its joint, one after the other. With X = X₀ E₁(q₁) … Eₙ(qₙ), E_k motions along fixed
axes, and home h the reference is X_h = X₀ E₁(h₁) … Eₙ(hₙ), from where

    X = X_h E'₁(q₁ − h₁) … E'ₙ(qₙ − hₙ),   E'_k = A_k⁻¹ E_k A_k,   A_k = E_{k+1}(h_{k+1}) … Eₙ(hₙ),

so that the axis of joint k is written as A_k turns it and stands where A_k puts it. Quaternions of balls count from home: MuJoCo
has no `ref` for them. Loops are equalities between sites, which hold the numbers of both sides: `connect` for a ball, two of them
on one axis for a revolute joint, `weld`, and a spatial tendon that keeps its length for a rod, or for the angle of a universal
joint's axes (between their tips).
"""

import os
from pathlib import Path
from typing import Any

import numpy as np

from gough.export.robots._halves import share_mass
from gough.export.robots._inertia import heavy_body
from gough.export.robots._omissions import Omissions
from gough.export.robots._plain import (
    BALL,
    SLIDE,
    TURN,
    WORLD,
    PlainBody,
    PlainFreedom,
    PlainJoint,
    PlainLoop,
    PlainRobot,
    PlainSpring,
    at_home,
    three,
)
from gough.export.robots._xml import Tag, document
from gough.interchange.foreign import IN_MJCF, Placement
from gough.spatial.rotation import quaternion_wxyz_from_rotation

ARM = 0.1
"""Where the second point of an axis stands, over the robot's size."""
MESHES = (".stl", ".obj")
COLOURS = {"platform": "0.35 0.5 0.7 1", "body": "0.6 0.62 0.65 1"}


def mjcf_text(robot: PlainRobot, path: Path, omissions: Omissions) -> dict[Path, str]:
    """{file: text}."""
    return {path: _MjcfWriter(share_mass(robot, omissions), path, omissions).text()}


class _MjcfWriter:
    def __init__(self, robot: PlainRobot, path: Path, omissions: Omissions) -> None:
        self.robot, self.folder, self.omissions = robot, path.parent, omissions
        self.root = Tag("mujoco", {"model": robot.name})
        self.root.add("compiler", angle="radian", autolimits=True, inertiafromgeom=False)
        self.root.add("option", gravity=robot.gravity)
        looks = self.root.add("default")
        looks.add("geom", contype=0, conaffinity=0, group=1, mass=0)
        looks.add("site", size=0.25 * ARM * 0.1 * robot.size, group=4)
        self.asset = Tag("asset")
        self.world = Tag("worldbody")
        self.tendons, self.equality, self.actuators = Tag("tendon"), Tag("equality"), Tag("actuator")
        self.tags: dict[str, Tag] = {WORLD: self.world}
        self.qpos: dict[str, list[float]] = {}

    def text(self) -> str:
        robot = self.robot
        self.omissions.note_choices(robot.choices, robot.is_undriven_tree)
        for joint in robot.joints:
            self._body(joint, robot.body(joint.child))
        for loop in robot.loops:
            self._loop(loop)
        for coupling in robot.couplings:
            self._coupling(coupling.name, dict(coupling.coefficients))
        for spring in robot.springs:
            self._spring(spring)
        key = Tag("keyframe")
        key.add("key", name="home", qpos=[x for name in self._depth_first() for x in self.qpos[name]])
        custom = Tag("custom")
        if robot.closure_tolerance is not None:
            custom.add("numeric", name=IN_MJCF, data=robot.closure_tolerance)
        parts = (custom, self.asset, self.world, self.tendons, self.equality, self.actuators, key)
        self.root.children += [part for part in parts if part.children]
        return document(self.root, f"{robot.title or robot.name}, written by gough. Units: m, kg, s, rad.")

    def _depth_first(self) -> list[str]:
        """Bodies in MuJoCo's order."""
        below: dict[str, list[str]] = {}
        for joint in self.robot.joints:
            below.setdefault(joint.parent, []).append(joint.child)
        order, stack = [], [WORLD]
        while stack:
            name = stack.pop()
            order.append(name)
            stack.extend(reversed(below.get(name, [])))
        return order[1:]

    # -- bodies and joints ------------------------------------------------------------------------------------------

    def _body(self, joint: PlainJoint, body: PlainBody) -> None:
        free = joint.is_plain and joint.parent == WORLD
        at = at_home(joint.freedoms).after(joint.on_parent)
        tag = self.tags[joint.parent].add("body", name=body.name, pos=at.position, quat=_quaternion(at))
        if body.weight_share != 1.0:
            tag.attributes["gravcomp"] = 1.0 - body.weight_share
        self.tags[body.name] = tag
        if free:
            tag.add("freejoint", name=joint.name)
            self.qpos[body.name] = [*at.position, *quaternion_wxyz_from_rotation(at.rotation).tolist()]
        else:
            self.qpos[body.name] = []
            for k, freedom in enumerate(joint.freedoms):
                self._freedom(tag, freedom, at_home(joint.freedoms[k + 1 :]))
                self.qpos[body.name] += [1.0, 0.0, 0.0, 0.0] if freedom.kind == BALL else [float(freedom.home)]
        self._inertial(tag, joint, body)
        self._looks(tag, body)
        for name, frame in body.frames.items():
            tag.add("site", name=f"{body.name}_{name}", pos=frame.position, quat=_quaternion(frame))

    def _freedom(self, body: Tag, freedom: PlainFreedom, later: Placement) -> None:
        """A joint of MuJoCo; later: A_k of the file's head."""
        back = later.inverse()
        ball = freedom.kind == BALL
        tag = body.add("joint", name=freedom.name, type={TURN: "hinge", SLIDE: "slide", BALL: "ball"}[freedom.kind])
        own: dict[str, Any] = {}
        if freedom.kind == TURN and back.position != (0.0, 0.0, 0.0):
            own["pos"] = back.position
        if not ball:
            own["axis"] = three(back.rotation @ np.asarray(freedom.axis))
            own["ref"] = freedom.home or None
            own["range"] = _range(freedom)
        if freedom.speed is not None:
            self.omissions.note(
                f"{freedom.told}: MJCF has no words for the largest speed, {freedom.speed:g}: it is left out"
            )
        own["armature"] = freedom.inertia or None
        own["damping"] = freedom.viscous or None
        told = freedom.told
        if ball and freedom.coulomb:
            self.omissions.drop("friction", f"{told}: Coulomb's friction in a ball, against its angular velocity")
        else:
            own["frictionloss"] = freedom.coulomb or None
            if freedom.smoothing:
                message = f"{told}: Coulomb's friction that is smooth at rest (smoothing {freedom.smoothing:g})"
                self.omissions.drop("smoothing", message, "Coulomb's own")
        if freedom.curve or freedom.push:
            said = freedom.curve or f"a constant force of {freedom.push:g} without stiffness"
            self.omissions.drop("springs", f"{told}: a spring in a joint that is {said}")
        elif ball and freedom.stiffness and not self._rests_at_home(freedom):
            self.omissions.drop("springs", f"{told}: a ball's spring that does not rest at home")
        elif freedom.stiffness:
            own["stiffness"] = freedom.stiffness
            own["springref"] = None if ball else freedom.rest
        tag.attributes |= own
        if freedom.drive is not None:
            gear, force = freedom.drive.gear, freedom.drive.force
            bound = None if force is None else (-abs(force / gear), abs(force / gear))
            self.actuators.add(
                "motor",
                name=f"{freedom.name}_drive",
                joint=freedom.name,
                gear=gear if gear != 1.0 else None,
                ctrlrange=bound,
            )

    def _rests_at_home(self, freedom: PlainFreedom) -> bool:
        rest, home = (np.asarray(x, dtype=float) for x in (freedom.rest, freedom.home))
        return bool(abs(abs(rest @ home) - np.linalg.norm(rest) * np.linalg.norm(home)) < 1e-15)

    def _inertial(self, tag: Tag, joint: PlainJoint, body: PlainBody) -> None:
        found = heavy_body(self.robot, joint, body, self.omissions)
        if found is None:
            return
        if not found.mixed:
            tag.add("inertial", pos=body.center, mass=found.mass, diaginertia=np.diag(found.tensor))
        elif found.whole:
            six = [found.tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
            tag.add("inertial", pos=body.center, mass=found.mass, fullinertia=six)
        else:
            turn = quaternion_wxyz_from_rotation(found.axes)
            tag.add("inertial", pos=body.center, mass=found.mass, quat=turn, diaginertia=found.moments)

    def _looks(self, tag: Tag, body: PlainBody) -> None:
        drawn = [surface for surface in body.surfaces if Path(surface.file).suffix.lower() in MESHES]
        for surface in body.surfaces:
            if surface not in drawn:
                kind = Path(surface.file).suffix
                instead = "it is left out" if drawn else "it is drawn as rods"
                self.omissions.note(f"{body.told}: MuJoCo reads no {kind} meshes: {instead}")
        for k, surface in enumerate(drawn):
            file = os.path.relpath(surface.file, self.folder).replace(os.sep, "/")
            name = f"{body.name}_surface{k}" if k else body.name
            self.asset.add("mesh", name=name, file=file, scale=surface.scales, inertia="shell")
            color = None if surface.color is None else [c / 255 for c in surface.color] + [1]
            at = surface.at
            tag.add("geom", type="mesh", mesh=name, pos=at.position, quat=_quaternion(at), rgba=color)
        if drawn:
            return
        rgba = COLOURS["platform" if body.name == self.robot.platform else "body"]
        for rod in body.rods:
            if rod.start == rod.end:
                tag.add("geom", type="sphere", pos=rod.start, size=rod.radius, rgba=rgba)
            else:
                tag.add("geom", type="capsule", fromto=(*rod.start, *rod.end), size=rod.radius, rgba=rgba)

    # -- what ties them together ------------------------------------------------------------------------------------

    def _site(self, body: str, name: str, at: Placement) -> str:
        self.tags[body].add("site", name=name, pos=at.position, quat=_quaternion(at))
        return name

    def _loop(self, loop: PlainLoop) -> None:
        if loop.friction:
            self.omissions.drop("friction", f"{loop.told}: friction in a joint that closes a loop")
        if loop.type not in ("spherical", "revolute", "universal", "fixed", "constant_length"):
            message = f"{loop.told}: a {loop.type} joint that closes a loop (cut the loop at another joint)"
            self.omissions.drop("loops", message)
            return
        first = self._site(loop.first, f"{loop.name}_first", loop.on_first)
        second = self._site(loop.second, f"{loop.name}_second", loop.on_second)
        if loop.type == "constant_length":
            self._rod(
                loop.name, (first, loop.first, loop.on_first), (second, loop.second, loop.on_second), loop.length or 0.0
            )
            return
        self.equality.add("weld" if loop.type == "fixed" else "connect", name=loop.name, site1=first, site2=second)
        if loop.type in ("revolute", "universal"):
            arm = ARM * self.robot.size
            tips = []
            for k, (body, at, site) in enumerate(
                ((loop.first, loop.on_first, first), (loop.second, loop.on_second, second))
            ):
                axis = loop.axis if loop.axes is None else loop.axes[k]
                tip = Placement(three(arm * np.asarray(axis))).after(at)
                tips.append((self._site(body, f"{site}_axis", tip), body, tip))
            if loop.type == "revolute":
                self.equality.add("connect", name=f"{loop.name}_axis", site1=tips[0][0], site2=tips[1][0])
            else:
                self._rod(f"{loop.name}_axes", tips[0], tips[1], 2.0 * arm * np.sin(0.5 * loop.angle))

    def _rod(
        self, name: str, start: tuple[str, str, Placement], end: tuple[str, str, Placement], length: float
    ) -> None:
        """A length that is kept; MuJoCo counts from that in the reference configuration."""
        tendon = self.tendons.add("spatial", name=name, width=0.002 * self.robot.size)
        points = []
        for site, body, at in (start, end):
            tendon.add("site", site=site)
            points.append(np.asarray(at.after(self.robot.home_of(body)).position))
        now = float(np.linalg.norm(points[1] - points[0]))
        self.equality.add("tendon", name=name, tendon1=name, polycoef=[length - now, 0, 0, 0, 0])

    def _coupling(self, name: str, terms: dict[str, float]) -> None:
        """A relation that holds at home, from where MuJoCo counts."""
        if len(terms) == 2:
            (first, a), (second, b) = terms.items()
            self.equality.add("joint", name=name, joint1=first, joint2=second, polycoef=[0, -b / a, 0, 0, 0])
            return
        tendon = self.tendons.add("fixed", name=name)
        for joint, coefficient in terms.items():
            tendon.add("joint", joint=joint, coef=coefficient)
        self.equality.add("tendon", name=name, tendon1=name, polycoef=[0, 0, 0, 0, 0])

    def _spring(self, spring: PlainSpring) -> None:
        rest, said = spring.rest_length, spring.curve
        if spring.preload and not said:
            rest = rest - spring.preload / spring.stiffness if spring.stiffness else -1.0
            said = "preload that stiffness and a rest length do not say" if rest < 0 else ""
        if spring.slack and spring.damping and not said:
            said = "a damper that acts while it is taut"
        if said:
            self.omissions.drop("springs", f"{spring.told}: a spring with {said}")
            return
        tendon = self.tendons.add(
            "spatial",
            name=spring.name,
            stiffness=spring.stiffness or None,
            damping=spring.damping or None,
            springlength=(0.0, rest) if spring.slack else rest,
            width=0.003 * self.robot.size,
        )
        for word, (body, point) in zip(("from", "to"), spring.ends, strict=True):
            tendon.add("site", site=self._site(body, f"{spring.name}_{word}", Placement(point)))


def _quaternion(at: Placement) -> np.ndarray | None:
    return quaternion_wxyz_from_rotation(at.rotation) if at.turns else None


def _range(freedom: PlainFreedom) -> tuple[float, float] | None:
    """Bounds; one alone stands with one far away."""
    if freedom.lower is None and freedom.upper is None:
        return None
    far = 1e6
    return (-far if freedom.lower is None else freedom.lower, far if freedom.upper is None else freedom.upper)
