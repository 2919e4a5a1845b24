"""Which values are in registers, and where the others are.

A value that must leave its register is the one used again latest (Belady); results go to slots on the stack, inputs and
numbers are where they always were. Nothing is moved before it has to be.
"""

import struct

from gough.program.ops import Op
from gough.program.program import Program

NEVER = 1 << 60
NEAR = 20
"""A memory operand used again within so many operations is worth a register."""


class Registers:
    """State of the allocation while a program is written; `lines` is the text so far. prefix, count: names of the registers, and
    how many there are."""

    prefix, count = "%zmm", 32

    def __init__(self, program: Program, lines: list[str]) -> None:
        self.program, self.lines = program, lines
        self.of: dict[int, int] = {}
        self.free = list(range(self.count - 1, -1, -1))
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
        return f"{self.prefix}{self.of[value]}"

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
        return f"{8 * self.entry_number(what) - 1024}(%r8)"

    def entry_number(self, what: float | int) -> int:
        """Place in the table of a number, or of the uniform input at a position."""
        key = b"input %d" % what if isinstance(what, int) else struct.pack("<d", what)
        return self.table.setdefault(key, (len(self.table), what))[0]

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
        all_uses = self._uses
        for value in self.of:
            if value not in pinned:
                uses = all_uses[value]
                while uses and uses[-1] < now:
                    uses.pop()
                use = uses[-1] if uses else NEVER
                if use > worst or (use == worst and self._clean(value)):
                    last, worst = value, use
        register = self.of.pop(last)
        if worst < NEVER and not self._clean(last):
            self.slots[last] = self._free_slots.pop() if self._free_slots else self.n_slots
            self.n_slots = max(self.n_slots, self.slots[last] + 1)
            self.lines.append(self.store_line(register, self.memory(last)[0]))
        return register

    def load(self, value: int, now: int, pinned: tuple[int, ...]) -> int:
        """Bring a value into a register."""
        if value not in self.of:
            address, scalar = self.memory(value)
            register = self.take(now, pinned)
            self.lines.append(self.load_line(address, scalar, register))
            self.of[value] = register
        return self.of[value]

    def store_line(self, register: int, address: str) -> str:
        """The instruction that writes a register to memory."""
        return f"vmovapd %zmm{register}, {address}"

    def load_line(self, address: str, scalar: bool, register: int) -> str:
        """The instruction that reads a register from memory. scalar: a number that is spread over the lanes."""
        return f"{'vbroadcastsd' if scalar else 'vmovapd'} {address}, %zmm{register}"

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
