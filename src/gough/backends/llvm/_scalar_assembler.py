"""Bodies of one state at a time as assembly (AT&T) of scalars, for x86-64 with AVX and fused multiply-adds.

    void name(tile, results, mask, scratch, table)   rdi rsi rdx rcx r8, System V calling convention

LLVM takes 100 µs to choose, order and place an operation, its assembler 2 µs to write one down, and programs come in a good
order already: time loops of one run begin a good deal sooner, with the same operations and the same results to the last bit.
All numbers are scalars of 8 bytes, so any of them may be the memory operand of an instruction. Only the sixteen registers
that short encodings reach are used; what is spilled lies on the stack, found from rbp. eax counts the checks that fail.
"""

from gough.backends._stage_layout import FRAME, TABLE, TILE, Place, PlacedStage, StageLayout
from gough.backends.llvm._assembler import (
    FUSED,
    ONE_BIT,
    OTHER_BITS,
    PLAIN,
    SIGN_BIT,
    AssemblyBody,
    UsedNumbers,
    function,
)
from gough.backends.llvm._assembler_registers import Registers
from gough.program.ops import Op
from gough.program.program import NOT_FINITE, Program

_BITS = {Op.NEG: ("vxorpd", SIGN_BIT), Op.ABS: ("vandpd", OTHER_BITS)}
_OTHERS = {Op.SQRT, Op.RCP, Op.RSQRT, Op.QUADRANT_SIN, Op.QUADRANT_COS, Op.SELECT, Op.SIGN}
SCALAR_OPERATIONS = frozenset({Op.INPUT, Op.CONST, *PLAIN, *FUSED, *_BITS, *_OTHERS})
"""What can be written; a program with other operations is left to LLVM."""
_NEAR = 128
"""rbp stands so far behind the first spilled value: distances of one byte then reach twice as many."""


class _ScalarRegisters(Registers):
    prefix, count = "%xmm", 16

    def memory(self, value: int) -> tuple[str, bool]:
        op, args = self.program.ops[value], self.program.args[value]
        if op == Op.CONST:
            return self.number(args[0]), False
        if op != Op.INPUT:
            return f"{8 * self.slots[value] - _NEAR}(%rbp)", False
        return (self._entry(args[0]) if self._uniform[args[0]] else f"{8 * args[0]}(%rdi)"), False

    def _entry(self, what: float | int) -> str:
        return f"{8 * self.entry_number(what)}(%r8)"

    def store_line(self, register: int, address: str) -> str:
        return f"vmovsd %xmm{register}, {address}"

    def load_line(self, address: str, scalar: bool, register: int) -> str:
        return f"vmovsd {address}, %xmm{register}"


