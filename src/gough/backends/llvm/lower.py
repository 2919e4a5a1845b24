"""Lowering a scalar program to LLVM IR: a loop over blocks of states, one state a lane.

The kernel is  void kernel(inputs, input_strides, outputs, status, begin, end)  with arrays of pointers to rows; row i of
input slot s starts at inputs[s] + i · input_strides[s] (doubles; 0 repeats one row). Lanes beyond `end` repeat the last
state. Large programs are cut into functions of CHUNK operations that pass values through a scratch array, because code
generation grows faster than linearly with the length of a function.
"""

from dataclasses import dataclass

from gough.backends.llvm.sincos import sincos
from gough.backends.llvm.writer import Writer
from gough.program.ops import Op
from gough.program.program import Program

CHUNK = 400
SPLIT_ABOVE = 3000
NOT_FINITE_BIT = 0
ARGUMENTS = "ptr %inputs, ptr %strides, ptr %outputs, ptr %mask, ptr %rows, ptr %scratch"


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
    return Lowered(
        "\n".join([*functions, _driver(lanes, len(chunks), len(body.scratch), program), *sorted(body.declared)]), bits
    )


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
        self.results: dict[int, list[tuple[int, int]]] = {}
        position = 0
        for s, slot in enumerate(program.outputs):
            for k in range(slot.size):
                self.results.setdefault(program.results[position], []).append((s, k))
                position += 1
        self.checks: dict[int, list] = {}
        for check in program.checks:
            self.checks.setdefault(check.node, []).append(check)
        self.scratch: dict[int, int] = {}

    def function(self, number: int, chunk: range) -> str:
        w = Writer(self.lanes)
        program = self.program
        value: dict[int, str] = {}
        pointers: dict[int, list[str]] = {}
        pairs: dict[int, tuple[str, str]] = {}
        self._status = "zeroinitializer"
        for i in chunk:
            op, args = program.ops[i], program.args[i]
            if op == Op.CONST:
                value[i] = w.constant(args[0])
            elif op == Op.INPUT:
                pass
            else:
                x = [self._operand(w, k, value, pointers) for k in args]
                value[i] = self._operation(w, op, args, x, pairs)
            self._results(w, i, value, pointers)
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

    def _operand(self, w: Writer, i: int, value: dict[int, str], pointers: dict[int, list[str]]) -> str:
        if i in value:
            return value[i]
        op, args = self.program.ops[i], self.program.args[i]
        if op == Op.CONST:
            value[i] = w.constant(args[0])
        elif op == Op.INPUT:
            value[i] = self._load(w, args[0], pointers)
        else:
            at = w.emit(f"getelementptr {w.T}, ptr %scratch, i64 {self.scratch[i]}")
            value[i] = w.emit(f"load {w.T}, ptr {at}, align 8")
        return value[i]

    def _rows(self, w: Writer, slot: int, pointers: dict[int, list[str]]) -> list[str]:
        if slot not in pointers:
            base = w.emit(f"load ptr, ptr {w.emit(f'getelementptr ptr, ptr %inputs, i64 {slot}')}, align 8")
            stride = w.emit(f"load i64, ptr {w.emit(f'getelementptr i64, ptr %strides, i64 {slot}')}, align 8")
            rows = []
            for lane in range(1 if self.program.inputs[slot].uniform else self.lanes):
                row = w.emit(f"load i64, ptr {w.emit(f'getelementptr i64, ptr %rows, i64 {lane}')}, align 8")
                rows.append(w.emit(f"getelementptr double, ptr {base}, i64 {w.emit(f'mul i64 {row}, {stride}')}"))
            pointers[slot] = rows
        return pointers[slot]

    def _load(self, w: Writer, position: int, pointers: dict[int, list[str]]) -> str:
        slot, k = self.slot_of[position]
        rows = self._rows(w, slot, pointers)
        scalars = [
            w.emit(f"load double, ptr {w.emit(f'getelementptr double, ptr {r}, i64 {k}')}, align 8") for r in rows
        ]
        if len(scalars) == 1:
            return w.splat(scalars[0])
        vector = "undef"
        for lane, scalar in enumerate(scalars):
            vector = w.emit(f"insertelement {w.T} {vector}, double {scalar}, i32 {lane}")
        return vector

    def _results(self, w: Writer, i: int, value: dict[int, str], pointers: dict[int, list[str]]) -> None:
        if i not in self.results and i not in self.checks:
            return
        x = self._operand(w, i, value, pointers)
        for slot, k in self.results.get(i, ()):
            size = self.program.outputs[slot].size
            base = w.emit(f"load ptr, ptr {w.emit(f'getelementptr ptr, ptr %outputs, i64 {slot}')}, align 8")
            for lane in range(self.lanes):
                row = w.emit(f"load i64, ptr {w.emit(f'getelementptr i64, ptr %rows, i64 {lane}')}, align 8")
                at = w.emit(f"add i64 {w.emit(f'mul i64 {row}, {size}')}, {k}")
                scalar = w.emit(f"extractelement {w.T} {x}, i32 {lane}")
                w.do(f"store double {scalar}, ptr {w.emit(f'getelementptr double, ptr {base}, i64 {at}')}, align 8")
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


def _driver(lanes: int, n_chunks: int, n_scratch: int, program: Program) -> str:
    T, I = f"<{lanes} x double>", f"<{lanes} x i64>"
    calls = "\n".join(f"  call void @chunk_{k}({ARGUMENTS})" for k in range(n_chunks))
    lines = [
        "define void @kernel(ptr %inputs, ptr %strides, ptr %outputs, ptr %status, i64 %begin, i64 %end) {",
        "entry:",
        f"  %scratch = alloca {T}, i64 {max(n_scratch, 1)}, align 64",
        f"  %rows = alloca i64, i64 {lanes}, align 64",
        f"  %mask = alloca {I}, align 64",
        "  %last = sub i64 %end, 1",
        "  br label %loop",
        "loop:",
        "  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]",
        f"  store {I} zeroinitializer, ptr %mask, align 64",
    ]
    for lane in range(lanes):
        lines += [
            f"  %a{lane} = add i64 %i, {lane}",
            f"  %c{lane} = icmp slt i64 %a{lane}, %last",
            f"  %r{lane} = select i1 %c{lane}, i64 %a{lane}, i64 %last",
            f"  %p{lane} = getelementptr i64, ptr %rows, i64 {lane}",
            f"  store i64 %r{lane}, ptr %p{lane}, align 8",
        ]
    lines += [calls, f"  %m = load {I}, ptr %mask, align 64"]
    for lane in range(lanes):
        lines += [
            f"  %s{lane} = extractelement {I} %m, i32 {lane}",
            f"  %q{lane} = getelementptr i64, ptr %status, i64 %r{lane}",
            f"  store i64 %s{lane}, ptr %q{lane}, align 8",
        ]
    lines += [
        f"  %next = add i64 %i, {lanes}",
        "  %more = icmp slt i64 %next, %end",
        "  br i1 %more, label %loop, label %done",
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines)
