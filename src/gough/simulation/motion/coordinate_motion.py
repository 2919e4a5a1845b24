"""Motions of drives, joints or of a point: each channel's rate is the velocity."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from gough.errors import UsageError
from gough.robot.units import DIMENSIONS, Quantity, WrittenUnit, misfit
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import Curve, Polynomials, Three

LENGTH, ANGLE = DIMENSIONS["length"][0], DIMENSIONS["angle"][0]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CoordinateMotion(Motion):
    """curve: the coordinates, in the order of `names`."""

    curve: Curve

    def _at(self, t, left: bool) -> Three:
        return self.curve.at(t, left)

    def _table(self):
        from gough.simulation.motion.table import MotionTable

        if not isinstance(self.curve, Polynomials):
            return None
        return MotionTable.of(self, self.breaks, self.curve.coefficients)


def coordinate_motion(
    curve: Curve,
    kind: str,
    names: tuple[str, ...],
    units: tuple[str, ...],
    frame: str | None = None,
    extend: str | None = None,
) -> CoordinateMotion:
    """Motion of kind "drives", "joints" or "point"."""
    if (kind == "point") != (frame is not None):
        raise UsageError("frame= goes with poses and points; a point needs the name of its frame")
    return CoordinateMotion(
        kind=kind, names=names, units=units, breaks=curve.breaks, frame=frame, extend=extend, curve=curve
    )


def unit_of(name: str, values: Any) -> str:
    """The SI unit in which the values of a channel are written; "" where they are plain numbers."""
    unit = ""
    for value in values if isinstance(values, list | tuple) else (values,):
        if isinstance(value, Quantity):
            problem = misfit(value, unit, "the number before it") if unit else ""
            if problem:
                raise UsageError(f"{name}: {problem}")
            unit = unit or value.unit
    return unit


def measured(motion: Motion, names: Iterable[str], given: Any, where: str) -> Motion:
    """The motion whose channels called `names` have the unit that a coordinate, or a speed, is written in; UsageError where they
    have another already. Plain numbers say nothing."""
    units = dict(zip(motion.names, motion.units, strict=True))
    for one in given if isinstance(given, list | tuple) else (given,):
        if not isinstance(one, Quantity | WrittenUnit):
            continue
        rate = one.dimension[2] == -1
        unit = one.unit if isinstance(one, Quantity) else one
        if rate:
            unit = WrittenUnit(one.written, LENGTH if one.dimension[0] else ANGLE)
        for name in names:
            of = f"{units[name]}/s" if rate else units[name]
            problem = misfit(one, of, f"the speed of {name}" if rate else name) if units[name] else ""
            if problem:
                raise UsageError(f"{where}: {problem}")
            units[name] = units[name] or unit
    return replace(motion, units=tuple(units.values()))
