"""Share reciprocals: a/x and b/x become a·(1/x) and b·(1/x), 1/√x is one operation, √x beside it is x·(1/√x).

A vector division takes as long as some sixteen multiplications, a reciprocal by a seed and Newton steps six of them.
Then reciprocals and reciprocal roots by a 14-bit seed and one step of fourth order. With e = 1 - x s of a seed s,
1/x = s (1 + e)(1 + e²) to e⁴; with e = 1 - x s², 1/√x = s (1 + e/2 + 3e²/8 + 5e³/16) to e⁴. √x is x times 1/√x. The seed
of 0 is infinite and the step makes it NaN, which the kernel flags.
"""

from gough.program.graph import BLOCK, CONST, DIV, ITEM, MUL, NEG, SQRT, Graph
from gough.program.ops import Op
from gough.program.passes.rewrite import finish, replay, rewrite_machine
from gough.program.program import Program


class _Reciprocals(Graph):
    __slots__ = ()

    def div(self, a: int, b: int) -> int:
        i = super().div(a, b)
        if self.ops[i] == NEG:
            return self.neg(self._as_product(self.args[i][0]))
        return self._as_product(i)

    def _as_product(self, i: int) -> int:
        if self.ops[i] != DIV:
            return i
        a, b = self.args[i]
        return self.mul(a, self.reciprocal(b))

    def reciprocal(self, x: int) -> int:
        """1 / x."""
        ops, args = self.ops, self.args
        if ops[x] == SQRT:
            return self.raw(Op.RSQRT, args[x][0])
        if ops[x] == MUL and ops[args[x][0]] == CONST:
            return self.mul(self.const(1.0 / args[args[x][0]][0]), self.reciprocal(args[x][1]))
        return self.raw(Op.RCP, x)


def share_reciprocals(program: Program) -> Program:
    """The same program without divisions."""
    graph = _Reciprocals()
    program = finish(program, graph, replay(program, graph))
    inverted = {args[0] for op, args in zip(program.ops, program.args, strict=True) if op == Op.RSQRT}
    if not any(op == SQRT and args[0] in inverted for op, args in zip(program.ops, program.args, strict=True)):
        return program
    graph = Graph()
    new: list[int] = []
    for i, op in enumerate(program.ops):
        if program.notes:
            graph.note = program.notes[i]
        args = program.args[i]
        if op == BLOCK:
            args = (args[0], *(new[k] for k in args[1:]))
        elif op > CONST:
            args = (new[args[0]], args[1]) if op == ITEM else tuple(new[k] for k in args)
        if op == SQRT and program.args[i][0] in inverted:
            new.append(graph.mul(args[0], graph.raw(Op.RSQRT, *args)))
        else:
            new.append(graph.raw(op, *args))
    graph.note = None
    return finish(program, graph, new)


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
