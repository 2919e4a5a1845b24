"""Where the links of a mechanism are, as plain arrays, and how far it reaches."""

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import direction
from gough.model import Model
from gough.spatial.poses import rotation_of_quaternion
from gough.structure import WORLD, Link, Mechanism

Frame = tuple[np.ndarray, np.ndarray]
"""(R (..., 3, 3), p (..., 3))."""


def compose(a: Frame, b: Frame) -> Frame:
    """Frame b, given in a, in the frame that a is given in."""
    return a[0] @ b[0], a[1] + np.einsum("...ij,...j->...i", a[0], b[1])


def inverse(a: Frame) -> Frame:
    """The frame a is given in, seen from a."""
    R = np.swapaxes(a[0], -1, -2)
    return R, -np.einsum("...ij,...j->...i", R, a[1])


def placement(mechanism: Mechanism, parameters: np.ndarray, positions: tuple[int, ...]) -> Frame:
    """A placement of the parameter vector (n,) as numbers."""
    R, p = Numbers(mechanism, parameters.reshape(-1)).placement(positions)
    return np.asarray(R, dtype=float), np.asarray(p, dtype=float)


def axis_of(link: Link) -> np.ndarray:
    """Axis (3,) of a link's motion, child axes."""
    return np.asarray(direction(link), dtype=float)


def link_frames(model: Model, q: np.ndarray, parameters: np.ndarray) -> list[Frame]:
    """World frames of all links at q (n, nq), whether or not the loops are closed."""
    frames: list[Frame] = []
    for link in model.mechanism.links:
        own = link_displacement(link, q, parameters)
        if link.is_platform:
            frames.append(own)
            continue
        local = compose(placement(model.mechanism, parameters, link.placement), own)
        frames.append(local if link.parent == WORLD else compose(frames[link.parent], local))
    return frames


def link_displacement(link: Link, q: np.ndarray, parameters: np.ndarray) -> Frame:
    """What a link's motion does at q (n, nq), in its joint's frame."""
    n = len(q)
    R, p = np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3))
    if link.is_platform:
        return rotation_of_quaternion(q[:, 3:7]), q[:, :3]
    if link.is_ball:
        return rotation_of_quaternion(q[:, link.quaternion]), p
    if link.nu:
        ((linear, angular),) = link.motion.unit_motions(parameters.reshape(-1)[list(link.dimensions)])
        slide = p if linear is None else q[:, link.q, None] * np.asarray(linear, dtype=float)
        return R if angular is None else rotations_about(np.asarray(angular, dtype=float), q[:, link.q]), slide
    return R, p


def rotations_about(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Rotations (n, 3, 3) about a unit axis (3,) by angles (n,)."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + s * K + (1.0 - c) * (K @ K)


def reach(model: Model, parameters: np.ndarray) -> tuple[np.ndarray, float]:
    """(centre (3,), radius) of a ball around all joints at home, half as large again."""
    frames = link_frames(model, model.home[None], parameters)
    points = [p[0] for _, p in frames]
    for cut in model.mechanism.cuts:
        for link, positions in ((cut.first, cut.on_first), (cut.second, cut.on_second)):
            local = placement(model.mechanism, parameters, positions)
            points.append(local[1] if link == WORLD else compose(frames[link], local)[1][0])
    spread = np.array(points)
    centre = spread.mean(axis=0)
    return centre, 1.5 * max(float(np.linalg.norm(spread - centre, axis=1).max()), model.size)
