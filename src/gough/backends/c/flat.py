"""The body of a function as plain statements, one an operation, under the equation they come from."""

from collections.abc import Mapping, Sequence

from gough.backends.c.checks import StatusBits
from gough.backends.c.words import comment, expression, number
from gough.program.ops import Op
from gough.program.program import NOT_FINITE, Program

INDENT = "    "


def statements(
    program: Program, inputs: Mapping[int, str], results: Sequence[str], bits: StatusBits | None, prefix: str
) -> list[str]:
    """Lines that compute a program without blocks.

    inputs: word of every input position that is used. results: what each result is stored in; all stores come last, so
    that an output may lie where an input lies. bits: of the checks, None without a status word; prefix: of its constants.
    """
    words: list[str] = []
    lines: list[str] = []
    checks: dict[int, list] = {}
    for check in program.checks if bits is not None else ():
        checks.setdefault(check.node, []).append(check)
    if bits is not None:
        lines.append("uint64_t status = 0;")
    note, serial = "", 0
    for i, op in enumerate(program.ops):
        args = program.args[i]
        if op == Op.INPUT:
            words.append(inputs[args[0]])
        elif op == Op.CONST:
            words.append(number(args[0]))
        else:
            if program.notes and program.notes[i] != note and program.notes[i]:
                note = program.notes[i]
                lines += ["", f"/* {comment(note)} */"]
            words.append(f"t{serial}")
            serial += 1
            lines.append(f"const double {words[i]} = {expression(op, [words[k] for k in args])};")
        for check in checks.get(i, ()):
            assert bits is not None
            lines.append(failing(words[i], check.minimum, bits.word(prefix, check.failure)))
    lines += ["", *stores(program, words, results)]
    if bits is not None:
        computed = [r for r, i in zip(results, program.results, strict=True) if program.ops[i] != Op.CONST]
        lines += [*not_finite(computed, bits.word(prefix, NOT_FINITE)), "return status;"]
    return indented(lines)


def indented(lines: Sequence[str], depth: int = 1) -> list[str]:
    """Lines moved to the right; empty ones stay empty, doubled ones become one."""
    out: list[str] = []
    for line in lines:
        if line or (out and out[-1]):
            out.append(INDENT * depth + line if line else "")
    return out


def failing(word: str, minimum: float, bit: str) -> str:
    """Statement that sets a bit where a value is below its minimum, or NaN."""
    return f"status |= (uint64_t)!({word} >= {floor(minimum)}) << {bit};"


def floor(minimum: float) -> str:
    """A check's minimum. Floors of pivots are a share of what sampled states had: three digits say it."""
    return number(float(f"{minimum:.3g}"))


def stores(program: Program, words: Sequence[str], results: Sequence[str]) -> list[str]:
    """Statements that store the results."""
    return [f"{place} = {words[i]};" for place, i in zip(results, program.results, strict=True)]


def not_finite(places: Sequence[str], bit: str) -> list[str]:
    """Statements that set a bit where a result is NaN or infinite: 0 times the sum is then NaN."""
    if not places:
        return []
    lines = ["double finite = 0.0;"]
    for k in range(0, len(places), 8):
        lines.append(f"finite += {' + '.join(f'0.0 * {p}' for p in places[k : k + 8])};")
    return [*lines, f"status |= (uint64_t)!(finite == 0.0) << {bit};"]
