"""A prescribed motion: position, velocity and acceleration at any time, consistent with each other.

kind "pose"    position (..., 7) x y z qw qx qy qz of the platform, or of a named `frame`; velocity (..., 6): twist of that
               frame's origin in world axes, linear first; acceleration (..., 6): its classical derivative
kind "point"   x y z (..., 3) of the origin of a named `frame`, whose orientation is left free
kind "drives"  coordinates (..., n) of drives; kind "joints": of named joints; with their rates; kind "forces": drive forces
A motion is parts one after the other, each a path in the coordinates of a chart (see `paths`); functions make it.
It is smooth between its `breaks`. `kinks` are those of them where velocity or acceleration jump, and both ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from gough.arguments import a_motion, checked, flag, floats, number, numbers, several, take, word
from gough.errors import UsageError
from gough.robot.units import misfit
from gough.simulation.motion.paths import (
    IDENTITY,
    MotionPart,
    Sample,
    TimePath,
    constant,
    inside,
    merged_coordinates,
    piece_of,
)
from gough.simulation.motion.shaping import Shaping
from gough.simulation.motion.table import SLACK, MotionTable, table
from gough.spatial.charts import Three
from gough.structure.layout import POSE_NAMES, POSE_UNITS, TWIST_NAMES

JUMP = 1e-9
"""A velocity or acceleration that jumps by less than this part of its largest value is continuous."""
GAP = 1e-9
"""Accepted step of the position between two parts (m, rad, or relative to the position where that is larger)."""
LONGEST = 1e9
"""The longest time (s) that can be meant: 32 years."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Motion:
    """names, units: of the position's channels (units "" where nobody said). parts: in their order, without gaps. frame: whose
    pose or point it is; None is the platform. extend: None, or "hold": at rest outside. known_kinks: its kinks, where its maker
    knows them. first: (q, v) in which a run of it begins, where that does not follow from the motion. shaped: the shapers that it
    went through, or a quiet law, with the vibrations they are for; empty where there are none, and of a motion made slower."""

    kind: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    parts: tuple[MotionPart, ...]
    frame: str | None = None
    extend: str | None = None
    known_kinks: np.ndarray | None = None
    first: tuple[np.ndarray, np.ndarray] | None = None
    shaped: tuple[Shaping, ...] = ()

    def __post_init__(self) -> None:
        if self.extend is not None and not (isinstance(self.extend, str) and self.extend == "hold"):
            raise UsageError(f"extend={self.extend!r}; use 'hold' (at rest before and after), or leave it out")

    def __repr__(self) -> str:
        whose = f" of {self.frame}" if self.frame else ""
        what = "" if self.kind in ("pose", "point") else " " + " ".join(self.names)
        made = "".join(f"; {one}" for one in self.shaped)
        return f"<motion: {self.kind}{whose}{what}, {self.duration:.6g} s, {len(self.breaks) - 1} pieces{made}>"

    @cached_property
    def breaks(self) -> np.ndarray:
        """(p + 1,): 0, ends of smooth pieces, duration (s)."""
        found = np.concatenate([part.breaks[:-1] for part in self.parts] + [self.parts[-1].breaks[-1:]])
        found.setflags(write=False)
        return found

    @property
    def duration(self) -> float:
        """s."""
        return float(self.parts[-1].breaks[-1])

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the velocity's channels: the twist of a pose, else those of the position."""
        return TWIST_NAMES if self.kind == "pose" else self.names

    @cached_property
    def kinks(self) -> np.ndarray:
        """Times (s) where velocity or acceleration may jump, with 0 and the duration."""
        if self.known_kinks is not None:
            return self.known_kinks
        inner = self.breaks[1:-1]
        if not len(inner):
            return self.breaks
        sizes = [np.abs(x).max() for x in self._at(self._spread(), False)[1:]]
        before, after = self._at(inner, True), self._at(inner, False)
        jumps = np.zeros(len(inner), dtype=bool)
        for b, a, size in zip(before[1:], after[1:], sizes, strict=True):
            jumps |= np.abs(a - b).max(axis=1) > JUMP * size
        return self.breaks[np.concatenate([[True], jumps, [True]])]

    @cached_property
    def _starts(self) -> np.ndarray:
        """When the parts begin (s), and the duration."""
        return np.array([part.breaks[0] for part in self.parts] + [self.duration])

    def _spread(self) -> np.ndarray:
        """Times inside every piece, not at its ends."""
        return inside(self.breaks)

    def _at(self, t: np.ndarray, left: bool) -> Three:
        """Position, velocity, acceleration (m, …) at times t (m,) inside [0, duration]."""
        if len(self.parts) == 1:
            return self.parts[0].at(t, left)
        which = piece_of(self._starts, t, left)
        found: list[np.ndarray] = []
        for k in np.unique(which) if len(t) else [0]:
            here = which == k
            part = self.parts[k].at(t[here], left)
            found = found or [np.empty((len(t), x.shape[1])) for x in part]
            for whole, x in zip(found, part, strict=True):
                whole[here] = x
        return found[0], found[1], found[2]

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
        if outside.any():
            velocity, acceleration = (np.where(outside[:, None], 0.0, x) for x in (velocity, acceleration))
        return Sample(*(x.reshape(*times.shape, x.shape[1]) for x in (position, velocity, acceleration)))

    def extended(self) -> Self:
        """The motion with rest at its ends before and after."""
        return replace(self, extend="hold")

    @checked(others=a_motion, jump=flag)
    def then(self, *others: "Motion", jump: bool = False) -> "Motion":
        """This motion, then the others. Each begins where the one before it ends; jump: its velocity may differ."""
        return chain((self, *others), jump)

    @checked(duration=number(above=0, most=LONGEST), jump=flag)
    def hold(self, duration: float, jump: bool = False) -> "Motion":
        """This motion, then rest (s). jump: it may stop at once from a velocity."""
        return self.then(rest(self, duration), jump=jump)

    def slower(self, factor: float) -> "Motion":
        """The same path in `factor` times the time (below 1: faster): velocities fall by it, accelerations by its square."""
        times = float(take("slower: factor", number(above=0), factor))
        kinks = None if self.known_kinks is None else self.known_kinks * times
        return replace(
            self, parts=tuple(part.slower(times) for part in self.parts), known_kinks=kinks, first=None, shaped=()
        )

    def table(self) -> MotionTable:
        """The motion as piecewise polynomials; see `MotionTable`."""
        return table(self)


