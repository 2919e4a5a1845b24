"""Input shaping: a motion that leaves a vibration at rest, at the price of half or one of its periods.

An impulse makes a vibration of frequency f and damping ratio ζ swing; a second one, half a damped swing later and smaller by
K = exp(-πζ/√(1-ζ²)), ends it. A motion convolved with such impulses ends as it would without the vibration [N. C. Singer,
W. P. Seering, J. Dynamic Systems, Measurement, and Control 112(1), 1990]. A_k of impulses at 0, 1, 2 half swings:

zv        [1, K]/(1 + K)            half a swing late; the residue grows in proportion to an error of f
zvd       [1, 2K, K²]/(1 + K)²      a swing late; it grows with the square of the error
ei        [(1 + V)/4, (1 - V)K/2, (1 + V)K²/4] over their sum: V is left at f, and no more than V in a band about it, for
          V = 5 % of 0.4 f, where zvd's is 0.29 f [W. Singhose, W. Seering, N. Singer, J. Mechanical Design 116(2), 1994],
          without damping exactly so
two_mode  zv of one vibration, then zv of another: half a swing of each late

Frequency and damping are those of the poses that the shaped motion itself goes through: from a motion shaped for constant
frequencies follow the poses at each time, from these the modes, from these the motion, until frequencies settle. Where the
frequency varies the impulses are half swings apart in the phase θ = ∫ 2 f dt of the vibration (see `_delays`): a slowly varying
oscillator has a constant frequency in θ, up to the square root of f in its amplitude (Liouville, Green). The residue is then zero
to first order in the change of f over half a swing, and exactly zero where f and ζ are constant and the vibration is linear.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.mode_track import ModeTrack, track_modes
from gough.arguments import a_model, a_motion, checked, design, mapping, number, numbers, show_value, whole, word
from gough.errors import Status, UsageError
from gough.simulation.motion._delays import DelayedPath, Swings
from gough.simulation.motion.motion import LONGEST, Motion, coordinate_motion, pose_motion
from gough.simulation.motion.paths import PolynomialPath, inside
from gough.simulation.motion.shaping import ShapedMode, Shaping
from gough.simulation.motion.spline import path_through
from gough.simulation.motion.states import MotionStates, states_along

if TYPE_CHECKING:
    from gough.model import Model

log = logging.getLogger(__name__)

SHAPERS = {"zv": ("zv",), "zvd": ("zvd",), "ei": ("ei",), "two_mode": ("zv", "zv")}
"""Shapers by their names: what is done with each vibration, one after the other."""
PUSHES = 1025
"""Times at which a motion's accelerations are looked at, to see which modes they excite."""
SETTLED = 1e-8
"""Largest relative change of a frequency in the last round."""
ROUNDS = 12
STEADY = 1e-9
"""Frequencies that differ by less, relatively, and damping ratios, are constant."""
MOVING = 1e-9
"""A velocity this small, of the largest, is rest."""


@dataclass(frozen=True, eq=False)
class SwingsOverTime:
    """t (n,), s, rising from 0; frequencies (n,), Hz, undamped, and damping ratios (n,) at these times."""

    t: np.ndarray
    frequencies: np.ndarray
    damping: np.ndarray


