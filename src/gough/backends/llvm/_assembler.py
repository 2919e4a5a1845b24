"""The body of a kernel as AVX-512 assembly (AT&T), eight states a register.

    void chunk_0(tile, results, mask, scratch, table)   rdi rsi rdx rcx r8, System V calling convention

Instructions come in the order of the program; one source of each may be memory. A multiply-add overwrites one of its
sources: one that is not needed later, else a fresh copy. k2 keeps the lanes whose results are finite, k3 … k6 those that
pass their checks (four, so that none waits for the last).
"""

import struct

from gough.backends._stage_layout import FRAME, TABLE, TILE, Place, PlacedStage, StageLayout
from gough.backends.llvm._assembler_registers import NEVER, Registers
from gough.program.ops import Op
from gough.program.program import NOT_FINITE, Program

PLAIN = {Op.ADD: "vadd", Op.MUL: "vmul", Op.SUB: "vsub", Op.DIV: "vdiv"}
_UNARY = {Op.SQRT: "vsqrtpd", Op.RCP_SEED: "vrcp14pd", Op.RSQRT_SEED: "vrsqrt14pd"}
FUSED = {Op.FMA: "vfmadd", Op.FMS: "vfmsub", Op.FNMA: "vfnmadd", Op.FNMS: "vfnmsub"}
_FINITE, _PASSED = 2, (3, 4, 5, 6)
NONE_FAILED = [f"kxnorw %k{k}, %k{k}, %k{k}" for k in (_FINITE, *_PASSED)]
LEAVE = ["movq %rbp, %rsp", "popq %rbp", "vzeroupper", "retq"]
SIGN_BIT, ONE_BIT = -0.0, 5e-324
(OTHER_BITS,) = struct.unpack("<d", struct.pack("<q", (1 << 63) - 1))
_BITS = {Op.NEG: ("vpxorq", SIGN_BIT), Op.ABS: ("vpandq", OTHER_BITS)}
_OTHERS = {Op.QUADRANT_SIN, Op.QUADRANT_COS, Op.SELECT, Op.SIGN}
AVX512_OPERATIONS = frozenset({Op.INPUT, Op.CONST, *PLAIN, *_UNARY, *FUSED, *_BITS, *_OTHERS})
"""What can be written; a program with other operations is left to LLVM."""


def write_function(program: Program) -> tuple[str, list[float | int]]:
    """(assembly of chunk_0, entries of its table: numbers, or positions of uniform inputs)."""
    return AssemblyBody(program).run()


def function(name: str, lines: list[str]) -> str:
    """Text of a function that other modules may call."""
    return "\n".join([".text", ".p2align 6", f".globl {name}", f"{name}:", *lines])


