"""The body of a function with loops: what a program does K times alike is a loop over lanes that compilers vectorise.

Lanes are padded to a whole number of vectors; the padding repeats the last lane, so that it meets no trouble of its own.
Values that leave a loop are arrays g0, g1, … of one entry a lane; the loops have no branches, calls or shared sums.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gough.backends._cfamily import C, Printer, indent_lines, wrap_entries
from gough.backends.c._looping import LONG
from gough.backends.c.flat import (
    failing,
    floor,
    identifier_of,
    not_finite,
    once_and_each,
    tally,
    tally_rolled,
    unused_argument_lines,
)
from gough.backends.c.listing import Fixed, Listing, Signature, StatusBits, prepare_lines, prepare_program
from gough.errors import Failure
from gough.program.ops import Op
from gough.program.passes.expand_angles import expand_angles
from gough.program.passes.minimise import minimise
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.outputs import remove_dead_code
from gough.program.program import NOT_FINITE, Program
from gough.program.rolling import LaneCheck, Rolled, RolledStage, Source, roll


def padded_lanes(lanes: int) -> int:
    """Lanes filled up to whole vectors: 2, 4, or a multiple of 8."""
    return lanes if lanes <= 2 else 4 if lanes <= 4 else -(-lanes // 8) * 8


class LaneBody:
    """Writes the body of a rolled program.

    leaves: C text of every varying input position. columns: {tuple of uniform positions, one a lane: place in `prepared`
    of its first entry}; singles: {uniform position: place in `prepared`}. table: name of the prepared array.
    """

    def __init__(
        self,
        rolled: Rolled,
        leaves: dict[int, str],
        columns: dict[tuple[int, ...], int],
        singles: dict[int, int],
        table: str = "prepared",
    ) -> None:
        self.rolled, self.leaves, self.table = rolled, leaves, table
        self.columns, self.singles = columns, singles
        self.width = padded_lanes(rolled.lanes)
        self.lines: list[str] = []
        self.tables: list[str] = []
        self.values: list[list[str]] = []  # per stage: word of every output; arrays without their index
        self.printer, self.arrays = Printer(C), 0

    def write(self, results: Sequence[str], bits: StatusBits, prefix: str) -> list[str]:
        """Lines of the body."""
        self.bits, self.prefix = bits, prefix
        self.lines = ["uint64_t status = 0;"]
        for stage in self.rolled.stages:
            if stage.lanes == 1:
                self._once(stage)
            else:
                self._loop(stage)
        self.lines.append("")
        self.lines += [f"{place} = {self._word(s)};" for place, s in zip(results, self.rolled.results, strict=True)]
        self.lines += [*not_finite(results, bits.word(prefix, NOT_FINITE)), "return status;"]
        return indent_lines(self.lines)

    # ---------------------------------------------------------------- stages

    def _once(self, stage: RolledStage) -> None:
        program = stage.program
        inputs = dict(enumerate(self._word(s) for s in stage.shared))
        words = self.printer.write(program, inputs, self.lines)
        for check, node in zip(stage.checks, program.checks, strict=True):
            self.lines.append(failing(words[node.node], check.minima[0], self._bit(check.failures[0])))
        self.values.append([words[i] for i in program.results])

    def _loop(self, stage: RolledStage) -> None:
        program, width, lanes = stage.program, self.width, stage.lanes
        own = [self._own(column) for column in stage.own]
        inputs = dict(enumerate([*(self._word(s) for s in stage.shared), *own]))
        arrays = [self._array() for _ in program.results]
        bad = [self._array() for _ in stage.checks]
        fails = self._array() if bad else ""
        self.lines += ["", f"/* {lanes} lanes at once, filled up to {width} */"]
        for word in [*arrays, *bad, *([fails] if bad else [])]:
            self.lines.append(f"double {word}[{width}];")
        minima = [self._minima(check.minima) for check in stage.checks]
        self.lines.append(f"for (int k = 0; k < {width}; ++k) {{")
        inside: list[str] = []
        self.printer.note = ""
        words = self.printer.write(program, inputs, inside)
        for word, i in zip(arrays, program.results, strict=True):
            inside.append(f"{word}[k] = {words[i]};")
        flags = [self.printer.fresh() for _ in bad]
        for flag, minimum, check in zip(flags, minima, program.checks, strict=True):
            inside.append(f"const double {flag} = {words[check.node]} >= {minimum} ? 0.0 : 1.0;")
        inside += [f"{word}[k] = {flag};" for word, flag in zip(bad, flags, strict=True)]
        if bad:
            inside.append(f"{fails}[k] = {' + '.join(flags)};")
        self.lines += [*indent_lines(inside), "}"]
        self.printer.note = ""
        values = arrays[: stage.kept]
        for array in arrays[stage.kept :]:
            total = self.printer.fresh()
            self.lines.append(f"const double {total} = {_sum([f'{array}[{k}]' for k in range(lanes)])};")
            values.append(total)
        if bad:
            self._flags(stage, bad, fails)
        self.values.append(values)

    def _flags(self, stage: RolledStage, bad: list[str], fails: str) -> None:
        """Which lanes fail which check; looked at closely only where some lane fails one."""
        self.lines.append(f"if ({' + '.join(f'{fails}[{k}]' for k in range(stage.lanes))} > 0.0) {{")
        for word, check in zip(bad, stage.checks, strict=True):
            for k, name in enumerate(check.failures):
                self.lines.append(f"    status |= (uint64_t)({word}[{k}] > 0.0) << {self._bit(name)};")
        self.lines.append("}")

    # ---------------------------------------------------------------- words

    def _word(self, source: Source) -> str:
        """C text of one scalar."""
        if source.stage < 0:
            if source.place in self.singles:
                return f"{self.table}[{self.singles[source.place]}]"
            return self.leaves[source.place]
        word = self.values[source.stage][source.place]
        stage = self.rolled.stages[source.stage]
        return f"{word}[{source.lane}]" if stage.lanes > 1 and source.place < stage.kept else word

    def _own(self, column: tuple[Source, ...]) -> str:
        """C text of a lane's input, with the loop's index."""
        first = column[0]
        if all(s.stage < 0 for s in column):
            places = tuple(s.place for s in column)
            if places in self.columns:
                at = self.columns[places]
                return f"{self.table}[{at} + k]" if at else f"{self.table}[k]"
        elif all(s == Source(first.stage, first.place, k) for k, s in enumerate(column)):
            return f"{self.values[first.stage][first.place]}[k]"
        array = self._array()
        entries = [self._word(s) for s in column]
        entries += [entries[-1]] * (self.width - len(entries))
        self.lines.append(f"const double {array}[{self.width}] = {{{', '.join(entries)}}};")
        return f"{array}[k]"

    def _minima(self, minima: tuple[float, ...]) -> str:
        """C text of a check's minimum, a number or a constant array."""
        entries = [floor(x) for x in (*minima, *[minima[-1]] * (self.width - len(minima)))]
        if len(set(entries)) == 1:
            return entries[0]
        array = self._array()
        self.lines.append(f"static const double {array}[{self.width}] = {{{', '.join(entries)}}};")
        return f"{array}[k]"

    def _bit(self, name: Failure) -> str:
        return self.bits.word(self.prefix, name)

    def _array(self) -> str:
        self.arrays += 1
        return f"g{self.arrays - 1}"


