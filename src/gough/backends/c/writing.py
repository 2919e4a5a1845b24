"""From a program to the pieces of its text."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gough.backends.c.checks import StatusBits
from gough.backends.c.design import Fixed, prepare_lines, prepare_program, uniform_positions
from gough.backends.c.flat import indented, statements
from gough.backends.c.signature import Signature
from gough.backends.c.source import SIGN, Listing
from gough.backends.c.tally import tally
from gough.program.ops import Op
from gough.program.passes.checks import drop_checks
from gough.program.passes.expand_blocks import expand_blocks
from gough.program.passes.hoist import HOISTED, split_uniform
from gough.program.passes.minimise import minimise
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.reciprocals import share_reciprocals
from gough.program.program import Program


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
    state = statements(each, words, signature.results(), bits, name.upper())
    has_design = bool(signature.uniform)
    preparing = prepare_program(each, made, positions) if has_design else None
    lines = [*unused(each, signature, has_design and not positions), *state]
    listing = Listing(name, signature, bits, lines, support=support_of(each), operations=tally(each))
    if preparing is None:
        return listing
    return replace(
        listing,
        prepared=max(len(positions), 1),
        prepare=prepare_lines(preparing, signature, fixed or {}),
        support=support_of(each, preparing),
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


def unused(each: Program, signature: Signature, prepared: bool) -> list[str]:
    """Statements that name arguments a function does not read."""
    used = {args[0] for op, args in zip(each.ops, each.args, strict=True) if op == Op.INPUT}
    names = [a.word for a in signature.varying if not used & set(range(a.offset, a.offset + a.slot.size))]
    return indented([f"(void){word};" for word in [*names, *(["prepared"] if prepared else [])]])


def support_of(*programs: Program) -> list[str]:
    """Functions of its own that a text needs."""
    return [SIGN] if any(op == Op.SIGN for p in programs for op in p.ops) else []
