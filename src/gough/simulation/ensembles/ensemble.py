"""Many runs at once: other first states, designs and loads, the same motion; on the lanes and threads of a CPU, or on a GPU.

Runs are done in parts, by the threads of this process or the workers of a cluster. A finished part is written to disk as it is
(first aside, then renamed): an ensemble that was killed goes on where it was. Parts that are there are not done again, parts that
are not are done as if nothing had happened. States in a folder stay there until they are asked for.
"""

import time as clock
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import (
    a_law,
    a_model,
    a_motion,
    callback,
    checked,
    demand_one_of,
    design,
    flag,
    folder,
    instance,
    number,
    numbers,
    picture,
    several,
    whole,
    word,
    wrenches_in_time,
)
from gough.distribution import PartFolder, a_cluster
from gough.errors import RunWarning, UsageError, warn
from gough.simulation.control.instant import MotionRows
from gough.simulation.control.law import Law
from gough.simulation.control.own_robot import OwnRobot, own_robot
from gough.simulation.control.sampled import Sampled
from gough.simulation.ensembles._bands import Band, band_of, largest_errors
from gough.simulation.ensembles._doubts import long_steps, tell_doubts
from gough.simulation.ensembles._plan import SIGNALS, EnsemblePlan, Loads
from gough.simulation.ensembles._plot import draw_bands
from gough.simulation.ensembles._records import STORED, RunRecords
from gough.simulation.ensembles._start import demand_room, designs_of, first_states
from gough.simulation.ensembles._work import DEVICES, EnsembleWork, do_parts, part_of, part_subject, telling
from gough.simulation.ensembles.vary import Varied
from gough.simulation.events import Event, Happening
from gough.simulation.integration.crossing import distances_of
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.integration.smoothing import Smoothing, smooth_friction
from gough.simulation.motion.motion import LONGEST, Motion
from gough.simulation.motion.table import table
from gough.simulation.results.energies import energy_events, imbalance
from gough.simulation.results.run import Run
from gough.simulation.results.tracking import Tracking, recorded_reference, told_motion
from gough.simulation.run.clocks import law_in_loop, with_fitting_step
from gough.simulation.run.settings import MOST_EQUAL, RunSettings, demand_steps
from gough.simulation.run.setup import unstable_loop
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model import Model

__all__ = ["Ensemble", "simulate_many"]
Array = np.ndarray
LOOKS_MANY = 8
"""States of every run in which the energy balance is looked at."""


