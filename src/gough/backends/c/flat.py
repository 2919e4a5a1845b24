"""A program as plain statements, one an operation, under the equation they come from."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gough.backends._cfamily import C, Printer, indent_lines
from gough.backends.c.listing import (
    Fixed,
    Listing,
    Signature,
    StatusBits,
    prepare_lines,
    prepare_program,
    stores,
    uniform_positions,
)
from gough.program.ops import Op
from gough.program.passes.expand_blocks import expand_blocks
from gough.program.passes.inputs import HOISTED, split_uniform
from gough.program.passes.minimise import minimise
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.outputs import drop_checks
from gough.program.passes.reciprocals import share_reciprocals
from gough.program.program import NOT_FINITE, NodeCheck, Program
from gough.program.rolling import Rolled


def flat_statements(
    program: Program, inputs: Mapping[int, str], results: Sequence[str], bits: StatusBits, prefix: str
) -> list[str]:
    """Lines that compute a program without blocks, and its status.

    inputs: word of every input position that is used. results: what each result is stored in; all stores come last, so
    that an output may lie where an input lies. bits: of the checks; prefix: of their constants.
    """
    checks: dict[int, list[NodeCheck]] = {}
    for check in program.checks:
        checks.setdefault(check.node, []).append(check)

    def tested(i: int, word: str) -> list[str]:
        return [failing(word, c.minimum, bits.word(prefix, c.failure)) for c in checks.get(i, ())]

    lines = ["uint64_t status = 0;"]
    words = Printer(C).write(program, inputs, lines, tested)
    lines += ["", *stores(program, words, results)]
    computed = [r for r, i in zip(results, program.results, strict=True) if program.ops[i] != Op.CONST]
    return indent_lines([*lines, *not_finite(computed, bits.word(prefix, NOT_FINITE)), "return status;"])


def failing(word: str, minimum: float, bit: str) -> str:
    """Statement that sets a bit where a value is below its minimum, or NaN."""
    return f"status |= (uint64_t)!({word} >= {floor(minimum)}) << {bit};"


def floor(minimum: float) -> str:
    """A check's minimum. Floors of pivots are a share of what sampled states had: three digits say it."""
    return C.number(float(f"{minimum:.3g}"))


def not_finite(places: Sequence[str], bit: str) -> list[str]:
    """Statements that set a bit where a result is NaN or infinite: 0 times the sum is then NaN."""
    if not places:
        return []
    lines = ["double finite = 0.0;"]
    for k in range(0, len(places), 8):
        lines.append(f"finite += {' + '.join(f'0.0 * {p}' for p in places[k : k + 8])};")
    return [*lines, f"status |= (uint64_t)!(finite == 0.0) << {bit};"]


# The whole text of any program.


def flat_listing(
    program: Program,
    name: str,
    fixed: Mapping[int, Fixed] | None = None,
    defaults: Mapping[str, np.ndarray] | None = None,
    checks: bool = True,
) -> Listing:
    """Text of any program as plain statements.

    name: of the function. fixed: {input position: the value it must have} of uniform inputs the
    program was folded with. defaults: {uniform slot: its numbers (n,)}, shipped as NAME_slot. checks: False leaves the
    checks out; only results that are not finite are then flagged.
    """
    made, each = once_and_each(program, checks)
    each = contract_multiply_add(minimise(each))
    signature = Signature.of(program)
    positions = uniform_positions(each)
    words = signature.words() | {p: f"prepared[{k}]" for k, p in enumerate(positions)}
    bits = StatusBits.of(each)
    state = flat_statements(each, words, signature.results(), bits, name.upper())
    has_design = bool(signature.uniform)
    preparing = prepare_program(each, made, positions) if has_design else None
    lines = [*unused_argument_lines(each, signature, has_design and not positions), *state]
    listing = Listing(name, signature, bits, lines, support=C.supporting(each), operations=tally(each))
    if preparing is None:
        return listing
    return replace(
        listing,
        prepared=max(len(positions), 1),
        prepare=prepare_lines(preparing, signature, fixed or {}),
        support=C.supporting(each, preparing),
        defaults={
            identifier_of(signature, slot): x
            for slot, x in (defaults or {}).items()
            if any(a.slot.name == slot for a in signature.uniform)
        },
        design_operations=tally(preparing),
    )


def once_and_each(program: Program, checks: bool) -> tuple[Program | None, Program]:
    """(work on uniform inputs, None without any; work of a state), in scalar operations with shared reciprocals."""
    whole = share_reciprocals(expand_blocks(program if checks else drop_checks(program), checks))
    once, each = split_uniform(whole)
    return once if any(slot.name == HOISTED for slot in each.inputs) else None, each


def identifier_of(signature: Signature, slot: str) -> str:
    """Word of a uniform slot."""
    return next(a.word for a in signature.uniform if a.slot.name == slot)


def unused_argument_lines(each: Program, signature: Signature, prepared: bool) -> list[str]:
    """Statements that name arguments a function does not read."""
    used = {args[0] for op, args in zip(each.ops, each.args, strict=True) if op == Op.INPUT}
    names = [a.word for a in signature.varying if not used & set(range(a.offset, a.offset + a.slot.size))]
    return indent_lines([f"(void){word};" for word in [*names, *(["prepared"] if prepared else [])]])


# Operations of a text, as people count them.

_KINDS = {
    "multiply-adds": (Op.FMA, Op.FMS, Op.FNMA, Op.FNMS),
    "multiplications": (Op.MUL,),
    "additions": (Op.ADD, Op.SUB),
    "divisions": (Op.DIV, Op.RCP, Op.RSQRT),
    "square roots": (Op.SQRT, Op.RSQRT),
    "sines and cosines": (Op.SIN, Op.COS),
    "arc tangents": (Op.ATAN2,),
}


def tally(program: Program) -> dict[str, int]:
    """{kind: number} of a program without blocks; signs and comparisons are not counted."""
    return {kind: sum(op in ops for op in program.ops) for kind, ops in _KINDS.items()}


def tally_rolled(rolled: Rolled) -> dict[str, int]:
    """The same of a rolled program: what runs once, then what runs in every lane."""
    once = _together([tally(s.program) for s in rolled.stages if s.lanes == 1])
    lane = _together([tally(s.program) for s in rolled.stages if s.lanes > 1])
    return once | {f"and in each of {rolled.lanes} lanes {kind}": n for kind, n in lane.items()}


def _together(rows: list[dict[str, int]]) -> dict[str, int]:
    return {kind: sum(row[kind] for row in rows) for kind in _KINDS}
