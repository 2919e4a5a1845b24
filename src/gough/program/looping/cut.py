"""Cut a program around its blocks: straight stages, and blocks, in turn.

A node's level is the number of blocks before it on the longest way from the inputs. Stage by stage: the nodes of a level
as one program, then the blocks of that level. What is read outside of its own stage is an output of it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from gough.program.looping.rule import expand_others
from gough.program.lowering import Machine
from gough.program.ops import Block, Call, Op
from gough.program.passes.guard_results import guard_results
from gough.program.program import Check, Program, Slot
from gough.program.rolling.lowering import LoweredStage, LoweredStages, lower_stage
from gough.program.rolling.rolled import KEPT, OWN, SHARED, SUMMED, LaneCheck, Source, Stage


@dataclass(frozen=True, eq=False)
class Called:
    """A program that is called: its own stages; uniform: positions in the calling program of its uniform inputs, or
    numbers; None for others. The same object at every call that may share its code."""

    stages: LoweredStages
    uniform: tuple[int | float | None, ...]
    outputs: int


def cut_at_blocks(program: Program, machine: Machine) -> LoweredStages:
    """Stages of a program with blocks, each made ready for a machine."""
    return _Cutter(program, machine).cut()


class _Cutter:
    def __init__(self, program: Program, machine: Machine) -> None:
        self.program, self.machine = program, machine
        self.numbers: list[float] = []
        self.sources: dict[int, Source] = {}  # of inputs, numbers, and what stages have made
        self.level = _levels(program)
        self.called: dict[tuple, Called] = {}
        self.read_by: dict[int, set[int]] = {}  # levels that read a node; blocks and results count as later ones

    def cut(self) -> LoweredStages:
        program, level = self.program, self.level
        last = max(level, default=0) + 1
        for i, op in enumerate(program.ops):
            for k in program.operands(i):
                self.read_by.setdefault(k, set()).add(last if op == Op.BLOCK else level[i])
        for i in program.results:
            self.read_by.setdefault(i, set()).add(last)
        stages: list[LoweredStage] = []
        by_level: list[list[int]] = [[] for _ in range(last)]
        blocks: list[list[int]] = [[] for _ in range(last)]
        for i, op in enumerate(program.ops):
            if op == Op.BLOCK:
                blocks[level[i]].append(i)
            elif op > Op.CONST and op != Op.ITEM:
                by_level[level[i]].append(i)
        done: list[list[int]] = []
        for nodes, after in zip(by_level, blocks, strict=True):
            if nodes or any(self._checked_here(c, len(done)) for c in program.checks):
                stages.append(self._straight(len(stages), nodes, len(done)))
            done.append(after)
            for i in after:
                stages.append(self._block(len(stages), i))
        results = tuple(self._source(i) for i in program.results)
        guard = [s for s in dict.fromkeys(results) if s.stage >= 0 and stages[s.stage].block is not None]
        if guard:
            stages.append(_guard(guard))
        return LoweredStages(program, 1, tuple(stages), results, tuple(self.numbers))

    def _source(self, i: int) -> Source:
        """Where a node's value is found."""
        if i not in self.sources:
            op, args = self.program.ops[i], self.program.args[i]
            if op == Op.INPUT:
                self.sources[i] = Source(-1, args[0])
            else:
                assert op == Op.CONST
                self.sources[i] = Source(-1, self.program.n_inputs + len(self.numbers))
                self.numbers.append(args[0])
        return self.sources[i]

    def _checked_here(self, check: Check, level: int) -> bool:
        """Whether a check belongs to a level: that of its node, which may be an input or a block's result."""
        return self.level[check.node] == level

    def _straight(self, number: int, nodes: list[int], level: int) -> LoweredStage:
        program, own = self.program, set(nodes)
        shared: dict[Source, int] = {}
        ops: list[int] = []
        args: list[tuple] = []
        notes: list[str] = []
        new: dict[int, int] = {}

        def add(i: int, op: int, operands: tuple) -> None:
            new[i] = len(ops)
            ops.append(op)
            args.append(operands)
            notes.append(program.notes[i] if program.notes else "")

        for i in nodes:
            for k in program.operands(i):
                if k in new:
                    continue
                if program.ops[k] == Op.CONST:
                    add(k, Op.CONST, program.args[k])
                elif k not in own:
                    source = self._source(k)
                    add(k, Op.INPUT, (shared.setdefault(source, len(shared)),))
            add(i, program.ops[i], tuple(new[k] for k in program.args[i]))
        checks = [c for c in program.checks if self._checked_here(c, level)]
        for c in checks:
            if c.node not in new:
                source = self._source(c.node)
                add(c.node, Op.INPUT, (shared.setdefault(source, len(shared)),))
        kept = [i for i in nodes if any(reader != level for reader in self.read_by.get(i, ()))]
        inner = Program(
            (Slot(SHARED, (len(shared),)), Slot(OWN, (0,))),
            (Slot(KEPT, (len(kept),)), Slot(SUMMED, (0,))),
            ops,
            args,
            tuple(new[i] for i in kept),
            tuple(Check(c.failure, new[c.node], c.minimum) for c in checks),
            notes,
            f"{program.name}, stage {number}",
        )
        for place, i in enumerate(kept):
            self.sources[i] = Source(number, place)
        wanted = {place for place, i in enumerate(kept) if i in set(program.results)}
        stage = Stage(inner, 1, tuple(shared), (), tuple(LaneCheck((c.failure,), (c.minimum,)) for c in checks))
        return lower_stage(stage, self.machine, wanted, self.numbers, program.n_inputs)

    def _block(self, number: int, i: int) -> LoweredStage:
        program, block = self.program, self.program.block(i)
        operands = tuple(self._source(k) for k in program.operands(i))
        for k, place in self._items(i):
            self.sources[k] = Source(number, place)
        what = self._call(block, operands) if isinstance(block, Call) else block
        return LoweredStage(_empty(block, len(operands)), 1, operands, (), what)

    def _call(self, block: Call, operands: tuple[Source, ...]) -> Called:
        inner = block.program
        assert isinstance(inner, Program)
        known = self.program.uniform_inputs().tolist()
        uniform: list[int | float | None] = [None] * inner.n_inputs
        for k, same in enumerate(inner.uniform_inputs().tolist()):
            if same:
                place = operands[k].place
                if operands[k].stage < 0 and place >= len(known):
                    uniform[k] = float(self.numbers[place - len(known)])
                elif operands[k].stage < 0 and known[place]:
                    uniform[k] = place
                else:
                    raise ValueError(f"uniform input {k} of {inner.name} is given something that varies")
        key = (id(inner), tuple(uniform))
        if key not in self.called:
            stages = cut_at_blocks(expand_others(inner), self.machine)
            self.called[key] = Called(stages, tuple(uniform), block.outputs)
        return self.called[key]

    def _items(self, block: int) -> Iterable[tuple[int, int]]:
        if not hasattr(self, "_items_of"):
            self._items_of: dict[int, list[tuple[int, int]]] = {}
            for k, op in enumerate(self.program.ops):
                if op == Op.ITEM:
                    self._items_of.setdefault(self.program.args[k][0], []).append((k, self.program.args[k][1]))
        return self._items_of.get(block, [])


def _guard(sources: list[Source]) -> LoweredStage:
    """A stage that checks that results of blocks are finite."""
    n = len(sources)
    inputs = (Slot(SHARED, (n,)), Slot(OWN, (0,)))
    nodes = list(range(n))
    program = Program(inputs, (Slot(KEPT, (0,)), Slot(SUMMED, (0,))), [Op.INPUT] * n, [(k,) for k in nodes], ())
    return LoweredStage(guard_results(program, nodes), 1, tuple(sources), ())


def _empty(block: Block, operands: int) -> Program:
    inputs = (Slot(SHARED, (operands,)), Slot(OWN, (0,)))
    return Program(inputs, (Slot(KEPT, (block.outputs,)), Slot(SUMMED, (0,))), [], [], (), name=type(block).__name__)


def _levels(program: Program) -> list[int]:
    """Level of every node; inputs and numbers are at hand on every level."""
    level = [0] * len(program.ops)
    for i, op in enumerate(program.ops):
        if op > Op.CONST:
            before = max((level[k] for k in program.operands(i)), default=0)
            level[i] = before + 1 if op == Op.ITEM else before
    return level
