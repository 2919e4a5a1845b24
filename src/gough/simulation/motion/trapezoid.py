"""From point to point with trapezoidal speed; translation and rotation may have ramps of their own [Pedrammehr 2012].

A ramp (s) is given, or follows from the speed (m/s, rad/s) that is reached in the given time: ramp = T - distance/speed.
"""

from typing import Any, Unpack

from gough.arguments import checked, word, words
from gough.errors import UsageError
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.moves import moves, per_move, schedule
from gough.simulation.motion.paths import Curve
from gough.simulation.motion.points import Where, points_of
from gough.simulation.motion.time_laws import trapezoid_law


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
    plan = schedule(points, durations, times, rests)
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

    def laws(k: int, T: float) -> tuple[Curve, Curve | None]:
        length, angle = points.distances(k)
        unit = "m" if points.kind in ("pose", "point") else ""
        first = _law(k, T, own[0][k], own[1][k], length, unit)
        return first, _law(k, T, turn[0][k], turn[1][k], angle, "rad") if turning else None

    return moves(points, plan, laws)


def _law(k: int, T: float, ramp: float | None, speed: float | None, distance: float, unit: str) -> Curve:
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
