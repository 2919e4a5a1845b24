"""Iterative learning: the same motion again and again, errors of one run become forces of the next.

    u_j+1 = Q (u_j + L e_j)                                                                                           (1)
u: forces of the drives, held on a grid of times, beside the law's; e: errors of the drives at its points (Arimoto 1984).
L       of gains: (K_p + K_d d/dt) e, later by `lead`; or of the model: the inverse of its lifted map P (`_lifted`), as far as
        forces can bring it about, gain (PᵀP + w² I)⁻¹ Pᵀ with w = effort σ₁(P): least errors for forces that are not large
Q       a low pass without delay: Butterworth's of second order, forwards and backwards
Theory  e_j = e_0 - P u_j with the lifted map P of the robot that runs: distances of u from where it tends to are multiplied by
        Q (1 - L P) at every trial, and (1 - P (1 - Q (1 - L P))⁻¹ Q L) e_0 stays.
Of redundant drives only what moves the robot is learnt: W Wᵀ Q in the place of Q, with W of `_lifted.working_forces`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_law, a_model, a_motion, callback, checked, design, flag, number, whole, word, wrenches
from gough.errors import RunWarning, UsageError, warn
from gough.simulation.control.feed_forward import FeedForward
from gough.simulation.control.law import Law, as_numbers, entries
from gough.simulation.control.reference import drives_of
from gough.simulation.control.replay import forces
from gough.simulation.control.sampled import Sampled
from gough.simulation.learning._lifted import LiftedMap, lifted_map, working_forces
from gough.simulation.learning.result import Learning, LearningOutcome, LearningTheory, Trial
from gough.simulation.motion.motion import Motion
from gough.simulation.results.run import Run
from gough.simulation.run.settings import RunSettings
from gough.simulation.run.setup import settle
from gough.simulation.run.simulate import simulate

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
SAMPLES = 200
"""Of the grid, where no period is given."""
MOST_UNKNOWNS = 1500
"""Forces of all samples and drives that linear theory and the inverse of a model take."""
GROWN = 10.0
"""Errors over the first ones at which learning is given up."""
NOTHING = 1e-9
"""Error, of the robot's size, that is none."""
CAUSAL = 1e-6
"""Entries, of the largest, of a matrix that are none."""
LEAST_FALL = 0.01
"""Of the error from one trial to the next, below which it has settled."""
WHOLE = 1e-9


