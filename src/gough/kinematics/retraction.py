"""Moving a configuration by a step of the tree velocities, on the group: quaternions stay unit quaternions."""

import numpy as np

from gough.dynamics.validity import QUATERNION_TOLERANCE
from gough.spatial.poses import integrate_pose, quaternion_of_rotation_vector, quaternion_product
from gough.structure import Structure


def retract(mechanism: Structure, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """q (n, nq) moved by `step` (n, nu): translations and rotation vectors."""
    out = q.copy()
    for link in mechanism.links:
        if link.motion == "platform":
            out[:, :7] = integrate_pose(q[:, :7], step[:, :6])
        elif link.motion == "ball":
            turned = quaternion_product(
                q[:, link.q : link.q + 4], quaternion_of_rotation_vector(step[:, link.u : link.u + 3])
            )
            out[:, link.q : link.q + 4] = turned / np.linalg.norm(turned, axis=1, keepdims=True)
        elif link.nu == 1:
            out[:, link.q] += step[:, link.u]
        if link.elastic is not None:
            out[:, link.elastic.coordinates] += step[:, link.elastic.columns]
    return out


def normalised(mechanism: Structure, q: np.ndarray) -> np.ndarray:
    """q (..., nq) with all quaternions of unit length."""
    out = q.copy()
    for link in mechanism.links:
        if link.motion in ("platform", "ball"):
            start = 3 if link.motion == "platform" else link.q
            norm = np.linalg.norm(out[..., start : start + 4], axis=-1, keepdims=True)
            out[..., start : start + 4] /= np.where(norm > 0, norm, np.nan)
    return out


def bad_quaternions(mechanism: Structure, q: np.ndarray) -> np.ndarray:
    """Where each of q (n, nq) has a quaternion that is not of unit length to 1e-6, the rule of every q that is given; "" if
    nowhere. Only `integrate` and `project`, which make a q, normalise."""
    places = np.full(len(q), "", dtype=object)
    for link in mechanism.links:
        if link.motion in ("platform", "ball"):
            start = 3 if link.motion == "platform" else link.q
            off = np.abs(np.linalg.norm(q[:, start : start + 4], axis=1) - 1.0) > QUATERNION_TOLERANCE
            places[off & (places == "")] = "platform" if link.motion == "platform" else link.joint
    return places


def neutral(mechanism: Structure) -> np.ndarray:
    """q (nq,) with all joints at zero and unit quaternions."""
    q = np.zeros(mechanism.layout.nq)
    for link in mechanism.links:
        if link.motion in ("platform", "ball"):
            q[3 if link.motion == "platform" else link.q] = 1.0
    return q


def step_units(mechanism: Structure, size: float) -> np.ndarray:
    """Typical size (nu,) of every tree velocity's step: the robot's size for lengths, 1 for angles; elastic ones: their own."""
    units = np.array([size if unit == "m/s" else 1.0 for unit in mechanism.layout.u_units])
    for link in mechanism.links:
        if link.elastic is not None:
            units[link.elastic.columns] = link.elastic.units
    return units


def coordinate_sizes(mechanism: Structure, size: float) -> np.ndarray:
    """Typical size (nq,) of every coordinate's change: the robot's for lengths, 1 for angles and quaternions, a large
    amplitude for elastic ones."""
    sizes = np.array([size if unit == "m" else 1.0 for unit in mechanism.layout.q_units])
    for link in mechanism.links:
        if link.elastic is not None:
            sizes[link.elastic.coordinates] = link.elastic.units
    return sizes


def wrap_angles(structure: Structure, difference: np.ndarray) -> np.ndarray:
    """Differences (..., nq) of coordinates with angles brought into (-π, π]."""
    angular = np.array([unit == "rad" for unit in structure.layout.q_units])
    return np.where(angular, np.remainder(difference + np.pi, 2 * np.pi) - np.pi, difference)
