"""Moves from point to point with rests: when each begins and how long it takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arguments import numbers, take
from gough.errors import UsageError
from gough.simulation.motion.chain import chain
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.motion.paths import Curve
from gough.simulation.motion.points import Points

Laws = Callable[[int, float], tuple[Curve, Curve | None]]
"""(move, its duration) -> laws of position and orientation; None: the same."""
SHORTEST = 1e-12
"""Time (s) of a move below which its accelerations are no numbers any more."""


@dataclass(frozen=True)
class Schedule:
    """durations (n - 1,): of the moves (s); rests (n,): at the points (s)."""

    durations: np.ndarray
    rests: np.ndarray


def schedule(points: Points, durations: Any, times: Any, rests: Any) -> Schedule:
    """durations: of each move (one number: of all). times (n,): when each point is reached, from 0. One of them. rests: at
    each point after it is reached (one number: at all)."""
    n = len(points)
    if (durations is None) == (times is None):
        raise UsageError("give either durations= of the moves or times= at which the points are reached")
    stay = numbers_for("rests", rests, n, "points")
    if ((stay < 0) | (stay > LONGEST)).any():
        raise UsageError(
            f"rests: {stay.min():.6g} … {stay.max():.6g} s; a rest cannot be negative, or above {LONGEST:g} s"
        )
    if times is not None:
        when = numbers_for("times", times, n, "points", one=False)
        if when[0] != 0.0:
            raise UsageError(f"times: the first point is reached at {when[0]:.6g} s; a motion begins at 0")
        moving = np.diff(when) - stay[:-1]
        short = np.flatnonzero(~(moving > 0))
        if len(short):
            k = int(short[0])
            raise UsageError(
                f"times: no time is left to move from point {k} to point {k + 1} ({moving[k]:.6g} s); times must rise by more "
                f"than the rests"
            )
        return Schedule(moving, stay)
    moving = numbers_for("durations", durations, n - 1, "moves")
    if not ((moving > SHORTEST) & (moving < LONGEST)).all():
        raise UsageError(
            f"durations: {moving.min():.6g} … {moving.max():.6g} s; a move takes a positive time, more than {SHORTEST:g} s and "
            f"less than {LONGEST:g} s"
        )
    return Schedule(moving, stay)


def numbers_for(name: str, value: Any, count: int, what: str, one: bool = True) -> np.ndarray:
    """Finite numbers (count,) from as many, or from one where `one` is allowed."""
    x = take(name, numbers, value)
    if x.ndim == 0 and one:
        x = np.full(count, float(x))
    if x.shape != (count,):
        raise UsageError(
            f"{name}: {x.size if x.ndim else 'one'} given for {count} {what}{'; give one or that many' if one else ''}"
        )
    if not np.isfinite(x).all():
        raise UsageError(f"{name}: NaN or infinite at entry {int(np.flatnonzero(~np.isfinite(x))[0])}")
    return x


def moves(points: Points, plan: Schedule, laws: Laws, jump: bool = False) -> Motion:
    """All moves and rests as one motion."""
    parts: list[Motion] = []
    for k in range(len(points)):
        if plan.rests[k] > 0:
            parts.append(points.rest(k, float(plan.rests[k])))
        if k < len(points) - 1:
            duration = float(plan.durations[k])
            parts.append(points.move(k, *laws(k, duration)))
    return chain(parts, jump) if len(parts) > 1 else parts[0]


def per_move(name: str, value: Any, count: int) -> Sequence[float | None]:
    """One number a move, or None for all."""
    return [None] * count if value is None else [float(x) for x in numbers_for(name, value, count, "moves")]
