"""From a program to the pieces of its text with loops over what it does K times alike."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gough.backends.c.checks import StatusBits
from gough.backends.c.design import Fixed, prepare_lines, prepare_program, wrapped
from gough.backends.c.lanes import QUADRANTS, LaneBody, padded
from gough.backends.c.signature import Signature
from gough.backends.c.source import Listing
from gough.backends.c.tally import tally, tally_rolled
from gough.backends.c.words import number
from gough.backends.c.writing import identifier_of, once_and_each, support_of, unused
from gough.program.ops import Op
from gough.program.passes.dead_code import remove_dead_code
from gough.program.passes.expand_angles import expand_angles
from gough.program.passes.minimise import minimise
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.program import Program
from gough.program.rolling import LaneCheck, Rolled, RolledStage, roll

ANGLES = "sines and cosines: whole quarter turns are taken off, then the polynomials of fdlibm"
WORTH = 0.75
"""Share of the plain text's cost below which loops pay."""


def rolled_listing(
    program: Program,
    name: str,
    fixed: Mapping[int, Fixed] | None = None,
    defaults: Mapping[str, np.ndarray] | None = None,
    checks: bool = True,
    baked: bool = False,
    least: int = 3,
    paying: bool = False,
) -> Listing | None:
    """Text with loops; None where fewer than `least` lanes are found, or where that does not pay.

    As `flat_listing`; baked: the numbers in `defaults` stand in the text, and there is no design argument. paying: only
    where loops are expected to be faster than plain statements.
    """
    once, each = once_and_each(program, checks)
    rolled = roll(each, least=least)
    if rolled is None or (paying and not pays(rolled)):
        return None
    rolled = tuned(rolled)
    signature = Signature.of(program)
    columns, singles, positions = _prepared_layout(rolled)
    has_design = bool(signature.uniform) and not baked
    if baked:
        signature = replace(signature, uniform=())
    bits = _bits(rolled)
    body = LaneBody(rolled, signature.words(), columns, singles, "prepared" if has_design else f"{name}_numbers")
    state = body.write(signature.results(), bits, name.upper())
    lines = [*unused(each, signature, has_design and not positions), *state]
    preparing = prepare_program(each, once, positions)
    support = [*support_of(*(s.program for s in rolled.stages)), *_quadrants(rolled)]
    listing = Listing(name, signature, bits, lines, support=support, operations=tally_rolled(rolled))
    if not has_design:
        return replace(listing, support=[*_numbers(name, program, preparing, defaults or {}), *support])
    return replace(
        listing,
        prepared=max(len(positions), 1),
        prepare=prepare_lines(preparing, signature, fixed or {}),
        support=[*support_of(preparing, *(s.program for s in rolled.stages)), *_quadrants(rolled)],
        defaults={identifier_of(signature, slot): x for slot, x in (defaults or {}).items()},
        design_operations=tally(preparing),
    )


def pays(rolled: Rolled) -> bool:
    """Whether loops are expected to be faster: a vector of four lanes costs what one operation costs, and moving numbers
    in and out of lanes something."""
    once, lane = rolled.operations
    flat = once + rolled.lanes * lane
    moved = sum(len(s.shared) + len(s.own) + s.kept + s.summed for s in rolled.stages if s.lanes > 1)
    return once + lane * padded(rolled.lanes) / 4 + moved < WORTH * flat


def tuned(rolled: Rolled) -> Rolled:
    """Stages with few operations, multiply-adds, and sines and cosines written out where they run in lanes."""
    rolled = rolled.map(lambda p: contract_multiply_add(minimise(p)))
    return replace(rolled, stages=tuple(_with_angles(s) if s.lanes > 1 else s for s in rolled.stages))


def _with_angles(stage: RolledStage) -> RolledStage:
    """Sines and cosines by polynomials. Of their checks, that the angle is not too large for products that round twice is
    enough: it also finds angles that are not finite."""
    program = stage.program
    notes = [ANGLES if op in (Op.SIN, Op.COS) else note for op, note in zip(program.ops, program.notes, strict=False)]
    program = expand_angles(replace(program, notes=notes), fused=False)
    more = [c for c in program.checks[len(stage.checks) :] if program.ops[c.node] == Op.SUB]
    program = remove_dead_code(replace(program, checks=(*program.checks[: len(stage.checks)], *more)))
    added = [LaneCheck((c.failure,) * stage.lanes, (c.minimum,) * stage.lanes) for c in more]
    return replace(stage, program=program, checks=(*stage.checks, *added))


def _bits(rolled: Rolled) -> StatusBits:
    names = StatusBits.of(rolled.program).failures
    lane_names = (n for s in rolled.stages for c in s.checks for n in c.failures)
    return StatusBits(tuple(dict.fromkeys((*names, *lane_names))))


def _prepared_layout(rolled: Rolled) -> tuple[dict[tuple[int, ...], int], dict[int, int], list[int]]:
    """(place of every column of uniform inputs, place of single ones, input position of every entry of `prepared`)."""
    uniform = rolled.program.uniform_inputs()
    width = padded(rolled.lanes)
    columns: dict[tuple[int, ...], int] = {}
    positions: list[int] = []
    for stage in rolled.stages:
        for column in stage.own:
            places = tuple(s.place for s in column)
            if all(s.stage < 0 and uniform[s.place] for s in column) and places not in columns:
                columns[places] = len(positions)
                positions += [*places, *[places[-1]] * (width - len(places))]
    singles: dict[int, int] = {}
    for stage in rolled.stages:
        for source in (*stage.shared, *(s for column in stage.own for s in column), *rolled.results):
            if source.stage < 0 and uniform[source.place] and source.place not in singles:
                if any(source.place in places for places in columns):
                    row = next(p for p in columns if source.place in p)
                    singles[source.place] = columns[row] + row.index(source.place)
                else:
                    singles[source.place] = len(positions)
                    positions.append(source.place)
    return columns, singles, positions


def _numbers(name: str, program: Program, preparing: Program, defaults: Mapping[str, np.ndarray]) -> list[str]:
    """The prepared numbers of a design as a constant table."""
    if not preparing.results:
        return []
    values = np.concatenate([np.asarray(defaults.get(s.name, np.zeros(s.size)), dtype=float) for s in program.inputs])
    prepared = preparing.evaluate_flat(values)
    head = f"static const double {name}_numbers[{len(prepared)}] = {{"
    return ["\n".join([head, *wrapped([number(float(x)) for x in prepared]), "};"])]


def _quadrants(rolled: Rolled) -> list[str]:
    used = any(op in (Op.QUADRANT_SIN, Op.QUADRANT_COS) for s in rolled.stages for op in s.program.ops)
    return [QUADRANTS] if used else []
