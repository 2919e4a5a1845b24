"""Sums of products as chains of multiply-adds (one rounding each).

Sums with a single use are flattened into the sum that uses them. A sum of p products and t other terms then costs
p + t - 1 operations when t > 0, else p: one product starts the chain. A product all of whose uses are such sums is never
made by itself. Terms enter a chain in the order in which they are ready.
"""

from gough.program._sums import Term, count_uses, inner_sums, sum_terms
from gough.program.graph import ADD, CONST, MUL, NEG, SUB, Graph
from gough.program.ops import Op
from gough.program.passes.rewrite import finish
from gough.program.program import Program


def contract_multiply_add(program: Program) -> Program:
    """The same program with a·b + c, a·b - c, c - a·b and -a·b - c as single operations; it may not have blocks."""
    return _Contraction(program).run()


class _Contraction:
    def __init__(self, program: Program) -> None:
        self.program = program
        uses = count_uses(program)
        self.inner = inner_sums(program, uses)
        roots = (i for i, op in enumerate(program.ops) if op in (ADD, SUB) and not self.inner[i])
        self.sums = {i: sum_terms(program, i, self.inner) for i in roots}
        self.made = self._own_products(uses)
        self.graph = Graph()
        self.new = [-1] * len(program.ops)
        self.depth: list[int] = []

    def _own_products(self, uses: list[int]) -> set[int]:
        """Products that are made by themselves: those with another use than in sums, and one a sum without other terms."""
        ops = self.program.ops
        in_sums = [0] * len(ops)
        for terms in self.sums.values():
            for _, k in terms:
                in_sums[k] += 1
        made = {i for i, op in enumerate(ops) if op == MUL and uses[i] > in_sums[i]}
        bare = [terms for terms in self.sums.values() if all(ops[k] == MUL for _, k in terms)]
        in_bare = [0] * len(ops)
        for terms in bare:
            for _, k in terms:
                in_bare[k] += 1
        for terms in bare:
            if not any(k in made for _, k in terms):
                made.add(max(terms, key=lambda t: (in_bare[t[1]], t[0]))[1])
        return made

    def run(self) -> Program:
        program, graph, new = self.program, self.graph, self.new
        ops, args, notes = program.ops, program.args, program.notes
        for i, op in enumerate(ops):
            if notes:
                graph.note = notes[i]
            if op <= CONST:
                new[i] = graph.raw(op, *args[i])
            elif op in (ADD, SUB):
                if not self.inner[i]:
                    new[i] = self._chain(self.sums[i])
            elif (op == NEG and self.inner[i]) or (op == MUL and i not in self.made):
                continue
            else:
                new[i] = graph.build(op, tuple([new[k] for k in args[i]]))
        graph.note = None
        return finish(program, graph, new)

    def _ready(self, i: int) -> int:
        graph, depth = self.graph, self.depth
        for j in range(len(depth), i + 1):
            depth.append(0 if graph.ops[j] <= CONST else 1 + max([depth[k] for k in graph.args[j]]))
        return depth[i]

    def _chain(self, terms: list[Term]) -> int:
        ops, args, new, graph = self.program.ops, self.program.args, self.new, self.graph
        products: list[tuple[int, int, int, int]] = []
        plain: list[tuple[int, int, int]] = []
        for sign, k in terms:
            if ops[k] == MUL and new[k] < 0:
                x, y = new[args[k][0]], new[args[k][1]]
                products.append((max(self._ready(x), self._ready(y)), sign, x, y))
            else:
                plain.append((self._ready(new[k]), sign, new[k]))
        if products and len(plain) > 1:  # products that exist anyway are cheaper as multiply-adds than as terms
            for term in [t for t in terms if ops[t[1]] == MUL and new[t[1]] >= 0]:
                x, y = new[args[term[1]][0]], new[args[term[1]][1]]
                plain.remove((self._ready(new[term[1]]), term[0], new[term[1]]))
                products.append((max(self._ready(x), self._ready(y)), term[0], x, y))
                if len(plain) == 1:
                    break
        plain.sort(key=lambda t: (t[0], -t[1]))
        _, sign, total = plain.pop(0)
        if sign < 0:
            total = graph.neg(total)
        steps: list[tuple[int, int, int, int]] = [*products, *((d, s, x, -1) for d, s, x in plain)]
        for _, sign, x, y in sorted(steps, key=lambda t: t[0]):
            if y < 0:
                total = graph.add(total, x) if sign > 0 else graph.sub(total, x)
            else:
                total = self._multiply_add(sign, x, y, total)
        return total

    def _multiply_add(self, sign: int, x: int, y: int, z: int) -> int:
        """sign·x·y + z, signs of the operands folded in."""
        graph = self.graph
        ops, args = graph.ops, graph.args
        plus = 1
        if ops[x] == NEG:
            x, sign = args[x][0], -sign
        if ops[y] == NEG:
            y, sign = args[y][0], -sign
        if ops[z] == NEG:
            z, plus = args[z][0], -plus
        if ops[z] == CONST and args[z][0] == 0.0:
            product = graph.mul(x, y)
            return product if sign > 0 else graph.neg(product)
        if x > y:
            x, y = y, x
        if sign > 0:
            return graph.raw(Op.FMA if plus > 0 else Op.FMS, x, y, z)
        return graph.raw(Op.FNMA if plus > 0 else Op.FNMS, x, y, z)
