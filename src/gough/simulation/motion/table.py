"""A motion as piecewise polynomials, for compiled time loops: one search, one Horner scheme.

A pose is tabulated as x y z and a rotation vector φ (world axes) from the orientation the piece is based on:
R(t) = exp(φ̂(t)) R_base; |φ| ≤ LARGEST on every piece, so that the series of `gough.spatial.Exponential` serve.
Motions made of polynomials (quintic, trapezoid, splines; turning about one axis a move) are tabulated exactly. Others are
fitted, in pieces that are halved until position and acceleration are near enough.

On a piece [t0, t0 + h] the channels' second derivatives are interpolated at N Chebyshev points u of (0, 1), t = t0 + h u:
c̈ = Σ a_k u^k, and integrated with the position and velocity at t0: c = c0 + ċ0 τ + Σ a_k h² u^(k+2) / ((k+1)(k+2)). So
accelerations are as good as the interpolation, and positions better. Powers of u are no good basis for slowly falling
Chebyshev coefficients, but a piece that meets the tolerances has quickly falling ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import chebyshev

from gough.arguments import a_motion, checked
from gough.errors import UsageError
from gough.simulation.motion.paths import (
    MotionPart,
    PolynomialPath,
    PolynomialPieces,
    Sample,
    horner,
    inside,
    padded_coefficients,
    piece_of,
)
from gough.spatial.charts import CONJUGATE, Three, from_rotation_vector, rotation_vector_rates
from gough.spatial.exponential import LARGEST
from gough.spatial.poses import quaternion_product, rotation_vector
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.simulation.motion.motion import Motion

POSITION_ERROR = 1e-13
"""Accepted error of fitted positions, relative to the largest coordinate of the same unit (rotations: to 1 rad)."""
ACCELERATION_ERROR = 1e-9
"""Accepted error of fitted accelerations, relative to the largest one of the same unit."""
POINTS = 10
"""Chebyshev points a piece: polynomials have degree POINTS + 1."""
CHECKS = (np.arange(2 * POINTS + 1) + 0.5) / (2 * POINTS + 1)
"""Where the fit of a piece is checked, in parts of it."""
MOST_PIECES = 5000
"""Most pieces for one of the motion; and ten times that many on top."""
AT_ONCE = 2000
"""PolynomialPieces fitted in one go, for the sake of memory."""
WAVE = 1.2
"""Of the fastest wave of a series, rad: it is not cut into shorter pieces before one was tried."""
NOISE = 1e4
"""Errors of less than this many tolerances that quarters of a piece have too are the motion's own rounding."""
SLACK = 1e-12
"""A time this part of the duration outside of the motion is rounding."""
__all__ = ["ACCELERATION_ERROR", "LARGEST", "POSITION_ERROR", "SLACK", "MotionTable", "table"]


def _interpolation() -> tuple[np.ndarray, np.ndarray]:
    """(points (N,) in (0, 1), matrix (N, N) from values there to coefficients of powers of u)."""
    k = np.arange(POINTS)
    x = np.cos(np.pi * (k + 0.5) / POINTS)
    to_chebyshev = 2.0 / POINTS * np.cos(np.outer(k, np.arccos(x)))
    to_chebyshev[0] *= 0.5
    powers = np.zeros((POINTS, POINTS))
    for n in k:  # T_n(2u - 1): whole numbers, exact
        shifted = np.polynomial.Polynomial(chebyshev.cheb2poly(np.eye(POINTS)[n]))(
            np.polynomial.Polynomial([-1.0, 2.0])
        )
        powers[: n + 1, n] = np.round(shifted.coef[: n + 1])
    return 0.5 * (x + 1.0), powers @ to_chebyshev


NODES, TO_POWERS = _interpolation()


def groups_of(kind: str, units: Sequence[str]) -> list[list[int]]:
    """Channels of the same unit; of a pose the position and the rotation."""
    if kind == "pose":
        return [[0, 1, 2], [3, 4, 5]]
    return [[k for k, u in enumerate(units) if u == unit] for unit in dict.fromkeys(units)]


