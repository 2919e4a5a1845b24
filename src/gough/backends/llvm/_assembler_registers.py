"""Which values are in registers, and where the others are.

A value that must leave its register is the one used again latest (Belady); results go to slots on the stack, inputs and
numbers are where they always were. Nothing is moved before it has to be.
"""

import struct

from gough.program.ops import Op
from gough.program.program import Program

REGISTERS = 32
NEVER = 1 << 60
NEAR = 20
"""A memory operand used again within so many operations is worth a register."""


class Registers:
    """State of the allocation while a program is written; `lines` is the text so far."""

    def __init__(self, program: Program, lines: list[str]) -> None:
        self.program, self.lines = program, lines
        self.of: dict[int, int] = {}
        self.free = list(range(REGISTERS - 1, -1, -1))
        self.slots: dict[int, int] = {}
        self.n_slots = 0
        self.table: dict[bytes, tuple[int, float | int]] = {}
        self._free_slots: list[int] = []
        self._read_last: list[int] = []
        self._uniform = program.uniform_inputs().tolist()
        self._uses: list[list[int]] = [[] for _ in program.ops]
        for i in range(len(program.ops) - 1, -1, -1):
            for k in dict.fromkeys(program.operands(i)):
                self._uses[k].append(i)

    def begin(self) -> None:
        """Start an operation: slots that the one before read for the last time may be written."""
        self._free_slots += self._read_last
        self._read_last = []

    def next_use(self, value: int, now: int) -> int:
        """The operation after `now` that reads a value."""
        uses = self._uses[value]
        while uses and uses[-1] <= now:
            uses.pop()
        return uses[-1] if uses else NEVER

    def name(self, value: int) -> str:
        """Register of a value that is in one."""
        return f"%zmm{self.of[value]}"

    def memory(self, value: int) -> tuple[str, bool]:
        """(address of a value that is not in a register, whether it is a scalar to be spread over the lanes)."""
        op, args = self.program.ops[value], self.program.args[value]
        if op == Op.CONST:
            return self.number(args[0]), True
        if op != Op.INPUT:
            return f"{64 * self.slots[value] - 8192}(%rax)", False
        if self._uniform[args[0]]:
            return self._entry(args[0]), True
        return f"{64 * args[0]}(%rdi)", False

    def number(self, x: float) -> str:
        """Address of a number."""
        return self._entry(float(x))

    def _entry(self, what: float | int) -> str:
        key = b"input %d" % what if isinstance(what, int) else struct.pack("<d", what)
        return f"{8 * self.table.setdefault(key, (len(self.table), what))[0] - 1024}(%r8)"

    def operand(self, value: int) -> str:
        """A value as the last source of an instruction: a register, an address, or a spread scalar."""
        if value in self.of:
            return self.name(value)
        address, scalar = self.memory(value)
        return address + "{1to8}" if scalar else address

    def take(self, now: int, pinned: tuple[int, ...]) -> int:
        """A register to write, freed of what it held if need be; those of `pinned` values are not touched."""
        if self.free:
            return self.free.pop()
        last, worst = -1, -1
        for value in self.of:
            if value not in pinned:
                use = self.next_use(value, now - 1)
                if use > worst or (use == worst and self._clean(value)):
                    last, worst = value, use
        register = self.of.pop(last)
        if worst < NEVER and not self._clean(last):
            self.slots[last] = self._free_slots.pop() if self._free_slots else self.n_slots
            self.n_slots = max(self.n_slots, self.slots[last] + 1)
            self.lines.append(f"vmovapd %zmm{register}, {self.memory(last)[0]}")
        return register

    def load(self, value: int, now: int, pinned: tuple[int, ...]) -> int:
        """Bring a value into a register."""
        if value not in self.of:
            address, scalar = self.memory(value)
            register = self.take(now, pinned)
            self.lines.append(f"{'vbroadcastsd' if scalar else 'vmovapd'} {address}, %zmm{register}")
            self.of[value] = register
        return self.of[value]

    def worth_a_register(self, value: int, now: int, pinned: tuple[int, ...]) -> bool:
        """Whether a memory operand should be loaded: it is used again soon, and a register is free or held for longer."""
        use = self.next_use(value, now)
        if use - now > NEAR:
            return False
        return bool(self.free) or any(self.next_use(v, now) > use + NEAR for v in self.of if v not in pinned)

    def release(self, values: tuple[int, ...], now: int) -> None:
        """Forget values that nothing reads any more."""
        for value in values:
            if self.next_use(value, now) == NEVER:
                if value in self.of:
                    self.free.append(self.of.pop(value))
                slot = self.slots.pop(value, None)
                if slot is not None:
                    self._read_last.append(slot)

    def _clean(self, value: int) -> bool:
        return self.program.ops[value] <= Op.CONST or value in self.slots
