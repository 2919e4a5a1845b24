"""The rotation of a rotation vector θ, and the angular velocity that goes with θ̇; without division, so that θ = 0 is a
point like any other.

Derivation  with s = |θ|² and the entire functions a = sin√s/√s, b = (1 - cos√s)/s, c = (√s - sin√s)/√s³ of s:
    R = I + a θ̂ + b θ̂²                                                     (1)
    ω = J θ̇,  J = I - b θ̂ + c θ̂²      (axes that have turned)              (2)
    ω̇ = J θ̈ - ḃ θ × θ̇ + ċ θ × (θ × θ̇) + c θ̇ × (θ × θ̇)                     (3)
b, c and their derivatives by s are summed as power series, good to rounding up to |θ| = LARGEST; a = 1 - s c.
A vector along one coordinate axis is a plain rotation about it.
"""

from typing import Any

import numpy as np

from gough.scalar import dot
from gough.spatial.rotation import about_axis
from gough.spatial.vector import Vector, cross, skew

LARGEST = 1.5
"""Largest rotation (rad) the series are made for."""
_TERMS = 10


def _coefficients(first: int) -> list[float]:
    """1/n!, -1/(n + 2)!, 1/(n + 4)!, … from n = first on."""
    out = [1.0 / {2: 2.0, 3: 6.0}[first]]
    for k in range(1, _TERMS):
        out.append(-out[-1] / ((first + 2 * k - 1) * (first + 2 * k)))
    return out


_B, _C = _coefficients(2), _coefficients(3)


class Exponential:
    """The rotation `R` (3, 3) of a rotation vector `theta` (3,) of any scalar: turned components to unturned ones."""

    def __init__(self, theta: Vector) -> None:
        self.theta = theta
        self.square: Any = 0.0
        along = [k for k in range(3) if not (isinstance(theta[k], float | int) and theta[k] == 0)]
        self.plain = len(along) < 2
        if self.plain:
            self.square = theta[along[0]] * theta[along[0]] if along else 0.0
            self.R = about_axis(along[0], theta[along[0]]) if along else np.array(np.eye(3), dtype=object)
            self.J = np.array(np.eye(3), dtype=object)
            return
        s = self.square = dot(theta, theta)
        self._b, self._c = _sum(_B, s), _sum(_C, s)
        hat = skew(theta)
        square = hat @ hat
        one = np.array(np.eye(3), dtype=object)
        self.R = one + (1.0 - s * self._c) * hat + self._b * square
        self.J = one - self._b * hat + self._c * square

    def rate_bias(self, rate: Vector) -> Vector:
        """What equation (3) adds to J θ̈ for θ̇ = rate."""
        if self.plain:
            return np.full(3, 0.0, dtype=object)
        turn = cross(self.theta, rate)
        growth = 2.0 * dot(self.theta, rate)
        db = growth * _sum([k * x for k, x in enumerate(_B)][1:], self.square)
        dc = growth * _sum([k * x for k, x in enumerate(_C)][1:], self.square)
        return dc * cross(self.theta, turn) - db * turn + self._c * cross(rate, turn)


def _sum(coefficients: list[float], s: Any) -> Any:
    total: Any = coefficients[-1]
    for x in reversed(coefficients[:-1]):
        total = total * s + x
    return total