@dataclass(frozen=True, eq=False)
class EnsembleSubject:
    """What was simulated: the model, designs (runs, n) or None, loads, law and its robot, motion. info: as a run has it. signals:
    channels of sensors and controllers, see `Law.signals`."""

    model: "Model"
    designs: Array | None
    loads: Loads
    believed: OwnRobot
    law: Law
    motion: Motion | None
    info: Mapping[str, Any]
    signals: Mapping[str, Any] = field(default_factory=dict)

    def told_signals(self, stored: Array) -> dict[str, Any]:
        """Channels of what was stored (m, n) of them, as a `Run` takes them."""
        out, at = {}, 0
        for name, (places, units, columns) in self.signals.items():
            out[name] = stored[:, at : at + len(places)], units, columns
            at += len(places)
        return out

    def of(self, k: int, times: Array) -> dict[str, Any]:
        """parameters and wrench of run k at times (m,), as a `Run` takes them."""
        wrench = self.loads.wrenches.by_frame(times, k)
        design = None if self.designs is None else self.designs[k]
        info = dict(self.info)
        if self.law.computes:
            info["settings"] = {**info["settings"], "believed": self.believed.describe(design)}
        return {"parameters": design, "wrench": wrench, **info}

    def own(self, runs: int) -> Array | None:
        """What every run has for itself (runs, k): loads, then its design."""
        parts = [self.loads.own(runs)] if self.loads.differ else []
        parts += [] if self.designs is None else [self.designs]
        return np.concatenate([np.broadcast_to(x, (runs, x.shape[1])) for x in parts], axis=1) if parts else None

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class Ensemble:
    """time (m,): stored times, s. q (runs, m, nq), v (runs, m, nv), tau (runs, m, drives), works (runs, m, 3): J,
    of the drives, of losses and of wrenches.

    end_q, end_v: the last good state of every run. failed (runs,): when a run could not go on (s), NaN for those that finished.
    varied: {name: (runs,)} of what `vary` changed, the numbers themselves (SI), not factors. computing_s: spent in this call;
    resumed: runs that were there already.
    `run(k)` is one of them with named channels, `for run in ensemble` gives one after the other; `energy_error`, `crossed`: which
    of them are to be doubted. Of runs in a folder, q, v, tau and works are read when they are first asked for; single runs and
    doubts never take more memory than a part.
    """

    time: Array
    end_q: Array
    end_v: Array
    failed: Array
    computing_s: float
    resumed: int
    records: RunRecords = field(repr=False)
    varied: Mapping[str, Array] = field(default_factory=dict)
    subject: "EnsembleSubject | None" = None

    @cached_property
    def q(self) -> Array:
        """Stored configurations (runs, m, nq)."""
        return self.records.join_runs("q")

    @cached_property
    def v(self) -> Array:
        """Stored velocities (runs, m, nv)."""
        return self.records.join_runs("v")

    @cached_property
    def tau(self) -> Array:
        """Stored drive forces (runs, m, drives)."""
        return self.records.join_runs("tau")

    @cached_property
    def works(self) -> Array:
        """Stored works (runs, m, 3): J, of the drives, of losses and of wrenches."""
        return self.records.join_runs("works")

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.failed)

    @cached_property
    def energy_error(self) -> Array:
        """Energy error (runs,) of every run at the states it stored, over what it exchanges; NaN where none is known."""
        if self.subject is None or not self.runs:
            return np.full(self.runs, np.nan)
        model, designs = self.subject.model, self.subject.designs
        at, out = np.unique(np.linspace(0, len(self.time) - 1, LOOKS_MANY).astype(int)), np.full(self.runs, np.nan)
        for rows, x in self.records.pieces(("q", "v", "works")):
            numbers = model.parameters if designs is None else designs[rows]
            error, scale = imbalance(model, x["q"][:, at], x["v"][:, at], x["works"][:, at], numbers)
            known = np.asarray(np.isfinite(error).any(axis=1))
            largest = np.nanmax(np.where(known[:, None], np.abs(error), 0.0), axis=1)
            out[rows] = np.where(known, largest / scale, np.nan)
        return out

    @cached_property
    def crossed(self) -> Array:
        """Whether (runs,) a run went through a singular pose of its loops between two stored states."""
        return np.asarray(self._crossings.any(axis=1))

    @cached_property
    def _crossings(self) -> Array:
        """Between which stored states (runs, m - 1) a run went through a singular pose."""
        out = np.zeros((self.runs, max(len(self.time) - 1, 0)), dtype=bool)
        if self.subject is None or not self.subject.model.mechanism.selection.blocks or not out.size:
            return out
        model, designs = self.subject.model, self.subject.designs
        for rows, x in self.records.pieces(("q",)):
            q = x["q"]
            numbers = model.parameters if designs is None else np.repeat(designs[rows], q.shape[1], axis=0)
            found = distances_of(model, q.reshape(-1, model.layout.nq), numbers)[1]
            signs = np.sign(found.reshape(*q.shape[:2], -1))
            out[rows] = (signs[:, 1:] * signs[:, :-1] < 0).any(axis=2)
        return out

    def band(self, channel: str, percent: Sequence[float] = (5.0, 50.0, 95.0)) -> Band:
        """Below which values of a channel these shares (%) of the runs lie, at every stored time."""
        return band_of(self, channel, percent)

    @cached_property
    def tracking(self) -> Tracking:
        """Largest distance of every run from its motion, of its stored states: {"m": (runs,), "rad": (runs,)}; see `Tracking`.

        Between stored states it may be more; a RunWarning tells where that seems more than 1 %: give a larger `stored`."""
        return largest_errors(self)

    @checked(names=word, percent=several(number()), path=picture, title=word)
    def plot(
        self,
        *names: str,
        percent: Sequence[float] = (5.0, 95.0),
        path: str | Path | None = None,
        title: str | None = None,
    ) -> Any:
        """Bands of channels over time, one panel a channel and unit, as a matplotlib figure: medians, and what lies between two
        shares (%) of the runs; path: written there too. names: channels; default: drives, their forces, elastic coordinates and
        the distance from the motion."""
        if len(percent) != 2:
            raise UsageError(f"percent={percent!r}: give two numbers, 0 ≤ low < high ≤ 100")
        return draw_bands(self, names, (float(percent[0]), float(percent[1])), path, title)

    def __iter__(self) -> Iterator["Run"]:
        return (self.run(k) for k in range(self.runs))

    def run(self, k: int) -> "Run":
        """Run k as a `Run`: the states it stored."""
        if self.subject is None or not -self.runs <= k < self.runs:
            raise UsageError(f"there is no run {k}; this ensemble has {self.runs}")
        k %= self.runs
        stored = self.records.one_run(k)
        good = np.isfinite(stored["q"]).all(axis=1)
        stopped = "finished" if np.isnan(self.failed[k]) else f"failed at t = {self.failed[k]:.9g} s"
        works: dict[str, Any] = {f"work.{name}": (stored["works"][good, i], "J") for i, name in enumerate(WORKS)}
        rows = (self.time[good], *(stored[name][good] for name in ("q", "v", "tau")))
        if SIGNALS in stored:
            works |= self.subject.told_signals(stored[SIGNALS][good])
        works |= recorded_reference(self.subject.model.layout, self.subject.motion, self.time[good])
        crossed = [
            Event(
                self.time[i + 1],
                Happening.CROSSED,
                f"a singularity after {self.time[i]:.6g} s; what follows is not exact",
            )
            for i in np.flatnonzero(self._crossings[k])
        ]
        more = {"recorded": works, "stopped": stopped, "events": crossed, **self.subject.of(k, self.time[good])}
        made = Run.from_states(self.subject.model, *rows, **more)
        return made.described(events=tuple(sorted([*crossed, *energy_events(made)])))

    __repr__ = short_repr


