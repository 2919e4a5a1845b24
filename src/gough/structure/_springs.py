"""Springs of a description as numbers of the parameter table and the characteristic that reads them."""

from typing import Any

from gough.joints.measure import Measure
from gough.joints.springs import LINEAR, OneSidedSpring, PolynomialSpring, SpringLaw, TableSpring
from gough.structure.parameters import ABSCISSA, CABLE, GrowingTable


def add_spring(
    table: GrowingTable, name: str, spring: Any, rest: str, measure: Measure
) -> tuple[tuple[int, ...], SpringLaw]:
    """(positions of stiffness, damping, rest, preload and what the characteristic adds, the characteristic). rest: what the
    spring calls it; measure: of what it stretches over."""
    values = (spring.stiffness, spring.damping, getattr(spring, rest), spring.preload)
    own = table.add_all(name, ("stiffness", "damping", rest, "preload"), values, measure.spring)
    length, force = measure.spring[2], measure.spring[3]
    if spring.table is not None:
        more: list[int] = []
        for k, (x, f) in enumerate(spring.table):
            more.append(table.add(f"{name}.table.{k}.at", x, length, ABSCISSA if k else f"{ABSCISSA} first"))
            more.append(table.add(f"{name}.table.{k}.force", f, force))
        return (*own, *more), TableSpring()
    terms = spring.polynomial or ()
    names = [f"{name}.polynomial.c{k}" for k in range(len(terms))]
    if spring.tension_only:
        width = table.add(f"{name}.rounding", spring.rounding, length)
        kinds = [CABLE if k > 1 else f"{CABLE} first" for k in range(len(terms))]
        higher = [table.add(names[k], c, _unit(measure, k), kinds[k]) for k, c in enumerate(terms) if k > 0]
        return (*own, width, *higher), OneSidedSpring()
    if terms:
        return (*own, *(table.add(names[k], c, _unit(measure, k)) for k, c in enumerate(terms))), PolynomialSpring()
    return own, LINEAR


def _unit(measure: Measure, power: int) -> str:
    return measure.force if power == 0 else f"{measure.force}/{measure.unit}{power if power > 1 else ''}"
