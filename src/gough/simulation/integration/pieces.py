"""The stretches of time that a run goes through, one after the other: pieces of its motion's table, or, for a controller on a
clock, from one change of its held forces to the next.

Forces are computed between the stretches, by a compiled program of the law that is sampled, or by a function of the user's.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gough.errors import GOOD, Site, Status
from gough.program import Program
from gough.simulation.control.instant import MotionRows
from gough.simulation.control.law import Law
from gough.simulation.control.own_robot import OwnRobot
from gough.simulation.control.sampled import Sampled
from gough.simulation.events import End
from gough.simulation.integration._rates import prepare_rate, trace_states, turn_program
from gough.simulation.integration.marching import OneRunLoop, RunStopped
from gough.simulation.integration.plant import Plant
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.motion.table import MotionTable

if TYPE_CHECKING:
    from gough.model import Model

ALIGNED = 1e-6
"""Of the grid of a clock: times that differ by less are the same."""
SAME_TIME = 1e-12
"""Times that differ by this part of the duration are the same."""
Vector = np.ndarray
Command = Callable[[float, Vector, Vector], Vector]
"""Drive forces (drives,) for a time (s), q (nq,) and v (nv,)."""
log = logging.getLogger(__name__)


class PieceSource(Protocol):
    """What gives a run its rows."""

    def next(self, state: Vector) -> tuple[Vector, bool] | None:
        """(row, whether forces may jump at its end, or it is the last) from a state (n,); None at the end."""


class TablePieces:
    """The pieces of a motion's table up to the end, or one stretch without a motion; then the row `rest` if there is one."""

    def __init__(self, plant: Plant, table: MotionTable | None, end: float, rest: Vector | None = None) -> None:
        self._rows = self.rows(plant, table, end, rest)

    def next(self, state: Vector) -> tuple[Vector, bool] | None:
        """See `PieceSource`."""
        return next(self._rows, None)

    def smooth_stretch(self, longest: float) -> tuple[list[Vector], bool]:
        """(rows of the next pieces, whether forces may jump at the end of the last one, or it is the last of all): not more than
        go into the longest time (s), at least one. No rows at the end."""
        rows: list[Vector] = []
        jumps = False
        while (piece := next(self._rows, None)) is not None:
            rows.append(piece[0])
            jumps = piece[1]
            if jumps or 2.0 * piece[0][1] - piece[0][0] - rows[0][0] > longest:
                break
        return rows, jumps

    @staticmethod
    def rows(
        plant: Plant, table: MotionTable | None, end: float, rest: Vector | None = None
    ) -> Iterator[tuple[Vector, bool]]:
        """(row, whether forces may jump at its end, or it is the last) of all pieces."""
        for row, jumps in TablePieces.loaded_rows(plant, table, end, rest):
            cuts = grid_cuts(plant, float(row[0]), float(row[1]))
            for k, (a, b) in enumerate(pairwise(cuts)):
                part = row.copy()
                part[:2] = a, b
                yield part, jumps and k == len(cuts) - 2

    @staticmethod
    def loaded_rows(
        plant: Plant, table: MotionTable | None, end: float, rest: Vector | None
    ) -> Iterator[tuple[Vector, bool]]:
        """The rows of the motion, then `rest`, cut where loads change."""
        for row, jumps in chain(TablePieces._own_rows(plant, table, end), [] if rest is None else [(rest, True)]):
            yield from plant.wrenches.cut(row, jumps) if plant.wrenches.frames else [(row, jumps)]

    @staticmethod
    def _own_rows(plant: Plant, table: MotionTable | None, end: float) -> Iterator[tuple[Vector, bool]]:
        if table is None:
            yield plant.rows.stretch(0.0, end), True
            return
        kinks, ends = np.sort(table.kinks), table.breaks[1:]
        kinked = np.searchsorted(kinks, ends - 1e-12) < np.searchsorted(kinks, ends + 1e-12, side="right")
        for k in range(len(table.breaks) - 1):
            row = plant.rows.row(table, k)
            if row[0] >= end * (1 - SAME_TIME):
                break
            last = row[1] >= end * (1 - SAME_TIME)
            row[1] = min(row[1], end)
            yield row, last or bool(kinked[k])


