"""Copies of a circular pattern that turn by themselves: poses on what all copies share, about an axis through its origin.

With `about: z` an entry is written as it stands at the angle 0. Of its copy at the angle A a position p becomes Rz(A) p and an
orientation R becomes Rz(A) R: `rpy_zyx: [yaw, pitch, roll]` has the yaw A + yaw. The second of a mirrored pair is the image of
the first in the plane of x and z before it turns: p with -y, and R as M R M with M = diag(1, -1, 1), which is [-yaw, pitch,
-roll]. About x and y the same with the axes renamed cyclically. Zeros stay zeros, and factors of right angles are exact.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gough.robot.item import is_given
from gough.robot.reader import Map, Mark, Seq

AXES = ("x", "y", "z")
MINUS = Decimal(-1)
SEQUENCES = {"x": "bryant_xyz", "z": "rpy_zyx"}
"""Orientations whose first turn is about the axis."""
NEUTRAL = {"x": ("bryant_xyz", 0), "y": ("rpy_zyx", 1), "z": ("rpy_zyx", 0)}
"""How a turn alone is written: the orientation, and which of its angles."""
OTHERS = ("rpy_zyx", "bryant_xyz", "quaternion_wxyz", "matrix", "axes")
EXACT = {
    0.0: Decimal(0),
    30.0: Decimal("0.5"),
    45.0: Decimal(2).sqrt() / 2,
    60.0: Decimal(3).sqrt() / 2,
    90.0: Decimal(1),
}
"""Sines of degrees to more digits than a number has: what they are multiplied with is rounded once."""


@dataclass(frozen=True)
class CopyTurn:
    """axis: x, y or z. angle: in degrees, or a text. mirrored: whether it is the second of a pair."""

    axis: str
    angle: float | str
    mirrored: bool = False

    @property
    def is_none(self) -> bool:
        """Whether it leaves everything where it is."""
        return self.angle == 0.0 and not self.mirrored

    def position(self, p: list[Any]) -> list[Any]:
        """Three turned lengths, as they are written."""
        first = AXES.index(self.axis)
        u, v = (first + 1) % 3, (first + 2) % 3
        x, y, out = p[u], _times(MINUS, p[v]) if self.mirrored else p[v], list(p)
        cosine, sine = _circle(self.angle)
        out[u] = _sum(_times(cosine, x), _times(sine, _times(MINUS, y)))
        out[v] = _sum(_times(sine, x), _times(cosine, y))
        return out

    def orientation(self, angles: list[Any]) -> list[Any]:
        """Three turned angles of the sequence that begins with the axis, as they are written."""
        second = list(angles)
        if self.mirrored:  # turns about the axis and the first direction beside it change sign
            last = 2 if self.axis == "z" else 1
            second[0], second[last] = _times(MINUS, angles[0], "rad"), _times(MINUS, angles[last], "rad")
        second = [float(x) if isinstance(x, Decimal) else x for x in second]
        return [_angle_sum(self.angle, second[0]), *second[1:]]


def turned_pose(pose: Any, turn: CopyTurn, mark: Mark) -> tuple[Any, tuple[str, str] | None]:
    """(a raw pose that is turned, what keeps it from it with what is expected); the pose may be None. Junk is left to its
    fields."""
    if turn.is_none or not (pose is None or isinstance(pose, Map)):
        return pose, None
    out = Map({} if pose is None else pose)
    out.mark, out.marks = (mark, {}) if pose is None else (pose.mark, dict(pose.marks))
    place = out.marks.get("position", out.mark)
    if isinstance(out.get("position"), Seq) and len(out["position"]) == 3:
        out["position"] = _seq(turn.position(out["position"]), place)
    if is_given(out, "orientation"):
        return out, None
    given = [key for key in OTHERS if is_given(out, key)]
    own = SEQUENCES.get(turn.axis)
    if not given:
        key, index = NEUTRAL[turn.axis]
        angles: list[Any] = [0, 0, 0]
        angles[index] = _spell(turn.angle)
        out[key] = _seq(angles, out.mark)
        out.marks[key] = out.mark
        return out, None
    if given != [own]:
        by_hand = "a pattern without `about` and the pose written with <angle>"
        if own is None:
            told = (
                f"a pose with {given[0]} in a pattern about {turn.axis}, which turns poses without an orientation alone"
            )
            return out, (told, f"a position alone, or {by_hand}")
        told = f"a pose with {given[0]} in a pattern about {turn.axis}, which turns {own} alone"
        return out, (told, f"its orientation as {own}, or {by_hand}")
    assert own is not None
    if isinstance(out[own], Seq) and len(out[own]) == 3:
        out[own] = _seq(turn.orientation(out[own]), out.marks[own])
    return out, None


def _seq(values: list[Any], mark: Mark) -> Seq:
    out = Seq(values)
    out.mark, out.marks = mark, [Mark(mark.line, f"{mark.path}[{k}]") for k in range(len(values))]
    return out


def _circle(angle: float | str) -> tuple[Decimal | str, Decimal | str]:
    """Cosine and sine."""
    if isinstance(angle, str):
        return f"cos({angle})", f"sin({angle})"
    return _sine(angle + 90.0), _sine(angle)


def _sine(degrees: float) -> Decimal:
    """Of degrees, exact where they are common."""
    around = math.fmod(degrees, 360.0) + (360.0 if degrees < 0 else 0.0)
    half = around if around < 180.0 else around - 180.0
    quarter = half if half <= 90.0 else 180.0 - half
    value = EXACT[quarter] if quarter in EXACT else Decimal(math.sin(math.radians(quarter)))
    return value if around < 180.0 else 0 - value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _is_zero(value: Any) -> bool:
    return _is_number(value) and value == 0


def _times(factor: Decimal | str, value: Any, unit: str = "m") -> Any:
    """A product as it is written: a number of two numbers, 0 where one is."""
    if _is_zero(factor) or _is_zero(value):
        return 0
    if isinstance(value, float) and not math.isfinite(value):
        return value
    if _is_number(value):
        exact = value if isinstance(value, Decimal) else Decimal(repr(value))
        return f"{factor}*({float(exact)!r} {unit})" if isinstance(factor, str) else factor * exact
    if not isinstance(value, str):
        return value  # junk, which its field refuses
    if isinstance(factor, str):
        return f"{factor}*({value})"
    return value if factor == 1 else f"-({value})" if factor == -1 else f"{_bracketed(float(factor))}*({value})"


def _bracketed(number: float) -> str:
    return f"({number!r})" if number < 0 else repr(number)


def _sum(a: Any, b: Any) -> Any:
    """A sum as it is written."""
    if _is_zero(a) or _is_zero(b):
        a, b = (b if _is_zero(a) else a), 0
    if isinstance(a, str) and not _is_zero(b):
        return f"{a} + {b if isinstance(b, str) else f'({float(b)!r} m)'}"
    if isinstance(b, str):
        return f"({float(a)!r} m) + {b}" if _is_number(a) else a
    if not (_is_number(a) and _is_number(b)):
        return a
    return float(a) + float(b) if isinstance(a, float) or isinstance(b, float) else float(a + b)


def _spell(angle: float | str) -> Any:
    """An angle as it is written."""
    if isinstance(angle, str):
        return angle
    return 0 if angle == 0.0 else f"{angle:.17g} deg"


def _angle_sum(angle: float | str, before: Any) -> Any:
    if _is_zero(before) or angle == 0.0:
        return _spell(angle) if _is_zero(before) else before
    if isinstance(before, str):
        return f"{_spell(angle)} + ({before})"
    return f"{_spell(angle)} + ({before!r} rad)" if isinstance(before, int | float) else before
