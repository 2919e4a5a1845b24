"""What a part of a reproduction has to tell: printed when it is done, and written to the report."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gough.page import Grid
from gough_papers.comparison import ORIGIN_KINDS, Demonstration, KnownComparison

Tell = Callable[[str], None]
"""Says what is being done now."""


@dataclass(frozen=True)
class Picture:
    """A drawn figure and what it shows. label: the paper's figure it stands for, "" for one of ours."""

    path: Path
    caption: str
    label: str = ""


@dataclass
class ReportSection:
    """A part of a paper; filled while it runs, so that an interrupted one keeps what it has.

    demonstrations: what is shown and cannot fail. data: for JSON. moving: the viewer's page of a run, whole, and what it shows.
    """

    title: str
    said: list[str] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    comparisons: list[KnownComparison] = field(default_factory=list)
    demonstrations: list[Demonstration] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    moving: tuple[str, str] | None = None


def comparison_grid(comparisons: list[KnownComparison], whole: bool = False) -> Grid:
    """Known and allowed, then computed, difference and verdict, those that the paper prints first; whole: with the reason of
    the tolerance, where the known numbers are from, and notes."""
    noted = whole and any(c.note for c in comparisons)
    rows = []
    for c in sorted(comparisons, key=lambda c: list(ORIGIN_KINDS).index(c.kind)):
        allowed, off = _difference(c)
        why = (c.tolerance.reason,) if whole else ()
        more = ((c.origin.words,) if whole else ()) + ((c.note,) if noted else ())
        found = (numbers(c.ours, c.form), off, c.verdict)
        rows.append((c.quantity, c.kind, _known_text(c), c.unit, allowed, *why, *found, *more))
    why = ("because",) if whole else ()
    more = (("known from",) if whole else ()) + (("note",) if noted else ())
    head = ("quantity", "kind", "known", "unit", "allowed", *why, "computed", "differs by", "verdict", *more)
    return Grid(head, tuple(rows), ("differs by", "allowed"))


def demonstration_grid(shown: list[Demonstration]) -> Grid:
    """Not counted, and why."""
    rows = tuple((d.quantity, d.value, d.why) for d in shown)
    return Grid(("shown, not counted", "computed", "why it is not counted"), rows)


def numbers(values: tuple[float, ...], form: str) -> str:
    """Side by side; many equal ones once."""
    if len(values) > 2 and len({f"{v:{form}}" for v in values}) == 1:
        return f"{values[0]:{form}} each"
    return " ".join(f"{v:{form}}" for v in values)


def _known_text(c: KnownComparison) -> str:
    text = numbers(c.known, c.known_form or c.form) if any(c.known) else "0"
    return {"at most": "≤\u00a0", "at least": "≥\u00a0"}.get(c.rule, "") + text


def _difference(c: KnownComparison) -> tuple[str, str]:
    """(allowed, differs by) in print."""
    if c.kind == "bound":
        return "", ""
    if c.tolerance.relative:
        return f"{100 * c.tolerance.size:.2g} %", f"{100 * c.difference:+.2g} %"
    return f"{c.tolerance.size:.2g}", f"{c.difference:+.2g}"