@checked(
    motion=a_motion,
    model=a_model,
    shaper=word,
    modes=numbers,
    drives=word | mapping(numbers),
    frequency=numbers,
    damping=numbers,
    tolerance=number(above=0, most=0.5),
    samples=whole(5, 2000),
    parameters=design,
)
def shape(
    motion: Motion,
    model: "Model | None" = None,
    shaper: str = "zv",
    *,
    modes: Any = None,
    drives: Any = "locked",
    frequency: Any = None,
    damping: Any = None,
    tolerance: float = 0.05,
    samples: int = 33,
    parameters: Any = None,
) -> Motion:
    """The motion convolved with impulses that a vibration does not answer: "zv", "zvd", "ei" (tolerance: what it may leave), or
    "two_mode"; it begins at once, keeps the motion's path where that is straight, and takes half a period (zv) or a period (zvd,
    ei) more, half of each of two modes (two_mode).

    model: whose modes along the motion count, with its drives "locked" at their places or held by servos, drives={"stiffness": …,
    "damping": …}. modes: number of the mode at the first pose, from 0 on (of two_mode: two); without it the one that the motion
    excites most. samples: poses along the motion whose modes are computed. Or, without modes: frequency (Hz, undamped) and
    damping (ratio, 0 where it is not given), two of each for two_mode. parameters: of another design.
    """
    if shaper not in SHAPERS:
        raise UsageError(f"shaper={shaper!r}; use one of {', '.join(SHAPERS)}")
    kinds = SHAPERS[shaper]
    _demand_rest(motion)
    if frequency is not None:
        if modes is not None:
            raise UsageError("shape: give modes= or frequency=, not both")
        made, known = motion, []
        for kind, f, z in zip(kinds, *_constants(frequency, damping, len(kinds)), strict=True):
            known.append(SwingsOverTime(np.array([0.0, motion.duration]), np.full(2, f), np.full(2, z)))
            made = _delayed(made, kind, known[-1], tolerance)
        return _told(made, motion, shaper, [ShapedMode(None, x.t, x.frequencies, x.damping) for x in known])
    if model is None:
        raise UsageError("shape: give the model= whose modes are to rest, or their frequency= (Hz)")
    if damping is not None:
        raise UsageError("shape: damping= goes with frequency=; of a model it is that of its modes")
    own = None
    if parameters is not None:
        own = model.parameters_with(parameters) if isinstance(parameters, Mapping) else np.asarray(parameters, float)
    t = np.linspace(0.0, motion.duration, PUSHES)
    poses = _Poses(model, drives, own, (t, states_of(model, motion, t, own).acceleration), samples)
    wanted = _wanted(modes, len(kinds))
    tracks, passed = _tracks(motion, poses, wanted)
    chosen, made, changes, over = tracks, motion, [0.0], [SwingsOverTime(t, t, t)]
    for _ in range(ROUNDS):
        whole_time = made.duration
        made = motion
        t = np.linspace(0.0, whole_time, samples)
        over = [SwingsOverTime(t, track.frequencies_hz, track.damping) for track in tracks]
        for kind, swings in zip(kinds, over, strict=True):
            made = _delayed(made, kind, swings, tolerance)
        before = tracks
        tracks, passed = _tracks(made, poses, wanted, (before, passed))
        changes = [np.abs(a.frequencies_hz / b.frequencies_hz - 1).max() for a, b in zip(tracks, before, strict=True)]
        if max(changes) < SETTLED:
            break
    else:
        raise UsageError(
            f"shape: frequencies along the shaped motion still change by {max(changes):.1e} after {ROUNDS} rounds; take a slower "
            "motion, more samples=, or a constant frequency="
        )
    for track in tracks:
        f = track.frequencies_hz
        log.info("%s: mode %d, %.6g … %.6g Hz", model.robot.name, track.mode, f.min(), f.max())
    log.info("%s: %.6g s longer", shaper, made.duration - motion.duration)
    taken = zip(chosen, over, strict=True)
    modes = [ShapedMode(own.mode, x.t, x.frequencies, x.damping, own.excited) for own, x in taken]
    return _told(made, motion, shaper, modes)


def _told(made: Motion, of: Motion, shaper: str, modes: Sequence[ShapedMode]) -> Motion:
    """The shaped motion that says what was done to it."""
    return replace(made, shaped=(*of.shaped, Shaping(shaper, tuple(modes), made.duration - of.duration)))


def _demand_rest(motion: Motion) -> None:
    if motion.kind == "forces":
        raise UsageError("shape: forces are no positions; shape the motion they come from")
    largest = np.abs(motion._at(inside(motion.breaks), False)[1]).max(initial=0.0)
    for name, t, left in (("begins", 0.0, False), ("ends", motion.duration, True)):
        velocity = np.abs(motion._at(np.array([t]), left)[1]).max()
        if velocity > MOVING * largest:
            raise UsageError(
                f"shape: the motion {name} with a velocity of {velocity:.6g}; a shaped motion is at rest before and after: let "
                "it begin and end at rest"
            )


