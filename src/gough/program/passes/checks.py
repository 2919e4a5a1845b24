"""Checks of a program left out (for counting by the counting rules, and for callers who test states themselves), or one added
that all results are finite: 0 times their sum is 0, or NaN where one of them is infinite or NaN."""

from collections.abc import Sequence
from dataclasses import replace

from gough.program.ops import Op
from gough.program.passes.dead_code import remove_dead_code
from gough.program.program import NOT_FINITE, NodeCheck, Program


def drop_checks(program: Program) -> Program:
    """The same program without checks."""
    return remove_dead_code(replace(program, checks=()))


def guard_results(program: Program, nodes: Sequence[int] | None = None) -> Program:
    """The same program with the check NOT_FINITE on `nodes`, default all results; nothing may fold it afterwards."""
    guarded = program.results if nodes is None else nodes
    computed = [i for i in dict.fromkeys(guarded) if program.ops[i] != Op.CONST]
    if not computed:
        return program
    ops, args, notes = list(program.ops), list(program.args), list(program.notes)

    def add(op: Op, *operands) -> int:
        ops.append(op)
        args.append(operands)
        if program.notes:
            notes.append("results are finite")
        return len(ops) - 1

    zero = add(Op.CONST, 0.0)
    total = zero
    for i in computed:
        total = add(Op.FMA, i, zero, total)
    checks = (*program.checks, NodeCheck(NOT_FINITE, total, 0.0))
    return replace(program, ops=ops, args=args, notes=notes, checks=checks)
