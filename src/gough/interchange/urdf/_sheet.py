"""A URDF file while it is read: what is wrong is noted with its line, and reading goes on with a value that does no harm."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.interchange.findings import Findings
from gough.interchange.foreign import Placement, Written
from gough.interchange.matching import meant_hint
from gough.interchange.xml import LARGEST, Element, number_fault, number_in
from gough.robot.errors import ABSENT
from gough.spatial import rpy_zyx
from gough.spatial.poses import rotation_of_quaternion
from gough.text import unprintable

MOST_ANGLE = 2 * math.pi + 1e-3
"""rad: larger ones are most often degrees."""
Three = tuple[float, float, float]


class Sheet:
    """file: as messages call it."""

    def __init__(self, file: str, findings: Findings) -> None:
        self.file, self.findings = file, findings

    def at(self, element: Element, owner: Element | None = None) -> Written:
        """Where an element stands; owner: the link or joint that it is part of."""
        if owner is None or owner is element:
            return element.at(self.file)
        return Written(self.file, element.line, f"{owner.at(self.file).path}.{element.tag}")

    def refuse(
        self, element: Element, message: str, expected: str = "", value: Any = ABSENT, owner: Element | None = None
    ) -> None:
        """Note what makes the file unusable."""
        self.findings.refuse(self.at(element, owner), message, expected, value)

    def say(self, element: Element, message: str, owner: Element | None = None, value: str = "") -> None:
        """Note what is left out."""
        self.findings.remark(self.at(element, owner), message, value)

    def only(self, element: Element, tag: str) -> Element | None:
        """The child of a tag that may stand once."""
        found = element.all(tag)
        for other in found[1:]:
            self.refuse(other, f"<{tag}> a second time (first on line {found[0].line})", "one of them", owner=element)
        return found[0] if found else None

    def name(self, element: Element, attribute: str = "name") -> str | None:
        """A name that can be shown; None where there is none."""
        found = element.get(attribute)
        bad = None if found is None else unprintable(found)
        if found is None or not found.strip():
            self.refuse(element, f"<{element.tag}> without {attribute}", f'{attribute}="…"')
            return None
        if bad is not None:
            self.refuse(element, f"the character {bad} in {attribute}, which cannot be shown", "printable text")
            return None
        return found

    def number(
        self,
        element: Element,
        attribute: str,
        otherwise: float | None = None,
        owner: Element | None = None,
        endless: bool = False,
    ) -> float:
        """A number of an attribute; otherwise: where it is left out, None where it must not be; endless: whether it may be
        infinite."""
        text = element.get(attribute)
        if text is None:
            if otherwise is None:
                self.refuse(element, f"<{element.tag}> without {attribute}", f'{attribute}="…", a number', owner=owner)
            return otherwise or 0.0
        found = number_in(text, math.inf if endless else LARGEST)
        if found is None:
            why, expected = number_fault(text)
            self.refuse(element, f"{attribute} is {why}", expected, text, owner)
        return otherwise or 0.0 if found is None else found

    def numbers(
        self, element: Element, attribute: str, otherwise: Sequence[float], owner: Element | None = None
    ) -> tuple[float, ...]:
        """As many numbers of an attribute as `otherwise` has, which is taken where it is left out."""
        text = element.get(attribute)
        if text is None:
            return tuple(otherwise)
        found = [number_in(word) for word in text.split()]
        if len(found) == len(otherwise) and (large := _large(text)) is not None:
            self.refuse(element, f"{attribute} has a number that is too large", number_fault(large)[1], text, owner)
            return tuple(otherwise)
        if len(found) != len(otherwise) or None in found:
            self.refuse(
                element,
                f"{attribute} is not {len(otherwise)} numbers",
                f"{len(otherwise)} finite numbers with spaces between them",
                text,
                owner,
            )
            return tuple(otherwise)
        return tuple(x for x in found if x is not None)

    def content(self, element: Element, owner: Element | None = None) -> float | None:
        """The number that is an element's text, or its attribute `value`."""
        text = element.get("value", element.text) or ""
        found = number_in(text)
        if found is None:
            why, expected = number_fault(text)
            self.refuse(element, f"<{element.tag}> is {why}", expected, text.strip(), owner)
        return found

    def origin(self, element: Element | None, owner: Element | None = None) -> Placement:
        """Where the <origin> of an element puts a frame; the digits of its angles are kept."""
        at = None if element is None else self.only(element, "origin")
        if element is None or at is None:
            return Placement()
        self.check_keys(at, ("xyz", "rpy", "quat_xyzw"), owner or element)
        position: Three = self.numbers(at, "xyz", (0.0, 0.0, 0.0), owner or element)  # type: ignore[assignment]
        if at.get("quat_xyzw") is not None:
            return self._turned(at, position, owner or element)
        roll, pitch, yaw = self.numbers(at, "rpy", (0.0, 0.0, 0.0), owner or element)
        if not (roll or pitch or yaw):
            return Placement(position)
        large = max((roll, pitch, yaw), key=abs)
        if abs(large) > MOST_ANGLE:
            said = f"rpy turns by {large:g} rad, {abs(large) / (2 * math.pi):.3g} turns: URDF has radians, not degrees"
            self.say(at, said, owner or element)
        rotation = np.asarray(rpy_zyx((yaw, pitch, roll)), dtype=float)
        return Placement(position, rotation, {"rpy_zyx": [yaw, pitch, roll]})

    def _turned(self, at: Element, position: Three, owner: Element) -> Placement:
        x, y, z, w = self.numbers(at, "quat_xyzw", (0.0, 0.0, 0.0, 1.0), owner)
        size = math.hypot(w, x, y, z)
        if abs(size - 1.0) > 1e-3 or at.get("rpy") is not None:
            message = (
                "an orientation by rpy and by quat_xyzw"
                if at.get("rpy") is not None
                else f"a quaternion of length {size:.6g}"
            )
            self.refuse(at, message, "one of them" if at.get("rpy") is not None else "length 1", owner=owner)
            return Placement(position)
        unit = np.array([w, x, y, z]) / size
        return Placement(position, rotation_of_quaternion(unit), {"quaternion_wxyz": unit.tolist()})

    def axis(self, element: Element, otherwise: Three = (1.0, 0.0, 0.0)) -> Three:
        """The direction of <axis>, of length 1."""
        found = self.only(element, "axis")
        if found is None:
            return otherwise
        self.check_keys(found, ("xyz",), element)
        x, y, z = self.numbers(found, "xyz", otherwise, element)
        size = math.hypot(x, y, z)
        if not size > 1e-9:
            self.refuse(found, "an axis of length 0", "a direction", found.get("xyz"), element)
            return otherwise
        return (x, y, z) if abs(size - 1.0) < 1e-15 else (x / size, y / size, z / size)

    def check_keys(self, element: Element, known: Sequence[str], owner: Element | None = None) -> None:
        """Tell of attributes that nothing reads."""
        for key in element.attributes:
            if key not in known and (":" not in key or key.startswith("drake:")) and key != "xmlns":
                near = meant_hint(key, [k for k in known if k not in element.attributes])
                self.say(element, f"the attribute {key!r} of <{element.tag}> is not known and left out{near}", owner)

    def check_children(self, element: Element, known: Sequence[str], silent: Sequence[str] = ()) -> None:
        """Tell of elements that nothing reads; silent: of which others tell."""
        for child in element.children:
            if child.tag not in known and child.tag not in silent:
                near = meant_hint(child.tag, [tag for tag in known if element.child(tag) is None], "<{}>")
                self.say(child, f"<{child.tag}> of <{element.tag}> is not known and left out{near}", element)


def _large(text: str) -> str | None:
    """The first word that is a number and too large, where nothing else is wrong."""
    wrong = [word for word in text.split() if number_in(word) is None]
    return wrong[0] if wrong and all(number_fault(word)[0] == "too large" for word in wrong) else None
