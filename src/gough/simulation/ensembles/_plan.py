"""Pieces, steps and stored states that all runs of an ensemble share; and what a run has for itself: a design, loads. Numbers
given to all runs of a time loop become a run's own.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gough.arguments import floats
from gough.compilation.service import Marched
from gough.errors import UsageError
from gough.program import Program, Slot
from gough.program.graph import INPUT
from gough.simulation.integration.marching import even_steps
from gough.simulation.integration.pieces import TablePieces
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.wrenches import Wrenches, by_frames, is_load
from gough.simulation.loads.constant import OfRuns
from gough.simulation.loads.load import loads_of
from gough.simulation.motion.table import MotionTable

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
GIVEN, OWN = "given", "own"
SIGNALS = "signals"
"""What sensors and controllers of all runs tell."""
Tick = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Loads:
    """Wrenches of all runs. runs: of which there are rows of numbers, 1 where there are none."""

    wrenches: Wrenches
    runs: int = 1

    @classmethod
    def of(cls, model: "Model", wrench: Any) -> "Loads":
        """From (6,), (runs, 6), a load or a list of loads on the platform, or {frame: such}, world axes."""
        given, counts = dict[str, Any](), set[int]()
        for frame, value in by_frames(wrench).items():
            if is_load(value):
                given[frame] = value
                counts |= {len(x.wrenches) for x in loads_of(value) if isinstance(x, OfRuns)}
                continue
            x = np.atleast_2d(floats("wrench", value))
            if x.ndim != 2 or x.shape[1] != 6 or not len(x) or not np.isfinite(x).all():
                whose = f"[{frame!r}]" if frame else ""
                raise UsageError(
                    f"wrench{whose}: give finite numbers (6,) or (runs, 6): fx fy fz mx my mz, world axes, or loads"
                    " of gough.loads"
                )
            given[frame] = x[0] if len(x) == 1 else OfRuns(x)
            counts.add(len(x))
        if len(counts - {1}) > 1:
            raise UsageError(f"wrench: frames have {sorted(counts - {1})} rows; give the same number, or one for all")
        return cls(Wrenches.of(model, given), max(counts, default=1))

    def by_load(self, model: "Model", runs: int) -> dict[str, Array] | None:
        """{frame: (runs or 1, 6)} as the model's calls take them, where runs begin."""
        found = [self.wrenches.by_load(model, k) or {} for k in range(runs if self.differ else 1)]
        return {name: np.array([w[name] for w in found]) for name in found[0]} or None

    @property
    def differ(self) -> bool:
        """Whether runs have loads of their own."""
        return self.wrenches.own_size > 0

    def own(self, runs: int) -> Array:
        """Numbers (runs, k) that every run has for itself."""
        size = self.wrenches.own_size
        return np.array([self.wrenches.numbers(0.0, k)[self.wrenches.size - size :] for k in range(runs)])


def with_own_loads(program: Program, first: int, count: int) -> Program:
    """The program of a step with `count` entries of the slot "given" from `first` on before the slot "own" instead."""
    slots = {s.name: s for s in program.inputs}
    places, at = {}, 0
    for s in program.inputs:
        places[s.name] = np.arange(at, at + s.size)
        at += s.size
    moved, stay = places[GIVEN][first : first + count], np.delete(places[GIVEN], np.s_[first : first + count])
    kept: list[tuple[Slot, Array]] = []
    for s in program.inputs:
        if s.name == GIVEN:
            own = np.concatenate([moved, places.get(OWN, np.zeros(0, dtype=int))])
            kept += [(replace(s, shape=(len(stay),)), stay), (Slot(OWN, (len(own),)), own)]
        elif s.name != OWN:
            kept.append((slots[s.name], places[s.name]))
    new = np.empty(at, dtype=int)
    new[np.concatenate([x for _, x in kept])] = np.arange(at)
    args = [(int(new[a[0]]),) if op == INPUT else a for op, a in zip(program.ops, program.args, strict=True)]
    return replace(program, inputs=tuple(s for s, _ in kept), args=args)


class TimeLoop(Protocol):
    """A compiled time loop on a CPU or a GPU."""

    def __call__(
        self, state: Array, steps: int, table: Array, given: Array, own: Array | None, every: int, first: int, tick: Any
    ) -> Marched:
        """See `CompiledLoop`; tick: called with the turns done."""
        ...


