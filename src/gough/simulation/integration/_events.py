"""A piece of a run under a law on a clock where a singularity comes near: from one event of the clock to the next.

Elsewhere the loop itself ticks, whole pieces at a time. On the way past a singularity it does not, and forces stay what they were
where that way began: so it ends where the next sample is due.
"""

from typing import TYPE_CHECKING

import numpy as np

from gough.errors import Status
from gough.simulation.integration._rates import clock_program
from gough.simulation.integration.marching import TOO_MANY_STEPS, OneRunLoop, RunStopped, no_time

if TYPE_CHECKING:
    from gough.simulation.integration.course import Course

Vector = np.ndarray
CAREFUL = 20
"""Stretches from event to event before a whole piece is tried again."""


class NearError(Exception):
    """The next step comes near a singularity."""


def go_by_events(course: "Course", state: Vector, row: Vector) -> Vector:
    """The state (n,) at the end of a piece, from one at its begin."""
    state, t, careful, row = state.copy(), course.states.t, 0, row.copy()
    state[t] = row[0]
    while state[t] < row[1] - no_time(row):
        if not careful:
            row[0] = state[t]
            try:
                return course.trusted_piece(state, row)
            except RunStopped as problem:
                if problem.failure == TOO_MANY_STEPS or problem.failure.status == Status.STICKING:
                    raise
            except NearError:
                pass
            if course.last is not None and course.last[t] >= state[t]:
                state = course.last[: course.states.size].copy()
            careful = CAREFUL
        state, event = _ticked(course, state, row)
        part = row.copy()
        part[:2] = state[t], row[1] if event > row[1] - no_time(row) else event
        state = course.watched_piece(state, part)
        careful -= 1
    state[t] = row[1]
    return state


def _ticked(course: "Course", state: Vector, row: Vector) -> tuple[Vector, float]:
    """(the state (n,) after what the law's clock does there, time (s) of its next event)."""
    plant, marching = course.led.plant, course.led.marching
    loop = OneRunLoop(plant.loop_code("clock", lambda: clock_program(plant)), marching.parameters)
    found = loop(state[None, : course.states.size], 1, marching.turn_inputs(row))
    return found.state[0].copy(), float(found.record[0, 0, 0])
