"""One motion after the other, and rest."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.arguments import a_motion, checked, flag, several
from gough.errors import UsageError
from gough.robot.units import misfit
from gough.simulation.motion.coordinate_motion import coordinate_motion
from gough.simulation.motion.motion import JUMP, Motion, check_duration
from gough.simulation.motion.paths import Three, constant, local_time, piece_of
from gough.simulation.motion.pose_motion import pose_motion

GAP = 1e-9
"""Accepted step of the position between two parts (m, rad, or relative to the position where that is larger)."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Chain(Motion):
    """parts: motions in their order. starts (k,): when each begins (s). signs (k,): of each part's quaternion, chosen so
    that it does not jump."""

    parts: tuple[Motion, ...]
    starts: np.ndarray
    signs: np.ndarray

    def _at(self, t: np.ndarray, left: bool) -> Three:
        which = piece_of(np.append(self.starts, self.duration), t, left)
        found: Three | None = None
        for k in np.unique(which) if len(t) else [0]:
            own, here = self.parts[k], which == k
            local = local_time(t[here], t[here] - self.starts[k], self.starts[k] + own.breaks, own.breaks)
            part = own._at(local, left)
            if self.kind == "pose":
                part[0][:, 3:] *= self.signs[k]
            if found is None:
                found = tuple(np.empty((len(t), x.shape[1])) for x in part)  # type: ignore[assignment]
            assert found is not None
            for whole, x in zip(found, part, strict=True):
                whole[here] = x
        assert found is not None
        return found

    def _table(self):
        from gough.simulation.motion.table import joined, unmeasured

        return joined(self, [unmeasured(part) for part in self.parts], self.starts, self.signs)


@checked(parts=several(a_motion), jump=flag)
def chain(parts: Sequence[Motion], jump: bool = False) -> Motion:
    """The parts one after the other. A part that does not begin where the one before it ends is refused; so is one that
    begins at another velocity, unless `jump`."""
    flat = [p for part in parts for p in (part.parts if isinstance(part, Chain) else (part,))]
    first = flat[0]
    for part in flat[1:]:
        own, other = (first.kind, first.names, first.frame), (part.kind, part.names, part.frame)
        if own != other:
            raise UsageError(
                f"motions of different things cannot follow each other: {_what(first)}, then {_what(part)}"
            )
    lengths = np.array([p.duration for p in flat])
    starts = np.concatenate([[0.0], np.cumsum(lengths)])
    signs = np.ones(len(flat))
    for k in range(1, len(flat)):
        signs[k] = _joint(flat[k - 1], flat[k], signs[k - 1], starts[k], jump)
    breaks = np.concatenate([starts[k] + p.breaks[:-1] for k, p in enumerate(flat)] + [starts[-1:]])
    return Chain(
        kind=first.kind,
        names=first.names,
        units=tuple(_common_unit(name, [p.units[k] for p in flat]) for k, name in enumerate(first.names)),
        breaks=breaks,
        frame=first.frame,
        extend=parts[0].extend,
        parts=tuple(flat),
        starts=starts[:-1],
        signs=signs,
    )


def rest(motion: Motion, duration: float, end: bool = True) -> Motion:
    """Rest (s) where a motion ends, or where it begins."""
    seconds = check_duration("duration", duration)
    x = motion.at(motion.duration if end else 0.0).position
    return rest_at(motion, x, seconds)


def rest_at(like: Motion, position: np.ndarray, duration: float) -> Motion:
    """Rest (s) at a position, of the same channels as a motion."""
    if like.kind == "pose":
        none = constant(np.zeros(3), duration)
        return pose_motion(
            constant(position[:3], duration), none, base=position[3:], frame=like.frame, extend=like.extend
        )
    return coordinate_motion(constant(position, duration), like.kind, like.names, like.units, like.frame, like.extend)


def _joint(before: Motion, after: Motion, sign: float, when: float, jump: bool) -> float:
    """Sign of the quaternion of the motion after; UsageError where the two do not fit together."""
    end, start = before._at(before.breaks[-1:], True), after._at(after.breaks[:1], False)
    a, b = end[0][0].copy(), start[0][0].copy()
    turn = 1.0
    if before.kind == "pose":
        a[3:] *= sign
        turn = -1.0 if a[3:] @ b[3:] < 0 else 1.0
        b[3:] *= turn
    step = np.abs(b - a) / np.maximum(1.0, np.abs(a))
    if step.max() > GAP:
        k = int(step.argmax())
        raise UsageError(
            f"the motion that begins at {when:.6g} s begins elsewhere: {before.names[k]} is {b[k]:.9g} after {a[k]:.9g}; "
            f"let it begin at the end of the one before (its position at its last time)"
        )
    largest = max(np.abs(m._at(m._spread(), False)[1]).max() for m in (before, after))
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
