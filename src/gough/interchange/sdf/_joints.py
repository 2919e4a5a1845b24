"""Joints of SDF: two links and a frame, in the child's unless it says otherwise; at zero all stand where poses put them.

A universal joint with bounds or damping on an axis is two revolute ones with a massless body between them, so that each
axis has a coordinate of its own. A gearbox and a mimic are relations between coordinates of other joints.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from gough.interchange._placing import relative_placement, unit_axis
from gough.interchange.foreign import WORLD, Effects, ForeignBody, ForeignCoupling, ForeignJoint, Placement
from gough.interchange.matching import meant_hint
from gough.interchange.sdf._scopes import GROUND, MODEL, SdfScope
from gough.interchange.sdf._values import word_in
from gough.interchange.sdf._words import AXIS, BOUNDS, SPRING, check_axes, check_stops
from gough.interchange.xml import Element
from gough.robot.item import nearest

ONE = {"revolute": "revolute", "continuous": "revolute", "hinge": "revolute", "prismatic": "prismatic"}
ONE |= {"screw": "helical", "piston": "cylindrical"}
TWO = ("universal", "revolute2")
TYPES = "revolute, continuous, prismatic, screw, universal, revolute2, ball, gearbox, fixed"
NUMERIC = {"provide_feedback", "physics"}
PARTS = {"parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch", "sensor", "frame", *NUMERIC}
PARTS |= {"gearbox_ratio", "gearbox_reference_body", "drake:rotor_inertia", "drake:gear_ratio"}
SAME = 1e-3
"""Two ways to write a thread are the same thread up to this share: files round one of them."""
MECHANICAL = {f"drake:{kind}" for kind in ("joint", "linear_bushing_rpy", "linear_spring_damper", "mimic")}
MECHANICAL |= {"drake:ball_constraint", "drake:tendon_constraint"}


@dataclass(frozen=True)
class AxisRead:
    """What <axis> says: the direction in the joint's frame, what acts and bounds; passive: whether its effort is 0."""

    direction: tuple[float, float, float]
    effects: Effects = field(default_factory=Effects)
    passive: bool = False
    locked: bool = False
    mimic: Element | None = None


@dataclass
class SdfJoints:
    """Joints, the massless bodies between halves of universal ones, couplings; axes by their names in the file.

    axes: {(scope's path, joint, "axis" or "axis2"): name of the foreign joint with that coordinate}; passive: those whose
    effort is 0.
    """

    bodies: list[ForeignBody] = field(default_factory=list)
    joints: list[ForeignJoint] = field(default_factory=list)
    couplings: list[ForeignCoupling] = field(default_factory=list)
    axes: dict[tuple[str, str, str], str] = field(default_factory=dict)
    passive: set[str] = field(default_factory=set)
    directions: dict[str, np.ndarray] = field(default_factory=dict)
    """Axes of revolute joints in world axes, where all stand at zero."""


def read_joints(scopes: list[SdfScope], known: set[str]) -> SdfJoints:
    """Joints of all scopes; known: names of bodies that move, all other links stand in the world."""
    found = SdfJoints()
    gears: list[tuple[SdfScope, str, Element]] = []
    mimics: list[tuple[SdfScope, str, Element]] = []
    for scope in scopes:
        for name, frame in scope.frames.items():
            if frame.kind != "joint":
                continue
            if frame.element.get("type") == "gearbox":
                gears.append((scope, name, frame.element))
            else:
                _read_joint(scope, name, frame.element, known, found, mimics)
    for scope, name, element in gears:
        _read_gearbox(scope, name, element, known, found)
    for scope, follower, element in mimics:
        _read_mimic(scope, follower, element, found)
    return found


def end_of(scope: SdfScope, name: str, element: Element, known: set[str]) -> tuple[str, Placement] | None:
    """(the body that a name of parent or child means, its frame in the world); None where it is refused."""
    if not name:
        scope.text.refuse(element, "no <parent> or no <child>", "<parent> and <child>, each the name of a link")
        return None
    found = scope.link_of(name, element)
    if found is None:
        return None
    owner, link = found
    if link == WORLD or owner.path + link not in known:
        return WORLD, Placement()
    return owner.path + link, owner.pose_of(link).after(owner.at)


