"""Doubles beside attributes of UsdPhysics in single precision: `gough:physics:mass` beside `physics:mass`.

A double counts only where it rounds to the standard attribute: a program that changed that one did not know the double.
"""

import math

import numpy as np

PREFIX = "gough:"


def shortest(x: float) -> float:
    """The shortest decimal that means a number in single precision: what an author typed."""
    if not math.isfinite(x) or abs(x) >= 3e38:
        return float(x)
    return float(str(np.float32(x)))


def is_same(single: float, double: float) -> bool:
    """Whether a double rounds to a number in single precision."""
    with np.errstate(over="ignore"):
        return bool(np.float32(single) == np.float32(double))
