"""Arguments of the generated functions: a slot is an array of doubles, row by row, under a word of its own."""

from dataclasses import dataclass

from gough.backends.c.words import identifier
from gough.program.program import Program, Slot

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
