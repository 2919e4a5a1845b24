"""Which joints have motors: <transmission>s of ROS, and joints with a command interface under <ros2_control>, which may follow
others too."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from gough.interchange.foreign import ForeignCoupling
from gough.interchange.urdf._sheet import Sheet
from gough.interchange.xml import Element

REDUCTIONS = ("mechanicalReduction", "mechanical_reduction", "drake:gear_ratio")
ROTORS = ("drake:rotor_inertia", "rotorInertia", "rotor_inertia", "motorInertia", "motor_inertia")


@dataclass(frozen=True)
class Motor:
    """The rotor's inertia (kg m², or kg) on its own side, and how often it turns for a turn of the joint."""

    rotor_inertia: float = 0.0
    gear: float = 1.0


def read_motors(sheet: Sheet, root: Element, joints: Collection[str]) -> dict[str, Motor]:
    """{joint: its motor}."""
    found: dict[str, Motor] = {}
    controls = root.all("ros2_control")
    for control in controls:
        for joint in control.all("joint"):
            if joint.child("command_interface") is not None and _known(sheet, joint, joints):
                found.setdefault(str(joint.get("name")), Motor())
    for transmission in (t for owner in (root, *controls) for t in owner.all("transmission")):
        found |= dict(_transmission(sheet, transmission, joints))
    return found


def _transmission(sheet: Sheet, element: Element, joints: Collection[str]) -> Iterator[tuple[str, Motor]]:
    driven, actuators = element.all("joint"), element.all("actuator")
    kind = element.child("type")
    said = (element.get("type") or "") if kind is None else kind.text.strip()
    if not driven or not actuators:
        sheet.say(element, "a transmission without a joint or an actuator drives nothing")
        return
    motor = Motor()
    if len(driven) == 1:
        places = (actuators[0], driven[0], element)
        rotor = _value(sheet, places, ROTORS)
        gear = _value(sheet, places, REDUCTIONS) if rotor else None  # without a rotor it changes nothing
        motor = Motor(rotor or 0.0, 1.0 if gear is None else gear)
        if motor.rotor_inertia < 0:
            sheet.refuse(element, "a negative inertia of the rotor", "0 or more", motor.rotor_inertia)
        if motor.gear == 0:
            sheet.refuse(element, "a reduction of 0", "how often the motor turns for a turn of the joint")
            motor = Motor()
    else:
        what = said.rpartition("/")[2] or "transmission"
        sheet.say(element, f"a {what} of {len(driven)} joints: its joints are driven themselves, not by its motors")
    for joint in driven:
        if _known(sheet, joint, joints):
            yield str(joint.get("name")), motor


def _value(sheet: Sheet, places: Sequence[Element], tags: Sequence[str]) -> float | None:
    """The number of the first of some tags in the first element that has one; the last of them owns the others."""
    found = next((child for place in places for tag in tags if (child := place.child(tag)) is not None), None)
    return None if found is None else sheet.content(found, places[-1])


def _known(sheet: Sheet, joint: Element, joints: Collection[str]) -> bool:
    name = joint.get("name")
    if name in joints:
        return True
    sheet.say(joint, f"a motor at {name!r}, which is no joint that turns or slides, is left out")
    return False


def read_control_mimics(
    sheet: Sheet, root: Element, joints: Collection[str], known: Sequence[ForeignCoupling]
) -> list[ForeignCoupling]:
    """Relations that <ros2_control> says: <param name="mimic">, multiplier and offset; the joint's own <mimic> counts first."""
    found: dict[str, ForeignCoupling] = {coupling.follower: coupling for coupling in known if coupling.follower}
    said = len(found)
    for joint in (joint for control in root.all("ros2_control") for joint in control.all("joint")):
        words = {str(param.get("name")): param for param in joint.all("param")}
        name, leader = joint.get("name") or "", words.get("mimic")
        if leader is None or name not in joints or name in found:
            continue
        of = leader.text.strip()
        if of not in joints or of == name:
            expected = "the name of another joint that turns or slides"
            sheet.refuse(
                leader, f"it follows {of!r}, which is no other joint with one coordinate", expected, owner=joint
            )
            continue
        numbers = [
            otherwise if key not in words else sheet.content(words[key], joint)
            for key, otherwise in (("multiplier", 1.0), ("offset", 0.0))
        ]
        ratio, offset = (0.0 if x is None else x for x in numbers)
        if ratio == 0.0:
            sheet.refuse(leader, "a multiplier of 0: it follows nothing", "another multiplier", owner=joint)
            continue
        at = sheet.at(leader, joint)
        found[name] = ForeignCoupling(f"{name}_follows", at, {name: 1.0, of: -ratio}, offset, name)
    return list(found.values())[said:]