def _constants(frequency: Any, damping: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    f, z = (np.atleast_1d(np.asarray(x, dtype=float)) for x in (frequency, 0.0 if damping is None else damping))
    z = np.full(count, z[0]) if z.shape == (1,) else z
    for name, x, good in (("frequency", f, (f > 1 / LONGEST) & np.isfinite(f)), ("damping", z, (z >= 0) & (z < 1))):
        if x.shape != (count,) or not good.all():
            what = "positive, in Hz" if name == "frequency" else "ratios, from 0 to below 1"
            raise UsageError(f"shape: {name}={show_value(x.tolist())}; give {count} number{'s' * (count > 1)}, {what}")
    return f, z


def _wanted(modes: Any, count: int) -> list[int | None]:
    if modes is None:
        return [None] * count
    given = np.atleast_1d(np.asarray(modes, dtype=float))
    if given.shape != (count,) or not (given == np.floor(given)).all() or len(set(given.tolist())) < count:
        raise UsageError(
            f"shape: modes={show_value(given.tolist())}; give {'two different numbers' if count > 1 else 'one number'} of modes, "
            "counted from 0"
        )
    return [int(x) for x in given]


@dataclass(frozen=True, eq=False)
class _Poses:
    """Whose modes are followed along motions. design: None for the model's own. pushes: times and accelerations of the motion
    that is not shaped."""

    model: "Model"
    drives: Any
    design: np.ndarray | None
    pushes: tuple[np.ndarray, np.ndarray]
    samples: int


def states_of(model: "Model", motion: Motion, t: np.ndarray, design: np.ndarray | None) -> MotionStates:
    """States along a motion that the robot can follow, or a UsageError."""
    along = states_along(model, motion, t, "right", None, design)
    bad = along.status != 0
    if bad.any():
        k = int(np.flatnonzero(bad)[0])
        raise UsageError(
            f"{model.robot.name} cannot follow the motion at t = {t[k]:.6g} s: {Status(int(along.status[k])).name.lower()} "
            f"({along.places[k]}); see gough.check_motion"
        )
    return along


def _tracks(
    motion: Motion,
    poses: _Poses,
    wanted: Sequence[int | None],
    before: "tuple[list[ModeTrack], np.ndarray] | None" = None,
) -> tuple[list[ModeTrack], np.ndarray]:
    """Modes at equal times along a motion, and the configurations (samples, nq) there. before: those of the round before, on the
    same path at other times; a mode without a number is the one that had its frequency at the same pose."""
    model = poses.model
    t = np.linspace(0.0, motion.duration, poses.samples)
    along = states_of(model, motion, t, poses.design)
    own = model.parameters if poses.design is None else poses.design
    which: list[int | np.ndarray | None] = list(wanted)
    if before is not None:
        same = [int(np.linalg.norm(before[1] - q, axis=1).argmin()) for q in along.q]
        which = [x.frequencies_hz[same] if k is None else k for k, x in zip(wanted, before[0], strict=True)]
    found = track_modes(model, along.q, poses.drives, own, which, poses.pushes)
    for track in found:
        wrong = (track.damping < 0) | (track.damping >= 1)
        if wrong.any():
            k = int(np.flatnonzero(wrong)[0])
            raise UsageError(
                f"shape: mode {track.mode} of {model.robot.name} has a damping ratio of {track.damping[k]:.6g} at "
                f"t = {t[k]:.6g} s and does not swing; take another mode, or other drives="
            )
    return found, along.q


def _amplitudes(kind: str, damping: np.ndarray, tolerance: float) -> np.ndarray:
    """A (n, impulses) for damping ratios (n,)."""
    K = np.exp(-np.pi * damping / np.sqrt(1.0 - damping**2))
    if kind == "ei":
        rows = [(1 + tolerance) / 4 + 0 * K, (1 - tolerance) / 2 * K, (1 + tolerance) / 4 * K**2]
    else:
        rows = [1.0 + 0 * K, K] if kind == "zv" else [1.0 + 0 * K, 2 * K, K**2]
    A = np.stack(rows, axis=1)
    return A / A.sum(axis=1, keepdims=True)


def _delayed(motion: Motion, kind: str, of: SwingsOverTime, tolerance: float) -> Motion:
    """One motion shaped for one vibration."""
    damped = of.frequencies * np.sqrt(1.0 - of.damping**2)
    A = _amplitudes(kind, of.damping, tolerance)
    rate = _over_time(of.t, 2.0 * damped[:, None])
    t = np.linspace(0.0, of.t[-1], 8 * len(of.t))
    if not (rate.at(t, False)[0] > 0.2 * rate.coefficients[:, 0, 0].min()).all():
        raise UsageError("shape: the frequency along the motion varies too fast between samples; give more samples=")
    path = DelayedPath(motion, Swings(rate), tuple(float(k) for k in range(A.shape[1])), _over_time(of.t, A))
    if motion.kind == "pose":
        return pose_motion(path, "quaternion_wxyz", frame=motion.frame, extend=motion.extend)
    return coordinate_motion(path, motion.kind, motion.names, motion.units, motion.frame, motion.extend)


def _over_time(t: np.ndarray, x: np.ndarray) -> PolynomialPath:
    """A quintic spline through x (n, k) at t (n,) without slope at its ends; constant where x is."""
    if np.ptp(x, axis=0).max() <= STEADY * np.abs(x).max():
        return PolynomialPath(np.array([0.0, t[-1]]), x.mean(axis=0)[None, :, None].repeat(2, axis=2) * [1.0, 0.0])
    return path_through(t, x, 5, "rest")