def _sum(terms: list[str]) -> str:
    """Terms added in pairs: a short chain."""
    while len(terms) > 1:
        pairs = [f"({a} + {b})" for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + ([terms[-1]] if len(terms) % 2 else [])
    return terms[0].removeprefix("(").removesuffix(")") if terms[0].startswith("(") else terms[0]


# The whole text of a program that does something K times alike.

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
    rolled = tune_stages(rolled)
    signature = Signature.of(program)
    columns, singles, positions = _prepared_layout(rolled)
    has_design = bool(signature.uniform) and not baked
    if baked:
        signature = replace(signature, uniform=())
    bits = _bits(rolled)
    body = LaneBody(rolled, signature.words(), columns, singles, "prepared" if has_design else f"{name}_numbers")
    state = body.write(signature.results(), bits, name.upper())
    lines = [*unused_argument_lines(each, signature, has_design and not positions), *state]
    preparing = prepare_program(each, once, positions)
    support = C.supporting(*(s.program for s in rolled.stages))
    listing = Listing(name, signature, bits, lines, support=support, operations=tally_rolled(rolled))
    if not has_design:
        return replace(listing, support=[*_numbers(name, program, preparing, defaults or {}), *support])
    return replace(
        listing,
        prepared=max(len(positions), 1),
        prepare=prepare_lines(preparing, signature, fixed or {}),
        support=C.supporting(preparing, *(s.program for s in rolled.stages)),
        defaults={identifier_of(signature, slot): x for slot, x in (defaults or {}).items()},
        design_operations=tally(preparing),
    )


def pays(rolled: Rolled) -> bool:
    """Whether loops are expected to be faster: a vector of four lanes costs what one operation costs, and moving numbers
    in and out of lanes something. A text that stays long is better in parts."""
    once, lane = rolled.operations
    if once + lane > LONG:
        return False
    flat = once + rolled.lanes * lane
    moved = sum(len(s.shared) + len(s.own) + s.kept + s.summed for s in rolled.stages if s.lanes > 1)
    return once + lane * padded_lanes(rolled.lanes) / 4 + moved < WORTH * flat


def tune_stages(rolled: Rolled) -> Rolled:
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
    width = padded_lanes(rolled.lanes)
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
    return ["\n".join([head, *wrap_entries([C.number(float(x)) for x in prepared]), "};"])]
