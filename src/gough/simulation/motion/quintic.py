"""From point to point by quintic polynomials: at rest, and without acceleration, at every point."""

from typing import Any, Unpack

from gough.arguments import checked, word, words
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.moves import moves, schedule
from gough.simulation.motion.points import Where, points_of
from gough.simulation.motion.time_laws import quintic_law


@checked(names=words, orientation=word, frame=word, extend=word)
def quintic(*, durations: Any = None, times: Any = None, rests: Any = 0.0, **where: Unpack[Where]) -> Motion:
    """Through points (poses=, points=, drives= or joints=, see `Where`), stopping at each.

    durations: of each move (s; one number: of all); or times: when each point is reached. rests: at each point (s).
    """
    points = points_of(where)
    return moves(points, schedule(points, durations, times, rests), lambda _, T: (quintic_law(T), None))
