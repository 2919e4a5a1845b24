"""What a reader could not carry over: refused where it changes the dynamics, else a warning; all at once, with file and line."""

from typing import Any

from gough.errors import warn
from gough.interchange.foreign import Written
from gough.robot.errors import ABSENT, DescriptionError, Problem


class ConversionWarning(UserWarning):
    """Something of another program's file that has no counterpart here and does not change the dynamics."""


class Findings:
    """Problems and remarks as they are met."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._remarks: dict[str, list[Written]] = {}
        self._examples: dict[str, str] = {}

    def refuse(self, at: Written, message: str, expected: str = "", value: Any = ABSENT) -> None:
        """Note what makes the file unusable, and what would mend it."""
        self.problems.append(Problem(at.file, at.line, at.path, value, message, expected))

    def remark(self, at: Written, message: str, value: str = "") -> None:
        """Note what is left out and does not matter for the dynamics; the same words of many places are said once, with the
        first value."""
        self._remarks.setdefault(message, []).append(at)
        if value:
            self._examples.setdefault(message, value[:160])

    @property
    def remarks(self) -> list[str]:
        """As they are told: the first place, and how many more there are."""
        found = []
        for message, places in self._remarks.items():
            more = len(dict.fromkeys(places)) - 1
            got = f"got {self._examples[message]!r}" if message in self._examples else ""
            also = f"and in {more} more place{'s' * (more > 1)}" if more else ""
            told = ", ".join(part for part in (got, also) if part)
            said = f"{message} ({told})" if told else message
            found.append(str(Problem(places[0].file, places[0].line, places[0].path, ABSENT, said)))
        return found

    def tell_problems(self) -> None:
        """Raise DescriptionError where something was refused."""
        if self.problems:
            chosen = {(p.file, p.line, p.path, p.message): p for p in self.problems}
            raise DescriptionError(sorted(chosen.values(), key=lambda p: (p.file, p.line or 0)))

    def tell(self) -> None:
        """The same, and warn of every remark."""
        self.tell_problems()
        for text in self.remarks:
            warn(text, ConversionWarning)
