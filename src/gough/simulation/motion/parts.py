"""A part of a motion: a path in the coordinates of one chart, somewhere in the motion's time.

Coordinates are the position itself (chart None), or x y z and those of an orientation in a chart (see `gough.spatial.charts`)
with a constant rotation on the right: R(t) = R_chart(t) R_base.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from gough.simulation.motion.paths import PolynomialPath, TimePath, padded_coefficients, shifted_coefficients
from gough.spatial.charts import Three, rotation_of_chart
from gough.spatial.exponential import LARGEST
from gough.spatial.poses import quaternion_of_rotation_vector, quaternion_product

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])

PolynomialPieces = tuple[np.ndarray, np.ndarray, np.ndarray]
"""breaks (p + 1,), s; coefficients (p, channels, d + 1), bases (p, 4 or 0): as of a `MotionTable`."""


@dataclass(frozen=True)
class Sample:
    """A motion at times (...): position (..., n), velocity and acceleration (..., m); n and m differ for poses."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


@dataclass(frozen=True, eq=False)
class MotionPart:
    """breaks (p + 1,): those of the path in the motion's time, in which it takes `factor` times its own. base (4,): quaternion
    wxyz of either sign. columns: coordinates of the path that are meant, in their order; None: all."""

    path: TimePath
    breaks: np.ndarray
    factor: float = 1.0
    chart: str | None = None
    base: np.ndarray = field(default_factory=lambda: IDENTITY)
    columns: tuple[int, ...] | None = None

    def at(self, t: np.ndarray, left: bool) -> Three:
        """Position, velocity, acceleration (m, …) at times t (m,) of the motion that lie in this part."""
        own, f = self.path.breaks, self.factor
        local = t if self.breaks is own else corresponding(t, (t - self.breaks[0]) / f, self.breaks, own)
        c, cd, cdd = self.path.at(local, left)
        if self.columns is not None:
            c, cd, cdd = (x[:, list(self.columns)] for x in (c, cd, cdd))
        if f != 1.0:
            cd, cdd = cd / f, cdd / f**2
        if self.chart is None:
            return c, cd, cdd
        q, w, wd = rotation_of_chart(self.chart, c[:, 3:], cd[:, 3:], cdd[:, 3:])
        pose = np.concatenate([c[:, :3], quaternion_product(q, self.base)], axis=1)
        return pose, np.concatenate([cd[:, :3], w], axis=1), np.concatenate([cdd[:, :3], wd], axis=1)

    def in_own_time(self) -> "MotionPart":
        """The part by itself: from 0 on, as fast as its path."""
        return replace(self, breaks=self.path.breaks, factor=1.0)

    def shifted_part(self, start: float, sign: float = 1.0) -> "MotionPart":
        """The part later by `start` (s); sign: of its quaternions."""
        return replace(self, breaks=start + self.breaks, base=sign * self.base)

    def slower(self, factor: float) -> "MotionPart":
        """The part in `factor` times the time."""
        return replace(self, breaks=self.breaks * factor, factor=self.factor * factor)

    def reordered_part(self, order: tuple[int, ...]) -> "MotionPart":
        """The part with its coordinates in another order."""
        now = range(len(order)) if self.columns is None else self.columns
        return replace(self, columns=tuple(now[k] for k in order))

    def placed_pieces(self, pieces: PolynomialPieces) -> PolynomialPieces:
        """Polynomials of the part in its own time as those in the motion's."""
        breaks, coefficients, bases = pieces
        when = corresponding(breaks, self.breaks[0] + self.factor * breaks, self.path.breaks, self.breaks)
        return when, coefficients * self.factor ** -np.arange(coefficients.shape[2], dtype=float), bases

    def polynomials(self) -> PolynomialPieces | None:
        """Its polynomials in its own time that are exact, poses as rotation vectors from each piece's start; else None.

        They are where it is made of polynomials and, as a pose, turns about one axis in every piece.
        """
        path = self.path
        if not isinstance(path, PolynomialPath) or not path.is_polynomial:
            return None
        if self.chart is None:
            rows = path.coefficients if self.columns is None else path.coefficients[:, list(self.columns)]
            return path.breaks, rows, np.zeros((len(rows), 0))
        if self.chart != "rotation_vector" or not _about_one_axis(path):
            return None
        breaks = _split(path)
        rows = shifted_coefficients(path, breaks[:-1])
        begun = quaternion_of_rotation_vector(rows[:, 3:, 0])
        rows[:, 3:, 0] = 0.0  # about one axis: exp((φ0 + δ)^) = exp(δ^) exp(φ0^)
        return breaks, rows, quaternion_product(begun, self.base)


def merged_coordinates(parts: Sequence[MotionPart]) -> list[MotionPart]:
    """Parts one after the other; neighbours that are polynomials of the coordinates themselves as one, for one search a time."""
    out: list[MotionPart] = []
    for plain, run in groupby(parts, lambda part: part.chart is None and part.factor == 1.0 and part.columns is None):
        run = list(run)
        paths = [part.path for part in run if isinstance(part.path, PolynomialPath) and part.path.is_polynomial]
        if not plain or len(run) == 1 or len(paths) < len(run):
            out += run
            continue
        breaks = np.concatenate([part.breaks[:-1] for part in run] + [run[-1].breaks[-1:]])
        most = max(path.coefficients.shape[2] for path in paths)
        path = PolynomialPath(
            breaks - breaks[0], np.concatenate([padded_coefficients(p.coefficients, most) for p in paths])
        )
        out.append(MotionPart(path, breaks if breaks[0] else path.breaks))
    return out


def corresponding(t: np.ndarray, other: np.ndarray, breaks: np.ndarray, other_breaks: np.ndarray) -> np.ndarray:
    """`other` times of t; where t is one of the breaks exactly that of the other ones, whatever was rounded between."""
    k = np.clip(np.searchsorted(breaks, t), 0, len(breaks) - 1)
    return np.where(breaks[k] == t, other_breaks[k], np.clip(other, other_breaks[0], other_breaks[-1]))


def inside(breaks: np.ndarray, each: int = 4) -> np.ndarray:
    """Times inside every piece, not at its ends."""
    return (breaks[:-1, None] + np.diff(breaks)[:, None] * (np.arange(each) + 0.5) / each).ravel()


def _about_one_axis(path: PolynomialPath) -> bool:
    """Whether in every piece all rotation vectors are along one line through 0, to rounding."""
    powers = np.diff(path.breaks)[:, None, None] ** np.arange(path.coefficients.shape[2])
    s = np.linalg.svd(path.coefficients[:, 3:] * powers, compute_uv=False)
    return s.shape[1] == 1 or bool((s[:, 1] <= 1e-14 * s[:, 0]).all())


def _split(path: PolynomialPath) -> np.ndarray:
    """The path's breaks and more where a piece turns by more than LARGEST."""
    parts = [path.breaks[:1]]
    for a, b in zip(path.breaks[:-1], path.breaks[1:], strict=True):
        rate = np.linalg.norm(path.at(np.linspace(a, b, 33), False)[1][:, 3:], axis=1).max()
        count = int(np.ceil(1.1 * rate * (b - a) / LARGEST)) or 1
        parts.append(np.linspace(a, b, count + 1)[1:])
    return np.concatenate(parts)
