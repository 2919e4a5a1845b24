"""Reverse mode: the gradient of a weighted sum of results by all inputs of some slots.

A solve X = A⁻¹ B takes B̄ = A⁻ᵀ X̄ and Ā = -B̄ Xᵀ: one more solve, with the transposed matrix.
"""

from collections.abc import Sequence
from dataclasses import replace

from gough.program.graph import Graph
from gough.program.ops import ConstantMatvec, Op, Solve
from gough.program.passes.dead_code import remove_dead_code
from gough.program.passes.inline_calls import inline_calls
from gough.program.passes.rewrite import replay
from gough.program.program import Check, Program, Slot


def vjp(program: Program, wrt: Sequence[str]) -> Program:
    """New inputs "bar_<output>" (weights), outputs "bar_<slot>" for each slot in `wrt`."""
    program = inline_calls(program)
    graph = Graph()
    new = replay(program, graph)
    slots = list(program.inputs)
    bars: list[int | None] = [None] * len(program.ops)
    position, k = program.n_inputs, 0

    def add(i: int, term: int) -> None:
        old = bars[i]
        bars[i] = term if old is None else graph.add(old, term)

    for slot in program.outputs:
        slots.append(Slot(f"bar_{slot.name}", slot.shape))
        for _ in range(slot.size):
            add(program.results[k], graph.raw(Op.INPUT, position))
            position, k = position + 1, k + 1
    collected: dict[int, dict[int, int]] = {}
    values: dict[int, dict[int, int]] = {}
    for i, op in enumerate(program.ops):
        if op == Op.ITEM:
            values.setdefault(program.args[i][0], {})[program.args[i][1]] = new[i]
    found: dict[int, int] = {}
    for i in range(len(program.ops) - 1, -1, -1):
        op, args = program.ops[i], program.args[i]
        if op == Op.BLOCK:
            if i in collected:
                _block(graph, program, i, new, values[i], collected[i], add)
            continue
        bar = bars[i]
        if bar is None or op == Op.CONST:
            continue
        if op == Op.INPUT:
            found[args[0]] = bar
        elif op == Op.ITEM:
            collected.setdefault(args[0], {})[args[1]] = bar
        else:
            _scalar(graph, op, new[i], [new[k] for k in args], bar, args, add)
    zero = graph.const(0.0)
    outputs, results = [], []
    for name in wrt:
        slot = next(s for s in program.inputs if s.name == name)
        offset = program.input_offset(name)
        outputs.append(Slot(f"bar_{name}", slot.shape))
        results += [found.get(offset + j, zero) for j in range(slot.size)]
    return remove_dead_code(
        replace(
            program,
            name=f"{program.name} vjp",
            inputs=tuple(slots),
            outputs=tuple(outputs),
            ops=graph.ops,
            args=graph.args,
            notes=graph.notes,
            results=tuple(results),
            checks=tuple(Check(c.name, new[c.node], c.minimum) for c in program.checks),
        )
    )


def _scalar(g: Graph, op: int, y: int, x: list[int], bar: int, args: tuple, add) -> None:
    if op == Op.ADD:
        add(args[0], bar)
        add(args[1], bar)
    elif op == Op.SUB:
        add(args[0], bar)
        add(args[1], g.neg(bar))
    elif op == Op.NEG:
        add(args[0], g.neg(bar))
    elif op == Op.MUL:
        add(args[0], g.mul(bar, x[1]))
        add(args[1], g.mul(bar, x[0]))
    elif op == Op.DIV:
        share = g.div(bar, x[1])
        add(args[0], share)
        add(args[1], g.neg(g.mul(share, y)))
    elif op == Op.SQRT:
        add(args[0], g.div(g.mul(g.const(0.5), bar), y))
    elif op == Op.SIN:
        add(args[0], g.mul(bar, g.unary(Op.COS, x[0])))
    elif op == Op.COS:
        add(args[0], g.neg(g.mul(bar, g.unary(Op.SIN, x[0]))))
    elif op == Op.ATAN2:
        share = g.div(bar, g.add(g.mul(x[0], x[0]), g.mul(x[1], x[1])))
        add(args[0], g.mul(share, x[1]))
        add(args[1], g.neg(g.mul(share, x[0])))
    elif op == Op.ABS:
        add(args[0], g.mul(bar, g.unary(Op.SIGN, x[0])))
    elif op == Op.SELECT:
        zero = g.const(0.0)
        add(args[1], g.select(x[0], bar, zero))
        add(args[2], g.select(x[0], zero, bar))
    elif op in (Op.FMA, Op.FMS, Op.FNMA):
        signed = g.neg(bar) if op == Op.FNMA else bar
        add(args[0], g.mul(signed, x[1]))
        add(args[1], g.mul(signed, x[0]))
        add(args[2], g.neg(bar) if op == Op.FMS else bar)
    elif op != Op.SIGN:
        raise ValueError(f"no derivative rule for {Op(op).name}")


def _block(g: Graph, program: Program, i: int, new, values, bars, add) -> None:
    block = program.block(i)
    operands = program.args[i][1:]
    zero = g.const(0.0)
    weights = [bars.get(k, zero) for k in range(block.outputs)]
    if isinstance(block, ConstantMatvec):
        transposed = ConstantMatvec(tuple(zip(*block.matrix, strict=True)))
        for k, bar in zip(operands, g.block(transposed, tuple(weights)), strict=True):
            add(k, bar)
        return
    assert isinstance(block, Solve)
    n, m = block.n, block.m
    x = [new[k] for k in operands]
    if len(values) < n * m:
        values = dict(enumerate(g.block(block, tuple(x))))
    turned = tuple(x[j * n + k] for k in range(n) for j in range(n))
    order = None if block.order is None else (block.order[1], block.order[0])
    b_bar = g.block(replace(block, order=order), (*turned, *weights))
    for k in range(n * m):
        add(operands[n * n + k], b_bar[k])
    for r in range(n):
        for c in range(n):
            total = zero
            for j in range(m):
                total = g.add(total, g.mul(b_bar[r * m + j], values[c * m + j]))
            add(operands[r * n + c], g.neg(total))
