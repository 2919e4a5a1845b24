"""What a part of `gough demo` has to tell: printed when it is done, and written to the report."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gough.papers.comparison import Comparison

Tell = Callable[[str], None]
"""Says what is being done now."""


@dataclass(frozen=True)
class Grid:
    """A table of texts. numbers: columns set to the right. only: "" everywhere, "print" or "report"."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[str, ...] = ()
    title: str = ""
    only: str = ""


@dataclass(frozen=True)
class Figure:
    """A picture and what it shows."""

    path: Path
    caption: str


@dataclass
class Section:
    """A part of the tour; filled while it runs, so that an interrupted one keeps what it has. data: for JSON."""

    name: str
    title: str
    said: list[str] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    passed: list[bool] = field(default_factory=list)
    """Of comparisons in grids, besides `comparisons`."""

    @property
    def verdicts(self) -> list[bool]:
        """Of all comparisons."""
        return [c.within for c in self.comparisons] + self.passed


def comparison_grid(comparisons: list[Comparison], whole: bool = False) -> Grid:
    """Computed, known, difference, allowed, verdict; whole: with where the known numbers are from, and notes."""
    head = ("quantity", "computed", "known", "unit", "differs by", "allowed", "verdict")
    rows = [
        (c.quantity, numbers(c.ours, c.form), _known(c), c.unit, *_difference(c), c.verdict)
        + ((c.origin, c.note) if whole else ())
        for c in comparisons
    ]
    return Grid(head + (("known from", "") if whole else ()), tuple(rows), ("differs by", "allowed"))


def numbers(values: tuple[float, ...], form: str) -> str:
    """Side by side."""
    return " ".join(f"{v:{form}}" for v in values)


def _known(c: Comparison) -> str:
    text = numbers(c.known, c.form) if any(c.known) else "0"
    return {"at most": "≤ ", "at least": "≥ "}.get(c.rule, "") + text


def _difference(c: Comparison) -> tuple[str, str]:
    if c.rule in ("at most", "at least"):
        return "", ""
    low, high = c.allowed
    if c.relative:
        span = f"{100 * low:.2g} … " if low else ""
        return f"{100 * c.difference:+.2g} %", f"{span}{100 * high:.2g} %"
    return f"{c.difference:+.1g}", f"{high:.1g}"
