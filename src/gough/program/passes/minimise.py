"""Try the rewriting passes in turn and keep each result that has fewer operations."""

from gough.program.ops import Op
from gough.program.passes.factor_sums import factor_sums
from gough.program.passes.pull_constants import frequent_factors, pull_constants
from gough.program.passes.share_scaled import share_scaled
from gough.program.program import Program

_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.SQRT, Op.SIN, Op.COS, Op.ATAN2})
ROUNDS = 3
LARGEST = 30_000
"""Longer programs are left as they are: the passes would take seconds."""
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
    pulled = _pulled(program, TRIED_FACTORS if thorough else 0)
    best = min((_settle(program), pulled), key=operations)
    return best if operations(best) < operations(program) else program


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
