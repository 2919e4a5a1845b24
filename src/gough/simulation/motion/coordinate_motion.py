"""Motions of drives, joints or of a point: each channel's rate is the velocity."""

from dataclasses import dataclass

from gough.errors import UsageError
from gough.simulation.motion.curve import Curve, Polynomials, Three
from gough.simulation.motion.motion import Motion


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