class EventPieces:
    """From one event of a law's clock to the next, in the pieces of a motion's table, then in the row `rest` if there is one."""

    def __init__(self, plant: Plant, table: MotionTable | None, end: float, rest: Vector | None = None) -> None:
        self._rows = self._cut(plant, table, end, rest)

    def next(self, state: Vector) -> tuple[Vector, bool] | None:
        """See `PieceSource`."""
        return next(self._rows, None)

    @staticmethod
    def _cut(plant: Plant, table: MotionTable | None, end: float, rest: Vector | None) -> Iterator[tuple[Vector, bool]]:
        for row, jumps in TablePieces.loaded_rows(plant, table, end, rest):
            t, last = float(row[0]), float(row[1])
            while t < last:
                event = plant.law.next_event(plant.model, t)
                near = ALIGNED * (event - t)
                part = row.copy()
                part[:2] = t, last if event > last - near else event
                t = float(part[1])
                yield part, jumps and t == last


def grid_cuts(plant: Plant, begin: float, end: float) -> list[float]:
    """Where a stretch of time is cut so that times of the law's clock are at ends of equal steps: begin, first and last of these
    times where they lie within, end (s)."""
    grid = plant.law.grid(plant.model)
    if grid is None:
        return [begin, end]
    inside = (ceil(begin / grid - ALIGNED) * grid, floor(end / grid + ALIGNED) * grid)
    return [begin, *sorted({x for x in inside if begin + ALIGNED * grid < x < end - ALIGNED * grid}), end]


class SampledPieces:
    """From one change of the held forces to the next: every period a sample, whose forces arrive after the delay."""

    def __init__(self, plant: Plant, law: Sampled, command: Command, end: float, begin: float = 0.0) -> None:
        self.plant, self.law, self.command, self.end = plant, law, command, end
        self.t, self.count = begin, ceil(begin / law.period * (1.0 - SAME_TIME))
        self.coming: deque[tuple[float, Vector]] = deque()
        self.held: Vector | None = None

    def next(self, state: Vector) -> tuple[Vector, bool] | None:
        """See `PieceSource`."""
        slack, layout = SAME_TIME * min(self.end, self.t + self.law.period), self.plant.model.layout
        if self.t >= self.end - slack:
            return None
        if self.count * self.law.period <= self.t + slack:
            tau = self.command(self.t, state[: layout.nq], state[layout.nq : layout.nq + layout.nv])
            self.coming.append((self.count * self.law.period + self.law.delay, tau))
            self.count += 1
            self.held = tau if self.held is None else self.held
        elif self.held is None:  # begun between two samples, as of a controller that was on before
            self.held = self.command(self.t, state[: layout.nq], state[layout.nq : layout.nq + layout.nv])
        while self.coming and self.coming[0][0] <= self.t + slack:
            self.held = self.coming.popleft()[1]
        arrival = self.coming[0][0] if self.coming else self.end
        loads = self.plant.wrenches
        stop = min(self.count * self.law.period, arrival, loads.next_break(self.t), self.end)
        stop = self.end if stop > self.end - slack else stop
        row = loads.fill(self.plant.rows.stretch(self.t, stop, self.held))
        self.t = stop
        return row, True


def sampled_command(
    law: Sampled,
    model: "Model",
    motion: Motion | None,
    table: MotionTable | None,
    parameters: Vector,
    own: OwnRobot | None = None,
) -> Command:
    """The forces of a law on a clock as a function of time and state, within limits. own: the robot that its law computes
    with."""
    if isinstance(law.law, Law):
        inner = _compiled(Plant(model, law.law, MotionRows.of(table), own=own, locks=False), table, parameters)
    else:
        if law.resetting is not None:
            law.resetting()
        inner = _of_function(law.law, motion, model)
    most = None if law.limit is None else law.limits(model)
    return inner if most is None else lambda t, q, v: np.clip(inner(t, q, v), -most, most)


