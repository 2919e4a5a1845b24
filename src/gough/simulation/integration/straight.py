"""Pieces of a run straight through machine code: arrays that stay, one call a piece, and the states of each are looked at before
anybody sees them.

What `ExplicitMarching` does in a piece in which nothing is near, for steps that are asked for one by one: the same code on the
same numbers, and `Watch` trusts all of it; `SafeBall` knows that in most cases without a look.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gough.simulation.integration._safe_ball import SafeBall
from gough.simulation.integration.course import Led
from gough.simulation.integration.crossing import Watch
from gough.simulation.integration.explicit import ExplicitMarching
from gough.simulation.integration.marching import even_steps, no_time
from gough.simulation.integration.step_pieces import TimePart

Vector = np.ndarray
TURNS = 256
"""Turns of the loop at a time: so long Ctrl-C waits."""
ROOM = 1024
"""Records that have a place before they are handed on."""


@dataclass(frozen=True, eq=False)
class Passed:
    """Stretches one after the other, with these velocities: their rows, the place of the first record of each, records (m, k)
    with those of rejected steps among them, the state (n,) at the end."""

    led: Led
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
    """Goes on from `state` (n,), which it changes, with one choice of velocities. `pieces`: (row, place of its first record), all
    of them trusted, by `ball`, or by a watch where that does not know it."""

    def __init__(self, led: Led, watch: Watch) -> None:
        marching = led.marching
        assert isinstance(marching, ExplicitMarching)
        self.led, self.marching, self.watch = led, marching, watch
        self.loop = marching.loop.march.bind_table(marching.loop.table)
        self.loop.make_room(ROOM)
        self.state: Vector = self.loop.state
        self.t, self.size = marching.states.t, marching.states.size
        self.nq = led.plant.model.layout.nq
        self.loop.given[-2:] = marching.tolerance, marching.step_size
        self.pieces: list[tuple[Vector, int]] = []
        self.at = self.noted = 0  # records; and pieces whose distances from singularities were noted
        self.idle, self.ball = watch.idle, SafeBall(led.plant, marching.parameters, watch)

    def begin(self, state: Vector, watch: Watch) -> None:
        """Go on from a state (n,) that was looked at."""
        self.state[:] = state[: self.size]
        self.watch = self.ball.watch = watch
        self.loop.room[self.at, : self.size] = self.state
        self.ball.lay_around(self.loop, self.at)

    def take(self) -> Passed:
        """What was passed since the last time, which it then forgets."""
        rows, firsts = [row for row, _ in self.pieces], [first for _, first in self.pieces]
        found = Passed(self.led, rows, firsts, self.loop.room[: self.at], self.state.copy())
        self.loop.make_room(ROOM)
        self.pieces, self.at, self.noted = [], 0, 0
        return found

    def forget(self) -> None:
        """As `take`, for nobody."""
        self.pieces, self.at, self.noted = [], 0, 0

    @property
    def full(self) -> bool:
        """Whether what was passed is to be taken."""
        return 2 * self.at > ROOM

    def note_pieces(self, end: int | None = None) -> None:
        """Tells the watch what it would have seen in pieces since the last time, and counts their steps. end: place of the record
        at which they end, default the last one."""
        upto: int = self.at if end is None else end
        new = self.pieces[self.noted :]
        if not new:
            return
        first = new[0][1]
        records, good = self.loop.room[first:upto], self.marching.is_taken(self.loop.room[first:upto])
        if not self.idle:
            places = np.concatenate([[0], np.cumsum(good)])[[k - first for _, k in new]]
            q = self.loop.room[first : upto + 1, : self.nq][np.append(good, True)]
            self.watch.note_far(q, places)
        self.marching.count_steps(records, lambda _: None)
        self.noted = len(self.pieces)

    @property
    def last(self) -> Vector:
        """The last record (k,) of a step that was taken."""
        return self.marching.without_rejected(self.loop.room[self.pieces[-1][1] : self.at])[-1].copy()

    def piece(self, part: TimePart) -> bool:
        """Goes to the end of a stretch; False where a step fails, a state cannot be trusted, or there are more than have room:
        then it is where it was."""
        row = part.row
        self.loop.given[:-2] = row
        first, before, done = self.at, self.state.copy(), len(self.pieces)
        try:
            if self._through(row, part.begins, part.ends) and (self.idle or self._is_trusted(first)):
                self.pieces.append((row, first))
        finally:  # an interrupt may come anywhere: it is there, and told, or it was never on the way
            if len(self.pieces) == done:
                self.at = first
                self.state[:] = before
        return len(self.pieces) > done

    def _is_trusted(self, first: int) -> bool:
        """Whether the states of a piece, whose records begin there, can be trusted."""
        at, loop = self.at, self.loop
        loop.room[at, : self.size] = self.state
        if self.ball.has(loop, first + 1, at - first):
            return True
        self.note_pieces(first)
        good = self.marching.is_taken(loop.room[first:at])
        q = loop.room[first : at + 1, : self.nq][np.append(good, True)]
        if not self.watch.stays_far(q):
            return False
        self.ball.lay_around(loop, at)
        return True

    def _through(self, row: Vector, begins: bool, ends: bool) -> bool:
        loop, x, t, marching = self.loop, self.state, self.t, self.marching
        begin, end = float(row[0]), float(row[1])
        if begins:
            x[t] = begin
        left, longest = ROOM - 1 - self.at, marching.step_size
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
