"""What each piece does with registers and scratch: the order of its operations, what is held throughout a loop, what is stored.

Every output of a stage that another reads has a column of scratch, one slot a lane, in shared memory while there is room, else in
local memory. Columns that gather numbers of several outputs have slots of their own, into which those numbers are stored as they
are made.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from gough.backends.cuda._lowering import lower_scalars
from gough.backends.cuda._memory import pitch_of
from gough.backends.cuda._registers import RegisterPlan, order_for_few_live, plan_registers
from gough.backends.cuda.staged._bodies import MINE, StageGraph, Value, Wire, bodies_of, follow, follow_value, remake
from gough.backends.cuda.staged._splitting import split_sums
from gough.errors import Status
from gough.program.graph import ADD, CONST, INPUT
from gough.program.ops import Op
from gough.program.program import NodeCheck, Program, Slot
from gough.program.rolling import LaneCheck, Rolled

# Bodies as programs of their own, in the operations of a GPU, with wires for inputs.

Output = tuple[int, int]
"""Stage and place of one of its outputs."""


@dataclass(frozen=True)
class StageProgram:
    """A stage as a program. Its inputs: `wires`, then the sums so far; its results: `kept` nodes, then the sums with this
    lane's terms. checks: those of the program by place."""

    lanes: int
    program: Program
    wires: tuple[Wire, ...]
    kept: int
    sums: int
    checks: tuple[LaneCheck, ...]


@dataclass(frozen=True)
class StagePrograms:
    """Pieces in order. Values of wires and results have as node the place of an output of their stage."""

    pieces: tuple[StageProgram, ...]
    lanes: int
    results: tuple[Value, ...]
    uniform: tuple[bool, ...]


def pieces_of(rolled: Rolled, keep: float, precision: str, dtype: str) -> StagePrograms:
    """Stages with what is not worth storing made again (see `remake`)."""
    bodies, results = split_sums(*bodies_of(rolled), MOST_SUMS)
    uniform = [bool(x) for x in rolled.program.uniform_inputs()]
    results = [follow_value(bodies, v) for v in remake(bodies, results, uniform, keep)]
    for body in bodies:
        body.wires = [follow(bodies, wire) for wire in body.wires]
    used = [_used(body) for body in bodies]
    place: dict[tuple[int, int], int] = {}
    counts = [0] * len(bodies)
    for value in _read(bodies, used, results):
        if value.stage >= 0 and not value.total and (value.stage, value.node) not in place:
            place[value.stage, value.node] = counts[value.stage]
            counts[value.stage] += 1
    final = _Numbering(place, counts)
    pieces = []
    for number, body in enumerate(bodies):
        kept = sorted((k, node) for (stage, node), k in place.items() if stage == number)
        pieces.append(_piece(body, used[number], [node for _, node in kept], final, uniform, (precision, dtype)))
    return StagePrograms(tuple(pieces), rolled.lanes, tuple(final.value(v) for v in results), tuple(uniform))


@dataclass(frozen=True)
class _Numbering:
    place: dict[tuple[int, int], int]
    counts: list[int]

    def value(self, v: Value) -> Value:
        """With the place of an output for its node; sums come after what is kept."""
        if v.stage < 0:
            return v
        if v.total:
            return Value(v.stage, self.counts[v.stage] + v.node)
        return Value(v.stage, self.place[v.stage, v.node], v.lane)

    def wire(self, wire: Wire) -> Wire:
        return tuple(self.value(v) for v in wire) if isinstance(wire, tuple) else self.value(wire)


def _used(body: StageGraph) -> list[int]:
    """Wires that are read."""
    live = {i for i, op in enumerate(body.graph.ops) if op > CONST}
    found = {body.graph.args[k][0] for i in live for k in body.operands(i) if body.graph.ops[k] == INPUT}
    ends = [*body.sums, *(i for _, i in body.checks)]
    found |= {body.graph.args[i][0] for i in ends if body.graph.ops[i] == INPUT}
    return sorted(found)


