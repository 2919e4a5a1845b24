"""Numbers that users give to laws, one for all entries or one each; and largest forces of drives, at which forces are cut off."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import floats
from gough.errors import UsageError
from gough.robot.tree import placed_joints
from gough.robot.units import Quantity
from gough.scalar import select

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
NONE = 1e300
"""Limit (N, N·m) of a drive without one."""


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


def plain_limit(limit: Any) -> Any:
    """A limit as given, checked: None, "description", a number, or a tuple."""
    if limit is None or (isinstance(limit, str) and limit == "description"):
        return limit
    if isinstance(limit, str):
        raise UsageError(f"limit={limit!r}; give a number, one a drive, or 'description' for those the robot states")
    found = as_numbers("limit", limit, 0.0)
    if not np.min(found) > 0:
        raise UsageError(f"limit={limit!r}: give positive forces (N, N m)")
    return found


def stated_limits(model: "Model") -> Vector:
    """Largest forces (drives,) that the description states; NONE where it states none, UsageError where for no drive."""
    joints = {placed.name: placed.joint for placed in placed_joints(model.robot)}
    out = np.full(len(model.mechanism.drives), NONE)
    for k, drive in enumerate(model.mechanism.drives):
        joint = joints[drive.name]
        stated = (joint.limits.force, None if joint.drive is None else joint.drive.force_limit)
        out[k] = min([NONE, *(x for x in stated if x is not None)])
    if len(out) and not (out < NONE).any():
        raise UsageError(
            f"limit='description': the description of {model.robot.name} states no force limit of a drive (force_limit); give "
            "numbers"
        )
    return out


def clipped_forces(tau: Vector, limits: Vector) -> Vector:
    """Forces (drives,) cut off at ± the limits."""
    out = [select(x - most, most, select(-most - x, -most, x)) for x, most in zip(tau, limits, strict=True)]
    return np.array(out, dtype=object)
