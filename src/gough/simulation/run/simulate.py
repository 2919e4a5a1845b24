"""One simulation: a robot, what drives it, a method; the result is a `Run`. Four phases on settings that were checked.

How wrong a run is, another run tells that is more exact: half the step, and a hundredth of the tolerance where there is one.
"""

import time as clock
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import (
    a_law,
    a_model,
    a_motion,
    callback,
    checked,
    design,
    flag,
    number,
    numbers,
    whole,
    word,
    wrenches_in_time,
)
from gough.errors import RunWarning, UsageError, warn
from gough.kinematics.retraction import coordinate_sizes
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.law import Law
from gough.simulation.control.sampled import Sampled
from gough.simulation.events import End, Ending, Event, Happening
from gough.simulation.integration.course import Course
from gough.simulation.integration.drive_led import convert_velocities
from gough.simulation.integration.marching import MOST_STEPS, Marching, RunStopped
from gough.simulation.integration.pieces import PieceSource, SampledPieces, TablePieces, sampled_command
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.state import StateLayout
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.motion.report import spans
from gough.simulation.results.energies import energy_events
from gough.simulation.results.limits import limit_events, tell_limits
from gough.simulation.results.remedy import ending_remedy
from gough.simulation.results.resample import resample
from gough.simulation.results.run import Run
from gough.simulation.results.tracking import recorded_reference, told_motion
from gough.simulation.run._reports import law_reports
from gough.simulation.run.settings import MOST_EQUAL, MOST_SAMPLES, RunSettings, demand_room, demand_steps
from gough.simulation.run.setup import Setup, settle, tell_late_loads

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
Progress = Callable[[float, float], None]
AT_LIMIT = 1e-9
"""Force below its limit, over the limit, that counts as at the limit."""
FINER = 0.01
"""Tolerance of the second run over that of the first, for methods that choose their steps."""
FINEST = 1e-14
OF_EVERY_RUN = ("loop_matrices", "energies")
"""Functions that every run calls, if only a few times: compiled with the loop, so that the next run does not wait for them."""


@checked(
    model=a_model,
    motion=a_motion | word,
    controller=a_law,
    duration=number(above=0, most=LONGEST),
    q=numbers,
    v=numbers,
    start=word,
    method=word,
    step=number(above=0),
    tolerance=number(above=0),
    rho_infinity=number(),
    every=whole(1),
    most_steps=whole(1, 2**62),
    wrench=wrenches_in_time,
    smoothing=word | numbers,
    parameters=design,
    check=word,
    estimate=flag,
    progress=callback,
)
def simulate(
    model: "Model",
    motion: Motion | str | None = None,
    controller: Law | None = None,
    *,
    duration: float | None = None,
    q: Any = None,
    v: Any = None,
    start: str = "given",
    wrench: Any = None,
    method: str = "dp5",
    step: float | None = None,
    tolerance: float | None = None,
    rho_infinity: float | None = None,
    every: int = 1,
    most_steps: int | None = None,
    smoothing: Any = "auto",
    parameters: Any = None,
    check: str = "warn",
    estimate: bool = False,
    progress: Callable[[float, float], None] | None = None,
) -> Run:
    """Integrate the robot's motion.

    motion: a `Motion` (kind "drives" without a controller: the drives follow it exactly, forces are results), the name of a
    paper's motion, or None: the drives give no force. controller: a law of `gough.laws`. duration (s): default the motion's.
    q (nq,), v (nv,): the first state, default where the motion starts, else home at rest. start: "given", or "static": elastic
    coordinates begin in static equilibrium. wrench: load from outside, (6,) on the platform or {frame: (6,)}, world
    axes (N, N·m), or loads of `gough.loads` over time in their place; controllers do not know of it. method: one of `METHODS` in
    `integration/methods`. tolerance: error of a step that is chosen by its error, of the robot's size, and how well implicit
    methods solve their equations, default 1e-8; equal explicit steps have none. step (s): of equal steps, or the longest.
    rho_infinity: of "generalised_alpha", what is left of an infinitely fast vibration after a step, 0 … 1.
    every: keep one state of so many. most_steps: of "dp5", before it gives up. smoothing: of Coulomb friction (see `smoothing`):
    "auto" where the description has none, "described" as it is there, or a width for all joints (m/s and rad/s, or one each).
    check: "warn" (a motion out of reach is refused; limits exceeded, singularities, a start out of equilibrium and steps too long
    are warned about, and kept in `run.info.events`), "raise" (all of them are refused), "off". estimate: run a second time, with
    half the step or a hundredth of the tolerance, for `run.info.error_estimate`; else it is the sum of the errors of all steps,
    where the method knows them.
    progress: called with (time reached, duration). Ctrl-C, a singularity or a step too small
    end the run; it keeps all it has, and `run.info.stopped` says why. A run whose energy is off by more than a thousandth of what
    it exchanges is warned about.
    """
    settings = RunSettings.of(
        motion,
        controller,
        duration,
        method,
        start=start,
        step=step,
        tolerance=tolerance,
        rho_infinity=rho_infinity,
        every=every,
        most_steps=most_steps,
        smoothing=smoothing,
        check=check,
        estimate=estimate,
    )

    def simulated(settings: RunSettings) -> Run:
        setup = tell_late_loads(settle(model, settings, q, v, wrench, parameters))
        loop = compile_loop(setup, progress)
        return gather(setup, march(loop, setup))

    if not estimate:
        return simulated(settings)
    finer = finer_settings(settings)
    return with_estimate(simulated(settings), simulated(finer), settings, finer)


