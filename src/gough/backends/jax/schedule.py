"""Group the operations of a program into wide steps that XLA can run as few loops.

XLA takes tens of milliseconds for every operation it compiles: minutes for thousands of scalar ones. Here all sums and
products whose operands are there make one step, and steps that follow each other differ only in tables of numbers, so a
run of them is one loop. Everything else (divisions, sines, roots, blocks) makes few steps and is written out. Values
live in one long buffer: the program's inputs that are used, its numbers, then the results of every step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gough.program.ops import Block, Op
from gough.program.program import Program

POLYNOMIAL = (Op.ADD, Op.SUB, Op.NEG, Op.MUL)


@dataclass(frozen=True)
class PolynomialRun:
    """Consecutive steps of sums and products, (steps, width) each: y = a · b where `product`, else a + sign · b; the
    results of step i go to places start[i]...; what lies behind the step's own results there is written later."""

    start: np.ndarray
    a: np.ndarray
    b: np.ndarray
    sign: np.ndarray
    product: np.ndarray


@dataclass(frozen=True)
class WideStep:
    """One operation or block; operands: places, one array an operand (one for a whole block)."""

    kind: Op | Block
    operands: tuple[np.ndarray, ...]
    start: int


@dataclass
class WideSchedule:
    """inputs: positions of the used inputs; numbers: the constants behind them; results: places of the results; size of
    the buffer, with room for the widest step behind the last place."""

    inputs: np.ndarray
    numbers: np.ndarray
    parts: list[PolynomialRun | WideStep] = field(default_factory=list)
    results: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    size: int = 0


def schedule(program: Program) -> WideSchedule:
    """Steps of a program without calls: sums and products as long as any are ready, then all of another kind."""
    ops, args = program.ops, program.args
    place = [-1] * len(ops)
    used = [i for i, op in enumerate(ops) if op == Op.INPUT]
    fixed = [i for i, op in enumerate(ops) if op == Op.CONST]
    for k, i in enumerate((*used, *fixed)):
        place[i] = k
    zero = len(used) + len(fixed)
    out = WideSchedule(np.array([args[i][0] for i in used], int), np.array([*(args[i][0] for i in fixed), 0.0]))
    end, widest = zero + 1, 0
    waiting, readers, ready = _dependencies(program, place)
    run: list[tuple[int, list[int]]] = []
    while ready:
        kind = next((k for k in ready if k == Op.ADD), next(iter(ready)))
        nodes = sorted(ready.pop(kind))
        if kind != Op.ADD and run:
            out.parts.append(_run(program, run, place, zero))
            run = []
        if kind == Op.ADD:
            run.append((end, nodes))
            widest = max(widest, len(nodes))
        elif ops[nodes[0]] == Op.BLOCK:
            [block] = nodes
            out.parts.append(WideStep(program.block(block), (_places(place, program.operands(block)),), end))
        else:
            columns = zip(*[args[i] for i in nodes], strict=True)
            out.parts.append(WideStep(Op(ops[nodes[0]]), tuple(_places(place, c) for c in columns), end))
        done = list(nodes)
        if ops[nodes[0]] == Op.BLOCK:
            place[nodes[0]] = end
            done += [i for i in readers[nodes[0]] if ops[i] == Op.ITEM]
            for i in done[1:]:
                place[i] = end + args[i][1]
            end += program.block(nodes[0]).outputs
        else:
            for i in nodes:
                place[i] = end
                end += 1
        for i in done:
            for k in readers[i]:
                waiting[k] -= 1
                if waiting[k] == 0 and ops[k] != Op.ITEM:
                    ready.setdefault(_kind(program, k), []).append(k)
    if run:
        out.parts.append(_run(program, run, place, zero))
    out.results = _places(place, program.results)
    out.size = end + widest
    return out


def _dependencies(program: Program, place: list[int]) -> tuple[list[int], list[list[int]], dict[object, list[int]]]:
    """How many operands every node waits for, who reads it, and what is ready, by kind."""
    waiting, readers = [0] * len(program.ops), [[] for _ in program.ops]
    ready: dict[object, list[int]] = {}
    for i, op in enumerate(program.ops):
        if op > Op.CONST:
            missing = [k for k in dict.fromkeys(program.operands(i)) if place[k] < 0]
            waiting[i] = len(missing)
            for k in missing:
                readers[k].append(i)
            if not missing:
                ready.setdefault(_kind(program, i), []).append(i)
    return waiting, readers, ready


def _kind(program: Program, i: int) -> object:
    """What runs together: ADD stands for all sums and products; every block runs alone."""
    op = program.ops[i]
    if op in POLYNOMIAL:
        return Op.ADD
    return (Op.BLOCK, i) if op == Op.BLOCK else Op(op)


def _places(place: list[int], nodes: Sequence[int]) -> np.ndarray:
    return np.array([place[k] for k in nodes], int)


def _run(program: Program, steps: list[tuple[int, list[int]]], place: list[int], zero: int) -> PolynomialRun:
    shape = (len(steps), max(len(nodes) for _, nodes in steps))
    a, b = np.full(shape, zero), np.full(shape, zero)
    sign, product = np.ones(shape), np.zeros(shape, bool)
    for row, (_, nodes) in enumerate(steps):
        for k, i in enumerate(nodes):
            op, args = program.ops[i], program.args[i]
            a[row, k] = zero if op == Op.NEG else place[args[0]]
            b[row, k] = place[args[-1]]
            sign[row, k] = -1.0 if op in (Op.SUB, Op.NEG) else 1.0
            product[row, k] = op == Op.MUL
    return PolynomialRun(np.array([start for start, _ in steps]), a, b, sign, product)
