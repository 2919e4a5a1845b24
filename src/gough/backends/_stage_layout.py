"""Where the values of a rolled program lie: one frame of vectors for all that passes from stage to stage.

    frame    single values, then a record a lane; entry e of lane k is vector  records + k · record + e
    table    a record of numbers and uniform inputs a lane, then single ones
    tile     the inputs of a tile of states, as rows are transposed into it

A lane's stage reads entries of its own record, of its own part of the table, and inputs of the tile that lie evenly spaced.
Whatever else it needs for itself is put into the records: by the stage that makes it, or by a small stage that copies.
Entries are used again when nothing reads them any more.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from gough.program.graph import CONST, INPUT
from gough.program.passes.outputs import guard_results
from gough.program.program import Program, Slot
from gough.program.rolling import Source
from gough.program.rolling.lowering import LoweredStage, LoweredStages

TILE, FRAME, TABLE = "tile", "frame", "table"
COPY = "copy"
"""Name of the program of a stage that copies."""
MOST_STEPS = 5
"""Distances between the lanes' inputs in the tile that a stage may have; a register each. Inputs at others are copied."""

Column = tuple[Source, ...]


@dataclass(frozen=True)
class Place:
    """space: tile and frame count vectors, table counts scalars. at: where; step: how much further each lane's is."""

    space: str
    at: int
    step: int = 0


@dataclass(frozen=True)
class PlacedStage:
    """A program that runs for `lanes` lanes in turn: inputs: a place each; outputs: places each result is stored to.
    block: what runs once instead of the program, from its operands to its results; those nobody reads have no place."""

    program: Program
    lanes: int
    inputs: tuple[Place, ...]
    outputs: tuple[tuple[Place, ...], ...]
    block: Any = None

    @property
    def steps(self) -> tuple[tuple[str, int], ...]:
        """(space, step) of everything that differs from lane to lane."""
        places = (*self.inputs, *(p for places in self.outputs for p in places))
        return tuple(sorted({(p.space, p.step) for p in places if p.step}))


@dataclass(frozen=True)
class StageLayout:
    """stages in order, copies among them. frame: vectors. table: its first entries, numbers or positions of uniform inputs
    (others follow as they are met), `singles` of them by lane. results: place of every result."""

    stages: tuple[PlacedStage, ...]
    frame: int
    table: tuple[float | int, ...]
    results: tuple[Place, ...]
    singles: int


@dataclass
class _Entry:
    """A vector, or one a lane (column): first stage that writes it, last that reads it, how many stages read it, place."""

    born: int
    dies: int
    at: int = -1
    reads: int = 0


