"""One simulation: a robot, what drives it, a method; the result is a `Run`. Four phases on settings that were checked."""

import time as clock
from collections.abc import Callable
from dataclasses import dataclass
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
    wrenches,
)
from gough.errors import UsageError
from gough.simulation.control.law import Law
from gough.simulation.control.sampled import Sampled
from gough.simulation.events import End, Ending
from gough.simulation.given import demand_callable, demand_model
from gough.simulation.integration.course import Course
from gough.simulation.integration.marching import MOST_STEPS, Marching
from gough.simulation.integration.pieces import PieceSource, TablePieces
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.sampling import SampledPieces, sampled_command
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.time_loop import RunStopped
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.results.remedy import ending_remedy
from gough.simulation.results.run import Run
from gough.simulation.run.estimate import finer_settings, with_estimate
from gough.simulation.run.gathering import Outcome, gather
from gough.simulation.run.settings import MOST_EQUAL, MOST_SAMPLES, RunSettings, demand_room, demand_steps
from gough.simulation.run.setup import Setup, settle

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
Progress = Callable[[float, float], None]


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
    wrench=wrenches,
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
    coordinates begin in static equilibrium. wrench: constant load from outside, (6,) on the platform or {frame: (6,)}, world
    axes (N, N·m); controllers do not know of it. method: one of `METHODS` in `integration/methods`. tolerance: error of
    a step that is chosen by its error, of the robot's size, and how well implicit methods solve their equations, default 1e-8;
    equal explicit steps have none. step (s): of equal
    steps, or the longest. rho_infinity: of "generalised_alpha", what is left of an infinitely fast vibration after a step, 0 … 1.
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
    demand_model(model, "simulate")
    demand_callable("progress", progress)
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
        setup = settle(model, settings, q, v, wrench, parameters)
        loop = compile_loop(setup, progress)
        return gather(setup, march(loop, setup))

    if not estimate:
        return simulated(settings)
    finer = finer_settings(settings)
    return with_estimate(simulated(settings), simulated(finer), settings, finer)


@dataclass(frozen=True, eq=False)
class RunLoop:
    """Machine code that goes through the pieces of a run. kept: records so far. compile_s: what it took to make."""

    course: Course
    pieces: PieceSource
    kept: list[Array]
    compile_s: float


def compile_loop(setup: Setup, progress: Progress | None) -> RunLoop:
    """Phase 2: the time loop of the method, and what gives it its pieces."""
    settings, plant, kept = setup.settings, setup.plant, []

    def marching_for(plant: Plant) -> Marching:
        marching = settings.method.marching(plant, setup.numbers, settings.taken_step, settings.tolerance)
        marching.span = settings.duration
        _bound(marching, settings)
        return marching

    marching = marching_for(plant)
    began = clock.perf_counter()
    course = Course(
        plant, marching, marching_for, _keeper(kept, StateLayout(plant).t, settings.duration, progress), settings.every
    )
    pieces: PieceSource = TablePieces(plant, setup.table, settings.duration)
    if isinstance(setup.law, Sampled):
        command = sampled_command(setup.law, setup.model, settings.motion, setup.table, setup.numbers, setup.own)
        pieces = SampledPieces(plant, setup.law, command, settings.duration)
    return RunLoop(course, pieces, kept, clock.perf_counter() - began)


def march(loop: RunLoop, setup: Setup) -> Outcome:
    """Phase 3: through all pieces, as far as it goes. What must be compiled on the way counts as compiling."""
    course, began = loop.course, clock.perf_counter()
    before = course.compile_s
    stopped, ending = _through(loop, setup.first)
    late = course.compile_s - before
    return Outcome(
        records=np.concatenate(loop.kept),
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
    course, kept = loop.course, loop.kept
    try:
        course.run_through(loop.pieces, first)
    except RunStopped as problem:
        course.keep_last()
        if not any(map(len, kept)):
            more = ending_remedy(problem.ending)
            raise UsageError(f"the run cannot begin: {problem.ending.why}{more and f': {more}'}") from problem
        return f"{problem.ending.why} at t = {problem.time:.9g} s", problem.ending
    except KeyboardInterrupt:
        course.keep_last()
        if not any(map(len, kept)):
            raise
        why = f"interrupted after t = {_last(kept, course.states.t):.9g} s"
        return why, Ending(End.INTERRUPTED, why)
    return "finished", Ending(End.FINISHED, "finished")


def _last(kept: list[Array], place: int) -> float:
    """The last time that is kept (s); -inf where there is none."""
    return next((float(records[-1, place]) for records in reversed(kept) if len(records)), -np.inf)


def _keeper(
    kept: list[Array], place: int, end: float, progress: Callable[[float, float], None] | None
) -> Callable[[Array], None]:
    """Keeps records, and tells how far it is."""

    def keep(records: Array) -> None:
        kept.append(records)
        if callable(progress) and len(records):
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