class AssemblyBody:
    """Writes the operations of a program. suffix: of arithmetic instructions."""

    suffix = "pd"

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.registers: Registers = self._allocation()
        self.results: dict[int, list[int]] = {}
        for position, node in enumerate(program.results):
            self.results.setdefault(node, []).append(position)
        self.tested = 0
        self.checks: dict[int, list] = {}
        for check in program.checks:
            self.checks.setdefault(check.node, []).append(check)

    def _allocation(self) -> Registers:
        return Registers(self.program, self.lines)

    def run(self) -> tuple[str, list[float | int]]:
        """(text of chunk_0, table)."""
        self._write()
        head = [*self._enter(), "leaq 8192(%rsp), %rax", "addq $1024, %r8", *NONE_FAILED]
        tail = [*self._status(), "vmovdqa64 %zmm0, (%rdx)", *LEAVE]
        return function("chunk_0", [*head, *self.lines, *tail]), [what for _, what in self.registers.table.values()]

    def _write(self) -> None:
        """The operations, into `lines`."""
        program, r = self.program, self.registers
        for i, op in enumerate(program.ops):
            r.begin()
            if op > Op.CONST:
                self._operation(i, Op(op), program.args[i])
            self._uses_outside(i)
            if op > Op.CONST:
                r.release((i,), i)

    def _enter(self) -> list[str]:
        """Room for spilled values, on a boundary of vectors."""
        return ["pushq %rbp", "movq %rsp, %rbp", "andq $-64, %rsp", f"subq ${64 * self.registers.n_slots}, %rsp"]

    def _status(self) -> list[str]:
        """The status words in zmm0."""
        r = self.registers
        return [
            *(f"kandw %k{k}, %k{_PASSED[0]}, %k{_PASSED[0]}" for k in _PASSED[1:]),
            *(f"knotw %k{k}, %k{k}" for k in (_FINITE, _PASSED[0])),
            f"vpbroadcastq {r.number(ONE_BIT)}, %zmm0{{%k{_FINITE}}}{{z}}",
            f"vpbroadcastq {r.number(2 * ONE_BIT)}, %zmm1{{%k{_PASSED[0]}}}{{z}}",
            "vporq %zmm0, %zmm1, %zmm0",
        ]

    def _operation(self, i: int, op: Op, args: tuple[int, ...]) -> None:
        if op in FUSED:
            self._multiply_add(i, FUSED[op], args)
        elif op in PLAIN:
            self._plain(i, op, args)
        elif op in _UNARY:
            (x,), d = self._sources(args), self._target(i, args)
            self._say(f"{_UNARY[op]} {x}, {d}")
        elif op in _BITS:
            name, number = _BITS[op]
            self.registers.load(args[0], i, args)
            (x,), d = self._sources(args), self._target(i, args)
            self._say(f"{name} {self.registers.number(number)}{{1to8}}, {x}, {d}")
        else:
            self._several(i, op, args)

    def _say(self, line: str) -> None:
        self.lines.append(line)

    def _sources(self, args: tuple[int, ...]) -> list[str]:
        return [self.registers.operand(k) for k in args]

    def _target(self, i: int, args: tuple[int, ...]) -> str:
        """Register of the result, which may be that of a source that dies here."""
        r = self.registers
        alive = tuple(k for k in args if k in r.of and r.next_use(k, i) < NEVER)
        r.release(args, i)
        r.of[i] = r.take(i, alive)
        return r.name(i)

    def _memory_operand(self, i: int, args: tuple[int, ...], allowed: tuple[int, ...]) -> None:
        """Load the sources that are not in registers but one, which may stay in memory."""
        r = self.registers
        missing = [k for k in dict.fromkeys(args) if k not in r.of]
        able = [k for k in missing if k in allowed and args.count(k) == 1]
        if able:
            stays = max(able, key=lambda k: r.next_use(k, i))
            if not r.worth_a_register(stays, i, args):
                missing.remove(stays)
        for k in missing:
            r.load(k, i, args)

    def _plain(self, i: int, op: Op, args: tuple[int, ...]) -> None:
        a, b = args
        commutes = op in (Op.ADD, Op.MUL)
        self._memory_operand(i, args, args if commutes else (b,))
        if commutes and a not in self.registers.of:
            a, b = b, a
        (x, y), d = self._sources((a, b)), self._target(i, args)
        self._say(f"{PLAIN[op]}{self.suffix} {y}, {x}, {d}")

    def _multiply_add(self, i: int, name: str, args: tuple[int, ...]) -> None:
        r = self.registers
        a, b, c = args
        self._memory_operand(i, args, args)
        dying = [k for k in (c, a, b) if k in r.of and args.count(k) == 1 and r.next_use(k, i) == NEVER]
        if dying:
            over = dying[0]
            register = r.of[over]
        else:  # a copy is overwritten: of what is in memory anyway, else of the addend
            outside = [k for k in args if k not in r.of]
            over = outside[0] if outside else c
            register = r.take(i, args)
            if outside:
                address, scalar = r.memory(over)
                self._say(r.load_line(address, scalar, register))
            else:
                self._say(f"vmovapd {r.name(over)}, {r.prefix}{register}")
        d = f"{r.prefix}{register}"
        if over == c and c not in (a, b):
            x, y = (b, a) if a not in r.of else (a, b)
            self._say(f"{name}231{self.suffix} {r.operand(y)}, {r.operand(x)}, {d}")
        else:
            other = b if over == a else a
            x = d if other == over else r.operand(other)
            z = d if c == over else r.operand(c)
            if other != over and other not in r.of:
                self._say(f"{name}132{self.suffix} {x}, {z}, {d}")
            else:
                self._say(f"{name}213{self.suffix} {z}, {x}, {d}")
        if dying:
            del r.of[over]
        r.release(args, i)
        r.of[i] = register

    def _several(self, i: int, op: Op, args: tuple[int, ...]) -> None:
        """Operations of several instructions: all sources in registers, the result in one of its own."""
        r = self.registers
        for k in dict.fromkeys(args):
            r.load(k, i, args)
        x = self._sources(args)
        register = r.take(i, args)
        d = f"%zmm{register}"
        if op in (Op.QUADRANT_SIN, Op.QUADRANT_COS):
            cosine = op == Op.QUADRANT_COS
            one = r.number(ONE_BIT) + "{1to8}"
            self._say(f"vptestmq {one}, {x[0]}, %k1")
            first, second = (x[2], x[1]) if cosine else (x[1], x[2])
            temporary = r.take(i, (*args, i))
            t = f"%zmm{temporary}"
            self._say(f"vblendmpd {second}, {first}, {d}{{%k1}}")
            source = x[0]
            if cosine:
                self._say(f"vpaddq {one}, {x[0]}, {t}")
                source = t
            self._say(f"vpsllq $62, {source}, {t}")
            self._say(f"vpternlogq $0x78, {r.number(SIGN_BIT)}{{1to8}}, {t}, {d}")
            r.free.append(temporary)
        elif op == Op.SELECT:
            self._say(f"vpxorq {d}, {d}, {d}")
            self._say(f"vcmppd $0x1e, {d}, {x[0]}, %k1")
            self._say(f"vblendmpd {x[1]}, {x[2]}, {d}{{%k1}}")
        else:  # SIGN: 1 with the sign of x, and x itself where it is 0 or NaN
            self._say(f"vpxorq {d}, {d}, {d}")
            self._say(f"vcmppd $0x08, {d}, {x[0]}, %k1")
            self._say(f"vbroadcastsd {r.number(1.0)}, {d}")
            self._say(f"vpternlogq $0xf8, {r.number(SIGN_BIT)}{{1to8}}, {x[0]}, {d}")
            self._say(f"vmovapd {x[0]}, {d}{{%k1}}")
        r.release(args, i)
        r.of[i] = register

    def _stored_to(self, position: int) -> list[str]:
        """Where a result goes."""
        return [f"{64 * position}(%rsi)"]

    def _uses_outside(self, i: int) -> None:
        """Store results and test checks as soon as their value is there."""
        if i not in self.results and i not in self.checks:
            return
        r = self.registers
        register = r.load(i, i, (i,))
        for position in self.results.get(i, ()):
            for address in self._stored_to(position):
                self._say(f"vmovapd %zmm{register}, {address}")
        for check in self.checks.get(i, ()):
            mask = _FINITE if check.failure == NOT_FINITE else _PASSED[self.tested % len(_PASSED)]
            self.tested += 1
            least = r.number(check.minimum)
            self._say(f"vcmppd $0x1d, {least}{{1to8}}, %zmm{register}, %k{mask}{{%k{mask}}}")
        if self.program.ops[i] <= Op.CONST:
            r.release((i,), i)


