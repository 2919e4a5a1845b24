"""Damping of a flexible body, as written."""

from collections.abc import Iterator
from typing import Annotated, Any

from gough.robot.fields import Number, quantity, schema
from gough.robot.flexible_fields import ONE_OR_MANY, ListOf, OneOrMany, Ratio, one_of
from gough.robot.item import Fault, Item, given, look

Alpha = Annotated[float, quantity("rate", bound="not negative"), schema("rate")]
Beta = Annotated[float, quantity("time", bound="not negative"), schema("time")]


Ratios = Annotated[tuple[Ratio, ...], OneOrMany, ONE_OR_MANY]
Row = Annotated[tuple[Number, ...], ListOf]


class Rayleigh(Item):
    """D = alpha M + beta K; alpha in 1/s, beta in s."""

    alpha: Alpha = 0.0
    beta: Beta = 0.0


class FlexibleDamping(Item):
    """One of ratio (to critical damping, one number or one a mode), rayleigh, matrix (of the elastic coordinates)."""

    ratio: Ratios | None = None
    rayleigh: Rayleigh | None = None
    matrix: Annotated[tuple[Row, ...], ListOf] | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from one_of(data, ("ratio", "rayleigh", "matrix"), "damping")
        rows = look(data, "matrix")
        if given(data, "matrix") and isinstance(rows, list | tuple):
            for index, row in enumerate(rows):
                if isinstance(row, list | tuple) and len(row) != len(rows):
                    yield Fault(
                        ("matrix", index), row, f"{len(row)} entries in a row of {len(rows)}", "a square matrix"
                    )
