"""Largest forces of drives, and forces cut off there."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.robot.tree import placed_joints
from gough.scalar import select
from gough.simulation.control.numbers import as_numbers

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
NONE = 1e300
"""Limit (N, N·m) of a drive without one."""


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


def clipped(tau: Vector, limits: Vector) -> Vector:
    """Forces (drives,) cut off at ± the limits."""
    out = [select(x - most, most, select(-most - x, -most, x)) for x, most in zip(tau, limits, strict=True)]
    return np.array(out, dtype=object)
