"""Equalities and tendons: loops, relations of coordinates, joints that are held, coordinates of tendons, springs between points.

`connect` is a ball between two points, `weld` holds two frames together, `joint` and `tendon` are linear relations, or are
refused; a straight `tendon` that is tied to nothing else is a rod. All are soft in MuJoCo and rigid here. A fixed tendon is a sum
of coordinates: where something acts on it, it becomes a coordinate of its own, that of a slide without mass, tied to the others
by a coupling; then its motor, spring, damping and armature are those of a joint.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gough.interchange.findings import Findings
from gough.interchange.foreign import (
    WORLD,
    Effects,
    ForeignBody,
    ForeignCoupling,
    ForeignJoint,
    ForeignSpring,
    Placement,
    Written,
)
from gough.interchange.mjcf._compiling import CompiledModel
from gough.interchange.mjcf._motors import MjcfMotors, options_off
from gough.interchange.mjcf._straight import StraightTendon, find_straight, read_springs
from gough.interchange.mjcf._tree import MjcfNames, placement_of, three

SOFT = "equalities are soft in MuJoCo, with solref and solimp; here they hold exactly"
LINEAR = 1 + 1
"""Terms of a polynomial that a coupling has."""


@dataclass
class TiedSum:
    """The sum of coefficient times coordinate is `offset`; coordinates by number of joint, of tendons by (number,). follower: the
    joint that the file says follows."""

    name: str
    at: Written
    coefficients: dict[int | tuple[int], float]
    offset: float = 0.0
    follower: int | None = None


@dataclass
class MjcfTies:
    """What equalities and tendons become."""

    loops: list[ForeignJoint] = field(default_factory=list)
    relations: list[TiedSum] = field(default_factory=list)
    held: dict[int, float] = field(default_factory=dict)
    tendons: dict[int, Effects] = field(default_factory=dict)
    springs: list[ForeignSpring] = field(default_factory=list)
    telescopes: dict[int, tuple[StraightTendon, Effects]] = field(default_factory=dict)


def joint_effects(
    compiled: CompiledModel, names: MjcfNames, motors: MjcfMotors, findings: Findings
) -> dict[int, Effects]:
    """What acts in every joint."""
    model = compiled.model
    off = options_off(compiled)
    out = {}
    for j, at in enumerate(names.joint_at):
        kind, first = int(model.jnt_type[j]), int(model.jnt_dofadr[j])
        whole = kind < 2  # ball and free
        stiffness = 0.0 if off["SPRING"] else float(model.jnt_stiffness[j])
        loss = 0.0 if off["FRICTIONLOSS"] else float(model.dof_frictionloss[first])
        _refuse_terms(model, "jnt", "stiffnesspoly", j, at, findings)
        _refuse_terms(model, "dof", "dampingpoly", first, at, findings)
        _refuse_yield(model, "jnt", j, at, stiffness, findings)
        if loss and whole:
            message = "frictionloss in a joint of several freedoms counts for each of them alone"
            findings.refuse(at, message, "damping, or hinges one after the other", loss)
            loss = 0.0
        bounded = bool(model.jnt_limited[j])
        if bounded and whole:
            findings.remark(at, "bounds of a ball's angle are left out")
        driven = ("joint", j)
        out[j] = Effects(
            armature=float(model.dof_armature[first]) + motors.armature.get(driven, 0.0),
            viscous=0.0 if off["DAMPER"] else float(model.dof_damping[first]) + motors.damping.get(driven, 0.0),
            coulomb=loss,
            stiffness=stiffness,
            rest=0.0 if whole else float(model.qpos_spring[model.jnt_qposadr[j]]),
            **_bounds(model.jnt_range[j] if bounded and not whole else None),
            force=motors.joints.get(j),
        )
    return out


def _bounds(pair: Any) -> dict[str, float]:
    return {} if pair is None or not pair[0] < pair[1] else {"lower": float(pair[0]), "upper": float(pair[1])}


def _refuse_terms(model: Any, kind: str, word: str, index: int, at: Written, findings: Findings) -> None:
    """Polynomials of newer versions."""
    terms = getattr(model, f"{kind}_{word}", None)
    if terms is not None and np.any(terms[index]):
        what = "stiffness" if word.startswith("stiff") else "damping"
        findings.refuse(at, f"{what} with terms of higher order", "one number", [float(x) for x in terms[index]])


def _refuse_yield(model: Any, kind: str, index: int, at: Written, stiffness: float, findings: Findings) -> None:
    limits = getattr(model, f"{kind}_springyield", None)
    if stiffness and limits is not None and limits[index] > 0:
        findings.refuse(at, "a spring that yields", "no springyield", float(limits[index]))


def read_ties(compiled: CompiledModel, names: MjcfNames, motors: MjcfMotors, findings: Findings) -> MjcfTies:
    """Equalities, tendons, and what follows of them."""
    return _TieReading(compiled, names, motors, findings).ties()


class _TieReading:
    def __init__(self, compiled: CompiledModel, names: MjcfNames, motors: MjcfMotors, findings: Findings) -> None:
        self.compiled, self.names, self.motors, self.findings = compiled, names, motors, findings
        self.model, self.out = compiled.model, MjcfTies()
        self.off = options_off(compiled)
        self.kept: set[int] = set()
        self.tendon_at = compiled.places("tendon", compiled.spec.tendons, "tendon")

    def ties(self) -> MjcfTies:
        """All of it."""
        model = self.model
        for e, at in enumerate(self.compiled.places("equality", self.compiled.spec.equalities, "equality")):
            if not model.eq_active0[e] or self.off["EQUALITY"]:
                self.findings.remark(at, "this equality is switched off in the file: left out")
            else:
                self._equality(e, at)
        for t, at in enumerate(self.tendon_at):
            if self.compiled.has_path(t):
                self._spatial(t, at)
            else:
                self._fixed(t, at)
        self._hold()
        return self.out

    # -- equalities ----------------------------------------------------------------------------------------------

    def _equality(self, e: int, at: Written) -> None:
        kind = {self.compiled.value("Eq", w): w for w in ("CONNECT", "WELD", "JOINT", "TENDON")}.get(
            int(self.model.eq_type[e])
        )
        if kind in ("CONNECT", "WELD"):
            self._loop(e, at, kind == "WELD")
        elif kind in ("JOINT", "TENDON"):
            self._relation(e, at, kind == "TENDON")
        else:
            self.findings.refuse(at, "an equality of a deformable body", "connect, weld, joint or tendon")
            return
        self.findings.remark(Written(at.file, None, ""), SOFT)

    def _loop(self, e: int, at: Written, weld: bool) -> None:
        model, data = self.model, self.model.eq_data[e]
        pair = (int(model.eq_obj1id[e]), int(model.eq_obj2id[e]))
        if getattr(model, "eq_objtype", None) is not None and model.eq_objtype[e] == self.compiled.value("Obj", "SITE"):
            ends = [placement_of(model.site_pos[s], model.site_quat[s]) for s in pair]
            bodies = [int(model.site_bodyid[s]) for s in pair]
        else:
            bodies = [max(i, 0) for i in pair]
            ends = [Placement(three(data[:3])), Placement(three(data[3:6]))]
            if weld:  # the weld's point in body 2, then the frame in body 1
                ends = [placement_of(data[3:6], data[6:10]), Placement(three(data[:3]))]
        if not self._moves(bodies, at):
            return
        if not weld or data[10] == 0.0:
            kind, ends = "spherical", [Placement(end.position) for end in ends]
        else:
            kind = "fixed"
        name = self.names.unique_joints.take(self.compiled.name("EQUALITY", e), f"{'weld' if weld else 'connect'}_{e}")
        first, second = (self.names.bodies[body] for body in bodies)
        self.out.loops.append(ForeignJoint(name, kind, first, second, at, ends[0], ends[1], closes=True))

    def _moves(self, bodies: Sequence[int], at: Written) -> bool:
        """Whether two bodies can be tied to each other; else it is said why not."""
        roots = [self._root(body) for body in bodies]
        if any(self.model.body_mocapid[root] >= 0 for root in roots):
            self.findings.refuse(
                at, "a body tied to a mocap body, which is moved from outside", "the equality inactive"
            )
            return False
        if roots[0] == roots[1]:
            self.findings.remark(at, "it ties parts that do not move against each other: left out")
            return False
        return True

    def _root(self, body: int) -> int:
        """The body that carries it without a joint between."""
        model = self.model
        while body and not model.body_jntnum[body] and model.body_mocapid[body] < 0:
            body = int(model.body_parentid[body])
        return body

    def _relation(self, e: int, at: Written, tendons: bool) -> None:
        model, terms = self.model, self.model.eq_data[e]
        first, second = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        if second >= 0 and np.any(terms[LINEAR:5]):
            message = "a relation of coordinates that is not linear"
            self.findings.refuse(at, message, "polycoef: two numbers, zeros after them", [float(x) for x in terms[:5]])
            return
        if tendons and second < 0 and self.compiled.has_path(first):
            self._rod(e, first, at)
            return
        ratio = float(terms[1]) if second >= 0 else 0.0
        if tendons and not ratio:
            self._keep_length(first, at)
        sides: list[tuple[int, float]] = [(first, 1.0)] + ([(second, -ratio)] if ratio else [])
        total: dict[int | tuple[int], float] = {}
        offset = float(terms[0])
        for index, factor in sides:
            if tendons and self.compiled.has_path(index):
                self.findings.refuse(at, "an equality of two tendons along paths", "fixed tendons")
                return
            reference = model.tendon_length0[index] if tendons else model.qpos0[model.jnt_qposadr[index]]
            offset += factor * float(reference)
            for joint, c in (self._sum(index) if tendons else {index: 1.0}).items():
                total[joint] = total.get(joint, 0.0) + factor * c
        self.out.relations.append(TiedSum(f"equality_{e}", at, total, offset, None if tendons else first))

    def _keep_length(self, t: int, at: Written) -> None:
        """Note that nothing acts along a tendon: at constant length it does no work."""
        self.kept.add(t)
        if t in self.motors.tendons:
            self.findings.remark(at, f"it holds tendon {self.compiled.name('TENDON', t)!r}: no drive")

    def _rod(self, e: int, t: int, at: Written) -> None:
        """A tendon whose length is kept: that in the reference configuration and what the equality adds."""
        tendon, length = find_straight(self.compiled, t), float(self.model.tendon_length0[t] + self.model.eq_data[e][0])
        if tendon is None:
            message = "a tendon of constant length that is not a straight line between two sites"
            self.findings.refuse(at, message, "two sites")
        elif length <= 0:
            self.findings.refuse(at, "a rod without length", "connect, which holds two points together", length)
        elif self._moves(tendon.bodies, at):
            self._keep_length(t, at)
            name = self.names.unique_joints.take(self.compiled.name("EQUALITY", e), f"rod_{e}")
            first, second = (self.names.bodies[b] for b in tendon.bodies)
            ends = [Placement(p) for p in tendon.points]
            rod = ForeignJoint(name, "constant_length", first, second, at, ends[0], ends[1], length=length, closes=True)
            self.out.loops.append(rod)

    # -- tendons -------------------------------------------------------------------------------------------------

    def _sum(self, t: int) -> dict[int, float]:
        """Coefficients of the joints of a fixed tendon."""
        model, out = self.model, {}
        for w in range(model.tendon_adr[t], model.tendon_adr[t] + model.tendon_num[t]):
            joint = int(model.wrap_objid[w])
            out[joint] = out.get(joint, 0.0) + float(model.wrap_prm[w])
        return {joint: c for joint, c in out.items() if c}

    def _effects(self, t: int, at: Written) -> Effects:
        model, own = self.model, ("tendon", t)
        stiffness = 0.0 if self.off["SPRING"] else float(model.tendon_stiffness[t])
        _refuse_terms(model, "tendon", "stiffnesspoly", t, at, self.findings)
        _refuse_terms(model, "tendon", "dampingpoly", t, at, self.findings)
        _refuse_yield(model, "tendon", t, at, stiffness, self.findings)
        armature = getattr(model, "tendon_armature", None)
        force = self.motors.tendons.get(t)
        limited = getattr(model, "tendon_actfrclimited", None)
        if limited is not None and limited[t]:
            bound = float(np.max(np.abs(model.tendon_actfrcrange[t])))
            force = (bound if force is None else min(force, bound)) or None
        inertia = (0.0 if armature is None else float(armature[t])) + self.motors.armature.get(own, 0.0)
        if inertia and self._spans_branches(t):
            words = "its armature couples joints of different branches, which MuJoCo's mass matrix has no place for"
            self.findings.remark(at, f"{words}: here it does, there it does not")
        return Effects(
            armature=inertia,
            viscous=0.0 if self.off["DAMPER"] else float(model.tendon_damping[t]) + self.motors.damping.get(own, 0.0),
            coulomb=0.0 if self.off["FRICTIONLOSS"] else float(model.tendon_frictionloss[t]),
            stiffness=stiffness,
            rest=float(model.tendon_lengthspring[t][0]),
            **_bounds(model.tendon_range[t] if model.tendon_limited[t] else None),
            force=force,
        )

    def _spans_branches(self, t: int) -> bool:
        """Whether a tendon moves with bodies of which none carries the other."""
        model = self.model
        if self.compiled.has_path(t):
            sites = model.wrap_objid[model.tendon_adr[t] : model.tendon_adr[t] + model.tendon_num[t]]
            bodies = {int(model.site_bodyid[s]) for s in sites}
        else:
            bodies = {int(model.jnt_bodyid[j]) for j in self._sum(t)}
        above = {}
        for body in bodies:
            above[body], up = {body}, body
            while up:
                up = int(model.body_parentid[up])
                above[body].add(up)
        return any(a not in above[b] and b not in above[a] for a in bodies for b in bodies)

    def _fixed(self, t: int, at: Written) -> None:
        if t in self.kept:
            return
        effects = self._effects(t, at)
        band = [float(x) for x in self.model.tendon_lengthspring[t]]
        if effects.stiffness and band[0] != band[1]:
            self.findings.refuse(at, "a spring that does nothing between two lengths", "one springlength", band)
        if t in self.motors.tendons or effects.acts:
            self.out.tendons[t] = effects
            coefficients: dict[int | tuple[int], float] = {(t,): -1.0, **self._sum(t)}
            self.out.relations.append(TiedSum(f"tendon_{t}", at, coefficients))
        elif effects.lower is not None:
            self.findings.remark(at, "bounds of a tendon on which nothing else acts are left out")

    def _spatial(self, t: int, at: Written) -> None:
        own = self._effects(t, at)
        driven = t in self.motors.tendons
        needed = replace(own, stiffness=0.0, viscous=0.0)
        stretches = driven or needed.acts or own.lower is not None
        if t in self.kept or not (stretches or own.stiffness or own.viscous):
            return
        tendon = find_straight(self.compiled, t)
        if tendon is None:
            if not driven:  # else it is said at the actuator
                message = "a tendon that acts along more than a straight line between two sites"
                self.findings.refuse(at, message, "two sites, or these in joints")
            return
        if self._root(tendon.bodies[0]) == self._root(tendon.bodies[1]):
            self.findings.remark(at, "its sites do not move against each other: left out")
            return
        name = self.compiled.name("TENDON", t) or f"tendon_{t}"
        rest = [float(x) for x in self.model.tendon_lengthspring[t]]
        self.out.springs += read_springs(tendon, name, at, own, rest, self.names, self.findings)
        if stretches:
            self.out.telescopes[t] = (tendon, needed)

    # -- coordinates that have no freedom left -------------------------------------------------------------------

    def _hold(self) -> None:
        """A relation with one coordinate holds it; that may leave others with one."""
        waiting = self.out.relations
        while waiting:
            left = []
            for relation in waiting:
                for joint in [k for k in relation.coefficients if isinstance(k, int) and k in self.out.held]:
                    relation.offset -= relation.coefficients.pop(joint) * self.out.held[joint]
                relation.coefficients = {k: c for k, c in relation.coefficients.items() if c}
                match list(relation.coefficients):
                    case []:
                        if abs(relation.offset) > 1e-9:
                            self.findings.refuse(relation.at, "equalities that contradict each other", "one of them")
                    case [int(joint)]:
                        self.out.held[joint] = relation.offset / relation.coefficients[joint]
                        if joint in self.motors.joints:
                            self.findings.remark(relation.at, f"it holds joint {self.names.joints[joint]!r}: no drive")
                    case [(tendon,)]:
                        self.findings.remark(relation.at, "all joints of this tendon are held: left out")
                        self.out.tendons.pop(tendon, None)
                    case _:
                        left.append(relation)
            if len(left) == len(waiting):
                self.out.relations = left
                return
            waiting = left
        self.out.relations = []


def tendon_coordinates(
    ties: MjcfTies, names: MjcfNames, compiled: CompiledModel, driven: Mapping[int, object], start: np.ndarray
) -> tuple[list[ForeignBody], list[ForeignJoint], list[ForeignCoupling]]:
    """Slides for tendons, and all relations with the names of joints."""
    model = compiled.model
    named: dict[int | tuple[int], str] = dict(enumerate(names.joints))
    bodies, joints, couplings = [], [], []
    places = compiled.places("tendon", compiled.spec.tendons, "tendon")
    at_start: dict[int | tuple[int], float] = {j: float(start[model.jnt_qposadr[j]]) for j in range(model.njnt)}
    for relation in ties.relations:
        tendon = next((k for k in relation.coefficients if isinstance(k, tuple)), None)
        if tendon is not None:
            (t,), given = tendon, compiled.name("TENDON", tendon[0])
            named[tendon] = names.unique_joints.take(given, f"{given or 'fixed'}_tendon")
            body = names.unique_bodies.take(f"{named[tendon]}_length")
            length = sum(c * at_start[k] for k, c in relation.coefficients.items() if k != tendon) - relation.offset
            bodies.append(ForeignBody(body, places[t]))
            joints.append(
                ForeignJoint(
                    named[tendon],
                    "prismatic",
                    WORLD,
                    body,
                    places[t],
                    effects=ties.tendons[t],
                    closes=False,
                    driven=t in driven,
                    start=(length,),
                )
            )
        terms = {named[k]: c for k, c in relation.coefficients.items()}
        follower = None if relation.follower is None else named[relation.follower]
        couplings.append(ForeignCoupling(relation.name, relation.at, terms, relation.offset, follower))
    return bodies, joints, couplings
