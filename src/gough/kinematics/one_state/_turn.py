"""One rotation after the other in plain numbers: what `spatial.poses` does for batches, at a tenth of its time for one state."""

import math
from collections.abc import Sequence

Quaternion = tuple[float, float, float, float]
Vector3 = tuple[float, float, float]


def product_of(a: Sequence[float], b: Sequence[float]) -> Quaternion:
    """Hamilton product, wxyz."""
    w, x, y, z = a
    W, X, Y, Z = b
    return (
        w * W - x * X - y * Y - z * Z,
        w * X + x * W + y * Z - z * Y,
        w * Y - x * Z + y * W + z * X,
        w * Z + x * Y - y * X + z * W,
    )


def scale_to_unit(q: Sequence[float]) -> Quaternion:
    """A quaternion of unit length; NaN where it has none."""
    w, x, y, z = q
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    norm = norm if norm > 0 else math.nan
    return (w / norm, x / norm, y / norm, z / norm)


def turn_quaternion(q: Sequence[float], turn: Sequence[float], in_body: bool) -> Quaternion:
    """A unit quaternion turned by a finite rotation vector, in axes of the body or of the world."""
    a, b, c = turn
    angle = math.sqrt(a * a + b * b + c * c)
    half = 0.5 * angle
    s = 0.5 if half == 0.0 else 0.5 * math.sin(half) / half
    step = (math.cos(half), s * a, s * b, s * c)
    return scale_to_unit(product_of(q, step) if in_body else product_of(step, q))


def turn_between(start: Sequence[float], end: Sequence[float], in_body: bool) -> Vector3:
    """Rotation vector, at most π long, that takes unit quaternion `start` to `end` (inverse of `turn_quaternion`)."""
    w, x, y, z = start
    back = (w, -x, -y, -z)
    w, x, y, z = product_of(back, end) if in_body else product_of(end, back)
    if w < 0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    s = 2.0 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0
    return (s * x, s * y, s * z)
