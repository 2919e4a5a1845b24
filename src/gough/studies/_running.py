"""Running a study: chunks of designs by threads or a cluster, kept as parts, and the front as they come in.

A chunk is the same whoever does it: points of a sweep by their numbers, one start of gradients, a slice of a generation. What is
kept of it is written as a part before it counts, so that a run that was ended, however, goes on from there in the same folder.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.distribution import PartFolder, open_cluster, run_chunks
from gough.errors import GoughError, RunWarning, UsageError, VariableWarning, warn
from gough.robot.files import content_mark, files_in
from gough.robot.writer import document, yaml_text
from gough.studies._chunks import (
    Arrays,
    StudyWork,
    arrays_of,
    choose_screen,
    designs_of_chunk,
    designs_of_slice,
    sweep_points,
)
from gough.studies._folder import save_asked
from gough.studies._kept import KEPT, KeptDesigns
from gough.studies._pareto import ParetoFront, front_rows, take
from gough.studies.methods.descent import NO_SLOPES
from gough.studies.methods.evolution import FIRST, TURNS, Aim, choose_aims, generations, spread_points
from gough.studies.methods.forecast import CANDIDATES, KnownDesigns
from gough.studies.methods.sweep import SWEEPS
from gough.studies.result import StudyResult
from gough.studies.study.evaluation import Evaluated, Evaluator
from gough.studies.study.hints import hint_of_constraints

if TYPE_CHECKING:
    from gough.robot.robot import Robot
    from gough.studies.study.cases import StudyCase
    from gough.studies.study.study import Study

PARTS = 1_000_000
"""Of one run, at most."""


Tell = Callable[[int, int, int], None]
"""Takes how many designs there are, how many take all states, and how many keep their constraints, as they come in."""


def demand_parts(count: int, what: str) -> None:
    """UsageError where a run has more parts than a folder should hold."""
    if count > PARTS:
        raise UsageError(f"search: {what} are {count:.3g} parts of a run, at most {PARTS}; ask for less")


def subject_of(study: "Study", screen: str = "") -> dict[str, Any]:
    """All that parts follow from, as plain data."""
    e, sweep = study.evaluator, study.search.method in SWEEPS
    cases = {name: _case_subject(case) for name, case in e.cases.items()}
    return {
        "robot": _robot_subject(study.robot),
        "velocities": str(e.space.model.velocities),
        "variables": [asdict(v) for v in e.space.variables],
        "cases": cases,
        "measures": [m.words for m in e.measures],
        "objectives": [asdict(o) for o in e.objectives],
        "constraints": [asdict(c) for c in e.constraints],
        "tolerances": None if e.tolerances is None else e.tolerances.plain,
        "search": {key: x for key, x in asdict(study.search).items() if key != "budget"},
        "keep": study.keep,
        "screened": screen,
        "designs of a part": designs_of_chunk(StudyWork(study, screen), sweep_points(study).total) if sweep else None,
    }


def _robot_subject(robot: "Robot") -> str:
    """A description as text, files that it names by their content; looks do not count."""
    data = document(robot)
    for key, entry, name in files_in(data):
        if key != "mesh":
            entry[name] = content_mark(entry[name], robot.origin)
    return yaml_text(data)


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
    } | ({} if case.follows is None else {"follows": case.follows.plain()})


def _listed(x: np.ndarray | None) -> Any:
    return None if x is None else np.asarray(x).tolist()


def run_study(
    study: "Study", folder: Any, cluster: Any, mixed: bool, budget: float | None, device: str, tell: Tell | None = None
) -> StudyResult:
    """See `Study.run`."""
    began = time.perf_counter()
    budget = study.search.budget if budget is None else budget
    until = None if budget is None else time.monotonic() + budget
    screen = choose_screen(study, device)
    store = None if folder is None else PartFolder(folder, "study", subject_of(study, screen))
    if store is not None:
        save_asked(store.folder, study, False)
    gathered = GatheredDesigns(study, store)
    interrupted = False
    try:
        with open_cluster(cluster) as workers:
            options = {"cluster": workers, "mixed": mixed, "until": until, "device": screen or "cpu"}
            run = _StudyRun(study, screen, store, options)
            for number, found in run.parts():
                gathered.add(number, found)
                if tell is not None:
                    tell(*gathered.counts.tolist())
            late = run.is_short
    except KeyboardInterrupt:
        interrupted, late = True, False
    if store is not None and not (interrupted or late):
        save_asked(store.folder, study, True)
    found = gathered.result(interrupted, late, time.perf_counter() - began)
    sure = not late or study.search.method in SWEEPS
    for said in () if interrupted else (found.hint, gathered.hint if sure else ""):
        if said:
            warn(f"{study.name}: {said}", VariableWarning)
    if len(found.front.left_out):
        told = f"{len(found)} designs are kept of a front, and {len(found.front.left_out)} more that no other beats were left out"
        warn(f"{study.name}: {told} where it is most crowded; ask for fewer objectives, or keep: all", RunWarning)
    return found


class _OutOfTimeError(Exception):
    """A generation that is not finished in time."""


class _StudyRun:
    """Parts of a run. screen: see `StudyWork`; options: of `run_chunks`; is_short: whether some are missing, because time was
    over."""

    def __init__(self, study: "Study", screen: str, store: PartFolder | None, options: dict[str, Any]) -> None:
        self.study, self.store, self.options = study, store, options
        self.work, self.is_short = StudyWork(study, screen), False

    def parts(self) -> Iterator[tuple[int, Arrays]]:
        """(number, arrays) of all parts, as they come."""
        study, search = self.study, self.study.search
        if search.method in SWEEPS:
            total = sweep_points(study).total
            step = designs_of_chunk(self.work, total)
            demand_parts(-(-total // step), f"{total} designs")
            yield from self._all([("points", k, min(k + step, total)) for k in range(0, total, step)])
        elif search.method == "gradient":
            demand_parts(search.starts, f"{search.starts} starts")
            yield from self._started(search.starts)
        else:
            yield from self._evolved()

    def _all(self, chunks: list[tuple[Any, ...]]) -> Iterator[tuple[int, Arrays]]:
        count = 0
        for done in run_chunks(self.work, chunks, store=self.store, **self.options):
            count += 1
            yield done.number, done.result
        self.is_short = count < len(chunks)

    def _started(self, starts: int) -> Iterator[tuple[int, Arrays]]:
        """Descents; of those that were cut their best points, from which the same run goes on later."""
        known = {k: None if self.store is None else self.store.read(k) for k in range(starts)}
        cut = {k: part for k, part in known.items() if part is not None and _is_cut(part)}
        chunks, done = [("start", k, cut.get(k)) for k in range(starts)], set[int]()
        for found in run_chunks(self.work, chunks, store=self.store, again=_is_cut, **self.options):
            if not _is_cut(found.result):
                done.add(found.number)
            cut.pop(found.number, None)
            yield found.number, found.result
        yield from cut.items()
        self.is_short = len(done) < starts

    def _evolved(self) -> Iterator[tuple[int, Arrays]]:
        """Generations, then turns of descents and of designs between those of the front (`methods/evolution.py`)."""
        search, evaluator = self.study.search, self.study.evaluator
        front, known, number, asked = GatheredDesigns(self.study, None), KnownDesigns(evaluator), 0, 0
        graded = bool(search.polish) and not _why_no_gradients(evaluator)
        try:
            for found in generations(evaluator, search, self._generation):
                front.add(number, arrays := arrays_of(found))
                known.add(arrays)
                yield number, arrays
                number, asked = number + 1, asked + len(found.violation)
                if graded and asked >= search.count // FIRST and len(front.front):
                    break
            left = [max(search.count - asked, 0), search.polish]
            for turn in range(TURNS if graded and len(front.front) else 0):
                count, aims = (-(-x // (TURNS - turn)) for x in left)
                left = [left[0] - count, left[1] - aims]
                for arrays in self._followed(choose_aims(front.front, aims, search.seed, turn), number):
                    front.add(number, arrays)
                    known.add(arrays)
                    yield number, arrays
                    number += 1
                while count > 0:
                    step = min(search.population, count)
                    x = spread_points(front.front, evaluator.space, CANDIDATES * step, search.seed, number)
                    x = known.choose(front.front, x, step)
                    front.add(number, arrays := arrays_of(self._generation(number, x)))
                    known.add(arrays)
                    yield number, arrays
                    number, count = number + 1, count - step
        except _OutOfTimeError:
            self.is_short = True

    def _generation(self, number: int, x: np.ndarray) -> Evaluated:
        kept = None if self.store is None else self.store.read(number)
        if kept is not None and np.array_equal(kept["x"], x):
            return Evaluated(*(kept[name] for name in KEPT))
        step = designs_of_slice(self.study.evaluator)
        slices = [("designs", x[k : k + step]) for k in range(0, len(x), step)]
        done = {d.number: d.result for d in run_chunks(self.work, slices, **self.options)}
        if len(done) < len(slices):
            raise _OutOfTimeError
        found = {name: np.concatenate([done[k][name] for k in sorted(done)]) for name in KEPT}
        if self.store is not None:
            self.store.keep(number, found)
        return Evaluated(*(found[name] for name in KEPT))

    def _followed(self, aims: list[Aim], first: int) -> Iterator[Arrays]:
        """Parts of descents in their order, as parts from number `first` on."""
        known = {k: None if self.store is None else self.store.read(first + k) for k in range(len(aims))}
        kept = {k: x for k, x in known.items() if x is not None and np.array_equal(x.get("start", ()), aims[k].start)}
        todo = [k for k in range(len(aims)) if k not in kept]
        for done in run_chunks(self.work, [("aim", aims[k]) for k in todo], **self.options):
            kept[todo[done.number]] = done.result
            if self.store is not None:
                self.store.keep(first + todo[done.number], done.result)
        for k in range(len(aims)):
            if k not in kept:
                raise _OutOfTimeError
            yield kept[k]


def _is_cut(part: Arrays) -> bool:
    """Whether a part is of a descent whose time was over."""
    return bool(part.get("cut", False))


def _why_no_gradients(evaluator: Evaluator) -> str:
    try:
        evaluator.demand_gradients()
    except GoughError as problem:
        return str(problem).removeprefix("gradients: ")
    return ""


class GatheredDesigns:
    """What came in so far: the front, counts, and of designs that are kept those that no folder holds.

    Parts come in any order, and the front is made of them in the order of their numbers: of designs that are equal, and of those
    beyond the most that a front holds, the same ones stay, with the same numbers, whoever was done first.
    """

    def __init__(self, study: "Study", store: PartFolder | None) -> None:
        self.study, self.store, e = study, store, study.evaluator
        sizes = (len(e.space.variables), len(e.measures), len(e.constraint_names), len(e.objectives))
        self.front = ParetoFront.empty(*sizes)
        self.numbers: list[int] = []
        self.held: list[Evaluated] = []
        self.counts = np.zeros(3, dtype=int)
        self.descents: dict[int, tuple[np.ndarray, bool, str, int]] = {}
        self.waiting: dict[int, Evaluated] = {}
        self.merged = 0
        self.nearest: Evaluated | None = None

    def add(self, number: int, arrays: Arrays) -> None:
        """A part."""
        e, found = self.study.evaluator, Evaluated(*(arrays[name] for name in KEPT))
        n = len(found.violation)
        own = np.array([n, (found.violation == 0).sum(), found.feasible.sum()])
        self.counts += arrays.get("counts", own).astype(int)
        self._look_for_nearest(found)
        if e.objectives:
            rows = np.flatnonzero(found.feasible)
            rows = rows[front_rows(e.objective_values(found.values[rows]))]
            self.waiting[number] = take(found, rows)
            while self.merged in self.waiting:
                self._merge(self.merged)
                self.merged += 1
        if self.study.keep != "front" or self.study.search.method == "gradient":
            self.numbers.append(number)
            if self.store is None:
                self.held.append(found)
        if "said" in arrays:
            told = (arrays["start"], bool(arrays["success"]), str(arrays["said"]), int(arrays["counts"][0]))
            self.descents[number] = told

    def _look_for_nearest(self, found: Evaluated) -> None:
        """Of designs that take all states, the one that is nearest to keeping the constraints."""
        rows = np.flatnonzero(found.violation == 0)
        if self.counts[2] or not len(rows):
            return
        own = take(found, rows[[found.total_violation[rows].argmin()]])
        if self.nearest is None or own.total_violation[0] < self.nearest.total_violation[0]:
            self.nearest = own

    @property
    def hint(self) -> str:
        """What keeps all designs from being feasible; "" where some are, or none takes all states."""
        evaluator = self.study.evaluator
        if self.counts[2] or not self.counts[1] or not evaluator.constraints:
            return ""
        return hint_of_constraints(evaluator, self.nearest)

    def _merge(self, number: int) -> None:
        found = self.waiting.pop(number)
        self.front = self.front.with_(found, self.study.evaluator.objective_values(found.values))

    def kept_designs(self) -> KeptDesigns:
        """Designs that were kept, of which those of a folder stay there."""
        if not self.numbers:
            return KeptDesigns(None, (), (self.front.designs,))
        order = sorted(range(len(self.numbers)), key=self.numbers.__getitem__)
        held = tuple(self.held[k] for k in order) if self.store is None else ()
        return KeptDesigns(self.store, tuple(self.numbers[k] for k in order), held)

    def result(self, interrupted: bool, late: bool, seconds: float) -> StudyResult:
        """All of it."""
        for number in sorted(self.waiting):  # those before them are missing
            self._merge(number)
        descents = tuple(self.descents[k] for k in sorted(self.descents))
        why = "" if self.study.search.method in SWEEPS else _why_no_gradients(self.study.evaluator)
        said = [words for _, _, words, _ in descents]
        why = said[0] if said and all(words.startswith(NO_SLOPES) for words in said) else why
        return StudyResult(
            self.study,
            self.front,
            self.kept_designs(),
            int(self.counts[0]),
            int(self.counts[1]),
            int(self.counts[2]),
            interrupted or late,
            seconds,
            None if self.store is None else self.store.folder,
            descents,
            why,
            late,
        )
