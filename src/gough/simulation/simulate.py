"""One simulation: a robot, what drives it, a method; the result is a `Run`."""

import time as clock
from collections.abc import Callable, Iterator
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
from gough.errors import RunWarning, UsageError, warn
from gough.simulation.arguments import (
    MOST_EQUAL,
    MOST_SAMPLES,
    count,
    demand_callable,
    demand_room,
    demand_steps,
    duration_of,
    law_of,
    motion_of,
    parameters_of,
)
from gough.simulation.before_run import demand_choice, motion_events, state_events, told
from gough.simulation.control.law import Law
from gough.simulation.control.own_robot import OwnRobot, own_robot
from gough.simulation.control.sampled import Sampled
from gough.simulation.given import demand_model
from gough.simulation.integration.course import Course
from gough.simulation.integration.drive_led import first_velocity, led_by_drives, told_as
from gough.simulation.integration.estimate import estimated
from gough.simulation.integration.instant import Rows
from gough.simulation.integration.marching import MOST_STEPS, Marching, Stopped
from gough.simulation.integration.marchings import marching_of
from gough.simulation.integration.pieces import OfSamples, OfTable, Pieces
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.smoothing import smoothed
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.wrenches import Wrenches
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.motion.report import spans
from gough.simulation.motion.table import table
from gough.simulation.results.energies import energy_events
from gough.simulation.results.remedy import REMEDIES
from gough.simulation.results.run import Run
from gough.simulation.results.tracking import recorded_reference, told_motion
from gough.simulation.starting import starting_state

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
AT_LIMIT = 1e-9
"""Force below its limit, over the limit, that counts as at the limit."""


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
    tolerance: float = 1e-8,
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
    axes (N, N·m); controllers do not know of it. method: one of `METHODS` in `integration/methods.py`. tolerance: error of
    a step that is chosen by its error, of the robot's size; how well implicit methods solve their equations. step (s): of equal
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
    if not isinstance(estimate, bool):
        raise UsageError(f"estimate={estimate!r}: give True or False")
    if estimate:
        asked = {**locals(), "estimate": False}
        return estimated(simulate, asked)
    made = motion_of(motion)
    end, every = duration_of(duration, made), count("every", every, "states")
    demand_choice(check)
    design = parameters_of(model, parameters)
    described, numbers = model, np.array(model.parameters) if design is None else design
    model, numbers, changed = smoothed(model, smoothing, made, numbers)
    law = law_of(controller, made)
    own = own_robot(law, model, numbers[None], described, lambda x: smoothed(x, smoothing, made, x.parameters)[0])
    law.check(own.model, made)
    law.settings(model, own.model)  # a bad gain is named before the motion is looked at
    asked = model
    if law.prescribed:
        model = led_by_drives(asked)
        v = first_velocity(asked, model, q, v, numbers)
        own = OwnRobot(model, None, model)
    warned = [] if check == "off" else told(model, motion_events(model, made, q, end, numbers), check)
    led = law.reference(own.model, made, own.reference_numbers(numbers)) if made is not None else None
    rows_table = None if led is None else table(led)
    held = isinstance(law, Sampled)
    rows = Rows("forces", len(model.mechanism.drives), 0) if held else Rows.of(rows_table)
    plant = Plant(model, law, rows, Wrenches.of(model, wrench), own)

    def marching_for(plant: Plant) -> Marching:
        marching = marching_of(plant, method, numbers, step, tolerance, rho_infinity)
        marching.span = end
        _bound(marching, law, end, every, most_steps)
        return marching

    marching = marching_for(plant)
    first = starting_state(plant, made, q, v, start, numbers)
    if check != "off":
        warned += told(model, state_events(plant, first, start, method, marching.step_size, numbers), check)
    began = clock.perf_counter()
    kept: list[Array] = []
    course = Course(plant, marching, marching_for, _keeper(kept, StateLayout(plant).t, end, progress), every)
    pieces: Pieces = OfTable(plant, rows_table, end)
    if isinstance(law, Sampled):
        pieces = OfSamples(plant, law, law.command(model, made, rows_table, numbers, own), end)
    compiled, before = clock.perf_counter(), course.compile_s
    stopped = _through(course, pieces, first, kept)
    late = course.compile_s - before
    computing = clock.perf_counter() - compiled - late
    settings = {"method": method, "step": step, "tolerance": tolerance if marching.adaptive else None, "every": every}
    settings |= {} if rho_infinity is None else {"rho_infinity": rho_infinity}
    settings |= course.counts()
    settings |= {"smoothing": changed.plain()}
    settings |= {"believed": own.told(numbers)} if law.computes else {}
    run = _run(
        plant,
        asked,
        np.concatenate(kept),
        None if design is None else numbers,
        tau_held=held,
        stopped=stopped,
        events=[*warned, *course.events],
        settings=settings,
        motion=told_motion(made),
        reference=made,
        controller=law.describe(),
        error_estimate=course.error_estimate,
        computing_s=computing,
        compile_s=compiled - began + late,
    )
    unbalanced = energy_events(run)
    if not unbalanced:
        return run
    if check != "off":
        warn(f"{model.robot.name}: {unbalanced[0][1]}", RunWarning)
    return run.described(events=tuple(sorted([*run.info.events, *unbalanced])))


