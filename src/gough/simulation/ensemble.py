"""Many runs at once: other first states, other designs, the same motion; on the lanes of the CPU, several threads.

Runs are done in parts. A finished part is written to disk as it is (first aside, then renamed): an ensemble that was killed
goes on where it was. Parts that are there are not done again, parts that are not are done as if nothing had happened.
"""

import os
import time as clock
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.backends.llvm.march import March
from gough.errors import UsageError
from gough.simulation.control_sampled import Sampled
from gough.simulation.ensemble_parts import Parts, fingerprint
from gough.simulation.explicit import explicit_step
from gough.simulation.instant import Rows
from gough.simulation.law import Follow, Free, Law
from gough.simulation.marching import SLACK
from gough.simulation.motion import Motion
from gough.simulation.motion_table import MotionTable, table
from gough.simulation.plant import WORKS, Plant
from gough.simulation.state import StateLayout
from gough.simulation.tableaux import tableaux

if TYPE_CHECKING:
    from gough.compilation import Model

Array = np.ndarray
PART = 256
"""Runs of a part."""


@dataclass(frozen=True, eq=False)
class Ensemble:
    """time (m,): stored times, s. q (runs, m, nq), v (runs, m, nv), tau (runs, m, drives), works (runs, m, 3): J,
    of the drives, of losses and of wrenches.

    end_q, end_v: the last good state of every run. failed (runs,): when a run could not go on (s), NaN for those that finished.
    computing_s: time spent in this call; resumed: runs that were there already.
    """

    time: Array
    q: Array
    v: Array
    tau: Array
    works: Array
    end_q: Array
    end_v: Array
    failed: Array
    computing_s: float
    resumed: int

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.failed)


