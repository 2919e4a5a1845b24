"""USD's physics (UsdPhysics) as text, `.usda`: metres, kilograms, z up; angles in degrees, as USD has them.

Bodies stand at home, joint frames on both bodies keep what coordinates mean. Joints with several freedoms are generic ones whose
other freedoms are locked: of a universal joint rotY, then rotX are free (the twist of its second axis follows the swing about
the first). Joints that close loops are left out of the articulation. UsdPhysics has no words for what acts in joints: armatures,
damping, friction and springs are MuJoCo's (`mjc:damping`, …, in radians but for `mjc:springref`), armatures PhysX's too;
relations of two coordinates are PhysX's and Newton's (`_usd_mimics`). A drive has no gains: it takes forces. Doubles stand beside
what UsdPhysics has in single precision (`_usd_text`).
"""

from pathlib import Path
from typing import Any

import numpy as np

from gough.export.robots._halves import share_mass
from gough.export.robots._inertia import LIGHTEST, drop_share, heavy_body
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
)
from gough.export.robots._urdf import rod_place
from gough.export.robots._usd_mimics import find_mimics
from gough.export.robots._usd_text import UsdText
from gough.interchange.foreign import FRAME_IN_USD, IN_USD, Placement
from gough.spatial.rotation import quaternion_wxyz_from_rotation

DEGREES = 180.0 / np.pi
DIRECTIONS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
COLOURS = {"platform": (0.35, 0.5, 0.7), "body": (0.6, 0.62, 0.65)}


def usd_text(robot: PlainRobot, path: Path, omissions: Omissions) -> dict[Path, str]:
    """{file: text}."""
    return {path: _UsdWriter(share_mass(robot, omissions), omissions).text()}