def _of_function(function: Callable[..., Any], motion: Motion | None, model: "Model") -> Command:
    names = model.layout.drive_names

    def command(t: float, q: Vector, v: Vector) -> Vector:
        held = motion is not None and motion.extend == "hold"
        reference = None if motion is None else motion.at(t if held else min(t, motion.duration))
        try:
            given = function(t, q.copy(), v.copy(), reference)
            found = np.asarray(given)
        except Exception as problem:
            log.exception("the controller failed at t = %.9g s", t)
            why = f"{End.CONTROLLER_FAILED} ({type(problem).__name__}: {problem})"
            raise RunStopped(GOOD, t, why, End.CONTROLLER_FAILED) from problem
        if found.dtype.kind not in "fiu" or found.shape != (len(names),):
            what = _shown(given) if found.dtype.kind not in "fiu" else f"an array of shape {found.shape}"
            why = f"{End.CONTROLLER_FAILED} (it returned {what}; give {len(names)} drive forces: {', '.join(names)})"
            raise RunStopped(GOOD, t, why, End.CONTROLLER_FAILED)
        return _finite_forces(found.astype(float), names, t)

    return command


def _finite_forces(tau: Vector, names: tuple[str, ...], t: float) -> Vector:
    bad = [name for name, x in zip(names, tau, strict=True) if not np.isfinite(x)]
    if bad:
        raise RunStopped(Status.NOT_FINITE.at(Site.CONTROLLER), t, f" (force of {', '.join(bad)})")
    return tau


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _compiled(plant: Plant, table: MotionTable | None, parameters: Vector) -> Command:
    loop = OneRunLoop(plant.loop_code("command", lambda: _program(plant)), parameters)
    rows: dict[int, Vector] = {}
    names = plant.model.layout.drive_names

    def command(t: float, q: Vector, v: Vector) -> Vector:
        if table is None:
            row = plant.rows.stretch(0.0, 1.0)
        elif t > table.breaks[-1] * (1.0 + SAME_TIME):
            row = plant.rows.at_rest(table, LONGEST)
        else:
            k = int(np.clip(np.searchsorted(table.breaks, t, side="right") - 1, 0, len(table.breaks) - 2))
            row = rows.setdefault(k, plant.rows.row(table, k))
        state = np.concatenate([q, v, [t]])
        found = loop(state[None], 1, row[None])
        if found.failed[0] >= 0:
            reason = loop.reason(state, row)
            if reason.status == Status.NOT_FINITE:
                raise RunStopped(Status.NOT_FINITE.at(Site.CONTROLLER), t, " (a force of its law)")
            raise RunStopped(reason, t, " (in the controller)")
        return _finite_forces(found.record[0, 0], names, t)

    return command


def _program(plant: Plant) -> Program:
    """A state q, v, t to the forces of the law."""
    model = plant.model
    nq, nv = model.layout.nq, model.layout.nv

    def forces(q: Vector, v: Vector, row: Vector, t: Vector, parameters: Vector) -> dict[str, Any]:
        return {"tau": plant.commanded_forces(parameters, q, v, plant.rows.at(row, t[0]))}

    rate = prepare_rate(plant, trace_states(plant, forces, "forces", "q", "v", "row", "t"))

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        q, v, t = state[:nq], state[nq : nq + nv], state[nq + nv :]
        found = rate(parameters, q=q, v=v, row=given, t=t)
        return {"state": state, "record": found["tau"], "running": 1.0}

    return turn_program(plant, equations, plant.law.name, nq + nv + 1, more=0)
