"""Where a calibration begins: states that the readings lead to, mounts that fit them; and what is plainly wrong with the data."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.identification.calibration._mounts import Mounts, find_mounts, pose_errors, quaternion_wxyz_of
from gough.identification.calibration._problem import CalibrationProblem, GeometryEstimate
from gough.identification.calibration.measurements import COMPONENTS
from gough.spatial.poses import compose_poses, rotation_of_quaternion

if TYPE_CHECKING:
    from gough.model import Model

MOST_FAILED = 0.5
"""Share of poses that do not close at which something general must be wrong."""
FAR = 0.2
"""Difference of a seen pose (robot sizes, rad) beyond which another assembly, or another frame, is likely."""
OF_MOTION = 0.3
"""Part of the motion that is left with free mounts, beyond which the order of poses or drives is in doubt first."""
SLIP = 1.3
"""How far a ratio of spreads may be from that of two units."""
UNITS = {
    1e3: "mm, not m",
    1e-3: "km, not m (or the robot is described in mm)",
    100.0: "cm, not m",
    39.37: "inches, not m",
}


@dataclass(frozen=True)
class FirstEstimate:
    """The estimate of the poses that can be used, which these are, why others cannot: {pose: reason}, and by how much the
    description misses what was seen: (usable, components)."""

    at: GeometryEstimate
    usable: np.ndarray
    refused: dict[int, str]
    missed: np.ndarray


def find_start(problem: CalibrationProblem) -> FirstEstimate:
    """States from the drives' readings with the description's numbers, unknown mounts fitted to them."""
    model, o = problem.model, problem.observed
    q, reasons = states_of_readings(model, problem)
    usable = np.flatnonzero(np.isfinite(q).all(axis=1))
    refused = {int(k): reasons[k] for k in range(len(q)) if k not in set(usable.tolist())}
    if len(usable) < (1.0 - MOST_FAILED) * len(q):
        _refuse_readings(problem, refused, len(q))
    if o.pose is None:
        return FirstEstimate(problem.start(q[usable]), usable, refused, np.zeros((len(usable), 0)))
    values = problem.start(q[usable]).values
    p, R = problem.programs.pose(q[usable], values[problem.placed])
    measured = o.pose[usable]
    placed = [k for k in o.components if k < 3]
    if len(placed) == 3:
        _check_lengths(model, p, measured[:, :3])
    weight = np.zeros(6)
    weight[list(o.components)] = 1.0 / o.sigma[len(o.encoders) :]
    mounts = find_mounts(problem.mounts, p, R, measured, weight)
    error = pose_errors(*mounts.seen_poses(p, R), measured)[0][:, list(o.components)]
    unit = np.array([model.size if k < 3 else 1.0 for k in o.components])
    off = np.abs(error / unit).max(axis=1)
    if len(off) and np.median(off) > FAR:
        _refuse_frames(problem, p, R, measured, weight, error)
    states = q[usable]
    far = np.flatnonzero(off > FAR)
    if len(far) and o.frame == "platform" and len(o.components) == 6 and model.mechanism.has_platform:
        states = _other_assembly(problem, mounts, states, usable, far)
    return FirstEstimate(problem.start(states, mounts), usable, refused, error)


def states_of_readings(
    model: "Model", problem: CalibrationProblem, factor: np.ndarray | float = 1.0, less: np.ndarray | float = 0.0
) -> tuple[np.ndarray, list[str]]:
    """(q (n, nq), NaN where nothing closes; why) of the readings times a factor, less something."""
    o, drives = problem.observed, model.layout.drive_names
    missing = [name for name in drives if name not in o.encoders]
    if missing:
        raise UsageError(
            f"calibrate: no readings of the drive{'s' if len(missing) > 1 else ''} {', '.join(missing)}: where the robot stood "
            f"follows from all drives. Give them in Measurements(readings={{…}})"
        )
    zeros, scales = problem.correction(np.array([u.value for u in problem.unknowns]))
    coordinates = (o.readings * factor - less) * scales + zeros
    found = model.assemble(drives=coordinates[:, [o.encoders.index(d) for d in drives]], on_bad_state="mark")
    reasons = [str(f) or "not closed" for f in found.failures]
    return np.where((found.status == 0)[:, None], found.q, np.nan), reasons


def _refuse_readings(problem: CalibrationProblem, refused: dict[int, str], n: int) -> None:
    """UsageError, with a unit that would do where there is one."""
    model, o = problem.model, problem.observed
    units = [model.layout.q_units[i] for i in o.entries]
    tries = {"mm, not m": (1e-3, "m"), "degrees, not rad": (np.pi / 180.0, "rad"), "m, the robot in mm": (1e3, "m")}
    few = np.arange(min(n, 40))
    part = problem.subset(few)
    angles = np.array([unit == "rad" for unit in units])
    turns = np.round((part.observed.readings - model.home[list(o.entries)]) / (2 * np.pi)) * angles
    same = turns.any() and not np.ptp(turns, axis=0).any()  # of angles in degrees they differ
    if same and np.isfinite(states_of_readings(model, part, less=2 * np.pi * turns)[0]).all(axis=1).mean() > 0.8:
        own = [name for name, any_turn in zip(o.encoders, np.atleast_1d(turns.any(axis=0)), strict=True) if any_turn]
        raise UsageError(
            f"calibrate: readings of {', '.join(own[:3])} lead to no assembly of {model.robot.name} in {len(refused)} of {n} "
            "poses, and do without whole turns: take off 2π as often as they are that far from home "
            f"({', '.join(f'{model.home[o.entries[o.encoders.index(name)]]:.4g}' for name in own[:3])})"
        )
    for text, (factor, unit) in tries.items():
        if unit in units:
            q, _ = states_of_readings(model, part, np.array([factor if u == unit else 1.0 for u in units]))
            if np.isfinite(q).all(axis=1).mean() > 0.8:
                own = [name for name, u in zip(o.encoders, units, strict=True) if u == unit]
                raise UsageError(
                    f"calibrate: readings of {', '.join(own[:3])} lead to no assembly of {model.robot.name} in {len(refused)} of "
                    f"{n} poses, and {factor:.6g} times these numbers do: are they in {text}?"
                )
    first, why = next(iter(refused.items()))
    raise UsageError(
        f"calibrate: {len(refused)} of {n} poses do not close with the description's numbers (pose {first}: {why}). Readings are "
        f"coordinates of q in m and rad, for {', '.join(o.encoders[:3])} …: {_ranges(problem)}; at home they are "
        f"{', '.join(f'{model.home[i]:.4g}' for i in o.entries[:3])} …"
    )


def _ranges(problem: CalibrationProblem) -> str:
    x = problem.observed.readings
    return ", ".join(f"{a:.4g} to {b:.4g}" for a, b in zip(x.min(axis=0)[:3], x.max(axis=0)[:3], strict=True))


def _check_lengths(model: "Model", p: np.ndarray, measured: np.ndarray) -> None:
    """UsageError where measured positions spread by a unit more or less than the readings let them."""
    own, seen = (np.sqrt(np.sum(np.median(np.abs(x - np.median(x, axis=0)), axis=0) ** 2)) for x in (p, measured))
    if own < 1e-6 * model.size or len(p) < 4:
        return
    for factor, text in UNITS.items():
        if factor / SLIP < seen / own < factor * SLIP:
            raise UsageError(
                f"calibrate: measured positions spread by {seen:.4g}, those of the readings by {own:.4g} m, {seen / own:.4g} "
                f"times as much: are they in {text}?"
            )


def _refuse_frames(
    problem: CalibrationProblem,
    p: np.ndarray,
    R: np.ndarray,
    measured: np.ndarray,
    weight: np.ndarray,
    error: np.ndarray,
) -> None:
    """UsageError: the order of poses and drives where not even free mounts explain the poses, else the mounts."""
    o = problem.observed
    amounts = zip(o.components, np.median(np.abs(error), axis=0), strict=True)
    text = ", ".join(f"{COMPONENTS[k]} {x:.4g} {'m' if k < 3 else 'rad'}" for k, x in amounts)
    known = [name for name, x in (("base", o.base), ("tool", o.tool)) if x is not None]
    free = find_mounts(replace(problem.mounts, knows_base=False, knows_tool=False), p, R, measured, weight)
    left = pose_errors(*free.seen_poses(p, R), measured)[0][:, list(o.components)]
    unit = np.array([problem.model.size if k < 3 else 1.0 for k in o.components])
    moved = np.concatenate(
        [p - p.mean(axis=0), pose_errors(p, R, np.tile(_middle(p, R), (len(p), 1)))[0][:, 3:]], axis=1
    )
    motion = moved[:, list(o.components)]
    share = float(np.sqrt(np.mean((left / unit) ** 2) / max(float(np.mean((motion / unit) ** 2)), 1e-300)))
    unknown = " and ".join(f"{k}='unknown'" for k in known)
    if share > OF_MOTION or not known:
        remedy = (
            f"Wherever the instrument and its target were, {100 * share:.0f} % of the motion would be left: look at the order of "
            f"the drives ({', '.join(problem.model.layout.drive_names[:3])} …), at the order of the poses (rows shifted against "
            "the readings?), and at the axes (a mirrored one?)"
        )
        remedy += f"; only then at the mounts: {unknown}" if known else ""
    else:
        remedy = f"If the instrument has a frame of its own or the target sits elsewhere, say {unknown}"
    raise UsageError(f"calibrate: measured poses are far from where the readings lead (medians {text}). {remedy}")


def _middle(p: np.ndarray, R: np.ndarray) -> np.ndarray:
    """A pose (7,) amid others: the one nearest to their mean position."""
    k = int(np.argmin(np.linalg.norm(p - p.mean(axis=0), axis=1)))
    return np.concatenate([p[k], quaternion_wxyz_of(R[k : k + 1])[0]])


def _other_assembly(
    problem: CalibrationProblem, mounts: Mounts, states: np.ndarray, usable: np.ndarray, far: np.ndarray
) -> np.ndarray:
    """States (n, nq) of which those far from the measured pose are taken from that pose, where its drives agree."""
    model, o = problem.model, problem.observed
    measured = o.pose[usable[far]]  # type: ignore[index]
    pose = compose_poses(
        _inverse(mounts.base), compose_poses(measured, np.broadcast_to(_inverse(mounts.tool), measured.shape))
    )
    q = model.assemble(pose, on_bad_state="mark").q
    entries = list(o.entries)
    unit = np.array([model.size if model.layout.q_units[i] == "m" else 1.0 for i in entries])
    missed = np.abs((q[:, entries] - states[far][:, entries]) / unit).max(axis=1)
    out = states.copy()
    agree = missed < FAR  # NaN is no
    out[far[agree]] = q[agree]
    return out


def _inverse(pose: np.ndarray) -> np.ndarray:
    R = rotation_of_quaternion(pose[3:])
    return np.concatenate([-R.T @ pose[:3], pose[3:] * np.array([1.0, -1.0, -1.0, -1.0])])
