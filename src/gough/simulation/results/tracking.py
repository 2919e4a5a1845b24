"""A run and motions: how far it is from the one it was to follow, and its drive forces as one that another run can replay.

A run keeps its motion at the stored times as the recorded channel "reference" (positions; of poses x y z and a quaternion), and
what kind of motion it was in `info.motion`: a run from a file knows its errors, too.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_run, checked
from gough.errors import RunWarning, UsageError, warn, warn_deprecated
from gough.frozen import FrozenDict
from gough.simulation.control.replay import forces
from gough.simulation.motion.motion import Motion
from gough.spatial.poses import rotation_of_quaternion

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

Array = np.ndarray
REFERENCE = "reference"
MISSED = 4e-3
"""Of the largest force: what splines through every other state may miss. Where forces jump, those through all miss half of it."""
FEWEST = 9
"""States of a stretch that say something of it."""


class Tracking(FrozenDict[str, Array]):
    """How far a robot is from the motion it was to follow: {unit: distances}, "m" and "rad" where there are such.

    Of a run distances (n,) at its stored times, of an ensemble (runs,), the largest of the states that a run stored, NaN where it
    has none. Of a pose: distance of the origins (m) and angle between the orientations (rad); of a point its distance; of drives
    and joints the largest of all of a unit. Empty where there was no motion, or one of forces. `m`, `rad`: the same by name.
    """

    what: str
    """What the distances are of: "times", or runs and how many states of each."""

    def __init__(self, values: Mapping[str, Array], what: str = "times", at: Array | None = None) -> None:
        """at (n,): the times (s)."""
        super().__init__(values)
        self.what, self.at = what, at

    @property
    def m(self) -> Array:
        """Distances in metres."""
        return self._of("m")

    @property
    def rad(self) -> Array:
        """Angles."""
        return self._of("rad")

    @property
    def largest(self) -> dict[str, float]:
        """The largest of all, by unit; NaN where there is none."""
        return {unit: float(np.nanmax(x)) if np.isfinite(x).any() else float("nan") for unit, x in self.items()}

    def _of(self, unit: str) -> Array:
        if unit not in self:
            raise UsageError(self._lacking(unit))
        return self[unit]

    def __missing__(self, unit: str) -> Array:
        raise KeyError(self._lacking(unit))

    def _lacking(self, unit: str) -> str:
        there = f"there is {', '.join(self)}" if self else "there was no motion to follow"
        return f"tracking has nothing in {unit}; {there}"

    def __repr__(self) -> str:
        if not self:
            return "Tracking(no motion to follow)"
        parts = [f"{self._largest(unit, x)}, median {np.nanmedian(x):.3g}" for unit, x in self.items() if x.size]
        size = len(next(iter(self.values())))
        return f"Tracking({size} {self.what}; {'; '.join(parts)})"

    def _largest(self, unit: str, x: Array) -> str:
        if not np.isfinite(x).any():
            return f"nothing known in {unit}"
        k = int(np.nanargmax(x))
        where = f"in run {k}" if self.at is None else f"at {self.at[k]:.4g} s"
        return f"largest {x[k]:.3g} {unit} {where}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self.what, self.at)


def told_motion(motion: Motion | None) -> dict[str, Any] | None:
    """What a run keeps about its motion, beside the channel."""
    if motion is None:
        return None
    more: dict[str, Any] = {} if motion.frame is None else {"frame": motion.frame}
    more |= {"shaped": [str(one) for one in motion.shaped]} if motion.shaped else {}
    return {"kind": motion.kind, "duration": motion.duration, "names": list(motion.names), **more}


def recorded_reference(layout: Any, motion: Motion | None, time: Array) -> dict[str, Any]:
    """{"reference": (positions (n, k), units, columns)} of a motion at times (n,), s; empty for forces. layout: of the
    robot."""
    if motion is None or motion.kind not in ("pose", "point", "drives", "joints"):
        return {}
    at = np.array(motion._at(np.clip(time, 0.0, motion.duration), False)[0])
    if motion.kind in ("pose", "point"):
        columns = ("x", "y", "z", "qw", "qx", "qy", "qz")[: at.shape[1]]
        units = ("m", "m", "m", "1", "1", "1", "1")[: at.shape[1]]
    else:
        columns = layout.drive_names if _unnamed(motion, layout) else motion.names
        known = dict(zip(layout.q_names, layout.q_units, strict=True))
        units = tuple(known.get(name, "1") for name in columns)
    if motion.kind == "pose":
        turn_signs(at)  # so that it can be interpolated
    return {REFERENCE: (at, units, tuple(f"{REFERENCE}.{name}" for name in columns))}


def turn_signs(poses: Array) -> None:
    """Gives the quaternions of poses (n, 7) the sign nearest the one before."""
    turns = np.where((poses[1:, 3:] * poses[:-1, 3:]).sum(axis=1) < 0, -1.0, 1.0)
    poses[1:, 3:] *= np.cumprod(turns)[:, None]


def _unnamed(motion: Motion, layout: Any) -> bool:
    """Whether a motion of drives came from an array without names."""
    return motion.kind == "drives" and set(motion.names) != set(layout.drive_names)


def tracking(run: "Run", motion: Motion | None = None) -> Tracking:
    """Errors over the stored times, see `Tracking`. motion: default the run's."""
    return Tracking(_errors(run, motion), "times", run.time)