@checked(
    model=a_model,
    motion=a_motion,
    law=a_law,
    trials=whole(2, 1000),
    period=number(above=0),
    gain=number(above=0, most=2.0),
    effort=number(above=0, most=1.0),
    lead=number(0),
    low_pass=number(above=0),
    theory=flag,
    parameters=design,
    wrench=wrenches,
    method=word,
    step=number(above=0),
    tolerance=number(above=0),
    progress=callback,
)
def iterative_learning(
    model: "Model",
    motion: Motion,
    law: Law,
    *,
    trials: int = 10,
    period: float | None = None,
    stiffness: Any = None,
    damping: Any = None,
    lead: float = 0.0,
    gain: float | None = None,
    effort: float | None = None,
    low_pass: float | None = None,
    theory: bool = True,
    parameters: Any = None,
    wrench: Any = None,
    method: str = "dp5",
    step: float | None = None,
    tolerance: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Learning:
    """Learn forces that make the drives of a robot follow a motion that it repeats.

    law: a controller that follows motions of drives (`JointPD`, `PID`, `ComputedTorque`, …), or one of gough's on a clock, then
    with method "rk4". period (s): of the grid, a part of the motion; default about 1/200 of it, on a clock a multiple of the
    clock's. parameters, wrench: of the robot that runs, which the law and the model it learns by do not know.
    Learning by the model, where no gains are given: gain (1; 1 takes away all of the error that the model explains, default
    0.5) and effort (1): forces that move the drives by less than this part of what moves them most are not learnt (default 1e-3).
    Or by gains: stiffness (N/m, N·m/rad), damping (N·s/m, N·m·s/rad), one for all drives or one each, of errors `lead` (s)
    later. low_pass (Hz): of Q, None for none; it makes learning robust, and leaves what is faster. theory: whether linear theory
    is asked. A law with noisy sensors has other noise in each trial (seed, seed + 1, …). progress: called with (trial, error).
    Trials end early where errors have grown tenfold, or a run ends early; learning that diverges is warned about.
    """
    inside, clocked = _parts(law)
    times = _grid(motion, period, clocked.period if clocked else None)
    n, count = len(model.mechanism.drives), len(times) - 1
    by_gains = stiffness is not None or damping is not None
    if by_gains and (gain is not None or effort is not None):
        raise UsageError(
            "iterative_learning: gain= and effort= belong to learning by the model, stiffness= and damping= to gains"
        )
    if not by_gains and lead:
        raise UsageError(
            "iterative_learning: lead= belongs to gains (stiffness=, damping=); the model knows when forces act"
        )
    small = count * n <= MOST_UNKNOWNS
    if not by_gains and not small:
        raise UsageError(
            f"iterative_learning: {count} samples of {n} drives are more than the {MOST_UNKNOWNS} forces that a model is "
            f"inverted for; give a period of at least {motion.duration * n / MOST_UNKNOWNS:.3g} s, or learn by gains"
        )
    run_settings = {"method": method, "step": step, "tolerance": tolerance}
    told = {"wrench": wrench, "parameters": parameters}

    def with_forces(u: Array, trial: int = 0) -> Law:
        tau = np.concatenate([u, u[-1:]])
        led = FeedForward(inside, forces(times, tau, held=True), limit=law.limit if clocked is None else None)
        return led if clocked is None else replace(clocked, law=led, seed=clocked.seed + trial)

    def lifted(**of_robot: Any) -> LiftedMap:
        first = RunSettings.of(
            motion, with_forces(np.zeros((count, n))), None, method, step=step, tolerance=tolerance, check="off"
        )
        return lifted_map(
            settle(model, first, None, None, of_robot.get("wrench"), of_robot.get("parameters")), motion, times
        )

    Q = _low_pass(count, n, times[1] - times[0], low_pass)
    if by_gains:
        L = _gains(model, times, stiffness, damping, lead)
    else:
        L = _inverse(lifted().P, 0.5 if gain is None else gain, 1e-3 if effort is None else effort)
    W = working_forces(model, motion, times, model.parameters_with())
    wanted = drives_of(model, motion).at(times[1:], "left").position
    scales = _scales(model)
    found: list[Trial] = []
    u, ended = np.zeros((count, n)), ""
    for trial in range(trials):
        run = simulate(
            model, motion, with_forces(u, trial), check="warn" if trial == 0 else "off", **run_settings, **told
        )
        if not run.info.finished:
            ended = f"trial {trial} ended: {run.stopped}"
            if not found:
                raise UsageError(f"iterative_learning: the first run, without forces that are learnt: {run.stopped}")
            break
        errors = wanted - _measured(run, times[1:])
        rms = float(np.sqrt(np.mean((errors * scales) ** 2)))
        found.append(Trial(run, u, errors, rms))
        if progress is not None:
            progress(trial, rms)
        if rms > GROWN * max(found[0].rms, NOTHING * model.size):
            ended = f"the error of trial {trial} is {rms / found[0].rms:.3g} times the first"
            break
        learnt = Q @ (u.ravel() + L @ errors.ravel())
        u = (learnt if W is None else W @ (W.T @ learnt)).reshape(count, n)
    linear = _theory(lifted(**told), Q, L, W, found[0].errors, trials) if theory and small else None
    all_rms = np.array([x.rms for x in found])
    outcome = LearningOutcome.DIVERGED if ended else _outcome(all_rms, NOTHING * model.size)
    if outcome is LearningOutcome.DIVERGED:
        why = ended or f"the last error is {all_rms[-1] / all_rms[0]:.3g} times the first"
        said = "" if linear is None else f"; linear theory says: {linear.verdict}, growth of up to {linear.peak:.3g}"
        remedy = "a smaller gain, smaller stiffness and damping, or a low_pass of less Hz"
        warn(f"{model.robot.name}: learning diverged, {why}{said}; give {remedy}", RunWarning)
    best = int(np.argmin(all_rms))
    led = with_forces(found[best].forces)
    push = (led.law if isinstance(led, Sampled) else led).push  # type: ignore[union-attr]
    return Learning(times, tuple(found), outcome, linear, best, push, led, model.layout.drive_names)


def _parts(law: Law) -> tuple[Law, Sampled | None]:
    """(the law inside, the clock around it or None); UsageError where it cannot be learnt beside it."""
    if not isinstance(law, Sampled):
        return law, None
    if not isinstance(law.law, Law):
        raise UsageError(
            "iterative_learning: a function that is sampled cannot be learnt beside; give a law of gough.laws"
        )
    return law.law, law


def _grid(motion: Motion, period: float | None, clock: float | None) -> Array:
    """times (N + 1,), s."""
    end = motion.duration
    if period is None:
        period = end / SAMPLES if clock is None else max(1, round(end / SAMPLES / clock)) * clock
    count = round(end / period)
    if count < 4 or abs(count * period - end) > WHOLE * end:
        raise UsageError(
            f"iterative_learning: period={period:g} s is no whole part of the motion's {end:.9g} s (at least 4 samples); give "
            f"period={end / max(count, 4):.9g}"
            + ("" if clock is None else ", and hold the motion until the clock fits")
        )
    if clock is not None and abs(period / clock - max(1, round(period / clock))) > WHOLE * period / clock:
        raise UsageError(f"iterative_learning: period={period:g} s is no multiple of the clock's {clock:g} s")
    return end * np.arange(count + 1) / count


def _low_pass(count: int, n: int, period: float, hz: float | None) -> Array:
    """Q (count n, count n)."""
    if hz is None:
        return np.eye(count * n)
    if not hz < 0.5 / period:
        raise UsageError(
            f"iterative_learning: low_pass={hz:g} Hz: samples of {period:g} s have frequencies below {0.5 / period:g} Hz"
        )
    from scipy import signal

    sections = signal.butter(2, hz, fs=1.0 / period, output="sos")
    edge = min(count - 1, max(1, round(1.0 / (hz * period))))
    return np.kron(signal.sosfiltfilt(sections, np.eye(count), axis=0, padlen=edge), np.eye(n))


def _gains(model: "Model", times: Array, stiffness: Any, damping: Any, lead: float) -> Array:
    """L (N drives, N drives) of errors that stand at the ends of the samples."""
    n, count, period = len(model.mechanism.drives), len(times) - 1, times[1] - times[0]
    Kp, Kd = (
        entries(key, as_numbers(key, 0.0 if x is None else x, 0.0), n, "drives")
        for key, x in (("stiffness", stiffness), ("damping", damping))
    )
    if not (Kp.any() or Kd.any()):
        raise UsageError("iterative_learning: stiffness= and damping= are 0: nothing is learnt")
    later = round(lead / period)
    shift = np.eye(count, k=later)
    if later:
        shift[count - later :, -1] = 1.0  # what is after the end is as at the end
    slope = np.gradient(np.eye(count), period, axis=0)
    return np.kron(shift, np.diag(Kp)) + np.kron(shift @ slope, np.diag(Kd))


def _inverse(P: Array, gain: float, effort: float) -> Array:
    """gain (PᵀP + w² I)⁻¹ Pᵀ."""
    weight = (effort * np.linalg.norm(P, 2)) ** 2
    return gain * np.linalg.solve(P.T @ P + weight * np.eye(len(P)), P.T)


def _theory(lifted: LiftedMap, Q: Array, L: Array, W: Array | None, first: Array, trials: int) -> LearningTheory:
    P = lifted.P
    T, L = Q @ (np.eye(len(P)) - L @ P), Q @ L
    if W is not None:  # coordinates of what is learnt
        T, L, P = W.T @ T @ W, W.T @ L, P @ W
    rate, gain = _radius(T, len(T) // len(first)), float(np.linalg.norm(T, 2))
    power, peak = T, gain
    for _ in range(trials - 2 if gain > 1.0 else 0):
        power = power @ T
        peak = max(peak, float(np.linalg.norm(power, 2)))
    e = first.ravel()
    left = float("inf")
    if rate < 1.0:
        end = np.linalg.solve(np.eye(len(T)) - T, L @ e)
        left = float(np.linalg.norm(e - P @ end) / max(np.linalg.norm(e), np.finfo(float).tiny))
    return LearningTheory(rate, gain, peak, left, lifted.doubts)


def _radius(T: Array, n: int) -> float:
    """Spectral radius. Where nothing acts on what was before, it is that of the blocks (n, n) on the diagonal: eigenvalues of
    the whole matrix are then too ill conditioned."""
    count = len(T) // n
    blocks = T.reshape(count, n, count, n).transpose(0, 2, 1, 3)
    early = np.triu(np.ones((count, count), dtype=bool), 1)
    if np.abs(blocks[early]).max(initial=0.0) < CAUSAL * np.abs(T).max():
        blocks = blocks[np.arange(count), np.arange(count)]
    else:
        blocks = T[None]
    return float(np.abs(np.linalg.eigvals(blocks)).max())


def _measured(run: Run, times: Array) -> Array:
    """Drive coordinates (m, drives) at times (m,), as encoders show them where there are any."""
    n = len(run.layout.drive_names)
    shown = run["encoders"][:, :n] if "encoders" in run else run["drives.position"]
    at = np.searchsorted(run.time, times * (1 + WHOLE), side="right") - 1
    off = np.abs(run.time[at] - times).max(initial=0.0)
    if off > 1e-6 * times[-1]:
        raise UsageError(
            f"iterative_learning: the run has no state within {off:g} s of a sample; give a step that its period is a multiple of"
        )
    return shown[at]


def _scales(model: "Model") -> Array:
    """What 1 m or 1 rad of each drive counts (m), or 1 where all drives are of a kind."""
    units = model.layout.drive_units
    return np.array([1.0 if len(set(units)) == 1 or unit == "N" else model.size for unit in units])


def _outcome(rms: Array, nothing: float) -> LearningOutcome:
    rms = np.maximum(rms, nothing)
    falls = np.diff(rms)
    if rms[-1] > rms[0]:
        return LearningOutcome.DIVERGED
    if (falls <= 0.0).all():
        return LearningOutcome.MONOTONE
    settled = abs(falls[-1]) <= LEAST_FALL * rms[0]
    return LearningOutcome.CONVERGED if settled else LearningOutcome.STILL
