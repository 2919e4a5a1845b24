"""Long programs: plain statements in functions of some hundred each, with large blocks between them as loops.

The stages, and where their values are, are those of the compiled kernels (`program/looping.py`, `_stage_layout.py`): what passes
from one to the next stands in one array on the stack, behind it what the loops work in. Numbers of the design that blocks
read stand in `prepared` as they run along it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gough.backends._cfamily import C, Printer, indent_lines
from gough.backends._stage_layout import TABLE, Place, PlacedStage, StageLayout, lay_out
from gough.backends.c._blocks import CLEAR, COPY, copied_rows, integer_table, number_table
from gough.backends.c._looping import PART, loops_of
from gough.backends.c._parts_body import NUMBER, PartsBody
from gough.backends.c.flat import identifier_of, tally
from gough.backends.c.listing import (
    Fixed,
    Listing,
    Signature,
    StatusBits,
    prepare_lines,
    prepare_program,
    prepared_table,
    prototype,
    stores,
)
from gough.program.graph import INPUT
from gough.program.looping import cut_for_text, expand_except
from gough.program.ops import Solve
from gough.program.passes.expand_blocks import inline_calls
from gough.program.passes.inputs import HOISTED, split_uniform
from gough.program.passes.minimise import minimise
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.outputs import drop_checks, remove_dead_code
from gough.program.passes.reciprocals import share_reciprocals
from gough.program.program import NOT_FINITE, Program, Slot
from gough.program.splitting import split_stages


def parts_listing(
    program: Program,
    name: str,
    fixed: Mapping[int, Fixed] | None = None,
    defaults: Mapping[str, np.ndarray] | None = None,
    checks: bool = True,
    least: int = 0,
) -> Listing | None:
    """Text in parts. As `flat_listing`; least: None where no block pays as a loop and fewer statements than this are expected."""
    program = inline_calls(program if checks else drop_checks(program))
    kept = loops_of(program, least)
    if kept is None:
        return None
    whole = share_reciprocals(expand_except(program, kept, checks))
    once, each = split_uniform(whole)
    hoisted = any(slot.name == HOISTED for slot in each.inputs)
    stages = split_stages(cut_for_text(each, lambda p: contract_multiply_add(minimise(p))), PART)
    layout = lay_out(stages)
    signature = Signature.of(program)
    has_design = bool(signature.uniform)
    bits = _bits(program, whole, checks)
    layout, table = _read_numbers(layout)
    body = PartsBody(name, signature, layout, bits, "prepared" if has_design else f"{name}_numbers", checks)
    operations = body.tally()
    listing = Listing(name, signature, bits, body.state, support=body.support, operations=operations, stack=body.size)
    if not has_design:
        numbers = number_table(f"{name}_numbers", [C.number(x) for x in table])
        return replace(listing, support=["\n".join(numbers), *body.support] if table else body.support)
    computed, copies = prepared_table(each, table, hoisted)
    preparing = prepare_program(each, once if hoisted else None, [position for _, position in computed])
    given, supports = _given_lines(signature, table, copies)
    calls, design = _design_parts(name, signature, preparing, [k for k, _ in computed])
    own = [*supports, *C.supporting(preparing)]
    return replace(
        listing,
        prepared=max(len(table), 1),
        prepare=prepare_lines(_nothing(preparing), signature, fixed or {}, [*given, *calls]),
        design=design,
        support=list(dict.fromkeys([*own, *body.support])),
        defaults={
            identifier_of(signature, slot): x
            for slot, x in (defaults or {}).items()
            if any(a.slot.name == slot for a in signature.uniform)
        },
        design_operations=tally(preparing),
    )


def _bits(program: Program, whole: Program, checks: bool) -> StatusBits:
    """Bits in the order of the program that is written out: its own checks, then those of its solves."""
    named = [c.failure for c in program.checks]
    blocks = [program.block(i) for i in program.solves] if checks else []
    named += [b.failure for b in blocks if isinstance(b, Solve) and b.failure]
    present = {c.failure for c in whole.checks}
    present |= {b.failure for b in (whole.block(i) for i in whole.solves) if isinstance(b, Solve)}
    return StatusBits(tuple(dict.fromkeys((NOT_FINITE, *(f for f in named if f in present)))))


def _read_numbers(layout: StageLayout) -> tuple[StageLayout, list[float | int]]:
    """(the layout with places in a table of what is read there alone, that table): zeros of solves and numbers that stand in
    statements are not."""
    read: dict[int, None] = {}
    stages: list[PlacedStage] = []
    for stage in layout.stages:
        kept: list[Place] = []
        for k, place in enumerate(stage.inputs):
            if place.space != TABLE:
                kept.append(place)
                continue
            x = layout.table[place.at]
            if isinstance(x, float) and (stage.block is None or _is_idle(stage.block, k, x)):
                kept.append(Place(NUMBER, place.at))
            else:
                read.setdefault(place.at, None)
                kept.append(place)
        stages.append(replace(stage, inputs=tuple(kept)))
    order = {at: k for k, at in enumerate(sorted(read))}
    stages = [
        replace(s, inputs=tuple(Place(TABLE, order[p.at]) if p.space == TABLE else p for p in s.inputs)) for s in stages
    ]
    return replace(layout, stages=tuple(stages)), [layout.table[at] for at in order]


def _is_idle(block: object, k: int, x: float) -> bool:
    """Whether the number x as operand k of a block need not be copied: what is above the diagonal, and zeros of a matrix."""
    if not isinstance(block, Solve) or k >= block.n * block.n:
        return False
    return x == 0.0 or k % block.n > k // block.n


def _design_parts(
    name: str, signature: Signature, preparing: Program, places: Sequence[int]
) -> tuple[list[str], list[str]]:
    """(calls, functions) that compute what stands at `places` of `prepared`, some hundred each; what several need is computed
    again: there is little of it, and were there much, all would be one function."""
    most = PART
    groups = _groups(preparing, most)
    if sum(len(group.ops) for group in groups) > 2 * len(preparing.ops):
        groups, most = _groups(preparing, len(places)), len(places)
    calls, functions = [], []
    for number, group in enumerate(groups):
        read = {args[0] for op, args in zip(group.ops, group.args, strict=True) if op == INPUT}
        own = [a for a in signature.uniform if read & set(range(a.offset, a.offset + a.slot.size))]
        body: list[str] = []
        words = Printer(C).write(group, signature.words(), body)
        body += stores(group, words, [f"prepared[{k}]" for k in places[number * most : (number + 1) * most]])
        part = f"{name}_design{number}"
        heads = [*(f"const double {a.word}[{a.slot.size}]" for a in own), "double *prepared"]
        functions.append("\n".join([prototype("static void", part, heads) + " {", *indent_lines(body), "}"]))
        calls.append(f"{part}({', '.join([*(a.word for a in own), 'prepared'])});")
    return calls, functions


def _groups(program: Program, most: int) -> list[Program]:
    """Programs of at most so many results each."""
    parts = [program.results[k : k + most] for k in range(0, len(program.results), most)]
    return [remove_dead_code(replace(program, outputs=(Slot("part", (len(x),)),), results=x)) for x in parts]


def _nothing(program: Program) -> Program:
    return remove_dead_code(replace(program, outputs=(), results=()))


def _given_lines(
    signature: Signature, table: Sequence[float | int], copies: Mapping[int, int]
) -> tuple[list[str], list[str]]:
    """(statements that put numbers and parameters into `prepared`, functions they call). copies: {place: input position}."""
    lines = [f"clear({len(table)}, prepared);"] if table else []
    lines += [f"prepared[{k}] = {C.number(x)};" for k, x in enumerate(table) if isinstance(x, float) and x != 0.0]
    support = [CLEAR] if table else []
    for a in signature.uniform:
        moves = [(p - a.offset, k) for k, p in copies.items() if a.offset <= p < a.offset + a.slot.size]
        if moves:
            rows = copied_rows(moves)
            lines += integer_table(f"{a.word}_rows", [x for row in rows for x in row])
            lines.append(f"copy_rows({len(rows)}, {a.word}_rows, {a.word}, prepared);")
            support = [*support, COPY]
    return lines, list(dict.fromkeys(support))