def _through(course: Course, pieces: Pieces, first: Array, kept: list[Array]) -> str:
    """Go through all pieces; returns why it ended."""
    try:
        course.through(pieces, first)
    except Stopped as problem:
        course.keep_last()
        if not any(map(len, kept)):
            raise UsageError(f"the run cannot begin: {problem.why}{_why_not(problem.why)}") from problem
        return f"{problem.why} at t = {problem.time:.9g} s"
    except KeyboardInterrupt:
        course.keep_last()
        if not any(map(len, kept)):
            raise
        return f"interrupted after t = {_last(kept, course.states.t):.9g} s"
    return "finished"


def _why_not(reason: str) -> str:
    """What more there is to say about a run that does not begin."""
    return next((f": {text}" for begin, text in REMEDIES.items() if begin != "step:" and reason.startswith(begin)), "")


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


def _run(plant: Plant, asked: "Model", records: Array, parameters: Any, **info: Any) -> Run:
    model, states = plant.model, StateLayout(plant)
    s = states.split(records)
    nd = len(model.mechanism.drives)
    tau, vdot = records[:, states.size : states.size + nd], records[:, states.size + nd :]
    keep = np.flatnonzero(_distinct(s.t, records[:, states.size :]))
    numbers = model.parameters if parameters is None else parameters
    recorded: dict[str, Any] = {f"work.{name}": (s.work[keep, k], "J") for k, name in enumerate(WORKS)}
    if plant.inner_size:
        names = tuple(f"controller.{x}" for x in plant.inner.names)
        recorded["controller.states"] = (s.inner[keep], plant.inner.units, names)
    recorded |= recorded_reference(asked.layout, info.pop("reference"), s.t[keep])
    v, vdot = s.v[keep], vdot[keep]
    if asked is not model:
        v, vdot = told_as(asked, model, s.q[keep], v, vdot, numbers)
    return Run.from_states(
        asked,
        s.t[keep],
        s.q[keep],
        v,
        tau[keep],
        acceleration=vdot,
        wrench=plant.wrenches.by_frame(),
        parameters=parameters,
        recorded=recorded,
        events=sorted([*_saturations(plant, s.t[keep], tau[keep]), *info.pop("events", ())]),
        **info,
    )


def _saturations(plant: Plant, t: Array, tau: Array) -> Iterator[tuple[float, str]]:
    """(time, what) of the stretches in which a drive is at the limit that its law has."""
    if plant.law.limit is None:
        return
    layout = plant.model.layout
    for k, most in enumerate(plant.law.limits(plant.model)):
        for first, last in spans(t, np.abs(tau[:, k]) >= most * (1 - AT_LIMIT)):
            name, unit = layout.drive_names[k], layout.drive_units[k]
            yield first, f"saturated: {name} at {most:g} {unit} until {last:.6g} s"


def _distinct(t: Array, forces: Array) -> Array:
    """Which records (n,) to keep: of those at one time the first and the last, and only one where nothing jumps."""
    new = np.concatenate([[True], np.diff(t) > 0])
    last = np.concatenate([new[1:], [True]])
    before = np.maximum.accumulate(np.where(new, np.arange(len(t)), 0))
    size = np.abs(forces).max(axis=0, initial=0.0) + 1e-300
    jumps = (np.abs(forces - forces[before]) > 1e-9 * size).any(axis=1)
    return new | (last & jumps)


def _bound(marching: Marching, law: Law, end: float, every: int, most_steps: int | None) -> None:
    """Let a run not begin that would not end, or not go into memory."""
    most = None if most_steps is None else count("most_steps", most_steps, "steps")
    marching.most_steps = MOST_STEPS if most is None else most
    if not marching.adaptive:
        most = MOST_EQUAL if most is None else most
        demand_room(min(end / marching.step_size, most) / every, marching.states.record_size)
    else:  # one that is asked to end after so many steps may begin
        most = MOST_STEPS if most is None else max(most, MOST_STEPS)
    demand_steps(marching.step_size, end, most, marching.adaptive)
    if isinstance(law, Sampled) and not end / law.period < MOST_SAMPLES:
        raise UsageError(
            f"period={law.period:g} s: {end:g} s are {end / law.period:.3g} samples, {MOST_SAMPLES:.3g} are the most; give a "
            "longer period"
        )
