"""Pieces of a run straight through machine code: arrays that stay, one call a piece, and no look at singular poses on the way.

What `ExplicitMarching` does between two looks, for steps that are asked for one by one: the same code on the same numbers. Who
steps looks at the states later, many at a time, and goes back where they cannot be trusted.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gough.simulation.integration.explicit import ExplicitMarching
from gough.simulation.integration.marching import even_steps, no_time
from gough.simulation.integration.step_pieces import TimePart

Vector = np.ndarray
TURNS = 256
"""Turns of the loop at a time: so long Ctrl-C waits."""
ROOM = 1024
"""Records that have a place before all of them are looked at."""


@dataclass(frozen=True, eq=False)
class Passed:
    """Stretches one after the other: their rows, the place of the first record of each, records (m, k) with those of rejected
    steps among them, the state (n,) at the end."""

    rows: list[Vector]
    firsts: list[int]
    records: Vector
    end: Vector

    def stretches(self, t: int) -> Iterator[tuple[Vector, Vector, Vector]]:
        """(row, records (m, k), state (n,) at its end) of each. t: place of the time in a state."""
        ends = [*self.firsts[1:], len(self.records)]
        for row, a, b in zip(self.rows, self.firsts, ends, strict=True):
            after = (self.records[b] if b < len(self.records) else self.end)[: len(self.end)].copy()
            after[t] = row[1]
            yield row, self.records[a:b], after


class StraightPieces:
    """Goes on from `state` (n,), which it changes."""

    def __init__(self, marching: ExplicitMarching) -> None:
        self.marching = marching
        self.loop = marching.loop.march.bind_table(marching.loop.table)
        self.loop.make_room(ROOM)
        self.state: Vector = self.loop.state
        self.t, self.size = marching.states.t, marching.states.size
        self.loop.given[-2:] = marching.tolerance, marching.step_size
        self.pieces: list[tuple[Vector, int]] = []  # row, place of the first record
        self.at = 0

    def begin(self, state: Vector) -> None:
        """Go on from a state (n,)."""
        self.state[:] = state[: self.size]

    @property
    def records(self) -> Vector:
        """All records (m, k) since the last time, those of rejected steps among them."""
        return self.loop.room[: self.at]

    def take(self) -> "Passed":
        """What was passed since the last time, which it then forgets."""
        rows, firsts = [row for row, _ in self.pieces], [first for _, first in self.pieces]
        found = Passed(rows, firsts, self.loop.room[: self.at], self.state.copy())
        self.loop.make_room(ROOM)
        self.pieces, self.at = [], 0
        return found

    @property
    def full(self) -> bool:
        """Whether a look is due."""
        return 2 * self.at > len(self.loop.room)

    def piece(self, part: TimePart) -> bool:
        """Goes to the end of a stretch; False where a step fails, or there are more than have room: then it is where it was."""
        row = part.row
        self.loop.given[:-2] = row
        first, before, done = self.at, self.state.copy(), len(self.pieces)
        try:
            if self._through(row, part.begins, part.ends):
                self.pieces.append((row, first))
        finally:  # an interrupt may come anywhere: it is there, and told, or it was never on the way
            if len(self.pieces) == done:
                self.at = first
                self.state[:] = before
        return len(self.pieces) > done

    def _through(self, row: Vector, begins: bool, ends: bool) -> bool:
        loop, x, t, marching = self.loop, self.state, self.t, self.marching
        begin, end = float(row[0]), float(row[1])
        if begins:
            x[t] = begin
        left, longest = len(loop.room) - self.at, marching.step_size
        if marching.adaptive:
            h = x[t + 1]
            x[t + 1] = min(h if h > 0 else 1e-3 * longest, longest)
        else:
            x[t + 1], count = even_steps(end - begin, longest, end)
            if count > left:
                return False
            left = count
        while left > 0:
            asked = min(left, TURNS)
            done, failed = loop(asked, self.at)
            self.at += done
            left -= done
            if failed:
                return False
            if done < asked or (marching.adaptive and x[t] >= end - no_time(row)):
                break
        else:
            if marching.adaptive:
                return False
        if ends or marching.adaptive:
            x[t] = end
        return True
