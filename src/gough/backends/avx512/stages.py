"""Stages of a rolled program as AVX-512 assembly: one function each, with a loop over the lanes inside.

    void stage_s(tile, results, mask, scratch, table)

What differs from lane to lane is reached through a register of its own that moves on with every lane: r9 for the frame,
r10 for the table, others for inputs in the tile; r11 counts the lanes that are left.
"""

import struct

from gough.backends.avx512.body import LEAVE, NONE_FAILED, Body, function
from gough.backends.avx512.registers import Registers
from gough.backends.stage_layout import FRAME, TABLE, TILE, Layout, Place, PlacedStage
from gough.program.ops import Op
from gough.program.program import Program

_POINTER = {FRAME: "%rcx", TABLE: "%r8", TILE: "%rdi"}
_LANE_POINTER = {FRAME: ["%r9"], TABLE: ["%r10"], TILE: ["%rsi", "%rbx", "%r12", "%r13", "%r14"]}
_SAVED = ("%rbx", "%r12", "%r13", "%r14")
_WIDTH = {FRAME: 64, TABLE: 8, TILE: 64}
_NEAR = {FRAME: 8192, TABLE: 1024, TILE: 0}
"""Pointers stand so far behind the first place they reach: distances of one byte then reach twice as many."""


class Numbers:
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

    def __init__(self, program: Program, lines: list[str], stage: PlacedStage, numbers: Numbers) -> None:
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


class _StageBody(Body):
    def __init__(self, stage: PlacedStage, numbers: Numbers) -> None:
        super().__init__(stage.program)
        self.stage = stage
        self.registers: _StageRegisters = _StageRegisters(stage.program, self.lines, stage, numbers)

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


def write_stages(layout: Layout, names: list[str]) -> tuple[str, list[float | int]]:
    """(assembly of all stages, entries of their table)."""
    numbers = Numbers(layout.table, layout.singles)
    text = [_StageBody(stage, numbers).text(name) for name, stage in zip(names, layout.stages, strict=True)]
    return "\n".join(text), numbers.entries
