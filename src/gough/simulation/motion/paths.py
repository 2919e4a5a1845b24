"""Coordinates as functions of time with exact rates: what motions are made of.

A `PolynomialPath` is a polynomial on every piece, with cosines and sines on top,

    c(s) = Σ_j a_j (s - s_k)^j + Σ_i (C_i cos ω_i s + S_i sin ω_i s),                                   (1)

of the time itself, s = t, or of a parameter with a time law s(t), a path of one coordinate: ċ = c' ṡ, c̈ = c'' ṡ² + c' s̈.

Time laws go from 0 to 1 in a given time:
quintic        s = 10 r³ - 15 r⁴ + 6 r⁵, r = t/T: starts and ends at rest without acceleration
septic         s = 35 r⁴ - 84 r⁵ + 70 r⁶ - 20 r⁷: without jerk at both ends, too
trapezoid      constant acceleration over a ramp, constant speed, constant deceleration over a ramp: ramps (s) may be 0
trigonometric  s = 1/2 - 9/16 cos(πr) + 1/16 cos(3πr), of third order: as the quintic at both ends. [Lopes, section 4] names
               the order; the constants are ours

A part of a motion is a path in the coordinates of one chart, somewhere in the motion's time. Coordinates are the position itself
(chart None), or x y z and those of an orientation in a chart (see `gough.spatial.charts`) with a constant rotation on the right:
R(t) = R_chart(t) R_base.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Protocol

import numpy as np

from gough.errors import UsageError
from gough.spatial.charts import Three, rotation_of_chart
from gough.spatial.exponential import LARGEST
from gough.spatial.poses import quaternion_of_rotation_vector, quaternion_product

LAWS = ("quintic", "septic", "trapezoid", "trigonometric", "constant")
"""Names of laws; "constant" is constant speed: a trapezoid without ramps."""
NO_WAVES = (np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)))
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
PolynomialPieces = tuple[np.ndarray, np.ndarray, np.ndarray]
"""breaks (p + 1,), s; coefficients (p, channels, d + 1), bases (p, 4 or 0): as of a `MotionTable`."""


class TimePath(Protocol):
    """Coordinates (n,) on [0, the last of `breaks`], smooth between the `breaks` (p + 1,), s."""

    @property
    def breaks(self) -> np.ndarray:
        """0, the ends of the smooth pieces, duration (s)."""
        ...

    def at(self, t: np.ndarray, left: bool) -> Three:
        """c, ċ, c̈ (m, n) at times t (m,) inside [0, duration]; left: the value before a break, else after it."""
        ...


@dataclass(frozen=True, eq=False)
class PolynomialPath:
    """Equation (1). breaks (p + 1,), s. coefficients (p, n, d + 1): of rising powers of the time since the piece began. waves:
    rates ω (w,), C and S (w, n). law: s(t), whose breaks these are; the polynomial is then one, in powers of s."""

    breaks: np.ndarray
    coefficients: np.ndarray
    waves: tuple[np.ndarray, np.ndarray, np.ndarray] = NO_WAVES
    law: "PolynomialPath | None" = None

    def __post_init__(self) -> None:
        fixed = np.asarray(self.coefficients).view()  # the array itself stays its maker's
        fixed.setflags(write=False)
        object.__setattr__(self, "coefficients", fixed)

    def at(self, t: np.ndarray, left: bool) -> Three:
        """As `TimePath.at`."""
        if self.law is None:
            k = piece_of(self.breaks, t, left)
            return self._closed_form(self.coefficients[k], t - self.breaks[k], t[:, None])
        s, sd, sdd = self.law.at(t, left)
        same = np.broadcast_to(self.coefficients, (len(t), *self.coefficients.shape[1:]))
        x, first, second = self._closed_form(same, s[:, 0], s)
        return x, first * sd, second * sd**2 + first * sdd

    def _closed_form(self, coefficients: np.ndarray, since: np.ndarray, parameter: np.ndarray) -> Three:
        x, xd, xdd = horner(coefficients, since)
        rates, C, S = self.waves
        if not len(rates):
            return x, xd, xdd
        angle = parameter * rates
        c, s = np.cos(angle), np.sin(angle)
        x, xd = x + (c @ C + s @ S), xd + ((c * rates) @ S - (s * rates) @ C)
        return x, xd, xdd - ((c * rates**2) @ C + (s * rates**2) @ S)

    @property
    def is_polynomial(self) -> bool:
        """Whether it is made of polynomials in time alone."""
        return self.law is None and not len(self.waves[0])

    @property
    def duration(self) -> float:
        """The last break (s)."""
        return float(self.breaks[-1])

    def along(self, start: np.ndarray, step: np.ndarray) -> "PolynomialPath":
        """start + c step (n,), for a path c of one coordinate."""
        step = np.asarray(step, dtype=float)
        made = self.coefficients * step[:, None]
        made[:, :, 0] += start
        rates, C, S = self.waves
        return replace(self, coefficients=made, waves=(rates, C * step, S * step) if len(rates) else NO_WAVES)


def piece_of(breaks: np.ndarray, t: np.ndarray, left: bool) -> np.ndarray:
    """Which piece (m,) each time t (m,) belongs to."""
    found = np.searchsorted(breaks, t, side="left" if left else "right") - 1
    return np.clip(found, 0, len(breaks) - 2)


def horner(coefficients: np.ndarray, tau: np.ndarray) -> Three:
    """Polynomials (m, n, d + 1) and their two derivatives at local times tau (m,)."""
    x = coefficients[:, :, -1]
    xd, xdd = np.zeros(x.shape), np.zeros(x.shape)
    step = tau[:, None]
    for power in range(coefficients.shape[2] - 2, -1, -1):
        xdd = xdd * step + 2.0 * xd
        xd = xd * step + x
        x = x * step + coefficients[:, :, power]
    return x, xd, xdd


def shifted_coefficients(path: PolynomialPath, starts: np.ndarray) -> np.ndarray:
    """Coefficients (p, n, d + 1) of a path's polynomials in the time since each of `starts` (p,)."""
    k = piece_of(path.breaks, starts, False)
    out = path.coefficients[k].copy()
    shift = (starts - path.breaks[k])[:, None]
    for low in range(out.shape[2] - 1):  # repeated synthetic division
        for power in range(out.shape[2] - 2, low - 1, -1):
            out[:, :, power] += shift * out[:, :, power + 1]
    return out


