"""Stages of a rolled program as bodies whose inputs say which node of which stage they are.

`program.rolling` counts the outputs of a stage; here outputs are nodes, so that a body may read any node of an earlier
one, and work can move between bodies before it is settled what is stored.
"""

from dataclasses import dataclass, field

from gough.program.graph import CONST, INPUT, Graph
from gough.program.rolling import LaneCheck, Rolled, RolledStage, Source

MINE = -1


@dataclass(frozen=True)
class Value:
    """One number. stage < 0: input `node` of the program. Else node `node` of a stage; of a stage that runs in lanes, the
    one of a given lane, or of the lane that reads it (MINE). total: the sum over all lanes number `node`."""

    stage: int
    node: int
    lane: int = 0
    total: bool = False


Wire = Value | tuple[Value, ...]
"""What an input of a body reads: one number, or one for each lane."""


@dataclass
class StageGraph:
    """Nodes of a stage; INPUT's payload counts `wires`. sums: nodes that are summed over the lanes."""

    lanes: int
    graph: Graph = field(default_factory=Graph)
    wires: list[Wire] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)
    checks: list[tuple[LaneCheck, int]] = field(default_factory=list)
    place: dict[Wire, int] = field(default_factory=dict)
    """Of every wire in `wires`."""

    def operands(self, i: int) -> tuple[int, ...]:
        """Nodes that node i reads."""
        return () if self.graph.ops[i] <= CONST else self.graph.args[i]

    def read(self, wire: Wire) -> int:
        """The node of an input, made when new."""
        place = self.place.setdefault(wire, len(self.wires))
        if place == len(self.wires):
            self.wires.append(wire)
        return self.graph.raw(INPUT, place)


def bodies_of(rolled: Rolled) -> tuple[list[StageGraph], list[Value]]:
    """(bodies, values of the results)."""
    bodies: list[StageGraph] = []

    def value(source: Source) -> Value:
        if source.stage < 0:
            return Value(-1, source.place)
        stage = rolled.stages[source.stage]
        if source.place < stage.kept:
            return Value(source.stage, nodes[source.stage][stage.program.results[source.place]], source.lane)
        return Value(source.stage, source.place - stage.kept, total=True)

    nodes: list[list[int]] = []
    for stage in rolled.stages:
        wires = [value(s) for s in stage.shared]
        wires += [_column(tuple(value(s) for s in column)) for column in stage.own]
        body = StageGraph(stage.lanes)
        nodes.append(_copied(stage, body, wires))
        new, program = nodes[-1], stage.program
        body.sums = [new[i] for i in program.results[stage.kept :]]
        body.checks = [(check, new[c.node]) for check, c in zip(stage.checks, program.checks, strict=True)]
        bodies.append(body)
    return bodies, [value(s) for s in rolled.results]


def _column(values: tuple[Value, ...]) -> Wire:
    first = values[0]
    if first.stage >= 0 and all(v == Value(first.stage, first.node, k) for k, v in enumerate(values)):
        return Value(first.stage, first.node, MINE)
    return values


def _copied(stage: RolledStage, body: StageGraph, wires: list[Wire]) -> list[int]:
    """New nodes by old ones."""
    new: list[int] = []
    program = stage.program
    for i, op in enumerate(program.ops):
        body.graph.note = program.notes[i] if program.notes else ""
        args = program.args[i]
        if op == INPUT:
            new.append(body.read(wires[args[0]]))
        elif op == CONST:
            new.append(body.graph.const(args[0]))
        else:
            new.append(body.graph.raw(op, *(new[k] for k in args)))
    return new
