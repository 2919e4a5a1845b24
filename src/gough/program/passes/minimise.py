"""Try the rewriting passes in turn and keep each result that has fewer operations."""

from collections import Counter

from gough.program.graph import ADD, CONST, INPUT, MUL, NEG, SUB, Graph
from gough.program.ops import Op
from gough.program.passes.rewrite import finish, replay
from gough.program.program import Program

_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.SQRT, Op.SIN, Op.COS, Op.ATAN2})
ROUNDS = 3
QUICK_ROUNDS = 2
LARGEST = 30_000
"""Longer programs are left as they are: the passes would take seconds."""
SCALED = 0.1
"""Share of products with a number above which moving numbers outwards is tried in the quick search as well."""
TRIED_FACTORS = 12
"""Numbers that are tried inside instead of outside products."""


def operations(program: Program) -> int:
    """Arithmetic operations of a program without blocks."""
    return sum(op in _ARITHMETIC for op in program.ops)


def minimise(program: Program, thorough: bool = False) -> Program:
    """The same program with as few operations as the passes find; never more than before.

    thorough: also search which numbers pay inside products; it takes about ten times as long.
    """
    if len(program.ops) > LARGEST:
        return program
    if thorough:
        candidates = [program, _settle(program), _pull_numbers(program, TRIED_FACTORS)]
    else:
        candidates = [program, _settle(program, QUICK_ROUNDS)]
        if _scaled_share(program) > SCALED:
            candidates.append(_settle(pull_constants(program), QUICK_ROUNDS))
    return min(candidates, key=operations)


def _scaled_share(program: Program) -> float:
    """Share of the products that have a number as a factor."""
    products = [program.ops[a[0]] == Op.CONST for op, a in zip(program.ops, program.args, strict=True) if op == Op.MUL]
    return sum(products) / max(len(products), 1)


def _settle(program: Program, rounds: int = ROUNDS) -> Program:
    """Factor and share until nothing changes."""
    best, size = program, operations(program)
    for _ in range(rounds):
        before = size
        for rewrite in (factor_sums, share_scaled):
            candidate = rewrite(best)
            if operations(candidate) < size:
                best, size = candidate, operations(candidate)
        if size == before:
            break
    return best


def _pull_numbers(program: Program, tries: int) -> Program:
    """Numbers outside products, except those that pay inside."""
    inside: frozenset[float] = frozenset()
    size = operations(_settle(pull_constants(program), 1)) if tries else 0
    for value in frequent_factors(program, tries):
        tried = operations(_settle(pull_constants(program, inside | {value}), 1))
        if tried < size:
            size, inside = tried, inside | {value}
    return _settle(pull_constants(program, inside))


# Factor sums of products: a·x + b + a·y becomes a·(x + y) + b, one multiplication less for each further product.
#
# Only products and partial sums with a single use are taken apart, so sharing is never lost.

Term = tuple[int, tuple[int, ...]]
"""Sign and one node, or the two factors of a product."""


def factor_sums(program: Program) -> Program:
    """The same program with common factors of sums taken out."""
    ops, args = program.ops, program.args
    uses = _uses(program)
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


# Move numbers to the outside of products: a·(c·x) becomes c·(a·x), so that equal products a·x are found and shared.
#
# ω × (ω × c z) and ω × J ω of an axisymmetric body, for instance, then share their products of rates.


class _Pulling(Graph):
    __slots__ = ("excluded",)

    def mul(self, a: int, b: int) -> int:
        ops, args = self.ops, self.args
        if ops[a] != CONST and ops[b] != CONST:
            for x, y in ((a, b), (b, a)):
                if ops[y] == MUL and ops[args[y][0]] == CONST and args[args[y][0]][0] not in self.excluded:
                    return super().mul(args[y][0], self.mul(x, args[y][1]))
        return super().mul(a, b)


def pull_constants(program: Program, excluded: frozenset[float] = frozenset()) -> Program:
    """The same program with numbers (but the excluded ones) outermost in products; `minimise` judges if it pays."""
    graph = _Pulling()
    graph.excluded = excluded
    return finish(program, graph, replay(program, graph))


def frequent_factors(program: Program, most: int) -> list[float]:
    """Numbers that stand as factors in products, most frequent first."""
    seen: Counter[float] = Counter()
    for op, args in zip(program.ops, program.args, strict=True):
        if op == MUL and program.ops[args[0]] == CONST:
            factor: int = args[0]
            value: float = program.args[factor][0]
            seen[value] += 1
    return [value for value, _ in sorted(seen.items(), key=lambda item: (-item[1], item[0]))[:most]]


# Share scaled factors: where c·(x·y) and c·(z·y) both stand, c·y is made once: x·(c·y) and z·(c·y).


def share_scaled(program: Program) -> Program:
    """The same program; each group of k products with one scaled factor needs k - 1 multiplications less."""
    ops, args = program.ops, program.args
    uses = _uses(program)
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


def _uses(program: Program) -> list[int]:
    """How often each node is read; results and checks count twice, so that they are never taken apart."""
    uses = [0] * len(program.ops)
    for i, op in enumerate(program.ops):
        if op > CONST:
            for k in program.args[i] if op < Op.BLOCK else program.operands(i):
                uses[k] += 1
    for i in (*program.results, *(c.node for c in program.checks)):
        uses[i] += 2
    return uses
