"""From a program to the operations a GPU has.

The GPU's seeds of 1/x and 1/√x come from the upper halves of the numbers and are good to 2^-19 or so: one step of third
order is enough, where a CPU's 14 bits need one of fourth. In single precision sines, cosines and reciprocals are the
GPU's own.
"""

from gough.program.graph import Graph
from gough.program.lowering import Lowered
from gough.program.ops import Op
from gough.program.passes.expand_angles import expand_angles
from gough.program.passes.expand_blocks import RESIDUAL_SQUARED, SINGLE_SQUARED, expand_blocks
from gough.program.passes.inputs import HOISTED, split_uniform
from gough.program.passes.minimise import minimise
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.reciprocals import share_reciprocals
from gough.program.passes.rewrite import rewrite_machine
from gough.program.program import Program

DTYPES = ("float64", "float32")
RESIDUALS = {"float64": RESIDUAL_SQUARED, "float32": SINGLE_SQUARED}
"""Accepted |A x - b|² / |b|² of an elimination."""


def lower_for_gpu(program: Program, precision: str = "fast", dtype: str = "float64") -> Lowered:
    """Any program, made ready for a GPU; operations keep the order in which they were recorded."""
    split = in_scalars(program, dtype)
    return Lowered(split.once, lower_scalars(split.each, precision, dtype))


def in_scalars(program: Program, dtype: str = "float64") -> Lowered:
    """Any program without blocks, its work on uniform inputs apart; not yet in a GPU's operations."""
    once, each = split_uniform(expand_blocks(program, residual=RESIDUALS[dtype]))
    return Lowered(once if any(slot.name == HOISTED for slot in each.inputs) else None, each)


def in_scalars_alike(program: Program, dtype: str = "float64") -> Lowered:
    """As `in_scalars`, for a search for legs that do the same: solutions of solves are nodes of their own, with their signs.
    Blocks are expanded last, because other passes would take these nodes out again."""
    once, each = split_uniform(program)
    each_scalars = expand_blocks(each, residual=RESIDUALS[dtype], settled=True)
    return Lowered(once if any(slot.name == HOISTED for slot in each.inputs) else None, each_scalars)


def lower_scalars(program: Program, precision: str, dtype: str) -> Program:
    """A program without blocks in the operations of a GPU."""
    program = minimise(program)
    if precision == "fast":
        program = share_reciprocals(program)
    program = contract_multiply_add(program)
    if dtype == "float64":
        program = expand_angles(program)
        if precision == "fast":
            program = expand_seeds(program)
    return program


def expand_seeds(program: Program) -> Program:
    """RCP and RSQRT written out: with e = 1 - x s of a seed s, 1/x = s (1 + e + e²) to e³; with e = 1 - x s²,
    1/√x = s (1 + e/2 + 3e²/8) to e³. The seed of 0 is infinite and the step makes it NaN, which the kernel flags."""
    graph = Graph()
    one = graph.const(1.0)

    def rcp(x: int) -> int:
        s = graph.raw(Op.RCP_SEED, x)
        e = graph.raw(Op.FNMA, x, s, one)
        return graph.raw(Op.FMA, graph.raw(Op.FMA, e, e, e), s, s)

    def rsqrt(x: int) -> int:
        s = graph.raw(Op.RSQRT_SEED, x)
        e = graph.raw(Op.FNMA, graph.raw(Op.MUL, x, s), s, one)
        p = graph.raw(Op.FMA, e, graph.const(0.375), graph.const(0.5))
        return graph.raw(Op.FMA, graph.raw(Op.MUL, s, e), p, s)

    return rewrite_machine(program, graph, {Op.RCP: rcp, Op.RSQRT: rsqrt})
