"""Which parameters can be told only together, in polynomials of the design: transfers between bodies brought into echelon form.

A transfer is a change of the unknowns that no motion tells. Each of them makes one unknown dependent: it may be taken for 0 when
the others take its share. What is no unknown (massless bodies, given numbers) must not change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gough.identification._polynomial import Polynomial
from gough.identification._transfers import Design, Row, Transfer, transfers
from gough.identification._unknowns import Unknown

Column = dict[int, Polynomial]
EQUAL = 1e-9
"""Relative difference of amounts that are the same in equal legs."""


@dataclass(frozen=True)
class Grouping:
    """shares: {dependent unknown: {kept one: its share β}}: kept + Σ β dependent is what a motion tells. numbers: what the names
    in the shares stand for."""

    shares: Mapping[int, Mapping[int, Polynomial]]
    numbers: Mapping[str, float]


def group(design: Design, unknowns: Sequence[Unknown], unseen: Sequence[int]) -> Grouping:
    """The grouping that joints make, whatever the design's numbers; unseen: unknowns that no motion tells at all."""
    numbers = design.numbers()
    place_of = {place: k for k, u in enumerate(unknowns) for place in u.places}
    rows: dict[Row, int] = {}
    for i, link in enumerate(design.mechanism.links):
        for k, place in enumerate(link.ten or ()):
            if place in place_of:
                rows[i, k] = place_of[place]
    columns = _keep_known(transfers(design), rows)
    tied = _tie(columns, rows, unknowns, numbers)
    hidden = set(unseen)
    shown = [{k: x for k, x in c.items() if k not in hidden} for c in tied]
    platform = [k for (i, _), k in rows.items() if design.mechanism.links[i].is_platform]
    return Grouping(_echelon(shown, platform), numbers)


def _keep_known(columns: Sequence[Transfer], rows: Mapping[Row, int]) -> list[Transfer]:
    """Combinations that change nothing but unknowns."""
    left = [(dict(t.amounts), t) for t in columns]
    known = dict.fromkeys(row for amounts, _ in left for row in amounts if row not in rows)
    for row in known:
        touched = [x for x in left if row in x[0]]
        pivot = next((x for x in touched if x[0][row].constant is not None), None)
        left = [x for x in left if row not in x[0]] if pivot is None else left
        if pivot is None:
            continue
        amount = pivot[0][row].constant
        assert amount
        for amounts, _ in touched:
            if amounts is not pivot[0]:
                _add(amounts, pivot[0], amounts[row] * (-1.0 / amount))
        left = [x for x in left if x is not pivot]
    return [Transfer(amounts, t.leg, t.number) for amounts, t in left if amounts]


def _add(target: dict, source: Mapping, factor: Polynomial) -> None:
    for row, x in source.items():
        total = target.get(row, Polynomial.of(0.0)) + x * factor
        if total:
            target[row] = total
        else:
            target.pop(row, None)


def _tie(
    columns: Sequence[Transfer], rows: Mapping[Row, int], unknowns: Sequence[Unknown], numbers: Mapping[str, float]
) -> list[Column]:
    """Changes of the unknowns. Where unknowns are tied, transfers of several legs happen together, and only those count that
    change all that is tied alike."""
    members: dict[int, int] = {}
    for k in rows.values():
        members[k] = members.get(k, 0) + 1
    if max(members.values(), default=1) == 1:
        return [{rows[row]: x for row, x in t.amounts.items()} for t in columns]
    together: dict[tuple[int, int], dict[Row, Polynomial]] = {}
    for t in columns:
        _add(together.setdefault((min(t.leg, 0), t.number), {}), t.amounts, Polynomial.of(1.0))
    out = []
    for amounts in together.values():
        found: dict[int, list[Polynomial]] = {}
        for row, x in amounts.items():
            found.setdefault(rows[row], []).append(x)
        if all(len(xs) == members[k] and _alike(xs, numbers) for k, xs in found.items()):
            out.append({k: xs[0] for k, xs in found.items()})
    return out


def _alike(amounts: Sequence[Polynomial], numbers: Mapping[str, float]) -> bool:
    values = np.array([x.value(numbers) for x in amounts])
    return bool(np.ptp(values) <= EQUAL * max(1e-300, np.abs(values).max()))


def _echelon(columns: Sequence[Column], spared: Sequence[int]) -> dict[int, dict[int, Polynomial]]:
    """{dependent: {kept: share}}, each dependent one in a single column; those spared become dependent only where nothing else
    can."""
    left = [dict(c) for c in columns]
    done: dict[int, Column] = {}
    while left:
        column = left.pop(0)
        simple = {k: x.degree for k, x in column.items() if x.reciprocal is not None}
        if not simple:
            continue
        pivot = min(
            simple, key=lambda k: (k in spared, simple[k], -k)
        )  # along a chain what is farther out stands later
        scale = column[pivot].reciprocal
        assert scale is not None
        column = {k: x * -scale for k, x in column.items()}
        for other in (*left, *done.values()):
            if pivot in other:
                _add(other, column, other[pivot])
        done[pivot] = column
    return {k: {j: x for j, x in column.items() if j != k} for k, column in done.items()}
