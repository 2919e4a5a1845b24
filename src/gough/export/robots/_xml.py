"""XML as text: elements with attributes in order, numbers that read back as the same doubles."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from gough.interchange.foreign import Placement


@dataclass
class Tag:
    """An element; attributes that are None are left out."""

    tag: str
    attributes: dict[str, Any] = field(default_factory=dict)
    children: list["Tag"] = field(default_factory=list)
    text: str = ""

    def add(self, tag: str, text: str = "", /, **attributes: Any) -> "Tag":
        """A child, which is returned; an attribute of a name that Python has (class_) ends with _."""
        made = Tag(tag, {key.rstrip("_"): value for key, value in attributes.items()}, text=text)
        self.children.append(made)
        return made

    def lines(self, depth: int = 0) -> Iterable[str]:
        """Indented text."""
        lead = "  " * depth
        given = {key: written(value) for key, value in self.attributes.items() if value is not None}
        head = f"{lead}<{self.tag}{''.join(f' {key}={quoteattr(value)}' for key, value in given.items())}"
        if not self.children:
            yield f"{head}>{escape(self.text)}</{self.tag}>" if self.text else f"{head}/>"
            return
        yield f"{head}>"
        for child in self.children:
            yield from child.lines(depth + 1)
        yield f"{lead}</{self.tag}>"


def document(root: Tag, comment: str) -> str:
    """The file's text."""
    said = comment.replace("--", "- -")
    return f'<?xml version="1.0" encoding="utf-8"?>\n<!-- {said} -->\n' + "\n".join(root.lines()) + "\n"


def written(value: Any) -> str:
    """A value as an attribute has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray | list | tuple):
        return " ".join(written(x) for x in np.asarray(value, dtype=float).ravel())
    number = float(value) + 0.0
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def rpy(at: Placement) -> tuple[float, float, float]:
    """Roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll).

    Pitch and roll are those of what the yaw leaves, so that their product is R to rounding where yaw and roll are hardly told
    apart, too.
    """
    r = at.rotation
    flat = np.hypot(r[0, 0], r[1, 0])
    yaw = 0.0 if flat < 1e-12 else np.arctan2(r[1, 0], r[0, 0])
    c, s = (np.cos(yaw), np.sin(yaw)) if yaw else (1.0, 0.0)
    pitch = np.arctan2(-r[2, 0], c * r[0, 0] + s * r[1, 0])
    roll = np.arctan2(s * r[0, 2] - c * r[1, 2], c * r[1, 1] - s * r[0, 1])
    return float(roll) + 0.0, float(pitch) + 0.0, float(yaw) + 0.0
