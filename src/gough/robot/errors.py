"""What can be wrong with a description: problems, the error that carries them, warnings."""

from dataclasses import dataclass
from typing import Any

from gough.errors import GoughError


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a description.

    file and line say where it is written (line counts from 1, None when unknown), path is the place inside the
    document (`templates.ups.chain[1].drive.viscous`), value is what was found and expected what should be there.
    """

    file: str
    line: int | None
    path: str
    value: Any
    message: str
    expected: str = ""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        parts = [part for part in (_got(self.value), self.expected and f"expected {self.expected}") if part]
        detail = f" ({'; '.join(parts)})" if parts else ""
        return f"{place}: {self.path or 'document'}: {self.message}{detail}"


class DescriptionError(GoughError, ValueError):
    """A description that cannot be used; `problems` holds everything that is wrong with it, not only the first."""

    def __init__(self, problems: list[Problem]):
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self):
        return (type(self), (self.problems,))


class UnphysicalInertiaWarning(UserWarning):
    """A body whose inertia no distribution of mass can have; the models are computed with it all the same."""


class _Absent:
    """The value of a key that is not there."""

    def __repr__(self) -> str:
        return "absent"

    def __reduce__(self):
        return "ABSENT"


ABSENT = _Absent()


def _got(value: Any) -> str:
    if value is ABSENT:
        return ""
    text = repr(value)
    return f"got {text if len(text) <= 80 else text[:77] + '...'}"
