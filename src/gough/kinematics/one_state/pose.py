"""The joints of all legs at one pose after the other, by machine code and a few operations on small arrays.

For robots all of whose legs have closed forms. What is not plain, and every pose at which something is wrong, is for `LedLegs`
to say: None is returned.
"""

import math

import numpy as np

from gough.compilation.function import Function
from gough.compilation.one_state import Straight
from gough.dynamics.legs.kinds import ELBOWS
from gough.dynamics.validity import CLOSURE_TOLERANCE, QUATERNION_TOLERANCE
from gough.kinematics._led_legs import LedLegs
from gough.kinematics.closing import row_scales
from gough.kinematics.retraction import wrap_angle


class OnePose:
    """Of a robot's own design."""

    def __init__(self, led: LedLegs, closed: float = CLOSURE_TOLERANCE) -> None:
        """closed: closure error below which a pose is one that the platform can take."""
        legs, linkage = led.closed, led.linkage
        self._parameters, self._closed_to = linkage.parameters, closed
        self._lead, self._home = legs.lead, led.assembly.home[legs.lead :]
        self._scales = row_scales(linkage)
        self._legs, self._led = legs, led
        self._columns, self._starts = legs.by_leg
        self._leg = np.repeat(np.arange(len(self._starts)), np.diff([*self._starts, len(self._columns)]))
        self._angular, self._measures = legs.angular(self._columns), legs.measures(self._columns)
        self._rank = np.arange(len(self._columns))
        cranked = [c for k, kind in enumerate(legs.kinds) if kind in ELBOWS for c in legs.columns(k)]
        self._cranks = np.array([c for c in cranked if legs.angular([c])[0]], dtype=int)
        self._closed = self._branched = self._residual = None

    @staticmethod
    def suits(led: LedLegs) -> bool:
        """Whether all joints follow from the pose in closed form."""
        legs, structure = led.closed, led.linkage.structure
        known = sum(len(legs.columns(k)) for k in range(len(legs.kinds)))
        whole = known == structure.layout.nq - legs.lead
        return whole and bool(legs.kinds) and not legs.others and not structure.tolerances and bool(structure.rows)

    def from_home(self, pose: np.ndarray) -> np.ndarray | None:
        """q (nq,) at a pose (7 + elastic,), in the branches of home."""
        if self._closed is None:
            self._closed = self._straight(self._legs.function(self._led.assembly.branches))
        if self._closed is None or not _is_unit(pose):
            return None
        found = self._closed(pose)
        if found is None:
            return None
        joints = found[0]
        if len(self._cranks):  # cranks turn freely: count their turns from home
            home = self._home[self._cranks]
            joints[self._cranks] = home + wrap_angle(joints[self._cranks] - home)
        return self._checked(pose, joints)

    def nearest(self, pose: np.ndarray, near: np.ndarray) -> np.ndarray | None:
        """q (nq,) at a pose (7 + elastic,), in the branches nearest to `near` (nq,)."""
        if self._branched is None:
            self._branched = self._straight(self._legs.in_branches, unchecked=True)
        if self._branched is None or not _is_unit(pose):
            return None
        found = self._branched(pose)
        if found is None:
            return None
        stacked = found[0]
        close = near[self._lead :][self._columns]
        away = stacked[:, self._columns] - close
        away = np.where(self._angular, wrap_angle(away), away)
        cost = np.add.reduceat(np.abs(away * self._measures), self._starts, axis=1)
        cost[~np.isfinite(cost)] = np.inf
        best = np.argmin(cost, axis=0)
        joints = np.empty(len(self._home))
        joints[self._columns] = close + away[best[self._leg], self._rank]
        return self._checked(pose, joints)

    def _checked(self, pose: np.ndarray, joints: np.ndarray) -> np.ndarray | None:
        """The configuration, where its loops are closed."""
        if self._residual is None:
            self._residual = self._straight(self._led.linkage.function("closure_residual"), unchecked=True)
            if self._residual is None:
                return None
        q = np.concatenate([pose, joints])
        found = self._residual(q)
        if found is None:
            return None
        residual, misalignment = found
        closed = np.abs(residual / self._scales).max() < self._closed_to  # NaN, of a leg out of reach, is not
        if closed and misalignment.size:
            closed = np.abs(misalignment).max() < self._closed_to
        return q if closed else None

    def _straight(self, function: Function, unchecked: bool = False) -> Straight | None:
        ready = function.one_state
        return None if ready is None else ready.caller(self._parameters, unchecked=unchecked)


def _is_unit(pose: np.ndarray) -> bool:
    w, x, y, z = pose[3:7].tolist()
    return abs(math.sqrt(w * w + x * x + y * y + z * z) - 1.0) <= QUATERNION_TOLERANCE