class _UsdWriter(UsdText):
    def __init__(self, robot: PlainRobot, omissions: Omissions) -> None:
        super().__init__()
        self.robot, self.omissions = robot, omissions
        self.mimics = find_mimics(robot, omissions)
        self.joints_at = ""

    def text(self) -> str:
        robot = self.robot
        self.omissions.note_choices(robot.choices, robot.is_undriven_tree)
        self.omissions.note("USD's physics has numbers of single precision: other programs read 7 digits")
        g = np.asarray(robot.gravity)
        size = float(np.linalg.norm(g))
        self.open("PhysicsScene", "physicsScene")
        self.say("vector3f physics:gravityDirection", g / size if size else (0.0, 0.0, -1.0))
        self.say("float physics:gravityMagnitude", size)
        self.close()
        self.open("Xform", robot.name, ["PhysicsArticulationRootAPI"])
        if robot.closure_tolerance is not None:
            self.say(f"custom double {IN_USD}", robot.closure_tolerance)
        for joint in robot.joints:
            self._body(joint, robot.body(joint.child))
        scope = self._free_name("joints")
        self.joints_at = f"/{robot.name}/{scope}"
        self.open("Scope", scope)
        for joint in robot.joints:
            self._joint(joint)
        for loop in robot.loops:
            self._loop(loop)
        for spring in robot.springs:
            self.omissions.drop("springs", f"{spring.told}: a spring between points")
        self.close()
        self.close()
        comment = (robot.title or robot.name).replace('"', "'").replace("\\", "/")
        head = [
            "#usda 1.0",
            "(",
            f'    defaultPrim = "{robot.name}"',
            f'    doc = "{comment}, written by gough"',
            "    kilogramsPerUnit = 1",
            "    metersPerUnit = 1",
            '    upAxis = "Z"',
            ")",
            "",
        ]
        return "\n".join([*head, *self.lines]) + "\n"

    def _free_name(self, wanted: str) -> str:
        """Bodies and joints may be called alike, and are apart."""
        names = {body.name for body in self.robot.bodies}
        return wanted if wanted not in names else f"{self.robot.name}_{wanted}"

    # -- bodies -----------------------------------------------------------------------------------------------------

    def _body(self, joint: PlainJoint, body: PlainBody) -> None:
        found = heavy_body(self.robot, joint, body, self.omissions) or LIGHTEST
        apis = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        if body.weight_share == 0.0:
            self.open("Xform", body.name, [*apis, "PhysxRigidBodyAPI"])
            self.lines.append(f"{'    ' * self.depth}bool physxRigidBody:disableGravity = 1")
        else:
            drop_share(self.robot, body, self.omissions)
            self.open("Xform", body.name, apis)
        self.say("float physics:mass", found.mass)
        self.say("point3f physics:centerOfMass", body.center)
        if found.mixed:
            self.say("float3 physics:diagonalInertia", found.moments)
            self.say("quatf physics:principalAxes", quaternion_wxyz_from_rotation(found.axes))
        else:
            self.say("float3 physics:diagonalInertia", np.diag(found.tensor))
            self.say("quatf physics:principalAxes", (1.0, 0.0, 0.0, 0.0))
        self.place(body.home)
        for kind in dict.fromkeys(Path(surface.file).suffix for surface in body.surfaces):
            self.omissions.note(f"{body.told}: USD has no references to {kind} files: it is drawn as rods")
        colour = COLOURS["platform" if body.name == self.robot.platform else "body"]
        for k, rod in enumerate(body.rods):
            at, length = rod_place(rod)
            self.open("Capsule" if length else "Sphere", f"rod{k}")
            self.say("double radius", rod.radius)
            if length:
                self.say("double height", length)
                self.add('uniform token axis = "Z"')
            self.say("color3f[] primvars:displayColor", [colour])
            self.place(at)
            self.close()
        for name, frame in body.frames.items():
            self.open("Xform", f"frame_{name}")
            self.add(f'custom string {FRAME_IN_USD} = "{name}"')
            self.place(frame)
            self.close()
        self.close()

    # -- joints -----------------------------------------------------------------------------------------------------

    def _joint(self, joint: PlainJoint) -> None:
        told = joint.told
        if joint.type == "helical":
            self.omissions.refuse(f"{told}: a helical joint")
            return
        if joint.type == "free":
            if any(f.acts for f in joint.freedoms):
                self.omissions.drop("friction", f"{told}: what acts in a free joint")
            return
        ends = ((joint.parent, joint.on_parent), (joint.child, Placement()))
        if joint.type in ("fixed", "spherical"):
            for f in joint.freedoms:
                self._ball_effects(f)
            kind = "PhysicsFixedJoint" if joint.type == "fixed" else "PhysicsSphericalJoint"
            self._element(joint.name, kind, ends, np.eye(3), [])
            return
        if len(joint.freedoms) == 1:
            freedom = joint.freedoms[0]
            axes = _frame_along(np.asarray(freedom.axis))
            kind = "PhysicsPrismaticJoint" if freedom.kind == SLIDE else "PhysicsRevoluteJoint"
            self._element(joint.name, kind, ends, axes, [("linear" if freedom.kind == SLIDE else "angular", freedom)])
            return
        self._generic(joint.name, joint.type, ends, joint.freedoms)

    def _generic(self, name: str, kind: str, ends: Any, freedoms: tuple[PlainFreedom, ...]) -> None:
        """A joint whose other freedoms are locked."""
        if kind == "universal":
            first, second = (np.asarray(f.axis) for f in freedoms)
            if abs(first @ second) > 1e-9:
                self.omissions.refuse(f"{freedoms[0].told}: a universal joint whose axes are not perpendicular")
            axes = np.column_stack([second, first, np.cross(second, first)])
            free = [("rotY", freedoms[0]), ("rotX", freedoms[1])]
        elif kind == "cylindrical":
            axes = _frame_along(np.asarray(freedoms[0].axis), first=True)
            free = [("rotX", freedoms[0]), ("transX", freedoms[1])]
        else:  # planar
            x, y, n = (np.asarray(f.axis) for f in freedoms)
            axes = np.column_stack([n, x, y])
            free = [("transY", freedoms[0]), ("transZ", freedoms[1]), ("rotX", freedoms[2])]
        self._element(name, "PhysicsJoint", ends, axes, free)

    def _element(
        self,
        name: str,
        kind: str,
        ends: Any,
        axes: np.ndarray,
        free: list[tuple[str, PlainFreedom]],
        closes: bool = False,
        **more: Any,
    ) -> None:
        """A joint; axes: its frame's, in the joint's; free: directions with what acts in them."""
        known = dict(free)
        acting = {word: value for word, value in _words(free).items() if value}
        fastest = next((f.speed for _, f in free if f.speed is not None), None) if len(free) == 1 else None
        apis = ["PhysxJointAPI"] if "armature" in acting or fastest is not None else []
        apis += ["MjcJointAPI"] if acting else []
        if kind == "PhysicsJoint":
            apis += [f"PhysicsLimitAPI:{d}" for d in DIRECTIONS if d not in known or _is_bounded(known[d])]
        drives = [(d, f) for d, f in free if f.drive is not None]
        apis += [f"PhysicsDriveAPI:{d}" for d, _ in drives]
        mimics = [own for (joint, _), own in self.mimics.items() if joint == name and not closes]
        apis += [api for own in mimics for api in own.apis]
        self.open(kind, name, apis)
        for k, (body, at) in enumerate(ends):
            if body != WORLD:
                self.add(f"rel physics:body{k} = </{self.robot.name}/{body}>")
            local = Placement(rotation=axes).after(at)
            self.say(f"point3f physics:localPos{k}", local.position)
            self.say(f"quatf physics:localRot{k}", quaternion_wxyz_from_rotation(local.rotation))
        if closes:
            self.add("bool physics:excludeFromArticulation = 1")
        if kind in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
            self.add('uniform token physics:axis = "Z"')
            self._bounds(free[0][1], "physics:lowerLimit", "physics:upperLimit")
        elif kind == "PhysicsJoint":
            for direction in DIRECTIONS:
                if direction not in known:
                    self.say(f"float limit:{direction}:physics:low", 1.0)
                    self.say(f"float limit:{direction}:physics:high", -1.0)
                else:
                    words = (f"limit:{direction}:physics:{end}" for end in ("low", "high"))
                    self._bounds(known[direction], *words)
        for key, value in more.items():
            self.say(key.replace("__", ":").replace("_", " ", 1), value)
        if "armature" in acting:
            self.say("float physxJoint:armature", acting["armature"])
        if fastest is not None:
            self.say("float physxJoint:maxJointVelocity", fastest if free[0][1].kind == SLIDE else np.degrees(fastest))
        for word, value in acting.items():
            self.say(f"uniform double mjc:{word}", value)
        for direction, freedom in drives:
            self._drive(direction, freedom)
        for what, value in (line for own in mimics for line in own.lines(self.joints_at)):
            if isinstance(value, str):
                self.add(f"{what} = {value}")
            else:
                self.say(what, value)
        self.close()
        self._unsaid(free)

    def _bounds(self, freedom: PlainFreedom, low: str, high: str) -> None:
        unit = 1.0 if freedom.kind == SLIDE else DEGREES
        for word, bound in ((low, freedom.lower), (high, freedom.upper)):
            if bound is not None:
                self.say(f"float {word}", bound * unit)

    def _drive(self, direction: str, freedom: PlainFreedom) -> None:
        lead = f"drive:{direction}:physics"
        self.add(f'uniform token {lead}:type = "force"')
        self.say(f"float {lead}:damping", 0.0)
        self.say(f"float {lead}:stiffness", 0.0)
        assert freedom.drive is not None
        if freedom.drive.force is not None:
            self.say(f"float {lead}:maxForce", freedom.drive.force)

    def _unsaid(self, free: list[tuple[str, PlainFreedom]]) -> None:
        for _, freedom in free:
            told = freedom.told
            if freedom.smoothing:
                message = f"{told}: Coulomb's friction that is smooth at rest (smoothing {freedom.smoothing:g})"
                self.omissions.drop("smoothing", message, "Coulomb's own")
            if freedom.curve or freedom.push:
                said = freedom.curve or f"a constant force of {freedom.push:g} without stiffness"
                self.omissions.drop("springs", f"{told}: a spring in a joint that is {said}")
        all_words = [_words([own]) for own in free]
        kinds = {"armature": "armature", "damping": "friction", "frictionloss": "friction", "stiffness": "springs"}
        kinds["springref"] = "springs"
        for word, kind in kinds.items():
            if len({words.get(word, 0.0) for words in all_words}) > 1:
                message = f"{free[0][1].told}: {kind} that differs from axis to axis of a joint"
                self.omissions.drop(kind, message, "the largest for all")

    def _ball_effects(self, freedom: PlainFreedom) -> None:
        if freedom.viscous or freedom.coulomb:
            self.omissions.drop("friction", f"{freedom.told}: friction in a ball")
        if freedom.stiffness or freedom.push or freedom.curve:
            self.omissions.drop("springs", f"{freedom.told}: a spring in a ball")
        if freedom.inertia:
            self.omissions.drop("armature", f"{freedom.told}: an armature in a ball")

    # -- loops ------------------------------------------------------------------------------------------------------

    def _loop(self, loop: PlainLoop) -> None:
        ends = ((loop.first, loop.on_first), (loop.second, loop.on_second))
        if loop.type in ("spherical", "fixed", "constant_length"):
            if loop.friction:
                self.omissions.drop("friction", f"{loop.told}: friction in a {loop.type} joint that closes a loop")
            kind = {"spherical": "Spherical", "fixed": "Fixed", "constant_length": "Distance"}[loop.type]
            more = (
                {}
                if loop.length is None
                else {"float_physics__minDistance": loop.length, "float_physics__maxDistance": loop.length}
            )
            self._element(loop.name, f"Physics{kind}Joint", ends, np.eye(3), [], closes=True, **more)
            return
        losses = list(loop.friction) or [(0.0, 0.0, 0.0)]
        if loop.type == "revolute":
            free = _lossy(loop, TURN, losses[0])
            self._element(
                loop.name,
                "PhysicsRevoluteJoint",
                ends,
                _frame_along(np.asarray(loop.axis)),
                [("angular", free)],
                closes=True,
            )
        elif loop.type in ("prismatic", "ball_screw"):
            free = _lossy(loop, SLIDE, losses[0])
            self._element(
                loop.name,
                "PhysicsPrismaticJoint",
                ends,
                _frame_along(np.asarray(loop.axis)),
                [("linear", free)],
                closes=True,
            )
        elif loop.type == "universal" and abs(loop.angle - np.pi / 2) < 1e-9:
            self._universal(loop, losses * (2 if len(losses) == 1 else 1))
        elif loop.type in ("cylindrical", "planar"):
            free = [("rotX", _lossy(loop, TURN, losses[0]))]
            for d in ("transX",) if loop.type == "cylindrical" else ("transY", "transZ"):
                free.append((d, _lossy(loop, SLIDE, losses[0])))
            axes = _frame_along(np.asarray(loop.axis), first=True)
            self._element(loop.name, "PhysicsJoint", ends, axes, free, closes=True)
        else:
            self.omissions.drop("loops", f"{loop.told}: a {loop.type} joint that closes a loop")

    def _universal(self, loop: PlainLoop, losses: list[Any]) -> None:
        """Its second axis is the other body's: both frames are those of the joint at some angles that make them one."""
        assert loop.axes is not None
        first, second = (np.asarray(axis) for axis in loop.axes)
        other = [np.cross(np.eye(3)[int(np.argmin(np.abs(a)))], a) for a in (first, second)]
        other = [o / np.linalg.norm(o) for o in other]
        on_first = np.column_stack([other[0], first, np.cross(other[0], first)])
        on_second = np.column_stack([second, other[1], np.cross(second, other[1])])
        ends = (
            (loop.first, Placement(rotation=on_first).after(loop.on_first)),
            (loop.second, Placement(rotation=on_second).after(loop.on_second)),
        )
        free = [("rotY", _lossy(loop, TURN, losses[0])), ("rotX", _lossy(loop, TURN, losses[1]))]
        self._element(loop.name, "PhysicsJoint", ends, np.eye(3), free, closes=True)


