"""Is a motion possible? Reach, freedoms, limits, drive forces and distance to singularities along it, before a run.

The motion is sampled evenly and at all its breaks; at kinks from both sides, because forces jump there. Forces of flexible
robots are those of quasi-static bending (see `states`): vibrations come on top; frames and points are then met by the
robot before it bends. A singularity between two samples is noticed by the sign of the determinants (see
`gough.analysis.workspace.states`).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.conditions import determinant_signs
from gough.arguments import a_model, a_motion, checked, flag, floats, number, numbers, whole, wrenches
from gough.compilation.arrays import as_array
from gough.errors import EXPLANATION, Status, UsageError
from gough.kinematics.singularity import block_matrices
from gough.simulation.motion._clearance import is_clear
from gough.simulation.motion.motion import JUMP, Motion
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.report import MotionProblem, MotionReport, spans
from gough.simulation.motion.states import MotionStates, bend, states_for
from gough.simulation.motion.targets import MotionTarget, target_of

if TYPE_CHECKING:
    from gough.model import Model

CONSISTENT = 1e-7
"""Accepted velocity outside of the robot's freedoms, relative to the largest velocity."""

MOST = 1_000_000
"""Samples of a motion."""

MOST_NAMED = 6
"""Idle freedoms that are named."""

CONDITION = 0.01
"""Smallest good distance from singularities."""

ROUNDING = 1e-13
"""A velocity or acceleration this small beside the largest one is 0."""


@checked(
    model=a_model,
    motion=a_motion,
    samples=whole(2, MOST),
    condition=number(0),
    forces=flag,
    wrench=wrenches,
    near=numbers,
    duration=number(above=0),
)
def check_motion(
    model: "Model",
    motion: Motion,
    *,
    samples: int = 400,
    condition: float = CONDITION,
    forces: bool = True,
    wrench: Any = None,
    near: Any = None,
    duration: float | None = None,
    parameters: Any = None,
) -> MotionReport:
    """Everything that is wrong with a motion of a robot, with times and places (see `MotionReport`).

    samples: even ones, beside the breaks. condition: smallest good distance from singularities (reciprocal condition, see
    `Model.singularity`). forces: whether drive forces are computed; wrench: constant, as for `Model.inverse_dynamics`.
    near: q (nq,) in whose assembly the motion begins (default: home). duration (s): only this much of the motion.
    parameters (n,): of another design.
    """
    if not condition < 1:
        raise UsageError(
            f"samples={samples}, condition={condition}; give 2 to {MOST} samples and a condition from 0 to 1"
        )
    numbers = None if parameters is None else floats("parameters", parameters)
    if numbers is not None and numbers.shape != model.parameters.shape:
        raise UsageError(f"parameters have shape {numbers.shape}; give those of one design, {model.parameters.shape}")
    near = None if near is None else as_array("near", floats("near", near), model.layout.nq)
    target = target_of(model, motion, numbers)
    t, sample = _sampled(motion, samples, motion.duration if duration is None else min(duration, motion.duration))
    wanted = target.wanted_sample(sample)
    states = states_for(target, t, wanted, near)
    good = np.flatnonzero(states.status == 0)
    notes = list(_notes(model, motion, sample))
    problems = list(_jumps(motion))
    problems += _unreached(states, target)
    problems += _impossible(model, states, wanted, target)
    q, tau, trouble = states.q, np.full((len(t), len(model.drive_index)), np.nan), []
    if forces and model.driven:
        q, tau, trouble = _forces(target, states, wanted, wrench)
    if forces and not model.driven:
        notes.append("no drive forces: fewer drives than freedoms")
    problems += trouble
    problems += _limits(target, states.t, q, states.v, tau, good)
    parallel, serial, found = _singular(target, states.t, q, good, condition)
    rates = np.full((len(t), len(model.drive_index)), np.nan)
    if len(good):
        rates[good] = model.drive_rates(q[good], states.v[good], parameters=numbers, on_bad_state="mark")
    drives = q[:, model.drive_index]
    return MotionReport(
        model.robot.name,
        motion,
        states.t,
        q,
        states.v,
        states.acceleration,
        states.status,
        drives,
        rates,
        tau,
        parallel,
        serial,
        model.layout.drive_names,
        model.layout.drive_units,
        tuple(sorted(problems + found, key=lambda p: p.spans[0][0])),
        tuple(notes),
        q[:, :7] if model.mechanism.has_platform else None,
    )


