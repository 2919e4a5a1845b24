"""Scenario long2014_poses, as the runs of [Long 2014, section 6] need one: the paper prints none."""

import numpy as np

from papers.long2014.legs import INITIAL_POSITION
from papers.vectors import rotation_x, rotation_y, rotation_z


def poses_path(t):
    """Position, rotation, twist, acceleration of the platform at time ``t``, world axes.

    Chosen: offsets from the initial pose, R = Rz(c) Ry(b) Rx(a), quintic, 0.8 s each.
    """
    via = np.array(
        [
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.05, 0.04, 0.06, 0.08, -0.06, 0.10],
            [-0.06, 0.02, 0.03, -0.06, 0.08, -0.08],
            [0.02, -0.05, -0.04, 0.05, 0.05, 0.12],
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ]
    )
    segment, T = int(np.clip((t - 0.5) // 0.8, 0, 3)), 0.8
    s = np.clip((t - 0.5 - 0.8 * segment) / T, 0.0, 1.0)
    step = via[segment + 1] - via[segment]
    x = via[segment] + step * (10 * s**3 - 15 * s**4 + 6 * s**5)
    dx = step * (30 * s**2 - 60 * s**3 + 30 * s**4) / T
    ddx = step * (60 * s - 180 * s**2 + 120 * s**3) / T**2
    _, b, c = x[3:]
    E = np.array([[np.cos(c) * np.cos(b), -np.sin(c), 0], [np.sin(c) * np.cos(b), np.cos(c), 0], [-np.sin(b), 0, 1]])
    db, dc = dx[4:]
    dE = np.array(
        [
            [-dc * np.sin(c) * np.cos(b) - db * np.cos(c) * np.sin(b), -dc * np.cos(c), 0],
            [dc * np.cos(c) * np.cos(b) - db * np.sin(c) * np.sin(b), -dc * np.sin(c), 0],
            [-db * np.cos(b), 0, 0],
        ]
    )
    return (
        INITIAL_POSITION + x[:3],
        rotation_z(c) @ rotation_y(b) @ rotation_x(x[3]),
        np.concatenate([dx[:3], E @ dx[3:]]),
        np.concatenate([ddx[:3], E @ ddx[3:] + dE @ dx[3:]]),
    )
