"""A sampled motion of the platform, and how its parts are made."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class States:
    """Samples of a motion of the platform's origin, world axes.

    t (n,): s. pose (n, 7): x y z qw qx qy qz. v, acceleration (n, 6): twist and its classical derivative.
    """

    t: np.ndarray
    pose: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray

    def __len__(self) -> int:
        return len(self.t)

    def part(self, rows: slice) -> "States":
        """Some of the samples."""
        return States(self.t[rows], self.pose[rows], self.v[rows], self.acceleration[rows])


def from_rpy_zyx(t: np.ndarray, x: np.ndarray, xd: np.ndarray, xdd: np.ndarray) -> States:
    """States of coordinates x (n, 6) = x y z yaw pitch roll with R = Rz Ry Rx, and their two time derivatives.

    ω = yaw' z + pitch' Rz y + roll' Rz Ry x, and its derivative term by term.
    """
    yaw, pitch = x[:, 3], x[:, 4]
    cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    zero, one = np.zeros_like(yaw), np.ones_like(yaw)
    axes = np.stack([_row(zero, zero, one), _row(-sy, cy, zero), _row(cp * cy, cp * sy, -sp)], axis=1)
    yawd, pitchd = xd[:, 3:4], xd[:, 4:5]
    turning = np.stack(
        [
            np.zeros_like(axes[:, 0]),
            yawd * _row(-cy, -sy, zero),
            yawd * _row(-cp * sy, cp * cy, zero) + pitchd * _row(-sp * cy, -sp * sy, -cp),
        ],
        axis=1,
    )
    w = np.einsum("nk,nki->ni", xd[:, 3:], axes)
    wd = np.einsum("nk,nki->ni", xdd[:, 3:], axes) + np.einsum("nk,nki->ni", xd[:, 3:], turning)
    pose = np.concatenate([x[:, :3], _quaternion_wxyz(x[:, 3:])], axis=1)
    return States(t, pose, np.concatenate([xd[:, :3], w], axis=1), np.concatenate([xdd[:, :3], wd], axis=1))


def _row(*components: np.ndarray) -> np.ndarray:
    return np.stack(components, axis=-1)


def _quaternion_wxyz(angles: np.ndarray) -> np.ndarray:
    (cy, cp, cr), (sy, sp, sr) = np.cos(0.5 * angles).T, np.sin(0.5 * angles).T
    return _row(
        cy * cp * cr + sy * sp * sr,
        cy * cp * sr - sy * sp * cr,
        cy * sp * cr + sy * cp * sr,
        sy * cp * cr - cy * sp * sr,
    )
