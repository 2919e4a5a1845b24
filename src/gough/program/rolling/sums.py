"""A program as a graph whose chains of sums are flat: the order of terms says nothing about lanes."""

from collections.abc import Sequence
from typing import Any

from gough.program.graph import ADD, CONST, NEG, SUB
from gough.program.ops import Op
from gough.program.program import Program

Term = tuple[int, int]
"""Sign and node."""


class FlatSums:
    """terms[i]: the signed terms of node i where it is a sum that is not part of another; live: nodes that are not inside
    such a sum; equal: {node: an older node of the same value}, for nodes that turn out to be written twice."""

    def __init__(self, program: Program) -> None:
        if any(op == Op.BLOCK for op in program.ops):
            raise ValueError("expand the blocks of a program before it is rolled")
        self.program = program
        self.ops, self.args = program.ops, program.args
        ops: Sequence[int] = self.ops
        args: Sequence[tuple[Any, ...]] = self.args
        uses = [0] * len(ops)
        for i, op in enumerate(ops):
            if op > CONST:
                for k in args[i]:
                    uses[k] += 1
        for i in (*program.results, *(c.node for c in program.checks)):
            uses[i] += 2
        inner = bytearray(len(ops))
        for i, op in enumerate(ops):
            if op in (ADD, SUB):
                operands: tuple[int, ...] = args[i]
                for k in operands:
                    below: int = args[k][0] if ops[k] == NEG else k
                    if uses[k] == 1 and ops[k] in (ADD, SUB):
                        inner[k] = 1
                    elif uses[k] == 1 and ops[k] == NEG and ops[below] in (ADD, SUB) and uses[below] == 1:
                        inner[k] = inner[below] = 1
        self.terms: dict[int, list[Term]] = {}
        for i, op in enumerate(ops):
            if op in (ADD, SUB) and not inner[i]:
                self.terms[i] = self._flatten(i, inner)
        self.live = [not inner[i] for i in range(len(ops))]
        self.equal: dict[int, int] = {}
        self._collect()

    def _flatten(self, root: int, inner: bytearray) -> list[Term]:
        ops, args = self.ops, self.args
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

    def operands(self, i: int) -> tuple[int, ...]:
        """Nodes that node i reads, the terms of a sum."""
        return self._operands[i]

    def signed_operands(self, i: int) -> list[Term]:
        """Operands of node i with their signs."""
        return self._signed[i]

    def merge(self, equal: dict[int, int]) -> None:
        """Read an older node of the same value in place of each node in `equal`."""
        self.equal = equal
        self._collect()

    def _collect(self) -> None:
        same, terms = self.equal, self.terms
        self._signed: list[list[Term]] = []
        for i, op in enumerate(self.ops):
            read = terms[i] if i in terms else [(1, k) for k in self.args[i]] if op > CONST else []
            self._signed.append([(s, same.get(k, k)) for s, k in read] if same else read)
        self._operands = [tuple(k for _, k in read) for read in self._signed]

    def ends(self) -> list[int]:
        """Nodes that results and checks read."""
        program = self.program
        return [self.equal.get(i, i) for i in (*program.results, *(c.node for c in program.checks))]

    def commutes(self, i: int) -> bool:
        """Whether the operands of node i may change places (with their signs)."""
        return i in self.terms or self.ops[i] == Op.MUL
