"""Pieces of equal steps one after the other through machine code, and all of them looked at together.

A look at a few states is overhead alone, and a motion may have hundreds of pieces. Nothing is stored before it was looked at, at
the states that `Course.piece` looks at; where one of them cannot be trusted, or a step fails, nothing of the pieces has happened.
"""

from typing import NamedTuple

import numpy as np

from gough.simulation.integration.crossing import Watch
from gough.simulation.integration.explicit import ExplicitMarching

Vector = np.ndarray


class Ahead(NamedTuple):
    """records (n, k) of pieces, which are the reader's; counts (m,): steps of the pieces; end (n,): the state behind them."""

    records: Vector
    counts: Vector
    end: Vector


class AheadPieces:
    """What goes ahead with one choice of velocities."""

    def __init__(self, marching: ExplicitMarching) -> None:
        self.marching = marching
        self.loop = marching.loop.march.bind_table(marching.loop.table)
        self.loop.given[-2:] = marching.tolerance, marching.step_size

    def go(self, state: Vector, rows: list[Vector], watch: Watch) -> Ahead | None:
        """Through pieces from a state (n,) where the first begins; None where a step fails, or a state is not far from singular
        ones. A watch that trusts all of it has noted them."""
        loop, t, x = self.loop, self.marching.states.t, self.loop.state
        steps = [self.marching.equal_steps(row, float(row[0])) for row in rows]
        counts = np.array([count for _, count in steps])
        loop.make_room(int(counts.sum()))
        x[:] = state[: len(x)]
        at = 0
        for row, (step, count) in zip(rows, steps, strict=True):
            loop.given[:-2] = row
            x[t], x[t + 1] = row[0], step
            done, failed = loop(count, at)
            if failed or done < count:
                return None
            at += count
            x[t] = row[1]
        nq = self.marching.plant.model.layout.nq
        q = np.concatenate([loop.room[:, :nq], x[None, :nq]])
        if not watch.stays_far_in(q, np.cumsum(counts) - counts):
            return None
        return Ahead(loop.room, counts, x.copy())
