"""Limits on derivatives of coordinates or of a path, as limits on the time law of a straight move."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gough.arguments import numbers, show_value, take
from gough.errors import UsageError
from gough.simulation.motion._points import Points

RATES = ("speed", "acceleration", "jerk", "snap")
"""Derivatives that may be limited, the first one first."""


def limits_of(call: str, given: Sequence[Any], prefix: str, points: Points) -> list[np.ndarray]:
    """Limits of the derivatives in their order, each of all coordinates (k,), or of the path (1,); infinite where there is
    none. Empty where nothing is limited."""
    said = [k for k, limit in enumerate(given) if limit is not None]
    if not said:
        return []
    if prefix and points.chart is None:
        raise UsageError(f"{call}: {prefix}{RATES[said[0]]}= goes with poses=")
    count = 1 if points.kind in ("pose", "point") else len(points.names)
    out = []
    for name, value in zip(RATES[: said[-1] + 1], given, strict=False):
        x = np.full(count, np.inf)
        if value is not None:
            if isinstance(value, Mapping):
                raise UsageError(f"{call}: {prefix}{name}={show_value(value)}; give one number, or a list")
            x = take(f"{prefix}{name}", numbers, value)
            x = np.full(count, float(x)) if x.ndim == 0 else x
        if x.shape != (count,) or not (x > 0).all():
            many = f", or one for each of {', '.join(points.names)}" if count > 1 else ""
            raise UsageError(f"{call}: {prefix}{name}={show_value(value)}; give one positive number{many}")
        out.append(x)
    return out


def law_limits(k: int, points: Points, own: list[np.ndarray], turn: list[np.ndarray]) -> list[float]:
    """Limits of the derivatives of the law of move k, from 0 to 1: the strictest of each order, infinite where there is none."""
    length, angle = points.distances(k)
    step = np.array([length]) if points.kind in ("pose", "point") else np.abs(points.x[k + 1] - points.x[k])
    limits = [math.inf] * max(len(own), len(turn))
    for given, far in ((own, step), (turn, np.array([angle]))):
        for n, limit in enumerate(given):
            with np.errstate(divide="ignore"):
                limits[n] = min(limits[n], float((limit / far).min()))
    return limits
