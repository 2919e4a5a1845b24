"""A computed quantity beside what is known of it from elsewhere, and what follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Rule = Literal["equals", "at most", "at least", "apart"]
Range = tuple[float, float]
INDEPENDENT = "an independent model (energies with automatic differentiation)"
"""Origin of the numbers the papers do not print: another formulation, not this library."""
EXACT = "exact"
"""Origin of numbers that need no model: balances and closures are zero."""
TRANSCRIPTION = "transcription of the printed equations"
"""Origin of what misprints cost: the paper's own equations, with one correction switched off."""


@dataclass(frozen=True)
class KnownComparison:
    """`ours` beside `known`, both in `unit`; made by `equals`, `at_most`, `at_least` or `apart`.

    difference: of the value that is farthest off, with its sign; `relative`: over the known one. allowed: smallest and largest
    magnitude of all differences. A known number that is itself off, as is known from others, is compared by `apart`: its
    differences must have the size they are known to have. form: of the numbers in print. note: why, where it is not plain.
    """

    quantity: str
    ours: tuple[float, ...]
    known: tuple[float, ...]
    unit: str
    rule: Rule
    allowed: Range
    relative: bool
    origin: str
    form: str = ".6g"
    note: str = ""

    @property
    def differences(self) -> np.ndarray:
        """ours - known (n,), over |known| where `relative`."""
        known = np.array(self.known)
        return (np.array(self.ours) - known) / (np.abs(known) if self.relative else 1.0)

    @property
    def difference(self) -> float:
        """The largest of them, with its sign."""
        off = self.differences
        return float(off[np.argmax(np.where(np.isnan(off), np.inf, np.abs(off)))])

    @property
    def within(self) -> bool:
        """Whether what was computed is what is known; False for NaN."""
        if self.rule == "at most":
            return bool((np.array(self.ours) <= np.array(self.known)).all())
        if self.rule == "at least":
            return bool((np.array(self.ours) >= np.array(self.known)).all())
        low, high = self.allowed
        size = np.abs(self.differences)
        return bool(((size >= low) & (size <= high)).all())

    @property
    def verdict(self) -> str:
        """In a word or two."""
        if self.rule == "equals":
            return "agrees" if self.within else "DIFFERS"
        if self.rule == "apart":
            return "differs as known" if self.within else "DIFFERS OTHERWISE"
        return "holds" if self.within else "FAILS"

    def data(self) -> dict[str, Any]:
        """As plain data. Where `rule` is "apart", `tolerance` is the smallest and the largest."""
        bound = {"at most": None, "at least": None, "apart": list(self.allowed), "equals": self.allowed[1]}[self.rule]
        more = {
            k: getattr(self, k)
            for k in ("within", "note", "unit", "rule", "relative", "difference", "verdict", "origin")
        }
        head = {"quantity": self.quantity, "paper": list(self.known), "ours": list(self.ours), "tolerance": bound}
        return head | more


def equals(
    quantity: str,
    ours: Any,
    known: float | Sequence[float],
    unit: str,
    tolerance: float,
    origin: str,
    *,
    relative: bool = False,
    form: str = ".6g",
    note: str = "",
) -> KnownComparison:
    """ours (n,) or a number is known to `tolerance`, in `unit` or relative."""
    return _make_comparison(quantity, ours, known, unit, "equals", (0.0, tolerance), relative, origin, form, note)


def apart(
    quantity: str,
    ours: Any,
    known: float | Sequence[float],
    unit: str,
    between: Range,
    origin: str,
    *,
    form: str = ".6g",
    note: str = "",
) -> KnownComparison:
    """The known number is off by what is known, too: relative differences lie between two limits."""
    return _make_comparison(quantity, ours, known, unit, "apart", between, True, origin, form, note)


def at_most(
    quantity: str, ours: float, bound: float, unit: str, origin: str, *, form: str = ".3g", note: str = ""
) -> KnownComparison:
    """ours <= bound."""
    return _make_comparison(quantity, ours, bound, unit, "at most", (0.0, np.inf), False, origin, form, note)


def at_least(
    quantity: str, ours: float, bound: float, unit: str, origin: str, *, form: str = ".3g", note: str = ""
) -> KnownComparison:
    """ours >= bound."""
    return _make_comparison(quantity, ours, bound, unit, "at least", (0.0, np.inf), False, origin, form, note)


def _make_comparison(
    quantity: str,
    ours: Any,
    known: float | Sequence[float],
    unit: str,
    rule: Rule,
    allowed: Range,
    relative: bool,
    origin: str,
    form: str,
    note: str,
) -> KnownComparison:
    a, b = (tuple(np.atleast_1d(np.asarray(x, dtype=float)).tolist()) for x in (ours, known))
    if len(a) != len(b):
        raise ValueError(f"{quantity}: {len(a)} numbers beside {len(b)}")
    return KnownComparison(quantity, a, b, unit, rule, allowed, relative, origin, form, note)
