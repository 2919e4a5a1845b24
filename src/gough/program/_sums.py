"""Chains of sums of a program: sums that only one other sum reads are part of it, whatever the order of terms."""

from collections.abc import Sequence
from typing import Any

from gough.program.graph import ADD, CONST, NEG, SUB
from gough.program.ops import Op
from gough.program.program import Program

Term = tuple[int, int]
"""Sign and node."""


def count_uses(program: Program) -> list[int]:
    """How often each node is read; results and checks count twice, so that they are never taken apart."""
    uses = [0] * len(program.ops)
    for i, op in enumerate(program.ops):
        if op > CONST:
            for k in program.args[i] if op < Op.BLOCK else program.operands(i):
                uses[k] += 1
    for i in (*program.results, *(c.node for c in program.checks)):
        uses[i] += 2
    return uses


def inner_sums(program: Program, uses: Sequence[int]) -> bytearray:
    """1 for sums, and signs before them, that only one sum reads."""
    ops: Sequence[int] = program.ops
    args: Sequence[tuple[Any, ...]] = program.args
    inner = bytearray(len(ops))
    for i, op in enumerate(ops):
        if op in (ADD, SUB):
            operands: tuple[int, ...] = args[i]
            for k in operands:
                below: int = args[k][0] if ops[k] == NEG else k
                if uses[k] == 1 and ops[below] in (ADD, SUB) and uses[below] == 1:
                    inner[k] = inner[below] = 1
    return inner


def sum_terms(program: Program, root: int, inner: bytearray) -> list[Term]:
    """The signed terms of a sum, left to right."""
    ops, args = program.ops, program.args
    out: list[Term] = []
    stack = [(1, root)]
    while stack:
        sign, i = stack.pop()
        if i == root or inner[i]:
            if ops[i] == NEG:
                stack.append((-sign, args[i][0]))
            else:
                stack.append((sign if ops[i] == ADD else -sign, args[i][1]))
                stack.append((sign, args[i][0]))
        else:
            out.append((sign, i))
    return out
