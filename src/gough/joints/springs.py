"""Characteristics of springs: elastic force and energy over a coordinate or a length x, and the damper beside them.

Numbers   (stiffness, damping, rest, preload, …): the first four of every spring, then those of its characteristic.
Symbols   s = x - rest;  F elastic force, positive against growing x (the tension of a spring between points);  U = ∫ F dx.

    linear       F = k s                                       U = k s²/2
    polynomial   F = Σ c_i sⁱ                                  U = Σ c_i sⁱ⁺¹/(i+1)
    table        F(x_i) = f_i, between them cubics of slopes d_i, beyond the ends straight on; U from x_0 on
    one-sided    F = c_1 p(s) + Σ_{i>1} c_i max(s, 0)ⁱ         U = c_1 P(s) + Σ_{i>1} c_i max(s, 0)ⁱ⁺¹/(i+1)

The slopes of a table are the weighted harmonic means of Fritsch and Butland (1984), zero where the differences change sign, so
that the curve overshoots nowhere and is monotone where the points are; at either end the slope of the last piece. Force and slope
are continuous. p is max(s, 0) with its corner rounded over a width w by a parabola, P its integral:

    p = 0, P = 0                                s <= -w/2
    p = (s + w/2)²/(2 w), P = (s + w/2)³/(6 w)  between
    p = s, P = s²/2 + w²/24                     s >= w/2

A one-sided spring never pushes: its damper acts by the part p'(s), and force and damper together are not below 0, so that the
damper takes energy at any rate. Polynomials that turn negative above rest are refused (robot/effects.py, `check_cables`; in
programs `least_forces`).
Branches are selects: every piece is computed from an argument that is regular for it, so that derivatives are those of the piece.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from gough.friction.coulomb import structurally_zero
from gough.scalar import select

Coefficients = Sequence[Any]
DOUBLE = 1e-9
"""By how much, relatively, a force that only touches 0 may seem to cross it."""
HALVINGS = 30
"""Of the way from 0 to 1, for places where a force is least: its value differs there by the square of what they are off."""


@dataclass(frozen=True)
class SpringLaw(ABC):
    """A characteristic; its numbers stand behind the first four. smooth: whether it is one piece."""

    smooth: ClassVar[bool] = True

    @abstractmethod
    def force(self, x: Any, numbers: Coefficients) -> Any:
        """F."""

    @abstractmethod
    def energy(self, x: Any, numbers: Coefficients) -> Any:
        """U (J), without preload."""

    def parts(self, x: Any, rate: Any, numbers: Coefficients) -> list[Any]:
        """Force and damper, whose sum acts against x; rate None: no damper."""
        return [self.force(x, numbers)] if rate is None else [self.force(x, numbers), numbers[1] * rate]

    def damper(self, x: Any, rate: Any, numbers: Coefficients) -> Any:
        """What the damper adds."""
        return numbers[1] * rate

    def is_slack(self, x: Any, numbers: Coefficients) -> Any:
        """Positive where the spring does nothing, whatever the rate; None where there is no such place."""
        return None


@dataclass(frozen=True)
class LinearSpring(SpringLaw):
    """k s."""

    def force(self, x: Any, numbers: Coefficients) -> Any:
        return numbers[0] * (x - numbers[2])

    def energy(self, x: Any, numbers: Coefficients) -> Any:
        stretch = x - numbers[2]
        return 0.5 * numbers[0] * stretch * stretch


@dataclass(frozen=True)
class PolynomialSpring(SpringLaw):
    """Σ c_i sⁱ."""

    def force(self, x: Any, numbers: Coefficients) -> Any:
        return _horner(numbers[4:], x - numbers[2])

    def energy(self, x: Any, numbers: Coefficients) -> Any:
        s = x - numbers[2]
        return s * _horner([c / (i + 1) for i, c in enumerate(numbers[4:])], s)


@dataclass(frozen=True)
class OneSidedSpring(SpringLaw):
    """Nothing below rest. Numbers: the width w, then c_1, c_2, …, or none where the stiffness is c_1."""

    smooth: ClassVar[bool] = False

    def force(self, x: Any, numbers: Coefficients) -> Any:
        s, (first, *rest) = self._of(x, numbers)
        p, _, _ = _ramp(s, numbers[4])
        above = select(s, s, 0.0)
        return first * p + above * above * _horner(rest, above)

    def energy(self, x: Any, numbers: Coefficients) -> Any:
        s, (first, *rest) = self._of(x, numbers)
        above = select(s, s, 0.0)
        more = _horner([c / (i + 3) for i, c in enumerate(rest)], above)
        return first * _ramp(s, numbers[4])[1] + above * above * above * more

    def parts(self, x: Any, rate: Any, numbers: Coefficients) -> list[Any]:
        force = self.force(x, numbers)
        if rate is None or structurally_zero(numbers[1]):
            return [force]
        return [force, self._damper(force, x, rate, numbers)]

    def damper(self, x: Any, rate: Any, numbers: Coefficients) -> Any:
        return self._damper(self.force(x, numbers), x, rate, numbers)

    def _damper(self, force: Any, x: Any, rate: Any, numbers: Coefficients) -> Any:
        """As much of the damper's force as does not push; it never has the sign of -rate."""
        own, most = numbers[1] * _ramp(x - numbers[2], numbers[4])[2] * rate, select(force, force, 0.0)
        return select(own + most, own, -most)

    def is_slack(self, x: Any, numbers: Coefficients) -> Any:
        return numbers[2] - x - 0.5 * numbers[4]

    def _of(self, x: Any, numbers: Coefficients) -> tuple[Any, Coefficients]:
        return x - numbers[2], numbers[5:] if len(numbers) > 5 else numbers[:1]


