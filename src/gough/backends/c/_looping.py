"""Which blocks of a program are loops in its text, and when its text is written in parts."""

import numpy as np

from gough.backends.c._blocks import panel_ends, product_spans, product_work, solve_work
from gough.program.graph import CONST
from gough.program.looping import CACHED, GROWTH, varying, weigh_program
from gough.program.ops import Op, Product, Solve
from gough.program.program import Program

PART = 500
"""Statements of a function."""
LONG, LONGEST = 20_000, 60_000
"""Statements from which a text is written in parts, and from which it is not searched for legs."""
LEAST = 2000
"""Multiply-adds, written out, from which a block may be a loop."""
STRAIGHT, SOLVED, MULTIPLIED, ROW, MOVED = 0.35, 0.25, 0.15, 20.0, 0.8
"""Nanoseconds of a multiply-add written out, in the loops of a solve and of a product, of a row of a solve besides, and of a
number moved to where loops want it or back; between what gcc 12 gives with -O2 and with -O3 and vectors on an AMD EPYC."""
MARGIN = 1.3
"""How much slower than plain statements a loop may be expected to be: compilers take milliseconds for each of these."""


def loops_of(program: Program, least: int = 0) -> set[int] | None:
    """BLOCK nodes that are loops; None if there is none and fewer than `least` statements are expected."""
    scalars, weights = weigh_program(program)
    large = {i for i, w in weights.items() if w.written >= LEAST}
    varies = varying(program) if large else bytearray()
    read: dict[int, set[int]] = {i: set() for i in large}
    for op, args in zip(program.ops, program.args, strict=True):
        if op == Op.ITEM and args[0] in read:
            read[args[0]].add(args[1])
    found: set[int] = set()
    total = scalars // 2 + sum(w.written for w in weights.values())
    for i in sorted(large, key=lambda i: -weights[i].written):
        time, written = _loop_time(program, i, varies, read[i]), weights[i].written
        if time is not None and time <= MARGIN * STRAIGHT * written * max(total / CACHED, 1.0) ** GROWTH:
            found.add(i)
            total -= written
    return None if not found and 2 * total < least else found


def _loop_time(program: Program, i: int, varies: bytearray, read: set[int]) -> float | None:
    """Nanoseconds of a block as a loop; None where it has none, or where most of it is work of the design alone."""
    block, operands = program.block(i), program.operands(i)
    if isinstance(block, Solve) and block.spd:
        n = block.n
        if not any(varies[k] for k in operands[: n * n]):
            return None
        zero = [program.ops[k] == CONST and program.args[k][0] == 0.0 for k in operands[: n * n]]
        filled = ~np.array(zero, dtype=bool).reshape(n, n)
        moved = int(filled.sum()) // 2 + 2 * n * block.m
        return SOLVED * solve_work(block, panel_ends(filled)) + ROW * n + MOVED * moved
    if isinstance(block, Product) and any(varies[k] for k in operands):
        n, k, m = block.n, block.k, block.m
        left, right = (any(varies[x] for x in part) for part in (operands[: n * k], operands[n * k :]))
        moved = len(read) + (n * k if left else 0) + (k * m if right else 0)
        spans = product_spans(block, [x in read for x in range(n * m)])
        return MULTIPLIED * product_work(block, spans) + MOVED * moved
    return None
