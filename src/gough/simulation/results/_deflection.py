"""Deflections of frames tied to flexible bodies, and strain energy, from elastic coordinates in batches.

Field     a tied frame at rest at p0 moves by Φ e + ½ eᵀΨe and turns by the rotation vector Θ e, axes of the body's link.
"""

from typing import TYPE_CHECKING

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.spatial.poses import quaternion_of_rotation_vector, rotation_of_quaternion
from gough.structure.elastic.places import numbers_at

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray


def tied_frames(model: "Model") -> tuple[str, ...]:
    """Names of the frames that move with the material of a flexible body."""
    mechanism = model.mechanism
    return tuple(name for name, frame in mechanism.frames.items() if mechanism.links[frame.link].tie is not None)


def deflection(model: "Model", q: Array, frame: str, parameters: Array) -> Array:
    """(n, 6): displacement (m) of a frame's origin and rotation vector (rad) relative to the undeformed body, in the axes of
    the body's description."""
    mechanism = model.mechanism
    place = mechanism.frames[frame]
    link = mechanism.links[place.link]
    tie = link.tie
    assert tie is not None
    e = q[:, tie.q : tie.q + tie.modes]
    shift = e @ numbers_at(parameters, tie.translation).reshape(tie.modes, 3)
    if tie.second:
        shift = shift + 0.5 * np.einsum(
            "nk,nl,kli->ni", e, e, _symmetric(numbers_at(parameters, tie.second), tie.modes, 3)
        )
    turn = e @ numbers_at(parameters, tie.turning).reshape(tie.modes, 3)
    arm = np.array(Numbers(mechanism, parameters).placement(place.placement)[1], dtype=float)
    if arm.any():
        R = rotation_of_quaternion(quaternion_of_rotation_vector(turn))
        shift = shift + (R - np.eye(3)) @ arm
    axes = mechanism.links[link.parent].to_user.T
    return np.concatenate([shift @ axes, turn @ axes], axis=1)


def strain_energy(model: "Model", q: Array, parameters: Array) -> Array:
    """½ eᵀKe of all flexible bodies (n,), J."""
    total = np.zeros(len(q))
    for i in model.mechanism.flexible:
        elastic = model.mechanism.links[i].elastic
        assert elastic is not None
        e = q[:, elastic.coordinates]
        K = _symmetric(numbers_at(parameters, elastic.K), elastic.modes, 1)[..., 0]
        total = total + 0.5 * np.einsum("nk,kl,nl->n", e, K, e)
    return total


def _symmetric(packed: Array, m: int, size: int) -> Array:
    """(m, m, size) from the entries of all pairs k <= l."""
    out = np.zeros((m, m, size))
    rows, columns = np.triu_indices(m)
    out[rows, columns] = packed.reshape(-1, size)
    out[columns, rows] = out[rows, columns]
    return out