def is_faultless(
    model: "Model", motion: Motion, samples: int, near: np.ndarray | None, duration: float, parameters: np.ndarray
) -> bool:
    """Whether `check_motion` without forces clearly finds no problem, at the same samples; arguments as there."""
    if next(_jumps(motion), None) is not None:
        return False
    target = target_of(model, motion, parameters)
    _, sample = _sampled(motion, samples, min(duration, motion.duration))
    return is_clear(target, target.wanted_sample(sample), near, CONDITION)


def _sampled(motion: Motion, samples: int, end: float) -> tuple[np.ndarray, Sample]:
    """Even times up to the end and breaks; inner kinks twice, from the left and from the right."""
    even = np.union1d(np.linspace(0.0, end, samples), motion.breaks[motion.breaks <= end])
    inner = motion.kinks[1:-1]
    inner = inner[inner < end]
    if not len(inner):
        position, *rates = motion._at(np.minimum(even, motion.duration), False)
        return even, Sample(position, *map(_without_rounding, rates))
    right, left = motion.at(even), motion.at(inner, "left")
    t = np.concatenate([even, inner])
    order = np.lexsort((np.concatenate([np.ones(len(even)), np.zeros(len(inner))]), t))
    parts = zip(
        (right.position, right.velocity, right.acceleration),
        (left.position, left.velocity, left.acceleration),
        strict=True,
    )
    position, velocity, acceleration = (np.concatenate([a, b])[order] for a, b in parts)
    return t[order], Sample(position, _without_rounding(velocity), _without_rounding(acceleration))


def _without_rounding(x: np.ndarray) -> np.ndarray:
    """A velocity that is 0 but for rounding has no sign that friction could take."""
    return np.where(np.abs(x) < ROUNDING * np.abs(x).max(), 0.0, x)


def _notes(model: "Model", motion: Motion, sample: Sample) -> Iterator[str]:
    yield from map(str, motion.shaped)
    largest = np.abs(sample.velocity).max()
    for name, k in (("begins", 0), ("ends", -1)):
        if np.abs(sample.velocity[k]).max() > JUMP * largest:
            yield f"{name} with a velocity: a run must {'start' if k == 0 else 'go on'} with it"
    if model.layout.v_idle:
        idle = ", ".join(model.layout.idle_names[:MOST_NAMED]) + (" …" if model.layout.v_idle > MOST_NAMED else "")
        yield f"idle freedoms ({idle}) stand still here: what they do, and the forces that takes, a run tells"
    if model.layout.n_elastic:
        yield "flexible bodies bend quasi-statically here; vibrations come on top"
        if motion.kind in ("point", "pose") and motion.frame is not None:
            yield f"{motion.frame} is led by the robot as it is before it bends"


def _jumps(motion: Motion) -> Iterator[MotionProblem]:
    inner = motion.kinks[1:-1]
    if not len(inner):
        return
    change = np.abs(motion.at(inner).velocity - motion.at(inner, "left").velocity).max(axis=1)
    largest = np.abs(motion.at(motion._spread()).velocity).max()
    for t, jump in zip(inner, change, strict=True):
        if jump > JUMP * largest:
            yield MotionProblem("jump", "velocity", ((t, t),), jump, t, f"the velocity jumps by {jump:.6g}")


def _unreached(states: MotionStates, target: MotionTarget) -> Iterator[MotionProblem]:
    kinds = dict.fromkeys(zip(states.status.tolist(), states.places.tolist(), strict=True))
    for code, place in kinds:
        if code:
            here = (states.status == code) & (states.places == place)
            first = float(states.t[here][0])
            why = target.told_too_much if code == Status.OUT_OF_REACH else ""
            text = f"{Status(code).name} at {place}: {why or EXPLANATION[Status(code)]}"
            count = int(here.sum())
            yield MotionProblem("reach", place, spans(states.t, here), float("nan"), first, text, count)


def _impossible(model: "Model", states: MotionStates, wanted: Sample, target: MotionTarget) -> Iterator[MotionProblem]:
    largest = np.abs(wanted.velocity * target.scales).max()
    here = states.missed > CONSISTENT * largest
    if here.any():
        k = int(np.nanargmax(np.where(here, states.missed, np.nan)))
        text = f"the robot's freedoms ({' '.join(model.layout.v_names[: model.mobility])}) do not allow the velocity asked for"
        text += f": {target.told_too_much}" if target.told_too_much else ""
        worst, count = float(states.missed[k]), int(here.sum())
        yield MotionProblem("freedom", "velocity", spans(states.t, here), worst, float(states.t[k]), text, count)