def _lossy(loop: PlainLoop, kind: str, losses: tuple[float, float, float]) -> PlainFreedom:
    viscous, coulomb, smoothing = losses
    rounded = smoothing if coulomb else 0.0
    return PlainFreedom(
        loop.name, kind, (0.0, 0.0, 1.0), 0.0, viscous=viscous, coulomb=coulomb, smoothing=rounded, told=loop.told
    )


def _words(free: list[tuple[str, PlainFreedom]]) -> dict[str, float]:
    """What acts in a joint's freedoms, in MuJoCo's words; the largest of them where they differ."""
    found: dict[str, float] = {}
    for _, own in free:
        springy = bool(own.stiffness) and not own.curve
        words = {"armature": own.inertia, "damping": own.viscous, "frictionloss": own.coulomb}
        if springy:
            words |= {"stiffness": own.stiffness, "springref": own.rest * (1.0 if own.kind == SLIDE else DEGREES)}
        for word, value in words.items():
            found[word] = max(found.get(word, value), value)
    return found


def _is_bounded(freedom: PlainFreedom) -> bool:
    return freedom.kind != BALL and (freedom.lower is not None or freedom.upper is not None)


def _frame_along(axis: np.ndarray, first: bool = False) -> np.ndarray:
    """Axes with z (or, first, x) along a direction; those of the joint itself where that is possible."""
    along = 0 if first else 2
    if axis[along] == 1.0:
        return np.eye(3)
    across = np.cross(np.eye(3)[int(np.argmin(np.abs(axis)))], axis)
    across /= np.linalg.norm(across)
    rest = np.cross(axis, across)
    return np.column_stack([axis, across, rest] if first else [across, rest, axis]) + 0.0