def _read_joint(
    scope: SdfScope,
    name: str,
    element: Element,
    known: set[str],
    found: SdfJoints,
    mimics: list[tuple[SdfScope, str, Element]],
) -> None:
    text, kind = scope.text, (element.get("type") or "").strip()
    if kind not in (*ONE, *TWO, "ball", "fixed"):
        message = f"a joint of type {kind[:40]!r}{meant_hint(kind.lower(), TYPES.split(', '))}"
        text.refuse(element, message if kind else "a joint without a type", f"one of {TYPES}")
        return
    for child in element.children:
        if child.tag not in PARTS:
            refuse_custom(scope, child)
        elif child.tag in ("sensor", "physics"):
            what = "sensors" if child.tag == "sensor" else "settings of physics engines"
            text.note(element, f"{what} are left out")
    check_axes(text, element, 2 if kind in TWO else 1)
    if word_in(element, "child") in GROUND:
        text.refuse(element, "its <child> is the world", "the world as <parent>, the link as <child>")
        return
    tail, head = (end_of(scope, word_in(element, tag), element, known) for tag in ("parent", "child"))
    first, second = axes_of(scope, name, element, kind)
    if tail is None or head is None or first is None or second is None:
        return
    (parent, parent_at), (child, child_at) = tail, head
    if parent == child:
        if parent != WORLD:
            text.refuse(element, f"both sides are {parent!r}", "two links")
        return
    here = scope.pose_of(name, element).after(scope.at)
    on_child = relative_placement(here, child_at)
    named = scope.frames.get(word_in(element, "child"))
    if not text.relative_to(element) and named is not None and named.kind == "link" and child != WORLD:
        on_child = text.pose(element)  # as written, digit for digit
    on_parent = relative_placement(here, parent_at)
    made = ForeignJoint(scope.path + name, "fixed", parent, child, text.at(element), on_parent, on_child)
    if kind in TWO:
        _add_two(scope, name, made, first, second, found, mimics)
        return
    if kind == "fixed" or first.locked:
        if first.locked:
            text.note(element, "both bounds are 0: it is a fixed joint")
        found.joints.append(made)
        return
    if kind == "ball":
        found.joints.append(replace(made, type="spherical"))
        return
    lead = _lead(scope, element) if kind == "screw" else None
    effects = first.effects
    if kind == "piston" and effects != Effects():
        text.refuse(element, "bounds, damping or a motor in a piston joint", "a prismatic and a revolute joint")
    if kind == "continuous":
        effects = replace(effects, lower=None, upper=None)
    if element.child("drake:rotor_inertia") is not None:
        rotor, gear = (text.number(element, f"drake:{key}", 1.0) for key in ("rotor_inertia", "gear_ratio"))
        effects = replace(effects, rotor_inertia=rotor, gear=gear or 1.0)
    type_ = ONE[kind] if lead != 0.0 else "revolute"
    found.joints.append(replace(made, type=type_, axis=first.direction, effects=effects, lead=lead or None))
    _note_axis(scope, name, "axis", made.name, first, found, mimics)


def _add_two(
    scope: SdfScope,
    name: str,
    made: ForeignJoint,
    first: AxisRead,
    second: AxisRead,
    found: SdfJoints,
    mimics: list[tuple[SdfScope, str, Element]],
) -> None:
    """A universal joint: as one where nothing acts in it and its axes are perpendicular, else as two revolute ones."""
    a, b = np.asarray(first.direction), np.asarray(second.direction)
    plain = first.effects == second.effects == Effects() and first.mimic is None and second.mimic is None
    if first.locked or second.locked:
        scope.text.refuse(scope.frames[name].element, "an axis with both bounds 0", "a revolute joint")
    if plain and abs(a @ b) <= 1e-9:
        square = unit_axis(b - (a @ b) * a)
        if square is not None:
            found.joints.append(replace(made, type="universal", axes=(first.direction, square)))
            return
    middle = ForeignBody(f"{made.name}_cross", made.at)
    found.bodies.append(middle)
    halves = ((f"{made.name}_1", first, made.parent, middle.name), (f"{made.name}_2", second, middle.name, made.child))
    for k, (own, axis, parent, child) in enumerate(halves):
        joint = ForeignJoint(own, "revolute", parent, child, made.at, axis=axis.direction, effects=axis.effects)
        side = {"on_parent": made.on_parent} if k == 0 else {"on_child": made.on_child}
        found.joints.append(replace(joint, **side))
        _note_axis(scope, name, ("axis", "axis2")[k], own, axis, found, mimics)


def _note_axis(
    scope: SdfScope,
    name: str,
    axis: str,
    own: str,
    read: AxisRead,
    found: SdfJoints,
    mimics: list[tuple[SdfScope, str, Element]],
) -> None:
    found.axes[scope.path, name, axis] = own
    found.directions[own] = scope.pose_of(name).after(scope.at).rotation @ np.asarray(read.direction)
    if read.passive:
        found.passive.add(own)
    if read.mimic is not None:
        mimics.append((scope, own, read.mimic))


