"""Lowering a scalar program to LLVM IR: a loop over tiles of states, one state a lane.

The kernel is  void kernel(inputs, strides, outputs, status, begin, end)  with arrays of pointers to rows; row i of input
slot s starts at inputs[s] + i · strides[s] (doubles; 0 repeats one row). For each tile the driver turns rows of states
into vectors (one vector an input), calls the body, and turns the result vectors back into rows. Lanes beyond `end`
repeat the last state. Large programs are cut into functions of CHUNK operations that pass values through a scratch array,
because code generation grows faster than linearly with the length of a function.
"""

from dataclasses import dataclass

from gough.backends.llvm.driver import write_driver
from gough.backends.llvm.sincos import sincos
from gough.backends.llvm.writer import Writer
from gough.program.ops import Op
from gough.program.program import Program

CHUNK = 400
SPLIT_ABOVE = 3000
NOT_FINITE_BIT = 0
ARGUMENTS = "ptr %inputs, ptr %tile, ptr %results, ptr %mask, ptr %scratch"


@dataclass(frozen=True)
class Lowered:
    """IR text, and the check names behind the bits of the status word (bit 0: a result is not finite)."""

    ir: str
    bits: tuple[str, ...]


def lower(program: Program, lanes: int) -> Lowered:
    """IR of a program without blocks."""
    bits = ("not_finite:result", *dict.fromkeys(c.name for c in program.checks))
    groups = {name: min(k, 62) for k, name in enumerate(bits)}
    body = _Body(program, lanes, groups)
    chunks = _chunks(program)
    functions = [body.function(k, chunk) for k, chunk in enumerate(chunks)]
    driver = write_driver(program, lanes, len(chunks), len(body.scratch), ARGUMENTS)
    return Lowered("\n".join([*functions, driver, *sorted(body.declared)]), bits)


def _chunks(program: Program) -> list[range]:
    n = len(program.ops)
    if n <= SPLIT_ABOVE:
        return [range(n)]
    return [range(k, min(k + CHUNK, n)) for k in range(0, n, CHUNK)]


