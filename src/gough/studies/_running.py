"""Running a study: chunks of designs by threads or a cluster, kept as parts, and the front as they come in.

A chunk is the same whoever does it: points of a sweep by their numbers, one start of gradients, a slice of a generation. What is
kept of it is written as a part before it counts, so that a run that was ended, however, goes on from there in the same folder.
"""

import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.threads import calls_here
from gough.distribution import PartFolder, open_cluster, run_chunks
from gough.errors import GoughError, UsageError
from gough.robot.writer import dumps
from gough.studies._pareto import ParetoFront, front_rows, take
from gough.studies.methods.descent import Descent, descend
from gough.studies.methods.evolution import FIRST, TURNS, Aim, choose_aims, generations, spread_points
from gough.studies.methods.sweep import SWEEPS, SweepPoints
from gough.studies.result import StudyResult
from gough.studies.study.evaluation import Evaluated, Evaluator

if TYPE_CHECKING:
    from gough.studies.study.cases import StudyCase
    from gough.studies.study.study import Study

BLOCK = 2**15
"""States that are held at once."""
CHUNK = 2**19
"""States of a chunk of a sweep: seconds of work."""
PARTS = 1_000_000
"""Of one run, at most."""
SLICE = 32
"""Designs of a generation that are one chunk."""
SAMPLED = 0.01
"""Part of a chunk's designs that keep: sample keeps beside the front."""
KEPT = ("x", "values", "constraints", "violation")
Arrays = dict[str, np.ndarray]


def states_per_design(evaluator: Evaluator) -> int:
    """Of all cases together, tolerances counted."""
    draws = 1 if evaluator.tolerances is None else len(evaluator.tolerances.deviations)
    return max(1, sum(case.count for case in evaluator.cases.values())) * draws


