"""From point to point by trigonometric splines of third order [Lopes, section 4]: at rest, without acceleration, at each."""

from typing import Any, Unpack

from gough.arguments import checked, word, words
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.moves import moves, schedule
from gough.simulation.motion.points import Where, points_of
from gough.simulation.motion.time_laws import trigonometric_law


@checked(names=words, orientation=word, frame=word, extend=word)
def trigonometric(*, durations: Any = None, times: Any = None, rests: Any = 0.0, **where: Unpack[Where]) -> Motion:
    """Arguments as for `quintic`."""
    points = points_of(where)
    return moves(points, schedule(points, durations, times, rests), lambda _, T: (trigonometric_law(T), None))