class EnsemblePlan:
    """The same for every run. Pickled it is plain numbers, enough to `go`, without the plant and its loads."""

    def __init__(
        self, plant: Plant, motion_table: MotionTable | None, end: float, step: float, stored: int, loads: Loads
    ) -> None:
        self.plant, self.loads, self.differ = plant, loads, loads.differ
        layout, (nq, nv) = StateLayout(plant), (plant.model.layout.nq, plant.model.layout.nv)
        self.t, self.record_size = layout.t, layout.record_size
        self.places: dict[str, slice | list[int]] = {
            "q": slice(nq),
            "v": slice(nq, nq + nv),
            "works": slice(nq + nv, layout.inner),
        }
        own = plant.inner
        self.signals = dict(plant.law.signals(plant.model, own.names, own.units)) if own.clocked else {}
        if self.signals:
            self.places[SIGNALS] = [layout.inner + k for places, _, _ in self.signals.values() for k in places]
        self.tau = slice(layout.size, layout.size + len(plant.model.mechanism.drives))
        self.loads_at = plant.rows.size - plant.wrenches.own_size  # in a row: what every run has for itself
        self.end, self.step, self.stored = end, step, stored
        self.pieces: list[tuple[Array, int, float]] = []  # row, steps, step
        for row, _ in TablePieces.rows(plant, motion_table, end):
            length, steps = even_steps(float(row[1] - row[0]), step, float(row[1]))
            self.pieces.append((row, steps, length))
        self.steps = sum(steps for _, steps, _ in self.pieces)
        self.every = max(self.steps // max(stored, 1), 1)

    @property
    def rows(self) -> int:
        """Most states of a run that one piece stores."""
        return max(steps for _, steps, _ in self.pieces) // self.every + 1

    def __getstate__(self) -> dict[str, Any]:
        return {name: x for name, x in self.__dict__.items() if name not in ("plant", "loads")}

    def turn_inputs(self, row: Array) -> Array:
        """What a turn is given (1, k)."""
        if self.differ:
            row = row[: self.loads_at]
        return np.concatenate([row, [1.0, 1.0]])[None]

    def go(self, march: TimeLoop, uniform: Array, x: Array, own: Array | None, tick: Tick) -> dict[str, Array]:
        """Runs from first states (runs, n). tick: called with the part of the time done."""
        t, x = self.t, x.copy()
        failed = np.full(len(x), np.nan)
        records, count = [], 0
        for row, steps, h in self.pieces:
            x[:, t], x[:, t + 1] = row[0], h
            first = -count % self.every + 1

            def told(turns: int, before: int = count) -> None:
                tick((before + turns) / self.steps)

            found = march(x, steps, uniform, self.turn_inputs(row), own, every=self.every, first=first, tick=told)
            count += steps
            rows = max(steps - first + self.every, 0) // self.every
            kept = np.full((rows, *found.record.shape[1:]), np.nan)
            kept[: len(found.record)] = found.record
            lost = found.failed >= 0
            when = row[0] + h * found.failed
            after = row[0] + h * (first - 1 + self.every * np.arange(rows))
            kept[(after[:, None] >= when) & lost] = np.nan
            kept[:, np.isfinite(failed)] = np.nan
            x = np.where(np.isfinite(failed)[:, None], x, found.state)
            failed = np.where(np.isnan(failed) & lost, when, failed)
            records.append((after, kept))
        records.append(self._at_the_end(march, uniform, x, own, failed))
        time = np.concatenate([a for a, _ in records])
        stored = np.concatenate([b for _, b in records]).transpose(1, 0, 2)
        out = {name: stored[..., place] for name, place in self.places.items()} | {"tau": stored[..., self.tau]}
        ends = {f"end_{name}": x[:, self.places[name]] for name in ("q", "v")}
        return {"time": time, **out, **ends, "failed": failed}

    def _at_the_end(
        self, march: TimeLoop, uniform: Array, x: Array, own: Array | None, failed: Array
    ) -> tuple[Array, Array]:
        """(time (1,), records (1, runs, k)) of the last states: a step of no length records where it begins."""
        row, t = self.pieces[-1][0], self.t
        x = x.copy()
        x[:, t], x[:, t + 1] = row[1], 0.0
        found = march(x, 1, uniform, self.turn_inputs(row), own, every=1, first=1, tick=lambda turns: None)
        kept = np.full((1, len(x), self.record_size), np.nan)
        kept[0, :, : x.shape[1]] = x
        good = np.flatnonzero(found.failed < 0)
        if len(found.record):
            kept[0, good] = found.record[0, good]
        kept[0, np.isfinite(failed)] = np.nan
        return row[1:2].copy(), kept
