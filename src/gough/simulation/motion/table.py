"""A motion as piecewise polynomials, for compiled time loops: one search, one Horner scheme.

A pose is tabulated as x y z and a rotation vector φ (world axes) from the orientation the piece is based on:
R(t) = exp(φ̂(t)) R_base; |φ| ≤ LARGEST on every piece, so that the series of `gough.spatial.Exponential` serve.
Motions made of polynomials (quintic, trapezoid, splines; turning about one axis a move) are tabulated exactly. Others are
fitted: on every piece the second derivatives of the channels are interpolated at Chebyshev points and integrated twice from
the piece's start; pieces are halved until position and acceleration are near enough (see `table_fit`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gough.arguments import a_motion, checked
from gough.errors import UsageError
from gough.simulation.given import demand
from gough.simulation.motion.motion import SLACK, Motion, Sample
from gough.simulation.motion.paths import horner, piece_of
from gough.spatial.charts import CONJUGATE, from_rotation_vector
from gough.spatial.exponential import LARGEST
from gough.spatial.poses import quaternion_product, rotation_vector
from gough.text import short_repr

POSITION_ERROR = 1e-13
"""Accepted error of fitted positions, relative to the largest coordinate of the same unit (rotations: to 1 rad)."""
ACCELERATION_ERROR = 1e-9
"""Accepted error of fitted accelerations, relative to the largest one of the same unit."""

__all__ = ["LARGEST", "MotionTable", "joined", "scaled", "table", "unmeasured"]


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
    def of(cls, motion: Motion, breaks: np.ndarray, coefficients: np.ndarray, bases: Any = None) -> "MotionTable":
        """A table of a motion, errors not measured."""
        posed = motion.kind == "pose"
        names = ("x", "y", "z", "rx", "ry", "rz") if posed else motion.names
        units = ("m",) * 3 + ("rad",) * 3 if posed else motion.units
        none = np.zeros((len(breaks) - 1, 0))
        own = none if bases is None else bases
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
        k, x, xd, xdd = self.channels(np.clip(times.ravel(), 0.0, end), side)
        if self.kind == "pose":
            q, w, wd = from_rotation_vector(x[:, 3:], xd[:, 3:], xdd[:, 3:])
            x = np.concatenate([x[:, :3], quaternion_product(q, self.bases[k])], axis=1)
            xd, xdd = np.concatenate([xd[:, :3], w], axis=1), np.concatenate([xdd[:, :3], wd], axis=1)
        return Sample(*(a.reshape(*times.shape, a.shape[1]) for a in (x, xd, xdd)))

    @cached_property
    def groups(self) -> list[list[int]]:
        """Channels of the same unit: their errors are relative to one another's size."""
        return groups_of(self.kind, self.units)

    __repr__ = short_repr


def groups_of(kind: str, units: Sequence[str]) -> list[list[int]]:
    """Channels of the same unit; of a pose the position and the rotation."""
    if kind == "pose":
        return [[0, 1, 2], [3, 4, 5]]
    return [[k for k, u in enumerate(units) if u == unit] for unit in dict.fromkeys(units)]


@checked(motion=a_motion)
def table(motion: Motion) -> MotionTable:
    """The motion as piecewise polynomials; its errors are measured whichever way it was made."""
    demand(Motion, "motion", motion, "a gough.Motion (gough.motions makes them)")
    made = unmeasured(motion)
    position, acceleration = measured(motion, made)
    return replace(made, position_error=position, acceleration_error=acceleration)


def unmeasured(motion: Motion) -> MotionTable:
    """The motion's own polynomials, or fitted ones."""
    from gough.simulation.motion.fit import fitted

    return motion._table() or fitted(motion)


def joined(motion: Motion, tables: Sequence[MotionTable], starts: np.ndarray, signs: np.ndarray) -> MotionTable:
    """Tables one after the other."""
    most = max(t.coefficients.shape[2] for t in tables)
    padded = [np.pad(t.coefficients, ((0, 0), (0, 0), (0, most - t.coefficients.shape[2]))) for t in tables]
    breaks = np.concatenate([s + t.breaks[:-1] for s, t in zip(starts, tables, strict=True)] + [motion.breaks[-1:]])
    bases = np.concatenate([s * t.bases for s, t in zip(signs, tables, strict=True)])
    return MotionTable.of(motion, breaks, np.concatenate(padded), bases)


def scaled(motion: Motion, made: MotionTable, factor: float) -> MotionTable:
    """A table in `factor` times the time."""
    powers = factor ** -np.arange(made.coefficients.shape[2], dtype=float)
    return MotionTable.of(motion, made.breaks * factor, made.coefficients * powers, made.bases)


def measured(motion: Motion, made: MotionTable, each: int = 9) -> tuple[float, float]:
    """Largest relative errors of (positions, accelerations), on a fine grid and on both sides of every break."""
    widths = np.diff(made.breaks)
    inside = (made.breaks[:-1, None] + widths[:, None] * np.linspace(0.03, 0.97, each)).ravel()
    worst = [0.0, 0.0]
    sizes = [(position_size(motion, g), acceleration_size(motion, g)) for g in made.groups]
    for side, t in (("right", inside), ("right", motion.breaks[:-1]), ("left", motion.breaks[1:])):
        a, b = motion.at(t, side), made.at(t, side)
        for g, (far, fast) in zip(made.groups, sizes, strict=True):
            off = differences(motion.kind, a.position, b.position)[:, g]
            worst[0] = max(worst[0], float(np.abs(off).max() / far))
            worst[1] = max(worst[1], float(np.abs(a.acceleration - b.acceleration)[:, g].max() / fast))
    return worst[0], worst[1]


def differences(kind: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """b - a (m, channels); of poses translation and rotation vector."""
    if kind != "pose":
        return b - a
    turn = rotation_vector(quaternion_product(b[:, 3:], a[:, 3:] * CONJUGATE))
    return np.concatenate([b[:, :3] - a[:, :3], turn], axis=1)


def position_size(motion: Motion, group: list[int]) -> float:
    """What errors of positions of a group are relative to: its largest coordinate; 1 rad for rotations of a pose."""
    if motion.kind == "pose" and group[0] == 3:
        return 1.0
    return max(float(np.abs(motion.at(motion._spread()).position[:, group]).max()), 1e-300)


def acceleration_size(motion: Motion, group: list[int]) -> float:
    """The largest acceleration of a group; at least a trifle, so that rounding of a motion without any is none."""
    found = float(np.abs(motion.at(motion._spread()).acceleration[:, group]).max())
    return max(found, 1e-5 * position_size(motion, group) / motion.duration**2)
