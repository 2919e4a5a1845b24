"""The program of a step as functions of one thread.

A value that one function makes and another reads has a cell, a number of its own. What a function keeps for itself while its
registers are full has cells, too, which all functions share: none of them calls another while it needs them. Long straight stages
are cut into pieces of bounded length first: compilers take longer than linearly for long functions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gough.backends._stage_layout import FRAME, TILE, Place, PlacedStage, StageLayout, lay_out
from gough.backends.cuda._lowering import expand_seeds
from gough.backends.cuda._memory import FAR, OPERATION
from gough.backends.cuda._registers import RegisterPlan, order_for_few_live, plan_registers
from gough.program.looping import Called
from gough.program.ops import Op
from gough.program.program import NodeCheck, Program, Slot
from gough.program.rolling.lowering import LoweredStage, LoweredStages
from gough.program.rolling.rolled import KEPT, OWN, SHARED, SUMMED, Source

LONGEST = 2500
"""Operations of a piece."""


def in_pieces(lowered: LoweredStages, longest: int = LONGEST) -> LoweredStages:
    """The same stages, none of them longer."""
    stages: list[LoweredStage] = []
    moved: dict[tuple[int, int], Source] = {}

    def source(s: Source) -> Source:
        return moved.get((s.stage, s.place), s) if s.stage >= 0 else s

    for number, stage in enumerate(lowered.stages):
        stage = replace(stage, shared=tuple(source(s) for s in stage.shared))
        if stage.block is None and sum(op > Op.CONST for op in stage.program.ops) > longest:
            places = _cut(stage, longest, stages)
        else:
            places = [Source(len(stages), k) for k in range(stage.kept)]
            stages.append(stage)
        moved |= {(number, k): place for k, place in enumerate(places)}
    return replace(lowered, stages=tuple(stages), results=tuple(source(s) for s in lowered.results))


def _cut(stage: LoweredStage, longest: int, stages: list[LoweredStage]) -> list[Source]:
    """Append the pieces of a stage; returns where its outputs are."""
    program = stage.program
    order = order_for_few_live(program)
    count = -(-len(order) // longest)
    size = -(-len(order) // count)
    home = {node: k // size for k, node in enumerate(order)}
    last = {node: home[node] for node in order}  # the last piece that reads it
    for node in order:
        for k in program.operands(node):
            if k in last:
                last[k] = max(last[k], home[node])
    outputs = set(program.results)
    made: dict[int, Source] = {}
    for piece in range(count):
        nodes = order[piece * size : (piece + 1) * size]
        kept = [i for i in nodes if last[i] > piece or i in outputs]
        if piece == count - 1:
            kept += sorted(i for i in outputs if program.ops[i] == Op.CONST)
        checks = [c for c in program.checks if home.get(c.node, 0) == piece]
        stages.append(_piece(stage, nodes, kept, checks, made, piece))
        made |= {i: Source(len(stages) - 1, k) for k, i in enumerate(kept)}
    return [made[i] if i in made else _leaf(stage, i) for i in program.results]


def _leaf(stage: LoweredStage, i: int) -> Source:
    return stage.shared[stage.program.args[i][0]]


def _piece(
    stage: LoweredStage, nodes: list[int], kept: list[int], checks: list[NodeCheck], made: dict[int, Source], piece: int
) -> LoweredStage:
    program = stage.program
    shared: dict[Source, int] = {}
    ops: list[int] = []
    args: list[tuple] = []
    new: dict[int, int] = {}

    def add(i: int, op: int, operands: tuple) -> None:
        new[i] = len(ops)
        ops.append(op)
        args.append(operands)

    def provide(k: int) -> None:
        if k in new:
            return
        if program.ops[k] == Op.CONST:
            add(k, Op.CONST, program.args[k])
        else:
            place = made[k] if k in made else _leaf(stage, k)
            add(k, Op.INPUT, (shared.setdefault(place, len(shared)),))

    for i in nodes:
        for k in program.operands(i):
            provide(k)
        add(i, program.ops[i], tuple(new[k] for k in program.args[i]))
    for i in (*kept, *(c.node for c in checks)):
        provide(i)
    inner = Program(
        (Slot(SHARED, (len(shared),)), Slot(OWN, (0,))),
        (Slot(KEPT, (len(kept),)), Slot(SUMMED, (0,))),
        ops,
        args,
        tuple(new[i] for i in kept),
        tuple(NodeCheck(c.failure, new[c.node], c.minimum) for c in checks),
        name=f"{program.name}, piece {piece}",
    )
    return LoweredStage(inner, 1, tuple(shared), ())


# Functions and their cells.

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


@dataclass(frozen=True)
class Straight:
    """Straight code. words: of the program's inputs; outputs: cells of each result."""

    program: Program
    plan: RegisterPlan
    words: tuple[Word, ...]
    outputs: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class BlockLoops:
    """A block as loops. words: of its operands; outputs: cells of each result."""

    block: Any
    words: tuple[Word, ...]
    outputs: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Calling:
    """A call. given: (word, cell of the called program's input); taken: (cell of its result, cell here)."""

    callee: int
    given: tuple[tuple[Word, int], ...]
    taken: tuple[tuple[int, int], ...]


