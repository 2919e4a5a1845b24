"""One piece of straight code of a time loop as CUDA."""

from typing import Protocol

from gough.backends._cfamily import CUDA
from gough.backends.cuda._text import PlannedCode
from gough.backends.cuda.march._functions import Cells, LaneWords, Straight, ThreadFunctions, Word
from gough.backends.cuda.march._team import Team
from gough.program.ops import Op
from gough.program.program import NOT_FINITE


class Whole(Protocol):
    """The loop that a piece is part of: where things lie."""

    functions: ThreadFunctions
    team: Team

    def place_of_sums(self, cells: Cells) -> tuple[str, int]:
        """Where a group of sums lies."""
        ...

    def load(self, cell: int | Cells) -> str:
        """A cell as an operand."""
        ...

    def store(self, cell: int | Cells, x: str) -> str:
        """The statement that fills a cell."""
        ...

    def word(self, word: Word | LaneWords) -> str:
        """An operand from where it lies."""
        ...

    def number(self, x: float) -> str:
        """A number as an operand."""
        ...


class StraightWriter(PlannedCode):
    """One function of straight code, step by step of its plan."""

    indent = "  "

    def __init__(self, whole: Whole, f: Straight) -> None:
        super().__init__(f.program, CUDA)
        self.whole, self.f = whole, f
        self.results: dict[int, list[int | Cells]] = {}
        for node, cells in zip(self.program.results, f.outputs, strict=False):
            self.results.setdefault(node, []).extend(cells)
        self.terms: dict[int, list[int]] = {}
        for k, node in enumerate(self.program.results[len(f.outputs) :]):
            self.terms.setdefault(node, []).append(k)
        self.missing = [0] * len(f.sums)  # terms of every group of sums that are still to be left
        for k in range(len(self.program.results) - len(f.outputs)):
            self.missing[k // whole.team.legs] += 1
        self.buffers = 0
        self.buffer: dict[int, int] = {}
        self.free: list[int] = []
        self.resting: list[int] = []  # buffers that are free when all have met once more
        self.checks: dict[int, list] = {}
        for c in self.program.checks:
            self.checks.setdefault(c.node, []).append(c)

    def lines(self) -> list[str]:
        """The function's statements."""
        return [*self.leaves(), *(line for step in self.f.plan.steps for line in self.step(step))]

    def read(self, i: int) -> str:
        return self.whole.word(self._word(i))

    def scratch(self, slot: int) -> str:
        return self.whole.load(self.whole.functions.scratch_cell(self.f.post, slot))

    def store(self, slot: int, x: str) -> str:
        return self.whole.store(self.whole.functions.scratch_cell(self.f.post, slot), x)

    def finish(self, i: int) -> list[str]:
        cells, checks, terms = self.results.get(i, ()), self.checks.get(i, ()), self.terms.get(i, ())
        if not cells and not checks and not terms:
            return []
        op, args = self.program.ops[i], self.program.args[i]
        lines = []
        if op <= Op.CONST:
            x = f"leaf{i}"
            value = self.whole.number(args[0]) if op == Op.CONST else self.read(i)
            lines.append(f"  {self.dialect.constant(x, value)}")
        else:
            x = self.names[i]
        lines += [f"  {self.whole.store(c, x)}" for c in cells]
        lines += [line for k in terms for line in self._leave(k, x)]
        for c in checks:
            bit = 1 if c.failure == NOT_FINITE else 2
            lines.append(f"  if (!({x} >= {self.whole.number(c.minimum)})) word |= {bit}u;")
        return lines

    def _leave(self, k: int, x: str) -> list[str]:
        """A term left for all lanes; the last one of a group of sums has them added up."""
        group, at = divmod(k, self.whole.team.legs)
        if group not in self.buffer:
            self.buffer[group] = self.free.pop() if self.free else self._new_buffer()
        buffer, (name, first) = self.buffer[group], self.whole.place_of_sums(self.f.sums[group])
        lines = [f"  LEAVE_{name}({buffer}, {at}, {first + at}, {x});"]
        self.missing[group] -= 1
        if not self.missing[group]:
            self.free, self.resting = [*self.free, *self.resting], [buffer]
            lines.append("  MEET();")
            turns = self.whole.team.legs // self.whole.team.abreast
            lines += [f"  ADD_{name}({buffer}, {m}, {first});" for m in range(turns)]
        return lines

    def _new_buffer(self) -> int:
        self.buffers += 1
        return self.buffers - 1

    def _word(self, i: int) -> Word | LaneWords:
        return self.f.words[self.program.args[i][0]]

    def operand(self, i: int) -> str:
        op, args = self.program.ops[i], self.program.args[i]
        if op == Op.CONST:
            return self.whole.number(args[0])
        if op == Op.INPUT and self._word(i).fixed:
            return self.whole.word(self._word(i))
        return self.names[i]