def _read(bodies: list[StageGraph], used: list[list[int]], results: list[Value]) -> Iterable[Value]:
    for body, wires in zip(bodies, used, strict=True):
        for k in wires:
            wire = body.wires[k]
            yield from wire if isinstance(wire, tuple) else (wire,)
    yield from results


def _piece(
    body: StageGraph, used: list[int], kept: list[int], final: _Numbering, uniform: list[bool], options: tuple[str, str]
) -> StageProgram:
    graph = body.graph
    wires = [body.wires[k] for k in used]
    at = {k: j for j, k in enumerate(used)}
    for node in kept:  # an input that is handed on
        if graph.ops[node] == INPUT and graph.args[node][0] not in at:
            at[graph.args[node][0]] = len(wires)
            wires.append(body.wires[graph.args[node][0]])
    ops, args = list(graph.ops), list(graph.args)
    for i, op in enumerate(ops):
        if op == INPUT:
            args[i] = (at.get(args[i][0], 0),)
    sums = []
    for k, node in enumerate(body.sums):  # the sum so far is an operand: its addition joins a multiply-add
        ops += [INPUT, ADD]
        args += [(len(wires) + k,), (len(ops) - 2, node)]
        sums.append(len(ops) - 1)
    slots = [Slot(f"w{k}", (1,), uniform=_is_uniform(wire, uniform)) for k, wire in enumerate(wires)]
    program = Program(
        (*slots, Slot("sums", (len(sums),))),
        (Slot("kept", (len(kept),)), Slot("sums", (len(sums),))),
        ops,
        args,
        (*kept, *sums),
        tuple(NodeCheck(Status.OK.at(str(k)), node, 0.0) for k, (_, node) in enumerate(body.checks)),
    )
    lowered = lower_scalars(program, *options)
    checks = [check for check, _ in body.checks]
    checks += [LaneCheck((c.failure,) * body.lanes, (c.minimum,) * body.lanes) for c in lowered.checks[len(checks) :]]
    return StageProgram(body.lanes, lowered, tuple(final.wire(w) for w in wires), len(kept), len(sums), tuple(checks))


def _is_uniform(wire: Wire, uniform: Sequence[bool]) -> bool:
    values = wire if isinstance(wire, tuple) else (wire,)
    return all(v.stage < 0 and uniform[v.node] for v in values)


def own_columns(pieces: StagePrograms) -> list[tuple[Value, ...]]:
    """Columns of uniform inputs, each once."""
    wires = [w for p in pieces.pieces for w in p.wires if isinstance(w, tuple) and _is_uniform(w, pieces.uniform)]
    return list(dict.fromkeys(wires))


MOST_SUMS = 40
"""Sums over the lanes that are held in registers; of more, all are kept in scratch."""
CHEAP = 2
"""Operations at most that making a value again within a piece may take."""
LEAST_ROOM = 24
MOST_AHEAD = 12
"""Steps by which inputs are read early: shared memory answers after some thirty cycles."""


@dataclass(frozen=True)
class Planned:
    """A piece with its steps. held: inputs (positions) read before the loop and held throughout; sums_held: whether sums
    are in registers."""

    piece: StageProgram
    plan: RegisterPlan
    held: frozenset[int]
    sums_held: bool

    @property
    def reads(self) -> dict[int, int]:
        """{input position: how often it is read from its place, in all lanes}."""
        found: dict[int, int] = {}
        program = self.piece.program
        nodes = [step.node for step in self.plan.steps if step.kind == "input"]
        ends = (*program.results, *(c.node for c in program.checks))
        nodes += [i for i in ends if program.ops[i] == Op.INPUT]
        for i in nodes:
            position = program.args[i][0]
            found[position] = found.get(position, 0) + self.piece.lanes
        return found | dict.fromkeys(self.held, 1)


def plan_pieces(pieces: StagePrograms, room: int) -> list[Planned]:
    """Plans with at most `room` values in registers."""
    return [_planned(piece, room) for piece in pieces.pieces]


