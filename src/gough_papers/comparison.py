"""A computed quantity beside what is known of it from elsewhere: where that is from, how far apart they may be and why, and what
follows.

Comparisons are counted by the kind of their origin: a number that the paper prints is worth more than an identity. What cannot
fail is no comparison but a demonstration.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

OriginKind = Literal["printed", "independent", "transcription", "identity", "bound"]
ORIGIN_KINDS: dict[OriginKind, str] = {
    "printed": "printed in the paper",
    "independent": "independent model",
    "transcription": "transcription of the printed equations",
    "identity": "exact identity",
    "bound": "bound",
}
"""In the order in which they are told."""
Rule = Literal["equals", "at most", "at least", "open"]


@dataclass(frozen=True)
class Origin:
    """Where a known number is from, and in words."""

    kind: OriginKind
    words: str


def paper_origin(where: str) -> Origin:
    """A number, a table or a sentence of the paper."""
    return Origin("printed", where)


def exact(why: str) -> Origin:
    """A number that needs no model: balances and closures are zero, a closed form."""
    return Origin("identity", why)


INDEPENDENT = Origin("independent", "an independent model (energies with automatic differentiation)")
"""Another formulation, not this library."""
BALANCE = exact("a balance is zero")
TRANSCRIPTION = Origin("transcription", "the printed equations, one correction switched off")
"""What misprints cost."""


@dataclass(frozen=True)
class Tolerance:
    """How far from the known number one may be, in its unit or `relative` to it, and why: fixed before the result."""

    size: float
    reason: str
    relative: bool = False


def half_digit(size: float) -> Tolerance:
    """Half a unit of the last digit that is known."""
    return Tolerance(size, "half a unit of the last digit known")


def rounding(size: float) -> Tolerance:
    """What double precision leaves."""
    return Tolerance(size, "rounding of double precision")


@dataclass(frozen=True)
class Demonstration:
    """A number that is shown and cannot fail, and why it cannot."""

    quantity: str
    value: str
    why: str


@dataclass(frozen=True)
class KnownComparison:
    """`ours` beside `known`, both in `unit`; made by `equals`, `not_reproduced`, `at_most` or `at_least`.

    difference: of the value that is farthest off, with its sign, relative where its tolerance is. form: of the numbers in print;
    known_form: of the known ones, "" where the same. note: why, where it is not plain.
    """

    quantity: str
    ours: tuple[float, ...]
    known: tuple[float, ...]
    unit: str
    rule: Rule
    tolerance: Tolerance
    origin: Origin
    form: str = ".6g"
    note: str = ""
    known_form: str = ""

    @property
    def kind(self) -> OriginKind:
        """Of its origin; a bound is one, wherever it is from."""
        return "bound" if self.rule in ("at most", "at least") else self.origin.kind

    @property
    def differences(self) -> np.ndarray:
        """ours - known (n,), over |known| where the tolerance is relative."""
        known = np.array(self.known)
        return (np.array(self.ours) - known) / (np.abs(known) if self.tolerance.relative else 1.0)

    @property
    def difference(self) -> float:
        """The largest of them, with its sign."""
        off = self.differences
        return float(off[np.argmax(np.where(np.isnan(off), np.inf, np.abs(off)))])

    @property
    def agreeing(self) -> int:
        """How many of its numbers are what is known; NaN is not."""
        ours, known = np.array(self.ours), np.array(self.known)
        if self.rule == "at most":
            return int((ours <= known).sum())
        if self.rule == "at least":
            return int((ours >= known).sum())
        return int((np.abs(self.differences) <= self.tolerance.size).sum())

    @property
    def agrees(self) -> bool:
        """Whether all are."""
        return self.agreeing == len(self.known)

    @property
    def within(self) -> bool:
        """Whether it agrees, or is known not to, with a number that is one."""
        return self.agrees or (self.rule == "open" and bool(np.isfinite(self.ours).all()))

    @property
    def verdict(self) -> str:
        """In a word or two."""
        if self.rule in ("at most", "at least"):
            return "holds" if self.agrees else "FAILS"
        return "agrees" if self.agrees else "not reproduced" if self.within else "DIFFERS"

    def data(self) -> dict[str, Any]:
        """As plain data. `tolerance` is None for a bound."""
        bound = self.kind == "bound"
        head = {"quantity": self.quantity, "paper": list(self.known), "ours": list(self.ours)}
        allowed = {
            "tolerance": None if bound else self.tolerance.size,
            "relative": self.tolerance.relative,
            "reason": self.tolerance.reason,
        }
        more = {
            k: getattr(self, k) for k in ("within", "agrees", "note", "unit", "rule", "difference", "verdict", "kind")
        }
        return head | allowed | more | {"origin": self.origin.words}


def equals(
    quantity: str,
    ours: Any,
    known: float | Sequence[float],
    unit: str,
    tolerance: Tolerance,
    origin: Origin,
    *,
    form: str = ".6g",
    note: str = "",
    known_form: str = "",
) -> KnownComparison:
    """ours (n,) or a number is known to `tolerance`."""
    return _make_comparison(quantity, ours, known, unit, "equals", tolerance, origin, form, note, known_form)


def not_reproduced(
    quantity: str,
    ours: Any,
    known: float | Sequence[float],
    unit: str,
    tolerance: Tolerance,
    origin: Origin,
    *,
    note: str,
    form: str = ".6g",
    known_form: str = "",
) -> KnownComparison:
    """As `equals`, of a number that is known not to come out; note: what is known of why. It is counted as what it is."""
    return _make_comparison(quantity, ours, known, unit, "open", tolerance, origin, form, note, known_form)


def at_most(
    quantity: str,
    ours: float,
    bound: float,
    unit: str,
    origin: Origin,
    reason: str,
    *,
    form: str = ".3g",
    note: str = "",
) -> KnownComparison:
    """ours <= bound; reason: why this one."""
    return _make_comparison(quantity, ours, bound, unit, "at most", Tolerance(0.0, reason), origin, form, note)


def at_least(
    quantity: str,
    ours: float,
    bound: float,
    unit: str,
    origin: Origin,
    reason: str,
    *,
    form: str = ".3g",
    note: str = "",
) -> KnownComparison:
    """ours >= bound; reason: why this one."""
    return _make_comparison(quantity, ours, bound, unit, "at least", Tolerance(0.0, reason), origin, form, note)


def _make_comparison(
    quantity: str,
    ours: Any,
    known: float | Sequence[float],
    unit: str,
    rule: Rule,
    tolerance: Tolerance,
    origin: Origin,
    form: str,
    note: str,
    known_form: str = "",
) -> KnownComparison:
    a, b = (tuple(np.atleast_1d(np.asarray(x, dtype=float)).tolist()) for x in (ours, known))
    if len(a) != len(b):
        raise ValueError(f"{quantity}: {len(a)} numbers beside {len(b)}")
    return KnownComparison(quantity, a, b, unit, rule, tolerance, origin, form, note, known_form)


@dataclass(frozen=True)
class Tally:
    """Comparisons of one kind, and the numbers in them. open: known not to come out. failed: outside their tolerance."""

    kind: OriginKind
    comparisons: int
    agreeing: int
    open: int
    failed: int
    numbers: int
    numbers_agreeing: int

    @property
    def words(self) -> str:
        """In a line."""
        missed = [f"{self.open} not reproduced"] if self.open else []
        missed += [f"{self.failed} FAILED"] if self.failed else []
        more = f" ({', '.join(missed)})" if missed else ""
        return f"{self.agreeing} of {self.comparisons}{more}"


def tally(comparisons: Iterable[KnownComparison]) -> list[Tally]:
    """One a kind that occurs, in their order."""
    by_kind: dict[OriginKind, list[KnownComparison]] = {kind: [] for kind in ORIGIN_KINDS}
    for c in comparisons:
        by_kind[c.kind].append(c)
    return [_count(kind, found) for kind, found in by_kind.items() if found]


def _count(kind: OriginKind, found: list[KnownComparison]) -> Tally:
    return Tally(
        kind,
        len(found),
        sum(c.agrees for c in found),
        sum(c.within and not c.agrees for c in found),
        sum(not c.within for c in found),
        sum(len(c.known) for c in found),
        sum(c.agreeing for c in found),
    )
