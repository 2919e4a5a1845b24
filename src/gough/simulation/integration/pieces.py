"""The stretches of time that a run goes through, one after the other."""

from collections import deque
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from gough.simulation.control.sampled import Command, Sampled
from gough.simulation.integration.plant import Plant
from gough.simulation.motion.table import MotionTable

Array = np.ndarray
NEAR = 1e-12
"""Times that differ by this part of the duration are the same."""


class Pieces(Protocol):
    """What gives a run its rows."""

    def next(self, state: Array) -> tuple[Array, bool] | None:
        """(row, whether forces may jump at its end, or it is the last) from a state (n,); None at the end."""


class OfTable:
    """The pieces of a motion's table up to the end, or one stretch without a motion."""

    def __init__(self, plant: Plant, table: MotionTable | None, end: float) -> None:
        self._rows = self._made(plant, table, end)

    def next(self, state: Array) -> tuple[Array, bool] | None:
        """See `Pieces`."""
        return next(self._rows, None)

    @staticmethod
    def _made(plant: Plant, table: MotionTable | None, end: float) -> Iterator[tuple[Array, bool]]:
        if table is None:
            yield plant.rows.stretch(0.0, end), True
            return
        for k in range(len(table.breaks) - 1):
            row = plant.rows.row(table, k)
            if row[0] >= end * (1 - NEAR):
                break
            last = row[1] >= end * (1 - NEAR)
            row[1] = min(row[1], end)
            yield row, last or bool(np.isclose(table.kinks, row[1], rtol=0, atol=1e-12).any())


class OfSamples:
    """From one change of the held forces to the next: every period a sample, whose forces arrive after the delay."""

    def __init__(self, plant: Plant, law: Sampled, command: Command, end: float) -> None:
        self.plant, self.law, self.command, self.end = plant, law, command, end
        self.t, self.count = 0.0, 0
        self.coming: deque[tuple[float, Array]] = deque()
        self.held: Array | None = None

    def next(self, state: Array) -> tuple[Array, bool] | None:
        """See `Pieces`."""
        slack, layout = NEAR * self.end, self.plant.model.layout
        if self.t >= self.end - slack:
            return None
        if self.count * self.law.period <= self.t + slack:
            tau = self.command(self.t, state[: layout.nq], state[layout.nq : layout.nq + layout.nv])
            self.coming.append((self.count * self.law.period + self.law.delay, tau))
            self.count += 1
            self.held = tau if self.held is None else self.held
        while self.coming and self.coming[0][0] <= self.t + slack:
            self.held = self.coming.popleft()[1]
        arrival = self.coming[0][0] if self.coming else self.end
        stop = min(self.count * self.law.period, arrival, self.end)
        stop = self.end if stop > self.end - slack else stop
        row = self.plant.rows.stretch(self.t, stop, self.held)
        self.t = stop
        return row, True
