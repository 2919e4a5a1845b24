"""One simulation: a robot, what drives it, a method; the result is a `Run`."""

import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.simulation.control_replay import Replay
from gough.simulation.control_sampled import Sampled
from gough.simulation.instant import Rows
from gough.simulation.law import Follow, Free, Law
from gough.simulation.marching import Explicit, Implicit, Loop, Marching, Stopped, moment_program
from gough.simulation.motion import Motion
from gough.simulation.motion_table import table
from gough.simulation.pieces import OfSamples, OfTable, Pieces
from gough.simulation.plant import WORKS, Plant
from gough.simulation.run import Run
from gough.simulation.starting import starting_state
from gough.simulation.state import StateLayout
from gough.simulation.tableaux import tableaux
from gough.simulation.wrenches import Wrenches

if TYPE_CHECKING:
    from gough.compilation import Model

Array = np.ndarray
LONGEST_STEP = 0.05
"""Longest step (s) of adaptive methods where none is given."""
FIXED_STEP = 1e-3
"""Step (s) of methods with equal steps where none is given."""


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
    every: int = 1,
    parameters: Any = None,
    progress: Callable[[float, float], None] | None = None,
) -> Run:
    """Integrate the robot's motion.

    motion: a `Motion` (kind "drives" without a controller: the drives follow it exactly, forces are results), the name of a
    paper's motion, or None: the drives give no force. controller: a law of `gough.laws`. duration (s): default the motion's.
    q (nq,), v (nv,): the first state, default where the motion starts, else home at rest. start: "given", or "static": elastic
    coordinates begin in static equilibrium. wrench: constant load from outside, (6,) on the platform or {frame: (6,)}, world
    axes (N, N·m); controllers do not know of it. method: "dp5" (steps by the error, `tolerance` relative to the robot's size),
    "rk4" (equal steps), "esdirk4", "sdirk2" (implicit, for stiff robots; equal steps). step (s): of equal steps, or the longest.
    every: keep one state of so many. progress: called with (time reached, duration). Ctrl-C, a singularity or a step too small
    end the run; it keeps all it has, and `run.info.stopped` says why.
    """
    made = _motion(motion)
    law = controller if controller is not None else (Free() if made is None else _default(made))
    if not isinstance(law, Law):
        raise UsageError(
            f"controller={law!r}: give a law of gough.laws; a function as gough.laws.Sampled(function, period)"
        )
    law.check(model, made)
    end = _duration(duration, made)
    led = law.reference(model, made) if made is not None else None
    rows_table = None if led is None else table(led)
    held = isinstance(law, Sampled)
    rows = Rows("forces", len(model.mechanism.drives), 0) if held else Rows.of(rows_table)
    plant = Plant(model, law, rows, Wrenches.of(model, wrench))
    numbers = model.parameters if parameters is None else np.asarray(parameters, dtype=float)
    marching = _marching(plant, method, numbers, step, tolerance)
    first = starting_state(plant, made, q, v, start, numbers)
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
    computing = clock.perf_counter() - compiled
    settings = {"method": method, "step": step, "tolerance": tolerance if marching.adaptive else None, "every": every}
    settings |= {"steps": marching.steps, "rejected": marching.rejected}
    return _run(
        plant,
        np.concatenate(kept),
        parameters,
        tau_held=held,
        stopped=stopped,
        settings=settings,
        motion=None if made is None else {"kind": made.kind, "duration": made.duration},
        controller=law.describe(),
        computing_s=computing,
        compile_s=compiled - began,
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


def _run(plant: Plant, records: Array, parameters: Any, **info: Any) -> Run:
    model, states = plant.model, StateLayout(plant)
    s = states.split(records)
    nd = len(model.mechanism.drives)
    tau, vdot = records[:, states.size : states.size + nd], records[:, states.size + nd :]
    keep = _distinct(s.t, records[:, states.size :])
    recorded: dict[str, Any] = {f"work.{name}": (s.work[keep, k], "J") for k, name in enumerate(WORKS)}
    if plant.inner_size:
        names = tuple(f"controller.{x}" for x in plant.inner.names)
        recorded["controller.states"] = (s.inner[keep], plant.inner.units, names)
    return Run.from_states(
        model,
        s.t[keep],
        s.q[keep],
        s.v[keep],
        tau[keep],
        acceleration=vdot[keep],
        wrench=plant.wrenches.by_frame(),
        parameters=parameters,
        recorded=recorded,
        **info,
    )


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
        from gough.simulation.motion_file import named_motion

        return named_motion(motion)
    if motion is not None and not isinstance(motion, Motion):
        raise UsageError(f"motion={motion!r}: give a gough.Motion, the name of a motion, or None")
    return motion


def _default(motion: Motion) -> Law:
    if motion.kind in ("drives", "forces"):
        return Follow() if motion.kind == "drives" else Replay()
    raise UsageError(
        f"a motion of kind {motion.kind!r} needs a controller: drives follow only motions of kind 'drives' by themselves"
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


def _marching(plant: Plant, method: str, numbers: Array, step: float | None, tolerance: float) -> Marching:
    known = tableaux()
    if method not in known:
        raise UsageError(f"method={method!r}; use one of {', '.join(known)}")
    if step is not None and (not np.isfinite(step) or step <= 0):
        raise UsageError(f"step={step!r}: give a positive number of seconds")
    if not 1e-14 <= tolerance <= 1e-1:
        raise UsageError(f"tolerance={tolerance!r}: give a number between 1e-14 and 0.1")
    t = known[method]
    if t.gamma:
        return Implicit(plant, t, numbers, FIXED_STEP if step is None else step, tolerance)
    longest = (LONGEST_STEP if len(t.error) else FIXED_STEP) if step is None else step
    return Explicit(plant, t, numbers, longest, tolerance)
