"""Running a study: chunks of designs by threads or a cluster, kept as parts, and the front as they come in.

A chunk is the same whoever does it: points of a sweep by their numbers, one start of gradients, a slice of a generation. What is
kept of it is written as a part before it counts, so that a run that was ended, however, goes on from there in the same folder.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.threads import calls_here
from gough.distribution import PartFolder, open_cluster, run_chunks
from gough.errors import GoughError, UsageError, VariableWarning
from gough.robot.writer import dumps
from gough.studies._kept import KEPT, KeptDesigns
from gough.studies._pareto import ParetoFront, front_rows, take
from gough.studies.methods.descent import Descent, descend
from gough.studies.methods.evolution import generations, polish, polish_starts
from gough.studies.methods.sweep import SWEEPS, SweepPoints
from gough.studies.result import StudyResult
from gough.studies.study.evaluation import Evaluated, Evaluator

if TYPE_CHECKING:
    from gough.studies.study.cases import StudyCase
    from gough.studies.study.study import Study

BLOCK = 2**15
"""States that are held at once."""
CHUNK, FEWER = 2**16, 10_000
"""States of a chunk of a sweep, about a second of work; chunks beyond which they hold more."""
PARTS = 1_000_000
"""Of one run, at most."""
SLICE = 32
"""Designs of a generation that are one chunk."""
SAMPLED = 0.01
"""Part of a chunk's designs that keep: sample keeps beside the front."""
Tick = Callable[[float], None]
Arrays = dict[str, np.ndarray]


def states_per_design(evaluator: Evaluator) -> int:
    """Of all cases together, tolerances counted."""
    draws = 1 if evaluator.tolerances is None else evaluator.tolerances.count
    return max(1, sum(case.count for case in evaluator.cases.values())) * draws