def _planned(piece: StageProgram, room: int) -> Planned:
    program = piece.program
    order = order_for_few_live(program)
    sums_held = piece.lanes > 1 and 0 < piece.sums <= MOST_SUMS
    wide = max(room - (piece.sums if sums_held else 0), LEAST_ROOM)
    fixed = frozenset(range(len(piece.wires), len(piece.wires) + piece.sums)) if sums_held else frozenset()
    plan = plan_registers(_with_fixed(program, fixed), order, wide, CHEAP)
    if piece.lanes == 1:
        return Planned(piece, _early(plan, room), frozenset(), False)
    free = wide - plan.most_held
    reads = Planned(piece, plan, frozenset(), sums_held).reads
    shared = [k for k, w in enumerate(piece.wires) if isinstance(w, Value) and w.lane != MINE and k in reads]
    held = frozenset(sorted(shared, key=lambda k: -reads[k])[: max(free, 0)])
    if held:
        plan = plan_registers(_with_fixed(program, fixed | held), order, wide - len(held), CHEAP)
    return Planned(piece, _early(plan, wide - len(held)), held, sums_held)


def _early(plan: RegisterPlan, room: int) -> RegisterPlan:
    """Inputs are asked for some steps before they are used, as many as there is room for."""
    ahead = max(min(room - plan.most_held, MOST_AHEAD), 0)
    keyed = [(k - ahead - 0.5 if step.kind == "input" else k, k, step) for k, step in enumerate(plan.steps)]
    return replace(plan, steps=tuple(step for _, _, step in sorted(keyed, key=lambda x: x[:2])))


def _with_fixed(program: Program, fixed: frozenset[int]) -> Program:
    """Inputs that are operands where they are, for planning alone."""
    slots = [replace(s, uniform=s.uniform or k in fixed) for k, s in enumerate(program.inputs[:-1])]
    first = len(slots)
    sums = replace(program.inputs[-1], uniform=first in fixed)
    return replace(program, inputs=(*slots, sums))


# Columns of scratch.


@dataclass
class Column:
    """Slots side by side, alive from a stage to a stage (both included); uses: times a thread stores or loads one."""

    size: int
    born: int
    dies: int
    uses: int = 0
    place: int = -1
    near: bool = False


@dataclass
class ScratchLayout:
    """outputs: columns by stage and place. gathered: by the wire that reads them; scratch: a piece's own slots; windows: by the
    stage at whose end results leave through them.
    near, far: slots of both memories."""

    outputs: dict[Output, Column] = field(default_factory=dict)
    gathered: dict[Wire, Column] = field(default_factory=dict)
    scratch: list[list[Column]] = field(default_factory=list)
    windows: dict[int, Column] = field(default_factory=dict)
    near: int = 0
    far: int = 0

    def columns(self) -> list[Column]:
        """All of them."""
        return [
            *self.outputs.values(),
            *self.gathered.values(),
            *(c for row in self.scratch for c in row),
            *self.windows.values(),
        ]

    @property
    def far_uses(self) -> int:
        """Stores and loads of local memory."""
        return sum(c.uses for c in self.columns() if not c.near)

    @property
    def near_uses(self) -> int:
        """Stores and loads of shared memory."""
        return sum(c.uses for c in self.columns() if c.near and c.uses < BUSIEST)


def gathers(wire: Wire) -> bool:
    """Whether a column's numbers come from several places, at least one of them computed."""
    return isinstance(wire, tuple) and any(v.stage >= 0 for v in wire)


PART = 12
"""Entries of results that leave at once at the end of a stage: whole sectors of memory where rows are multiples of four."""
BUSIEST = 1 << 30


def leaving_early(program: Program, pieces: StagePrograms) -> dict[int, int]:
    """{output slot: stage} of rows that one stage makes which runs once, and is not the last: they leave at its end."""
    found: dict[int, int] = {}
    at = 0
    for s, slot in enumerate(program.outputs):
        stages = {v.stage for v in pieces.results[at : at + slot.size]}
        at += slot.size
        stage = stages.pop() if len(stages) == 1 else -1
        if 0 <= stage < len(pieces.pieces) - 1 and pieces.pieces[stage].lanes == 1 and slot.size >= PART:
            found[s] = stage
    return found


