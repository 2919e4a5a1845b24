"""A program as a graph whose chains of sums are flat: the order of terms says nothing about lanes."""

from gough.program.graph import ADD, CONST, SUB
from gough.program.ops import Op
from gough.program.program import Program
from gough.program.sums import Term, count_uses, inner_sums, sum_terms


class FlatSums:
    """terms[i]: the signed terms of node i where it is a sum that is not part of another; live: nodes that are not inside
    such a sum; equal: {node: an older node of the same value}, for nodes that turn out to be written twice."""

    def __init__(self, program: Program) -> None:
        if any(op == Op.BLOCK for op in program.ops):
            raise ValueError("expand the blocks of a program before it is rolled")
        self.program = program
        self.ops, self.args = program.ops, program.args
        inner = inner_sums(program, count_uses(program))
        roots = (i for i, op in enumerate(self.ops) if op in (ADD, SUB) and not inner[i])
        self.terms = {i: sum_terms(program, i, inner) for i in roots}
        self.live = [not inner[i] for i in range(len(self.ops))]
        self.equal: dict[int, int] = {}
        self._collect()

    def operands(self, i: int) -> tuple[int, ...]:
        """Nodes that node i reads, the terms of a sum."""
        return self._operands[i]

    def signed_operands(self, i: int) -> list[Term]:
        """Operands of node i with their signs."""
        return self._signed[i]

    def merge(self, equal: dict[int, int]) -> None:
        """Read an older node of the same value in place of each node in `equal`."""
        self.equal = equal
        self._collect()

    def _collect(self) -> None:
        same, terms = self.equal, self.terms
        self._signed: list[list[Term]] = []
        for i, op in enumerate(self.ops):
            read = terms[i] if i in terms else [(1, k) for k in self.args[i]] if op > CONST else []
            self._signed.append([(s, same.get(k, k)) for s, k in read] if same else read)
        self._operands = [tuple(k for _, k in read) for read in self._signed]

    def ends(self) -> list[int]:
        """Nodes that results and checks read."""
        program = self.program
        return [self.equal.get(i, i) for i in (*program.results, *(c.node for c in program.checks))]

    def commutes(self, i: int) -> bool:
        """Whether the operands of node i may change places (with their signs)."""
        return i in self.terms or self.ops[i] == Op.MUL
