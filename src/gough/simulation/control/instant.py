"""A prescribed motion at one instant, in traced scalars: a row of its table, evaluated by Horner's scheme.

A row: begin and end of a stretch (s), the time its polynomials count from, then, for poses, the quaternion its rotation vectors
start from, then the coefficients of every channel by rising powers of that time; last the tail, the same in all rows: settings of
the law, loads. A stretch may be a part of a piece of the motion.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.scalar import zeros
from gough.simulation.motion.table import MotionTable
from gough.spatial.exponential import Exponential
from gough.spatial.rotation import rotation_from_quaternion_wxyz

Vector = np.ndarray
DEGREES = (0, 5, 11)
"""Degrees of the polynomials in rows: lower ones are filled up with zeros, which change no bit, so that motions of many kinds
share a compiled loop."""


@dataclass(frozen=True)
class Instant:
    """position, velocity, acceleration (n,) of the channels; of a pose position (3,), rotation (3, 3), twist and its classical
    derivative (6,). kind: of the motion. tail: that of the row. time (s)."""

    position: Vector
    velocity: Vector
    acceleration: Vector
    rotation: Vector | None = None
    kind: str = ""
    tail: Vector = field(default_factory=lambda: zeros(0))
    time: Any = 0.0


@dataclass(frozen=True)
class MotionRows:
    """What rows of a table look like. channels 0: no motion, only the begin and end of a stretch of time. tail: numbers at
    the end of every row."""

    kind: str = ""
    channels: int = 0
    degree: int = 0
    tail: tuple[float, ...] = ()

    @classmethod
    def of(cls, table: MotionTable | None) -> "MotionRows":
        """The rows of a table."""
        if table is None:
            return cls()
        degree = next((d for d in DEGREES if d >= table.degree), table.degree)
        return cls(table.kind, len(table.names), degree)

    @property
    def size(self) -> int:
        """Numbers of a row."""
        return self.first + self.channels * (self.degree + 1) + len(self.tail)

    @property
    def first(self) -> int:
        """Place of the first coefficient."""
        return 3 + (4 if self.kind == "pose" else 0)

    def row(self, table: MotionTable, piece: int) -> Vector:
        """The numbers of one piece."""
        base = table.bases[piece] if self.kind == "pose" else np.zeros(0)
        given = table.coefficients[piece]
        filled = np.zeros((self.channels, self.degree + 1))
        filled[:, : given.shape[1]] = given
        begin, end = table.breaks[piece : piece + 2]
        return np.concatenate([[begin, end, begin], base, filled.ravel(), self.tail])

    def at_rest(self, table: MotionTable, end: float) -> Vector:
        """The numbers of a stretch behind the last piece, until an end (s), in which all stays where it came to."""
        row = self.row(table, len(table.breaks) - 2)
        channels = row[self.first : self.size - len(self.tail)].reshape(self.channels, self.degree + 1)
        channels[:, 0] = [_horner(c, row[1] - row[2]) for c in channels]
        channels[:, 1:] = 0.0
        row[:3] = row[1], end, row[1]
        return row

    def stretch(self, begin: float, end: float, values: Any = ()) -> Vector:
        """The row of a stretch of time (s) in which the channels are constant, of degree 0; or of no motion."""
        return np.concatenate([[begin, end, begin], values, self.tail])

    def at(self, row: Vector, t: Any) -> Instant:
        """The motion at time t (s)."""
        first, s = self.first, t - row[2]
        x, xd, xdd = [], [], []
        for k in range(self.channels):
            c = row[first + k * (self.degree + 1) : first + (k + 1) * (self.degree + 1)]
            x.append(_horner(c, s))
            xd.append(_horner([j * c[j] for j in range(1, len(c))], s))
            xdd.append(_horner([j * (j - 1) * c[j] for j in range(2, len(c))], s))
        position, velocity, acceleration = (np.array(a, dtype=object) for a in (x, xd, xdd))
        tail = row[self.size - len(self.tail) : self.size]
        if self.kind != "pose":
            return Instant(position, velocity, acceleration, None, self.kind, tail, t)
        turn = Exponential(position[3:])
        R = turn.R @ rotation_from_quaternion_wxyz(row[3:7])
        w_turned = turn.J @ velocity[3:]  # axes that have turned
        wd_turned = turn.J @ acceleration[3:] + turn.rate_bias(velocity[3:])
        twist = np.concatenate([velocity[:3], turn.R @ w_turned])
        rate = np.concatenate([acceleration[:3], turn.R @ wd_turned])
        return Instant(position[:3], twist, rate, R, self.kind, tail, t)


def _horner(coefficients: Any, s: Any) -> Any:
    total: Any = 0.0
    for x in reversed(list(coefficients)):
        total = total * s + x
    return total