@dataclass(frozen=True)
class ErrorScales:
    """What errors are relative to. groups: see `groups_of`. sizes: the largest position and acceleration of each; 1 rad for
    rotations of a pose, and of accelerations at least a trifle, so that rounding of a motion without any is none."""

    posed: bool
    groups: tuple[list[int], ...]
    sizes: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, kind: str, units: Sequence[str], at: Three, duration: float) -> "ErrorScales":
        """From a motion's positions, velocities and accelerations at some times."""
        posed = kind == "pose"
        groups = groups_of(kind, units)
        sizes = []
        for g in groups:
            far = 1.0 if posed and g[0] == 3 else max(float(np.abs(at[0][:, g]).max()), 1e-300)
            sizes.append((far, max(float(np.abs(at[2][:, g]).max()), 1e-5 * far / duration**2)))
        return cls(posed, tuple(groups), tuple(sizes))

    def errors(self, position: np.ndarray, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Relative errors (m,) of differences (m, channels) of positions and accelerations, the largest of all groups."""
        far = [np.abs(position[:, g]).max(axis=1) / p for g, (p, _) in zip(self.groups, self.sizes, strict=True)]
        fast = [np.abs(acceleration[:, g]).max(axis=1) / a for g, (_, a) in zip(self.groups, self.sizes, strict=True)]
        return np.max(far, axis=0), np.max(fast, axis=0)

    def differences(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """b - a (m, channels) of positions; of poses translation and rotation vector."""
        if not self.posed:
            return b - a
        return np.concatenate([b[:, :3] - a[:, :3], _turns(b, a[:, 3:])], axis=1)


def fit(part: MotionPart, kind: str, units: Sequence[str]) -> PolynomialPieces:
    """Polynomials near a part, in its own time; all pieces that are still too long are halved at once."""
    part = part.in_own_time()
    duration = float(part.breaks[-1])
    scales = ErrorScales.of(kind, units, part.at(inside(part.breaks), False), duration)
    cut = _cut_waves(part)
    a: Any = cut[:-1].copy()
    b: Any = cut[1:].copy()
    most = MOST_PIECES * (len(a) + 10)
    before: Any = np.full((len(a), 2), np.inf)  # errors of the pieces that these are quarters and halves of
    kept: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    count = 0
    while len(a):
        chunks = [slice(k, k + AT_ONCE) for k in range(0, len(a), AT_ONCE)]
        done = [_fitted_pieces(part, a[c], b[c], scales) for c in chunks]
        rows, bases, error = (np.concatenate(found) for found in zip(*done, strict=True))
        good = (error <= 1.0) | ((before[:, 0] < NOISE) & (error > 0.5 * before[:, 0]))
        kept.append((a[good], rows[good], bases[good]))
        a, b, before = a[~good], b[~good], np.stack([before[:, 1], error], axis=1)[~good]
        count += int(good.sum())
        if count + len(a) > most or (b - a < 1e-9 * duration).any():
            raise UsageError(
                f"the motion is too rough to tabulate near {a[np.argmin(b - a)]:.6g} s; name its kinks, smooth it, or take it in "
                f"parts"
            )
        middle = 0.5 * (a + b)
        a, b = np.stack([a, middle], axis=1).ravel(), np.stack([middle, b], axis=1).ravel()
        before = np.repeat(before, 2, axis=0)
    starts = np.concatenate([s for s, _, _ in kept])
    order = np.argsort(starts)
    rows, bases = (np.concatenate([k[i] for k in kept])[order] for i in (1, 2))
    return np.append(starts[order], duration), rows, bases


def _cut_waves(part: MotionPart) -> np.ndarray:
    """Breaks (p + 1,) of a part in its own time; a series of waves that is too long for a few pieces is cut into 5, 25, … equal
    parts: halves of these begin and end with steps that are a round part of a second, where the period is a round number of
    them."""
    path, breaks = part.path, part.breaks
    if not isinstance(path, PolynomialPath) or path.law is not None or not len(path.waves[0]):
        return breaks
    turns = float(np.max(path.waves[0])) * np.diff(breaks) / WAVE
    parts = 5 ** np.floor(np.log(np.maximum(turns, 1.0)) / np.log(5.0) + 1e-9).astype(int)
    cuts = [a + (b - a) * np.arange(n) / n for a, b, n in zip(breaks[:-1], breaks[1:], parts, strict=True)]
    return np.append(np.concatenate(cuts), breaks[-1])


def _fitted_pieces(part: MotionPart, a: np.ndarray, b: np.ndarray, scales: ErrorScales) -> PolynomialPieces:
    """(coefficients (k, channels, POINTS + 2), bases (k, 4 or 0), errors (k,) in tolerances) on [a, b] (k,).

    A piece that turns too far for its rotation vector has an infinite error.
    """
    n, h = len(a), (b - a)[:, None]
    x0, v0, _ = part.at(a, False)
    x, v, acceleration = part.at((a[:, None] + h * NODES).ravel(), False)
    far = np.zeros(n, dtype=bool)
    bases = np.zeros((n, 0))
    if scales.posed:
        bases = x0[:, 3:]
        phi = _turns(x, np.repeat(bases, POINTS, axis=0))
        # with room for what lies between the points
        far = np.linalg.norm(phi, axis=1).reshape(n, POINTS).max(axis=1) > 0.9 * LARGEST
        second = rotation_vector_rates(phi, v[:, 3:], acceleration[:, 3:])[1]
        acceleration = np.concatenate([acceleration[:, :3], second], axis=1)
        x0 = np.concatenate([x0[:, :3], np.zeros((n, 3))], axis=1)  # at φ = 0 the rate is the angular velocity
    values = acceleration.reshape(n, POINTS, -1)
    k = np.arange(POINTS)
    tail = np.einsum("pk,nkc->ncp", TO_POWERS, values) / ((k + 1) * (k + 2)) / h[:, :, None] ** k
    rows = np.concatenate([x0[:, :, None], v0[:, :, None], tail], axis=2)
    return rows, bases, np.where(far, np.inf, _errors_of_pieces(part, a, h, rows, bases, scales))


def _errors_of_pieces(
    part: MotionPart, a: np.ndarray, h: np.ndarray, rows: np.ndarray, bases: np.ndarray, scales: ErrorScales
) -> np.ndarray:
    """Largest error (k,) of each piece between its points, in halves of the tolerances."""
    many = len(CHECKS)
    tau = (h * CHECKS).ravel()
    x, _, acceleration = part.at(np.repeat(a, many) + tau, False)
    ours, _, second = in_channels(np.repeat(rows, many, axis=0), tau, np.repeat(bases, many, axis=0))
    off, rough = scales.errors(scales.differences(x, ours), second - acceleration)
    found = np.maximum(off / (0.5 * POSITION_ERROR), rough / (0.5 * ACCELERATION_ERROR))
    return found.reshape(len(a), many).max(axis=1)


def in_channels(rows: np.ndarray, tau: np.ndarray, bases: np.ndarray) -> Three:
    """Position, velocity, acceleration of polynomials (m, channels, d + 1) at local times (m,); of poses with bases (m, 4)."""
    x, xd, xdd = horner(rows, tau)
    if not bases.shape[1]:
        return x, xd, xdd
    q, w, wd = from_rotation_vector(x[:, 3:], xd[:, 3:], xdd[:, 3:])
    pose = np.concatenate([x[:, :3], quaternion_product(q, bases)], axis=1)
    return pose, np.concatenate([xd[:, :3], w], axis=1), np.concatenate([xdd[:, :3], wd], axis=1)


def _turns(x: np.ndarray, bases: np.ndarray) -> np.ndarray:
    return rotation_vector(quaternion_product(x[:, 3:], bases * CONJUGATE))


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
        three = self._at(np.clip(times.ravel(), 0.0, end), side == "left")
        return Sample(*(a.reshape(*times.shape, a.shape[1]) for a in three))

    def _at(self, t: np.ndarray, left: bool) -> Three:
        """Position, velocity, acceleration (m, …) at times t (m,) inside [0, duration]."""
        k = piece_of(self.breaks, t, left)
        return in_channels(self.coefficients[k], t - self.breaks[k], self.bases[k])

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
    scales = ErrorScales.of(motion.kind, motion.units, motion._at(inside(motion.breaks), False), motion.duration)
    widths = np.diff(made.breaks)
    fine = (made.breaks[:-1, None] + widths[:, None] * np.linspace(0.03, 0.97, each)).ravel()
    worst = np.zeros(2)
    for left, t in ((False, np.concatenate([fine, motion.breaks[:-1]])), (True, motion.breaks[1:])):
        a, b = motion._at(t, left), made._at(t, left)
        off = scales.errors(scales.differences(a[0], b[0]), a[2] - b[2])
        worst = np.maximum(worst, [x.max() for x in off])
    return float(worst[0]), float(worst[1])
