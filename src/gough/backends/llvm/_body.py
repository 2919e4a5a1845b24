"""The body of a kernel: a program's operations on vectors, one state a lane.

Long programs are cut into functions of CHUNK operations that pass values through a scratch array, because code
generation grows faster than linearly with the length of a function.
Uniform inputs stand in a table, as scalars that are spread over the lanes.
"""

from collections.abc import Mapping

from gough.backends._stage_layout import FRAME, TABLE, Place, PlacedStage, StageLayout
from gough.backends.llvm._blocks import BlockBody, CallBody, Callee, Moving
from gough.backends.llvm._writer import ARGUMENTS, Writer, function_of
from gough.program.ops import Op
from gough.program.program import NOT_FINITE, Program

CHUNK = 400
SPLIT_ABOVE = 3000
_BINARY = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}


def chunks_of(program: Program) -> list[range]:
    """Ranges of nodes that become one function each."""
    n = len(program.ops)
    return [range(n)] if n <= SPLIT_ABOVE else [range(k, min(k + CHUNK, n)) for k in range(0, n, CHUNK)]


class VectorBody:
    """Writes the functions  void chunk_k(tile, results, mask, scratch, table).

    table: what the entries of the table are, a number or the position of a uniform input. calls: the functions a tile needs,
    in order; outputs: address and index of every result.
    """

    def __init__(self, program: Program, lanes: int, fused: bool) -> None:
        self.program, self.lanes, self.fused = program, lanes, fused
        self.declared: set[str] = set()
        self.table: list[float | int] = []
        self.scratch: dict[int, int] = {}
        self.first_scratch = 0
        self.arguments = ARGUMENTS
        self.chunks = chunks_of(program)
        self.calls = [f"chunk_{k}" for k in range(len(self.chunks))]
        self.outputs = [("%results", k) for k in range(len(program.results))]
        self._uniform = program.uniform_inputs().tolist()
        self._entry_of: dict[int, int] = {}
        self._results: dict[int, list[int]] = {}
        for position, node in enumerate(program.results):
            self._results.setdefault(node, []).append(position)
        self._checks: dict[int, list] = {}
        for check in program.checks:
            self._checks.setdefault(check.node, []).append(check)
        home = {i: c for c, chunk in enumerate(self.chunks) for i in chunk}
        self._later = {k for i in range(len(program.ops)) for k in program.operands(i) if home[k] != home[i]}

    @property
    def scratch_size(self) -> int:
        """Vectors that pass from chunk to chunk."""
        return self.first_scratch + len(self.scratch)

    def functions(self) -> list[str]:
        """Text of all chunks."""
        return [self._function(k, chunk) for k, chunk in enumerate(self.chunks)]

    def _function(self, number: int, chunk: range) -> str:
        w = Writer(self.lanes, self.fused)
        self._open(w)
        program = self.program
        value: dict[int, str] = {}
        self._bad: dict[int, str] = {}
        self._quarters: dict[int, tuple[str, str]] = {}
        for i in chunk:
            op, args = program.ops[i], program.args[i]
            if op > Op.CONST:
                value[i] = self._operation(w, op, args, [self._operand(w, k, value) for k in args])
                if i in self._later:
                    at = w.at("%scratch", self.first_scratch + self.scratch.setdefault(i, len(self.scratch)))
                    w.do(f"store {w.T} {value[i]}, ptr {at}, align {w.bytes}")
            if i in self._results:
                self._store(w, i, value)
            for check in self._checks.get(i, ()):
                x, least = self._operand(w, i, value), w.constant(check.minimum)
                self._flag(w, w.emit(f"fcmp ult {w.T} {x}, {least}"), 0 if check.failure == NOT_FINITE else 1)
        if self._bad:
            self._keep_status(w)
        self.declared |= w.declared
        return function_of(self.calls[number], self.arguments, w.lines)

    def _open(self, w: Writer) -> None:
        """What comes before the first operation of a function."""

    def _keep_status(self, w: Writer) -> None:
        status = w.emit(f"load {w.I}, ptr %mask, align {w.bytes}")
        for bit, bad in self._bad.items():
            flagged = w.emit(f"select {w.B} {bad}, {w.I} {w.integer(1 << bit)}, {w.I} zeroinitializer")
            status = w.emit(f"or {w.I} {status}, {flagged}")
        w.do(f"store {w.I} {status}, ptr %mask, align {w.bytes}")

    def _operand(self, w: Writer, i: int, value: dict[int, str]) -> str:
        if i not in value:
            op, args = self.program.ops[i], self.program.args[i]
            if op == Op.CONST:
                value[i] = w.constant(args[0])
            elif op == Op.INPUT:
                value[i] = self._input(w, args[0])
            else:
                value[i] = w.load("%scratch", self.first_scratch + self.scratch[i])
        return value[i]

    def _input(self, w: Writer, position: int) -> str:
        if not self._uniform[position]:
            return w.load("%tile", position)
        entry = self._entry_of.setdefault(position, len(self.table))
        if entry == len(self.table):
            self.table.append(position)
        at = w.emit(f"getelementptr double, ptr %table, i64 {entry}")
        return w.splat(w.emit(f"load double, ptr {at}, align 8, !invariant.load !0"))

    def _store(self, w: Writer, i: int, value: dict[int, str]) -> None:
        x = self._operand(w, i, value)
        for position in self._results[i]:
            w.do(f"store {w.T} {x}, ptr {w.at('%results', position)}, align {w.bytes}")

    def _flag(self, w: Writer, bad: str, bit: int) -> None:
        self._bad[bit] = bad if bit not in self._bad else w.emit(f"or {w.B} {self._bad[bit]}, {bad}")

    def _operation(self, w: Writer, op: int, args: tuple, x: list[str]) -> str:
        if op in _BINARY:
            return w.binary(_BINARY[Op(op)], *x)
        if op in (Op.FMA, Op.FMS, Op.FNMA, Op.FNMS):
            a = w.negate(x[0]) if op in (Op.FNMA, Op.FNMS) else x[0]
            return w.fma(a, x[1], w.negate(x[2]) if op in (Op.FMS, Op.FNMS) else x[2])
        if op == Op.NEG:
            return w.negate(*x)
        if op == Op.SQRT:
            return w.intrinsic("sqrt", *x)
        if op == Op.RCP:
            return w.binary("fdiv", w.constant(1.0), x[0])
        if op == Op.RSQRT:
            return w.binary("fdiv", w.constant(1.0), w.intrinsic("sqrt", *x))
        if op in (Op.RCP_SEED, Op.RSQRT_SEED):
            return w.seed("rcp14" if op == Op.RCP_SEED else "rsqrt14", x[0])
        if op in (Op.QUADRANT_SIN, Op.QUADRANT_COS):
            return self._quadrant(w, args[0], x, op == Op.QUADRANT_COS)
        if op == Op.ABS:
            return w.intrinsic("fabs", *x)
        if op == Op.ATAN2:
            return w.per_lane("atan2", *x)
        if op == Op.SELECT:
            positive = w.emit(f"fcmp ogt {w.T} {x[0]}, zeroinitializer")
            return w.emit(f"select {w.B} {positive}, {w.T} {x[1]}, {w.T} {x[2]}")
        if op == Op.SIGN:
            one = w.intrinsic("copysign", w.constant(1.0), x[0])
            zero = w.emit(f"fcmp ueq {w.T} {x[0]}, zeroinitializer")
            return w.emit(f"select {w.B} {zero}, {w.T} {x[0]}, {w.T} {one}")
        raise ValueError(f"operation {Op(op).name} has no instructions; lower the program first")

    def _quadrant(self, w: Writer, node: int, x: list[str], cosine: bool) -> str:
        """Swap and sign sine and cosine by the last two bits of t."""
        t, s, c = x
        if node not in self._quarters:
            bits = w.emit(f"bitcast {w.T} {t} to {w.I}")
            odd = w.emit(f"icmp ne {w.I} {w.emit(f'and {w.I} {bits}, {w.integer(1)}')}, zeroinitializer")
            self._quarters[node] = (bits, odd)
        bits, odd = self._quarters[node]
        if cosine:
            s, c = c, s
            bits = w.emit(f"add {w.I} {bits}, {w.integer(1)}")
        chosen = w.emit(f"select {w.B} {odd}, {w.T} {c}, {w.T} {s}")
        sign = w.emit(f"and {w.I} {w.emit(f'shl {w.I} {bits}, {w.integer(62)}')}, {w.integer(-(1 << 63))}")
        signed = w.emit(f"xor {w.I} {w.emit(f'bitcast {w.T} {chosen} to {w.I}')}, {sign}")
        return w.emit(f"bitcast {w.I} {signed} to {w.T}")


