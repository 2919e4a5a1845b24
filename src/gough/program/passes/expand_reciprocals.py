"""Reciprocals and reciprocal roots by a 14-bit seed and one step of fourth order.

With e = 1 - x s of a seed s, 1/x = s (1 + e)(1 + e²) to e⁴; with e = 1 - x s², 1/√x = s (1 + e/2 + 3e²/8 + 5e³/16) to e⁴.
√x is x times 1/√x. The seed of 0 is infinite and the step makes it NaN, which the kernel flags.
"""

from gough.program.graph import Graph
from gough.program.ops import Op
from gough.program.passes.rewrite import finish
from gough.program.program import Program


def expand_reciprocals(program: Program) -> Program:
    """The same program with RCP, RSQRT and SQRT written out."""
    graph = Graph()
    one = graph.const(1.0)

    def rcp(x: int) -> int:
        s = graph.raw(Op.RCP_SEED, x)
        e = graph.raw(Op.FNMA, x, s, one)
        t = graph.raw(Op.FMA, e, s, s)
        return graph.raw(Op.FMA, graph.raw(Op.MUL, e, e), t, t)

    def rsqrt(x: int) -> int:
        s = graph.raw(Op.RSQRT_SEED, x)
        e = graph.raw(Op.FNMA, graph.raw(Op.MUL, x, s), s, one)
        p = graph.raw(Op.FMA, e, graph.const(0.3125), graph.const(0.375))
        p = graph.raw(Op.FMA, e, p, graph.const(0.5))
        return graph.raw(Op.FMA, graph.raw(Op.MUL, s, e), p, s)

    def sqrt(x: int) -> int:
        return graph.raw(Op.MUL, x, rsqrt(x))

    return rewrite_machine(program, graph, {Op.RCP: rcp, Op.RSQRT: rsqrt, Op.SQRT: sqrt})


def rewrite_machine(program: Program, graph: Graph, rules: dict) -> Program:
    """Replace operations by rules; all others are copied without folding, so that a machine's tricks survive."""
    ops, args, notes = program.ops, program.args, program.notes
    new = [-1] * len(ops)
    for i, op in enumerate(ops):
        if notes:
            graph.note = notes[i]
        if op <= Op.CONST:
            new[i] = graph.raw(op, *args[i])
        elif op in rules:
            new[i] = rules[op](*(new[k] for k in args[i]))
        else:
            new[i] = graph.raw(op, *(new[k] for k in args[i]))
    graph.note = None
    return finish(program, graph, new)
