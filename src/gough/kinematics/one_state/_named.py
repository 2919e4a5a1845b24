"""Named coordinates of one configuration after the other, and their rates by v: `NamedCoordinates` in plain numbers."""

import math

import numpy as np

from gough.compilation.one_state import Straight
from gough.kinematics.leading import NamedCoordinates

UPRIGHT = 1e-6
"""Cosine of the pitch below which yaw and roll are left to the general way."""


class OneNamed:
    """Values (k,) and rates (k, nv) of named coordinates. plain: whether they are all the platform's and scalar joints'."""

    def __init__(self, named: NamedCoordinates) -> None:
        self.sizes, self.wrapped, self.periodic = named.sizes, named.wrapped, named.periodic
        self.plain = not named.turns
        shifts = {k: i for k, i in named.on_platform.items() if i < 3}
        self._angles = [(k, i - 3) for k, i in named.on_platform.items() if i >= 3]
        rows = {k: (i, i) for k, i in shifts.items()} | {k: (link.q, link.u) for k, link in named.joints.items()}
        self._k = np.array(list(rows), dtype=int)
        self._q, self._u = (np.array([pair[side] for pair in rows.values()], dtype=int) for side in (0, 1))
        layout = named.linkage.layout
        self._units = list(np.eye(layout.nv))
        self._count = len(named.names)

    def look(self, q: np.ndarray, rates: Straight) -> tuple[np.ndarray, np.ndarray] | None:
        """At q (nq,), with "tree_rates" of one state."""
        columns = []
        for unit in self._units:
            found = rates(q, unit)
            if found is None:
                return None
            columns.append(found[0])
        tree = np.array(columns).T
        values, C = np.empty(self._count), np.empty((self._count, len(columns)))
        values[self._k], C[self._k] = q[self._q], tree[self._u]
        if self._angles:
            found = _yaw_pitch_roll(q[3:7].tolist())
            if found is None:
                return None
            angles, inverse = found
            spins = inverse @ tree[3:6]
            for k, axis in self._angles:
                values[k], C[k] = angles[axis], spins[axis]
        return values, C


def _yaw_pitch_roll(q: list[float]) -> tuple[tuple[float, float, float], np.ndarray] | None:
    """(yaw, pitch, roll) of a unit quaternion, R = Rz Ry Rx, and their rates per angular velocity in the world (3, 3)."""
    w, x, y, z = q
    forward, left, up = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)
    level = math.hypot(forward, left)
    if not level > UPRIGHT:
        return None
    yaw, pitch = math.atan2(left, forward), math.atan2(-up, level)
    roll = math.atan2(2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
    c, s, slope, stretch = math.cos(yaw), math.sin(yaw), math.tan(pitch), 1.0 / math.cos(pitch)
    return (yaw, pitch, roll), np.array([[slope * c, slope * s, 1.0], [-s, c, 0.0], [stretch * c, stretch * s, 0.0]])
