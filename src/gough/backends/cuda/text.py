"""The CUDA C++ text of a program: one thread a state, tiles of BLOCK states that a grid of blocks goes through.

Uniform inputs and the results of hoisted work travel in the kernel's arguments, numbers in constant memory: both are
operands of the arithmetic itself and take no registers.
"""

from gough.backends.cuda.checks import Checks
from gough.backends.cuda.frame import Frame, Text, is_fixed, results_of
from gough.backends.cuda.memory import Memory
from gough.backends.cuda.operations import expression
from gough.backends.cuda.registers import Plan, Step
from gough.program.ops import Op
from gough.program.program import Program


def write_text(program: Program, plan: Plan, memory: Memory, dtype: str = "float64") -> Text:
    """Source of a lowered program."""
    return _Writer(program, plan, memory, dtype == "float64").write()


class _Writer:
    def __init__(self, program: Program, plan: Plan, memory: Memory, double: bool) -> None:
        self.program, self.plan, self.memory = program, plan, memory
        self.frame = Frame(program, memory, double)
        self.names: dict[int, str] = {}
        self.fresh: dict[int, int] = {}
        self.checks = Checks(program, double)
        self.results = results_of(program)
        accesses = plan.accesses()
        busiest = sorted(range(plan.slots), key=lambda s: -accesses[s])
        self.home = {s: k for k, s in enumerate(busiest)}

    def write(self) -> Text:
        steps, one_stage = self.plan.steps, self.memory.stages == 1
        body: list[str] = []
        for i, op in enumerate(self.program.ops):  # results and checks that are inputs or numbers
            if op <= Op.CONST:
                body += self._finish(i)
        last = max((k for k, step in enumerate(steps) if step.kind == "input"), default=-1)
        for k, step in enumerate(steps):
            body += self._step(step)
            if k == last and one_stage:
                body += self.frame.fetch_next("tile")
        if last < 0 and one_stage:
            body += self.frame.fetch_next("tile")
        tally = ", ".join(f"{v} {k}" for k, v in self.plan.tally().items())
        notes = [
            f"steps of a thread: {tally}; {self.plan.slots} scratch slots, {self.memory.near} of them in shared memory"
        ]
        return self.frame.text(notes, body, self.checks, self.plan.slots - self.memory.near)

    def _step(self, step: Step) -> list[str]:
        i = step.node
        if step.kind == "store":
            return [f"    {self._scratch(step.slot, self.names[i])};"]
        if step.kind == "load":
            value = self._scratch(step.slot)
        elif step.kind == "input":
            value = self.frame.input_word(self.program.args[i][0], again=i in self.names)
        else:
            words = [self._operand(k) for k in self.program.args[i]]
            if step.kind == "again":
                k = next((k for k, a in enumerate(self.program.args[i]) if not self._fixed(a)), None)
                if k is not None:
                    words[k] = f"OPAQUE({words[k]})"
            value = expression(self.program.ops[i], words)
        name = f"v{i}" if i not in self.fresh else f"v{i}_{self.fresh[i]}"
        self.fresh[i] = self.fresh.get(i, 0) + 1
        self.names[i] = name
        line = f"    const real {name} = {value};"
        return [line, *self._finish(i)] if step.kind == "do" else [line]

    def _finish(self, i: int) -> list[str]:
        """Results and checks of a node, when its value is there."""
        lines = []
        if i in self.results or i in self.checks:
            is_input = self.program.ops[i] == Op.INPUT and not self._fixed(i)
            x = self.frame.input_word(self.program.args[i][0], again=True) if is_input else self._operand(i)
            lines += [f"    {self.frame.output_word(s, k)} = {x};" for s, k in self.results.get(i, ())]
            lines += self.checks.lines(i, x, i in self.results)
        return lines

    def _fixed(self, i: int) -> bool:
        return is_fixed(self.program, self.frame.is_uniform, i)

    def _operand(self, i: int) -> str:
        op, args = self.program.ops[i], self.program.args[i]
        if op == Op.CONST:
            return self.frame.number(args[0])
        if op == Op.INPUT and self.frame.is_uniform[args[0]]:
            return self.frame.uniform_word(args[0])
        return self.names[i]

    def _scratch(self, slot: int, stored: str = "") -> str:
        place = self.home[slot]
        near = self.memory.near
        if place < near:
            return f"KEEP(near, {place}, {stored})" if stored else f"NEAR(near, {place})"
        return f"far[{place - near}]" + (f" = {stored}" if stored else "")
