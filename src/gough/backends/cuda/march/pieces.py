"""Long straight stages cut into pieces of bounded length: compilers take longer than linearly for long functions."""

from dataclasses import replace

from gough.backends.cuda.order import order_for_few_live
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
