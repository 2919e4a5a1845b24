"""The recording graph: every node is stored once, simplified as it is made.

Folding rules are exact in real arithmetic and never add work: constants fold, 0 and 1 vanish, minus signs travel
outwards (a unary minus is free by the counting rules), `a - b` and `b - a` are one node and its negative, constant
factors merge, common factors of a fraction cancel. Equal nodes are found by their key, so common subexpressions are
shared while recording.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gough.errors import Failure
from gough.program.ops import Block, Op
from gough.scalar.remarks import current_note

# Plain numbers: members of an enumeration take several times as long to look up and to compare.
INPUT, CONST, ADD, SUB, MUL, DIV, NEG = range(Op.INPUT, Op.NEG + 1)
SQRT, SIN, COS, ATAN2, ABS, SIGN, SELECT, ROUND = range(Op.SQRT, Op.ROUND + 1)
BLOCK, ITEM = range(Op.BLOCK, Op.ITEM + 1)

_UNARY: dict[int, Callable[[float], float]] = {SQRT: math.sqrt, SIN: math.sin, COS: math.cos}


class Graph:
    """Nodes as parallel lists: `ops[i]`, `args[i]` (operand nodes, or the payload of a leaf), `notes[i]`.

    `note` overrides the note of new nodes (passes copy notes); None takes the note that surrounds the recording.
    `radii[i]` is the node of √(x² + y²) of an arc tangent i, where the equations know it.
    """

    __slots__ = ("args", "blocks", "checks", "note", "notes", "ops", "radii", "table", "zero")

    def __init__(self) -> None:
        self.ops: list[int] = []
        self.args: list[tuple[Any, ...]] = []
        self.notes: list[str] = []
        self.note: str | None = None
        self.table: dict[tuple, int] = {}
        self.zero = False  # whether the number zero is a node
        self.blocks: dict[int, Block] = {}
        self.checks: list[tuple[Failure, int, float]] = []
        self.radii: dict[int, int] = {}

    def raw(self, *key) -> int:
        """The node with this key (operation, operands…), made when new."""
        table = self.table
        i = table.get(key)
        if i is None:
            i = table[key] = len(self.ops)
            self.ops.append(key[0])
            self.args.append(key[1:])
            self.notes.append(current_note() if self.note is None else self.note)
        return i

    def const(self, value: float) -> int:
        """A constant; -0.0 is 0.0."""
        value = float(value) + 0.0
        if value == 0.0:
            self.zero = True
        return self.raw(CONST, value)

    def add(self, a: int, b: int) -> int:
        """a + b."""
        ops, args = self.ops, self.args
        if ops[a] == CONST:
            if ops[b] == CONST:
                return self.const(args[a][0] + args[b][0])
            if args[a][0] == 0.0:
                return b
        elif ops[b] == CONST and args[b][0] == 0.0:
            return a
        if a == b:
            return self.mul(self.const(2.0), a)
        if ops[b] == NEG:
            return self.sub(a, args[b][0])
        if ops[a] == NEG:
            return self.sub(b, args[a][0])
        return self.raw(ADD, a, b) if a <= b else self.raw(ADD, b, a)

    def sub(self, a: int, b: int) -> int:
        """a - b."""
        ops, args = self.ops, self.args
        if a == b:
            return self.const(0.0)
        if ops[b] == CONST:
            if ops[a] == CONST:
                return self.const(args[a][0] - args[b][0])
            if args[b][0] == 0.0:
                return a
        if ops[a] == CONST and args[a][0] == 0.0:
            return self.neg(b)
        if ops[b] == NEG:
            return self.add(a, args[b][0])
        if ops[a] == NEG:
            return self.neg(self.add(args[a][0], b))
        swapped = self.table.get((SUB, b, a))
        if swapped is not None:
            return self.neg(swapped)
        return self.raw(SUB, a, b)

    def neg(self, a: int) -> int:
        """Minus a; the minus of a number or of another minus is no operation."""
        op = self.ops[a]
        if op == CONST:
            return self.const(-self.args[a][0])
        if op == NEG:
            return self.args[a][0]
        return self.raw(NEG, a)

    def mul(self, a: int, b: int) -> int:
        """a b."""
        ops, args = self.ops, self.args
        if ops[b] == CONST:
            a, b = b, a
        if ops[a] == CONST:
            c = args[a][0]
            if ops[b] == CONST:
                return self.const(c * args[b][0])
            if c == 0.0:
                return a
            if c == 1.0:
                return b
            if c == -1.0:
                return self.neg(b)
            if c < 0.0:
                return self.neg(self.mul(self.const(-c), b))
            if ops[b] == NEG:
                return self.neg(self.mul(a, args[b][0]))
            if ops[b] == MUL and ops[args[b][0]] == CONST:
                product = c * args[args[b][0]][0]
                return self.mul(self.const(1.0 if abs(product - 1.0) < 3e-16 else product), args[b][1])
            return self.raw(MUL, a, b)
        if ops[a] == NEG:
            return self.neg(self.mul(args[a][0], b))
        if ops[b] == NEG:
            return self.neg(self.mul(a, args[b][0]))
        if ops[b] == DIV and args[b][1] == a:
            return args[b][0]
        if ops[a] == DIV and args[a][1] == b:
            return args[a][0]
        return self.raw(MUL, a, b) if a <= b else self.raw(MUL, b, a)

    def div(self, a: int, b: int) -> int:
        """a / b."""
        ops, args = self.ops, self.args
        if ops[b] == CONST and args[b][0] != 0.0:
            return self.mul(a, self.const(1.0 / args[b][0]))
        if a == b:
            return self.const(1.0)
        if ops[a] == CONST:
            if args[a][0] == 0.0:
                return a
            if args[a][0] < 0.0:
                return self.neg(self.div(self.const(-args[a][0]), b))
        if ops[a] == NEG:
            return self.neg(self.div(args[a][0], b))
        if ops[b] == NEG:
            return self.neg(self.div(a, args[b][0]))
        if ops[a] == MUL and ops[b] == MUL:
            for x, y in (args[a], args[a][::-1]):
                if x in args[b] and ops[x] != CONST:
                    return self.div(y, args[b][1] if args[b][0] == x else args[b][0])
        return self.raw(DIV, a, b)

    def unary(self, op: int, a: int) -> int:
        """sqrt, sin, cos, abs, sign or round of a."""
        ops, args = self.ops, self.args
        if ops[a] == CONST:
            x = args[a][0]
            if op == ABS:
                return self.const(abs(x))
            if op == SIGN:
                return self.const((x > 0) - (x < 0))
            if op == ROUND:
                return self.const(float(np.rint(x)))
            return self.const(_UNARY[op](x))
        if ops[a] == NEG:
            if op in (SIN, SIGN, ROUND):
                return self.neg(self.unary(op, args[a][0]))
            if op in (COS, ABS):
                return self.unary(op, args[a][0])
        return self.raw(op, a)

    def atan2(self, y: int, x: int) -> int:
        """Angle of (x, y)."""
        if self.ops[y] == CONST and self.ops[x] == CONST:
            return self.const(math.atan2(self.args[y][0], self.args[x][0]))
        return self.raw(ATAN2, y, x)

    def select(self, c: int, a: int, b: int) -> int:
        """a where c > 0, else b."""
        if self.ops[c] == CONST:
            return a if self.args[c][0] > 0 else b
        return a if a == b else self.raw(SELECT, c, a, b)

    def block(self, block: Block, operands: tuple[int, ...]) -> list[int]:
        """Result nodes of a block operation."""
        i = self.raw(BLOCK, block, *operands)
        self.blocks[i] = block
        return [self.raw(ITEM, i, k) for k in range(block.outputs)]

    def build(self, op: int, operands: tuple[int, ...]) -> int:
        """Any scalar operation through its folding constructor (multiply-adds are stored as they are)."""
        if op == MUL:
            return self.mul(*operands)
        if op == ADD:
            return self.add(*operands)
        if op == SUB:
            return self.sub(*operands)
        if op == DIV:
            return self.div(*operands)
        if op == NEG:
            return self.neg(*operands)
        if op == ATAN2:
            return self.atan2(*operands)
        if op == SELECT:
            return self.select(*operands)
        if op in (SQRT, SIN, COS, ABS, SIGN, ROUND):
            return self.unary(op, *operands)
        return self.raw(op, *operands)


class TangentGraph(Graph):
    """A graph whose sines and cosines of arc tangents are quotients: sin atan2(y, x) = y / r, cos atan2(y, x) = x / r.

    r = √(x² + y²), or what the equations gave for it. Sums and differences of arc tangents are taken apart by the addition
    theorems. Where x = y = 0 the angle means nothing and the result is NaN instead of a direction chosen by convention.
    """

    __slots__ = ()

    def unary(self, op: int, a: int) -> int:
        """sqrt, sin, cos, abs or sign of a."""
        if op in (SIN, COS):
            pair = self._pair(a)
            if pair is not None:
                return pair[0 if op == SIN else 1]
        return super().unary(op, a)

    def _pair(self, a: int) -> tuple[int, int] | None:
        """(sine, cosine) of an angle made of arc tangents, else None."""
        ops, args = self.ops, self.args
        if ops[a] == ATAN2:
            y, x = args[a]
            r = self.radii.get(a)
            if r is None:
                r = super().unary(SQRT, self.add(self.mul(x, x), self.mul(y, y)))
            return self.div(y, r), self.div(x, r)
        if ops[a] == NEG:
            pair = self._pair(args[a][0])
            return None if pair is None else (self.neg(pair[0]), pair[1])
        if ops[a] in (ADD, SUB):
            first, second = self._pair(args[a][0]), self._pair(args[a][1])
            if first is None or second is None:
                return None
            (s1, c1), (s2, c2) = first, second
            if ops[a] == SUB:
                s2 = self.neg(s2)
            sine = self.add(self.mul(s1, c2), self.mul(c1, s2))
            return sine, self.sub(self.mul(c1, c2), self.mul(s1, s2))
        return None
