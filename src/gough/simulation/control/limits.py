"""Limits of drive forces, and what stands around a law: other forces beside its own, and limits on all of them together.

A law that remembers its forces (an integral that does not wind up, an estimate of what they do) must know what became of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.robot.tree import placed_joints
from gough.scalar import select

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
NONE = 1e300
"""Limit (N, N·m) of a drive without one."""


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


@dataclass(frozen=True, eq=False)
class Around:
    """What laws and limits around a law make of its forces. beside (drives,): forces that they add, None for none. act: what the
    drives are commanded where the law gives forces (drives,), None where all of them act."""

    beside: Vector | None = None
    act: Callable[[Vector], Vector] | None = None

    def acting(self, tau: Vector) -> Vector:
        """What the drives are commanded (drives,) where the law gives these forces."""
        if self.act is not None:
            return self.act(tau)
        return tau if self.beside is None else tau + self.beside

    def shortfall(self, tau: Vector) -> Vector | None:
        """What limits around the law add to these forces (drives,); None where there are no limits."""
        if self.act is None:
            return None
        return self.act(tau) - (tau if self.beside is None else tau + self.beside)

    def inside(self, beside: Vector | None, cut: Callable[[Vector], Vector] | None) -> "Around":
        """What is around a law that stands inside of one: that adds forces beside its own, and cuts off the sum."""
        parts = [x for x in (beside, self.beside) if x is not None]
        total = sum(parts[1:], parts[0]) if parts else None
        if cut is None and self.act is None:
            return Around(total)

        def act(tau: Vector) -> Vector:
            whole = tau if beside is None else tau + beside
            return self.acting(whole if cut is None else cut(whole))

        return Around(total, act)
