"""Words for "no value" that are numbers: -9999, 65535, -1e30. One number that stands again and again, exactly, far outside of all
others of its channel, with nothing on the way to it: no motion and no force does that, and no filter takes it out.

It is told, never guessed: where that is accepted, rows with it are left out as those without a number are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.identification.data._outliers import BURST
from gough.identification.data.record import WIDTHS, WORDS, Record

AGAIN = 3
"""Places in which it stands, at least, or one that is longer than a burst of outliers, which are replaced."""
FAR = 2.0
"""How far outside of the others, at least: times their whole range."""
OTHERS, DIFFERENT = 0.5, 8
"""Part of a channel that the others are at least, and how many values they have: a channel that is switched has few."""
ROUNDING = 1e-9
"""Of a channel: ranges and distances below it are none."""
MOST = 4
"""Turns of the search: words on both sides, and behind them."""
OTHER_UNITS = {"rad": (180.0 / np.pi, "deg"), "m": (1e3, "mm"), "N m": (1e3, "N mm")}
WHOLE = 1e-9


def find_sentinels(x: np.ndarray, scale: float = 0.0) -> list[float]:
    """Such numbers of a channel (n,), the most frequent first; scale: of what it is a part of, for rounding."""
    x = x[np.isfinite(x)]
    size = max(float(np.abs(x).max(initial=0.0)), scale)
    found: dict[float, int] = {}
    rest = x
    for _ in range(MOST):
        top, bottom = float(rest.max(initial=-np.inf)), float(rest.min(initial=np.inf))
        often = [end for end in (top, bottom) if _stands_again(x == end)] if top > bottom else []
        for ends in (often, *([end] for end in often)) if often else ():
            others = rest[~np.isin(rest, ends)]
            if len(others) < OTHERS * len(x):
                continue
            low, high = float(others.min()), float(others.max())
            least = max(FAR * (high - low), ROUNDING * size)
            if high == low or any(low - least <= end <= high + least for end in ends):
                continue
            if len(np.unique(others)) >= DIFFERENT:
                found |= {end: int(np.count_nonzero(rest == end)) for end in ends}
                rest = others
                break
        else:
            break
    return sorted(found, key=lambda value: -found[value])


def _stands_again(mask: np.ndarray) -> bool:
    rows = np.count_nonzero(mask)
    places = np.count_nonzero(np.diff(mask.astype(int), prepend=0) == 1)
    return bool(rows > BURST or (rows >= AGAIN and places >= AGAIN))


@dataclass(frozen=True)
class Sentinel:
    """A number (SI) that a channel has in these rows (k,) in the place of a value; others: the range of the rest."""

    channel: str
    value: float
    rows: np.ndarray
    others: tuple[float, float]

    def say(self, unit: str) -> str:
        """ "-174.515 rad (-9999 deg)"."""
        factor, other = OTHER_UNITS.get(unit, (1.0, ""))
        raw = self.value * factor
        plain = abs(self.value - np.round(self.value)) <= WHOLE * abs(self.value)
        also = other and not plain and abs(raw - np.round(raw)) <= WHOLE * abs(raw)
        return f"{self.value:.9g}{f' {unit}' if unit else ''}{f' ({raw:.9g} {other})' if also else ''}"


def record_sentinels(record: Record, bounds: Mapping[str, float]) -> list[Sentinel]:
    """Those of a record, not of references, which nobody measured, nor forces at their bound {drive: N, N m}, which saturate."""
    out: list[Sentinel] = []
    for name, x in record.channels.items():
        kind, _, own = name.partition(" ")
        if kind == "reference":
            continue
        scale = float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) if x.ndim > 1 else 0.0
        at: dict[float, tuple[np.ndarray, tuple[float, float]]] = {}
        for column in x.T if x.ndim > 1 else (x,):
            found = find_sentinels(column, scale)
            rest = column[np.isfinite(column) & ~np.isin(column, found)]
            for value in found:
                if kind != "force" or abs(value) != bounds.get(own):
                    before = at.get(value, (np.zeros(len(x), dtype=bool), (np.inf, -np.inf)))
                    ends = min(before[1][0], float(rest.min())), max(before[1][1], float(rest.max()))
                    at[value] = before[0] | (column == value), ends
        out += [Sentinel(name, value, np.flatnonzero(mask), ends) for value, (mask, ends) in at.items()]
    return out


def rows_of_sentinels(record: Record, bounds: Mapping[str, float]) -> np.ndarray:
    """Mask (n,) of rows in which some channel has one."""
    out = np.zeros(len(record), dtype=bool)
    for found in record_sentinels(record, bounds):
        out[found.rows] = True
    return out


def with_bridges(record: Record, found: Sequence[Sentinel]) -> Record:
    """The record with straight lines over sentinels, for looking at the rest of it."""
    if not found:
        return record
    bad: dict[str, np.ndarray] = {}
    for each in found:
        bad.setdefault(each.channel, np.zeros(len(record), dtype=bool))[each.rows] = True
    changed: dict[str, Any] = {}
    for key, word in WORDS.items():
        group = {n: bridge(x, bad.get(f"{word} {n}")) for n, x in getattr(record, key).items()}
        changed[key] = group
    for key in WIDTHS:
        x = getattr(record, key)
        changed[key] = None if x is None else np.stack([bridge(c, bad.get(key)) for c in x.T], axis=1)
    return replace(record, **changed)


def bridge(x: np.ndarray, bad: np.ndarray | None) -> np.ndarray:
    """x (n,) with straight lines over bad rows."""
    if bad is None or bad.all():
        return x
    rows = np.arange(len(x))
    return np.where(bad, np.interp(rows, rows[~bad], x[~bad]), x)
