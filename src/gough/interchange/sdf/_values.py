"""Numbers, words and poses of an SDF file's elements; what cannot be read is refused with its line."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from gough.interchange._placing import place_quaternion, place_rpy
from gough.interchange.findings import Findings
from gough.interchange.foreign import Placement, Written
from gough.interchange.matching import meant_hint
from gough.interchange.xml import Element

MOST = 1e12
"""No length, mass or coefficient of a mechanism is larger; products of a few stay numbers. A bound that is larger, 1e16 of
SDF, is none."""
MOST_ANGLE = 2 * math.pi + 1e-3
"""rad: larger ones are most often degrees."""
OF_JOINT = ("drake:rotor_inertia", "drake:gear_ratio")
"""Beside <axis>, not in it."""
OPTIONAL = ("damping", "friction", "effort", "velocity", "stiffness", "dissipation", "mass", "gearbox_ratio")
"""Numbers that SDF does not demand: one that is empty is what it is where it is left out."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)|[+-]?nan", re.IGNORECASE)


@dataclass(frozen=True)
class SdfText:
    """A file of SDF: its name, the version it is written in, and where problems are noted."""

    file: str
    version: tuple[int, int]
    findings: Findings
    noted: set[str] = field(default_factory=set)

    def at(self, element: Element, path: str = "") -> Written:
        """Where an element stands."""
        return element.at(self.file, path)

    def refuse(self, element: Element, message: str, expected: str = "", path: str = "") -> None:
        """Note what makes the file unusable."""
        self.findings.refuse(self.at(element, path), message, expected)

    def note(self, element: Element, message: str, path: str = "", value: str = "") -> None:
        """Note what is left out; the same words of many places once, at the first."""
        if message not in self.noted:
            self.noted.add(message)
            self.findings.remark(self.at(element, path), message, value)

    def check_children(self, element: Element, known: Sequence[str]) -> None:
        """Tell of elements that nothing reads, those of programs other than Drake apart."""
        for child in element.children:
            if child.tag not in known and (":" not in child.tag or child.tag.startswith("drake:")):
                near = meant_hint(child.tag, [tag for tag in known if element.child(tag) is None], "<{}>")
                near = "; Drake reads it in <joint>" if child.tag in OF_JOINT else near
                self.note(child, f"<{child.tag}> of <{element.tag}> is not known and left out{near}")

    def numbers(self, element: Element, text: str, count: int | None, what: str) -> list[float] | None:
        """Numbers apart by blanks; None where they are not `count` numbers, and it is refused."""
        words = text.split()
        values = [float(w) if NUMBER.fullmatch(w) else math.nan for w in words]
        if (count is not None and len(values) != count) or any(math.isnan(v) for v in values):
            self.refuse(element, f"{what} is {' '.join(words)[:80]!r}", f"{_count_words(count)}, such as 0.25")
            return None
        return values

    def number(
        self, parent: Element | None, tag: str, otherwise: float, endless: bool = False, least: float | None = None
    ) -> float:
        """The number in a child; endless: whether it may be infinite; least: what it may not be below."""
        element = None if parent is None else parent.child(tag)
        if element is None:
            return otherwise
        if tag in OPTIONAL and not element.text.strip():
            return otherwise
        found = self.numbers(element, element.text, 1, f"<{tag}>")
        if found is None:
            return otherwise
        if abs(found[0]) > MOST:
            if endless:
                return math.copysign(math.inf, found[0])
            self.refuse(element, f"<{tag}> is {found[0]:g}", f"a number of at most {MOST:g}")
            return otherwise
        if least is not None and found[0] < least:
            self.refuse(element, f"<{tag}> is {found[0]:g}", f"at least {least:g}")
            return otherwise
        return found[0]

    def vector(self, element: Element) -> tuple[float, float, float] | None:
        """Three numbers of an element's text, none of them endless."""
        found = self.numbers(element, element.text, 3, f"<{element.tag}>")
        if found is not None and max(abs(v) for v in found) > MOST:
            self.refuse(element, f"<{element.tag}> is {element.text.strip()[:80]!r}", f"numbers of at most {MOST:g}")
            return None
        return None if found is None else (found[0], found[1], found[2])

    def truth(self, element: Element | None, text: str | None, otherwise: bool) -> bool:
        """true or false, as SDF writes it."""
        if element is None or text is None:
            return otherwise
        word = text.strip().lower()
        if word in ("true", "1"):
            return True
        if word not in ("false", "0"):
            self.refuse(element, f"<{element.tag}> is {text.strip()[:40]!r}", "true or false")
        return False

    def says(self, parent: Element, tag: str, otherwise: bool = False) -> bool:
        """Whether a child says true."""
        element = parent.child(tag)
        return self.truth(element, None if element is None else element.text, otherwise)

    def pose(self, parent: Element) -> Placement:
        """What <pose> says, in the frame it is relative to."""
        element = parent.child("pose")
        if element is None or (not element.text.strip()):
            return Placement()
        form = element.get("rotation_format", "euler_rpy")
        if form not in ("euler_rpy", "quat_xyzw"):
            self.refuse(element, f"rotation_format is {form!r}", "euler_rpy or quat_xyzw")
            return Placement()
        turns = form == "quat_xyzw"
        found = self.numbers(element, element.text, 7 if turns else 6, "<pose>")
        if found is None:
            return Placement()
        if max(abs(v) for v in found) > MOST:
            self.refuse(element, f"<pose> is {element.text.strip()[:80]!r}", f"numbers of at most {MOST:g}")
            return Placement()
        if turns:
            x, y, z, w = found[3:]
            if math.hypot(w, x, y, z) < 1e-6:
                self.refuse(element, "the quaternion of <pose> is zero", "x y z w of length 1")
                return Placement()
            return place_quaternion(found[:3], (w, x, y, z))
        if self.truth(element, element.get("degrees"), False):
            found[3:] = [math.radians(v) for v in found[3:]]
        elif max(abs(v) for v in found[3:]) > MOST_ANGLE:
            large = max(found[3:], key=abs)
            self.note(element, f'<pose> turns by {large:g} rad: is it in degrees, which degrees="true" says?', "pose")
        return place_rpy(found[:3], *found[3:])

    def relative_to(self, parent: Element) -> str:
        """The frame that <pose> names, '' for none."""
        element = parent.child("pose")
        if element is None:
            return ""
        old = element.get("frame") if self.version < (1, 7) else None
        return (element.get("relative_to") or old or "").strip()


def word_in(parent: Element, tag: str) -> str:
    """The text of a child, '' for none."""
    element = parent.child(tag)
    return "" if element is None else element.text.strip()


def _count_words(count: int | None) -> str:
    return "numbers" if count is None else "a number" if count == 1 else f"{count} numbers"