def lay_out(pieces: StagePrograms, plans: list[Planned], room: int, early: Collection[int] = ()) -> ScratchLayout:
    """Slots for all that is stored, at most `room` of them in shared memory. early: stages at whose end results leave."""
    layout, end = ScratchLayout(), len(plans)
    for number, planned in enumerate(plans):
        reads = planned.reads
        for k, wire in enumerate(planned.piece.wires):
            if k in reads:
                _count(pieces, layout, wire, number, reads[k])
        row = [Column(1, number, number, planned.piece.lanes * n) for n in planned.plan.accesses()]
        layout.scratch.append(row)
        if planned.piece.sums and not planned.sums_held:
            for k in range(planned.piece.sums):
                column = _output(pieces, layout, Value(number, planned.piece.kept + k), number)
                column.uses += 2 * planned.piece.lanes
    for value in pieces.results:
        if value.stage >= 0 and not _direct(pieces, value):
            _output(pieces, layout, value, end).uses += 1
    layout.windows = {stage: Column(pitch_of(PART), stage, stage, BUSIEST) for stage in early}
    _place(layout, room)
    return layout


def _direct(pieces: StagePrograms, value: Value) -> bool:
    """Whether a result is written when it is made: in a stage that runs once."""
    return pieces.pieces[value.stage].lanes == 1


def _count(pieces: StagePrograms, layout: ScratchLayout, wire: Wire, number: int, uses: int) -> None:
    if gathers(wire):
        assert isinstance(wire, tuple)
        column = layout.gathered.get(wire)
        if column is None:
            born = min(v.stage if _is_early(pieces, v) else number for v in wire)
            column = layout.gathered[wire] = Column(len(wire), born, number, len(wire))
            for v in wire:
                if v.stage >= 0 and not _is_early(pieces, v):
                    _output(pieces, layout, v, number).uses += 1
        column.dies, column.uses = max(column.dies, number), column.uses + uses
    elif isinstance(wire, Value) and wire.stage >= 0:
        _output(pieces, layout, wire, number).uses += uses


def _is_early(pieces: StagePrograms, value: Value) -> bool:
    """Whether a number goes into gathered columns when it is made: in a stage that runs once, or as a sum."""
    return value.stage >= 0 and (_direct(pieces, value) or _is_sum(pieces, value))


def _is_sum(pieces: StagePrograms, value: Value) -> bool:
    return value.stage >= 0 and value.node >= pieces.pieces[value.stage].kept


def _output(pieces: StagePrograms, layout: ScratchLayout, value: Value, dies: int) -> Column:
    key = (value.stage, value.node)
    if key not in layout.outputs:
        size = 1 if _is_sum(pieces, value) else pieces.pieces[value.stage].lanes
        layout.outputs[key] = Column(size, value.stage, dies, size)
    column = layout.outputs[key]
    column.dies = max(column.dies, dies)
    return column


def _place(layout: ScratchLayout, room: int) -> None:
    """The most used first; columns alive at different times share slots."""
    near: list[Column] = []
    far: list[Column] = []
    for column in sorted(layout.columns(), key=lambda c: (-c.uses / c.size, c.born)):
        column.place = _free_place(near, column)
        column.near = column.place + column.size <= room
        if not column.near:
            column.place = _free_place(far, column)
        (near if column.near else far).append(column)
    layout.near = max((c.place + c.size for c in near), default=0)
    layout.far = max((c.place + c.size for c in far), default=0)


def _free_place(taken: list[Column], column: Column) -> int:
    """The first place where a column meets none that is alive with it."""
    place = 0
    for other in sorted(taken, key=lambda c: c.place):
        if other.born <= column.dies and column.born <= other.dies:
            if place + column.size <= other.place:
                break
            place = max(place, other.place + other.size)
    return place