def _errors(run: "Run", motion: Motion | None) -> dict[str, Array]:
    if motion is None:
        about = run.info.motion
        if REFERENCE not in run.recorded or not isinstance(about, Mapping):
            return {}
        kind, frame, at = about["kind"], about.get("frame"), run.recorded[REFERENCE].values
        names = [entry.removeprefix(f"{REFERENCE}.") for entry in run.recorded[REFERENCE].entries]
    elif isinstance(motion, Motion):
        made = recorded_reference(run.layout, motion, run.time)
        kind, frame, names = motion.kind, motion.frame, []
        if made:
            at, _, entries = made[REFERENCE]
            names = [entry.removeprefix(f"{REFERENCE}.") for entry in entries]
    else:
        raise UsageError(f"motion={motion!r}: give a gough.Motion, or None for that of the run")
    if kind in ("pose", "point"):
        found = run[f"{frame}.pose"] if frame else run["pose"]
        out = {"m": np.linalg.norm(found[:, :3] - at[:, :3], axis=1)}
        if kind == "pose":
            wanted = at[:, 3:] / np.linalg.norm(at[:, 3:], axis=1, keepdims=True)
            turned = rotation_of_quaternion(wanted) @ np.swapaxes(rotation_of_quaternion(found[:, 3:]), -1, -2)
            # 2 sin(angle/2) = |R_ref - R| / √2, which keeps its digits at small angles
            half = np.linalg.norm(turned - np.eye(3), axis=(1, 2)) / np.sqrt(8.0)
            out["rad"] = 2 * np.arcsin(np.minimum(half, 1.0))
        return out
    if kind not in ("drives", "joints"):
        return {}
    errors: dict[str, Array] = {}
    for k, name in enumerate(names):
        unit, error = run.unit(name), np.abs(run[name] - at[:, k])
        errors[unit] = np.maximum(errors[unit], error) if unit in errors else error
    return errors


def tracking_errors(run: "Run", motion: Motion | None = None) -> dict[str, float]:
    """Largest errors over the stored times, by unit; see `tracking`."""
    return {unit: float(error.max()) for unit, error in _errors(run, motion).items()}


@checked(run=a_run)
def forces_of(run: "Run") -> Motion:
    """The drive forces of a run as a motion of kind "forces" that starts where the run did.

    Between stored states by cubic splines (for a run with sampled forces as they were held): of fourth order in the spacing. A
    RunWarning tells where splines through every other state miss those between: forces were cut off, or stored too seldom.
    """
    missed = 0.0 if run.tau_held else _missed_between(run.time, run.tau)
    if missed > MISSED:
        warn(
            f"forces_of: forces between the stored states of {run.robot.name} are splines, which miss them by some {missed:.1%} "
            "of the largest one: they were cut off, held, or stored too seldom; run again with every=1, or shorter steps",
            RunWarning,
        )
    made = forces(
        run.time - run.time[0],
        run.tau,
        held=run.tau_held,
        names=run.layout.drive_names,
        units=run.layout.drive_units,
    )
    return replace(made, first=(run.q[0].copy(), run.v[0].copy()))


def _missed_between(time: Array, tau: Array) -> float:
    """How far splines through every other one of forces (n, drives) at times (n,) are off at the others, of the largest force."""
    from scipy.interpolate import CubicSpline

    largest, worst = float(np.abs(tau).max(initial=0.0)), 0.0
    jumps = np.flatnonzero(np.diff(time) == 0) + 1
    for t, x in zip(np.split(time, jumps), np.split(tau, jumps), strict=True):
        if len(t) < FEWEST:
            continue
        kept = np.arange(len(t)) % 2 == 0
        kept[-1] = True
        worst = max(worst, float(np.abs(CubicSpline(t[kept], x[kept])(t[~kept]) - x[~kept]).max(initial=0.0)))
    return worst / largest if largest > 0 else 0.0


def replay(run: "Run") -> Motion:
    """The old name of `forces_of`."""
    warn_deprecated("gough.laws.replay is called gough.laws.forces_of now", leaves="0.3")
    return forces_of(run)
