"""Words of C: identifiers, numbers and comments made from any text, and the expression of every operation."""

import math
import re
from collections.abc import Sequence

from gough.errors import UsageError
from gough.program.ops import Op

_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
    "alignas alignof and and_eq asm bitand bitor bool catch class compl constexpr const_cast decltype delete "
    "dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public reinterpret_cast static_assert static_cast template this thread_local throw true try "
    "typeid typename using virtual wchar_t xor xor_eq main".split()
)

EXPRESSION = {
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
}


def expression(op: int, operands: Sequence[str]) -> str:
    """C expression of an operation on words."""
    form = EXPRESSION.get(Op(op))
    if form is None:
        raise ValueError(f"operation {Op(op).name} has no C text; expand blocks first")
    return form.format(*operands)


def number(x: float) -> str:
    """A number with all its digits; negative ones between brackets, so that they may stand anywhere."""
    if not math.isfinite(x):
        return "(0.0 / 0.0)" if math.isnan(x) else "HUGE_VAL" if x > 0 else "(-HUGE_VAL)"
    text = repr(float(x) + 0.0)
    return f"({text})" if text.startswith("-") else text


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


def quoted(text: str) -> str:
    """A string literal; characters beyond ASCII as octal escapes of their UTF-8 form, question marks against trigraphs."""
    out = []
    for byte in text.encode():
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        out.append(chr(byte) if plain else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'
