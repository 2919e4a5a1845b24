"""A prescribed motion at one instant, in traced scalars: a row of its table, evaluated by Horner's scheme.

A row: begin and end of the piece (s), then, for poses, the quaternion its rotation vectors start from, then the coefficients
of every channel by rising powers of the time since the begin; last the tail, the same in all rows: settings of the law, loads.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.scalar import zeros
from gough.simulation.motion.table import MotionTable
from gough.spatial.exponential import Exponential
from gough.spatial.rotation import rotation_from_quaternion_wxyz

Vector = np.ndarray


@dataclass(frozen=True)
class Instant:
    """position, velocity, acceleration (n,) of the channels; of a pose position (3,), rotation (3, 3), twist and its classical
    derivative (6,). kind: of the motion. tail: that of the row."""

    position: Vector
    velocity: Vector
    acceleration: Vector
    rotation: Vector | None = None
    kind: str = ""
    tail: Vector = field(default_factory=lambda: zeros(0))


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
        return cls() if table is None else cls(table.kind, len(table.names), table.degree)

    @property
    def size(self) -> int:
        """Numbers of a row."""
        return 2 + (4 if self.kind == "pose" else 0) + self.channels * (self.degree + 1) + len(self.tail)

    def row(self, table: MotionTable, piece: int) -> Vector:
        """The numbers of one piece."""
        base = table.bases[piece] if self.kind == "pose" else np.zeros(0)
        return np.concatenate([table.breaks[piece : piece + 2], base, table.coefficients[piece].ravel(), self.tail])

    def stretch(self, begin: float, end: float, values: Any = ()) -> Vector:
        """The row of a stretch of time (s) in which the channels are constant, of degree 0; or of no motion."""
        return np.concatenate([[begin, end], values, self.tail])

    def at(self, row: Vector, t: Any) -> Instant:
        """The motion at time t (s)."""
        first = 2 + (4 if self.kind == "pose" else 0)
        s = t - row[0]
        x, xd, xdd = [], [], []
        for k in range(self.channels):
            c = row[first + k * (self.degree + 1) : first + (k + 1) * (self.degree + 1)]
            x.append(_horner(c, s))
            xd.append(_horner([j * c[j] for j in range(1, len(c))], s))
            xdd.append(_horner([j * (j - 1) * c[j] for j in range(2, len(c))], s))
        position, velocity, acceleration = (np.array(a, dtype=object) for a in (x, xd, xdd))
        tail = row[self.size - len(self.tail) : self.size]
        if self.kind != "pose":
            return Instant(position, velocity, acceleration, None, self.kind, tail)
        turn = Exponential(position[3:])
        R = turn.R @ rotation_from_quaternion_wxyz(row[2:6])
        w_turned = turn.J @ velocity[3:]  # axes that have turned
        wd_turned = turn.J @ acceleration[3:] + turn.rate_bias(velocity[3:])
        twist = np.concatenate([velocity[:3], turn.R @ w_turned])
        rate = np.concatenate([acceleration[:3], turn.R @ wd_turned])
        return Instant(position[:3], twist, rate, R, self.kind, tail)


def _horner(coefficients: Any, s: Any) -> Any:
    total: Any = 0.0
    for x in reversed(list(coefficients)):
        total = total * s + x
    return total
