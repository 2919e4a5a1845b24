"""The coordinates a robot is moved by: its platform's, its joints', or its drives'; and how far their sliders go."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.grids import home_coordinates, known_coordinates, make_samples
from gough.analysis.workspace.states import Settings, Surveyor, Verdict
from gough.errors import UsageError
from gough.kinematics.leading import COORDINATES, NamedCoordinates, natural_coordinates
from gough.kinematics.retraction import wrap_angle
from gough.model import Model
from gough.spatial.euler import quaternion_of_euler

TURNS = COORDINATES[3:]
"""Angles of the platform, R = Rz(yaw) Ry(pitch) Rx(roll)."""


@dataclass(frozen=True)
class PosingAxes:
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
        """What is a large step of each (n,): the robot's size, or 1 rad; of a spindle what moves its slide by that size."""
        return NamedCoordinates(self.model, self.names).sizes

    @property
    def periodic(self) -> np.ndarray:
        """Which of them (n,) are angles of which whole turns make no difference."""
        return NamedCoordinates(self.model, self.names).periodic

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
        return np.where(turning, wrap_angle(plain), plain)


def sets_of_axes(model: Model) -> dict[str, PosingAxes]:
    """The ways to move a robot, by name: by its natural coordinates, and by its drives where those are others."""
    units = known_coordinates(model)
    natural = natural_coordinates(model)
    posed = COORDINATES if model.mechanism.has_platform else ()
    ordered = [n for n in posed if n in natural] + [n for n in natural if n not in posed]
    out: dict[str, PosingAxes] = {}
    platform = any(n in posed for n in ordered)
    drives = model.layout.drive_names
    first = "Platform" if platform else "Drives" if set(ordered) == set(drives) else "Joints"
    if ordered:
        out[first] = PosingAxes(model, tuple(ordered), tuple(units[n] for n in ordered))
    if len(drives) == model.mobility and set(drives) != set(ordered) and all(n in units for n in drives):
        out["Drives"] = PosingAxes(model, drives, tuple(units[n] for n in drives), by_drives=True)
    return out


def pose_of(coordinates: np.ndarray) -> np.ndarray:
    """Pose (..., 7) of x y z (m) yaw pitch roll (rad)."""
    x = np.asarray(coordinates, dtype=float)
    if x.shape[-1] != len(COORDINATES):
        raise UsageError(f"{x.shape[-1]} coordinates; give {' '.join(COORDINATES)}")
    return np.concatenate([x[..., :3], quaternion_of_euler("rpy_zyx", x[..., 3:])], axis=-1)


# How far sliders go: as far as the robot reaches from home along each coordinate.

POINTS = 49
"""Probes along a coordinate, home in the middle."""
FURTHEST = 2.0
"""How far lengths are probed, in robot sizes."""
UNBOUNDED = 0.75
"""Half the range, in robot sizes, of a length that has no end within that."""
WIDER = 1.25
"""Other coordinates than home's may reach further."""
LARGEST_TURN = {"yaw": np.radians(150.0), "pitch": np.radians(85.0), "roll": np.radians(85.0)}
"""Of the platform; pitch ends before the angles lose their meaning."""
CONDITION = 0.01
"""Reciprocal condition that counts as well inside."""
STEPS = 1000
"""Steps of a slider over its range, at least."""


@dataclass(frozen=True)
class Range:
    """low … high in m or rad; step: of a slider."""

    low: float
    high: float
    step: float

    def clip(self, value: float) -> float:
        """The nearest value inside."""
        return float(min(max(value, self.low), self.high))


def ranges_of(axes: PosingAxes) -> dict[str, Range]:
    """A range that contains home for every coordinate."""
    model = axes.model
    return model.cached(("slider ranges", axes.names), lambda: _ranges(axes))


def _ranges(axes: PosingAxes) -> dict[str, Range]:
    home = home_coordinates(axes.model)
    return {n: _range(axes, n, unit, home[n]) for n, unit in zip(axes.names, axes.units, strict=True)}


def _range(axes: PosingAxes, name: str, unit: str, home: float) -> Range:
    model = axes.model
    size = float(axes.scales[axes.names.index(name)])
    turn = LARGEST_TURN.get(name, np.pi) if model.mechanism.has_platform else np.pi
    widest = FURTHEST * size if unit == "m" else max(turn, FURTHEST * size) if size > 1.0 else turn
    low, high = home - widest, home + widest
    if model.mechanism.has_platform and name in TURNS:
        low, high = max(low, -LARGEST_TURN[name]), min(high, LARGEST_TURN[name])
    below, above = _reach(axes, name, home, low, high)
    if unit == "m":
        endless = 0.999 * widest
        below, above = (UNBOUNDED * model.size if x >= endless else WIDER * x for x in (below, above))
    elif model.mechanism.has_platform and name in COORDINATES:
        below, above = WIDER * below, WIDER * above
    least = 0.05 * (model.size if unit == "m" else 1.0)
    low, high = max(low, home - max(below, least)), min(high, home + max(above, least))
    return _round_range(low, high, home, unit)


def _reach(axes: PosingAxes, name: str, home: float, low: float, high: float) -> tuple[float, float]:
    """How far the robot gets below and above home's value, without a gap, the other coordinates as at home."""
    model = axes.model
    samples = make_samples(model, {name: (low, high, 2)}, {}, None, 0)
    surveyor = Surveyor(model, samples, Settings(True, CONDITION))
    half = POINTS // 2
    x = np.concatenate(
        [np.linspace(low, home, half, endpoint=False), [home], np.linspace(high, home, half, False)[::-1]]
    )
    found = surveyor.survey(x[:, None])[0]
    verdict = found["verdict"]
    good = verdict <= (Verdict.FREE if verdict[half] == Verdict.FREE else Verdict.SINGULAR)
    good &= found["aspect"] >= 0  # beyond a parallel singularity, which the probes may have stepped over
    if not good[half]:  # home itself is outside its limits: go by what can be assembled
        good = verdict <= Verdict.LIMIT
    after, before = good[half:], good[half::-1]
    steps_up = int(np.argmin(after)) - 1 if not after.all() else half
    steps_down = int(np.argmin(before)) - 1 if not before.all() else half
    return home - x[half - max(steps_down, 0)], x[half + max(steps_up, 0)] - home


def _round_range(low: float, high: float, home: float, unit: str) -> Range:
    """Bounds outwards on round numbers: whole degrees, or ten slider steps."""
    step = np.radians(0.1) if unit == "rad" else 10.0 ** np.floor(np.log10((high - low) / STEPS))
    coarse = 10 * step
    lower, upper = np.floor(low / coarse + 1e-9) * coarse, np.ceil(high / coarse - 1e-9) * coarse
    return Range(float(min(lower, home)), float(max(upper, home)), float(step))