@dataclass(frozen=True)
class TableSpring(SpringLaw):
    """A curve through points. Numbers: x_0, f_0, x_1, f_1, …"""

    smooth: ClassVar[bool] = False

    def force(self, x: Any, numbers: Coefficients) -> Any:
        start, (f, slope, b, c), _ = self._piece(x, numbers)
        t = x - start
        return f + t * (slope + t * (b + t * c))

    def energy(self, x: Any, numbers: Coefficients) -> Any:
        start, (f, slope, b, c), before = self._piece(x, numbers)
        return before + _integral(f, slope, b, c, x - start)

    def _piece(self, x: Any, numbers: Coefficients) -> tuple[Any, list[Any], Any]:
        """(where it begins, f d b c of f + d t + b t² + c t³ there, energy up to there) of the piece that x is in."""
        at, forces = numbers[4::2], numbers[5::2]
        h = [b - a for a, b in pairwise(at)]
        rises = [(b - a) / step for a, b, step in zip(forces, forces[1:], h, strict=False)]
        slopes = [rises[0], *map(_harmonic, rises, rises[1:], h, h[1:]), rises[-1]]
        here: list[Any] = [at[0], forces[0], slopes[0], 0.0, 0.0, 0.0]  # straight on below
        energy: Any = 0.0
        for k, step in enumerate(h):
            b = (3.0 * rises[k] - 2.0 * slopes[k] - slopes[k + 1]) / step
            c = (slopes[k] + slopes[k + 1] - 2.0 * rises[k]) / (step * step)
            here = _choose(x - at[k], [at[k], forces[k], slopes[k], b, c, energy], here)
            energy = energy + _integral(forces[k], slopes[k], b, c, step)
        last = [at[-1], forces[-1], slopes[-1], 0.0, 0.0, energy]
        start, *cubic, before = _choose(x - at[-1], last, here)
        return start, cubic, before


LINEAR = LinearSpring()


def pushes_from(coefficients: Any) -> float | None:
    """Stretch s from which on the force c_1 s + c_2 s² + … of plain numbers (c_1, c_2, …) is below 0 for a while; None: nowhere
    above 0."""
    c = np.trim_zeros(np.asarray(coefficients, dtype=float), "b")
    if not (c < 0).any():
        return None
    roots = np.roots(c[::-1])
    level = np.abs(np.imag(roots)) <= DOUBLE * np.abs(roots)
    ends = [0.0, *sorted(np.real(roots[level & (np.real(roots) > 0)]).tolist())]
    for low, high in pairwise([*ends, 2.0 * ends[-1] + 2.0]):
        s = 0.5 * (low + high)
        terms = c * s ** np.arange(len(c))
        if terms.sum() < -DOUBLE * np.abs(terms).max():
            return low
    return None


