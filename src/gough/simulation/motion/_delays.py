"""A motion averaged over delayed copies of itself, whose delays follow a vibration: what shaped motions are made of.

A vibration of damped frequency f(t) makes θ(t) = ∫ 2 f dt half swings until t. A copy that is late by k half swings,

    m(D_k(t)),   θ(D_k) = θ(t) - k,   Ḋ = θ̇(t)/θ̇(D),   D̈ = (θ̈(t) - θ̈(D) Ḋ²)/θ̇(D),                        (1)

runs through the positions of the motion m on its way at its pace in θ. The averaged motion is

    y = Σ_k A_k(t) m(D_k(t)),   A_k ≥ 0,   Σ_k A_k = 1:                                                   (2)

never outside of m, on its straight lines, and at rest where it rests, last of all. For constant f (2) is m convolved with
impulses at k/2f. Orientations are averaged about the one that is not late, in world axes: R_k = exp(φ̂_k) R_0,
R = exp(Σ A_k φ̂_k) R_0, which is the average of angles where a motion turns about one axis.

f and A_k are quintic splines over time, with four continuous derivatives and no slope at both ends; before and after f stays.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.errors import UsageError
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import PolynomialPath, horner, piece_of
from gough.spatial.charts import CONJUGATE, Three, cross, from_rotation_vector, rotate, rotation_vector_rates
from gough.spatial.poses import quaternion_product, rotation_vector

SAME = 1e-12
"""A delayed time this near to a break of the motion, of its duration, is the break."""
NEWTON = 8
"""Most iterations for a delayed time: θ is nearly straight."""
LARGEST_TURN = 2.8
"""Largest angle (rad) by which a motion may turn within the delays."""


@dataclass(frozen=True, eq=False)
class Swings:
    """θ(t) of (1). rate: its rate 2f as a path of one coordinate from 0 on, s."""

    rate: PolynomialPath

    @cached_property
    def _whole(self) -> PolynomialPath:
        """θ from 0 at 0."""
        rows, h = self.rate.coefficients[:, 0], np.diff(self.rate.breaks)
        out = np.zeros((len(rows), 1, rows.shape[1] + 1))
        out[:, 0, 1:] = rows / np.arange(1, rows.shape[1] + 1)
        ends = np.array([np.polynomial.polynomial.polyval(x, c) for x, c in zip(h, out[:, 0], strict=True)])
        out[1:, 0, 0] = np.cumsum(ends)[:-1]
        return PolynomialPath(self.rate.breaks, out)

    @cached_property
    def _at_breaks(self) -> np.ndarray:
        return self._whole.at(self.rate.breaks, True)[0][:, 0]

    def count(self, t: np.ndarray) -> Three:
        """θ, θ̇, θ̈ (m,) at any times t (m,)."""
        end = self.rate.breaks[-1]
        inside = np.clip(t, 0.0, end)
        theta, first, second = (x[:, 0] for x in self._whole.at(inside, False))
        out = t != inside
        return theta + first * (t - inside), first, np.where(out, 0.0, second)

    def when(self, theta: np.ndarray) -> np.ndarray:
        """t (m,) at which θ (m,) half swings are done."""
        breaks, done, path = self.rate.breaks, self._at_breaks, self._whole
        k = piece_of(done, theta, False)
        t = breaks[k] + (theta - done[k]) * (breaks[k + 1] - breaks[k]) / (done[k + 1] - done[k])
        low, high = np.where(k > 0, breaks[k], -np.inf), np.where(k < len(breaks) - 2, breaks[k + 1], np.inf)
        for _ in range(NEWTON):
            inside = np.clip(t, breaks[k], breaks[k + 1])
            x, rate, _ = (y[:, 0] for y in horner(path.coefficients[k], inside - breaks[k]))
            step = (theta - x - rate * (t - inside)) / rate
            t = np.clip(t + step, low, high)
            if not (np.abs(step) > 1e-15 * breaks[-1]).any():
                break
        return t


@dataclass(frozen=True, eq=False)
class DelayedPath:
    """y of (2): the position of the motion's kind, of poses x y z and the quaternion's numbers. late (n,): half swings k of each
    copy, from 0 on. weights: A (n,) over time, as a path; constant after its end."""

    of: Motion
    swings: Swings
    late: tuple[float, ...]
    weights: PolynomialPath

    @property
    def duration(self) -> float:
        """s."""
        return float(self.breaks[-1])

    @property
    def breaks(self) -> np.ndarray:
        """As of `TimePath`: where a copy has a break, and where frequency or weights have one for a copy."""
        return self._breaks

    @cached_property
    def _breaks(self) -> np.ndarray:
        own = np.concatenate([self.of.breaks])
        end = self.later(own[-1:], max(self.late))[0]
        knots = np.union1d(self.swings.rate.breaks, self.weights.breaks)
        if self.is_steady:
            knots = knots[:0]
        found = [self.later(own, k) for k in self.late] + [self.later(knots, k) for k in self.late]
        found = np.sort(np.concatenate(found))
        found = found[(found > SAME * end) & (found < end * (1 - SAME))]
        kept = np.concatenate([[True], np.diff(found) > 1e-9 * end]) if len(found) else np.zeros(0, dtype=bool)
        made = np.concatenate([[0.0], found[kept], [end]])
        made.setflags(write=False)
        return made

    @property
    def is_steady(self) -> bool:
        """Whether frequency and weights never change: a convolution."""
        return not (self.swings.rate.coefficients[:, :, 1:].any() or self.weights.coefficients[:, :, 1:].any())

    def later(self, t: np.ndarray, late: float) -> np.ndarray:
        """When a copy that is late by so many half swings does what the motion does at t (m,)."""
        return t if late == 0 else self.swings.when(self.swings.count(t)[0] + late)

    def at(self, t: np.ndarray, left: bool) -> Three:
        """As `TimePath.at`."""
        theta, rate, change = self.swings.count(t)
        copies = [self._copy(t, theta, rate, change, k, left) for k in self.late]
        A, Ad, Add = self.weights.at(np.clip(t, 0.0, self.weights.duration), False)
        after = t > self.weights.duration
        Ad, Add = (np.where(after[:, None], 0.0, x) for x in (Ad, Add))
        first = copies[0]
        if self.of.kind != "pose":
            return _sum(first, [tuple(x - y for x, y in zip(c, first, strict=True)) for c in copies], A, Ad, Add)
        sizes = [slice(0, 3)]
        plain = [tuple(x[:, s] for x in c) for s in sizes for c in copies]
        moved = _sum(plain[0], [tuple(x - y for x, y in zip(c, plain[0], strict=True)) for c in plain], A, Ad, Add)
        none = tuple(np.zeros((len(t), 3)) for _ in range(3))
        phi = _sum(none, [none, *(_apart(c, first) for c in copies[1:])], A, Ad, Add)
        return _turned(moved, phi, first)

    def _copy(
        self, t: np.ndarray, theta: np.ndarray, rate: np.ndarray, change: np.ndarray, late: float, left: bool
    ) -> Three:
        """Position, velocity and acceleration (m, …) of a copy; the angular ones in world axes."""
        own, end = self.of.breaks, self.of.duration
        last = t >= self.breaks[-1]
        if late == 0:
            D, first, second = t, np.ones(len(t)), np.zeros(len(t))
        else:
            D = self.swings.when(theta - late)
            _, there, bend = self.swings.count(D)
            first = rate / there
            second = (change - bend * first**2) / there
        k = np.clip(np.searchsorted(own, D), 1, len(own) - 1)
        k = np.where(D - own[k - 1] < own[k] - D, k - 1, k)
        D = np.where(np.abs(D - own[k]) <= SAME * max(end, self.duration), own[k], D)
        before = left | last
        moving = np.where(before, (D > 0) & (end >= D), (D >= 0) & (end > D))
        at = np.clip(D, 0.0, end)
        x, v, a = self.of._at(at, True)
        if not before.all():
            some = ~before
            for whole, part in zip((x, v, a), self.of._at(at[some], False), strict=True):
                whole[some] = part
        v, a = v * first[:, None], a * first[:, None] ** 2 + v * second[:, None]
        return x, np.where(moving[:, None], v, 0.0), np.where(moving[:, None], a, 0.0)


def _sum(base: tuple, steps: list[tuple], A: np.ndarray, Ad: np.ndarray, Add: np.ndarray) -> Three:
    """base + Σ A_k step_k and its two rates (m, …)."""
    x, v, a = (y.copy() for y in base)
    for k, (s, sd, sdd) in enumerate(steps):
        w, wd, wdd = A[:, k : k + 1], Ad[:, k : k + 1], Add[:, k : k + 1]
        x += w * s
        v += w * sd + wd * s
        a += w * sdd + 2.0 * wd * sd + wdd * s
    return x, v, a


def _apart(copy: Three, base: Three) -> Three:
    """φ with exp(φ̂) R_base = R_copy, and its two rates: Q = R_copy R_baseᵀ has ω_Q = ω_copy - Q ω_base."""
    Q = quaternion_product(copy[0][:, 3:], base[0][:, 3:] * CONJUGATE)
    phi = rotation_vector(Q)
    far = np.linalg.norm(phi, axis=1).max(initial=0.0)
    if far > LARGEST_TURN:
        raise UsageError(
            f"shape: the motion turns by {np.degrees(far):.0f} degrees within the delays of its shaper, more than "
            f"{np.degrees(LARGEST_TURN):.0f}; take a slower motion, or shape that of the drives (gough.laws.drives_of)"
        )
    taken = rotate(Q, base[1][:, 3:])
    w = copy[1][:, 3:] - taken
    wd = copy[2][:, 3:] - rotate(Q, base[2][:, 3:]) - cross(w, taken)
    return phi, *rotation_vector_rates(phi, w, wd)


def _turned(moved: Three, phi: Three, base: Three) -> Three:
    """x y z and the quaternion's numbers of exp(φ̂) R_base with their rates: q̇ = ω q/2, q̈ = (ω̇ q + ω q̇)/2."""
    Q, w, wd = from_rotation_vector(*phi)
    taken = rotate(Q, base[1][:, 3:])
    w, wd = w + taken, wd + rotate(Q, base[2][:, 3:]) + cross(w, taken)
    q = quaternion_product(Q, base[0][:, 3:])
    half, halfd = (np.insert(0.5 * x, 0, 0.0, axis=1) for x in (w, wd))
    qd = quaternion_product(half, q)
    qdd = quaternion_product(halfd, q) + quaternion_product(half, qd)
    return tuple(np.concatenate([x, y], axis=1) for x, y in zip(moved, (q, qd, qdd), strict=True))  # type: ignore[return-value]
