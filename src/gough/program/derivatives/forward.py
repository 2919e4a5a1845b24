"""Forward mode: tangents of all nodes along several directions at once; zero tangents cost nothing.

A solve X = A⁻¹ B has dX = A⁻¹ (dB - dA X): one more solve with the same matrix.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gough.program.graph import CONST, Graph
from gough.program.ops import Block, ConstantMatvec, Op, Solve
from gough.program.passes.dead_code import remove_dead_code
from gough.program.passes.inline_calls import inline_calls
from gough.program.passes.rewrite import replay
from gough.program.program import Check, Program, Slot


def push_forward(
    program: Program, graph: Graph, new: Sequence[int], seeds: Mapping[int, Sequence[int]], n: int
) -> list[list[int]]:
    """Tangents [node][direction] in `graph`, where `new` are the program's nodes replayed into it.

    seeds: {input position: tangent nodes (n,)}; other inputs do not move.
    """
    zero = graph.const(0.0)
    still = [zero] * n
    dots: list[list[int]] = []
    items: dict[int, list[list[int]]] = {}
    for i, op in enumerate(program.ops):
        args = program.args[i]
        if op == Op.INPUT:
            dots.append(list(seeds.get(args[0], still)))
        elif op == Op.CONST or all(dots[k] == still for k in program.operands(i) if op != Op.ITEM):
            dots.append(items[args[0]][args[1]] if op == Op.ITEM else still)
            if op == Op.BLOCK:
                items[i] = [still] * program.block(i).outputs
        elif op == Op.BLOCK:
            operands = [new[k] for k in args[1:]]
            results = _items_of(program, new, i)
            per_direction = [
                _block(graph, args[0], operands, results, [dots[k][d] for k in args[1:]]) for d in range(n)
            ]
            items[i] = [[per_direction[d][j] for d in range(n)] for j in range(args[0].outputs)]
            dots.append(still)
        elif op == Op.ITEM:
            dots.append(items[args[0]][args[1]])
        else:
            x = [new[k] for k in args]
            dots.append([_scalar(graph, op, new[i], x, [dots[k][d] for k in args]) for d in range(n)])
    return dots


def _items_of(program: Program, new: Sequence[int], block: int) -> dict[int, int]:
    """{result number: node in the new graph} of a block, for the results that are used."""
    found = {}
    for i in range(block + 1, len(program.ops)):
        if program.ops[i] == Op.ITEM and program.args[i][0] == block:
            found[program.args[i][1]] = new[i]
    return found


def _scalar(g: Graph, op: int, y: int, x: list[int], dx: list[int]) -> int:
    if op == Op.ADD:
        return g.add(*dx)
    if op == Op.SUB:
        return g.sub(*dx)
    if op == Op.NEG:
        return g.neg(dx[0])
    if op == Op.MUL:
        return g.add(g.mul(dx[0], x[1]), g.mul(x[0], dx[1]))
    if op == Op.DIV:
        return g.div(g.sub(dx[0], g.mul(y, dx[1])), x[1])
    if op == Op.SQRT:
        return g.div(g.mul(g.const(0.5), dx[0]), y)
    if op == Op.SIN:
        return g.mul(g.unary(Op.COS, x[0]), dx[0])
    if op == Op.COS:
        return g.neg(g.mul(g.unary(Op.SIN, x[0]), dx[0]))
    if op == Op.ATAN2:
        square = g.add(g.mul(x[0], x[0]), g.mul(x[1], x[1]))
        return g.div(g.sub(g.mul(x[1], dx[0]), g.mul(x[0], dx[1])), square)
    if op == Op.ABS:
        return g.mul(g.unary(Op.SIGN, x[0]), dx[0])
    if op == Op.SIGN:
        return g.const(0.0)
    if op == Op.SELECT:
        return g.select(x[0], dx[1], dx[2])
    if op in (Op.FMA, Op.FMS, Op.FNMA):
        product = g.add(g.mul(dx[0], x[1]), g.mul(x[0], dx[1]))
        if op == Op.FMA:
            return g.add(product, dx[2])
        return g.sub(product, dx[2]) if op == Op.FMS else g.sub(dx[2], product)
    raise ValueError(f"no derivative rule for {Op(op).name}")


def _block(g: Graph, block: Block, x: list[int], results: dict[int, int], dx: list[int]) -> Sequence[int]:
    zero = g.const(0.0)
    if all(d == zero for d in dx):
        return [zero] * block.outputs
    if isinstance(block, ConstantMatvec):
        return g.block(block, tuple(dx))
    assert isinstance(block, Solve)
    n, m = block.n, block.m
    if len(results) < n * m:  # a result nobody used: make it, it is shared anyway
        results = dict(enumerate(g.block(block, tuple(x))))
    rhs = []
    for i in range(n):
        for j in range(m):
            value = dx[n * n + i * m + j]
            for k in range(n):
                value = g.sub(value, g.mul(dx[i * n + k], results[k * m + j]))
            rhs.append(value)
    return g.block(block, (*x[: n * n], *rhs))


def jvp(program: Program, wrt: Sequence[str]) -> Program:
    """Directional derivative: new inputs "d_<slot>" for each slot in `wrt`, outputs "d_<output>"."""
    program = inline_calls(program)
    graph = Graph()
    new = replay(program, graph)
    seeds, slots, position = {}, list(program.inputs), program.n_inputs
    for name in wrt:
        slot = next(s for s in program.inputs if s.name == name)
        offset = program.input_offset(name)
        slots.append(Slot(f"d_{name}", slot.shape, slot.unit))
        for k in range(slot.size):
            seeds[offset + k] = [graph.raw(Op.INPUT, position)]
            position += 1
    dots = push_forward(program, graph, new, seeds, 1)
    outputs = tuple(Slot(f"d_{s.name}", s.shape) for s in program.outputs)
    results = tuple(dots[i][0] for i in program.results)
    return _assemble(program, graph, new, tuple(slots), outputs, results, "jvp")


def jacobian(program: Program, wrt: str) -> Program:
    """Outputs "<output>_<wrt>" of shape (*output, *wrt)."""
    program = inline_calls(program)
    graph = Graph()
    new = replay(program, graph)
    slot = next(s for s in program.inputs if s.name == wrt)
    offset, n = program.input_offset(wrt), slot.size
    one, zero = graph.const(1.0), graph.const(0.0)
    seeds = {offset + k: [one if j == k else zero for j in range(n)] for k in range(n)}
    dots = push_forward(program, graph, new, seeds, n)
    outputs = tuple(Slot(f"{s.name}_{wrt}", (*s.shape, *slot.shape)) for s in program.outputs)
    results = tuple(dots[i][d] for i in program.results for d in range(n))
    return _assemble(program, graph, new, program.inputs, outputs, results, f"d/d{wrt}")


def _assemble(program, graph, new, inputs, outputs, results, label) -> Program:
    checks = tuple(Check(c.name, new[c.node], c.minimum) for c in program.checks if graph.ops[new[c.node]] != CONST)
    return remove_dead_code(
        replace(
            program,
            name=f"{program.name} {label}",
            inputs=inputs,
            outputs=outputs,
            ops=graph.ops,
            args=graph.args,
            notes=graph.notes,
            results=results,
            checks=checks,
        )
    )