def simulate_many(
    model: "Model",
    q: Any,
    v: Any = None,
    motion: Motion | None = None,
    controller: Law | None = None,
    *,
    duration: float | None = None,
    parameters: Any = None,
    step: float = 1e-3,
    stored: int = 50,
    folder: str | Path | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ensemble:
    """Integrate many runs with equal steps (RK4).

    q (runs, nq) or (nq,), v (runs, nv) or (nv,), default at rest: first states. parameters (runs, n) or (n,): designs. motion,
    controller, duration: as for `simulate`. step (s): longest. stored: about how many states of each run are kept. folder: where
    parts are kept; with the same arguments again, finished parts are read instead of done. progress: called with (done, runs).
    """
    states, designs, runs = _broadcast(model, q, v, parameters)
    law = controller if controller is not None else (Free() if motion is None else Follow())
    if motion is None and duration is None:
        raise UsageError("duration= is missing: without a motion nothing says how long to simulate")
    end = float(motion.duration if duration is None and motion is not None else duration or 0.0)
    if not (np.isfinite(end) and end > 0 and np.isfinite(step) and step > 0):
        raise UsageError(f"duration={end}, step={step}: give positive numbers of seconds")
    law.check(model, motion)
    if isinstance(law, Sampled):
        raise UsageError(
            "many runs at once have no sampled controllers: their forces are computed outside of the time loop"
        )
    motion_table = None if motion is None else table(law.reference(model, motion))
    plant = Plant(model, law, Rows.of(motion_table))
    states = _with_inner(plant, states)
    plan = _Plan(plant, motion_table, end, step, stored)
    march = March(explicit_step(plant, tableaux()["rk4"], adaptive=False, uniform=designs is None))
    uniform = march.table({} if designs is not None else {"parameters": model.parameters})
    begins = list(range(0, runs, PART))
    mark = fingerprint(model, law.describe(), plan.key, states, designs)
    parts = Parts(None if folder is None else Path(folder), mark, len(begins))
    began = clock.perf_counter()
    done = {k: parts.read(k) for k in range(len(begins)) if parts.has(k)}
    resumed = sum(min(PART, runs - begins[k]) for k in done)

    def work(k: int) -> dict[str, Array]:
        rows = slice(begins[k], begins[k] + PART)
        found = plan.go(march, uniform, states[rows], None if designs is None else designs[rows])
        parts.write(k, found)
        return found

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        jobs = {pool.submit(work, k): k for k in range(len(begins)) if k not in done}
        try:
            for job in as_completed(jobs):
                done[jobs[job]] = job.result()
                if progress is not None:
                    progress(min(len(done) * PART, runs), runs)
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
    joined = {key: np.concatenate([done[k][key] for k in range(len(begins))]) for key in done[0] if key != "time"}
    return Ensemble(done[0]["time"], **joined, computing_s=clock.perf_counter() - began, resumed=resumed)


class _Plan:
    """Pieces, steps and stored states of every run."""

    def __init__(self, plant: Plant, motion_table: MotionTable | None, end: float, step: float, stored: int) -> None:
        self.plant, self.layout = plant, StateLayout(plant)
        self.pieces: list[tuple[Array, int, float]] = []  # row, steps, step
        if motion_table is None:
            rows = [plant.rows.stretch(0.0, end)]
        else:
            rows = [plant.rows.row(motion_table, k) for k in range(len(motion_table.breaks) - 1)]
        for row in rows:
            if row[0] >= end * (1 - 1e-12):
                break
            row[1] = min(row[1], end)
            steps = max(ceil((row[1] - row[0]) / step - SLACK), 1)
            self.pieces.append((row, steps, (row[1] - row[0]) / steps))
        total = sum(steps for _, steps, _ in self.pieces)
        self.every = max(total // max(stored, 1), 1)
        self.key = [end, step, stored, [row.tolist() for row, _, _ in self.pieces]]

    def go(self, march: March, uniform: Array, x: Array, designs: Array | None) -> dict[str, Array]:
        """All runs of one part, first states (runs, n)."""
        layout, t = self.layout, self.layout.t
        failed = np.full(len(x), np.nan)
        records, count = [], 0
        for row, steps, h in self.pieces:
            x[:, t], x[:, t + 1] = row[0], h
            first = -count % self.every + 1
            given = np.concatenate([row, [1.0, 1.0]])[None]
            found = march(x, steps, uniform, given, designs, every=self.every, first=first)
            count += steps
            rows = max(steps - first + self.every, 0) // self.every
            kept = np.full((rows, *found.record.shape[1:]), np.nan)
            kept[: len(found.record)] = found.record
            lost = found.failed >= 0
            when = row[0] + h * found.failed
            after = row[0] + h * (first - 1 + self.every * np.arange(rows))
            kept[(after[:, None] >= when) & lost] = np.nan
            kept[:, np.isfinite(failed)] = np.nan
            failed = np.where(np.isnan(failed) & lost, when, failed)
            records.append((after, kept))
            x = np.where(np.isfinite(failed)[:, None] & ~lost[:, None], x, found.state)
        time = np.concatenate([a for a, _ in records])
        stored = np.concatenate([b for _, b in records]).transpose(1, 0, 2)
        s, ends = layout.split(stored), layout.split(x)
        nd = len(self.plant.model.mechanism.drives)
        tau = stored[..., layout.size : layout.size + nd]
        out = {"time": time, "q": s.q, "v": s.v, "tau": tau, "works": s.work}
        return out | {"end_q": ends.q, "end_v": ends.v, "failed": failed}


def _broadcast(model: "Model", q: Any, v: Any, parameters: Any) -> tuple[Array, Array | None, int]:
    layout = model.layout
    first = _rows("q", q, layout.nq)
    rates = np.zeros((1, layout.nv)) if v is None else _rows("v", v, layout.nv)
    designs = None if parameters is None else _rows("parameters", parameters, len(model.parameters))
    sizes = {len(x) for x in (first, rates, *(() if designs is None else (designs,)))} - {1}
    if len(sizes) > 1:
        raise UsageError(f"q, v and parameters have {sorted(sizes)} rows; give the same number, or one for all")
    runs = sizes.pop() if sizes else 1
    if designs is not None:
        model.mechanism.table.guard(model.pattern)(designs)
        designs = np.broadcast_to(designs, (runs, designs.shape[1]))
    state = np.zeros((runs, layout.nq + layout.nv + len(WORKS) + 3))
    state[:, : layout.nq], state[:, layout.nq : layout.nq + layout.nv] = first, rates
    return state, designs, runs


def _with_inner(plant: Plant, states: Array) -> Array:
    """States (runs, n) with the law's own states at their first values."""
    if not plant.inner_size:
        return states
    nq, nv = plant.model.layout.nq, plant.model.layout.nv
    inner = [plant.law.inner(plant.model, x[:nq], x[nq : nq + nv]).first for x in states]
    return np.concatenate([states[:, :-3], np.array(inner), states[:, -3:]], axis=1)


def _rows(name: str, value: Any, size: int) -> Array:
    out = np.atleast_2d(np.asarray(value, dtype=float))
    if out.ndim != 2 or out.shape[1] != size or not np.isfinite(out).all():
        raise UsageError(f"{name}: give finite numbers (runs, {size}) or ({size},), not an array of shape {out.shape}")
    return out
