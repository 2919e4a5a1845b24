"""Text of the C family: one printer, and what its dialects differ in as data.

A dialect says how an operation on words is written, what the numbers' type and its special values are called, and which
functions of its own an operation needs. The printer makes a constant of every node, in the order of the program, under the
equation it comes from: `c` prints whole programs with it; `cuda` prints the steps of a plan of registers in its dialect.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gough.errors import UsageError
from gough.program.ops import Op
from gough.program.program import Program

INDENT = "    "

_ALL = {
    Op.ADD: "{} + {}",
    Op.SUB: "{} - {}",
    Op.MUL: "{} * {}",
    Op.DIV: "{} / {}",
    Op.NEG: "-{}",
    Op.SQRT: "sqrt({})",
    Op.SIN: "sin({})",
    Op.COS: "cos({})",
    Op.ATAN2: "atan2({}, {})",
    Op.ABS: "fabs({})",
    Op.ROUND: "rint({})",
}

_SIGN = """\
static double sign(double x) {
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}"""

_QUADRANTS = """\
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


@dataclass(frozen=True)
class Dialect:
    """real: the type of numbers, and what it stands for; cast: before a number that would have another type; nan, infinity: as
    words. operations: text of each on its operands; support: functions of its own that an operation calls."""

    real: str
    operations: Mapping[Op, str]
    nan: str
    infinity: str
    stands_for: str = "double"
    cast: str = ""
    support: Mapping[Op, str] = field(default_factory=dict)

    def expression(self, op: int, operands: Sequence[str]) -> str:
        """Text of an operation on words."""
        form = self.operations.get(Op(op))
        if form is None:
            raise ValueError(
                f"operation {Op(op).name} has no text in this language; expand blocks and lower the program first"
            )
        return form.format(*operands)

    def number(self, x: float) -> str:
        """A number with all its digits; negative ones between brackets, so that they may stand anywhere."""
        if not math.isfinite(x):
            return self.nan if math.isnan(x) else self.infinity if x > 0 else f"(-{self.infinity})"
        text = f"{self.cast}{float(x) + 0.0!r}"
        return f"({text})" if x < 0 else text

    def constant(self, name: str, value: str) -> str:
        """The statement that names a value."""
        return f"const {self.real} {name} = {value};"

    def supporting(self, *programs: Program) -> list[str]:
        """Functions of their own that programs call, each once."""
        used = {op for program in programs for op in program.ops}
        return list(dict.fromkeys(text for op, text in self.support.items() if op in used))


C = Dialect(
    "double",
    {
        **_ALL,
        Op.SIGN: "sign({})",
        Op.SELECT: "{} > 0.0 ? {} : {}",
        Op.FMA: "{} * {} + {}",
        Op.FMS: "{} * {} - {}",
        Op.FNMA: "{2} - {0} * {1}",
        Op.FNMS: "-({} * {}) - {}",
        Op.RCP: "1.0 / {}",
        Op.RSQRT: "1.0 / sqrt({})",
        Op.QUADRANT_SIN: "quadrant_sin({}, {}, {})",
        Op.QUADRANT_COS: "quadrant_cos({}, {}, {})",
    },
    nan="(0.0 / 0.0)",
    infinity="HUGE_VAL",
    support={Op.SIGN: _SIGN, Op.QUADRANT_SIN: _QUADRANTS, Op.QUADRANT_COS: _QUADRANTS},
)
"""C99: a compiler may contract products and sums; it is not told to."""

