"""Counts by the counting rules: unary minus is free; square, 2x and 1/x count one multiplication; sines, cosines,
arc tangents and square roots are kept apart; comparisons (abs, sign, select) are not arithmetic."""

from dataclasses import asdict, dataclass

from gough.program.ops import Op
from gough.program.passes.expand_angles import expand_angles
from gough.program.passes.expand_blocks import expand_blocks
from gough.program.passes.inputs import split_uniform
from gough.program.passes.minimise import minimise
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.outputs import drop_checks
from gough.program.passes.reciprocals import expand_reciprocals, share_reciprocals
from gough.program.program import Program


@dataclass(frozen=True)
class Count:
    """Numbers of operations of one evaluation. `operations` = add + mul + div; `uniform` is spent once per design."""

    add: int
    mul: int
    div: int
    sqrt: int
    trig: int
    operations: int
    operations_fma: int
    instructions: int
    uniform: int

    def as_dict(self) -> dict[str, int]:
        """Plain dictionary."""
        return asdict(self)


def count(program: Program) -> Count:
    """Count `program` with its blocks expanded, checks off and work on uniform inputs set apart."""
    once, program = split_uniform(expand_blocks(drop_checks(program), checks=False))
    program = minimise(program, thorough=True)
    add, mul, div, sqrt, trig = _tally(program)
    fused = min((contract_multiply_add(p) for p in (program, share_reciprocals(program))), key=arithmetic)
    return Count(
        add=add,
        mul=mul,
        div=div,
        sqrt=sqrt,
        trig=trig,
        operations=add + mul + div,
        operations_fma=arithmetic(fused),
        instructions=instructions(expand_angles(expand_reciprocals(contract_multiply_add(share_reciprocals(program))))),
        uniform=sum(_tally(once)[:3]),
    )


def arithmetic(program: Program) -> int:
    """Additions, multiplications, divisions and multiply-adds."""
    return sum(_tally(program)[:3])


def _tally(program: Program) -> tuple[int, int, int, int, int]:
    add = mul = div = sqrt = trig = 0
    for op, args in zip(program.ops, program.args, strict=True):
        if op in (Op.ADD, Op.SUB):
            add += 1
        elif op in (Op.MUL, Op.FMA, Op.FMS, Op.FNMA, Op.FNMS, Op.RCP):
            mul += 1
        elif op == Op.DIV:
            one = program.ops[args[0]] == Op.CONST and program.args[args[0]][0] == 1.0
            mul, div = mul + one, div + (not one)
        elif op == Op.RSQRT:
            mul, sqrt = mul + 1, sqrt + 1
        elif op == Op.SQRT:
            sqrt += 1
        elif op in (Op.SIN, Op.COS, Op.ATAN2):
            trig += 1
    return add, mul, div, sqrt, trig


_WEIGHT = {Op.QUADRANT_SIN: 4, Op.QUADRANT_COS: 4, Op.RCP_SEED: 2, Op.RSQRT_SEED: 2}
"""Vector instructions of operations that take more than one; a seed holds its port for two."""


def instructions(program: Program) -> int:
    """Vector instructions of a lowered program on AVX-512, without loads and stores."""
    return sum(_WEIGHT.get(Op(op), 1) for op in program.ops if op > Op.CONST)