@checked(
    model=a_model,
    q=numbers,
    v=numbers,
    motion=a_motion | word,
    controller=a_law,
    duration=number(above=0, most=LONGEST),
    parameters=design,
    wrench=wrenches_in_time,
    smoothing=word | numbers,
    start=word,
    step=number(above=0),
    stored=whole(1),
    device=word,
    folder=folder,
    cluster=a_cluster,
    mixed=flag,
    threads=whole(1),
    progress=flag | callback,
    vary=instance("gough.simulation.ensembles.vary.Varied", "what gough.vary makes"),
)
def simulate_many(
    model: "Model",
    q: Any = None,
    v: Any = None,
    motion: Motion | str | None = None,
    controller: Law | None = None,
    *,
    duration: float | None = None,
    parameters: Any = None,
    wrench: Any = None,
    vary: Varied | None = None,
    start: str = "given",
    step: float = 1e-3,
    stored: int = 50,
    smoothing: Any = "auto",
    device: str = "cpu",
    folder: str | Path | None = None,
    cluster: Any = None,
    mixed: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], None] | bool | None = None,
) -> Ensemble:
    """Integrate many runs with equal steps (RK4).

    q (runs, nq) or (nq,), v (runs, nv) or (nv,): first states, default where the motion begins, else home at rest; start:
    "static" for elastic coordinates in equilibrium. parameters (runs, n) or (n,): designs. wrench: loads, (6,) or (runs, 6)
    on the platform or {frame: such}, or loads of `gough.loads` over time in their place.
    vary: numbers by name, of `gough.vary.monte_carlo` or `gough.vary.sweep`. motion,
    controller, duration, smoothing: as for `simulate`. step (s): longest. stored: about how many states of each run are kept,
    the last one in any case.
    device: "cpu", or "cuda" for an NVIDIA GPU (CuPy). folder: where parts are kept; with the same arguments again, finished parts
    are read instead of done, and states stay there until they are asked for. cluster: "local:N" for N processes, the address of a
    Dask scheduler or a Client (docs/cluster.md): the same results; mixed: of several kinds of machines, which differ in the last
    bits. threads: of this process, default all cores. progress: called with (done, runs); True: a bar on terminals.
    """
    settings = RunSettings.of(motion, controller, duration, "rk4", start=start, step=step, smoothing=smoothing)
    end, step = settings.duration, settings.taken_step
    law = law_in_loop(settings.controller, settings.method, model, settings.motion)
    demand_steps(step, end, MOST_EQUAL, False)
    demand_one_of("device", device, DEVICES)
    if isinstance(law, Sampled):
        raise UsageError(
            f"many runs at once ask no function for forces between the steps, and this one must be called: {law.called}; write "
            "it as a formula of t, q, v and the motion, or as a law (docs/extending/controller.md)"
        )
    if cluster is not None and threads is not None:
        raise UsageError("threads= is of this process; workers of a cluster have one each: leave it out")
    demand_room(model, (q, v, parameters, vary), end / step, stored, folder is not None)
    subject, plan, states = _settled(model, settings, (q, v), wrench, parameters, vary, stored)
    subject.info["settings"]["device"] = device
    own, runs = subject.own(len(states)), len(states)
    kept = None
    if folder is not None:
        kept = PartFolder(folder, "ensemble", part_subject(subject, plan, device, states, own))
    names = (*STORED, *([SIGNALS] if plan.signals else []))
    records, resumed, began = RunRecords(runs, part_of(runs), kept, names), 0, clock.perf_counter()
    work = EnsembleWork(plan, device, subject.model.parameters if subject.designs is None else None)
    who = {"cluster": cluster, "mixed": mixed, "threads": threads}
    with telling(progress) as tell, closing(do_parts(work, states, own, kept, who, tell)) as parts:
        for part in parts:
            records.put(part.number, part.result)
            resumed += len(part.result["failed"]) if part.kept else 0
    found = {name: records.arrays[name] for name in ("time", "end_q", "end_v", "failed")}
    spent = clock.perf_counter() - began - work.compiling_s
    varied = {} if vary is None else vary.told(subject.model, subject.designs)
    made_runs = Ensemble(**found, computing_s=spent, resumed=resumed, records=records, varied=varied, subject=subject)
    tell_doubts(made_runs)
    return made_runs


