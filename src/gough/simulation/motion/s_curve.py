"""From point to point as fast as limits on speed, acceleration, jerk and snap allow, with a stop at each.

A step of 1 averaged over a time T₁, the result over T₂, and so on
[L. Biagiotti, C. Melchiorri, Control Engineering Practice 20(12), 2012]:

    s = step * b₁ * b₂ * … * bₙ,   bᵢ(t) = 1/Tᵢ on [0, Tᵢ],                                              (1)

is a move from rest to rest in ΣTᵢ whose k-th derivative is at most 1/(T₁ … T_k), reached where

    Tᵢ ≥ Tᵢ₊₁ + … + Tₙ for all i.                                                                       (2)

n = 3 is limited in jerk, n = 4 in snap, and pieces are polynomials of degree n. A distance D under limits l₁ … lₙ of its
derivatives takes T₁ = D/l₁ and then what a change l₁ of the speed takes under l₂ … lₙ, if (2) holds so; else the speed l₁ is not
reached, and the largest l that is has D/l = T₂ + … + Tₙ. Of jerk this is the fastest motion there is; of snap the fastest
of those of form (1) with (2).

Coordinates move together, by one law along the straight line between points: of a drive that moves by Δ the law's limits are
l/|Δ|, and the strictest counts. Of poses both path and rotation count.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from gough.arguments import checked, word, words
from gough.errors import UsageError
from gough.simulation.motion._law_limits import RATES, law_limits, limits_of
from gough.simulation.motion._points import Points, Where, points_of
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.moves import move_times, moves
from gough.simulation.motion.paths import PolynomialPath

SAME = 1e-11
"""Ends of pieces that are this near, of the whole time, are one."""


@checked(names=words, orientation=word, frame=word, extend=word)
def s_curve(
    *,
    speed: Any = None,
    acceleration: Any = None,
    jerk: Any = None,
    snap: Any = None,
    turn_speed: Any = None,
    turn_acceleration: Any = None,
    turn_jerk: Any = None,
    turn_snap: Any = None,
    durations: Any = None,
    times: Any = None,
    rests: Any = 0.0,
    **where: Unpack[Where],
) -> Motion:
    """Through points (see `Where`), stopping at each, as fast as the limits allow: on speed (m/s, rad/s), acceleration, jerk and
    snap, of which the last that is given must be jerk or snap; accelerations are continuous, with snap jerks too.

    Of drives and joints a limit is one number, or one for each coordinate, and all arrive together. Of poses it is that of the
    path; turn_speed … turn_snap (rad/s …) are those of the rotation, which goes along with the path. durations, times, rests as
    for `quintic`: slower than the limits allow; without them moves are as fast as possible.
    """
    points = points_of(where)
    own = _limits_of((speed, acceleration, jerk, snap), "", points)
    turn = _limits_of((turn_speed, turn_acceleration, turn_jerk, turn_snap), "turn_", points)
    if not own and not turn:
        raise UsageError("s_curve: give jerk= or snap= (or turn_jerk=, turn_snap= of poses that turn)")
    rows = [_move_widths(k, points, own, turn) for k in range(len(points) - 1)]
    least = np.array([sum(widths) for widths in rows])
    if durations is None and times is None:
        if any(not widths for widths in rows):
            k = [not widths for widths in rows].index(True)
            raise UsageError(f"s_curve: points {k} and {k + 1} are the same, which takes no time; use rests=")
        plan = move_times(points, least, None, rests)
    else:
        plan = move_times(points, durations, times, rests)
    short = np.flatnonzero(plan.durations < least * (1 - 1e-12))
    if len(short):
        k = int(short[0])
        raise UsageError(
            f"s_curve: move {k} takes {least[k]:.6g} s under these limits, not {plan.durations[k]:.6g} s; give it more time, or "
            "let it be as fast as possible (without durations= and times=)"
        )

    def laws(k: int, T: float) -> tuple[PolynomialPath, None]:
        widths = rows[k] or [4 / 7, 2 / 7, 1 / 7]  # of a move that stays where it is any law will do
        return averages_law([w * T / sum(widths) for w in widths]), None

    return moves(points, plan, laws)


def _limits_of(given: Sequence[Any], prefix: str, points: Points) -> list[np.ndarray]:
    """As `limits_of`; the last one must be of jerk or snap."""
    found = limits_of("s_curve", given, prefix, points)
    if 0 < len(found) < 3:
        raise UsageError(
            f"s_curve: {prefix}{RATES[len(found) - 1]}= alone does not limit the jerk; give {prefix}jerk= or snap"
        )
    return found


def _move_widths(k: int, points: Points, own: list[np.ndarray], turn: list[np.ndarray]) -> list[float]:
    """Times of (1) of move k; empty where it stays where it is."""
    length, angle = points.distances(k)
    limits = law_limits(k, points, own, turn)
    last = max((n for n, limit in enumerate(limits) if math.isfinite(limit)), default=-1)
    if last < 2 and (length or angle):
        key = "jerk=" if length else "turn_jerk="
        raise UsageError(
            f"s_curve: nothing limits the jerk of move {k}, which goes {length:.6g} m and turns {angle:.6g} rad; give {key}"
            if points.chart
            else f"s_curve: nothing limits the jerk of move {k}; give a finite {key}"
        )
    return _widths(1.0, limits[: last + 1]) if last >= 0 else []


def _widths(distance: float, limits: Sequence[float]) -> list[float]:
    """Times of (1), the longest first, for a distance under limits of its derivatives, of which the last one is finite."""
    first, rest = limits[0], limits[1:]
    if not rest:
        return [distance / first]
    if math.isfinite(first):
        inner = _widths(first, rest)
        if distance / first >= sum(inner):
            return [distance / first, *inner]
    if len(rest) == 1:
        width = math.sqrt(distance / rest[0])
        return [width, width]
    from scipy.optimize import brentq

    def beyond(log: float) -> float:
        return math.log(sum(_widths(math.exp(log), rest)) / distance) + log

    low = high = math.log(distance)
    while beyond(low) > 0:
        low -= 4.0
    while beyond(high) < 0:
        high += 4.0
    root: Any = brentq(beyond, low, high, xtol=1e-15)
    reached = math.exp(root)
    inner = _widths(reached, rest)
    return [sum(inner), *inner]


def averages_law(widths: Sequence[float]) -> PolynomialPath:
    """(1), of times (n,) that fulfil (2): polynomials of degree n, the second half from the first by s(T - t) = 1 - s(t)."""
    n, T = len(widths), math.fsum(widths)
    with np.errstate(over="ignore", divide="ignore"):
        top = 1.0 / np.prod(widths)
    if not np.isfinite(top):
        raise UsageError(f"s_curve: a move of {T:g} s is too short for numbers; raise distances or lower limits")
    events = sorted((math.fsum(some), (-1.0) ** r) for r in range(n + 1) for some in combinations(widths, r))
    when, signs = np.array([e for e, _ in events]), np.array([s for _, s in events])
    own = np.concatenate([[True], np.diff(when) > SAME * T])
    breaks = when[own]
    breaks[-1] = T
    breaks = 0.5 * (breaks + (T - breaks[::-1]))
    values = top * np.add.reduceat(signs, np.flatnonzero(own)).cumsum()[:-1]  # of the n-th derivative
    pieces = len(breaks) - 1
    factorial = np.array([math.factorial(j) for j in range(n + 1)], dtype=float)
    states = np.zeros((pieces + 1, n))  # s and its derivatives at breaks, up to the middle
    rows = np.zeros((pieces, 1, n + 1))
    turned = -((-1.0) ** np.arange(n))
    for k in range(pieces):
        if 2 * k > pieces - 1:
            states[k] = turned * states[pieces - k]
            states[k, 0] += 1.0
        rows[k, 0] = [*states[k], values[k]] / factorial
        if 2 * k < pieces:
            h = breaks[k + 1] - breaks[k]
            whole = np.array([*states[k], values[k]])
            for j in range(n):
                states[k + 1, j] = sum(whole[i] * h ** (i - j) / factorial[i - j] for i in range(j, n + 1))
    return PolynomialPath(breaks, rows)
