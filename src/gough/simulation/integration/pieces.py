"""The stretches of time that a run goes through, one after the other: pieces of its motion's table."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from gough.simulation.integration.plant import Plant
from gough.simulation.motion.table import MotionTable

Array = np.ndarray
NEAR = 1e-12
"""Times that differ by this part of the duration are the same."""


class PieceSource(Protocol):
    """What gives a run its rows."""

    def next(self, state: Array) -> tuple[Array, bool] | None:
        """(row, whether forces may jump at its end, or it is the last) from a state (n,); None at the end."""


class TablePieces:
    """The pieces of a motion's table up to the end, or one stretch without a motion."""

    def __init__(self, plant: Plant, table: MotionTable | None, end: float) -> None:
        self._rows = self._made(plant, table, end)

    def next(self, state: Array) -> tuple[Array, bool] | None:
        """See `PieceSource`."""
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