@dataclass(frozen=True, eq=False)
class RunLoop:
    """Machine code that goes through the pieces of a run. stored: records so far. compile_s: what it took to make."""

    course: Course
    pieces: PieceSource
    stored: list[Array]
    compile_s: float


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the time loop has left: records (n, k), why it stopped, what happened, what it counted and cost (s)."""

    records: Array
    stopped: str
    ending: Ending
    events: tuple[Event, ...]
    counts: Mapping[str, int]
    error_estimate: float | None
    computing_s: float
    compile_s: float


def compile_loop(setup: Setup, progress: Progress | None) -> RunLoop:
    """Phase 2: the time loop of the method, and what gives it its pieces."""
    settings, plant, stored = setup.settings, setup.plant, []

    def marching_for(plant: Plant) -> Marching:
        marching = settings.method.marching(plant, setup.numbers, settings.taken_step, settings.tolerance)
        marching.span = settings.duration
        _bound(marching, settings)
        return marching

    marching = marching_for(plant)
    began = clock.perf_counter()
    course = Course(
        plant,
        marching,
        marching_for,
        _keeper(stored, StateLayout(plant).t, settings.duration, progress),
        settings.every,
    )
    pieces: PieceSource = TablePieces(plant, setup.table, settings.duration)
    if isinstance(setup.law, Sampled):
        command = sampled_command(setup.law, setup.model, settings.motion, setup.table, setup.numbers, setup.own)
        pieces = SampledPieces(plant, setup.law, command, settings.duration)
    for name in OF_EVERY_RUN:
        if name != "loop_matrices" or plant.model.mechanism.selection.blocks:
            plant.model.function(name).kernel()
    return RunLoop(course, pieces, stored, clock.perf_counter() - began)


def march(loop: RunLoop, setup: Setup) -> Outcome:
    """Phase 3: through all pieces, as far as it goes. What must be compiled on the way counts as compiling."""
    course, began = loop.course, clock.perf_counter()
    before = course.compile_s
    stopped, ending = _through(loop, setup.first)
    late = course.compile_s - before
    return Outcome(
        records=np.concatenate(loop.stored),
        stopped=stopped,
        ending=ending,
        events=tuple(course.events),
        counts=course.counts(),
        error_estimate=course.error_estimate,
        computing_s=clock.perf_counter() - began - late,
        compile_s=loop.compile_s + late,
    )


def _through(loop: RunLoop, first: Array) -> tuple[str, Ending]:
    """Go through all pieces; returns why and when it ended, in words, and as data."""
    course, stored = loop.course, loop.stored
    try:
        course.run_through(loop.pieces, first)
    except RunStopped as problem:
        course.keep_last()
        if not any(map(len, stored)):
            more = ending_remedy(problem.ending)
            raise UsageError(f"the run cannot begin: {problem.ending.why}{more and f': {more}'}") from problem
        return f"{problem.ending.why} at t = {problem.time:.9g} s", problem.ending
    except KeyboardInterrupt:
        course.keep_last()
        if not any(map(len, stored)):
            raise
        why = f"interrupted after t = {_last(stored, course.states.t):.9g} s"
        return why, Ending(End.INTERRUPTED, why)
    return "finished", Ending(End.FINISHED, "finished")


def _last(stored: list[Array], place: int) -> float:
    """The last time that is stored (s); -inf where there is none."""
    return next((float(records[-1, place]) for records in reversed(stored) if len(records)), -np.inf)


def _keeper(
    stored: list[Array], place: int, end: float, progress: Callable[[float, float], None] | None
) -> Callable[[Array], None]:
    """Keeps records, and tells how far it is."""

    def keep(records: Array) -> None:
        stored.append(records)
        if progress is not None and len(records):
            progress(float(records[-1, place]), end)

    return keep


def _bound(marching: Marching, settings: RunSettings) -> None:
    """Let a run not begin that would not end, or not go into memory."""
    most, end, law = settings.most_steps, settings.duration, settings.controller
    marching.most_steps = MOST_STEPS if most is None else most
    if not marching.adaptive:
        most = MOST_EQUAL if most is None else most
        demand_room(min(end / marching.step_size, most) / settings.every, marching.states.record_size)
    else:  # one that is asked to end after so many steps may begin
        most = MOST_STEPS if most is None else max(most, MOST_STEPS)
    demand_steps(marching.step_size, end, most, marching.adaptive)
    if isinstance(law, Sampled) and not end / law.period < MOST_SAMPLES:
        raise UsageError(
            f"period={law.period:g} s: {end:g} s are {end / law.period:.3g} samples, {MOST_SAMPLES:.3g} are the most; give a "
            "longer period"
        )


def gather(setup: Setup, outcome: Outcome, loads: Callable[[Array], Any] | None = None) -> Run:
    """Phase 4: the run, told in the velocities of the model that was asked for; one that lost or won energy is warned about.
    loads: the wrenches at stored times (n,), where they did not stay the same."""
    settings, plant, asked = setup.settings, setup.plant, setup.asked
    model, states, records = plant.model, StateLayout(plant), outcome.records
    s = states.split(records)
    nd = len(model.mechanism.drives)
    keep = np.flatnonzero(_distinct(s.t, records[:, states.size :]))
    tau, vdot = records[keep, states.size : states.size + nd], records[keep, states.size + nd :]
    t, q, v = s.t[keep], s.q[keep], s.v[keep]
    recorded: dict[str, Any] = {f"work.{name}": (s.work[keep, k], "J") for k, name in enumerate(WORKS)}
    for name, (places, units, columns) in plant.law.signals(model, plant.inner.names, plant.inner.units).items():
        recorded[name] = (s.inner[keep][:, places], units, columns)
    recorded |= law_reports(plant, q, v, s.inner[keep], setup.numbers)
    recorded |= recorded_reference(asked.layout, settings.motion, t)
    if asked is not model:
        v, vdot = convert_velocities(asked, model, q, v, vdot, setup.numbers)
    run = Run.from_states(
        asked,
        t,
        q,
        v,
        tau,
        acceleration=vdot,
        wrench=plant.wrenches.by_frame(t) if loads is None else loads(t),
        parameters=setup.design,
        tau_held=setup.held,
        recorded=recorded,
        stopped=outcome.stopped,
        ended=outcome.ending.plain(),
        events=sorted([*_saturations(plant, t, _commands(recorded, tau)), *setup.events, *outcome.events]),
        settings={**settings.describe(), **outcome.counts, **setup.describe()},
        motion=told_motion(settings.motion),
        controller=plant.law.describe(),
        error_estimate=outcome.error_estimate,
        computing_s=outcome.computing_s,
        compile_s=outcome.compile_s,
    )
    told = [Event(when, Happening.CONTROL, text) for when, text in plant.law.tell_run(model, run.time, run.q)]
    looked = settings.motion is not None and settings.motion.kind != "forces"
    beyond = [] if settings.check == "off" else limit_events(run, looked)
    found = [*energy_events(run), *told]
    if not found and not beyond:
        return run
    if settings.check != "off":
        lines = [*(text for _, text in found), *([tell_limits(beyond)] if beyond else [])]
        warn(f"{model.robot.name}: " + "\n".join(lines), RunWarning)
    return run.described(events=tuple(sorted([*run.info.events, *found, *beyond])))


def _commands(recorded: dict[str, Any], tau: Array) -> Array:
    """Forces (n, drives) as the law gave them: before lags and gears where there are such."""
    return recorded["command"][0] if "command" in recorded else tau


def _saturations(plant: Plant, t: Array, tau: Array) -> Iterator[Event]:
    """(time, what) of the stretches in which a drive is at a limit: that of its law, or of the law that this one samples."""
    sampled = plant.law.law if isinstance(plant.law, Clocked | Sampled) else None
    limited = [law for law in (plant.law, sampled) if isinstance(law, Law) and law.limit is not None]
    if not limited:
        return
    layout = plant.model.layout
    for k, most in enumerate(np.min([law.limits(plant.model) for law in limited], axis=0)):
        for first, last in spans(t, np.abs(tau[:, k]) >= most * (1 - AT_LIMIT)):
            name, unit = layout.drive_names[k], layout.drive_units[k]
            yield Event(first, Happening.SATURATED, f"{name} at {most:g} {unit} until {last:.6g} s")


def _distinct(t: Array, forces: Array) -> Array:
    """Which records (n,) to keep: of those at one time the first and the last, and only one where nothing jumps."""
    new = np.concatenate([[True], np.diff(t) > 0])
    last = np.concatenate([new[1:], [True]])
    before = np.maximum.accumulate(np.where(new, np.arange(len(t)), 0))
    size = np.abs(forces).max(axis=0, initial=0.0) + 1e-300
    jumps = (np.abs(forces - forces[before]) > 1e-9 * size).any(axis=1)
    return new | (last & jumps)


def finer_settings(settings: RunSettings) -> RunSettings:
    """Those of the second run; UsageError where there can be none."""
    law = settings.controller
    if isinstance(law, Sampled) and not law.can_start_anew:
        raise UsageError(
            "estimate=True runs the controller a second time: a function that remembers something would go on where it was. Give "
            "gough.laws.Sampled(function, period, reset=…), which puts it back (reset=lambda: None where it remembers nothing)"
        )
    half = 0.5 * settings.taken_step
    if settings.method.adaptive:
        return replace(settings, step=half, tolerance=max(FINER * settings.tolerance, FINEST), check="off")
    return replace(settings, step=half, every=2 * settings.every, check="off")


def with_estimate(run: Run, other: Run, settings: RunSettings, finer: RunSettings) -> Run:
    """A run with its error estimated by another one that is finer."""
    if settings.method.adaptive:
        share, how = 1.0, f"a tolerance of {finer.tolerance:.3g} and steps up to {finer.taken_step:.3g} s"
    else:
        share, how = 1.0 / (1.0 - 0.5**settings.method.order), f"steps of {finer.taken_step:.6g} s"
    error = share * difference(run, other)
    return run.described(
        error_estimate=error, settings={**run.info.settings, "estimated_by": f"a second run with {how}"}
    )


def difference(run: Run, other: Run) -> float:
    """Largest difference of q at the stored times that both runs have: of lengths over the robot's size, of angles in rad, of
    elastic coordinates over a large amplitude."""
    t, last = np.unique(run.time[::-1], return_index=True)
    here = (len(run.time) - 1 - last)[t <= other.time[-1]]
    sizes = coordinate_sizes(run.model.mechanism, run.model.size)
    then = resample(other, t[t <= other.time[-1]], None, tell=False)
    return float((np.abs(run.q[here] - then.q) / sizes).max(initial=0.0))
