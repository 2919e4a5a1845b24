"""What a text is made of: the arguments of its functions, the bits of its status word, and all pieces together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gough.backends.cfamily import identifier, string_literal
from gough.errors import Failure
from gough.program.program import NOT_FINITE, Program, Slot

_TAKEN = (
    *("prepared", "status", "finite", "n", "i", "k", "stream", "blocks", "kernel", "arguments"),
    *("sin", "cos", "sqrt", "atan2", "fabs", "sign", "quadrant_sin", "quadrant_cos", "memcpy"),
)
"""Words the text uses itself."""


@dataclass(frozen=True)
class Argument:
    """A slot, its word in C and the position of its first entry over all slots of its side."""

    slot: Slot
    word: str
    offset: int

    def entry(self, k: int) -> str:
        """C text of entry k."""
        return f"{self.word}[{k}]"


@dataclass(frozen=True)
class Signature:
    """Arguments in order: inputs that vary with the state, inputs that are one design, outputs."""

    varying: tuple[Argument, ...]
    uniform: tuple[Argument, ...]
    outputs: tuple[Argument, ...]

    @classmethod
    def of(cls, program: Program) -> "Signature":
        """Arguments of a program; words differ, slots without entries are left out."""
        taken = set(_TAKEN)
        inputs = _arguments(program.inputs, taken)
        return cls(
            tuple(a for a in inputs if not a.slot.uniform),
            tuple(a for a in inputs if a.slot.uniform),
            tuple(_arguments(program.outputs, taken)),
        )

    def words(self) -> dict[int, str]:
        """{input position: C text} of all inputs."""
        return {a.offset + k: a.entry(k) for a in (*self.varying, *self.uniform) for k in range(a.slot.size)}

    def results(self) -> list[str]:
        """C text of every result."""
        return [a.entry(k) for a in self.outputs for k in range(a.slot.size)]

    def state_arguments(self, prepared: int) -> list[str]:
        """Declarations of the arguments of the function of a state; prepared: numbers a design gives, 0 without any."""
        design = [f"const double prepared[{prepared}]"] if prepared else []
        return [*map(_constant, self.varying), *design, *(f"double {a.word}[{a.slot.size}]" for a in self.outputs)]

    def design_arguments(self, prepared: int) -> list[str]:
        """Declarations of the arguments of the function of a design."""
        return [*map(_constant, self.uniform), f"double prepared[{prepared}]"]


def prototype(kind: str, name: str, arguments: list[str]) -> str:
    """Head of a function, one argument a line where it is long."""
    line = f"{kind} {name}({', '.join(arguments) or 'void'})"
    return line if len(line) < 100 else f"{kind} {name}(\n    " + ",\n    ".join(arguments) + ")"


def _constant(argument: Argument) -> str:
    return f"const double {argument.word}[{argument.slot.size}]"


def _arguments(slots: tuple[Slot, ...], taken: set[str]) -> list[Argument]:
    found, offset = [], 0
    for slot in slots:
        word = identifier(slot.name)
        while word in taken or (word[0] in "tg" and word[1:].isdigit()):
            word += "_"
        if slot.size:
            taken.add(word)
            found.append(Argument(slot, word, offset))
        offset += slot.size
    return found


LAST_BIT = 63


@dataclass(frozen=True)
class StatusBits:
    """Checks by name; those beyond the 64th share the last bit."""

    failures: tuple[Failure, ...]

    @classmethod
    def of(cls, program: Program) -> "StatusBits":
        """Bits of a program without blocks."""
        return cls((NOT_FINITE, *dict.fromkeys(c.failure for c in program.checks)))

    def bit(self, failure: Failure) -> int:
        """Bit of a check."""
        return min(self.failures.index(failure), LAST_BIT)

    def bit_rows(self) -> list[tuple[int, str, str]]:
        """(bit, word, text) of every bit; words differ."""
        rows, taken = [], set()
        for k, name in enumerate(str(f) for f in self.failures[: LAST_BIT + 1]):
            word = identifier(name).upper()
            while word in taken:
                word += "_"
            taken.add(word)
            rows.append((k, word, name))
        if len(self.failures) > LAST_BIT + 1:
            rows[-1] = (LAST_BIT, "OTHERS", "others: " + ", ".join(str(f) for f in self.failures[LAST_BIT:]))
        return rows

    def word(self, prefix: str, failure: Failure) -> str:
        """Constant that stands for a check's bit."""
        return f"{prefix}_{self.bit_rows()[self.bit(failure)][1]}"

    def enumeration(self, prefix: str) -> list[str]:
        """Lines of the enumeration of bits."""
        rows = self.bit_rows()
        lines = ["enum {"]
        lines += [f"    {prefix}_{word} = {k}," for k, word, _ in rows]
        return [*lines, f"    {prefix}_CHECKS = {len(rows)}", "};"]

    def table(self, prefix: str) -> list[str]:
        """Lines of the table of texts."""
        rows = [f"    {string_literal(text)}," for _, _, text in self.bit_rows()]
        return [f"const char *const {prefix}_check_names[] = {{", *rows, "};"]


@dataclass(frozen=True)
class Listing:
    """The pieces of a program's text. head: lines of the comment at the top; prepared: numbers a design gives (0 without
    a design); prepare: body of the function of a design; state: body of the function of a state; support: functions and
    tables it uses; defaults: {word of a uniform slot: numbers}, the design that is shipped; operations, design_operations:
    {kind: number} of a state and of a design."""

    name: str
    signature: Signature
    bits: StatusBits
    state: Sequence[str]
    head: Sequence[str] = ()
    prepared: int = 0
    prepare: Sequence[str] = ()
    support: Sequence[str] = ()
    defaults: Mapping[str, np.ndarray] = field(default_factory=dict)
    operations: Mapping[str, int] = field(default_factory=dict)
    design_operations: Mapping[str, int] = field(default_factory=dict)

    @property
    def upper(self) -> str:
        """Prefix of the constants."""
        return self.name.upper()

    def state_prototype(self) -> str:
        """Head of the function of a state."""
        return prototype("uint64_t", self.name, self.signature.state_arguments(self.prepared))

    def prepare_prototype(self) -> str:
        """Head of the function of a design."""
        return prototype("int", f"{self.name}_prepare", self.signature.design_arguments(self.prepared))