class _ScalarBody(AssemblyBody):
    suffix, name = "sd", "chunk_0"

    def _allocation(self) -> Registers:
        return _ScalarRegisters(self.program, self.lines)

    def run(self) -> tuple[str, list[float | int]]:
        """(text of chunk_0, table)."""
        self._write()
        text = function(self.name, [*self._enter(), *self.lines, *self._keep_status(), *self._leave()])
        return text, [what for _, what in self.registers.table.values()]

    def _enter(self) -> list[str]:
        room = 8 * self.registers.n_slots
        return ["pushq %rbp", f"subq ${room}, %rsp", f"leaq {_NEAR}(%rsp), %rbp", "xorl %eax, %eax"]

    def _leave(self) -> list[str]:
        return [f"addq ${8 * self.registers.n_slots}, %rsp", "popq %rbp", "retq"]

    def _keep_status(self) -> list[str]:
        """Bit 1 of the status word where a check has failed."""
        if not any(c.failure != NOT_FINITE for c in self.program.checks):
            return []
        return ["testl %eax, %eax", f"je passed_{self.name}", "orq $2, (%rdx)", f"passed_{self.name}:"]

    def _operation(self, i: int, op: Op, args: tuple[int, ...]) -> None:
        if op in FUSED:
            self._multiply_add(i, FUSED[op], args)
        elif op in PLAIN:
            self._plain(i, op, args)
        elif op in _BITS:
            name, number = _BITS[op]
            x, d = self._loaded(i, args)
            self._say(f"vmovsd {self.registers.number(number)}, {d}")
            self._say(f"{name} {x[0]}, {d}, {d}")
            self._done(i, args, d)
        else:
            self._several(i, op, args)

    def _loaded(self, i: int, args: tuple[int, ...]) -> tuple[list[str], str]:
        """(registers of all sources, that of the result, which is another one)."""
        r = self.registers
        for k in dict.fromkeys(args):
            r.load(k, i, args)
        return self._sources(args), f"%xmm{r.take(i, args)}"

    def _done(self, i: int, args: tuple[int, ...], d: str) -> None:
        self.registers.release(args, i)
        self.registers.of[i] = int(d.removeprefix("%xmm"))

    def _several(self, i: int, op: Op, args: tuple[int, ...]) -> None:
        r = self.registers
        x, d = self._loaded(i, args)
        if op == Op.RCP:
            self._say(f"vmovsd {r.number(1.0)}, {d}")
            self._say(f"vdivsd {x[0]}, {d}, {d}")
        elif op == Op.SQRT:
            self._say(f"vsqrtsd {x[0]}, {x[0]}, {d}")
        else:
            register = r.take(i, args)
            t = f"%xmm{register}"
            if op == Op.RSQRT:
                self._say(f"vsqrtsd {x[0]}, {x[0]}, {t}")
                self._say(f"vmovsd {r.number(1.0)}, {d}")
                self._say(f"vdivsd {t}, {d}, {d}")
            elif op == Op.SELECT:
                self._say(f"vxorpd {t}, {t}, {t}")
                self._say(f"vcmpsd $0x1e, {t}, {x[0]}, {t}")  # above 0, and no NaN
                self._say(f"vblendvpd {t}, {x[1]}, {x[2]}, {d}")
            elif op == Op.SIGN:  # 1 with the sign of x, and x itself where it is 0 or NaN
                self._say(f"vmovsd {r.number(SIGN_BIT)}, {d}")
                self._say(f"vandpd {x[0]}, {d}, {d}")
                self._say(f"vmovsd {r.number(1.0)}, {t}")
                self._say(f"vorpd {t}, {d}, {d}")
                self._say(f"vxorpd {t}, {t}, {t}")
                self._say(f"vcmpsd $0x0c, {t}, {x[0]}, {t}")
                self._say(f"vblendvpd {t}, {d}, {x[0]}, {d}")
            else:
                self._quadrant(op == Op.QUADRANT_COS, x, d, t)
            r.free.append(register)
        self._done(i, args, d)

    def _quadrant(self, cosine: bool, x: list[str], d: str, t: str) -> None:
        """Sine and cosine swapped by the last bit of x[0], and signed by the last but one."""
        first, second = (x[2], x[1]) if cosine else (x[1], x[2])
        self._say(f"vpsllq $63, {x[0]}, {t}")
        self._say(f"vblendvpd {t}, {second}, {first}, {d}")
        source = x[0]
        if cosine:
            self._say(f"vmovsd {self.registers.number(ONE_BIT)}, {t}")
            self._say(f"vpaddq {x[0]}, {t}, {t}")
            source = t
        self._say(f"vpsrlq $1, {source}, {t}")
        self._say(f"vpsllq $63, {t}, {t}")
        self._say(f"vxorpd {t}, {d}, {d}")

    def _stored_to(self, position: int) -> list[str]:
        return [f"{8 * position}(%rsi)"]

    def _uses_outside(self, i: int) -> None:
        if i not in self.results and i not in self.checks:
            return
        r = self.registers
        register = r.load(i, i, (i,))
        for position in self.results.get(i, ()):
            for address in self._stored_to(position):
                self._say(r.store_line(register, address))
        for check in self.checks.get(i, ()):
            self._say(f"vucomisd {r.number(check.minimum)}, %xmm{register}")  # carry: below, or NaN
            if check.failure == NOT_FINITE:
                self.tested += 1
                label = f"finite_{self.name}_{self.tested}"
                self.lines += [f"jae {label}", "orq $1, (%rdx)", f"{label}:"]
            else:
                self._say("adcl $0, %eax")
        if self.program.ops[i] <= Op.CONST:
            r.release((i,), i)


