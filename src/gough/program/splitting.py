"""Long stages in pieces: compilers take more than twice as long for a function that is twice as long.

Nodes stay in their order; what a later piece reads is an output of the piece that makes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gough.program.graph import CONST, INPUT
from gough.program.ops import Product
from gough.program.program import NodeCheck, Program, Slot
from gough.program.rolling.lowering import LoweredStage, LoweredStages
from gough.program.rolling.rolled import KEPT, OWN, SHARED, SUMMED, Source


def split_stages(lowered: LoweredStages, most: int) -> LoweredStages:
    """Stages that run once, of at most `most` operations each; products lie so that their rows are long."""
    return _Splitter(lowered, most).split()


class _Splitter:
    def __init__(self, lowered: LoweredStages, most: int) -> None:
        self.lowered, self.most = lowered, most
        self.stages: list[LoweredStage] = []
        self.numbers = list(lowered.numbers)
        self.moved: dict[Source, Source] = {}  # what differs from stage to stage
        self.first = lowered.program.n_inputs

    def split(self) -> LoweredStages:
        for number, stage in enumerate(self.lowered.stages):
            if isinstance(stage.block, Product) and stage.block.n > stage.block.m:
                self._turned(number, stage, stage.block)
            elif stage.block is not None:
                self._keep(number, stage)
            else:
                self._pieces(number, stage)
        results = tuple(self._source(s) for s in self.lowered.results)
        return replace(self.lowered, stages=tuple(self.stages), results=results, numbers=tuple(self.numbers))

    def _source(self, source: Source) -> Source:
        return source if source.stage < 0 else self.moved[source]

    def _keep(self, number: int, stage: LoweredStage) -> None:
        for place in range(stage.kept):
            self.moved[Source(number, place)] = Source(len(self.stages), place)
        self.stages.append(replace(stage, shared=tuple(map(self._source, stage.shared))))

    def _turned(self, number: int, stage: LoweredStage, block: Product) -> None:
        """Cᵀ = Bᵀ Aᵀ."""
        n, k, m = block.n, block.k, block.m
        for i in range(n):
            for j in range(m):
                self.moved[Source(number, i * m + j)] = Source(len(self.stages), j * n + i)
        left = [n * k + t * m + j for j in range(m) for t in range(k)]
        right = [i * k + t for t in range(k) for i in range(n)]
        shared = tuple(self._source(stage.shared[place]) for place in (*left, *right))
        self.stages.append(replace(stage, shared=shared, block=Product(m, k, n)))

    def _pieces(self, number: int, stage: LoweredStage) -> None:
        program = stage.program
        nodes = [i for i, op in enumerate(program.ops) if op > CONST]
        home = {i: k // self.most for k, i in enumerate(nodes)}
        pieces = [nodes[k : k + self.most] for k in range(0, len(nodes), self.most)] or [[]]
        read_later: set[int] = set(program.results)
        for i in nodes:
            read_later.update(k for k in program.args[i] if home.get(k, home[i]) != home[i])
        where: dict[int, Source] = {}
        for k, piece in enumerate(pieces):
            own = set(piece)
            last = k == len(pieces) - 1
            checks = [c for c in program.checks if c.node in own or (last and c.node not in home)]
            self._piece(stage, piece, [i for i in piece if i in read_later], checks, where)
        for place, i in enumerate(program.results):
            self.moved[Source(number, place)] = where[i] if i in where else self._leaf(stage, i)

    def _leaf(self, stage: LoweredStage, i: int) -> Source:
        """Where an input or a number of a stage is found."""
        payload = stage.program.args[i][0]
        if stage.program.ops[i] == INPUT:
            return self._source(stage.shared[payload])
        self.numbers.append(payload)
        return Source(-1, self.first + len(self.numbers) - 1)

    def _piece(
        self,
        stage: LoweredStage,
        nodes: Sequence[int],
        kept: Sequence[int],
        checks: Sequence[NodeCheck],
        where: dict[int, Source],
    ) -> None:
        program, made = stage.program, _Recorded()
        for i in (*nodes, *(c.node for c in checks if c.node not in where)):
            for k in (*program.args[i], i) if program.ops[i] > CONST else (i,):
                if k in made.new:
                    continue
                if program.ops[k] == CONST:
                    made.add(k, CONST, program.args[k])
                elif k in where or program.ops[k] == INPUT:
                    source = where[k] if k in where else self._leaf(stage, k)
                    made.add(k, INPUT, (made.shared.setdefault(source, len(made.shared)),))
                else:
                    note = program.notes[k] if program.notes else ""
                    made.add(k, program.ops[k], tuple(made.new[x] for x in program.args[k]), note)
        for place, i in enumerate(kept):
            where[i] = Source(len(self.stages), place)
        inner = Program(
            (Slot(SHARED, (len(made.shared),)), Slot(OWN, (0,))),
            (Slot(KEPT, (len(kept),)), Slot(SUMMED, (0,))),
            made.ops,
            made.args,
            tuple(made.new[i] for i in kept),
            tuple(NodeCheck(c.failure, made.new[c.node], c.minimum) for c in checks),
            made.notes,
            program.name,
        )
        self.stages.append(LoweredStage(inner, 1, tuple(made.shared), ()))


@dataclass
class _Recorded:
    """Nodes of a piece. new: {node of the stage: node}; shared: what it reads from elsewhere."""

    ops: list[int] = field(default_factory=list)
    args: list[tuple] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    new: dict[int, int] = field(default_factory=dict)
    shared: dict[Source, int] = field(default_factory=dict)

    def add(self, i: int, op: int, args: tuple, note: str = "") -> None:
        self.new[i] = len(self.ops)
        self.ops.append(op)
        self.args.append(args)
        self.notes.append(note)
