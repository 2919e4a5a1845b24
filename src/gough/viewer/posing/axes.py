"""The coordinates a robot is moved by: its platform's, its joints', or its drives'."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.grids import known_coordinates
from gough.errors import UsageError
from gough.kinematics.leading import COORDINATES, NamedCoordinates, natural_coordinates
from gough.model import Model
from gough.spatial.euler import quaternion_of_euler

TURNS = COORDINATES[3:]
"""Angles of the platform, R = Rz(yaw) Ry(pitch) Rx(roll)."""


@dataclass(frozen=True)
class Axes:
    """names: coordinates that move the robot, units "m" or "rad"; by_drives: they are the drives, all given at once."""

    model: Model
    names: tuple[str, ...]
    units: tuple[str, ...]
    by_drives: bool = False

    @property
    def takes_any_pose(self) -> bool:
        """Whether all six coordinates of the platform are among them."""
        return self.model.mechanism.has_platform and set(COORDINATES) <= set(self.names)

    @property
    def scales(self) -> np.ndarray:
        """What is a large step of each (n,): the robot's size, or 1 rad."""
        return np.array([self.model.size if unit == "m" else 1.0 for unit in self.units])

    def values(self, q: np.ndarray) -> np.ndarray:
        """Values (..., n) at q (..., nq), in m and rad."""
        return NamedCoordinates(self.model, self.names).values(q)

    def target(self, values: np.ndarray) -> dict[str, Any]:
        """What `model.assemble` takes for values (..., n)."""
        if self.by_drives:
            return {"drives": values}
        named = dict(zip(self.names, np.moveaxis(values, -1, 0), strict=True))
        if len(self.names) == len(COORDINATES) and self.takes_any_pose:
            return {"pose": pose_of(np.stack([named[n] for n in COORDINATES], axis=-1))}
        return {"coordinates": named}

    def difference(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """end - start (..., n), the platform's angles and turns of ball joints the short way round."""
        turning = NamedCoordinates(self.model, self.names).wrapped
        plain = np.asarray(end, dtype=float) - start
        return np.where(turning, np.remainder(plain + np.pi, 2 * np.pi) - np.pi, plain)


def sets_of_axes(model: Model) -> dict[str, Axes]:
    """The ways to move a robot, by name: by its natural coordinates, and by its drives where those are others."""
    units = known_coordinates(model)
    natural = natural_coordinates(model)
    posed = COORDINATES if model.mechanism.has_platform else ()
    ordered = [n for n in posed if n in natural] + [n for n in natural if n not in posed]
    out: dict[str, Axes] = {}
    platform = any(n in posed for n in ordered)
    drives = model.layout.drive_names
    first = "Platform" if platform else "Drives" if set(ordered) == set(drives) else "Joints"
    if ordered:
        out[first] = Axes(model, tuple(ordered), tuple(units[n] for n in ordered))
    if len(drives) == model.mobility and set(drives) != set(ordered) and all(n in units for n in drives):
        out["Drives"] = Axes(model, drives, tuple(units[n] for n in drives), by_drives=True)
    return out


def pose_of(coordinates: np.ndarray) -> np.ndarray:
    """Pose (..., 7) of x y z (m) yaw pitch roll (rad)."""
    x = np.asarray(coordinates, dtype=float)
    if x.shape[-1] != len(COORDINATES):
        raise UsageError(f"{x.shape[-1]} coordinates; give {' '.join(COORDINATES)}")
    return np.concatenate([x[..., :3], quaternion_of_euler("rpy_zyx", x[..., 3:])], axis=-1)
