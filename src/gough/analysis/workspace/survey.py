"""Workspace: what a robot can reach within its limits and away from singularities, sampled in batches.

Samples are evaluated in chunks of bounded memory by a few threads (compiled code and LAPACK run in parallel), or by the workers
of a cluster.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.grids import home_coordinates, make_samples
from gough.analysis.workspace._growth import Seeds, default_ranges, seeds
from gough.analysis.workspace.result import Workspace
from gough.analysis.workspace.states import Settings, Surveyor, empty
from gough.arguments import a_model, checked, flag, mapping, number, numbers, whole
from gough.compilation.threads import calls_here
from gough.distribution import a_cluster, run_chunks
from gough.errors import UsageError, warn
from gough.model import Model

CHUNK = 4096
"""Samples at once in a thread; some megabytes for a hexapod. The same on every machine, so that results are."""
MOST_THREADS = 4


class PartialResultWarning(UserWarning):
    """A computation was interrupted; its result has only what was done."""


@checked(
    model=a_model,
    ranges=mapping(numbers),
    fixed=mapping(number()),
    random=whole(1),
    seed=whole(0, 2**63),
    orientations=numbers,
    every=flag,
    limits=flag,
    condition=number(0.0),
    keep_q=flag,
    cluster=a_cluster,
    mixed=flag,
    threads=whole(1, 1024),
    progress=flag,
)
def workspace(
    model: Model,
    ranges: Mapping[str, Any] | None = None,
    *,
    fixed: Mapping[str, float] | None = None,
    random: int | None = None,
    seed: int = 0,
    orientations: Sequence[Sequence[float]] | None = None,
    every: bool = True,
    limits: bool = True,
    condition: float = 0.01,
    keep_q: bool = False,
    cluster: Any = None,
    mixed: bool = False,
    threads: int | None = None,
    progress: bool | None = None,
) -> Workspace:
    """Survey the workspace of a model, from home's assembly.

    ranges: {coordinate: (low, high, points)}, a regular grid with both ends; coordinates are x y z yaw pitch roll of the
        platform (m, rad; R = Rz Ry Rx), joint coordinates or drives. Default: positions (else the independent joints)
        around home, as far as the robot reaches. With `random` samples: (low, high).
    fixed: values of other coordinates; what is named nowhere stays as at home.
    random: number of uniform random samples instead of a grid; `seed` chooses them.
    orientations: (k, 3) yaw pitch roll (rad), each tried at every sample; a sample is as good as the worst of them
        (every=True, the dexterous workspace) or as the best (every=False).
    limits: whether the description's limits (coordinates, strokes, cones) count.
    condition: smallest reciprocal condition, parallel and serial, of the singularity-free part.
    keep_q: keep the configurations (n, nq). cluster, mixed: as for `simulate_many`. threads: default one a core, at most 4.
        progress: a bar on stderr, default on a terminal.

    An interrupt (Ctrl-C) returns what is done, with `partial` set and a PartialResultWarning.
    """
    begin = time.perf_counter()
    if cluster is not None and threads is not None:
        raise UsageError("threads= is of this process; workers of a cluster have one each: leave it out")
    if not 0 <= condition < 1:
        raise UsageError(f"condition={condition}; give a reciprocal condition number from 0 to 1")
    settings = Settings(bool(limits), float(condition), _orientations(model, orientations), bool(every))
    held = dict(fixed or {})
    if settings.orientations is not None and (both := {"yaw", "pitch", "roll"} & {*(ranges or ()), *held}):
        raise UsageError(f"{', '.join(sorted(both))}: given beside orientations; leave it out there")
    chosen = default_ranges(model, held, settings, random is not None) if ranges is None else dict(ranges)
    samples = make_samples(model, chosen, held, random, seed)
    surveyor = Surveyor(model, samples, settings)
    out, q, partial = _run(surveyor, keep_q, progress, {"cluster": cluster, "mixed": mixed, "threads": threads})
    places = sorted(surveyor.places.all)
    order = np.array([places.index(name) for name in surveyor.places.all] + [-1], dtype=np.int16)
    out["place"] = order[out["place"]]
    if partial:
        warn("workspace: interrupted; the result has only what was done", PartialResultWarning)
    return Workspace(
        robot=model.robot.name,
        samples=samples,
        limits=settings.limits,
        condition=settings.condition,
        orientations=settings.orientations,
        every=settings.every,
        **out,
        place_names=tuple(places),
        loop_names=tuple(surveyor.loop_names),
        limit_names=surveyor.limit_names,
        limit_units=surveyor.limit_units,
        length=model.size,
        home=home_coordinates(model),
        partial=partial,
        seconds=time.perf_counter() - begin,
        q=q,
    )


@dataclass(frozen=True)
class SurveyWork:
    """A survey of samples, as it is done in chunks (begin, end); see `ChunkWork`. source: a surveyor, or seeds that lead one."""

    surveyor: Surveyor
    source: Surveyor | Seeds
    keep_q: bool

    def prepare(self) -> Callable[[tuple[int, int], Any], dict[str, Any]]:
        """The arrays of a chunk, with the names that its places are counted in."""

        def go(item: tuple[int, int], tick: Any) -> dict[str, Any]:
            with calls_here(steady=self.surveyor.samples.is_large):
                found, q = self.source.survey(self.surveyor.samples.coordinates(*item))
            more = {"q": q} if self.keep_q else {}
            return found | more | {"names": tuple(self.surveyor.places.all)}

        return go


def _run(
    surveyor: Surveyor, keep_q: bool, progress: bool | None, who: dict[str, Any]
) -> tuple[dict[str, np.ndarray], np.ndarray | None, bool]:
    """(arrays, q, interrupted). who: cluster, mixed and threads of `run_chunks`."""
    samples = surveyor.samples
    out, chunks = empty(samples.count), samples.chunks(CHUNK)
    q = np.full((samples.count, surveyor.model.layout.nq), np.nan) if keep_q else None
    who = who | {"threads": who["threads"] or min(os.cpu_count() or 1, MOST_THREADS)}
    try:
        with calls_here(steady=samples.is_large):
            source = seeds(surveyor) if surveyor.led else surveyor
        work = SurveyWork(surveyor, source, keep_q)
        with _bar(samples.count, progress) as advance, closing(run_chunks(work, chunks, **who)) as done:
            for number, found, _ in done:
                a, b = chunks[number]
                if q is not None:
                    q[a:b] = found["q"]
                order = np.array([*map(surveyor.places, found["names"]), -1], dtype=np.int16)
                found["place"] = order[found["place"]]
                for name in reversed(out):  # the verdict last: it says that a sample is done
                    out[name][a:b] = found[name]
                advance(b - a)
    except KeyboardInterrupt:
        return out, q, True
    return out, q, False


@contextmanager
def _bar(total: int, wanted: bool | None) -> Iterator[Callable[[int], None]]:
    """Gives a function which advances a progress bar."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda n: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("poses", total=total)
        yield lambda n: bar.advance(task, n)


def _orientations(model: Model, given: Any) -> np.ndarray | None:
    if given is None:
        return None
    if not model.geometry.legs_reach:
        raise UsageError(f"orientations: the platform of {model.robot.name} does not take any orientation")
    try:
        angles = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        angles = np.zeros((0, 0))
    if angles.ndim != 2 or angles.shape[-1] != 3 or not len(angles) or not np.isfinite(angles).all():
        raise UsageError("orientations: give rows (yaw, pitch, roll) in rad, for instance [(0, 0, 0), (0, 0.2, 0)]")
    return angles
