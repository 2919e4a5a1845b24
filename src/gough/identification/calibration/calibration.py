"""What a calibration finds: numbers with deviations, residuals, and where the platform is then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, numbers
from gough.errors import CalibrationWarning, UsageError, warn
from gough.frozen import FrozenDict, lock_arrays
from gough.identification.calibration._mounts import Mounts, quaternion_wxyz_of
from gough.identification.calibration._problem import CalibrationProblem, GeometryEstimate
from gough.identification.calibration._unknowns import GeometricUnknown
from gough.identification.calibration.identifiable import IdentifiableGeometry
from gough.identification.calibration.measurements import COMPONENTS, UNKNOWN, Measurements, observe

if TYPE_CHECKING:
    from gough.model import Model
    from gough.robot import Robot

SHOWN = 24
"""Rows of numbers that a report writes out."""


@dataclass(frozen=True)
class Calibration:
    """Geometry from measurements.

    unknowns, values, deviations (n): the numbers, before as `unknowns[k].value`; deviations are standard ones, with what was
    known before (`prior`). covariance (p, p): of values, then of unknown mounts (`names`). parameters: the whole design. zeros,
    scales {encoder: …}: coordinate = scale · reading + zero. base, tool: poses (7,) of the world in the instrument's frame and
    of the target in its frame. residuals (n, measured), m, rad: measured minus predicted, states at their best; NaN of poses
    that do not close. rms {what was measured: …} of the poses used. noise: found deviation over the stated one, 1 where sigma
    is right. poses: those used; outliers {pose: reason}. told: what the measurements tell, without the prior. settled: whether
    it converged.
    """

    model: "Model"
    unknowns: tuple[GeometricUnknown, ...]
    values: np.ndarray
    deviations: np.ndarray
    covariance: np.ndarray
    names: tuple[str, ...]
    parameters: np.ndarray
    zeros: Mapping[str, float]
    scales: Mapping[str, float]
    mounts: Mounts = field(repr=False)
    frame: str | None
    residuals: np.ndarray
    measured: tuple[str, ...]
    rms: Mapping[str, float]
    noise: float
    freedom: float
    poses: tuple[int, ...]
    outliers: Mapping[int, str]
    told: IdentifiableGeometry
    iterations: int
    settled: bool
    sigma_given: bool
    root: np.ndarray = field(repr=False)
    """(p, k): root rootᵀ is the covariance."""

    def __post_init__(self) -> None:
        for key in ("zeros", "scales", "rms", "outliers"):
            object.__setattr__(self, key, FrozenDict(getattr(self, key)))
        lock_arrays([self.values, self.deviations, self.covariance, self.parameters, self.residuals, self.root])

    @property
    def base(self) -> np.ndarray:
        """Pose (7,) of the world in the instrument's frame."""
        return self.mounts.base

    @property
    def tool(self) -> np.ndarray:
        """Pose (7,) of the target in its frame."""
        return self.mounts.tool

    @property
    def changes(self) -> dict[str, float]:
        """{parameter: new value} of the parameters that were unknown."""
        return {u.name: float(x) for u, x in zip(self.unknowns, self.values, strict=True) if u.place is not None}

    @cached_property
    def robot(self) -> "Robot":
        """The description with the new geometry, each number with its deviation as `source`. Zeros and scales of encoders are no
        part of a description; home stays as it is stated and is assembled anew."""
        told = {
            u.name: f"calibrated: {u.name} = {x:.8g} ± {s:.2g} {u.unit}"
            for u, x, s in zip(self.unknowns, self.values, self.deviations, strict=True)
            if u.place is not None
        }
        return self.model.robot.with_parameters(self.changes, told)

    @cached_property
    def calibrated(self) -> "Model":
        """The model with these parameters free: its calls take parameters=calibration.parameters."""
        return self.model.with_(free=tuple(dict.fromkeys([*self.model.free, *self.changes])))

    @checked(readings=numbers)
    def coordinates(self, readings: Any) -> np.ndarray:
        """Drive coordinates (..., drives) that readings of the drives mean."""
        names = self.model.layout.drive_names
        x = np.asarray(readings, dtype=float)
        if x.shape[-1:] != (len(names),):
            raise UsageError(f"readings have shape {x.shape}; expected (..., {len(names)}), of {', '.join(names)}")
        return x * [self.scales.get(n, 1.0) for n in names] + [self.zeros.get(n, 0.0) for n in names]

    @checked(readings=numbers)
    def configuration(self, readings: Any) -> np.ndarray:
        """q (n, nq) of the calibrated robot at readings (n, drives) of its drives; NaN where nothing closes."""
        return self._predicted(readings)[1].q

    @checked(readings=numbers)
    def pose(self, readings: Any) -> np.ndarray:
        """Pose (n, 7), as the instrument sees it, at readings (n, drives); NaN where nothing closes, which is warned of."""
        problem, at = self._standing(readings)
        p, R = at.mounts.seen_poses(*problem.programs.pose(at.q, at.values[problem.placed]))
        return np.concatenate([p, quaternion_wxyz_of(R)], axis=1)

    @checked(readings=numbers)
    def pose_deviations(self, readings: Any) -> np.ndarray:
        """Standard deviations (n, 6), x y z (m) rx ry rz (rad), of `pose`: what the uncertainty of this calibration leaves there;
        noise of new readings is not in it."""
        return np.linalg.norm(self.pose_slopes(readings) @ self.root, axis=2)

    @checked(readings=numbers)
    def pose_slopes(self, readings: Any) -> np.ndarray:
        """Derivatives (n, 6, p) of `pose` (m, rad, instrument's axes) by the unknowns `names`: readings held, loops closed."""
        problem, at = self._standing(readings)
        good = np.asarray(np.isfinite(at.q).all(axis=1))
        found = problem.subset(good).pose_slopes(replace(at, q=at.q[good]))
        out = np.full((len(at.q), 6, len(self.names)), np.nan)
        whole = np.zeros((len(found), 6, len(self.names)))
        whole[:, :, [self.names.index(name) for name in problem.names]] = found
        out[good] = whole
        return out

    def _standing(self, readings: Any) -> tuple[CalibrationProblem, GeometryEstimate]:
        """As `_predicted`; UsageError where nothing closes at all, CalibrationWarning where it does not at some readings."""
        problem, at = self._predicted(readings)
        lost = np.flatnonzero(~np.isfinite(at.q).all(axis=1))
        if not len(lost):
            return problem, at
        text = f"{self.model.robot.name}: at {len(lost)} of {len(at.q)} readings the calibrated robot does not close"
        text += (
            "" if self.settled else "; the calibration did not converge (settled is False): its numbers are no robot's"
        )
        if len(lost) == len(at.q) and len(at.q):
            raise UsageError(f"{text}. Look at the readings (m, rad, one column a drive) and at .report()")
        warn(f"{text}: NaN at rows {few(lost.tolist())}", CalibrationWarning)
        return problem, at

    def _predicted(self, readings: Any) -> tuple[CalibrationProblem, GeometryEstimate]:
        """Standing where readings of the drives lead."""
        x = np.atleast_2d(np.asarray(readings, dtype=float))
        coordinates = self.coordinates(x)
        drives = {name: x[:, k] for k, name in enumerate(self.model.layout.drive_names)}
        if self.frame is None and "platform" not in self.model.mechanism.frames:
            raise UsageError(f"{self.model.robot.name}: no frame was measured, so that there is no pose to tell")
        seen = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(x), 1))
        mounts = {} if self.mounts.knows_base else {"base": UNKNOWN}
        mounts |= {} if self.mounts.knows_tool else {"tool": UNKNOWN}
        components = None if self.mounts.turns or not mounts else COMPONENTS[:3]
        measured = Measurements(drives, seen, components=components, frame=self.frame, **mounts)
        problem = CalibrationProblem(self.model, observe(self.model, measured, None), self._unknowns())
        start = self.model.assemble(drives=coordinates, on_bad_state="mark").q
        at = GeometryEstimate(self._own_values(), self.mounts, start, np.zeros(len(problem.sizes)))
        return problem, problem.lead(at, coordinates)

    def _unknowns(self) -> list[GeometricUnknown]:
        drives = self.model.layout.drive_names
        return [u for u in self.unknowns if u.encoder is None or u.encoder in drives]

    def _own_values(self) -> np.ndarray:
        own = self._unknowns()
        return np.array([x for u, x in zip(self.unknowns, self.values, strict=True) if u in own])

    def report(self) -> str:
        """What was found, as text."""
        ended = "" if self.settled else ", NOT converged"
        name, n = self.model.robot.name, len(self.poses)
        lines = [f"{name}: {len(self.values)} numbers from {n} poses{ended} ({self.iterations} iterations)"]
        lines += [f"  {line}" for line in str(self.told).split("\n")[1:]]
        lines.append(
            "residuals (rms): " + ", ".join(f"{name} {_amount(x, _unit(self, name))}" for name, x in self.rms.items())
        )
        lines.append(
            f"noise: {self.noise:.3g} times the stated sigma"
            if self.sigma_given
            else "noise: no sigma was given; deviations are from the residuals"
        )
        for pose, reason in self.outliers.items():
            lines.append(f"left out: pose {pose}: {reason}")
        lines.append(f"{'':32}{'before':>14}{'after':>14}{'change':>12}{'deviation':>12}")
        order = np.argsort(-np.abs(self.values - self._before) / np.maximum(self.deviations, 1e-300), kind="stable")
        for k in sorted(order[:SHOWN]):
            u, x, s = self.unknowns[k], self.values[k], self.deviations[k]
            mark = "" if u.name in self.told.alone else " *"
            lines.append(f"{u.name:32}{u.value:14.6g}{x:14.6g}{x - u.value:12.3g}{s:12.2g} {u.unit}{mark}")
        if len(self.values) > SHOWN:
            lines.append(f"… {len(self.values) - SHOWN} more, which changed less beside their deviation")
        if len(self.told.alone) < len(self.values):
            lines.append(
                "* told only together with others: where nothing tells, it stays as near as possible to what it was"
            )
        return "\n".join(lines)

    @property
    def _before(self) -> np.ndarray:
        return np.array([u.value for u in self.unknowns])

    def __repr__(self) -> str:
        return f"<gough.Calibration {self.model.robot.name}: {len(self.values)} numbers from {len(self.poses)} poses>"


def _unit(calibration: Calibration, name: str) -> str:
    if name in COMPONENTS:
        return "m" if name in COMPONENTS[:3] else "rad"
    layout = calibration.model.layout
    return layout.q_units[layout.index(name)]


def _amount(x: float, unit: str) -> str:
    return f"{1e3 * x:.3g} {'mm' if unit == 'm' else 'mrad'}"


def few(numbers_: Sequence[int], most: int = 8) -> str:
    """Some of many numbers, as text."""
    return ", ".join(map(str, numbers_[:most])) + (" …" if len(numbers_) > most else "")
