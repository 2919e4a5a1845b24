"""Bounds of an exciting motion: what the description states, made narrower or more by the user."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import number, numbers, take
from gough.dynamics.tilts import tilting_joints
from gough.errors import UsageError
from gough.identification.excitation._led import rate_names
from gough.model.results import LimitKind
from gough.robot.item import nearest
from gough.robot.tree import platform_name

if TYPE_CHECKING:
    from gough.model import Model

WORDS = ("stroke", "speed", "acceleration", "force", "cone")
"""What a bound may be about."""
OF_KIND = {
    LimitKind.LOWER: "stroke",
    LimitKind.UPPER: "stroke",
    LimitKind.STROKE_LOWER: "stroke",
    LimitKind.STROKE_UPPER: "stroke",
    LimitKind.SPEED: "speed",
    LimitKind.FORCE: "force",
    LimitKind.CONE: "cone",
}


@dataclass(frozen=True)
class MotionBound:
    """A bound of a coordinate, its speed, its acceleration, a drive's force or a joint's tilt: lower ≤ x ≤ upper (SI), infinite
    where a side is open. source: "description" or "user"."""

    name: str
    word: str
    lower: float
    upper: float
    unit: str
    source: str

    def __str__(self) -> str:
        return f"{self.name} {self.word}"

    @property
    def scale(self) -> float:
        """What margins are parts of: half the range; of one side the bound itself, or 1 where that is 0."""
        half = (self.upper - self.lower) / 2
        one = abs(self.upper if np.isfinite(self.upper) else self.lower)
        return half if np.isfinite(half) else one or 1.0

    @property
    def middle(self) -> float:
        """Of the range; 0 where a side is open."""
        return (self.lower + self.upper) / 2 if np.isfinite(self.upper - self.lower) else 0.0

    def margins(self, x: np.ndarray) -> np.ndarray:
        """Distance (n,) to the nearer side, in its unit; negative beyond it."""
        return np.minimum(self.upper - x, x - self.lower)


def bounds_of(model: "Model", given: str | Mapping[str, Any]) -> tuple[MotionBound, ...]:
    """All bounds: those of the description, made narrower or more by a mapping {name or pattern: {word: number or pair}}."""
    found: dict[tuple[str, str], MotionBound] = {}

    def add(new: MotionBound) -> None:
        old = found.get((new.name, new.word))
        tight = new if old is None else replace(new, lower=max(old.lower, new.lower), upper=min(old.upper, new.upper))
        same = old is not None and (tight.lower, tight.upper) == (old.lower, old.upper)
        found[new.name, new.word] = old if same and old is not None else tight

    layout = model.layout
    stated = model.limit_margins(model.home, np.zeros(layout.nv), np.zeros(len(layout.drive_names))).limits
    platform = f"{platform_name(model.robot)}." if model.mechanism.has_platform else ""
    for limit in stated:
        name = limit.joint.removeprefix(platform) if platform and limit.joint.startswith(platform) else limit.joint
        side, bound = limit.kind.side, float(limit.bound)
        lower = bound if side == "lower" else -np.inf if side or limit.kind == LimitKind.CONE else -bound
        upper = bound if side != "lower" else np.inf
        add(MotionBound(name, OF_KIND[limit.kind], lower, upper, limit.unit, "description"))
    if isinstance(given, str):
        if given != "description":
            raise UsageError(
                f"limits={given!r}; use 'description' or {{name: {{'stroke': (lower, upper), 'speed': …}}}}"
            )
        return tuple(found.values())
    for pattern, bounds in given.items():
        for new in _given(model, pattern, bounds):
            add(new)
    return tuple(found.values())


def _given(model: "Model", pattern: str, bounds: Any) -> list[MotionBound]:
    """Bounds that a name or a pattern stands for."""
    if not isinstance(bounds, Mapping):
        raise UsageError(f"limits[{pattern!r}]={bounds!r}; give {{word: bound}} with words {', '.join(WORDS)}")
    rates, tilts, drives = rate_names(model), tilting_joints(model.mechanism), model.layout.drive_names
    out = []
    for word, bound in bounds.items():
        if word not in WORDS:
            raise UsageError(f"limits[{pattern!r}]: no {word!r}; use {', '.join(WORDS)}")
        known = list(tilts) if word == "cone" else list(drives) if word == "force" else list(rates)
        names = [n for n in known if n == pattern or ("*" in pattern and fnmatchcase(n, pattern))]
        if not names:
            raise UsageError(f"limits[{pattern!r}]: nothing of {model.robot.name} with a {word} is so called; "
                             f"expected {nearest(pattern, known)}")  # fmt: skip
        x = take(f"limits[{pattern!r}][{word!r}]", numbers, bound)
        if word == "stroke":
            if x.shape != (2,) or not x[0] < x[1]:
                raise UsageError(f"limits[{pattern!r}]['stroke']={bound!r}; give (lower, upper), rising")
            lower, upper = float(x[0]), float(x[1])
        else:
            upper = take(f"limits[{pattern!r}][{word!r}]", number(above=0), bound)
            lower = -np.inf if word == "cone" else -upper
        for name in names:
            unit = "rad" if word == "cone" else model.layout.drive_units[drives.index(name)] if word == "force" else ""
            own = unit or rates[name][1] + {"stroke": "", "speed": "/s", "acceleration": "/s2"}[word]
            out.append(MotionBound(name, word, lower, upper, own, "user"))
    return out


def columns_of(bounds: tuple[MotionBound, ...]) -> tuple[str, ...]:
    """Coordinates whose rates bounds ask for."""
    return tuple(dict.fromkeys(b.name for b in bounds if b.word in ("stroke", "speed", "acceleration")))
