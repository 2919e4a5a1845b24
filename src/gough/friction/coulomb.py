"""Coulomb friction: constant against the motion, optionally smoothed around zero rate."""

from typing import Any

import numpy as np

from gough.scalar import abs_, dot, select, sign, sqrt

AT_REST = 1e30
"""Stands for rate² + smoothing² where it is 0: force and slope are then 0, as those of `sign`, whatever the units."""


def structurally_zero(x: Any) -> bool:
    """True for the number 0.0 (a traced value never is, nor one that a variable moves)."""
    return isinstance(x, float) and not x


def coulomb(rate: Any, force: Any, smoothing: Any, resting: Any = 0.0) -> Any:
    """force · sign(rate), or force · rate/√(rate² + smoothing²) when `smoothing` (rate unit) is not structurally 0.

    resting: up to this rate sign(rate) is 0: what loops leave of a rate that is 0 is rounding, of either sign.
    """
    if structurally_zero(force) or structurally_zero(rate):
        return 0.0
    if structurally_zero(smoothing):
        if structurally_zero(resting):
            return force * sign(rate)
        return force * select(abs_(rate) - resting, sign(rate), 0.0)
    square = rate * rate + smoothing * smoothing
    return force * rate / sqrt(select(square, square, AT_REST))


def coulomb_vector(rate: np.ndarray, moment: Any, smoothing: Any, resting: Any = 0.0) -> np.ndarray:
    """The same for a ball: along the relative angular velocity (3,), of constant size."""
    if structurally_zero(moment):
        return np.full(3, 0.0, dtype=object)
    square = dot(rate, rate)
    if structurally_zero(square):
        return np.full(3, 0.0, dtype=object)
    if structurally_zero(smoothing):
        return rate * (moment / sqrt(select(square - resting * resting, square, AT_REST)))
    square = square + smoothing * smoothing
    return rate * (moment / sqrt(select(square, square, AT_REST)))
