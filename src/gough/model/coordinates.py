"""Configurations asked for by named coordinates: what is named, and what stays beside it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.arrays import Array
from gough.errors import UsageError
from gough.kinematics.leading import COORDINATES, NamedCoordinates, coordinate_units, staying_coordinates
from gough.spatial.euler import coordinates_of

if TYPE_CHECKING:
    from gough.model.model import Model


def values_that_stay(model: "Model", names: tuple[str, ...]) -> tuple[list[str], Array]:
    """(names, values at home (k,)) of the coordinates that stay beside those named."""

    def made() -> tuple[list[str], Array]:
        rest = staying_coordinates(model, list(names))
        return rest, NamedCoordinates(model, rest).values(model.home)

    return model.cached(("values that stay", names), made)


def coordinate_targets(model: "Model", coordinates: Mapping[str, Any]) -> tuple[list[str], Array]:
    """(names, values (..., k)) to lead to: what is named, and what stays beside it as at home."""
    allowed = coordinate_units(model)
    unknown = [k for k in coordinates if k not in allowed]
    if unknown:
        raise UsageError(f"coordinates: unknown {unknown}; use {', '.join(allowed)} (metres and rad, R = Rz Ry Rx)")
    if len(coordinates) > model.layout.nv:
        raise UsageError(f"coordinates: {len(coordinates)} given, but the robot has {model.layout.nv} freedoms")
    names = list(coordinates)
    rest, staying = values_that_stay(model, tuple(names))
    home = dict(zip(rest, staying, strict=True))
    if not names + rest:
        return [], np.zeros(0)
    values = [np.asarray(coordinates[n] if n in coordinates else home[n], dtype=float) for n in names + rest]
    try:
        return names + rest, np.stack(np.broadcast_arrays(*values), axis=-1)
    except ValueError:
        shapes = ", ".join(f"{k} {v.shape}" for k, v in zip(names, values, strict=False) if v.ndim)
        raise UsageError(f"coordinates: shapes do not broadcast: {shapes}") from None


def pose_at_coordinates(model: "Model", coordinates: Mapping[str, Any]) -> Array:
    """Pose (..., 7) with coordinates of the platform {name: value}, the others as at home."""
    names = COORDINATES
    home = dict(zip(names, coordinates_of(model.home, "rpy_zyx"), strict=True))
    values = [np.asarray(coordinates.get(k, home[k]), dtype=float) for k in names]
    try:
        return pose_of_coordinates(np.broadcast_arrays(*values))
    except ValueError:
        shapes = ", ".join(f"{k} {v.shape}" for k, v in zip(names, values, strict=True) if v.ndim)
        raise UsageError(f"coordinates: shapes do not broadcast: {shapes}") from None


def pose_of_coordinates(coordinates: "Sequence[Array] | Array") -> Array:
    """Pose (..., 7) of x y z yaw pitch roll, each (...)."""
    x, y, z, yaw, pitch, roll = coordinates
    cy, cp, cr = np.cos(yaw / 2), np.cos(pitch / 2), np.cos(roll / 2)
    sy, sp, sr = np.sin(yaw / 2), np.sin(pitch / 2), np.sin(roll / 2)
    quaternion = [
        cy * cp * cr + sy * sp * sr,
        cy * cp * sr - sy * sp * cr,
        cy * sp * cr + sy * cp * sr,
        sy * cp * cr - cy * sp * sr,
    ]
    return np.stack([x, y, z, *quaternion], axis=-1)
