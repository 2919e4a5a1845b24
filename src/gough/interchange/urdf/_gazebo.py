"""What <gazebo> says of a joint: a spring. Its other words are settings of that simulator, and left out."""

from collections.abc import Mapping
from dataclasses import replace

from gough.interchange.foreign import ForeignJoint
from gough.interchange.matching import meant_hint
from gough.interchange.urdf._sheet import Sheet
from gough.interchange.xml import Element, number_in
from gough.joints import ALL

SPRING = ("springStiffness", "springReference")
WEIGHTLESS = ("turnGravityOff", "gravity")
SINGLE = (*SPRING, *WEIGHTLESS, "dampingFactor")
"""What changes the motion: of one link or joint the same in every block."""
TRUE, FALSE = ("true", "1"), ("false", "0")


def with_gazebo_springs(sheet: Sheet, root: Element, joints: Mapping[str, ForeignJoint]) -> dict[str, ForeignJoint]:
    """The joints with the springs that Gazebo gives them; several blocks of one joint count as one."""
    found = dict(joints)
    said: dict[str, dict[str, tuple[Element, Element]]] = {}
    known = [str(e.get("name")) for e in root.walk() if e.tag in ("link", "joint", "loop") and e.get("name")]
    for element in root.all("gazebo"):
        name = element.get("reference") or ""
        if name and name not in known:
            near = meant_hint(name, known, "{!r}")
            sheet.say(element, f"<gazebo> of {name[:80]!r}, which is no link and no joint, is left out{near}")
            continue
        _gather(sheet, element, said.setdefault(name, {}))
        _tell(sheet, element)
    for name, words in said.items():
        if "springStiffness" not in words:
            continue
        stiffness, owner = words["springStiffness"]
        if name not in found or not ALL[found[name].type].is_scalar:
            sheet.say(
                stiffness, f"a spring at {name[:80]!r}, which is no joint that turns or slides, is left out", owner
            )
            continue
        k = sheet.content(stiffness, owner) or 0.0
        at = (sheet.content(*words["springReference"]) or 0.0) if "springReference" in words else 0.0
        if k < 0:
            sheet.refuse(stiffness, "a negative stiffness", "0 or more", k, owner)
        joint = found[name]
        found[name] = replace(joint, effects=replace(joint.effects, stiffness=max(k, 0.0), rest=at if k else 0.0))
    return found


def _gather(sheet: Sheet, element: Element, said: dict[str, tuple[Element, Element]]) -> None:
    """Take the words of a block; one that another block of the same link or joint states differently is refused."""
    for child in element.children:
        if child.tag not in SINGLE:
            continue
        first = said.setdefault(child.tag, (child, element))[0]
        if first is not child and _value(first) != _value(child):
            message = f"<{child.tag}> of {element.get('reference')!r} a second time and otherwise"
            sheet.refuse(child, f"{message} (first on line {first.line})", "one of them", _text(child), element)


def _text(element: Element) -> str:
    return (element.get("value", element.text) or "").strip().lower()


def _value(element: Element) -> float | str:
    """What a word says, to compare: 1 and true are the same, 5 and 5.0 too."""
    text = _text(element)
    number = number_in(text)
    return float(text in TRUE) if text in (*TRUE, *FALSE) else text if number is None else number


def _tell(sheet: Sheet, element: Element) -> None:
    for child in element.children:
        text = child.text.strip().lower()
        off = TRUE if child.tag == "turnGravityOff" else FALSE
        if child.tag in WEIGHTLESS and text in off:
            message = "Gazebo lets this link weigh nothing; here it weighs what its mass says (weight_share: 0 says it)"
            sheet.say(child, message, element)
        elif child.tag == "dampingFactor":
            sheet.say(child, "Gazebo's damping of a whole link is left out", element)
        elif child.tag not in ("joint", *SPRING, *WEIGHTLESS):
            sheet.say(child, "settings, sensors and plugins of Gazebo are left out", element)
