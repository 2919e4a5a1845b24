"""The body of a function with loops: what a program does K times alike is a loop over lanes that compilers vectorise.

Lanes are padded to a whole number of vectors; the padding repeats the last lane, so that it meets no trouble of its own.
Values that leave a loop are arrays g0, g1, … of one entry a lane; the loops have no branches, calls or shared sums.
"""

from collections.abc import Sequence

from gough.backends.c.checks import StatusBits
from gough.backends.c.flat import failing, floor, indented, not_finite
from gough.backends.c.words import comment, expression, number
from gough.errors import Failure
from gough.program.ops import Op
from gough.program.program import NOT_FINITE
from gough.program.rolling import Rolled, RolledStage, Source

QUADRANTS = """\
/* Sine and cosine from those of the remainder after whole quarter turns; the last two bits of t count the turns. */
static double quadrant_sin(double t, double s, double c) {
    uint64_t turns;
    memcpy(&turns, &t, sizeof turns);
    const double x = (turns & 1) != 0 ? c : s;
    return (turns & 2) != 0 ? -x : x;
}

static double quadrant_cos(double t, double s, double c) {
    uint64_t turns;
    memcpy(&turns, &t, sizeof turns);
    const double x = (turns & 1) != 0 ? s : c;
    return ((turns + 1) & 2) != 0 ? -x : x;
}"""


def padded(lanes: int) -> int:
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
        self.width = padded(rolled.lanes)
        self.lines: list[str] = []
        self.tables: list[str] = []
        self.values: list[list[str]] = []  # per stage: word of every output; arrays without their index
        self.serial = self.arrays = 0
        self.note = ""

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
        return indented(self.lines)

    # ---------------------------------------------------------------- stages

    def _once(self, stage: RolledStage) -> None:
        words = self._statements(stage, [self._word(s) for s in stage.shared], self.lines, "")
        program = stage.program
        for check, node in zip(stage.checks, program.checks, strict=True):
            self.lines.append(failing(words[node.node], check.minima[0], self._bit(check.failures[0])))
        self.values.append([words[i] for i in program.results])

    def _loop(self, stage: RolledStage) -> None:
        program, width, lanes = stage.program, self.width, stage.lanes
        own = [self._own(column) for column in stage.own]
        inputs = [*[self._word(s) for s in stage.shared], *own]
        arrays = [self._array() for _ in program.results]
        bad = [self._array() for _ in stage.checks]
        fails = self._array() if bad else ""
        self.lines += ["", f"/* {lanes} lanes at once, filled up to {width} */"]
        for word in [*arrays, *bad, *([fails] if bad else [])]:
            self.lines.append(f"double {word}[{width}];")
        minima = [self._minima(check.minima) for check in stage.checks]
        self.lines.append(f"for (int k = 0; k < {width}; ++k) {{")
        inside: list[str] = []
        self.note = ""
        words = self._statements(stage, inputs, inside, "")
        for word, i in zip(arrays, program.results, strict=True):
            inside.append(f"{word}[k] = {words[i]};")
        flags = [self._fresh() for _ in bad]
        for flag, minimum, check in zip(flags, minima, program.checks, strict=True):
            inside.append(f"const double {flag} = {words[check.node]} >= {minimum} ? 0.0 : 1.0;")
        inside += [f"{word}[k] = {flag};" for word, flag in zip(bad, flags, strict=True)]
        if bad:
            inside.append(f"{fails}[k] = {' + '.join(flags)};")
        self.lines += [*indented(inside), "}"]
        self.note = ""
        values = arrays[: stage.kept]
        for array in arrays[stage.kept :]:
            total = self._fresh()
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

    def _statements(self, stage: RolledStage, inputs: list[str], lines: list[str], note: str) -> list[str]:
        program = stage.program
        words: list[str] = []
        for i, op in enumerate(program.ops):
            args = program.args[i]
            if op == Op.INPUT:
                words.append(inputs[args[0]])
            elif op == Op.CONST:
                words.append(number(args[0]))
            else:
                if program.notes and program.notes[i] and program.notes[i] != self.note:
                    self.note = program.notes[i]
                    lines += ["", f"/* {comment(self.note)} */"]
                words.append(self._fresh())
                lines.append(f"const double {words[i]} = {expression(op, [words[k] for k in args])};")
        return words

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

    def _fresh(self) -> str:
        self.serial += 1
        return f"t{self.serial - 1}"

    def _array(self) -> str:
        self.arrays += 1
        return f"g{self.arrays - 1}"


def _sum(terms: list[str]) -> str:
    """Terms added in pairs: a short chain."""
    while len(terms) > 1:
        pairs = [f"({a} + {b})" for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + ([terms[-1]] if len(terms) % 2 else [])
    return terms[0].removeprefix("(").removesuffix(")") if terms[0].startswith("(") else terms[0]