def evaluate_blocks(evaluator: Evaluator, x: np.ndarray, graded: bool) -> Evaluated:
    """Points (n, k), so many at once as memory allows."""
    step = max(1, BLOCK // states_per_design(evaluator))
    parts = [evaluator.evaluate(x[k : k + step], graded) for k in range(0, max(1, len(x)), step)]
    return parts[0] if len(parts) == 1 else Evaluated.join(parts)


@dataclass(frozen=True)
class StudyWork:
    """What workers do with chunks of a study: ("points", begin, end), ("start", k), ("aim", aim) or ("designs", x)."""

    study: "Study"

    def prepare(self) -> Any:
        """Chunks to arrays."""
        return self._do

    def _do(self, chunk: tuple[Any, ...], tick: Any) -> Arrays:
        study, evaluator = self.study, self.study.evaluator
        with calls_here(threads=1, steady=True), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            if chunk[0] == "points":
                x = sweep_points(study).at(*chunk[1:])
                return self._kept(evaluate_blocks(evaluator, x, False), int(chunk[1]))
            if chunk[0] == "start":
                return descent_arrays(self._descent(int(chunk[1])))
            if chunk[0] == "aim":
                return descent_arrays(self._follow(chunk[1]))
            return {name: getattr(evaluate_blocks(evaluator, chunk[1], True), name) for name in KEPT}

    def _descent(self, k: int) -> Descent:
        search, evaluator = self.study.search, self.study.evaluator
        space = evaluator.space
        points = SweepPoints(space, "sobol", max(search.starts, 1), search.seed)
        start = space.settle(space.start[None])[0] if k == 0 else points.at(k, k + 1)[0]
        return descend(evaluator, start, None, search.solver, search.iterations)

    def _follow(self, aim: Aim) -> Descent:
        """From a front: SLSQP unless another is asked for, as it stays near and needs a tenth of IPOPT's points there."""
        search = self.study.search
        solver = "slsqp" if search.solver == "auto" else search.solver
        return descend(self.study.evaluator, aim.start, aim.weights, solver, search.iterations, None, aim.shared)

    def _kept(self, found: Evaluated, number: int) -> Arrays:
        """What a part holds of a chunk, and how many designs there were: all, robots, feasible ones."""
        study, n = self.study, len(found.violation)
        counts = np.array([n, (found.violation == 0).sum(), found.feasible.sum()])
        rows = np.arange(n)
        if study.keep != "all":
            rows = np.flatnonzero(found.feasible) if study.evaluator.objectives else np.zeros(0, dtype=int)
            rows = rows[front_rows(study.evaluator.objective_values(found.values[rows]))]
        if study.keep == "sample":
            drawn = np.random.default_rng([study.search.seed, number]).random(n) < SAMPLED
            rows = np.union1d(rows, np.flatnonzero(drawn))
        kept = take(found, rows)
        return {"counts": counts} | {name: getattr(kept, name) for name in KEPT}


def descent_arrays(found: Descent) -> Arrays:
    """A descent as a part."""
    arrays = {name: getattr(found.evaluated, name) for name in KEPT}
    robot, good = bool(found.evaluated.violation[0] == 0), bool(found.evaluated.feasible[0])
    counts = np.array([found.evaluations, found.evaluations if robot else 0, int(good)])
    return arrays | {
        "counts": counts,
        "start": found.start,
        "success": np.array(found.success),
        "said": np.array(found.said),
    }


def demand_parts(count: int, what: str) -> None:
    """UsageError where a run has more parts than a folder should hold."""
    if count > PARTS:
        raise UsageError(f"search: {what} are {count:.3g} parts of a run, at most {PARTS}; ask for less")


def sweep_points(study: "Study") -> SweepPoints:
    """Of a study whose method is a sweep."""
    return SweepPoints(study.evaluator.space, study.search.method, study.search.count, study.search.seed)


def subject_of(study: "Study") -> dict[str, Any]:
    """All that parts follow from, as plain data."""
    e = study.evaluator
    tolerances = None
    if e.tolerances is not None:
        t = e.tolerances
        tolerances = [t.deviations.tolist(), t.quantile, sorted(t.of)]
    cases = {name: _case_subject(case) for name, case in e.cases.items()}
    return {
        "robot": dumps(study.robot),
        "velocities": str(e.space.model.velocities),
        "variables": [asdict(v) for v in e.space.variables],
        "cases": cases,
        "measures": [m.words for m in e.measures],
        "objectives": [asdict(o) for o in e.objectives],
        "constraints": [asdict(c) for c in e.constraints],
        "tolerances": tolerances,
        "search": asdict(study.search),
        "keep": study.keep,
    }


def _case_subject(case: "StudyCase") -> dict[str, Any]:
    wrench = case.wrench
    at_frames = {n: _listed(w) for n, w in wrench.items()} if isinstance(wrench, Mapping) else _listed(wrench)
    target, grid = case.target, case.grid
    return {
        "kind": case.kind,
        "names": list(case.names),
        "position": _listed(case.position),
        "velocity": None if case.sample is None else _listed(case.sample.velocity),
        "acceleration": None if case.sample is None else _listed(case.sample.acceleration),
        "time": _listed(case.time),
        "target": None if target is None else [target.kind, list(target.names), str(target.frame)],
        "grid": None if grid is None else [list(grid.names), [x.tolist() for x in grid.values]],
        "wrench": at_frames,
        "payload": _listed(case.added),
    }


def _listed(x: np.ndarray | None) -> Any:
    return None if x is None else np.asarray(x).tolist()


def run_study(study: "Study", folder: Any, cluster: Any, mixed: bool) -> StudyResult:
    """See `Study.run`."""
    began = time.perf_counter()
    store = None if folder is None else PartFolder(folder, "study", subject_of(study))
    gathered = _Gathered(study)
    partial = False
    try:
        with open_cluster(cluster) as workers:
            for found in _chunks(study, store, workers, mixed):
                gathered.add(found)
    except KeyboardInterrupt:
        partial = True
    return gathered.result(store, partial, time.perf_counter() - began)


def look_at_parts(study: "Study", folder: Path) -> StudyResult:
    """See `Study.look`."""
    if not (folder / "study.json").exists():
        raise UsageError(f"{folder} holds no run of a study; give the folder that `run` was given")
    began, gathered = time.perf_counter(), _Gathered(study)
    store = PartFolder(folder, "study", subject_of(study))
    for path in store.paths():
        found = store.read(int(path.stem.removeprefix("part")))
        if found is not None:
            gathered.add(found)
    return gathered.result(store, True, time.perf_counter() - began)


def _chunks(study: "Study", store: PartFolder | None, cluster: Any, mixed: bool) -> Iterator[Arrays]:
    """Arrays of all parts, as they come."""
    work, search = StudyWork(study), study.search
    options: dict[str, Any] = {"cluster": cluster, "mixed": mixed}
    if search.method in SWEEPS:
        total = sweep_points(study).total
        step = max(1, CHUNK // states_per_design(study.evaluator))
        demand_parts(-(-total // step), f"{total} designs")
        chunks = [("points", k, min(k + step, total)) for k in range(0, total, step)]
        yield from (done.result for done in run_chunks(work, chunks, store=store, **options))
    elif search.method == "gradient":
        demand_parts(search.starts, f"{search.starts} starts")
        chunks = [("start", k) for k in range(search.starts)]
        yield from (done.result for done in run_chunks(work, chunks, store=store, **options))
    else:
        yield from _evolved(study, work, store, options)


def _evolved(study: "Study", work: StudyWork, store: PartFolder | None, options: dict[str, Any]) -> Iterator[Arrays]:
    search, evaluator = study.search, study.evaluator
    front = _Gathered(study)

    def evaluate(number: int, x: np.ndarray) -> Evaluated:
        kept = None if store is None else store.read(number)
        if kept is not None and np.array_equal(kept["x"], x):
            return Evaluated(*(kept[name] for name in KEPT))
        slices = [("designs", x[k : k + SLICE]) for k in range(0, len(x), SLICE)]
        done = {d.number: d.result for d in run_chunks(work, slices, **options)}
        found = {name: np.concatenate([done[k][name] for k in sorted(done)]) for name in KEPT}
        if store is not None:
            store.keep(number, found)
        return Evaluated(*(found[name] for name in KEPT))

    def keep(found: Evaluated) -> Arrays:
        arrays = {name: getattr(found, name) for name in KEPT}
        front.add(arrays)
        return arrays

    graded = bool(search.polish) and not _why_no_gradients(evaluator)
    number = asked = 0
    for found in generations(evaluator, search.count, search.population, search.seed, evaluate):
        yield keep(found)
        number, asked = number + 1, asked + len(found.violation)
        if graded and asked >= search.count // FIRST and len(front.front):
            break
    left = [max(search.count - asked, 0), search.polish]
    for turn in range(TURNS if graded and len(front.front) else 0):
        count, aims = (-(-x // (TURNS - turn)) for x in left)
        left = [left[0] - count, left[1] - aims]
        chosen = choose_aims(front.front, aims, search.seed, turn)
        for arrays in _followed(work, chosen, number, store, options):
            front.add(arrays)
            yield arrays
        number += len(chosen)
        while count > 0:
            step = min(search.population, count)
            yield keep(evaluate(number, spread_points(front.front, evaluator.space, step, search.seed, number)))
            number, count = number + 1, count - step


def _followed(
    work: StudyWork, aims: list[Aim], number: int, store: PartFolder | None, options: dict[str, Any]
) -> Iterator[Arrays]:
    """Parts of descents in their order: those that are kept from `number` on, others as they are done."""
    kept = {k: None if store is None else store.read(number + k) for k in range(len(aims))}
    missing = [k for k, arrays in kept.items() if arrays is None]
    for done in run_chunks(work, [("aim", aims[k]) for k in missing], **options):
        kept[missing[done.number]] = done.result
        if store is not None:
            store.keep(number + missing[done.number], done.result)
    yield from (arrays for arrays in kept.values() if arrays is not None)


def _why_no_gradients(evaluator: Evaluator) -> str:
    try:
        evaluator.demand_gradients()
    except GoughError as problem:
        return str(problem)
    return ""


class _Gathered:
    """What came in so far."""

    def __init__(self, study: "Study") -> None:
        self.study, e = study, study.evaluator
        sizes = (len(e.space.variables), len(e.measures), len(e.constraint_names), len(e.objectives))
        self.front = ParetoFront.empty(*sizes)
        self.kept: list[Evaluated] = []
        self.counts = np.zeros(3, dtype=int)
        self.descents: list[tuple[np.ndarray, bool, str, int]] = []

    def add(self, arrays: Arrays) -> None:
        """A part."""
        e, found = self.study.evaluator, Evaluated(*(arrays[name] for name in KEPT))
        n = len(found.violation)
        own = np.array([n, (found.violation == 0).sum(), found.feasible.sum()])
        self.counts += arrays.get("counts", own).astype(int)
        if e.objectives:
            self.front = self.front.with_(found, e.objective_values(found.values))
        if self.study.keep != "front" or self.study.search.method == "gradient":
            self.kept.append(found)
        if "said" in arrays:
            self.descents.append(
                (arrays["start"], bool(arrays["success"]), str(arrays["said"]), int(arrays["counts"][0]))
            )

    def result(self, store: PartFolder | None, partial: bool, seconds: float) -> StudyResult:
        """All of it."""
        kept = Evaluated.join(self.kept) if self.kept else self.front.designs
        why = "" if self.study.search.method in SWEEPS else _why_no_gradients(self.study.evaluator)
        return StudyResult(
            self.study,
            self.front,
            kept,
            int(self.counts[0]),
            int(self.counts[1]),
            int(self.counts[2]),
            partial,
            seconds,
            None if store is None else store.folder,
            tuple(self.descents),
            why,
        )