class _Homes:
    """Vectors given out by the time they are needed: `born` before others, and free after `dies`."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []

    def new(self, born: int, dies: int) -> _Entry:
        self.entries.append(_Entry(born, dies))
        return self.entries[-1]

    def settle(self) -> int:
        """Give every entry its place; returns how many places there are."""
        busy: list[tuple[int, int]] = []  # (dies, place)
        free: list[int] = []
        size = 0
        for entry in sorted(self.entries, key=lambda e: e.born):
            while busy and busy[0][0] < entry.born:
                free.append(heappop(busy)[1])
            if free:
                entry.at = free.pop()
            else:
                entry.at, size = size, size + 1
            heappush(busy, (entry.dies, entry.at))
        return size

    def settle_in_rounds(self, rounds: Sequence[int]) -> int:
        """The same for stages of which those of one round run at once. The first places are busiest: those who are read most for
        the time they stay come first."""
        taken: list[int] = []  # rounds in which a place is taken, as bits
        spans = [(rounds[e.born], rounds[e.dies]) for e in self.entries]
        dense = sorted(range(len(spans)), key=lambda k: -(1 + self.entries[k].reads) / (1 + spans[k][1] - spans[k][0]))
        for k in dense:
            begin, end = spans[k]
            bits = (1 << (end + 1)) - (1 << begin)
            at = next((j for j, x in enumerate(taken) if not x & bits), len(taken))
            if at == len(taken):
                taken.append(0)
            taken[at] |= bits
            self.entries[k].at = at
        return len(taken)


class _Planner:
    def __init__(self, lowered: LoweredStages, rounds: Sequence[int] | None) -> None:
        self.lowered, self.stages = lowered, lowered.stages
        self.rounds = None if rounds is None else [*rounds, 1 + max(rounds, default=-1)]
        self.uniform = [*lowered.program.uniform_inputs().tolist(), *[True] * len(lowered.numbers)]
        self.n_inputs = lowered.program.n_inputs
        self.singles, self.records = _Homes(), _Homes()
        self.end = len(self.stages)
        self.home: dict[Source, tuple[_Entry, int]] = {}  # entry and lane, -1 for a single vector
        self.column: dict[tuple[int, Column], Place | _Entry] = {}  # of a stage's own inputs
        self.pushed: dict[Source, list[tuple[_Entry, int]]] = {}
        self.copies: dict[int, list[tuple[Source, _Entry, int]]] = {}
        self.table: dict[Column, int] = {}
        self.single_numbers: dict[Source, int] = {}
        self.singles_read: list[Source] = []  # one after the other behind the lanes' parts of the table

    def plan(self) -> StageLayout:
        self._kept_in_lanes()
        for number, stage in enumerate(self.stages):
            steps: set[int] = set()
            for column in stage.own if stage.lanes > 1 else ():
                self._own(number, column, steps)
        self._others()
        last = self._last_copies()
        if self.rounds is None:
            self.n_singles, self.record = self.singles.settle(), self.records.settle()
        else:
            self.n_singles = self.singles.settle_in_rounds(self.rounds)
            self.record = self.records.settle_in_rounds(self.rounds)
        self.width = len(self.table)
        placed: list[PlacedStage] = []
        for number, stage in enumerate(self.stages):
            placed += self._before(number)
            placed.append(self._placed(number, stage))
        if last:
            placed.append(self._copying(last, checked=True))
        results = tuple(self._read(s) if s in self.home else self._read(self.moved[s]) for s in self.lowered.results)
        frame = self.n_singles + self.record * self.lowered.lanes
        return StageLayout(tuple(placed), frame, self._numbers(), results, self.width * self.lowered.lanes)

    # ---------------------------------------------------------------- homes

    def _kept_in_lanes(self) -> None:
        for number, stage in enumerate(self.stages):
            if stage.lanes > 1:
                for place in range(stage.kept):
                    entry = self.records.new(number, number)
                    for lane in range(stage.lanes):
                        self.home[Source(number, place, lane)] = (entry, lane)

    def _own(self, number: int, column: Column, steps: set[int]) -> None:
        """A place for a lane's input."""
        first = column[0]
        if all(s.stage < 0 and self.uniform[s.place] for s in column):
            self.table.setdefault(column, len(self.table))
            return
        if all(s.stage < 0 and not self.uniform[s.place] for s in column):
            step = column[1].place - first.place
            if all(s.place == first.place + k * step for k, s in enumerate(column)) and (
                step in steps or len(steps) < MOST_STEPS
            ):
                steps.add(step)
                self.column[number, column] = Place(TILE, first.place, step)
                return
        if all(s.stage == first.stage and s.place == first.place and s.lane == k for k, s in enumerate(column)):
            entry, _ = self.home[first]  # kept by these lanes themselves
            entry.dies = max(entry.dies, number)
            self.column[number, column] = entry
            return
        self._gathered(number, column)

    def _gathered(self, number: int, column: Column) -> None:
        """An entry of the records that other stages fill."""
        known = next((e for (_, c), e in self.column.items() if c == column and isinstance(e, _Entry)), None)
        if known is not None:  # filled for an earlier stage
            known.dies = max(known.dies, number)
            self.column[number, column] = known
            return
        entry = self.records.new(number, number)
        self.column[number, column] = entry
        for lane, source in enumerate(column):
            if source.stage >= 0 and self.stages[source.stage].lanes == 1:
                entry.born = min(entry.born, source.stage)
                self.home.setdefault(source, (entry, lane))
                self.pushed.setdefault(source, []).append((entry, lane))
            else:
                self._reads(number, source)
                self.copies.setdefault(number, []).append((source, entry, lane))

    def _reads(self, number: int, source: Source) -> None:
        """Stage `number` reads one value: it must have a home until then."""
        if source.stage < 0:
            return
        if source not in self.home:
            self.home[source] = (self.singles.new(source.stage, number), -1)
        entry, _ = self.home[source]
        entry.dies = max(entry.dies, number)
        entry.reads += 1

    def _others(self) -> None:
        for number, stage in enumerate(self.stages):
            for source in stage.shared:
                self._reads(number, source)
            for place in range(stage.kept, stage.kept + stage.summed):
                self._reads(number, Source(number, place))
        for source in self.lowered.results:
            self._reads(self.end, source)
        for number, stage in enumerate(
            self.stages
        ):  # what nobody reads is stored all the same, but for results of blocks
            for place in range(stage.kept if stage.lanes == 1 and stage.block is None else 0):
                self._reads(number, Source(number, place))

    def _last_copies(self) -> list[tuple[Source, _Entry, int]]:
        """Inputs that are results: they are copied into the frame."""
        self.moved: dict[Source, Source] = {}
        out = []
        for source in dict.fromkeys(self.lowered.results):
            if source.stage < 0:
                entry = self.singles.new(self.end, self.end)
                self.moved[source] = key = Source(-2, source.place)
                self.home[key] = (entry, -1)
                out.append((source, entry, -1))
        return out

    # ---------------------------------------------------------------- places

    def _numbers(self) -> tuple[float | int, ...]:
        lanes = range(self.lowered.lanes)
        singles = [self._number(s.place) for s in self.singles_read]
        return (*(self._number(column[k].place) for k in lanes for column in self.table), *singles)

    def _number(self, position: int) -> float | int:
        return position if position < self.n_inputs else self.lowered.numbers[position - self.n_inputs]

    def _at(self, entry: _Entry, lane: int) -> Place:
        if lane < 0:
            return Place(FRAME, entry.at)
        return Place(FRAME, self.n_singles + lane * self.record + entry.at)

    def _of_lanes(self, entry: _Entry) -> Place:
        return Place(FRAME, self.n_singles + entry.at, self.record)

    def _read(self, source: Source) -> Place:
        """Place of one value."""
        if source.stage != -1:
            return self._at(*self.home[source])
        if not self.uniform[source.place]:
            return Place(TILE, source.place)
        if source not in self.single_numbers:
            self.single_numbers[source] = self._new_number(source)
        return Place(TABLE, self.single_numbers[source])

    def _new_number(self, source: Source) -> int:
        self.singles_read.append(source)
        return self.width * self.lowered.lanes + len(self.singles_read) - 1

    def _operands(self, stage: LoweredStage) -> list[Place]:
        """Operands of a block; uniform ones in a row of their own, so that loops can run along it."""
        uniform = [s.stage == -1 and self.uniform[s.place] for s in stage.shared]
        return [
            Place(TABLE, self._new_number(s)) if own else self._read(s)
            for s, own in zip(stage.shared, uniform, strict=True)
        ]

    def _read_own(self, number: int, column: Column) -> Place:
        if column in self.table:
            return Place(TABLE, self.table[column], self.width)
        found = self.column[number, column]
        return found if isinstance(found, Place) else self._of_lanes(found)

    def _placed(self, number: int, stage: LoweredStage) -> PlacedStage:
        sums = [self._read(Source(number, stage.kept + k)) for k in range(stage.summed)]
        shared = [self._read(s) for s in stage.shared] if stage.block is None else self._operands(stage)
        inputs = shared + [self._read_own(number, c) for c in stage.own] + sums
        outputs: list[tuple[Place, ...]] = []
        for place in range(stage.kept):
            source = Source(number, place)
            if stage.lanes > 1:
                outputs.append((self._of_lanes(self.home[source][0]),))
            elif source not in self.home:
                outputs.append(())
            else:
                homes = [self.home[source], *self.pushed.get(source, ())]
                outputs.append(tuple(dict.fromkeys(self._at(*home) for home in homes)))
        places = (*outputs, *((p,) for p in sums))
        return PlacedStage(stage.program, stage.lanes, tuple(inputs), places, stage.block)

    def _before(self, number: int) -> Iterable[PlacedStage]:
        """What a stage wants to find in the frame: copies, and sums that start at zero."""
        stage = self.stages[number]
        sums = [Source(number, stage.kept + k) for k in range(stage.summed)]
        if sums:
            places = tuple((self._read(s),) for s in sums)
            zero = Program((), (Slot("zero", (len(sums),)),), [CONST], [(0.0,)], (0,) * len(sums), name="zero")
            yield PlacedStage(zero, 1, (), places)
        if number in self.copies:
            yield self._copying(self.copies[number])

    def _copying(self, copies: list[tuple[Source, _Entry, int]], checked: bool = False) -> PlacedStage:
        n = len(copies)
        program = Program(
            (Slot("from", (n,)),),
            (Slot("to", (n,)),),
            [INPUT] * n,
            [(k,) for k in range(n)],
            tuple(range(n)),
            name=COPY,
        )
        if checked:
            program = guard_results(program)
        inputs = tuple(self._read(s) for s, _, _ in copies)
        return PlacedStage(program, 1, inputs, tuple((self._at(e, k),) for _, e, k in copies))


def lay_out(lowered: LoweredStages, rounds: Sequence[int] | None = None) -> StageLayout:
    """Places of all values of a rolled program. rounds: of the stages, rising; those of one round run at the same time, and
    what one of them reads last is used again only in the next round. Default: they run one after the other."""
    return _Planner(lowered, rounds).plan()
