"""The program of a step as functions of one thread, or of the threads of a team that work on one run.

A value that one function makes and another reads has a cell, a number of its own. What a function keeps for itself while its
registers are full has cells, too, which all functions of a warp share: none of them calls another while it needs them. Long
straight stages are cut into pieces first (`_pieces`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gough.backends._stage_layout import COPY, FRAME, TILE, Place, PlacedStage, lay_out
from gough.backends.cuda._lowering import expand_seeds
from gough.backends.cuda._memory import FAR, OPERATION
from gough.backends.cuda._registers import RegisterPlan, order_for_few_live, plan_registers
from gough.backends.cuda.march._pieces import ALL, Post, in_pieces
from gough.program.looping import Called
from gough.program.program import Program, Slot
from gough.program.rolling.lowering import LoweredStages

ROOM, AHEAD = 80, 40
"""Values a thread holds in its registers; steps by which it asks for others before it needs them."""
CHEAP = (0, 8, 64)
"""Operations at most that making a value again may take instead of storing it; what is cheapest is taken."""


@dataclass(frozen=True)
class Word:
    """Where an operand is found. kind: "cell" k, "number" x, "uniform" input k, "given" k of the row of a turn, "own" k of the
    run."""

    kind: str
    value: int | float

    @property
    def fixed(self) -> bool:
        """Whether it is an operand of the arithmetic itself, which takes no register."""
        return self.kind in ("number", "uniform")


Cells = tuple[int, ...]
"""A cell a lane, one beside the other."""


@dataclass(frozen=True)
class LaneWords:
    """A word a lane: cells, or numbers and uniform inputs."""

    words: tuple[Word, ...]
    fixed = False

    @property
    def cells(self) -> Cells | None:
        """None of numbers."""
        return tuple(int(w.value) for w in self.words) if self.words[0].kind == "cell" else None


@dataclass(frozen=True)
class Straight:
    """Straight code, of one thread a run or of all its lanes. words: of the program's inputs; outputs: cells of each result;
    sums: cells of sums over the lanes, whose terms are the last results."""

    program: Program
    plan: RegisterPlan
    words: tuple[Word | LaneWords, ...]
    outputs: tuple[tuple[int | Cells, ...], ...]
    post: Post
    sums: tuple[Cells, ...] = ()


@dataclass(frozen=True)
class BlockLoops:
    """A block as loops. words: of its operands; outputs: cells of each result."""

    block: Any
    words: tuple[Word, ...]
    outputs: tuple[tuple[int, ...], ...]
    post: Post


@dataclass(frozen=True)
class Calling:
    """A call. given: (word, cell of the called program's input); taken: (cell of its result, cell here)."""

    callee: int
    given: tuple[tuple[Word, int], ...]
    taken: tuple[tuple[int, int], ...]
    post: Post


ThreadFunction = Straight | BlockLoops | Calling


@dataclass(frozen=True)
class ThreadFunctions:
    """body: what a turn does, in order; callees: the bodies of called programs. results: cell of every result of the program.
    state: cells of the slot "state" come first. cells: those before the scratch; scratch: how many of it each warp
    (team,) has, and after them each of the lanes abreast."""

    body: tuple[ThreadFunction, ...]
    callees: tuple[tuple[ThreadFunction, ...], ...]
    results: tuple[int, ...]
    cells: int
    scratch: tuple[int, ...]
    abreast: int = 1

    def scratch_cell(self, post: Post, slot: int) -> int | Cells:
        """Where a piece keeps something for itself."""
        if post.warp != ALL:
            return self.cells + sum(self.scratch[: post.warp]) + slot
        first = self.cells + sum(self.scratch[:-1]) + slot * self.abreast
        return tuple(range(first, first + self.abreast))

    @property
    def times(self) -> list[int]:
        """How often every callee runs in a turn."""
        counts = [0] * len(self.callees)

        def count(body: Sequence[ThreadFunction], times: int) -> None:
            for f in body:
                if isinstance(f, Calling):
                    counts[f.callee] += times
                    count(self.callees[f.callee], times)

        count(self.body, 1)
        return counts


def functions_of(
    lowered: LoweredStages,
    tile: Sequence[Word],
    first: int,
    team: int = 1,
    room: int = ROOM,
    in_lanes: Mapping[int, LoweredStages] | None = None,
    abreast: int = 1,
) -> ThreadFunctions:
    """Functions of a program in stages. tile: words of its inputs; first: cell from which on all are free; team: warps that
    share the work; room: values a thread holds; in_lanes: see `called_in_lanes`; abreast: lanes that run at the same time."""
    maker = _Maker(first, team, room, in_lanes or {})
    body, results = maker.body(lowered, tile, tuple(Word("uniform", k) for k in range(lowered.program.n_inputs)))
    scratch = [0] * (team + 1)
    for f in (f for b in (body, *maker.callees) for f in b if isinstance(f, Straight)):
        scratch[f.post.warp] = max(scratch[f.post.warp], f.plan.slots)
    return ThreadFunctions(body, tuple(maker.callees), results, maker.cells, tuple(scratch), abreast)


class _Maker:
    def __init__(self, first: int, team: int, room: int, in_lanes: Mapping[int, LoweredStages]) -> None:
        self.cells, self.team, self.room, self.in_lanes = first, team, room, in_lanes
        self.callees: list[tuple[ThreadFunction, ...]] = []
        self.known: dict[int, tuple[int, dict[int, int], tuple[int, ...]]] = {}
        self.kept: list[Called] = []  # so that identities stay their own

    def body(
        self, lowered: LoweredStages, tile: Sequence[Word], uniform: Sequence[Word]
    ) -> tuple[tuple[ThreadFunction, ...], tuple[int, ...]]:
        """(functions, cells of the results). uniform: words of the inputs that are uniform."""
        pieces = in_pieces(lowered, self.team)
        last = pieces.posts[-1].round + 1 if pieces.posts else 0
        layout = lay_out(pieces.stages, [post.round for post in pieces.posts] if self.team > 1 else None)
        frame = self._take(layout.frame)

        def word(place: Place, at: int) -> Word:
            if place.space == TILE:
                return tile[at]
            if place.space == FRAME:
                return Word("cell", frame + at)
            entry = layout.table[at]
            return uniform[entry] if isinstance(entry, int) else Word("number", entry)

        def words(place: Place) -> Word | LaneWords:
            if not place.step:
                return word(place, place.at)
            return LaneWords(tuple(word(place, place.at + k * place.step) for k in range(lowered.lanes)))

        posts = iter([*pieces.posts, Post(last)])
        sums = iter([getattr(stage, "sums", 0) for stage in pieces.stages.stages])
        found, coming = [], next(posts)
        for stage in layout.stages:
            between = (
                stage.program.name == COPY and coming.round < last
            )  # a round of its own before that of its readers
            now = Post(2 * coming.round - between, coming.warp * (not between))
            found.append(self._function(stage, now, words, 0 if between else next(sums, 0)))
            coming = coming if between else next(posts, coming)
        return tuple(found), tuple(frame + place.at for place in layout.results)

    def _take(self, count: int) -> int:
        self.cells += count
        return self.cells - count

    def _function(self, stage: PlacedStage, post: Post, word: Any, sums: int) -> ThreadFunction:
        words = tuple(word(place) for place in stage.inputs)
        outputs: tuple[tuple[Any, ...], ...] = tuple(
            tuple(_cells(word(place)) for place in places) for places in stage.outputs
        )
        if isinstance(stage.block, Called):
            return self._calling(stage.block, words, outputs, post)
        if stage.block is not None:
            return BlockLoops(stage.block, words, outputs, post)
        slots = tuple(Slot(f"i{k}", (1,), uniform=w.fixed) for k, w in enumerate(words))
        program = expand_seeds(replace(stage.program, inputs=slots))
        kept = len(outputs) - sums
        added = tuple(cells for places in outputs[kept:] for cells in places)
        return Straight(program, plan_straight_code(program, self.room), words, outputs[:kept], post, added)

    def _calling(
        self, called: Called, words: tuple[Word, ...], outputs: tuple[tuple[int, ...], ...], post: Post
    ) -> Calling:
        if id(called) not in self.known:
            self.kept.append(called)
            cells = {k: self._take(1) for k, same in enumerate(called.uniform) if same is None}
            tile = [Word("cell", cells.get(k, -1)) for k in range(len(called.uniform))]
            own = [
                w if same is not None else Word("number", 0.0) for w, same in zip(words, called.uniform, strict=True)
            ]
            body, results = self.body(self.in_lanes.get(id(called), called.stages), tile, own)
            self.callees.append(body)
            self.known[id(called)] = (len(self.callees) - 1, cells, results)
        number, cells, results = self.known[id(called)]
        taken = tuple((a, b) for a, places in zip(results, outputs, strict=True) for b in places)
        return Calling(number, tuple((words[k], cell) for k, cell in cells.items()), taken, post)


def _cells(word: Word | LaneWords) -> int | Cells:
    return int(word.value) if isinstance(word, Word) else word.cells or ()


def plan_straight_code(program: Program, room: int = ROOM) -> RegisterPlan:
    """Registers of straight code: the cheapest of several ways to share work between storing and making again."""
    order = order_for_few_live(program)
    return early(min((plan_registers(program, order, room, cheap) for cheap in CHEAP), key=_cost), AHEAD)


def early(plan: RegisterPlan, ahead: int) -> RegisterPlan:
    """The same steps with every load and input `ahead` steps before it was, but not before what it loads was stored: few warps
    hide little of the way to memory."""
    keys: list[float] = []
    stored: dict[int, int] = {}
    for k, step in enumerate(plan.steps):
        if step.kind == "store":
            stored[step.slot] = k
        earliest = stored[step.slot] + 0.5 if step.kind == "load" else -0.5
        keys.append(max(earliest, k - ahead - 0.5) if step.kind in ("load", "input") else float(k))
    order = sorted(range(len(keys)), key=lambda k: (keys[k], k))
    return replace(plan, steps=tuple(plan.steps[k] for k in order))


def _cost(plan: RegisterPlan) -> int:
    tally = plan.tally()
    return OPERATION * (tally["do"] + tally["again"]) + FAR // 2 * (tally["store"] + tally["load"])
