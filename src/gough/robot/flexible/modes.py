"""Which shapes a flexible body can take (how many, and what its axes follow), and how they are damped."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from gough.robot.fields import Name, Number, quantity, schema
from gough.robot.flexible.fields import ONE_OR_MANY, Count, Frequency, ListOf, OneOrMany, Ratio, one_of
from gough.robot.item import Fault, Item, is_given, look

ORIGIN, MEAN = "origin", "mean"
"""Frames every flexible body has: its own origin, and the axes that its shapes do not move on average."""
WITH_INTERFACES = ("craig_bampton", "guyan", "attachment")
WITHOUT_MODES = ("nodal", "guyan")


class ShapeChoice(Item):
    """A basis of shapes.

    kind: free (modes of the free body), clamped (held at `frame`), nodal (held, and every other freedom a coordinate),
    craig_bampton, guyan, attachment; default: free for a platform, clamped for a body that a joint carries. number of modes,
    or up_to a frequency (Hz). pairs: what happens where that splits modes of equal frequency. frame: what the body's axes
    follow, `mean`, `origin` or a frame of the body. interfaces: frames of the body, default everything that is attached.
    align: a frame whose displacement tells modes of equal frequency apart, and fixes signs.
    """

    kind: Literal["free", "clamped", "nodal", "craig_bampton", "guyan", "attachment"] | None = None
    number: Count | None = None
    up_to: Frequency | None = None
    pairs: Literal["keep", "drop", "split"] | None = None
    frame: Name | None = None
    interfaces: Annotated[tuple[Name, ...], ListOf] | None = None
    align: Name | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        kind = look(data, "kind") if is_given(data, "kind") else None
        yield from _count_faults(kind, data)
        if kind is None and is_given(data, "frame"):
            yield Fault(("frame",), data["frame"], "a frame without a kind", "kind: free, clamped, …")
        if kind in ("clamped", "nodal") and look(data, "frame") == MEAN:
            yield Fault(("frame",), MEAN, f"{kind} shapes about mean axes", "origin, or a frame of the body")
        if kind not in WITH_INTERFACES and is_given(data, "interfaces"):
            expected = f"kind: {', '.join(WITH_INTERFACES)}"
            yield Fault(("interfaces",), data["interfaces"], f"interfaces of {kind or 'modes'}", expected)
        if kind not in (None, "free", "clamped") and is_given(data, "align"):
            yield Fault(("align",), data["align"], f"align with {kind}", "kind: free or clamped")


def _count_faults(kind: Any, data: dict[str, Any]) -> Iterator[Fault]:
    if kind in WITHOUT_MODES:
        for key in ("number", "up_to", "pairs"):
            if is_given(data, key):
                yield Fault((key,), data[key], f"{key} of {kind} shapes, which have no modes", f"no {key}")
    elif kind != "attachment" or is_given(data, "number") or is_given(data, "up_to"):
        yield from one_of(data, ("number", "up_to"), "how many modes")
        if look(data, "number") == 0 and kind not in WITH_INTERFACES:
            yield Fault(("number",), 0, "no modes at all", "1 or more, or a rigid body without `flexible`")


Alpha = Annotated[float, quantity("rate", bound="not negative"), schema("rate")]
Beta = Annotated[float, quantity("time", bound="not negative"), schema("time")]


Ratios = Annotated[tuple[Ratio, ...], OneOrMany, ONE_OR_MANY]
Row = Annotated[tuple[Number, ...], ListOf]


class RayleighFactors(Item):
    """D = alpha M + beta K; alpha in 1/s, beta in s."""

    alpha: Alpha = 0.0
    beta: Beta = 0.0


class FlexibleDamping(Item):
    """One of ratio (to critical damping, one number or one a mode), rayleigh, matrix (of the elastic coordinates)."""

    ratio: Ratios | None = None
    rayleigh: RayleighFactors | None = None
    matrix: Annotated[tuple[Row, ...], ListOf] | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from one_of(data, ("ratio", "rayleigh", "matrix"), "damping")
        rows = look(data, "matrix")
        if is_given(data, "matrix") and isinstance(rows, list | tuple):
            for index, row in enumerate(rows):
                if isinstance(row, list | tuple) and len(row) != len(rows):
                    yield Fault(
                        ("matrix", index), row, f"{len(row)} entries in a row of {len(rows)}", "a square matrix"
                    )