# Stages of a rolled program as AVX-512 assembly: one function each, with a loop over the lanes inside.
#
#     void stage_s(tile, results, mask, scratch, table)
#
# What differs from lane to lane is reached through a register of its own that moves on with every lane: r9 for the frame,
# r10 for the table, others for inputs in the tile; r11 counts the lanes that are left.

_POINTER = {FRAME: "%rcx", TABLE: "%r8", TILE: "%rdi"}
_LANE_POINTER = {FRAME: ["%r9"], TABLE: ["%r10"], TILE: ["%rsi", "%rbx", "%r12", "%r13", "%r14"]}
_SAVED = ("%rbx", "%r12", "%r13", "%r14")
_WIDTH = {FRAME: 64, TABLE: 8, TILE: 64}
_NEAR = {FRAME: 8192, TABLE: 1024, TILE: 0}
"""Pointers stand so far behind the first place they reach: distances of one byte then reach twice as many."""


class UsedNumbers:
    """The table of all stages, which grows as numbers are met; entries from `singles` on are the same in all lanes."""

    def __init__(self, first: tuple[float | int, ...], singles: int) -> None:
        self.entries, self.singles = list(first), singles
        self.places: dict[bytes, int] = {}

    def place(self, x: float) -> int:
        """Index of a number."""
        key = struct.pack("<d", x)
        if key not in self.places:
            self.places[key] = len(self.entries)
            self.entries.append(x)
        return self.places[key]


