"""Bodies and joints of a compiled model.

A MuJoCo body is moved by its joints in turn: [pose in the parent] then for each hinge a turn about its axis through its
anchor, for each slide a shift, by coordinate minus reference, with axes and anchors in the body's own frame. Here each joint
carries a body, all but the last massless with the body's own frame, and the reference is in the placement, so that
coordinates are MuJoCo's qpos. A free joint's coordinates are the pose in the world.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from gough.interchange.findings import Findings
from gough.interchange.foreign import WORLD, Effects, ForeignBody, ForeignJoint, Looks, Placement, Written
from gough.interchange.mjcf._compiling import CompiledModel
from gough.interchange.naming import FreeNames
from gough.spatial.poses import rotation_of_quaternion

FREE, BALL, SLIDE, HINGE = range(4)
TYPES = {FREE: "free", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}
NQ = {FREE: 7, BALL: 4, SLIDE: 1, HINGE: 1}
NV = {FREE: 6, BALL: 3, SLIDE: 1, HINGE: 1}


def three(x: np.ndarray) -> tuple[float, float, float]:
    """Three numbers as a tuple."""
    return (float(x[0]), float(x[1]), float(x[2]))


def placement_of(position: np.ndarray, quaternion: np.ndarray) -> Placement:
    """A frame as MuJoCo has it."""
    wxyz = np.asarray(quaternion, dtype=float)
    wxyz = wxyz / np.linalg.norm(wxyz)
    if not wxyz[1:].any():
        return Placement(three(position))
    return Placement(three(position), rotation_of_quaternion(wxyz), {"quaternion_wxyz": tuple(wxyz.tolist())})


def turn_about(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation matrix."""
    half = 0.5 * angle
    return rotation_of_quaternion(np.concatenate([[np.cos(half)], np.sin(half) * np.asarray(axis, dtype=float)]))


@dataclass
class MjcfNames:
    """Names and places of bodies and joints, by MuJoCo's numbers."""

    bodies: list[str]
    body_at: list[Written]
    joints: list[str]
    joint_at: list[Written]
    unique_bodies: FreeNames
    unique_joints: FreeNames

    @staticmethod
    def of(compiled: CompiledModel) -> "MjcfNames":
        """Those of the file; what has no name gets one."""
        model = compiled.model
        body_at = compiled.places("body", compiled.spec.bodies, "body")
        joint_at = compiled.places("joint", compiled.spec.joints, "joint")
        bodies, joints = FreeNames([WORLD]), FreeNames([WORLD])
        given = [compiled.name("BODY", i) for i in range(model.nbody)]
        for name in given[1:]:
            if name:
                bodies.take(name)
        body_names = [WORLD] + [name or bodies.take(f"body_{i}") for i, name in enumerate(given) if i]
        given = [compiled.name("JOINT", j) for j in range(model.njnt)]
        for name in given:
            if name:
                joints.take(name)
        joint_names = [n or joints.take(f"{body_names[model.jnt_bodyid[j]]}_joint") for j, n in enumerate(given)]
        return MjcfNames(body_names, body_at, joint_names, joint_at, bodies, joints)


@dataclass
class MjcfTree:
    """Bodies and joints of the tree."""

    bodies: list[ForeignBody] = field(default_factory=list)
    joints: list[ForeignJoint] = field(default_factory=list)


