"""Move numbers to the outside of products: a·(c·x) becomes c·(a·x), so that equal products a·x are found and shared.

ω × (ω × c z) and ω × J ω of an axisymmetric body, for instance, then share their products of rates.
"""

from collections import Counter

from gough.program.graph import CONST, MUL, Graph
from gough.program.passes.rewrite import finish, replay
from gough.program.program import Program


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