class _StageRegisters(Registers):
    """Inputs are where the layout has put them."""

    def __init__(self, program: Program, lines: list[str], stage: PlacedStage, numbers: UsedNumbers) -> None:
        super().__init__(program, lines)
        self.stage, self.numbers = stage, numbers
        self.lane: dict[tuple[str, int], tuple[str, int]] = {}  # (space, step): register, first place it reaches
        spare = {space: list(names) for space, names in _LANE_POINTER.items()}
        places = (*stage.inputs, *(p for places in stage.outputs for p in places))
        for space, step in stage.steps:
            first = min(p.at for p in places if (p.space, p.step) == (space, step))
            self.lane[space, step] = spare[space].pop(0), first

    def memory(self, value: int) -> tuple[str, bool]:
        if self.program.ops[value] != Op.INPUT:
            return super().memory(value)
        place = self.stage.inputs[self.program.args[value][0]]
        return self.address(place), place.space == TABLE

    def address(self, place: Place) -> str:
        """Text of a place's address."""
        register, first = _POINTER[place.space], self.numbers.singles if place.space == TABLE else 0
        if place.step:
            register, first = self.lane[place.space, place.step]
        return f"{_WIDTH[place.space] * (place.at - first) - _NEAR[place.space]}({register})"

    def number(self, x: float) -> str:
        return self.address(Place(TABLE, self.numbers.place(float(x))))


class _AssemblyStage(AssemblyBody):
    registers: _StageRegisters

    def __init__(self, stage: PlacedStage, numbers: UsedNumbers) -> None:
        self.stage, self.numbers = stage, numbers
        super().__init__(stage.program)

    def _allocation(self) -> Registers:
        return _StageRegisters(self.program, self.lines, self.stage, self.numbers)

    def _stored_to(self, position: int) -> list[str]:
        return [self.registers.address(place) for place in self.stage.outputs[position]]

    def text(self, name: str) -> str:
        """The function."""
        self._write()
        lanes = self.registers.lane.items()
        saved = [r for _, (r, _) in lanes if r in _SAVED]
        head = [*(f"pushq {r}" for r in saved), *self._enter(), "leaq 8192(%rsp), %rax"]
        head += [f"addq ${_NEAR[space]}, {_POINTER[space]}" for space in (FRAME, TABLE)]
        head += [f"leaq {_WIDTH[space] * first}({_POINTER[space]}), {r}" for (space, _), (r, first) in lanes]
        head.append(f"addq ${_WIDTH[TABLE] * self.registers.numbers.singles}, {_POINTER[TABLE]}")
        again: list[str] = []
        if self.stage.lanes > 1:
            head.append(f"movl ${self.stage.lanes}, %r11d")
            again = [f"addq ${_WIDTH[space] * step}, {r}" for (space, step), (r, _) in lanes]
            again += ["decl %r11d", f"jnz lanes_of_{name}"]
        checked = [*self._status(), "vporq (%rdx), %zmm0, %zmm0", "vmovdqa64 %zmm0, (%rdx)"] if self.checks else []
        leave = [*LEAVE[:2], *(f"popq {r}" for r in reversed(saved)), *LEAVE[2:]]
        body = [*NONE_FAILED, ".p2align 4", f"lanes_of_{name}:", *self.lines, *again]
        return function(name, [*head, *body, *checked, *leave])


def write_stages(layout: StageLayout, names: list[str]) -> tuple[str, list[float | int]]:
    """(assembly of all stages, entries of their table)."""
    numbers = UsedNumbers(layout.table, layout.singles)
    text = [_AssemblyStage(stage, numbers).text(name) for name, stage in zip(names, layout.stages, strict=True)]
    return "\n".join(text), numbers.entries