# The stages of a rolled program as functions; those of lanes run in a loop.
#
#     void chunk_s_k(tile, results, mask, scratch, table, lane)    operations of stage s, one lane
#     void stage_s(tile, results, mask, scratch, table)            calls them for every lane

_LANE_ARGUMENTS = f"{ARGUMENTS}, i64 %lane"


class StageBodies:
    """Functions of all stages; `calls`, `outputs`, `declared` and `scratch_size` are what the driver asks for."""

    def __init__(
        self,
        layout: StageLayout,
        lanes: int,
        fused: bool,
        prefix: str = "",
        callees: Mapping[int, Callee] | None = None,
    ) -> None:
        """prefix: of all names. callees: by the identity of what a stage calls."""
        self.lanes = lanes
        self.table: list[float | int] = list(layout.table)
        self.outputs = [("%scratch", place.at) for place in layout.results]
        self.calls = [f"{prefix}stage_{s}" for s in range(len(layout.stages))]
        self.bodies: list[_VectorStage | Moving] = []
        for s, stage in enumerate(layout.stages):
            place = (stage, lanes, fused, layout.frame)
            if stage.block is None:
                self.bodies.append(_VectorStage(f"{prefix}chunk_{s}", *place))
            elif callees and id(stage.block) in callees:
                self.bodies.append(CallBody(callees[id(stage.block)], self.calls[s], *place))
            else:
                self.bodies.append(BlockBody(self.calls[s], *place))
        self.declared: set[str] = set()

    @property
    def scratch_size(self) -> int:
        """Vectors of the frame, and of what passes from chunk to chunk."""
        return max(body.scratch_size for body in self.bodies)

    def functions(self) -> list[str]:
        """Text of all functions."""
        out = self.loops()
        for name, body in zip(self.calls, self.bodies, strict=True):
            if isinstance(body, _VectorStage):
                out += [*body.functions(), _loop(name, body)]
                self.declared |= body.declared
        return out

    def loops(self) -> list[str]:
        """Text of the functions of blocks and calls alone."""
        out = []
        for body in self.bodies:
            if isinstance(body, Moving):
                out += body.functions()
                self.declared |= body.declared
        return out


