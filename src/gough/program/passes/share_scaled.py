"""Share scaled factors: where c·(x·y) and c·(z·y) both stand, c·y is made once: x·(c·y) and z·(c·y)."""

from collections import Counter

from gough.program.graph import CONST, MUL, Graph
from gough.program.ops import Op
from gough.program.passes.rewrite import finish
from gough.program.program import Program


def share_scaled(program: Program) -> Program:
    """The same program; each group of k products with one scaled factor needs k - 1 multiplications less."""
    ops, args = program.ops, program.args
    uses = [0] * len(ops)
    for i, op in enumerate(ops):
        if op > CONST:
            for k in args[i] if op < Op.BLOCK else program.operands(i):
                uses[k] += 1
    for i in (*program.results, *(c.node for c in program.checks)):
        uses[i] += 2
    scaled: dict[int, tuple[int, int, int]] = {}
    pairs: Counter[tuple[int, int]] = Counter()
    for i, op in enumerate(ops):
        if op == MUL and ops[args[i][0]] == CONST and ops[args[i][1]] == MUL and uses[args[i][1]] == 1:
            c, product = int(args[i][0]), int(args[i][1])
            x, y = args[product]
            scaled[i] = (c, x, y)
            pairs.update([(c, x)] if x == y else [(c, x), (c, y)])
    graph = Graph()
    new = [-1] * len(ops)
    items: dict[int, list[int]] = {}
    for i, op in enumerate(ops):
        if program.notes:
            graph.note = program.notes[i]
        if op == Op.INPUT:
            new[i] = graph.raw(Op.INPUT, args[i][0])
        elif op == CONST:
            new[i] = graph.const(args[i][0])
        elif op == Op.BLOCK:
            items[i] = graph.block(args[i][0], tuple(new[k] for k in args[i][1:]))
        elif op == Op.ITEM:
            new[i] = items[args[i][0]][args[i][1]]
        elif i in scaled and max(pairs[scaled[i][0], scaled[i][1]], pairs[scaled[i][0], scaled[i][2]]) > 1:
            c, x, y = scaled[i]
            if pairs[c, x] > pairs[c, y]:
                x, y = y, x
            new[i] = graph.mul(new[x], graph.mul(new[c], new[y]))
        else:
            new[i] = graph.build(op, tuple(new[k] for k in args[i]))
    graph.note = None
    return finish(program, graph, new)
