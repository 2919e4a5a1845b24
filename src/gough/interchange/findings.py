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
        self.remarks: list[str] = []

    def refuse(self, at: Written, message: str, expected: str = "", value: Any = ABSENT) -> None:
        """Note what makes the file unusable, and what would mend it."""
        self.problems.append(Problem(at.file, at.line, at.path, value, message, expected))

    def remark(self, at: Written, message: str) -> None:
        """Note what is left out and does not matter for the dynamics; the same words of many places are said once."""
        self.remarks.append(str(Problem(at.file, at.line, at.path, ABSENT, message)))

    def tell_problems(self) -> None:
        """Raise DescriptionError where something was refused."""
        if self.problems:
            chosen = {(p.file, p.line, p.path, p.message): p for p in self.problems}
            raise DescriptionError(sorted(chosen.values(), key=lambda p: (p.file, p.line or 0)))

    def tell(self) -> None:
        """The same, and warn of every remark."""
        self.tell_problems()
        for text in dict.fromkeys(self.remarks):
            warn(text, ConversionWarning)