def _settled(
    model: "Model",
    settings: RunSettings,
    given: tuple[Any, Any],
    wrench: Any,
    parameters: Any,
    vary: Varied | None,
    stored: int,
) -> tuple[EnsembleSubject, EnsemblePlan, Array]:
    """(the robots that run, what all runs share, first states (runs, n)); given: q and v."""
    motion, law = settings.motion, law_in_loop(settings.controller, settings.method, model, settings.motion)
    settings = with_fitting_step(settings, law, model)
    described, designs = model, designs_of(model, parameters, vary)
    model, designs, changed = _smoothed(model, settings.smoothing, motion, designs)
    believed = own_robot(law, model, designs, described, lambda x: _smoothed(x, settings.smoothing, motion, None)[0])
    law.check(believed.model, motion)
    motion_table = None
    if motion is not None:
        alike = None if designs is None or len(np.unique(designs, axis=0)) > 1 else designs[0]
        motion_table = table(law.reference(believed.model, motion, believed.reference_numbers(alike)))
    loads = Loads.of(model, wrench if vary is None else vary.loads(model, wrench))
    plant = Plant(model, law, MotionRows.of(motion_table), loads.wrenches, believed)
    states = first_states(plant, motion, given, settings.start, designs, loads, vary)
    plant = plant.plant_for(states[:, : model.layout.nq], model.parameters[None] if designs is None else designs)
    if designs is not None:
        designs = np.broadcast_to(designs, (len(states), designs.shape[1]))
    told = {"method": settings.method.name, "step": settings.step, "smoothing": changed.plain()}
    info = {"settings": told, "controller": law.describe(), "motion": told_motion(motion)}
    numbers = np.array(model.parameters) if designs is None else designs[0]
    loop = unstable_loop(plant, motion_table, states[0], numbers, settings.duration)
    late = loads.wrenches.coarse_steps(settings.taken_step), loads.wrenches.late_loads(settings.duration)
    long = long_steps(plant, settings, states, numbers[None] if designs is None else designs)
    for text in (f"control, run 0: {loop}" if loop else "", *late, long):
        if text:
            warn(f"{model.robot.name}: {text}", RunWarning)
    plan = EnsemblePlan(plant, motion_table, settings.duration, settings.taken_step, stored, loads)
    subject = EnsembleSubject(model, designs, loads, believed, law, motion, info, plan.signals)
    return subject, plan, states


def _smoothed(
    model: "Model", smoothing: Any, motion: Motion | None, designs: Array | None
) -> tuple["Model", Array | None, Smoothing]:
    """The model whose Coulomb friction is smoothed as `simulate` does it, the designs with its widths, what was changed."""
    made, _, told = smooth_friction(model, smoothing, motion, np.array(model.parameters))
    if designs is None or made is model:
        return made, designs, told
    changed = np.flatnonzero(made.parameters != model.parameters)
    designs = designs.copy()
    designs[:, changed] = made.parameters[changed]
    return made, designs, told
