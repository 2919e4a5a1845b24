"""A motion as piecewise polynomials, for compiled time loops: one search, one Horner scheme.

A pose is tabulated as x y z and a rotation vector φ (world axes) from the orientation the piece is based on:
R(t) = exp(φ̂(t)) R_base; |φ| ≤ LARGEST on every piece, so that the series of `gough.spatial.Exponential` serve.
Motions made of polynomials (quintic, trapezoid, splines; turning about one axis a move) are tabulated exactly. Others are
fitted: on every piece the second derivatives of the channels are interpolated at Chebyshev points and integrated twice from
the piece's start; pieces are halved until position and acceleration are near enough (see `fit`).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_motion, checked
from gough.errors import UsageError
from gough.simulation.motion.fit import ACCELERATION_ERROR, POSITION_ERROR, ErrorScales, fit, groups_of, in_channels
from gough.simulation.motion.parts import MotionPart, PolynomialPieces, Sample, inside
from gough.simulation.motion.paths import horner, padded_coefficients, piece_of
from gough.spatial.exponential import LARGEST
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.simulation.motion.motion import Motion

SLACK = 1e-12
"""A time this part of the duration outside of the motion is rounding."""

__all__ = ["ACCELERATION_ERROR", "LARGEST", "POSITION_ERROR", "SLACK", "MotionTable", "table"]


@dataclass(frozen=True, eq=False)
class MotionTable:
    """breaks (p + 1,), s. coefficients (p, channels, degree + 1): of rising powers of the time since the piece began;
    channels as `names`: for poses x y z rx ry rz. bases (p, 4): quaternions wxyz that rotation vectors start from (empty
    without orientations). kinks: those of the motion. position_error, acceleration_error: largest measured difference from the
    motion, relative as in POSITION_ERROR and ACCELERATION_ERROR."""

    kind: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    frame: str | None
    breaks: np.ndarray
    coefficients: np.ndarray
    bases: np.ndarray
    kinks: np.ndarray
    position_error: float = 0.0
    acceleration_error: float = 0.0

    @classmethod
    def of(cls, motion: "Motion", breaks: np.ndarray, coefficients: np.ndarray, bases: Any = None) -> "MotionTable":
        """A table of a motion, errors not measured."""
        posed = motion.kind == "pose"
        names = ("x", "y", "z", "rx", "ry", "rz") if posed else motion.names
        units = ("m",) * 3 + ("rad",) * 3 if posed else motion.units
        own = np.zeros((len(breaks) - 1, 0)) if bases is None else bases
        return cls(motion.kind, names, units, motion.frame, breaks, coefficients, own, motion.kinks)

    @property
    def duration(self) -> float:
        """s."""
        return float(self.breaks[-1])

    @property
    def degree(self) -> int:
        """Of the polynomials."""
        return self.coefficients.shape[2] - 1

    def channels(self, t: np.ndarray, side: str = "right") -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(pieces (m,), values, rates, second rates (m, channels)) at times t (m,)."""
        k = piece_of(self.breaks, t, side == "left")
        return k, *horner(self.coefficients[k], t - self.breaks[k])

    def at(self, t: Any, side: str = "right") -> Sample:
        """As the motion's `at`."""
        times = np.asarray(t, dtype=float)
        end = self.duration
        if not np.asarray((times >= -SLACK * end) & (times <= end * (1 + SLACK))).all():
            raise UsageError(f"a table of {end:.9g} s was asked for at a time outside of it")
        flat = np.clip(times.ravel(), 0.0, end)
        k = piece_of(self.breaks, flat, side == "left")
        three = in_channels(self.coefficients[k], flat - self.breaks[k], self.bases[k])
        return Sample(*(a.reshape(*times.shape, a.shape[1]) for a in three))

    @cached_property
    def groups(self) -> list[list[int]]:
        """Channels of the same unit: their errors are relative to one another's size."""
        return groups_of(self.kind, self.units)

    __repr__ = short_repr


@checked(motion=a_motion)
def table(motion: "Motion") -> MotionTable:
    """The motion as piecewise polynomials; its errors are measured whichever way it was made."""
    made = MotionTable.of(motion, *_joined([_pieces_of(motion, part) for part in motion.parts]))
    position, acceleration = _errors(motion, made)
    return replace(made, position_error=position, acceleration_error=acceleration)


def _pieces_of(motion: "Motion", part: MotionPart) -> PolynomialPieces:
    """The own polynomials of a part, or fitted ones."""
    return part.placed_pieces(part.polynomials() or fit(part, motion.kind, motion.units))


def _joined(parts: list[PolynomialPieces]) -> PolynomialPieces:
    """Parts one after the other."""
    most = max(coefficients.shape[2] for _, coefficients, _ in parts)
    breaks = np.concatenate([when[:-1] for when, _, _ in parts] + [parts[-1][0][-1:]])
    return (
        breaks,
        np.concatenate([padded_coefficients(coefficients, most) for _, coefficients, _ in parts]),
        np.concatenate([bases for _, _, bases in parts]),
    )


def _errors(motion: "Motion", made: MotionTable, each: int = 9) -> tuple[float, float]:
    """Largest relative errors of (positions, accelerations), on a fine grid and on both sides of every break."""
    some = motion.at(inside(motion.breaks))
    three = (some.position, some.velocity, some.acceleration)
    scales = ErrorScales.of(motion.kind, motion.units, three, motion.duration)
    widths = np.diff(made.breaks)
    fine = (made.breaks[:-1, None] + widths[:, None] * np.linspace(0.03, 0.97, each)).ravel()
    worst = np.zeros(2)
    for side, t in (("right", fine), ("right", motion.breaks[:-1]), ("left", motion.breaks[1:])):
        a, b = motion.at(t, side), made.at(t, side)
        off = scales.errors(scales.differences(a.position, b.position), a.acceleration - b.acceleration)
        worst = np.maximum(worst, [x.max() for x in off])
    return float(worst[0]), float(worst[1])