def least_forces(coefficients: Coefficients) -> list[Any]:
    """Numbers that are not below 0 where the force c_1 s + c_2 s² + … of (c_1, c_2, …) is nowhere below 0 above s = 0: what
    `pushes_from` tells, of any scalar.

    With s = t/u, u = 1 - t, the force has the sign of G(t) = Σ c_k tᵏ⁻¹ uⁿ⁻ᵏ for t from 0 to 1. They are G at both ends and
    wherever its slope may vanish, and DOUBLE of its terms more. Roots of a derivative stand between those of the next one
    (bisection), which are known from the straight line on. In Bernstein's form derivatives are differences of coefficients.
    """
    binomials = _binomials(len(coefficients) - 1)
    rows: list[list[Any]] = [[c / count for c, count in zip(coefficients, binomials, strict=True)]]
    while len(rows[-1]) > 2:
        rows.append([b - a for a, b in pairwise(rows[-1])])
    places: list[Any] = []
    for row in reversed(rows[1:]):
        ends = [0.0, *places, 1.0]
        places = [_crossing(row, low, high) for low, high in pairwise(ends)]
    sizes = [abs(c) for c in rows[0]]
    return [_bernstein(rows[0], t) + DOUBLE * _bernstein(sizes, t) for t in (0.0, *places, 1.0)]


def _crossing(row: Coefficients, low: Any, high: Any) -> Any:
    """Where a polynomial of Bernstein's coefficients changes its sign between two places; any place between where it does not."""
    if len(row) == 2:
        first, last = row
        changes = -(first * last)
        return select(changes, first / select(changes, first - last, 1.0), 0.0)
    before = _bernstein(row, low)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        same = before * _bernstein(row, middle)
        low, high = select(same, middle, low), select(same, high, middle)
    return low


def _bernstein(row: Coefficients, t: Any) -> Any:
    """Σ binom(n, k) b_k tᵏ (1 - t)ⁿ⁻ᵏ."""
    total, power = row[0], t
    for count, b in zip(_binomials(len(row) - 1)[1:], row[1:], strict=True):
        total, power = total * (1.0 - t) + count * b * power, power * t
    return total


def _binomials(n: int) -> list[int]:
    """binom(n, k) of k from 0 to n."""
    row = [1]
    for _ in range(n):
        row = [a + b for a, b in zip([0, *row], [*row, 0], strict=True)]
    return row


def _horner(coefficients: Coefficients, s: Any) -> Any:
    total: Any = 0.0
    for c in reversed(coefficients):
        total = total * s + c
    return total


def _integral(f: Any, d: Any, b: Any, c: Any, t: Any) -> Any:
    """Of f + d t + b t² + c t³, from 0 to t."""
    return t * (f + t * (0.5 * d + t * (b * (1.0 / 3.0) + t * (0.25 * c))))


def _harmonic(left: Any, right: Any, before: Any, after: Any) -> Any:
    """Slope between two pieces of rises left and right and lengths before and after."""
    same = left * right
    first, second = before + 2.0 * after, 2.0 * before + after
    below = first * right + second * left
    return select(same, same * (first + second) / select(same, below, 1.0), 0.0)


def _ramp(s: Any, width: Any) -> tuple[Any, Any, Any]:
    """(p, P, p') of a one-sided spring."""
    p, P, slope = select(s, s, 0.0), select(s, 0.5 * s * s, 0.0), select(s, 1.0, 0.0)
    if structurally_zero(width):
        return p, P, slope
    t = s + 0.5 * width
    safe = select(width, width, 1.0)
    inside = [t * t / (2.0 * safe), t * t * t / (6.0 * safe), t / safe]
    above = [s, 0.5 * s * s + width * width * (1.0 / 24.0), 1.0]
    return tuple(select(s - 0.5 * width, b, select(t, a, 0.0)) for a, b in zip(inside, above, strict=True))


def _choose(condition: Any, if_positive: list[Any], otherwise: list[Any]) -> list[Any]:
    return [select(condition, a, b) for a, b in zip(if_positive, otherwise, strict=True)]