ThreadFunction = Straight | BlockLoops | Calling


@dataclass(frozen=True)
class ThreadFunctions:
    """body: what a turn does, in order; callees: the bodies of called programs. results: cell of every result of the program.
    state: cells of the slot "state" come first. cells: those before the shared scratch; scratch: how many of it."""

    body: tuple[ThreadFunction, ...]
    callees: tuple[tuple[ThreadFunction, ...], ...]
    results: tuple[int, ...]
    cells: int
    scratch: int

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


def functions_of(lowered: LoweredStages, tile: Sequence[Word], first: int) -> ThreadFunctions:
    """Functions of a program in stages. tile: words of its inputs; first: cell from which on all are free."""
    maker = _Maker(first)
    body, results = maker.body(lowered, tile, tuple(Word("uniform", k) for k in range(lowered.program.n_inputs)))
    scratch = max((f.plan.slots for b in (body, *maker.callees) for f in b if isinstance(f, Straight)), default=0)
    return ThreadFunctions(body, tuple(maker.callees), results, maker.cells, scratch)


class _Maker:
    def __init__(self, first: int) -> None:
        self.cells = first
        self.callees: list[tuple[ThreadFunction, ...]] = []
        self.known: dict[int, tuple[int, dict[int, int], tuple[int, ...]]] = {}
        self.kept: list[Called] = []  # so that identities stay their own

    def body(
        self, lowered: LoweredStages, tile: Sequence[Word], uniform: Sequence[Word]
    ) -> tuple[tuple[ThreadFunction, ...], tuple[int, ...]]:
        """(functions, cells of the results). uniform: words of the inputs that are uniform."""
        layout = lay_out(in_pieces(lowered))
        frame = self._take(layout.frame)

        def word(place: Place) -> Word:
            if place.space == TILE:
                return tile[place.at]
            if place.space == FRAME:
                return Word("cell", frame + place.at)
            entry = layout.table[place.at]
            return uniform[entry] if isinstance(entry, int) else Word("number", entry)

        found = [self._function(stage, layout, word, frame) for stage in layout.stages]
        return tuple(found), tuple(frame + place.at for place in layout.results)

    def _take(self, count: int) -> int:
        self.cells += count
        return self.cells - count

    def _function(self, stage: PlacedStage, layout: StageLayout, word: Any, frame: int) -> ThreadFunction:
        assert stage.lanes == 1
        words = tuple(word(place) for place in stage.inputs)
        outputs = tuple(tuple(frame + p.at for p in places) for places in stage.outputs)
        if isinstance(stage.block, Called):
            return self._calling(stage.block, words, outputs)
        if stage.block is not None:
            return BlockLoops(stage.block, words, outputs)
        slots = tuple(Slot(f"i{k}", (1,), uniform=w.fixed) for k, w in enumerate(words))
        program = expand_seeds(replace(stage.program, inputs=slots))
        return Straight(program, plan_straight_code(program), words, outputs)

    def _calling(self, called: Called, words: tuple[Word, ...], outputs: tuple[tuple[int, ...], ...]) -> Calling:
        if id(called) not in self.known:
            self.kept.append(called)
            cells = {k: self._take(1) for k, same in enumerate(called.uniform) if same is None}
            tile = [Word("cell", cells.get(k, -1)) for k in range(len(called.uniform))]
            own = [
                w if same is not None else Word("number", 0.0) for w, same in zip(words, called.uniform, strict=True)
            ]
            body, results = self.body(called.stages, tile, own)
            self.callees.append(body)
            self.known[id(called)] = (len(self.callees) - 1, cells, results)
        number, cells, results = self.known[id(called)]
        taken = tuple((a, b) for a, places in zip(results, outputs, strict=True) for b in places)
        return Calling(number, tuple((words[k], cell) for k, cell in cells.items()), taken)


def plan_straight_code(program: Program) -> RegisterPlan:
    """Registers of straight code: the cheapest of several ways to share work between storing and making again."""
    order = order_for_few_live(program)
    return early(min((plan_registers(program, order, ROOM, cheap) for cheap in CHEAP), key=_cost), AHEAD)


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
