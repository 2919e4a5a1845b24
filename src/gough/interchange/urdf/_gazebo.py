"""What <gazebo> says of a joint: a spring. Its other words are settings of that simulator, and left out."""

from collections.abc import Mapping
from dataclasses import replace

from gough.interchange.foreign import ForeignJoint
from gough.interchange.urdf._sheet import Sheet
from gough.interchange.xml import Element
from gough.joints import ALL

WEIGHTLESS = ("turnGravityOff", "gravity")
TRUE, FALSE = ("true", "1"), ("false", "0")


def with_gazebo_springs(sheet: Sheet, root: Element, joints: Mapping[str, ForeignJoint]) -> dict[str, ForeignJoint]:
    """The joints with the springs that Gazebo gives them."""
    found = dict(joints)
    for element in root.all("gazebo"):
        name = element.get("reference") or ""
        stiffness, rest = (element.child(tag) for tag in ("springStiffness", "springReference"))
        if name in found and ALL[found[name].type].is_scalar and stiffness is not None:
            k = sheet.content(stiffness, element) or 0.0
            at = 0.0 if rest is None else sheet.content(rest, element) or 0.0
            if k < 0:
                sheet.refuse(stiffness, "a negative stiffness", "0 or more", k, element)
            joint = found[name]
            found[name] = replace(joint, effects=replace(joint.effects, stiffness=max(k, 0.0), rest=at if k else 0.0))
        _tell(sheet, element)
    return found


def _tell(sheet: Sheet, element: Element) -> None:
    for child in element.children:
        text = child.text.strip().lower()
        off = TRUE if child.tag == "turnGravityOff" else FALSE
        if child.tag in WEIGHTLESS and text in off:
            message = "Gazebo lets this link weigh nothing; here it weighs what its mass says (weight_share: 0 says it)"
            sheet.say(child, message, element)
        elif child.tag == "dampingFactor":
            sheet.say(child, "Gazebo's damping of a whole link is left out", element)
        elif child.tag not in ("joint", "springStiffness", "springReference", *WEIGHTLESS):
            sheet.say(child, "settings, sensors and plugins of Gazebo are left out", element)
