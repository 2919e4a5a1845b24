"""Try the rewriting passes in turn and keep each result that has fewer operations."""

from collections import Counter

from gough.program._sums import count_uses, inner_sums, sum_terms
from gough.program.graph import ADD, CONST, MUL, SUB, Graph
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

Product = tuple[int, tuple[int, ...]]
"""Sign and one node, or the two factors of a product."""


def factor_sums(program: Program) -> Program:
    """The same program with common factors of sums taken out."""
    ops, args = program.ops, program.args
    uses = count_uses(program)
    inner = inner_sums(program, uses)
    graph = Graph()

    def rewrite(i: int, new: list[int]) -> int:
        if inner[i]:
            return -1
        terms: list[Product] = []
        for sign, k in sum_terms(program, i, inner):
            alone = ops[k] == MUL and uses[k] == 1
            terms.append((sign, (new[args[k][0]], new[args[k][1]]) if alone else (new[k],)))
        return _sum(graph, terms)

    own = {i for i, op in enumerate(ops) if inner[i] or op in (ADD, SUB)}
    return finish(program, graph, replay(program, graph, own=own, rewrite=rewrite))


def _sum(graph: Graph, terms: list[Product]) -> int:
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
        rest: list[Product] = []
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
    uses = count_uses(program)
    scaled: dict[int, tuple[int, int, int]] = {}
    pairs: Counter[tuple[int, int]] = Counter()
    for i, op in enumerate(ops):
        if op == MUL and ops[args[i][0]] == CONST and ops[args[i][1]] == MUL and uses[args[i][1]] == 1:
            c, product = int(args[i][0]), int(args[i][1])
            x, y = args[product]
            scaled[i] = (c, x, y)
            pairs.update([(c, x)] if x == y else [(c, x), (c, y)])
    graph = Graph()

    def rewrite(i: int, new: list[int]) -> int:
        c, x, y = scaled[i]
        if pairs[c, x] > pairs[c, y]:
            x, y = y, x
        return graph.mul(new[x], graph.mul(new[c], new[y]))

    own = {i for i, (c, x, y) in scaled.items() if max(pairs[c, x], pairs[c, y]) > 1}
    return finish(program, graph, replay(program, graph, own=own, rewrite=rewrite))
