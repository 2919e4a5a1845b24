"""Phase 4 of a simulation: the `Run`, from the records of the time loop."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import RunWarning, warn
from gough.simulation.events import Ending, Event, Happening
from gough.simulation.integration.drive_led import convert_velocities
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.state import StateLayout
from gough.simulation.motion.report import spans
from gough.simulation.results.energies import energy_events
from gough.simulation.results.run import Run
from gough.simulation.results.tracking import recorded_reference, told_motion
from gough.simulation.run.setup import Setup

Array = np.ndarray
AT_LIMIT = 1e-9
"""Force below its limit, over the limit, that counts as at the limit."""


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


def gather(setup: Setup, outcome: Outcome) -> Run:
    """The run, told in the velocities of the model that was asked for; one that lost or won energy is warned about."""
    settings, plant, asked = setup.settings, setup.plant, setup.asked
    model, states, records = plant.model, StateLayout(plant), outcome.records
    s = states.split(records)
    nd = len(model.mechanism.drives)
    keep = np.flatnonzero(_distinct(s.t, records[:, states.size :]))
    tau, vdot = records[keep, states.size : states.size + nd], records[keep, states.size + nd :]
    t, q, v = s.t[keep], s.q[keep], s.v[keep]
    recorded: dict[str, Any] = {f"work.{name}": (s.work[keep, k], "J") for k, name in enumerate(WORKS)}
    if plant.inner_size:
        names = tuple(f"controller.{x}" for x in plant.inner.names)
        recorded["controller.states"] = (s.inner[keep], plant.inner.units, names)
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
        wrench=plant.wrenches.by_frame(),
        parameters=setup.design,
        tau_held=setup.held,
        recorded=recorded,
        stopped=outcome.stopped,
        ended=outcome.ending.plain(),
        events=sorted([*_saturations(plant, t, tau), *setup.events, *outcome.events]),
        settings={**settings.describe(), **outcome.counts, **setup.describe()},
        motion=told_motion(settings.motion),
        controller=plant.law.describe(),
        error_estimate=outcome.error_estimate,
        computing_s=outcome.computing_s,
        compile_s=outcome.compile_s,
    )
    unbalanced = energy_events(run)
    if not unbalanced:
        return run
    if settings.check != "off":
        warn(f"{model.robot.name}: {unbalanced[0][1]}", RunWarning)
    return run.described(events=tuple(sorted([*run.info.events, *unbalanced])))


def _saturations(plant: Plant, t: Array, tau: Array) -> Iterator[Event]:
    """(time, what) of the stretches in which a drive is at the limit that its law has."""
    if plant.law.limit is None:
        return
    layout = plant.model.layout
    for k, most in enumerate(plant.law.limits(plant.model)):
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
