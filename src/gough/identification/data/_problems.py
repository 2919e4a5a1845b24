"""Problems of data: what is wrong, where, and what to do; all that were found are told together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.errors import BadDataError, UsageError

MOST_TOLD = 30
KINDS = (
    "missing short unsorted repeated gap nan sentinel constant units sign limits wrap saturated quaternion reach branch"
).split()
NEVER = ("missing", "short", "branch", "wrap")
"""Kinds with which nothing can be done."""


@dataclass(frozen=True)
class DataProblem:
    """kind: a word by which it can be accepted ("gap", "constant", …). place: file or record. channel: "force leg0.slide". what,
    remedy: in words. rows: those it is about."""

    kind: str
    place: str
    channel: str
    what: str
    remedy: str
    rows: tuple[int, ...] = ()

    def __str__(self) -> str:
        channel = f"{self.channel}: " if self.channel else ""
        return f"{self.place}: {channel}{self.what} [{self.kind}]; {self.remedy}"


def demand_none(what: str, problems: Sequence[DataProblem]) -> None:
    """BadDataError with all problems, if there are any."""
    if problems:
        lines = [f"  {p}" for p in problems[:MOST_TOLD]]
        lines += [f"  … and {len(problems) - MOST_TOLD} more"] if len(problems) > MOST_TOLD else []
        many = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise BadDataError("\n".join([f"{what}: {many}", *lines]), tuple(problems))


def check_accepted(accept: Sequence[str]) -> None:
    """Refuse words that are no kind of problem, and kinds with which nothing can be done."""
    known = [kind for kind in KINDS if kind not in NEVER]
    strange = [kind for kind in accept if kind not in known]
    if strange:
        raise UsageError(f"accept={strange[0]!r}; use some of {', '.join(known)}")


def say_rows(rows: np.ndarray, time: np.ndarray) -> str:
    """ "rows 12, 13, 40 … (from t = 0.12 s), 57 in all"."""
    few = ", ".join(str(int(r)) for r in rows[:4])
    more = f" …, {len(rows)} in all" if len(rows) > 4 else ""
    at = float(time[rows[0]])
    return f"row{'s' if len(rows) > 1 else ''} {few}{more} ({'from ' if len(rows) > 1 else ''}t = {at:.6g} s)"


def row_numbers(rows: Sequence[int] | np.ndarray, most: int = 1000) -> tuple[int, ...]:
    """Rows for a problem, as plain numbers."""
    return tuple(int(r) for r in rows[:most])
