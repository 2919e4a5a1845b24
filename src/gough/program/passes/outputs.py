"""What a program gives: nodes that no result and no check needs removed; checks left out, or one added that all results are
finite (0 times their sum is 0, or NaN where one of them is infinite or NaN); outputs that are numbers set apart."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from gough.program.graph import BLOCK, CONST
from gough.program.ops import Op
from gough.program.program import NOT_FINITE, NodeCheck, Program

LONG_RUN = 16
"""Columns of a run, on average, from which runs are written one by one."""


def remove_dead_code(program: Program) -> Program:
    """The same program without dead nodes, removed from the end [Briot 2014, §4.4]; inputs keep their positions."""
    ops, args = program.ops, program.args
    live = bytearray(len(ops))
    for i in program.results:
        live[i] = 1
    for check in program.checks:
        live[check.node] = 1
    for i in range(len(ops) - 1, -1, -1):
        if live[i] and ops[i] > CONST:
            for k in args[i] if ops[i] < BLOCK else program.operands(i):
                live[k] = 1
    kept = [i for i, here in enumerate(live) if here]
    if len(kept) == len(ops):
        return program
    new = [-1] * len(ops)
    for place, i in enumerate(kept):
        new[i] = place
    new_args: list[tuple[Any, ...]] = []
    for i in kept:
        op, operands = ops[i], args[i]
        if op <= CONST:
            new_args.append(operands)
        elif op < BLOCK:
            new_args.append(tuple([new[k] for k in operands]))
        elif op == BLOCK:
            new_args.append((operands[0], *[new[k] for k in operands[1:]]))
        else:
            new_args.append((new[operands[0]], operands[1]))
    return replace(
        program,
        ops=[ops[i] for i in kept],
        args=new_args,
        notes=[program.notes[i] for i in kept] if program.notes else [],
        results=tuple(new[i] for i in program.results),
        checks=tuple(NodeCheck(c.failure, new[c.node], c.minimum) for c in program.checks),
    )


def drop_checks(program: Program) -> Program:
    """The same program without checks: for counting by the counting rules, and for callers who test states themselves."""
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


@dataclass(frozen=True)
class ComputedOutputs:
    """The program with outputs only for what it computes; fixed: per output slot its entries (size,), NaN if computed."""

    program: Program
    fixed: tuple[np.ndarray, ...]

    def spread(self, computed: list[np.ndarray]) -> list[np.ndarray]:
        """Outputs (n, size) per slot from the computed entries (n, k)."""
        return [_spread(x, fixed) for x, fixed in zip(computed, self.fixed, strict=True)]

    def fill(self, outputs: list[np.ndarray], computed: list[np.ndarray], dense: list[bool]) -> None:
        """Write `computed` entries (n, k) and fixed ones into outputs (n, size); dense slots are already there."""
        for out, x, fixed, full in zip(outputs, computed, self.fixed, dense, strict=True):
            if not full:
                _write(out, x, fixed)


def computed_outputs(program: Program) -> ComputedOutputs:
    """Outputs that are numbers whatever the inputs set apart: sparse Jacobians have many, and storing them costs time."""
    numbers = np.array(
        [program.args[i][0] if program.ops[i] == CONST else np.nan for i in program.results], dtype=float
    )
    ends = np.cumsum([0, *(slot.size for slot in program.outputs)])
    fixed = tuple(numbers[a:b] for a, b in pairwise(ends))
    if not np.isfinite(numbers).any():
        return ComputedOutputs(program, fixed)
    slots = tuple(replace(s, shape=(int(np.isnan(x).sum()),)) for s, x in zip(program.outputs, fixed, strict=True))
    results = tuple(program.results[k] for k in np.flatnonzero(np.isnan(numbers)).tolist())
    return ComputedOutputs(remove_dead_code(replace(program, outputs=slots, results=results)), fixed)


def _spread(computed: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    if np.isnan(fixed).all():
        return computed
    out = np.empty((len(computed), len(fixed)))
    _write(out, computed, fixed)
    return out


def _write(out: np.ndarray, computed: np.ndarray, fixed: np.ndarray) -> None:
    """Into out (n, size); run by run where runs are long, which is several times faster than picking columns."""
    free = np.isnan(fixed)
    ends = [0, *(np.flatnonzero(np.diff(free)) + 1).tolist(), len(fixed)]
    if LONG_RUN * len(ends) > len(fixed):
        out[:] = fixed
        out[:, free] = computed
        return
    start = 0
    for a, b in pairwise(ends):
        if free[a]:
            out[:, a:b] = computed[:, start : start + b - a]
            start += b - a
        else:
            out[:, a:b] = fixed[a:b]