def axes_of(scope: SdfScope, name: str, element: Element, kind: str) -> tuple[AxisRead | None, AxisRead | None]:
    """What <axis> and <axis2> say; None where it is refused."""
    still = AxisRead((0.0, 0.0, 1.0))
    first = still if kind in ("ball", "fixed") else read_axis(scope, name, element, "axis")
    second = read_axis(scope, name, element, "axis2") if kind in (*TWO, "gearbox") else still
    return first, second


def read_axis(scope: SdfScope, name: str, joint: Element, tag: str) -> AxisRead | None:
    """One <axis>: its direction in the joint's frame, wherever the file expresses it."""
    text, element = scope.text, joint.child(tag)
    if element is None:
        if tag == "axis2" and joint.get("type") == "gearbox":
            return read_axis(scope, name, joint, "axis")
        text.refuse(joint, f"no <{tag}>", f"<{tag}><xyz>0 0 1</xyz></{tag}>")
        return None
    xyz = element.child("xyz")
    written = (0.0, 0.0, 1.0) if xyz is None else text.vector(xyz)
    if written is None:
        return None
    base = "" if xyz is None else (xyz.get("expressed_in") or "").strip()
    in_model = text.says(element, "use_parent_model_frame")
    if text.version < (1, 5) or (text.version < (1, 7) and in_model):
        base = MODEL
    elif in_model and not base:
        version = ".".join(str(part) for part in text.version)
        words = (
            f"<use_parent_model_frame> is of SDF 1.5 and 1.6 and left out in {version}: <xyz> is in the joint's frame"
        )
        text.note(element, f'{words}; expressed_in="{MODEL}" says the model\'s')
    if base:
        there = scope.pose_of(base, element).rotation
        written = scope.pose_of(name, element).rotation.T @ there @ np.asarray(written)
    direction = unit_axis(written)
    if direction is None:
        text.refuse(xyz or element, "the axis has no direction", "<xyz>0 0 1</xyz>")
        return None
    if element.child("initial_position") is not None and text.number(element, "initial_position", 0.0):
        text.note(element, "<initial_position> is left out: joints stand at zero where poses put the links")
    effects, passive, locked = _effects(scope, element)
    return AxisRead(direction, effects, passive, locked, element.child("mimic"))


def _effects(scope: SdfScope, axis: Element) -> tuple[Effects, bool, bool]:
    """(what acts and bounds, whether the effort is 0, whether both bounds are 0)."""
    text = scope.text
    dynamics, limit = axis.child("dynamics"), axis.child("limit")
    lower = text.number(limit, "lower", -math.inf, endless=True)
    upper = text.number(limit, "upper", math.inf, endless=True)
    effort = text.number(limit, "effort", -1.0, endless=True)
    speed = text.number(limit, "velocity", -1.0, endless=True)
    if limit is not None and lower > upper:
        text.refuse(limit, f"the lower bound {lower:g} is above the upper one {upper:g}", "lower below upper", "limit")
    elif lower == upper and lower != 0.0:
        text.refuse(limit or axis, f"both bounds are {lower:g}", "a fixed joint at that place", "limit")
    for part, known in ((axis, AXIS), (dynamics, SPRING), (limit, BOUNDS)):
        if part is not None:
            text.check_children(part, known)
    check_stops(text, limit)
    own = Effects(
        viscous=text.number(dynamics, "damping", 0.0, least=0.0),
        coulomb=text.number(dynamics, "friction", 0.0, least=0.0),
        stiffness=text.number(dynamics, "spring_stiffness", 0.0, least=0.0),
        rest=text.number(dynamics, "spring_reference", 0.0),
        lower=lower if math.isfinite(lower) else None,
        upper=upper if math.isfinite(upper) else None,
        speed=speed if 0 < speed < math.inf else None,
        force=effort if 0 < effort < math.inf else None,
    )
    if not own.stiffness and own.rest:
        own = replace(own, rest=0.0)
    return own, effort == 0.0, lower == upper == 0.0


