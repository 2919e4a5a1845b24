"""From a description to a plain tree with numbers, closed at home."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gough.export.robots._effects import curve_of, travelling, with_bounds, with_drive, with_losses
from gough.export.robots._omissions import Omissions
from gough.export.robots._plain import (
    BALL,
    SLIDE,
    TURN,
    WORLD,
    PlainBody,
    PlainCoupling,
    PlainFreedom,
    PlainJoint,
    PlainLoop,
    PlainRobot,
    PlainSpring,
    Point,
    UserSurface,
    at_home,
    three,
)
from gough.export.robots._rods import draw_rods
from gough.frozen import FrozenDict
from gough.interchange.foreign import Placement
from gough.interchange.naming import FreeNames
from gough.joints import ALL
from gough.kinematics.assembly import assemble
from gough.kinematics.closed_form_legs import leg_kinds
from gough.model.functions import UnledLinkage
from gough.model.soundness import check_structure
from gough.robot import Robot
from gough.robot.body import Body
from gough.robot.checks.couplings import placed_couplings
from gough.robot.checks.physical import unphysical_bodies
from gough.robot.effects import each, frictions
from gough.robot.files import resolve_path
from gough.robot.inertia import central, unphysical
from gough.robot.pose import Pose
from gough.robot.tree import PlacedJoint, bodies, placed_joints, placed_loops, platform_joint, platform_name
from gough.structure import Structure, build_structure

FLOATS = "floats"
TURN_OF_SPINDLE = 2.0 * np.pi


def flatten(robot: Robot, omissions: Omissions) -> PlainRobot:
    """The robot as bodies, joints and what ties them together, with its coordinates at home."""
    structure = check_structure(build_structure(robot))
    pattern = FrozenDict(structure.table.structural(()))
    parameters = np.array(structure.table.values)
    home = assemble(UnledLinkage(structure, parameters, pattern, "fast"), robot, leg_kinds(structure, pattern)).home
    return _Flattening(robot, structure, home, omissions).robot()


class _Flattening:
    def __init__(self, robot: Robot, structure: Structure, home: np.ndarray, omissions: Omissions) -> None:
        self.described, self.structure, self.omissions = robot, structure, omissions
        self.home = dict(zip(structure.layout.q_names, home.tolist(), strict=True))
        self.bodies = FreeNames([WORLD])
        self.bodies.of[WORLD] = WORLD
        self.joints = FreeNames()
        self.coordinates: dict[str, tuple[str, float]] = {}
        """Of the description's coordinates the freedom's name and its scale."""
        self.screws: list[PlainCoupling] = []

    def robot(self) -> PlainRobot:
        robot = self.described
        for name in bodies(robot):
            self.bodies.add(name)
        joints = list(self._joints())
        places = {WORLD: Placement()}
        for joint in joints:
            places[joint.child] = at_home(joint.freedoms).after(joint.on_parent.after(places[joint.parent]))
        loops = tuple(self._loop(loop) for loop in placed_loops(robot))
        odd = {
            f"{leg}.{found.body}" if leg else found.body
            for found in unphysical_bodies(robot)
            for leg in found.legs or ("",)
        }
        known = bodies(robot)
        told = {name: full for full, name in self.bodies.of.items()}
        plain = PlainRobot(
            name=robot.name,
            title=robot.title,
            gravity=three(np.asarray(robot.gravity, dtype=float)),
            bodies=tuple(self._body(told[j.child], known[told[j.child]], places[j.child], odd) for j in joints),
            joints=tuple(joints),
            loops=loops,
            couplings=(*self._couplings(), *self.screws),
            springs=tuple(self._springs()),
            platform=None if platform_name(robot) is None else self.bodies.of[str(platform_name(robot))],
            size=self.structure.length,
            choices=self._choices(),
        )
        self._say_the_rest()
        rods = draw_rods(plain)
        return replace(plain, bodies=tuple(replace(b, rods=rods[b.name]) for b in plain.bodies))

    # -- joints ---------------------------------------------------------------------------------------------------

    def _joints(self) -> Iterator[PlainJoint]:
        """From the world outwards."""
        placed, name = placed_joints(self.described), platform_name(self.described)
        replaced = platform_joint(self.described)
        if name is not None and (replaced is not None or not any(j.body_name == name for j in placed)):
            yield self._platform(name)
        for joint in placed:
            if replaced is None or joint.name != replaced.name:
                yield self._joint(joint)

    def _platform(self, name: str) -> PlainJoint:
        called = self.joints.add(f"{name}_{FLOATS}")
        at = [self.home[c] for c in ("x", "y", "z", "qw", "qx", "qy", "qz")]
        slides = [PlainFreedom(f"{called}_{c}", SLIDE, _unit(k), at[k]) for k, c in enumerate("xyz")]
        ball = PlainFreedom(called, BALL, _unit(2), tuple(at[3:]), rest=(1.0, 0.0, 0.0, 0.0))
        return PlainJoint(called, name, "free", WORLD, self.bodies.of[name], Placement(), (*slides, ball))

    def _joint(self, placed: PlacedJoint) -> PlainJoint:
        joint = placed.joint
        name = self.joints.add(placed.name)
        on_parent = _placement(joint.placement)
        if placed.base is not None:
            on_parent = on_parent.after(_placement(placed.base))
        parent, child = self.bodies.of[placed.parent], self.bodies.of[placed.body_name]
        freedoms = tuple(self._freedoms(placed, name))
        if joint.type == "helical":
            h = getattr(joint, "lead", 0.0) / TURN_OF_SPINDLE
            turn, slide = freedoms
            terms = {slide.name: 1.0, turn.name: -h}
            self.screws.append(PlainCoupling(f"{name}_lead", placed.name, terms, 0.0, of_screw=True))
        return PlainJoint(name, placed.name, joint.type, parent, child, on_parent, freedoms)

    def _freedoms(self, placed: PlacedJoint, name: str) -> Iterator[PlainFreedom]:
        joint, kind = placed.joint, ALL[placed.joint.type]
        lead = getattr(joint, "lead", None) or 0.0
        motions = kind.motions or ()
        count = len(motions)
        losses, springs = each(joint.friction, count), each(joint.spring, count)
        armatures = each(joint.armature, count)
        axes = list(self._axes(placed))
        at = 0
        for k, motion in enumerate(motions):
            names = [placed.name + c.suffix for c in kind.coordinates[at : at + motion.nq]]
            ball = motion.nq == 4
            suffix = "" if ball else kind.coordinates[at].suffix
            told = placed.name if ball else names[0]
            home: Any = tuple(self.home[n] for n in names) if ball else self.home[names[0]]
            freedom = PlainFreedom(
                name=name + suffix if not ball else name,
                kind=BALL if ball else TURN if motion.turns else SLIDE,
                axis=axes[k],
                home=home,
                told=told,
                armature=float(armatures[k] or 0.0),
                rest=(1.0, 0.0, 0.0, 0.0) if ball else 0.0,
            )
            freedom = with_losses(freedom, losses[k], springs[k])
            if not ball:
                freedom = with_bounds(freedom, joint, at)
                self.coordinates[names[0]] = (freedom.name, 1.0)
            if joint.drive is not None:
                freedom = with_drive(freedom, joint)
            if joint.type == "ball_screw":
                freedom = travelling(freedom, lead / TURN_OF_SPINDLE)
                self.coordinates[names[0]] = (freedom.name, freedom.scale)
                self.omissions.note(
                    f"{told}: a ball screw is written as a slide: its coordinate is the travel, {freedom.scale:.9g} m for each "
                    "rad of the spindle"
                )
            at += motion.nq
            yield freedom
            if joint.type == "helical":
                yield PlainFreedom(f"{name}_travel", SLIDE, axes[k], lead / TURN_OF_SPINDLE * home)

    def _axes(self, placed: PlacedJoint) -> Iterator[Point]:
        """Of a joint's freedoms, in its frame."""
        joint, kind = placed.joint, ALL[placed.joint.type]
        if joint.type == "planar":  # which way its slides point is the structure's choice
            links = [link for link in self.structure.links if link.joint == placed.name]
            yield from (three(link.to_user[:, link.axis] * link.sign) for link in links)
            return
        stated = [joint.axis] * len(kind.motions or ()) if kind.axes == 1 else list(joint.axes or ())
        slides = [_unit(k) for k in range(3)]
        for k in range(len(kind.motions or ())):
            yield _unit_vector(stated[k]) if k < len(stated) else slides[min(k, 2)]

    # -- bodies ---------------------------------------------------------------------------------------------------

    def _body(self, full: str, body: Body, home: Placement, odd: set[str]) -> PlainBody:
        if body.flexible is not None:
            mass, center, tensor = self._stiff(full)
            self.omissions.drop("flexible", f"{full}: a flexible body", "a rigid one")
        else:
            mass, center, tensor = body.central_inertia()
        if body.telescopic is not None:
            tensor = tensor + self._at_home(full, body)
            instead = "its inertia at home"
            self.omissions.drop("telescopic", f"{full}: inertia that follows joint {body.telescopic.joint}", instead)
        reason = unphysical(tensor)
        about = None
        if reason and full not in odd:
            about = np.eye(3)[int(np.argmax(np.diag(tensor)))]
            reason = ""
        frames = {name: _placement(at) for name, at in body.frames.items() if isinstance(at, Pose)}
        return PlainBody(
            name=self.bodies.of[full],
            told=full,
            mass=float(mass),
            center=three(np.asarray(center, dtype=float)),
            inertia=np.asarray(tensor, dtype=float) + 0.0,
            home=home,
            frames=frames,
            surfaces=self._surfaces(full, body),
            turns_about=about,
            unphysical=reason,
            weight_share=float(body.weight_share) if mass else 1.0,
        )

    def _stiff(self, full: str) -> tuple[float, np.ndarray, np.ndarray]:
        """A flexible body's inertia undeformed."""
        link = next(link for link in self.structure.links if link.name == full)
        values = self.structure.table.values
        if link.ten is None:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        ten = np.array([values[k] for k in link.ten], dtype=float)
        mass, center, tensor = central(ten)
        return mass, link.to_user @ center, link.to_user @ tensor @ link.to_user.T

    def _at_home(self, full: str, body: Body) -> np.ndarray:
        """What a telescopic body has beyond its constant inertia."""
        told = body.telescopic
        assert told is not None
        leg = next((f"{leg.name}." for leg in self.described.legs if full.startswith(f"{leg.name}.")), "")
        q = self.home[leg + told.joint if leg + told.joint in self.home else told.joint]
        c0, c1, c2 = told.coefficients()
        return c0 + c1 * q + c2 * (q * q)

    def _surfaces(self, full: str, body: Body) -> tuple[UserSurface, ...]:
        found = []
        for mesh in body.mesh:
            file = resolve_path(mesh.file, self.described.origin)
            scales = three(mesh.scale * np.array(mesh.stretch))
            if mesh.prim is None:
                found.append(UserSurface(str(file.absolute()), scales, _placement(mesh.placement), mesh.color))
            else:
                self.omissions.note(f"{full}: a surface of a stage is left out: it is no file of its own")
        return tuple(found)

    # -- what ties them together ------------------------------------------------------------------------------------

    def _loop(self, loop: Any) -> PlainLoop:
        ends = []
        for base, pose in ((loop.first_base, loop.first_pose), (loop.second_base, loop.second_pose)):
            at = _placement(pose)
            ends.append(at if base is None else at.after(_placement(base)))
        own = [(f.viscous, f.coulomb, f.smoothing) for f in frictions(loop)]
        if loop.limits.cone is not None:
            self.omissions.note(f"{loop.name}: the cone that bounds it is left out")
        return PlainLoop(
            name=self.joints.add(loop.name),
            told=loop.name,
            type=loop.type,
            first=self.bodies.of[loop.first],
            on_first=ends[0],
            second=self.bodies.of[loop.second],
            on_second=ends[1],
            axis=None if loop.axis is None else _unit_vector(loop.axis),
            axes=None if loop.axes is None else (_unit_vector(loop.axes[0]), _unit_vector(loop.axes[1])),
            angle=np.pi / 2 if loop.angle is None else float(loop.angle),
            length=None if loop.length is None else float(loop.length),
            lead=getattr(loop.described, "lead", None) if loop.type == "ball_screw" else None,
            friction=tuple(own) if any(v or c for v, c, _ in own) else (),
        )

    def _couplings(self) -> Iterator[PlainCoupling]:
        for coupling in placed_couplings(self.described):
            terms = {}
            for term in coupling.terms:
                name, scale = self.coordinates[term.coordinate]
                terms[name] = float(term.coefficient) / scale
            yield PlainCoupling(self.joints.add(coupling.name), coupling.name, terms, float(coupling.offset))

    def _springs(self) -> Iterator[PlainSpring]:
        for spring in self.described.springs:
            ends = [
                (self.bodies.of[e.body], three(np.asarray(e.position, dtype=float))) for e in (spring.from_, spring.to)
            ]
            curve = curve_of(spring) or ("a clearance" if spring.clearance else "")
            yield PlainSpring(
                name=self.joints.add(spring.name),
                told=spring.name,
                ends=(ends[0], ends[1]),
                stiffness=spring.stiffness,
                damping=spring.damping,
                rest_length=spring.rest_length,
                preload=spring.preload,
                slack=spring.tension_only,
                curve=curve,
            )

    def _choices(self) -> dict[str, Any]:
        robot = self.described
        velocities: Any = robot.velocities
        if isinstance(velocities, tuple):
            velocities = [self._rate(name) for name in velocities]
        found = {
            "velocities": velocities,
            "idle": [self._rate(name) for name in robot.idle] or None,
            "drive_sharing": robot.drive_sharing,
            "closure_tolerance": robot.closure_tolerance,
        }
        return {key: x for key, x in found.items() if x is not None}

    def _rate(self, name: str) -> str:
        """A rate of the description as the file calls it."""
        if name in self.coordinates:
            return self.coordinates[name][0]
        owner = next((j for j in self.joints.of if name.startswith(f"{j}_")), None)
        return name.replace(".", "_") if owner is None else self.joints.of[owner] + name[len(owner) :]

    def _say_the_rest(self) -> None:
        robot = self.described
        if robot.variables:
            self.omissions.note(f"variables ({', '.join(robot.variables)}) are written as the numbers they give")
        if any(j.joint.drive is not None and j.joint.drive.weight is not None for j in placed_joints(robot)):
            self.omissions.note("weights of drives that share the work are left out")
        coned = [j.name for j in placed_joints(robot) if j.joint.limits.cone is not None]
        if coned:
            self.omissions.note(f"cones that bound {', '.join(coned)} are left out")


def _placement(pose: Pose) -> Placement:
    return Placement(three(np.asarray(pose.position, dtype=float)), pose.rotation() + 0.0)


def _unit(k: int) -> Point:
    return three(np.eye(3)[k])


def _unit_vector(axis: Any) -> Point:
    """As it is written, where it is of unit length as well as numbers can be."""
    a = np.asarray(axis, dtype=float)
    norm = float(np.sqrt(a @ a))
    return three(a if abs(norm - 1.0) < 1e-15 else a / norm)
