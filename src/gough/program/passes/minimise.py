"""Try the rewriting passes in turn and keep each result that has fewer operations."""

from gough.program.ops import Op
from gough.program.passes.factor_sums import factor_sums
from gough.program.passes.pull_constants import frequent_factors, pull_constants
from gough.program.passes.share_scaled import share_scaled
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
        candidates = [program, _settle(program), _pulled(program, TRIED_FACTORS)]
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


def _pulled(program: Program, tries: int) -> Program:
    """Numbers outside products, except those that pay inside."""
    inside: frozenset[float] = frozenset()
    size = operations(_settle(pull_constants(program), 1)) if tries else 0
    for value in frequent_factors(program, tries):
        tried = operations(_settle(pull_constants(program, inside | {value}), 1))
        if tried < size:
            size, inside = tried, inside | {value}
    return _settle(pull_constants(program, inside))
