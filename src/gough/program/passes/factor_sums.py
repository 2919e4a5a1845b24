"""Factor sums of products: a·x + b + a·y becomes a·(x + y) + b, one multiplication less for each further product.

Only products and partial sums with a single use are taken apart, so sharing is never lost.
"""

from collections import Counter

from gough.program.graph import ADD, CONST, INPUT, MUL, NEG, SUB, Graph
from gough.program.ops import Op
from gough.program.passes.rewrite import finish
from gough.program.program import Program

Term = tuple[int, tuple[int, ...]]
"""Sign and one node, or the two factors of a product."""


def factor_sums(program: Program) -> Program:
    """The same program with common factors of sums taken out."""
    ops, args = program.ops, program.args
    uses = [0] * len(ops)
    for i, op in enumerate(ops):
        if op > CONST:
            for k in args[i] if op < Op.BLOCK else program.operands(i):
                uses[k] += 1
    for i in (*program.results, *(c.node for c in program.checks)):
        uses[i] += 2
    inner = bytearray(len(ops))
    for i, op in enumerate(ops):
        if op in (ADD, SUB):
            for k in args[i]:
                if uses[k] != 1:
                    continue
                if ops[k] in (ADD, SUB):
                    inner[k] = 1
                elif ops[k] == NEG:
                    below = int(args[int(k)][0])
                    if ops[below] in (ADD, SUB) and uses[below] == 1:
                        inner[k] = inner[below] = 1
    graph = Graph()
    new = [-1] * len(ops)
    items: dict[int, list[int]] = {}
    for i, op in enumerate(ops):
        if program.notes:
            graph.note = program.notes[i]
        if inner[i]:
            continue
        if op == INPUT:
            new[i] = graph.raw(INPUT, args[i][0])
        elif op == CONST:
            new[i] = graph.const(args[i][0])
        elif op == Op.BLOCK:
            items[i] = graph.block(args[i][0], tuple(new[k] for k in args[i][1:]))
        elif op == Op.ITEM:
            new[i] = items[args[i][0]][args[i][1]]
        elif op in (ADD, SUB):
            new[i] = _sum(graph, _terms(program, i, inner, uses, new))
        else:
            new[i] = graph.build(op, tuple(new[k] for k in args[i]))
    graph.note = None
    return finish(program, graph, new)


def _terms(program: Program, root: int, inner: bytearray, uses: list[int], new: list[int]) -> list[Term]:
    """The signed terms of a sum, left to right, in nodes of the new graph."""
    ops, args = program.ops, program.args
    out: list[Term] = []
    stack = [(root, 1)]
    while stack:
        i, sign = stack.pop()
        if i == root or inner[i]:
            if ops[i] == NEG:
                stack.append((args[i][0], -sign))
            else:
                stack.append((args[i][1], sign if ops[i] == ADD else -sign))
                stack.append((args[i][0], sign))
        elif ops[i] == MUL and uses[i] == 1:
            out.append((sign, (new[args[i][0]], new[args[i][1]])))
        else:
            out.append((sign, (new[i],)))
    return out


def _sum(graph: Graph, terms: list[Term]) -> int:
    while True:
        seen: Counter[int] = Counter()
        for _, factors in terms:
            if len(factors) == 2:
                seen.update(set(factors))
        common, number = max(seen.items(), key=lambda item: (item[1], -item[0]), default=(-1, 0))
        if number < 2:
            break
        group = [t for t in terms if len(t[1]) == 2 and common in t[1]]
        first = terms.index(group[0])
        rest: list[Term] = []
        for sign, (x, y) in group:
            rest.append((sign, (y if x == common else x,)))
        total = _sum(graph, rest)
        terms = [t for t in terms if t not in group]
        terms.insert(min(first, len(terms)), (1, (graph.mul(common, total),)))
    total = -1
    for sign, factors in sorted(terms, key=lambda t: -t[0]):
        node = factors[0] if len(factors) == 1 else graph.mul(*factors)
        if total < 0:
            total = node if sign > 0 else graph.neg(node)
        else:
            total = graph.add(total, node) if sign > 0 else graph.sub(total, node)
    return total