def write_scalar_function(program: Program) -> tuple[str, list[float | int]]:
    """(assembly of chunk_0, entries of its table: numbers, or positions of uniform inputs)."""
    return _ScalarBody(program).run()


# Stages: one function each, with a loop over the lanes inside. What differs from lane to lane is reached through a register
# of its own that moves on with every lane; r11 counts the lanes that are left.

_POINTER = {FRAME: "%rcx", TABLE: "%r8", TILE: "%rdi"}
_LANE_POINTER = {FRAME: ["%r9"], TABLE: ["%r10"], TILE: ["%rsi", "%rbx", "%r12", "%r13", "%r14"]}
_SAVED = ("%rbx", "%r12", "%r13", "%r14")


class _ScalarStageRegisters(_ScalarRegisters):
    """Inputs are where the layout has put them."""

    def __init__(self, program: Program, lines: list[str], stage: PlacedStage, numbers: UsedNumbers) -> None:
        super().__init__(program, lines)
        self.stage, self.numbers = stage, numbers
        spare = {space: list(names) for space, names in _LANE_POINTER.items()}
        self.lane: dict[tuple[str, int], str] = {(space, step): spare[space].pop(0) for space, step in stage.steps}

    def memory(self, value: int) -> tuple[str, bool]:
        if self.program.ops[value] != Op.INPUT:
            return super().memory(value)
        return self.address(self.stage.inputs[self.program.args[value][0]]), False

    def address(self, place: Place) -> str:
        """Text of a place's address."""
        register = self.lane[place.space, place.step] if place.step else _POINTER[place.space]
        return f"{8 * place.at}({register})"

    def number(self, x: float) -> str:
        return f"{8 * self.numbers.place(float(x))}(%r8)"


class _ScalarStage(_ScalarBody):
    registers: _ScalarStageRegisters

    def __init__(self, stage: PlacedStage, numbers: UsedNumbers, name: str) -> None:
        self.stage, self.numbers, self.name = stage, numbers, name
        super().__init__(stage.program)

    def _allocation(self) -> Registers:
        return _ScalarStageRegisters(self.program, self.lines, self.stage, self.numbers)

    def _stored_to(self, position: int) -> list[str]:
        return [self.registers.address(place) for place in self.stage.outputs[position]]

    def text(self) -> str:
        """The function."""
        self._write()
        lanes = self.registers.lane.items()
        saved = [r for _, r in lanes if r in _SAVED]
        head = [*(f"pushq {r}" for r in saved), *self._enter()]
        head += [f"movq {_POINTER[space]}, {r}" for (space, _), r in lanes]
        tail = [*self._keep_status(), *self._leave()]
        tail = [*tail[:-1], *(f"popq {r}" for r in reversed(saved)), tail[-1]]
        if self.stage.lanes == 1:
            return function(self.name, [*head, *self.lines, *tail])
        head += [f"movl ${self.stage.lanes}, %r11d", ".p2align 4", f"lanes_of_{self.name}:"]
        again = [f"addq ${8 * step}, {r}" for (_, step), r in lanes]
        again += ["decl %r11d", f"jnz lanes_of_{self.name}"]
        return function(self.name, [*head, *self.lines, *again, *tail])


def write_scalar_stages(layout: StageLayout, names: list[str]) -> tuple[str, list[float | int]]:
    """(assembly of all stages, entries of their table)."""
    numbers = UsedNumbers(layout.table, layout.singles)
    text = [_ScalarStage(stage, numbers, name).text() for name, stage in zip(names, layout.stages, strict=True)]
    return "\n".join(text), numbers.entries