def _lead(scope: SdfScope, element: Element) -> float:
    """m a turn, right-handed: `thread_pitch` is rad a metre, left-handed."""
    text = scope.text
    if element.child("screw_thread_pitch") is not None:
        lead, pitch = (text.number(element, tag, 0.0) for tag in ("screw_thread_pitch", "thread_pitch"))
        if element.child("thread_pitch") is not None and abs(lead * pitch + 2 * math.pi) > SAME * 2 * math.pi:
            said = f"<screw_thread_pitch> {lead:g} m a turn and <thread_pitch> {pitch:g} rad/m, left-handed"
            text.refuse(element, f"{said}, are different threads", "<screw_thread_pitch> alone")
        return lead
    if element.child("thread_pitch") is None:
        text.note(element, "no <screw_thread_pitch>: SDF takes 1 m a turn")
        return 1.0
    pitch = text.number(element, "thread_pitch", 1.0)
    if abs(pitch) < 1e-9:
        text.refuse(element, f"<thread_pitch> is {pitch:g} rad/m", "<screw_thread_pitch> in m a turn")
        return 1.0
    text.note(element, f"<thread_pitch> {pitch:g} rad/m, left-handed, is {-2 * math.pi / pitch:g} m a turn")
    return -2 * math.pi / pitch


def _read_mimic(scope: SdfScope, follower: str, element: Element, found: SdfJoints) -> None:
    """follower = multiplier (leader - reference) + offset."""
    text = scope.text
    wanted, axis = (element.get("joint") or "").strip(), (element.get("axis") or "axis").strip()
    leader = found.axes.get((scope.path, wanted, axis)) or next(
        (own for (path, name, a), own in found.axes.items() if path + name == scope.path + wanted and a == axis), None
    )
    if leader is None or leader == follower:
        names = [name for path, name, a in found.axes if path == scope.path and a == axis]
        others = [name for name in names if found.axes[scope.path, name, axis] != follower]
        message = f"no {axis} of a joint {wanted!r} that it could follow"
        text.refuse(element, message, nearest(wanted, others) if others else "another joint", "mimic")
        return
    text.check_children(element, ("multiplier", "offset", "reference"))
    factor = text.number(element, "multiplier", 1.0)
    offset = text.number(element, "offset", 0.0) - factor * text.number(element, "reference", 0.0)
    coefficients = {follower: 1.0, leader: -factor}
    found.couplings.append(ForeignCoupling(follower, text.at(element, "mimic"), coefficients, offset, follower))


def _read_gearbox(scope: SdfScope, name: str, element: Element, known: set[str], found: SdfJoints) -> None:
    """theta_2 = -ratio theta_1: turns of the parent (about axis) and of the child (about axis2) against the reference body."""
    text = scope.text
    reference = end_of(scope, word_in(element, "gearbox_reference_body"), element, known)
    ends = [end_of(scope, word_in(element, tag), element, known) for tag in ("parent", "child")]
    axes = axes_of(scope, name, element, "gearbox")
    if reference is None or ends[0] is None or ends[1] is None or axes[0] is None or axes[1] is None:
        return
    ratio = text.number(element, "gearbox_ratio", 1.0)
    turn = scope.pose_of(name, element).after(scope.at).rotation
    coefficients: dict[str, float] = {}
    for (body, _), axis, factor in ((ends[0], axes[0], ratio), (ends[1], axes[1], 1.0)):
        hinge = _hinge_between(found, reference[0], body, turn @ np.asarray(axis.direction))
        if hinge is None:
            text.refuse(
                element,
                f"a gearbox needs a revolute joint between {reference[0]!r} and {body!r} along its axis",
                "such a joint beside the gearbox",
            )
            return
        coefficients[hinge[0]] = factor * hinge[1]
    if len(coefficients) < 2 or not ratio:
        text.refuse(element, "a gearbox that ties one joint to itself, or whose ratio is 0", "two joints")
        return
    found.couplings.append(ForeignCoupling(scope.path + name, text.at(element), coefficients))


def _hinge_between(found: SdfJoints, reference: str, body: str, axis: np.ndarray) -> tuple[str, float] | None:
    """(name, sign) of the revolute joint that turns a body against the reference body about an axis in world axes."""
    for joint in found.joints:
        if joint.type != "revolute" or {joint.parent, joint.child} != {reference, body}:
            continue
        along = float(found.directions[joint.name] @ axis)
        if abs(abs(along) - 1) <= 1e-6:
            return joint.name, math.copysign(1.0, along) * (1.0 if joint.child == body else -1.0)
    return None


def refuse_custom(scope: SdfScope, element: Element) -> None:
    """Elements of other programs in a joint or a model: their own mechanics is refused, the rest left out."""
    if element.tag in MECHANICAL:
        scope.text.refuse(element, f"<{element.tag}> has no counterpart", "joints that SDF itself has")
    else:
        near = meant_hint(element.tag, [*PARTS, *AXIS, "link", "joint", "include", "static"], "<{}>")
        scope.text.note(element, f"<{element.tag}> is left out{near}")
