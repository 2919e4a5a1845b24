"""The CUDA C++ text of a program: one thread a state, tiles of BLOCK states that a grid of blocks goes through.

Uniform inputs and the results of hoisted work travel in the kernel's arguments, numbers in constant memory: both are
operands of the arithmetic itself and take no registers.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from gough.backends._cfamily import Dialect
from gough.backends.cuda._checks import StatusChecks, single_lane
from gough.backends.cuda._frame import DIALECTS, KernelFrame, Text, is_fixed, results_of
from gough.backends.cuda._memory import Memory
from gough.backends.cuda._registers import RegisterPlan, RegisterStep
from gough.program.ops import Op
from gough.program.program import Program
from gough.program.rolling import LaneCheck


class PlannedCode(ABC):
    """Prints the steps of a plan of registers; who inherits says where operands, inputs and scratch lie. names: of the values
    that were made, by node."""

    indent = "    "

    def __init__(self, program: Program, dialect: Dialect) -> None:
        self.program, self.dialect = program, dialect
        self.names: dict[int, str] = {}
        self._fresh: dict[int, int] = {}

    @abstractmethod
    def operand(self, i: int) -> str:
        """A node as an operand."""

    @abstractmethod
    def read(self, i: int) -> str:
        """The input of a node from where it lies."""

    @abstractmethod
    def scratch(self, slot: int) -> str:
        """What a scratch slot holds."""

    @abstractmethod
    def store(self, slot: int, x: str) -> str:
        """The statement that fills a scratch slot."""

    @abstractmethod
    def finish(self, i: int) -> Sequence[str]:
        """Results and checks of a node, when its value is there."""

    def leaves(self) -> list[str]:
        """Results and checks that are inputs or numbers."""
        return [line for i, op in enumerate(self.program.ops) if op <= Op.CONST for line in self.finish(i)]

    def step(self, step: RegisterStep) -> list[str]:
        """Lines of one step."""
        i = step.node
        if step.kind == "store":
            return [f"{self.indent}{self.store(step.slot, self.names[i])}"]
        if step.kind == "load":
            value = self.scratch(step.slot)
        elif step.kind == "input":
            value = self.read(i)
        else:
            args = self.program.args[i]
            words = [self.operand(k) for k in args]
            if step.kind == "again":
                hidden = next((k for k, a in enumerate(args) if a in self.names), None)
                if hidden is not None:
                    words[hidden] = f"OPAQUE({words[hidden]})"
            value = self.dialect.expression(self.program.ops[i], words)
        count = self._fresh.get(i, 0)
        self._fresh[i] = count + 1
        self.names[i] = f"v{i}_{count}" if count else f"v{i}"
        line = f"{self.indent}{self.dialect.constant(self.names[i], value)}"
        return [line, *self.finish(i)] if step.kind == "do" else [line]


def write_text(program: Program, plan: RegisterPlan, memory: Memory, dtype: str = "float64") -> Text:
    """Source of a lowered program."""
    return _StraightKernel(program, plan, memory, DIALECTS[dtype]).write()


class _StraightKernel(PlannedCode):
    def __init__(self, program: Program, plan: RegisterPlan, memory: Memory, dialect: Dialect) -> None:
        super().__init__(program, dialect)
        self.plan, self.memory = plan, memory
        self.frame = KernelFrame(program, memory, dialect)
        self.checks = StatusChecks((), [single_lane(c) for c in program.checks], 1, dialect)
        self.tested: dict[int, list[LaneCheck]] = {}
        for check in program.checks:
            self.tested.setdefault(check.node, []).append(single_lane(check))
        self.results = results_of(program)
        accesses = plan.accesses()
        busiest = sorted(range(plan.slots), key=lambda s: -accesses[s])
        self.home = {s: k for k, s in enumerate(busiest)}

    def write(self) -> Text:
        steps, one_stage = self.plan.steps, self.memory.stages == 1
        body = self.leaves()
        last = max((k for k, step in enumerate(steps) if step.kind == "input"), default=-1)
        for k, step in enumerate(steps):
            body += self.step(step)
            if k == last and one_stage:
                body += self.frame.fetch_next("tile")
        if last < 0 and one_stage:
            body += self.frame.fetch_next("tile")
        tally = ", ".join(f"{v} {k}" for k, v in self.plan.tally().items())
        notes = [
            f"steps of a thread: {tally}; {self.plan.slots} scratch slots, {self.memory.near} of them in shared memory"
        ]
        return self.frame.text(notes, body, self.checks, self.plan.slots - self.memory.near)

    def read(self, i: int) -> str:
        return self.frame.input_word(self.program.args[i][0], again=i in self.names)

    def finish(self, i: int) -> list[str]:
        checks = self.tested.get(i, ())
        if i not in self.results and not checks:
            return []
        is_input = self.program.ops[i] == Op.INPUT and not is_fixed(self.program, self.frame.is_uniform, i)
        x = self.frame.input_word(self.program.args[i][0], again=True) if is_input else self.operand(i)
        lines = [f"    {self.frame.output_word(s, k)} = {x};" for s, k in self.results.get(i, ())]
        lines += [self.checks.of_result(x)] if i in self.results else []
        return lines + [self.checks.line(check, x) for check in checks]

    def operand(self, i: int) -> str:
        op, args = self.program.ops[i], self.program.args[i]
        if op == Op.CONST:
            return self.frame.number(args[0])
        if op == Op.INPUT and self.frame.is_uniform[args[0]]:
            return self.frame.uniform_word(args[0])
        return self.names[i]

    def scratch(self, slot: int) -> str:
        place, near = self.home[slot], self.memory.near
        return f"NEAR(near, {place})" if place < near else f"far[{place - near}]"

    def store(self, slot: int, x: str) -> str:
        place, near = self.home[slot], self.memory.near
        return f"KEEP(near, {place}, {x});" if place < near else f"far[{place - near}] = {x};"