def evaluate_blocks(evaluator: Evaluator, x: np.ndarray, graded: bool, tick: Tick) -> Evaluated:
    """Points (n, k), so many at once as memory allows."""
    step, parts = max(1, BLOCK // states_per_design(evaluator)), []
    for k in range(0, max(1, len(x)), step):
        tick(k / max(1, len(x)))
        parts.append(evaluator.evaluate(x[k : k + step], graded))
    return parts[0] if len(parts) == 1 else Evaluated.join(parts)


@dataclass(frozen=True)
class StudyWork:
    """What workers do with chunks of a study: ("points", begin, end), ("start", k), ("designs", x) or ("end", x, weights,
    reference), a polish of a point of the front."""

    study: "Study"

    def prepare(self) -> Any:
        """Chunks to arrays."""
        return self._do

    def _do(self, chunk: tuple[Any, ...], tick: Tick) -> Arrays:
        study, evaluator = self.study, self.study.evaluator
        with calls_here(threads=1, steady=True), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            if chunk[0] == "points":
                x = sweep_points(study).at(*chunk[1:])
                return self._kept(evaluate_blocks(evaluator, x, False, tick), int(chunk[1]))
            if chunk[0] == "start":
                return descent_arrays(self._descent(int(chunk[1]), tick))
            if chunk[0] == "end":
                return arrays_of(polish(evaluator, chunk[1:], study.search, tick)) | {"start": chunk[1]}
            return arrays_of(evaluate_blocks(evaluator, chunk[1], True, tick))

    def _descent(self, k: int, tick: Tick) -> Descent:
        search, evaluator = self.study.search, self.study.evaluator
        space = evaluator.space
        points = SweepPoints(space, "sobol", max(search.starts, 1), search.seed)
        start = space.settle(space.start[None])[0] if k == 0 else points.at(k, k + 1)[0]
        return descend(evaluator, start, None, search.solver, search.iterations, tick=tick)

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
        return {"counts": counts} | arrays_of(take(found, rows))


def arrays_of(found: Evaluated) -> Arrays:
    """Designs as a part."""
    return {name: getattr(found, name) for name in KEPT}


def descent_arrays(found: Descent) -> Arrays:
    """A descent as a part."""
    arrays = arrays_of(found.evaluated)
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
    cases = {name: _case_subject(case) for name, case in e.cases.items()}
    return {
        "robot": dumps(study.robot),
        "velocities": str(e.space.model.velocities),
        "variables": [asdict(v) for v in e.space.variables],
        "cases": cases,
        "measures": [m.words for m in e.measures],
        "objectives": [asdict(o) for o in e.objectives],
        "constraints": [asdict(c) for c in e.constraints],
        "tolerances": None if e.tolerances is None else e.tolerances.plain,
        "search": {key: x for key, x in asdict(study.search).items() if key != "budget"},
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


def run_study(study: "Study", folder: Any, cluster: Any, mixed: bool, budget: float | None) -> StudyResult:
    """See `Study.run`."""
    began = time.perf_counter()
    budget = study.search.budget if budget is None else budget
    until = None if budget is None else time.monotonic() + budget
    store = None if folder is None else PartFolder(folder, "study", subject_of(study))
    gathered = _Gathered(study, store)
    interrupted = False
    try:
        with open_cluster(cluster) as workers:
            run = _StudyRun(study, store, {"cluster": workers, "mixed": mixed, "until": until})
            for number, found in run.parts():
                gathered.add(number, found)
            late = run.is_short
    except KeyboardInterrupt:
        interrupted, late = True, False
    found = gathered.result(interrupted, late, time.perf_counter() - began)
    if not interrupted and found.hint:
        warnings.warn(f"{study.name}: {found.hint}", VariableWarning, stacklevel=3)
    return found


class _OutOfTimeError(Exception):
    """A generation that is not finished in time."""


class _StudyRun:
    """Parts of a run. options: of `run_chunks`; is_short: whether some are missing, because time was over."""

    def __init__(self, study: "Study", store: PartFolder | None, options: dict[str, Any]) -> None:
        self.study, self.store, self.options = study, store, options
        self.work, self.is_short = StudyWork(study), False

    def parts(self) -> Iterator[tuple[int, Arrays]]:
        """(number, arrays) of all parts, as they come."""
        study, search = self.study, self.study.search
        if search.method in SWEEPS:
            total = sweep_points(study).total
            step = max(1, CHUNK // states_per_design(study.evaluator), -(-total // FEWER))
            demand_parts(-(-total // step), f"{total} designs")
            yield from self._all([("points", k, min(k + step, total)) for k in range(0, total, step)])
        elif search.method == "gradient":
            demand_parts(search.starts, f"{search.starts} starts")
            yield from self._all([("start", k) for k in range(search.starts)])
        else:
            yield from self._evolved()

    def _all(self, chunks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Arrays]]:
        count = 0
        for done in run_chunks(self.work, chunks, store=self.store, **self.options):
            count += 1
            yield done.number, done.result
        self.is_short = count < len(chunks)

    def _evolved(self) -> Iterator[tuple[int, Arrays]]:
        search, evaluator = self.study.search, self.study.evaluator
        front, count = _Gathered(self.study, None), 0
        try:
            made = generations(evaluator, search.count, search.population, search.seed, self._generation)
            for count, found in enumerate(made, start=1):
                front.add(count - 1, arrays := arrays_of(found))
                yield count - 1, arrays
        except _OutOfTimeError:
            self.is_short = True
            return
        if search.polish and not _why_no_gradients(evaluator):
            yield from self._polished(polish_starts(evaluator, front.front, search.polish, search.seed), count)

    def _generation(self, number: int, x: np.ndarray) -> Evaluated:
        kept = None if self.store is None else self.store.read(number)
        if kept is not None and np.array_equal(kept["x"], x):
            return Evaluated(*(kept[name] for name in KEPT))
        slices = [("designs", x[k : k + SLICE]) for k in range(0, len(x), SLICE)]
        done = {d.number: d.result for d in run_chunks(self.work, slices, **self.options)}
        if len(done) < len(slices):
            raise _OutOfTimeError
        found = {name: np.concatenate([done[k][name] for k in sorted(done)]) for name in KEPT}
        if self.store is not None:
            self.store.keep(number, found)
        return Evaluated(*(found[name] for name in KEPT))

    def _polished(self, starts: list[tuple[np.ndarray, ...]], first: int) -> Iterator[tuple[int, Arrays]]:
        """Ends of descents from points of the front, as parts from number `first` on."""
        todo = []
        for k, start in enumerate(starts):
            kept = None if self.store is None else self.store.read(first + k)
            if kept is not None and np.array_equal(kept.get("start", ()), start[0]):
                yield first + k, kept
            else:
                todo.append(k)
        chunks, count = [("end", *starts[k]) for k in todo], 0
        for done in run_chunks(self.work, chunks, **self.options):
            number, count = first + todo[done.number], count + 1
            if self.store is not None:
                self.store.keep(number, done.result)
            yield number, done.result
        self.is_short = count < len(chunks)


def _why_no_gradients(evaluator: Evaluator) -> str:
    try:
        evaluator.demand_gradients()
    except GoughError as problem:
        return str(problem)
    return ""


class _Gathered:
    """What came in so far: the front, counts, and of designs that are kept those that no folder holds."""

    def __init__(self, study: "Study", store: PartFolder | None) -> None:
        self.study, self.store, e = study, store, study.evaluator
        sizes = (len(e.space.variables), len(e.measures), len(e.constraint_names), len(e.objectives))
        self.front = ParetoFront.empty(*sizes)
        self.numbers: list[int] = []
        self.held: list[Evaluated] = []
        self.counts = np.zeros(3, dtype=int)
        self.descents: list[tuple[np.ndarray, bool, str, int]] = []

    def add(self, number: int, arrays: Arrays) -> None:
        """A part."""
        e, found = self.study.evaluator, Evaluated(*(arrays[name] for name in KEPT))
        n = len(found.violation)
        own = np.array([n, (found.violation == 0).sum(), found.feasible.sum()])
        self.counts += arrays.get("counts", own).astype(int)
        if e.objectives:
            self.front = self.front.with_(found, e.objective_values(found.values))
        if self.study.keep != "front" or self.study.search.method == "gradient":
            self.numbers.append(number)
            if self.store is None:
                self.held.append(found)
        if "said" in arrays:
            self.descents.append(
                (arrays["start"], bool(arrays["success"]), str(arrays["said"]), int(arrays["counts"][0]))
            )

    def kept(self) -> KeptDesigns:
        """Designs that were kept, of which those of a folder stay there."""
        if not self.numbers:
            return KeptDesigns(None, (), (self.front.designs,))
        order = sorted(range(len(self.numbers)), key=self.numbers.__getitem__)
        held = tuple(self.held[k] for k in order) if self.store is None else ()
        return KeptDesigns(self.store, tuple(self.numbers[k] for k in order), held)

    def result(self, interrupted: bool, late: bool, seconds: float) -> StudyResult:
        """All of it."""
        return StudyResult(
            self.study,
            self.front,
            self.kept(),
            int(self.counts[0]),
            int(self.counts[1]),
            int(self.counts[2]),
            interrupted or late,
            seconds,
            None if self.store is None else self.store.folder,
            tuple(self.descents),
            "" if self.study.search.method in SWEEPS else _why_no_gradients(self.study.evaluator),
            late,
        )
