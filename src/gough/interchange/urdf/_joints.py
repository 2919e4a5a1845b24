"""Joints: type, place, axis, limits, losses, and what follows another joint."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gough.interchange.foreign import WORLD, Effects, ForeignCoupling, ForeignJoint, followed_starts
from gough.interchange.matching import meant_hint
from gough.interchange.urdf._sheet import Sheet
from gough.interchange.xml import Element, number_in
from gough.joints import ALL
from gough.robot.item import nearest

TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "floating": "free",
    "planar": "planar",
    "spherical": "spherical",
    "ball": "spherical",
}
"""Joint types of URDF, and the two that some programs add."""
NEUTRAL = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
OLD = "joint_properties"
"""Where damping and friction stood before there was <dynamics>: no program reads it any more."""
RATES = ("acceleration", "drake:acceleration", "deceleration", "jerk")
"""Bounds that nothing here has a place for, and that no motion follows from."""
PARTS = ("origin", "parent", "child", "axis", "limit", "dynamics", OLD, "mimic", "safety_controller", "calibration")


@dataclass(frozen=True)
class JointsRead:
    """Joints and the relations between them, with names of links as the file has them; dependent: those that the file itself
    says are no independent coordinates (URDF+)."""

    joints: tuple[ForeignJoint, ...]
    couplings: tuple[ForeignCoupling, ...]
    dependent: frozenset[str]


def read_joints(sheet: Sheet, root: Element, links: Mapping[str, str]) -> JointsRead:
    """All <joint>s of a robot; links: {name in the file: name of the body}."""
    joints: dict[str, ForeignJoint] = {}
    elements: dict[str, Element] = {}
    dependent = set()
    for element in root.all("joint"):
        joint = _joint(sheet, element, links)
        if joint is None:
            continue
        if joint.name in joints:
            first = elements[joint.name].line
            sheet.refuse(element, f"the joint {joint.name!r} a second time (first on line {first})", "another name")
            continue
        joints[joint.name], elements[joint.name] = joint, element
        if str(element.get("independent", "true")).lower() != "true":
            dependent.add(joint.name)
    couplings = [c for name in joints if (c := _mimic(sheet, elements[name], name, joints)) is not None]
    for name, value in followed_starts(couplings).items():
        joints[name] = replace(joints[name], start=(value,) if value else None)
    return JointsRead(tuple(joints.values()), tuple(couplings), frozenset(dependent))


def _joint(sheet: Sheet, element: Element, links: Mapping[str, str]) -> ForeignJoint | None:
    name = sheet.name(element)
    sheet.check_keys(element, ("name", "type", "independent"))
    sheet.check_children(element, PARTS)
    kind = element.get("type")
    if kind not in TYPES:
        message = "a joint without a type" if kind is None else f"a joint of type {kind!r}"
        near = meant_hint((kind or "").lower(), list(TYPES))
        sheet.refuse(element, message + near, f"one of {', '.join(TYPES)}", owner=element)
    ends = [find_end(sheet, element, tag, links) for tag in ("parent", "child")]
    at = sheet.origin(element)
    axis = sheet.axis(element) if kind in ("revolute", "continuous", "prismatic", "planar") else (0.0, 0.0, 1.0)
    effects = _effects(sheet, element, str(kind))
    for tag in ("safety_controller", "calibration"):
        if element.child(tag) is not None:
            sheet.say(element, f"<{tag}> is left out: bounds here do not act on the motion")
    if name is None or kind not in TYPES or ends[0] is None or ends[1] is None:
        return None
    if ends[0] == ends[1]:
        sheet.refuse(element, f"a joint from the link {element_link(element, 'child')!r} to itself", "two links")
        return None
    start = NEUTRAL if kind == "floating" else None  # its origin says where the body is: loops follow it if they can
    own = {"axis": axis, "effects": effects, "start": start}
    return ForeignJoint(name, TYPES[kind], ends[0], ends[1], sheet.at(element), at, **own)


def element_link(element: Element, tag: str) -> str | None:
    """The link that a child of an element names."""
    found = element.child(tag)
    return None if found is None else found.get("link")


def find_end(sheet: Sheet, element: Element, tag: str, links: Mapping[str, str]) -> str | None:
    found = sheet.only(element, tag)
    if found is None:
        sheet.refuse(element, f"<{element.tag}> without <{tag}>", f'<{tag} link="…"/>')
        return None
    name = sheet.name(found, "link")
    if name == WORLD and name not in links:
        return WORLD  # it need not be written down
    if name is not None and name not in links:
        sheet.refuse(found, f"no link {name!r}", nearest(name, list(links)), owner=element)
    return None if name is None else links.get(name)


def _effects(sheet: Sheet, element: Element, kind: str) -> Effects:
    limit, dynamics, old = (sheet.only(element, tag) for tag in ("limit", "dynamics", OLD))
    if old is not None and any(number_in(value) != 0.0 for value in old.attributes.values()):
        sheet.say(
            old, f"<{OLD}> is left out, as by other programs: damping and friction belong into <dynamics>", element
        )
    if kind == "fixed" or kind not in TYPES:
        return Effects()  # what a file says of a joint that does not move means nothing
    found = Effects()
    if dynamics is not None:
        sheet.check_keys(dynamics, ("damping", "friction"), element)
        viscous, coulomb = (sheet.number(dynamics, key, 0.0, element) for key in ("damping", "friction"))
        for key, value in (("damping", viscous), ("friction", coulomb)):
            if value < 0:
                sheet.refuse(dynamics, f"a negative {key}", "0 or more", value, element)
        found = replace(found, viscous=max(viscous, 0.0), coulomb=max(coulomb, 0.0))
    if limit is None or not ALL[TYPES[kind]].is_scalar:
        return found
    sheet.check_keys(limit, ("lower", "upper", "effort", "velocity", *RATES), element)
    force, speed = (_positive(sheet, element, limit, key) for key in ("effort", "velocity"))
    lower, upper = (sheet.number(limit, key, 0.0, element, endless=True) for key in ("lower", "upper"))
    if kind == "continuous" or lower >= upper:
        if kind != "continuous" and (lower, upper) != (0.0, 0.0):
            ends = f"lower {lower:g}, upper {upper:g}"
            sheet.say(limit, "bounds without room between them are left out", element, ends)
        return replace(found, force=force, speed=speed)
    return replace(found, force=force, speed=speed, lower=lower, upper=upper)


def _positive(sheet: Sheet, element: Element, limit: Element, key: str) -> float | None:
    """A bound; 0 is how files say that none is known, and -1 too."""
    value = sheet.number(limit, key, 0.0, element, endless=True)
    if value < 0:
        sheet.say(limit, f"a negative {key} bounds nothing and is left out", element)
    return value if value > 0 else None


def _mimic(sheet: Sheet, element: Element, name: str, joints: Mapping[str, ForeignJoint]) -> ForeignCoupling | None:
    found = sheet.only(element, "mimic")
    if found is None:
        return None
    sheet.check_keys(found, ("joint", "multiplier", "offset"), element)
    of = sheet.name(found, "joint")
    ratio = sheet.number(found, "multiplier", 1.0, element) if found.get("multiplier") is not None else 1.0
    offset = sheet.number(found, "offset", 0.0, element)
    if of is None:
        return None
    scalar = [other for other, joint in joints.items() if ALL[joint.type].is_scalar and other != name]
    if of not in scalar:
        what = "itself" if of == name else f"{of!r}, which is no joint with one coordinate"
        expected = nearest(of, scalar) if scalar and of != name else "the name of another joint that turns or slides"
        sheet.refuse(found, f"it follows {what}", expected, owner=element)
        return None
    if not ALL[joints[name].type].is_scalar:
        if joints[name].type == "fixed":
            sheet.say(found, "a fixed joint follows nothing: its <mimic> is left out", element)
        else:
            sheet.refuse(found, f"a {element.get('type')} joint that follows another", "one coordinate", owner=element)
        return None
    if ratio == 0.0:
        sheet.refuse(found, "a multiplier of 0: it follows nothing", "another multiplier, or a fixed joint", 0, element)
        return None
    return ForeignCoupling(f"{name}_follows", sheet.at(found, element), {name: 1.0, of: -ratio}, offset, name)