CUDA = Dialect(
    "real",
    {
        **_ALL,
        Op.SIGN: "sign_of({})",
        Op.SELECT: "{} > (real)0 ? {} : {}",
        Op.FMA: "fma({}, {}, {})",
        Op.FMS: "fma({}, {}, minus({}))",
        Op.FNMA: "fma(minus({}), {}, {})",
        Op.FNMS: "fma(minus({}), {}, minus({}))",
        Op.RCP: "reciprocal({})",
        Op.RSQRT: "reciprocal_root({})",
        Op.RCP_SEED: "reciprocal_seed({})",
        Op.RSQRT_SEED: "reciprocal_root_seed({})",
        Op.QUADRANT_SIN: "quadrant({}, 0, {}, {})",
        Op.QUADRANT_COS: "quadrant({}, 1, {}, {})",
    },
    nan="(real)NAN",
    infinity="(real)INFINITY",
)
"""CUDA C++ of kernels, in the type `real`; `cuda.fixed_text` holds the functions it calls."""

CUDA_SINGLE = replace(CUDA, stands_for="float", cast="(real)")
"""The same where `real` is float: numbers are not doubles."""


class Printer:
    """Statements t0, t1, … of programs, one after the other in one function."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect, self.serial, self.note = dialect, 0, ""

    def fresh(self) -> str:
        """A new name."""
        self.serial += 1
        return f"t{self.serial - 1}"

    def write(
        self,
        program: Program,
        inputs: Mapping[int, str],
        lines: list[str],
        after: Callable[[int, str], Sequence[str]] = lambda i, word: (),
    ) -> list[str]:
        """Append the statements of a program without blocks to `lines`; returns the word of every node. inputs: word of every
        input position that is used. after: more lines behind a node, given its word."""
        words: list[str] = []
        for i, op in enumerate(program.ops):
            args = program.args[i]
            if op == Op.INPUT:
                words.append(inputs[args[0]])
            elif op == Op.CONST:
                words.append(self.dialect.number(args[0]))
            else:
                if program.notes and program.notes[i] and program.notes[i] != self.note:
                    self.note = program.notes[i]
                    lines += ["", f"/* {comment(self.note)} */"]
                words.append(self.fresh())
                lines.append(self.dialect.constant(words[i], self.dialect.expression(op, [words[k] for k in args])))
            lines += after(i, words[i])
        return words


def indent_lines(lines: Sequence[str]) -> list[str]:
    """Lines moved to the right; empty ones stay empty, doubled ones become one."""
    out: list[str] = []
    for line in lines:
        if line or (out and out[-1]):
            out.append(INDENT + line if line else "")
    return out


def wrap_entries(entries: Sequence[str], width: int = 100) -> list[str]:
    """Entries of a table on lines of some width."""
    lines, line = [], ""
    for entry in entries:
        if line and len(line) + len(entry) + 2 > width:
            lines.append(f"    {line}")
            line = ""
        line += f"{' ' if line else ''}{entry},"
    return [*lines, f"    {line}"] if line else lines


# Words that users and robots give, as the language takes them.

_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
    "alignas alignof and and_eq asm bitand bitor bool catch class compl constexpr const_cast decltype delete "
    "dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public reinterpret_cast static_assert static_cast template this thread_local throw true try "
    "typeid typename using virtual wchar_t xor xor_eq main".split()
)


def identifier(text: str) -> str:
    """A C identifier that looks like `text`."""
    word = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_") or "x"
    return f"x{word}" if word[0].isdigit() else f"{word}_" if word in _KEYWORDS else word


def checked_identifier(text: str) -> str:
    """`text` where it is a C identifier; UsageError else."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text) or text in _KEYWORDS:
        raise UsageError(f"name={text!r} is no C identifier; use letters, digits and _ and no word of the language")
    return text


def comment(text: str) -> str:
    """Text that may stand inside a comment: one line, no comment signs."""
    line = " ".join(text.replace("\\", "/").splitlines()).strip()
    while "/*" in line or "*/" in line:
        line = line.replace("/*", "/ *").replace("*/", "* /")
    return line


def string_literal(text: str) -> str:
    """A string literal; characters beyond ASCII as octal escapes of their UTF-8 form, question marks against trigraphs."""
    out = []
    for byte in text.encode():
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        out.append(chr(byte) if plain else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'