def check_duration(name: str, value: Any) -> float:
    """A positive number of seconds, or a UsageError."""
    return take(f"{name} (s)", number(above=0, most=LONGEST), value)


def coordinate_motion(
    path: TimePath,
    kind: str,
    names: tuple[str, ...],
    units: tuple[str, ...],
    frame: str | None = None,
    extend: str | None = None,
) -> Motion:
    """Motion of kind "drives", "joints" or "point": a path of its coordinates, in the order of `names`."""
    if (kind == "point") != (frame is not None):
        raise UsageError("frame= goes with poses and points; a point needs the name of its frame")
    part = MotionPart(path, path.breaks)
    return Motion(kind=kind, names=names, units=units, parts=(part,), frame=frame, extend=extend)


def pose_motion(
    path: TimePath,
    chart: str = "rotation_vector",
    base: np.ndarray = IDENTITY,
    frame: str | None = None,
    extend: str | None = None,
) -> Motion:
    """Motion of the platform's pose, or of that of a named frame: a path of x y z and of coordinates in a chart."""
    base = np.asarray(base, dtype=float) / np.linalg.norm(base)
    part = MotionPart(path, path.breaks, chart=chart, base=base)
    return Motion(kind="pose", names=POSE_NAMES, units=POSE_UNITS, parts=(part,), frame=frame, extend=extend)


@checked(parts=several(a_motion), jump=flag)
def chain(parts: Sequence[Motion], jump: bool = False) -> Motion:
    """The parts one after the other. A part that does not begin where the one before it ends is refused; so is one that
    begins at another velocity, unless `jump`."""
    first = parts[0]
    own = (first.kind, first.names, first.frame)
    joined, start, before, sign = list(first.parts), first.duration, first.parts[-1], 1.0
    for motion in parts[1:]:
        if own != (motion.kind, motion.names, motion.frame):
            raise UsageError(
                f"motions of different things cannot follow each other: {_what(first)}, then {_what(motion)}"
            )
        sign = _sign_after(first, before, sign, motion.parts[0], start, jump)
        joined += [part.shifted_part(start, sign) for part in motion.parts]
        start, before = start + motion.duration, motion.parts[-1]
    units = tuple(_common_unit(name, [m.units[k] for m in parts]) for k, name in enumerate(first.names))
    return Motion(
        kind=first.kind,
        names=first.names,
        units=units,
        parts=tuple(merged_coordinates(joined)),
        frame=first.frame,
        extend=first.extend,
        first=first.first,
        shaped=tuple(one for motion in parts for one in motion.shaped),
    )


def rest(motion: Motion, duration: float, end: bool = True) -> Motion:
    """Rest (s) where a motion ends, or where it begins."""
    seconds = check_duration("duration", duration)
    x = motion.at(motion.duration if end else 0.0).position
    if motion.kind != "pose":
        path = constant(x, seconds)
        return coordinate_motion(path, motion.kind, motion.names, motion.units, motion.frame, motion.extend)
    path = constant(np.concatenate([x[:3], np.zeros(3)]), seconds)
    return pose_motion(path, base=x[3:], frame=motion.frame, extend=motion.extend)


def _sign_after(like: Motion, before: MotionPart, sign: float, after: MotionPart, when: float, jump: bool) -> float:
    """Sign of the quaternion of the part after, which does not jump then, from that of the part before; UsageError where the two
    do not fit together."""
    end, start = before.at(before.breaks[-1:], True), after.at(after.breaks[:1], False)
    a, b = end[0][0].copy(), start[0][0].copy()
    turn = 1.0
    if like.kind == "pose":
        a[3:] *= sign
        turn = -1.0 if a[3:] @ b[3:] < 0 else 1.0
        b[3:] *= turn
    step = np.abs(b - a) / np.maximum(1.0, np.abs(a))
    if step.max() > GAP:
        k = int(step.argmax())
        raise UsageError(
            f"the motion that begins at {when:.6g} s begins elsewhere: {like.names[k]} is {b[k]:.9g} after {a[k]:.9g}; "
            f"let it begin at the end of the one before (its position at its last time)"
        )
    largest = max(np.abs(part.at(inside(part.breaks), False)[1]).max() for part in (before, after))
    change = np.abs(start[1] - end[1]).max()
    if change > JUMP * largest and not jump:
        raise UsageError(
            f"the velocity would jump by {change:.6g} at {when:.6g} s, which takes an infinite force; end the motion before at "
            f"rest, or pass jump=True"
        )
    return turn


def _common_unit(name: str, units: Sequence[str]) -> str:
    """That of one channel of all parts; parts of which nobody said it go along."""
    said = [unit for unit in units if unit]
    for unit in said[1:]:
        problem = misfit(unit, said[0], f"{name} before it")
        if problem:
            raise UsageError(f"motions of different things cannot follow each other: {problem}")
    return said[0] if said else ""


def _what(motion: Motion) -> str:
    where = f" of frame {motion.frame!r}" if motion.frame else ""
    return f"{motion.kind} {' '.join(motion.names)}{where}"
