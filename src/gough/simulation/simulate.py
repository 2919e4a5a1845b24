"""One simulation: a robot, what drives it, a method; the result is a `Run`."""

import time as clock
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.modes import one_design
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
from gough.simulation.before_run import demand_choice, motion_events, state_events, told
from gough.simulation.control.law import Follow, Free, Law
from gough.simulation.control.replay import Replay
from gough.simulation.control.sampled import Sampled
from gough.simulation.integration.drive_led import first_velocity, led_by_drives, told_as
from gough.simulation.integration.estimate import estimated
from gough.simulation.integration.instant import Rows
from gough.simulation.integration.marching import MOST_STEPS, Loop, Marching, Stopped, moment_program
from gough.simulation.integration.marchings import marching_of
from gough.simulation.integration.pieces import OfSamples, OfTable, Pieces
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.smoothing import smoothed
from gough.simulation.integration.state import StateLayout
from gough.simulation.integration.wrenches import Wrenches
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.motion.report import spans
from gough.simulation.motion.table import table
from gough.simulation.results.crossings import crossings
from gough.simulation.results.run import Run
from gough.simulation.starting import starting_state

if TYPE_CHECKING:
    from gough.compilation import Model

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
    end the run; it keeps all it has, and `run.info.stopped` says why.
    """
    if estimate:
        asked = {**locals(), "estimate": False}
        return estimated(simulate, asked)
    made = _motion(motion)
    numbers = one_design(model, parameters)
    model, numbers, changed = smoothed(model, smoothing, made, numbers)
    law = controller if controller is not None else (Free() if made is None else _default(made))
    if not isinstance(law, Law):
        raise UsageError(
            f"controller={law!r}: give a law of gough.laws; a function as gough.laws.Sampled(function, period)"
        )
    law.check(model, made)
    law.settings(model)  # a bad gain is named before the motion is looked at
    asked = model
    if law.prescribed:
        model = led_by_drives(asked)
        v = first_velocity(asked, model, q, v, numbers)
    end = _duration(duration, made)
    demand_choice(check)
    warned = [] if check == "off" else told(model, motion_events(model, made, q, end), check)
    led = law.reference(model, made) if made is not None else None
    rows_table = None if led is None else table(led)
    held = isinstance(law, Sampled)
    rows = Rows("forces", len(model.mechanism.drives), 0) if held else Rows.of(rows_table)
    plant = Plant(model, law, rows, Wrenches.of(model, wrench))
    marching = marching_of(plant, method, numbers, step, tolerance, rho_infinity)
    marching.span, marching.most_steps = end, _most(most_steps)
    first = starting_state(plant, made, q, v, start, numbers)
    if check != "off":
        warned += told(model, state_events(plant, first, start, method, marching.step_size), check)
    began = clock.perf_counter()
    marching.compile()
    moment = Loop(moment_program(plant), numbers)
    _ = moment.march
    pieces: Pieces = OfTable(plant, rows_table, end)
    if isinstance(law, Sampled):
        pieces = OfSamples(plant, law, law.command(model, made, rows_table, numbers), end)
    compiled = clock.perf_counter()
    kept: list[Array] = []
    stopped = _through(marching, moment, pieces, first, end, kept, every, progress)
    computing = clock.perf_counter() - compiled - marching.compiled_late
    settings = {"method": method, "step": step, "tolerance": tolerance if marching.adaptive else None, "every": every}
    settings |= {} if rho_infinity is None else {"rho_infinity": rho_infinity}
    settings |= {"steps": marching.steps, "rejected": marching.rejected, "careful": marching.care_taken}
    settings |= {"smoothing": changed.plain()}
    return _run(
        plant,
        asked,
        np.concatenate(kept),
        None if parameters is None else numbers,
        tau_held=held,
        stopped=stopped,
        events=[*warned, *((t, f"leap: over a singularity of {place}") for t, place in marching.leaps)],
        settings=settings,
        motion=None if made is None else {"kind": made.kind, "duration": made.duration},
        controller=law.describe(),
        error_estimate=marching.error_estimate,
        computing_s=computing,
        compile_s=compiled - began + marching.compiled_late,
    )


def _through(
    marching: Marching,
    moment: Loop,
    pieces: Pieces,
    first: Array,
    end: float,
    kept: list[Array],
    every: int,
    progress: Callable[[float, float], None] | None,
) -> str:
    """Go through all pieces; returns why it ended."""
    n = marching.states.t + 3
    state = first
    try:
        while (piece := pieces.next(state)) is not None:
            row, jump = piece
            state = marching.piece(state, row, _keeper(kept, marching.states.t, row, end, progress), every)
            if jump:
                kept.append(moment(state[None, :n], 1, marching.given(row)).record[:, 0])
    except Stopped as problem:
        if not any(map(len, kept)):
            raise UsageError(f"the run cannot begin: {problem.why}") from problem
        return f"{problem.why} at t = {problem.time:.9g} s"
    except KeyboardInterrupt:
        if not any(map(len, kept)):
            raise
        last = next(records for records in reversed(kept) if len(records))
        return f"interrupted after t = {last[-1, marching.states.t]:.9g} s"
    return "finished"


def _keeper(
    kept: list[Array], place: int, row: Array, end: float, progress: Callable[[float, float], None] | None
) -> Callable[[Array], None]:
    """Keeps records of a piece, and tells how far it is; sums of steps may end a rounding error beyond the piece."""

    def keep(records: Array) -> None:
        records[:, place] = np.clip(records[:, place], row[0], row[1])
        kept.append(records)
        if progress is not None and len(records):
            progress(float(records[-1, place]), end)

    return keep


def _run(plant: Plant, asked: "Model", records: Array, parameters: Any, **info: Any) -> Run:
    model, states = plant.model, StateLayout(plant)
    s = states.split(records)
    nd = len(model.mechanism.drives)
    tau, vdot = records[:, states.size : states.size + nd], records[:, states.size + nd :]
    keep = np.flatnonzero(_distinct(s.t, records[:, states.size :]))
    numbers = model.parameters if parameters is None else parameters
    events, lost = crossings(model, s.t[keep], s.q[keep], s.v[keep], numbers)
    if lost is not None:
        keep = keep[: lost[0] + 1]
        info["stopped"] = f"branch:{lost[1]} goes on in another one behind a singularity at t = {s.t[keep[-1]]:.9g} s"
    recorded: dict[str, Any] = {f"work.{name}": (s.work[keep, k], "J") for k, name in enumerate(WORKS)}
    if plant.inner_size:
        names = tuple(f"controller.{x}" for x in plant.inner.names)
        recorded["controller.states"] = (s.inner[keep], plant.inner.units, names)
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
        events=sorted([*events, *_saturations(plant, s.t[keep], tau[keep]), *info.pop("events", ())]),
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


def _motion(motion: Motion | str | None) -> Motion | None:
    if isinstance(motion, str):
        from gough.simulation.motion.files import named_motion

        return named_motion(motion)
    if motion is not None and not isinstance(motion, Motion):
        raise UsageError(f"motion={motion!r}: give a gough.Motion, the name of a motion, or None")
    return motion


def _default(motion: Motion) -> Law:
    if motion.kind in ("drives", "forces"):
        return Follow() if motion.kind == "drives" else Replay()
    law = "ComputedTorque()" if motion.kind == "pose" else "JointPD(stiffness, damping)"
    word = "computed_torque" if motion.kind == "pose" else "'joint_pd: {stiffness: …, damping: …}'"
    raise UsageError(
        f"a motion of kind {motion.kind!r} needs a controller: drives follow only motions of kind 'drives' by themselves; "
        f"give one, for instance gough.laws.{law} (gough simulate: --controller {word}), or turn the motion into one of "
        f"the drives by gough.laws.drives_of(model, motion)"
    )


def _duration(duration: float | None, motion: Motion | None) -> float:
    if duration is None:
        if motion is None:
            raise UsageError("duration= is missing: without a motion nothing says how long to simulate")
        return float(motion.duration)
    if not np.isfinite(duration) or duration <= 0:
        raise UsageError(f"duration={duration!r}: give a positive number of seconds")
    if motion is not None and duration > motion.duration * (1 + 1e-12):
        raise UsageError(
            f"duration={duration} s is longer than the motion ({motion.duration:.9g} s); use motion.hold(…)"
        )
    return float(duration)


def _most(most_steps: int | None) -> int:
    if most_steps is None:
        return MOST_STEPS
    if not isinstance(most_steps, int) or most_steps < 1:
        raise UsageError(f"most_steps={most_steps!r}: give a positive whole number of steps")
    return most_steps
