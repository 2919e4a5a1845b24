"""From point to point with a stop at each, and closed paths with corners.

quintic        at rest, and without acceleration, at every point
septic         of 7th degree: at every point without jerk, too
trapezoid      trapezoidal speed; translation and rotation may have ramps of their own [Pedrammehr 2012, section 9]. A ramp (s) is
               given, or follows from the speed (m/s, rad/s) that is reached in the given time: ramp = T - distance/speed
trigonometric  by trigonometric splines of third order, named by [Lopes, section 4] without its constants: as the quintic at
               every point
polygon        along the edges through given corners, by any of these
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from gough.arguments import checked, number, numbers, take, word, words
from gough.errors import UsageError
from gough.simulation.motion._points import Points, Where, points_of
from gough.simulation.motion.motion import LONGEST, Motion, chain
from gough.simulation.motion.paths import PolynomialPath, quintic_law, septic_law, trapezoid_law, trigonometric_law

Laws = Callable[[int, float], tuple[PolynomialPath, PolynomialPath | None]]
"""(move, its duration) -> laws of position and orientation; None: the same."""
SHORTEST = 1e-12
"""Time (s) of a move below which its accelerations are no numbers any more."""


@dataclass(frozen=True)
class MoveTimes:
    """durations (n - 1,): of the moves (s); rests (n,): at the points (s)."""

    durations: np.ndarray
    rests: np.ndarray


def move_times(points: Points, durations: Any, times: Any, rests: Any) -> MoveTimes:
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
        return MoveTimes(moving, stay)
    moving = numbers_for("durations", durations, n - 1, "moves")
    if not ((moving > SHORTEST) & (moving < LONGEST)).all():
        raise UsageError(
            f"durations: {moving.min():.6g} … {moving.max():.6g} s; a move takes a positive time, more than {SHORTEST:g} s and "
            f"less than {LONGEST:g} s"
        )
    return MoveTimes(moving, stay)


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


def moves(points: Points, plan: MoveTimes, laws: Laws) -> Motion:
    """All moves and rests as one motion."""
    parts: list[Motion] = []
    for k in range(len(points)):
        if plan.rests[k] > 0:
            parts.append(points.rest(k, float(plan.rests[k])))
        if k < len(points) - 1:
            duration = float(plan.durations[k])
            parts.append(points.move(k, *laws(k, duration)))
    return chain(parts) if len(parts) > 1 else parts[0]


def per_move(name: str, value: Any, count: int) -> Sequence[float | None]:
    """One number a move, or None for all."""
    return [None] * count if value is None else [float(x) for x in numbers_for(name, value, count, "moves")]


@checked(names=words, orientation=word, frame=word, extend=word)
def quintic(*, durations: Any = None, times: Any = None, rests: Any = 0.0, **where: Unpack[Where]) -> Motion:
    """Through points (poses=, points=, drives= or joints=, see `Where`), stopping at each.

    durations: of each move (s; one number: of all); or times: when each point is reached. rests: at each point (s).
    """
    points = points_of(where)
    return moves(points, move_times(points, durations, times, rests), lambda _, T: (quintic_law(T), None))


@checked(names=words, orientation=word, frame=word, extend=word)
def septic(*, durations: Any = None, times: Any = None, rests: Any = 0.0, **where: Unpack[Where]) -> Motion:
    """Arguments as for `quintic`; jerks are continuous, too, over all points."""
    points = points_of(where)
    return moves(points, move_times(points, durations, times, rests), lambda _, T: (septic_law(T), None))


@checked(names=words, orientation=word, frame=word, extend=word)
def trigonometric(*, durations: Any = None, times: Any = None, rests: Any = 0.0, **where: Unpack[Where]) -> Motion:
    """Arguments as for `quintic`."""
    points = points_of(where)
    return moves(points, move_times(points, durations, times, rests), lambda _, T: (trigonometric_law(T), None))


@checked(names=words, orientation=word, frame=word, extend=word)
def trapezoid(
    *,
    durations: Any = None,
    times: Any = None,
    rests: Any = 0.0,
    ramps: Any = None,
    speeds: Any = None,
    turn_ramps: Any = None,
    turn_speeds: Any = None,
    **where: Unpack[Where],
) -> Motion:
    """Through points (see `Where`), stopping at each; durations, times, rests as for `quintic`.

    ramps (s) or speeds: one number, or one a move; a ramp of 0 is constant speed, which only a single move without rests may
    have. turn_ramps, turn_speeds: of a pose's rotation; without them rotation goes along with translation.
    speeds of drives and joints are those of the coordinate that moves most.
    """
    points = points_of(where)
    plan = move_times(points, durations, times, rests)
    count = len(plan.durations)
    if (ramps is None) == (speeds is None):
        raise UsageError("trapezoid: give ramps= (s) or speeds= (m/s, rad/s)")
    if turn_ramps is not None and turn_speeds is not None:
        raise UsageError("trapezoid: give turn_ramps= or turn_speeds=, not both")
    turning = turn_ramps is not None or turn_speeds is not None
    if turning and points.chart is None:
        raise UsageError("trapezoid: turn_ramps= and turn_speeds= go with poses=")
    own = per_move("ramps", ramps, count), per_move("speeds", speeds, count)
    turn = per_move("turn_ramps", turn_ramps, count), per_move("turn_speeds", turn_speeds, count)

    def laws(k: int, T: float) -> tuple[PolynomialPath, PolynomialPath | None]:
        length, angle = points.distances(k)
        unit = "m" if points.kind in ("pose", "point") else ""
        first = _ramp_law(k, T, own[0][k], own[1][k], length, unit)
        return first, _ramp_law(k, T, turn[0][k], turn[1][k], angle, "rad") if turning else None

    return moves(points, plan, laws)


def _ramp_law(k: int, T: float, ramp: float | None, speed: float | None, distance: float, unit: str) -> PolynomialPath:
    if ramp is None:
        assert speed is not None
        if not distance:
            ramp = 0.5 * T
        else:
            ramp = T - distance / speed if speed > 0 else -T
            rounding = 1e-9 * T
            if not -rounding <= ramp <= 0.5 * T + rounding:
                least, most = distance / T, 2 * distance / T
                raise UsageError(
                    f"trapezoid: move {k} goes {distance:.6g} {unit} in {T:.6g} s; its speed must be between {least:.6g} and "
                    f"{most:.6g} {unit}/s, not {speed:.6g}".replace("  ", " ")
                )
            ramp = min(max(ramp, 0.0), 0.5 * T)
    try:
        return trapezoid_law(T, ramp)
    except UsageError as error:
        raise UsageError(f"trapezoid: move {k}: {error}") from None


MOVES = {"quintic": quintic, "septic": septic, "trapezoid": trapezoid, "trigonometric": trigonometric}


@checked(period=number(above=0), law=word, names=words, orientation=word, frame=word, extend=word)
def polygon(
    *,
    durations: Any,
    rests: Any = None,
    period: float | None = None,
    law: str = "quintic",
    ramps: Any = None,
    **where: Unpack[Where],
) -> Motion:
    """Along the edges through the corners (poses=, points=, drives= or joints=, see `Where`) and back to the first.

    durations: of the moves along the edges (s). rests: after each edge (s); or period: of an edge with its rest. law: of each
    edge, "quintic", "septic", "trigonometric" or "trapezoid" with its ramps (s).
    """
    if law not in MOVES:
        raise UsageError(f"law={law!r}; use one of {', '.join(MOVES)}")
    if (law == "trapezoid") != (ramps is not None):
        raise UsageError(
            f"law={law!r}: {'give its ramps= (s)' if ramps is None else 'ramps= goes with a trapezoid only'}"
        )
    if rests is not None and period is not None:
        raise UsageError("give rests= or period=, not both")
    edges = len(points_of(where))
    moving = numbers_for("durations", durations, edges, "edges")
    stay = numbers_for("rests", 0.0 if rests is None else rests, edges, "edges")
    if period is not None:
        stay = period - moving
        if (stay < -1e-12 * moving).any():
            raise UsageError(f"period={period!r} is shorter than the moves ({moving.max():.6g} s)")
        stay = np.maximum(stay, 0.0)
    more = {} if ramps is None else {"ramps": ramps}
    return MOVES[law](durations=moving, rests=np.concatenate([[0.0], stay]), **more, **_closed(where))


def _closed(where: Where) -> dict[str, Any]:
    """The arguments with the first corner once more at the end."""
    out: dict[str, Any] = dict(where)
    for key in ("poses", "points", "drives", "joints"):
        given = out.get(key)
        if given is None:
            continue
        if isinstance(given, dict):
            listed = {n: x if isinstance(x, list | tuple) else np.atleast_1d(x) for n, x in given.items()}
            out[key] = {n: [*x, x[0]] for n, x in listed.items()}
        else:
            out[key] = [*given, given[0]]
    return out
