"""From a program to the net of its tangents."""

from collections.abc import Mapping, Sequence

from gough.program.derivatives._net import Net, SolveStage
from gough.program.graph import Graph
from gough.program.ops import ConstantMatvec, Op, Product, Solve
from gough.program.program import Program


def linearise(
    net: Net,
    program: Program,
    new: Sequence[int],
    moving: Mapping[int, int],
    known: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """{node of the program: its vertex} of all nodes that move and that some result needs.

    new: the program's nodes in the net's graph. moving: {input position: vertex}. known: {node of the graph: vertex} of
    values whose tangents are known otherwise (entries of a rotation matrix turn with ω). Calls must be inlined.
    """
    graph, at = net.graph, {}
    stages: dict[int, SolveStage] = {}
    live = needed_nodes(program)
    notes = program.notes
    for i, op in enumerate(program.ops):
        if not live[i] or op == Op.CONST:
            continue
        if notes:
            graph.note = notes[i]
        args = program.args[i]
        if op == Op.INPUT:
            if args[0] in moving:
                at[i] = moving[args[0]]
        elif known and new[i] in known:
            at[i] = known[new[i]]
        elif op == Op.ITEM:
            _item(net, program, i, new, at, stages)
        elif any(k in at for k in program.operands(i)):
            if op == Op.BLOCK:
                if isinstance(program.block(i), Solve):
                    stages[i] = _solve(net, program, i, new, at)
            else:
                at[i] = _scalar(net, program, i, new, at)
    graph.note = None
    return at


def needed_nodes(program: Program) -> bytearray:
    """Which nodes some result reads; checks have no derivatives."""
    live = bytearray(len(program.ops))
    for i in program.results:
        live[i] = 1
    for i in range(len(program.ops) - 1, -1, -1):
        if live[i]:
            for k in program.operands(i):
                live[k] = 1
    return live


def _scalar(net: Net, program: Program, i: int, new: Sequence[int], at: dict[int, int]) -> int:
    graph, op, args = net.graph, program.ops[i], program.args[i]
    x = tuple(new[k] for k in args)
    if op == Op.DIV and args[0] in at and args[1] in at:
        # d(a/b) = (da - y db) / b, with a vertex for the numerator.
        numerator = net.vertex()
        net.add_edge(at[args[0]], numerator, graph.const(1.0))
        net.add_edge(at[args[1]], numerator, graph.neg(new[i]))
        vertex = net.vertex()
        net.add_edge(numerator, vertex, graph.div(graph.const(1.0), x[1]))
        return vertex
    vertex = net.vertex()
    for k, weight in zip(args, partials(graph, op, new[i], x), strict=True):
        if k in at:
            net.add_edge(at[k], vertex, weight)
    return vertex


def _solve(net: Net, program: Program, i: int, new: Sequence[int], at: dict[int, int]) -> SolveStage:
    graph, block = net.graph, program.block(i)
    assert isinstance(block, Solve)
    n, m, operands = block.n, block.m, program.args[i][1:]
    x = graph.block(block, tuple(new[k] for k in operands))
    w = tuple(tuple(net.vertex() for _ in range(n)) for _ in range(m))
    one = graph.const(1.0)
    for c in range(m):
        for r in range(n):
            if operands[n * n + r * m + c] in at:
                net.add_edge(at[operands[n * n + r * m + c]], w[c][r], one)
            for k in range(n):
                if operands[r * n + k] in at:
                    net.add_edge(at[operands[r * n + k]], w[c][r], graph.neg(x[k * m + c]))
    dx = tuple(tuple(net.vertex() for _ in range(n)) for _ in range(m))
    moves = any(k in at for k in operands[: n * n])
    stage = SolveStage(block, tuple(new[k] for k in operands[: n * n]), w, dx, moves)
    net.solves.append(stage)
    return stage


def _item(net: Net, program: Program, i: int, new: Sequence[int], at: dict[int, int], stages: dict) -> None:
    source, number = program.args[i]
    block = program.block(source)
    if isinstance(block, ConstantMatvec):
        operands = program.args[source][1:]
        if any(k in at for k in operands):
            at[i] = net.vertex()
            for k, weight in zip(operands, block.matrix[number], strict=True):
                if k in at:
                    net.add_edge(at[k], at[i], net.graph.const(weight))
    elif isinstance(block, Product):
        _product(net, program, i, new, at)
    elif source in stages and isinstance(block, Solve):
        row, column = divmod(number, block.m)
        at[i] = stages[source].x[column][row]


def _product(net: Net, program: Program, i: int, new: Sequence[int], at: dict[int, int]) -> None:
    """d(A B) = dA B + A dB, one entry."""
    source, number = program.args[i]
    block, operands = program.block(source), tuple(program.operands(source))
    assert isinstance(block, Product)
    row, column = divmod(number, block.m)
    left = operands[row * block.k : (row + 1) * block.k]
    right = operands[block.n * block.k + column :: block.m]
    if not any(k in at for k in (*left, *right)):
        return
    at[i] = net.vertex()
    for a, b in zip(left, right, strict=True):
        if a in at:
            net.add_edge(at[a], at[i], new[b])
        if b in at:
            net.add_edge(at[b], at[i], new[a])


# Derivatives of single operations by their operands.


def partials(g: Graph, op: int, y: int, x: tuple[int, ...]) -> tuple[int, ...]:
    """∂y/∂x as nodes, one an operand, of y = op(x). A division is written a / b with ∂/∂a = 1/b, ∂/∂b = -y/b."""
    one = g.const(1.0)
    match Op(op):
        case Op.ADD:
            return one, one
        case Op.SUB:
            return one, g.const(-1.0)
        case Op.NEG:
            return (g.const(-1.0),)
        case Op.MUL:
            return x[1], x[0]
        case Op.DIV:
            share = g.div(one, x[1])
            return share, g.neg(g.mul(y, share))
        case Op.SQRT:
            return (g.div(g.const(0.5), y),)
        case Op.SIN:
            return (g.unary(Op.COS, x[0]),)
        case Op.COS:
            return (g.neg(g.unary(Op.SIN, x[0])),)
        case Op.ATAN2:
            share = g.div(one, g.add(g.mul(x[0], x[0]), g.mul(x[1], x[1])))
            return g.mul(x[1], share), g.neg(g.mul(x[0], share))
        case Op.ABS:
            return (g.unary(Op.SIGN, x[0]),)
        case Op.SIGN | Op.ROUND:
            return (g.const(0.0),)
        case Op.SELECT:
            zero = g.const(0.0)
            return zero, g.select(x[0], one, zero), g.select(x[0], zero, one)
        case Op.FMA:
            return x[1], x[0], one
        case Op.FMS:
            return x[1], x[0], g.const(-1.0)
        case Op.FNMA:
            return g.neg(x[1]), g.neg(x[0]), one
    raise ValueError(f"no derivative rule for {Op(op).name}: differentiate before lowering")