@dataclass(frozen=True)
class TreeReader:
    """What is read of joints: the start (qpos), joints that are held at a coordinate, driven ones with their force or None."""

    compiled: CompiledModel
    names: MjcfNames
    findings: Findings
    start: np.ndarray
    held: Mapping[int, float]
    effects: Mapping[int, Effects]
    driven: Mapping[int, float | None]

    def tree(self, looks: Mapping[int, tuple[Looks, ...]], shares: Mapping[int, float]) -> MjcfTree:
        """All of it. shares: what acts of the weight of those bodies of which not all does."""
        model, out = self.compiled.model, MjcfTree()
        frames = self._frames()
        for i in range(1, model.nbody):
            parent, at = self.names.bodies[model.body_parentid[i]], self.names.body_at[i]
            place = placement_of(model.body_pos[i], model.body_quat[i])
            joints = range(model.body_jntadr[i], model.body_jntadr[i] + model.body_jntnum[i])
            if not joints:
                name = self.names.unique_joints.take(f"{self.names.bodies[i]}_fixed")
                out.joints.append(ForeignJoint(name, "fixed", parent, self.names.bodies[i], at, place, closes=False))
            for j in joints:
                last = j == joints[-1]
                child = self.names.bodies[i]
                if not last:
                    child = self.names.unique_bodies.take(f"{child}_{self.names.joints[j]}")
                    out.bodies.append(ForeignBody(child, self.names.joint_at[j]))
                if model.jnt_type[j] == FREE and self.effects[j].stiffness:
                    self._add_sprung(out, j, parent, child)
                else:
                    out.joints.append(self._joint(j, parent, child, place))
                parent, place = child, Placement()
            out.bodies.append(self._body(i, frames.get(i, {}), looks.get(i, ()), shares.get(i, 1.0)))
            if model.body_mocapid[i] >= 0:
                self.findings.remark(at, "a mocap body is moved from outside: here it stands where the file has it")
        return out

    def _body(self, i: int, frames: Mapping[str, Placement], looks: tuple[Looks, ...], share: float) -> ForeignBody:
        model = self.compiled.model
        turn = placement_of(model.body_ipos[i], model.body_iquat[i]).rotation
        inertia = turn @ np.diag(model.body_inertia[i]) @ turn.T
        return ForeignBody(
            self.names.bodies[i],
            self.names.body_at[i],
            float(model.body_mass[i]),
            three(model.body_ipos[i]),
            0.5 * (inertia + inertia.T),
            frames,
            looks,
            share,
        )

    def _frames(self) -> dict[int, dict[str, Placement]]:
        """Sites with names, by their bodies."""
        model = self.compiled.model
        out: dict[int, dict[str, Placement]] = {}
        for s in range(model.nsite):
            name, body = self.compiled.name("SITE", s), int(model.site_bodyid[s])
            if name and body:
                out.setdefault(body, {})[name] = placement_of(model.site_pos[s], model.site_quat[s])
        return out

    def _joint(self, j: int, parent: str, child: str, place: Placement) -> ForeignJoint:
        model = self.compiled.model
        kind, first = int(model.jnt_type[j]), int(model.jnt_qposadr[j])
        axis, anchor = model.jnt_axis[j], Placement(three(model.jnt_pos[j]))
        reference = float(model.qpos0[first])
        name, at = self.names.joints[j], self.names.joint_at[j]
        if kind == FREE:
            here, there = Placement(), Placement()
        elif kind == BALL:
            here, there = anchor.after(place), anchor
        else:
            moved = self.held.get(j, 0.0) - reference
            here, there = self._one_axis(kind, axis, moved, anchor), anchor if kind == HINGE else Placement()
            here = here.after(place)
        if j in self.held:
            return ForeignJoint(name, "fixed", parent, child, at, here, there, closes=False)
        start = self.start[first : first + NQ[kind]]
        if kind in (FREE, BALL):
            start = np.concatenate([start[:-4], start[-4:] / (np.linalg.norm(start[-4:]) or 1.0)])
        return ForeignJoint(
            name,
            TYPES[kind],
            parent,
            child,
            at,
            here,
            there,
            axis=three(axis) if kind in (SLIDE, HINGE) else (0.0, 0.0, 1.0),
            effects=self.effects[j],
            closes=False,
            driven=j in self.driven,
            start=tuple(start.tolist()),
        )

    def _add_sprung(self, out: MjcfTree, j: int, parent: str, child: str) -> None:
        """A free joint with springs, which pull along the world's axes and turn back: three slides and a ball, whose
        coordinates are MuJoCo's."""
        first = int(self.compiled.model.jnt_qposadr[j])
        rest, start = (x[first : first + 7] for x in (self.compiled.model.qpos_spring, self.start))
        name, at, effects = self.names.joints[j], self.names.joint_at[j], self.effects[j]
        for k, letter in enumerate("xyz"):
            carrier = self.names.unique_bodies.take(f"{child}_{letter}")
            out.bodies.append(ForeignBody(carrier, at))
            slide = self.names.unique_joints.take(f"{name}_{letter}")
            own, along = replace(effects, rest=float(rest[k])), three(np.eye(3)[k])
            moved = (float(start[k]),)
            joint = ForeignJoint(
                slide, TYPES[SLIDE], parent, carrier, at, axis=along, effects=own, closes=False, start=moved
            )
            out.joints.append(joint)
            parent = carrier
        home, still = (x[3:] / (np.linalg.norm(x[3:]) or 1.0) for x in (start, rest))
        words = {"spring": {"stiffness": effects.stiffness, "rest_quaternion_wxyz": still.tolist()}}
        turning = replace(effects, stiffness=0.0, rest=0.0)
        ball = ForeignJoint(
            name,
            TYPES[BALL],
            parent,
            child,
            at,
            effects=turning,
            closes=False,
            start=tuple(home.tolist()),
            words=words,
        )
        out.joints.append(ball)

    @staticmethod
    def _one_axis(kind: int, axis: np.ndarray, moved: float, anchor: Placement) -> Placement:
        """The joint's frame in the body before it has moved, at its own zero."""
        if kind == SLIDE:
            return Placement(three(moved * axis))
        return Placement(rotation=turn_about(axis, moved)).after(anchor) if moved else anchor
