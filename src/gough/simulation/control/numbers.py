"""Numbers that users give to laws: one for all entries, or one each."""

from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.robot.units import Quantity
from gough.simulation.given import floats


def as_numbers(name: str, value: Any, least: float | None = None, empty: bool = False) -> Any:
    """A float, or a tuple of floats; finite, and not below `least`; () only where `empty`. What is written with a unit stays so
    until the robot is known (see `Law.unit_problems`)."""
    x = floats(name, value)
    if empty and x.shape == (0,):
        return ()
    if x.ndim > 1 or x.size == 0 or not np.isfinite(x).all():
        raise UsageError(f"{name}={value!r}: give a finite number, or one each")
    if least is not None and (x < least).any():
        raise UsageError(f"{name}={value!r}: must not be below {least:g}")
    if x.ndim == 0:
        return value if isinstance(value, Quantity) else float(x)
    given = value if isinstance(value, list | tuple) else x
    return tuple(own if isinstance(own, Quantity) else float(plain) for own, plain in zip(given, x, strict=True))


def entries(name: str, value: Any, size: int, what: str) -> np.ndarray:
    """The numbers (size,) of as many `what`."""
    x = np.asarray(value, dtype=float)
    if x.ndim == 1 and len(x) != size:
        raise UsageError(f"{name}: {len(x)} numbers are given, the robot has {size} {what}")
    return np.broadcast_to(x, (size,)).copy()
