"""The stretches of time of a run that somebody steps: forces given from outside, or pieces of a motion, or of a controller on a
clock, cut where a step ends."""

from math import inf, isfinite
from typing import Any, NamedTuple, Protocol

import numpy as np

from gough.arguments import floats
from gough.errors import UsageError
from gough.simulation.integration.pieces import SAME_TIME, EventPieces, PieceSource, TablePieces
from gough.simulation.integration.plant import Plant
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.motion.table import MotionTable

Vector = np.ndarray


class TimePart(NamedTuple):
    """A stretch of time. begins, ends: whether a piece begins and ends with it; else steps go on as if it were not cut."""

    row: Vector
    begins: bool = True
    ends: bool = True


class StepPieces(Protocol):
    """What gives its rows to a run that is asked to go on, a stretch at a time, without an end."""

    def next(self, t: float, end: float, state: Vector) -> TimePart:
        """The stretch from a time (s), not beyond the end that is asked for. state (n,): at that time."""
        ...


class HeldPieces:
    """Forces `tau` (drives,) that are given from outside; none at first."""

    def __init__(self, plant: Plant) -> None:
        self.names, self.loads = plant.model.layout.drive_names, plant.wrenches
        self.tau = np.zeros(len(self.names))
        self.row = plant.rows.stretch(0.0, 0.0, self.tau)
        self.place = slice(plant.rows.first, plant.rows.first + len(self.names))

    def take(self, tau: Any) -> Vector:
        """Forces (drives,) from outside as numbers of its own; UsageError for what is none."""
        found = tau if tau.__class__ is np.ndarray and tau.dtype == float else self._floats(tau)
        if found.shape != self.tau.shape:
            raise UsageError(
                f"tau: give {len(self.names)} drive forces ({', '.join(self.names)}), not an array of shape {found.shape}"
            )
        if not isfinite(found.dot(found)):  # too large, or no numbers
            bad = [name for name, x in zip(self.names, found, strict=True) if not isfinite(x)]
            if bad:
                raise UsageError(f"tau: the force of {', '.join(bad)} is not finite")
        return found.copy()

    def next(self, t: float, end: float, state: Vector) -> TimePart:
        """See `StepPieces`."""
        row = self.row.copy()
        row[0] = t
        row[1] = end
        row[self.place] = self.tau
        if self.loads.frames:
            row[1] = min(end, self.loads.next_break(t))
            self.loads.fill(row)
        return TimePart(row)

    def _floats(self, tau: Any) -> Vector:
        if tau is None and not self.names:
            return np.zeros(0)
        if tau is None:
            raise UsageError(f"tau= is missing: the drive forces of this step ({', '.join(self.names)})")
        return floats("tau", tau)


class CutPieces:
    """Pieces of a source, which ends at `duration` (s), cut where it is asked to stop."""

    def __init__(self, source: PieceSource, duration: float = inf) -> None:
        self.source, self.duration = source, duration
        self.row: Vector | None = None

    @classmethod
    def of_table(cls, plant: Plant, table: MotionTable | None, motion: Motion | None, t: float) -> "CutPieces":
        """Of a motion from a time (s) on; of none, one stretch."""
        source = EventPieces if plant.inner.clocked > 0 else TablePieces
        if table is None or motion is None:
            out = cls(source(plant, None, LONGEST))
        else:
            duration = float(table.breaks[-1])
            rest = plant.rows.at_rest(table, LONGEST) if motion.extend == "hold" else None
            out = cls(source(plant, table, duration, rest), duration)
        row = out._fetch(np.zeros(0))
        while row[1] <= t:
            row = out._fetch(np.zeros(0))
        out.row = row
        return out

    def next(self, t: float, end: float, state: Vector) -> TimePart:
        """See `StepPieces`."""
        near = SAME_TIME * (1.0 + t)
        here = self._fetch(state) if self.row is None or self._is_over(t) else self.row
        self.row, row = here, here.copy()
        begins, ends = abs(t - row[0]) <= near, row[1] <= end + near
        row[0] = t
        row[1] = row[1] if row[1] < end - near else end
        return TimePart(row, begins, ends)

    def _is_over(self, t: float) -> bool:
        return self.row is None or t >= self.row[1] - SAME_TIME * (1.0 + t)

    def _fetch(self, state: Vector) -> Vector:
        found = self.source.next(state)
        if found is not None:
            return found[0]
        raise UsageError(
            f"the motion ends at {self.duration:.9g} s; use motion.hold(…), or one with extend='hold', to go on"
        )
