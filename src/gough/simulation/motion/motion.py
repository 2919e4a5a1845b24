"""A prescribed motion: position, velocity and acceleration at any time, consistent with each other.

kind "pose"    position (..., 7) x y z qw qx qy qz of the platform, or of a named `frame`; velocity (..., 6): twist of that
               frame's origin in world axes, linear first; acceleration (..., 6): its classical derivative
kind "point"   x y z (..., 3) of the origin of a named `frame`, whose orientation is left free
kind "drives"  coordinates (..., n) of drives; kind "joints": of named joints; with their rates
A motion is smooth between its `breaks`. `kinks` are those of them where velocity or acceleration jump, and both ends.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gough.arguments import a_motion, checked, flag, number, numbers, take, word
from gough.errors import UsageError
from gough.simulation.given import floats
from gough.simulation.motion.paths import Three
from gough.structure.layout import TWIST_NAMES

if TYPE_CHECKING:
    from gough.simulation.motion.table import MotionTable

JUMP = 1e-9
"""A velocity or acceleration that jumps by less than this part of its largest value is continuous."""
LONGEST = 1e9
"""The longest time (s) that can be meant: 32 years."""
SLACK = 1e-12
"""A time this part of the duration outside of the motion is rounding."""


@dataclass(frozen=True)
class Sample:
    """A motion at times (...): position (..., n), velocity and acceleration (..., m); n and m differ for poses."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Motion(ABC):
    """names, units: of the position's channels (units "" where nobody said). frame: whose pose or point it is; None is the
    platform. breaks (p + 1,): 0, ends of smooth pieces, duration (s). extend: None, or "hold": at rest outside."""

    kind: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    breaks: np.ndarray
    frame: str | None = None
    extend: str | None = None

    def __post_init__(self) -> None:
        if self.extend is not None and not (isinstance(self.extend, str) and self.extend == "hold"):
            raise UsageError(f"extend={self.extend!r}; use 'hold' (at rest before and after), or leave it out")
        self.breaks.setflags(write=False)

    def __repr__(self) -> str:
        whose = f" of {self.frame}" if self.frame else ""
        what = "" if self.kind in ("pose", "point") else " " + " ".join(self.names)
        return f"<motion: {self.kind}{whose}{what}, {self.duration:.6g} s, {len(self.breaks) - 1} pieces>"

    @abstractmethod
    def _at(self, t: np.ndarray, left: bool) -> Three:
        """Position, velocity, acceleration (m, …) at times t (m,) inside [0, duration]."""

    def _table(self) -> "MotionTable | None":
        """The motion as polynomials that are exact, where it is made of such; else None."""
        return None

    @property
    def duration(self) -> float:
        """s."""
        return float(self.breaks[-1])

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the velocity's channels: the twist of a pose, else those of the position."""
        return TWIST_NAMES if self.kind == "pose" else self.names

    @cached_property
    def kinks(self) -> np.ndarray:
        """Times (s) where velocity or acceleration may jump, with 0 and the duration."""
        inner = self.breaks[1:-1]
        if not len(inner):
            return self.breaks
        sizes = [np.abs(x).max() for x in self._at(self._spread(), False)[1:]]
        before, after = self._at(inner, True), self._at(inner, False)
        jumps = np.zeros(len(inner), dtype=bool)
        for b, a, size in zip(before[1:], after[1:], sizes, strict=True):
            jumps |= np.abs(a - b).max(axis=1) > JUMP * size
        return self.breaks[np.concatenate([[True], jumps, [True]])]

    def _spread(self, each: int = 4) -> np.ndarray:
        """Times inside every piece, not at its ends."""
        return (self.breaks[:-1, None] + np.diff(self.breaks)[:, None] * (np.arange(each) + 0.5) / each).ravel()

    @checked(t=numbers, side=word)
    def at(self, t: Any, side: str = "right") -> Sample:
        """The motion at times t (...), s. At a kink: the value after it, or before it with side="left" (at the end of the
        motion always before it). Outside of [0, duration]: UsageError, or rest where `extend` is "hold"."""
        if not isinstance(side, str) or side not in ("right", "left"):
            raise UsageError(f"side={side!r}; use 'right' or 'left'")
        times = floats("t", t)
        flat, end = times.ravel(), self.duration
        if not np.isfinite(flat).all():
            raise UsageError("a motion was asked for at a time that is NaN or infinite")
        outside = (flat < -SLACK * end) | (flat > end * (1 + SLACK))
        if outside.any() and self.extend is None:
            raise UsageError(
                f"a motion of {end:.9g} s was asked for at t = {flat[outside][0]:.9g} s; stay within 0 and {end:.9g} s, or make "
                f"it with extend='hold'"
            )
        position, velocity, acceleration = self._at(np.clip(flat, 0.0, end), side == "left")
        velocity[outside], acceleration[outside] = 0.0, 0.0
        return Sample(*(x.reshape(*times.shape, x.shape[1]) for x in (position, velocity, acceleration)))

    def extended(self) -> Self:
        """The motion with rest at its ends before and after."""
        return replace(self, extend="hold")

    @checked(others=a_motion, jump=flag)
    def then(self, *others: "Motion", jump: bool = False) -> "Motion":
        """This motion, then the others. Each begins where the one before it ends; jump: its velocity may differ."""
        from gough.simulation.motion.chain import chain

        return chain((self, *others), jump)

    @checked(duration=number(above=0, most=LONGEST), jump=flag)
    def hold(self, duration: float, jump: bool = False) -> "Motion":
        """This motion, then rest (s). jump: it may stop at once from a velocity."""
        from gough.simulation.motion.chain import rest

        return self.then(rest(self, duration), jump=jump)

    def slower(self, factor: float) -> "Motion":
        """The same path in `factor` times the time (below 1: faster)."""
        from gough.simulation.motion.slower import slower

        return slower(self, factor)

    def table(self) -> "MotionTable":
        """The motion as piecewise polynomials; see `MotionTable`."""
        from gough.simulation.motion.table import table

        return table(self)


def check_duration(name: str, value: Any) -> float:
    """A positive number of seconds, or a UsageError."""
    return take(f"{name} (s)", number(above=0, most=LONGEST), value)