def _forces(target: MotionTarget, states: MotionStates, wanted: Sample, wrench: Any):
    """(q, drive forces (n, drives), problems)."""
    model, good = target.model, states.status == 0
    q, problems = states.q, []
    if model.layout.n_elastic:
        q, tau, settled = bend(target, states.q, wanted, wrench)
        tau[~settled] = np.nan
        lost = good & ~settled
        if lost.any():
            text = "flexible bodies find no rest in quasi-static bending (buckling, or a singularity near)"
            first, count = float(states.t[lost][0]), int(lost.sum())
            problems.append(MotionProblem("forces", "bodies", spans(states.t, lost), np.nan, first, text, count))
        return q, tau, problems
    tau = np.full((len(q), len(model.drive_index)), np.nan)
    if good.any():
        made = model.inverse_dynamics(
            q[good],
            states.v[good],
            states.acceleration[good],
            wrench,
            parameters=target.parameters,
            on_bad_state="mark",
        )
        tau[good] = made.tau
        for code in sorted(set(made.status.tolist()) - {0}):
            here = np.zeros(len(q), dtype=bool)
            here[np.flatnonzero(good)[made.status == code]] = True
            text = f"{Status(code).name}: {EXPLANATION[Status(code)]}"
            first, count = float(states.t[here][0]), int(here.sum())
            problems.append(MotionProblem("forces", "drives", spans(states.t, here), np.nan, first, text, count))
    return q, tau, problems


def _limits(target: MotionTarget, t: np.ndarray, q, v, tau, good: np.ndarray) -> Iterator[MotionProblem]:
    if not len(good):
        return
    model = target.model
    found = model.limit_margins(q[good], v[good], tau[good], parameters=target.parameters)
    for k, limit in enumerate(found.limits):
        margin = found.margins[:, k]
        over = margin < 0
        if over.any():
            here = np.zeros(len(t), dtype=bool)
            here[good[over]] = True
            worst = int(np.nanargmin(margin))
            text = f"beyond its limit, by up to {-margin[worst]:.6g} {limit.unit}".rstrip()
            by, at = float(-margin[worst]), float(t[good[worst]])
            yield MotionProblem("limit", str(limit), spans(t, here), by, at, text, int(over.sum()))


def _singular(target: MotionTarget, t: np.ndarray, q: np.ndarray, good: np.ndarray, condition: float):
    """(parallel (n,), serial (n,), problems): near a singularity, or across one between two samples."""
    parallel, serial = np.full(len(t), np.nan), np.full(len(t), np.nan)
    problems: list[MotionProblem] = []
    good = good[np.isfinite(q[good]).all(axis=1)]
    if not len(good):
        return parallel, serial, problems
    found = target.model.singularity(q[good], parameters=target.parameters)
    parallel[good] = found.parallel
    worst = found.serial.argmin(axis=1) if found.serial.shape[1] else None
    serial[good] = found.serial.min(axis=1) if worst is not None else 1.0
    for kind, value in (("parallel", parallel), ("serial", serial)):
        if kind == "parallel" and not target.model.driven:
            continue  # fewer drives than freedoms hold it nowhere: no place is worse
        here = value < condition
        if here.any():
            k = int(np.nanargmin(value))
            place = (
                "drives" if kind == "parallel" or worst is None else found.serial_names[worst[good.tolist().index(k)]]
            )
            text = f"near a {kind} singularity: {value[k]:.3g}, below {condition:g}"
            count = int(here.sum())
            problems.append(MotionProblem("singular", place, spans(t, here), float(value[k]), float(t[k]), text, count))
    problems += _crossings(target, t[good], q[good], found.scaled_map)
    return parallel, serial, problems


def _crossings(target: MotionTarget, t: np.ndarray, q: np.ndarray, S: np.ndarray) -> Iterator[MotionProblem]:
    """Determinants that change sign between neighbouring samples."""
    places, blocks = block_matrices(target.model, q, target.numbers, target.model.size)
    signs = [determinant_signs(a) for a in blocks]
    own = S.shape[1] == S.shape[2]
    side = np.prod([determinant_signs(S), *signs], axis=0) if own else None
    for place, sign, word in [
        ("drives", side, "parallel"),
        *((p, s, "serial") for p, s in zip(places, signs, strict=True)),
    ]:
        if sign is None:
            continue
        for k in np.flatnonzero(sign[1:] * sign[:-1] < 0):
            pair = (float(t[k]), float(t[k + 1]))
            text = f"crosses a {word} singularity between {pair[0]:.6g} and {pair[1]:.6g} s"
            yield MotionProblem("crossing", place, (pair,), 0.0, pair[0], text, 2)