def padded_coefficients(coefficients: np.ndarray, size: int) -> np.ndarray:
    """Coefficients (p, n, size) of the same polynomials."""
    more = size - coefficients.shape[2]
    return np.pad(coefficients, ((0, 0), (0, 0), (0, more))) if more else coefficients


def side_by_side(first: PolynomialPath, second: PolynomialPath) -> PolynomialPath:
    """Coordinates of two paths of the same time as one path; breaks that differ by rounding are one. Both are functions of the
    time itself, with waves of the same rates."""
    assert first.law is second.law is None and np.array_equal(first.waves[0], second.waves[0])
    both = np.union1d(first.breaks, second.breaks)
    breaks = both[np.concatenate([[True], np.diff(both) > 1e-12 * both[-1]])]
    rows = []
    for path in (first, second):
        at = np.abs(breaks[:, None] - path.breaks).argmin(axis=0)
        rows.append(shifted_coefficients(replace(path, breaks=breaks[at]), breaks[:-1]))
    most = max(r.shape[2] for r in rows)
    coefficients = np.concatenate([padded_coefficients(r, most) for r in rows], axis=1)
    C, S = (np.concatenate([a, b], axis=1) for a, b in zip(first.waves[1:], second.waves[1:], strict=True))
    return PolynomialPath(breaks, coefficients, (first.waves[0], C, S))


def constant(x: np.ndarray, duration: float) -> PolynomialPath:
    """A path that stays at x (n,)."""
    return PolynomialPath(np.array([0.0, duration]), np.asarray(x, dtype=float)[None, :, None].copy())


def quintic_law(duration: float) -> PolynomialPath:
    """From rest to rest in `duration` (s), accelerations continuous."""
    return _one_polynomial(duration, (0.0, 0.0, 0.0, 10.0, -15.0, 6.0))


def septic_law(duration: float) -> PolynomialPath:
    """From rest to rest in `duration` (s), accelerations and jerks continuous."""
    return _one_polynomial(duration, (0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0))


def _one_polynomial(duration: float, powers: Sequence[float]) -> PolynomialPath:
    """Coefficients of powers of r = t/T."""
    T = duration
    if T ** (len(powers) - 1) == 0.0:
        raise UsageError(f"duration={T:g} s is too short for numbers; give a longer one")
    rising = np.array([c / T**k for k, c in enumerate(powers)])
    return PolynomialPath(np.array([0.0, T]), rising[None, None, :])


def trapezoid_law(duration: float, ramp: float) -> PolynomialPath:
    """Trapezoidal speed with two equal ramps (s); a ramp of 0 is constant speed."""
    T = duration
    if not 0.0 <= ramp <= 0.5 * T * (1 + 1e-12):
        raise UsageError(
            f"a ramp of {ramp:.6g} s does not fit twice into a move of {T:.6g} s; give 0 to {0.5 * T:.6g} s"
        )
    ramp = min(ramp, 0.5 * T)
    speed = 1.0 / (T - ramp)
    half = 0.5 * speed / ramp if ramp > 0 else 0.0
    breaks, rows = [0.0], []
    if ramp > 0:
        rows.append([0.0, 0.0, half])
        breaks.append(ramp)
    if T - 2 * ramp > 1e-12 * T:
        rows.append([0.5 * ramp * speed, speed, 0.0])
        breaks.append(T - ramp)
    if ramp > 0:
        rows.append([1.0 - 0.5 * ramp * speed, speed, -half])
        breaks.append(T)
    breaks[-1] = T
    return PolynomialPath(np.array(breaks), np.array(rows)[:, None, :])


def trigonometric_law(duration: float) -> PolynomialPath:
    """From rest to rest in `duration` (s), accelerations continuous."""
    rates = math.pi / duration * np.array([1.0, 3.0])
    waves = (rates, np.array([[-9.0 / 16.0], [1.0 / 16.0]]), np.zeros((2, 1)))
    return PolynomialPath(np.array([0.0, duration]), np.full((1, 1, 1), 0.5), waves)


def law_named(name: str, duration: float, ramp: float | None = None) -> PolynomialPath:
    """A law by its name; ramp (s) goes with "trapezoid" and is needed there."""
    if name not in LAWS:
        raise UsageError(f"law={name!r}; use one of {', '.join(LAWS)}")
    if (name == "trapezoid") != (ramp is not None):
        raise UsageError(f"law={name!r}: {'give its ramps (s)' if ramp is None else 'ramps go with a trapezoid only'}")
    if name == "quintic":
        return quintic_law(duration)
    if name == "septic":
        return septic_law(duration)
    if name == "trigonometric":
        return trigonometric_law(duration)
    return trapezoid_law(duration, ramp or 0.0)


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