class _Body:
    """Writes the chunk functions  void chunk_k(inputs, strides, outputs, status, rows, scratch)."""

    def __init__(self, program: Program, lanes: int, groups: dict[str, int]) -> None:
        self.program, self.lanes, self.groups = program, lanes, groups
        self.declared: set[str] = set()
        self.slot_of: list[tuple[int, int]] = [
            (s, k) for s, slot in enumerate(program.inputs) for k in range(slot.size)
        ]
        self.results: dict[int, list[int]] = {}
        for position, node in enumerate(program.results):
            self.results.setdefault(node, []).append(position)
        self.checks: dict[int, list] = {}
        for check in program.checks:
            self.checks.setdefault(check.node, []).append(check)
        self.scratch: dict[int, int] = {}

    def function(self, number: int, chunk: range) -> str:
        w = Writer(self.lanes)
        program = self.program
        value: dict[int, str] = {}
        pairs: dict[int, tuple[str, str]] = {}
        self._status = "zeroinitializer"
        self._bases: dict[int, str] = {}
        for i in chunk:
            op, args = program.ops[i], program.args[i]
            if op == Op.CONST:
                value[i] = w.constant(args[0])
            elif op == Op.INPUT:
                pass
            else:
                x = [self._operand(w, k, value) for k in args]
                value[i] = self._operation(w, op, args, x, pairs)
            self._results(w, i, value)
        for i in chunk:
            if i in self.scratch_needed(chunk) and i in value and program.ops[i] > Op.CONST:
                k = self.scratch.setdefault(i, len(self.scratch))
                at = w.emit(f"getelementptr {w.T}, ptr %scratch, i64 {k}")
                w.do(f"store {w.T} {value[i]}, ptr {at}, align 8")
        if self._status != "zeroinitializer":
            old = w.emit(f"load {w.I}, ptr %status, align 8")
            w.do(f"store {w.I} {w.emit(f'or {w.I} {old}, {self._status}')}, ptr %status, align 8")
        self.declared |= w.declared
        head = f"define internal void @chunk_{number}({ARGUMENTS.replace('%mask', '%status')}) {{"
        return "\n".join([head, "entry:", *w.lines, "  ret void", "}"])

    def scratch_needed(self, chunk: range) -> set[int]:
        """Nodes of a chunk that later chunks read."""
        if not hasattr(self, "_later"):
            self._later: set[int] = set()
            chunks = _chunks(self.program)
            home = {i: c for c, chunk_ in enumerate(chunks) for i in chunk_}
            if len(chunks) > 1:
                for i in range(len(self.program.ops)):
                    self._later.update(k for k in self.program.operands(i) if home[k] != home[i])
        return self._later

    def _operand(self, w: Writer, i: int, value: dict[int, str]) -> str:
        if i in value:
            return value[i]
        op, args = self.program.ops[i], self.program.args[i]
        if op == Op.CONST:
            value[i] = w.constant(args[0])
        elif op == Op.INPUT:
            value[i] = self._load(w, args[0])
        else:
            at = w.emit(f"getelementptr {w.T}, ptr %scratch, i64 {self.scratch[i]}")
            value[i] = w.emit(f"load {w.T}, ptr {at}, align 8")
        return value[i]

    def _load(self, w: Writer, position: int) -> str:
        slot, k = self.slot_of[position]
        if self.program.inputs[slot].uniform:
            if slot not in self._bases:
                at = w.emit(f"getelementptr ptr, ptr %inputs, i64 {slot}")
                self._bases[slot] = w.emit(f"load ptr, ptr {at}, align 8")
            at = w.emit(f"getelementptr double, ptr {self._bases[slot]}, i64 {k}")
            return w.splat(w.emit(f"load double, ptr {at}, align 8"))
        at = w.emit(f"getelementptr {w.T}, ptr %tile, i64 {position}")
        return w.emit(f"load {w.T}, ptr {at}, align 8")

    def _results(self, w: Writer, i: int, value: dict[int, str]) -> None:
        if i not in self.results and i not in self.checks:
            return
        x = self._operand(w, i, value)
        for position in self.results.get(i, ()):
            at = w.emit(f"getelementptr {w.T}, ptr %results, i64 {position}")
            w.do(f"store {w.T} {x}, ptr {at}, align 8")
        if i in self.results:
            zero = w.binary("fmul", x, w.constant(0.0))
            self._flag(w, w.emit(f"fcmp uno {w.T} {zero}, {zero}"), NOT_FINITE_BIT)
        for check in self.checks.get(i, ()):
            self._flag(w, w.emit(f"fcmp ult {w.T} {x}, {w.constant(check.minimum)}"), self.groups[check.name])

    def _flag(self, w: Writer, bad: str, bit: int) -> None:
        flagged = w.emit(f"select {w.B} {bad}, {w.I} {w.integer(1 << bit)}, {w.I} zeroinitializer")
        self._status = flagged if self._status == "zeroinitializer" else w.emit(f"or {w.I} {self._status}, {flagged}")

    def _operation(self, w: Writer, op: int, args: tuple, x: list[str], pairs: dict[int, tuple[str, str]]) -> str:
        if op in (Op.ADD, Op.SUB, Op.MUL, Op.DIV):
            return w.binary({Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}[Op(op)], *x)
        if op == Op.NEG:
            return w.negate(*x)
        if op == Op.FMA:
            return w.fma(*x)
        if op == Op.FMS:
            return w.fma(x[0], x[1], w.negate(x[2]))
        if op == Op.FNMA:
            return w.fma(w.negate(x[0]), x[1], x[2])
        if op == Op.SQRT:
            return w.intrinsic("sqrt", *x)
        if op == Op.ABS:
            return w.intrinsic("fabs", *x)
        if op in (Op.SIN, Op.COS):
            if args[0] not in pairs:
                pairs[args[0]] = sincos(w, x[0])
            return pairs[args[0]][0 if op == Op.SIN else 1]
        if op == Op.ATAN2:
            return w.per_lane("atan2", *x)
        if op == Op.SELECT:
            positive = w.emit(f"fcmp ogt {w.T} {x[0]}, zeroinitializer")
            return w.emit(f"select {w.B} {positive}, {w.T} {x[1]}, {w.T} {x[2]}")
        if op == Op.SIGN:
            one = w.intrinsic("copysign", w.constant(1.0), x[0])
            zero = w.emit(f"fcmp ueq {w.T} {x[0]}, zeroinitializer")
            return w.emit(f"select {w.B} {zero}, {w.T} {x[0]}, {w.T} {one}")
        raise ValueError(f"operation {Op(op).name} cannot be lowered; expand blocks first")