class _VectorStage(VectorBody):
    """One stage: its values that pass from chunk to chunk come after the frame."""

    def __init__(self, name: str, stage: PlacedStage, lanes: int, fused: bool, frame: int) -> None:
        super().__init__(stage.program, lanes, fused)
        self.stage, self.first_scratch = stage, frame
        self.calls = [f"{name}_{k}" for k in range(len(self.chunks))]
        self.arguments = _LANE_ARGUMENTS

    def _input(self, w: Writer, position: int) -> str:
        place = self.stage.inputs[position]
        if place.space != TABLE:
            return w.load(*self._address(place))
        base, k = self._address(place)
        at = w.emit(f"getelementptr double, ptr {base}, i64 {k}")
        return w.splat(w.emit(f"load double, ptr {at}, align 8, !invariant.load !0"))

    def _store(self, w: Writer, i: int, value: dict[int, str]) -> None:
        x = self._operand(w, i, value)
        for position in self._results[i]:
            for place in self.stage.outputs[position]:
                w.do(f"store {w.T} {x}, ptr {w.at(*self._address(place))}, align {w.bytes}")

    def _open(self, w: Writer) -> None:
        for space, step in self.stage.steps:
            far = w.emit(f"mul i64 %lane, {step}")
            kind = "double" if space == TABLE else w.T
            w.do(f"{_base(space, step)} = getelementptr {kind}, ptr {_base(space)}, i64 {far}")

    @staticmethod
    def _address(place: Place) -> tuple[str, int]:
        """Array and index; the lane's own part of the array where lanes differ."""
        return _base(place.space, place.step), place.at


def _base(space: str, step: int = 0) -> str:
    name = "%scratch" if space == FRAME else f"%{space}"
    return f"{name}.{step}".replace("-", "minus") if step else name


def _loop(name: str, body: _VectorStage) -> str:
    w = Writer(body.lanes)
    if body.stage.lanes == 1:
        for call in body.calls:
            w.do(f"call void @{call}({ARGUMENTS}, i64 0)")
    else:
        w.do("br label %each")
        w.label("each")
        w.do("%lane = phi i64 [ 0, %entry ], [ %lane.next, %each ]")
        for call in body.calls:
            w.do(f"call void @{call}({_LANE_ARGUMENTS})")
        w.do("%lane.next = add i64 %lane, 1")
        w.do(f"br i1 {w.emit(f'icmp slt i64 %lane.next, {body.stage.lanes}')}, label %each, label %done")
        w.label("done")
    return function_of(name, ARGUMENTS, w.lines)
