"""The status word of a function: one bit a named check, bit 0 for results that are not finite."""

from dataclasses import dataclass

from gough.backends.c.words import identifier, quoted
from gough.errors import Failure
from gough.program.program import NOT_FINITE, Program

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

    def shown(self) -> list[tuple[int, str, str]]:
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
        return f"{prefix}_{self.shown()[self.bit(failure)][1]}"

    def enumeration(self, prefix: str) -> list[str]:
        """Lines of the enumeration of bits."""
        rows = self.shown()
        lines = ["enum {"]
        lines += [f"    {prefix}_{word} = {k}," for k, word, _ in rows]
        return [*lines, f"    {prefix}_CHECKS = {len(rows)}", "};"]

    def table(self, prefix: str, static: str) -> list[str]:
        """Lines of the table of texts."""
        rows = [f"    {quoted(text)}," for _, _, text in self.shown()]
        return [f"{static}const char *const {prefix}_check_names[] = {{", *rows, "};"]
