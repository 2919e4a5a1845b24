"""Bodies as programs of their own, in the operations of a GPU, with wires for inputs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gough.backends.cuda.lowering import lower_scalars
from gough.backends.cuda.staged.bodies import StageGraph, Value, Wire, bodies_of, remake
from gough.errors import Status
from gough.program.graph import ADD, CONST, INPUT
from gough.program.program import NodeCheck, Program, Slot
from gough.program.rolling import LaneCheck, Rolled

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
    bodies, results = bodies_of(rolled)
    uniform = [bool(x) for x in rolled.program.uniform_inputs()]
    results = remake(bodies, results, uniform, keep)
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
