"""What is done with a chunk of a study, wherever: points of a sweep, screened first where that can be, descents, generations."""

import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.threads import calls_here
from gough.errors import UsageError
from gough.structure.reductions import reducing_variables
from gough.studies._kept import KEPT
from gough.studies._pareto import front_rows, take
from gough.studies.methods.descent import Descent, descend
from gough.studies.methods.evolution import Aim
from gough.studies.methods.sweep import SWEEPS, SweepPoints
from gough.studies.quantities import FrameCompliance, FrameDeflection, Frequencies, ModalAmplitudes
from gough.studies.screening.screen import AGREE, GpuMachine, HostMachine, Screen, host_array, rows_in
from gough.studies.study.evaluation import Evaluated, Evaluator
from gough.studies.study.measures import StateMeasure

if TYPE_CHECKING:
    from gough.studies.study.study import Study

log = logging.getLogger("gough.studies")

BLOCK = 2**15
"""States that are held at once."""
CHUNK, FEWER = 2**16, 10_000
"""States of a chunk of a sweep, about a second of work; chunks beyond which they hold more."""
AT_REST, BENT_AT_REST, REDUCED = 2**8, 2**13, 2**13
"""What else costs time, in plain states: to ask a state for what is linear about a rest, or for that of a robot that bends; to
reduce a design's flexible bodies again. These are done one after the other, so that small chunks of them cost no more."""
RESTING = (Frequencies, FrameCompliance, FrameDeflection, ModalAmplitudes)
"""Quantities about rest."""
SLICE = 32
"""Designs of a generation that are one chunk, at most."""
SCREENED = {"cpu": 2**21, "cuda": 2**28}
"""States of a chunk where a screen comes first."""
SAMPLED = 0.01
"""Part of a chunk's designs that keep: sample keeps beside the front."""
Tick = Callable[[float], None]
Arrays = dict[str, np.ndarray]


def states_per_design(evaluator: Evaluator) -> int:
    """Of all cases together, tolerances counted."""
    draws = 1 if evaluator.tolerances is None else evaluator.tolerances.count
    return max(1, sum(case.count for case in evaluator.cases.values())) * draws


def work_per_design(evaluator: Evaluator) -> int:
    """What a design costs by ordinary calls, tolerances counted, in plain states. It follows from the study
    alone, so that chunks are the same wherever they are done."""
    model, tolerances = evaluator.space.model, evaluator.tolerances
    at_rest = BENT_AT_REST if model.layout.v_elastic else AT_REST
    total = 0
    for name, case in evaluator.cases.items():
        own = [m.quantity for m in evaluator.measures if isinstance(m, StateMeasure) and m.case == name]
        about_rest = sum(isinstance(quantity, RESTING) for quantity in own)
        total += case.count * (1 + about_rest * at_rest)
    moved = {*evaluator.space.names, *(() if tolerances is None else tolerances.variables)}
    total += 0 if reducing_variables(model.robot).isdisjoint(moved) else REDUCED
    return max(1, total) * (1 if tolerances is None else tolerances.count)


def evaluate_blocks(evaluator: Evaluator, x: np.ndarray, graded: bool, tick: Tick) -> Evaluated:
    """Points (n, k), so many at once as memory allows."""
    step, parts = max(1, BLOCK // work_per_design(evaluator)), []
    for k in range(0, max(1, len(x)), step):
        tick(k / max(1, len(x)))
        parts.append(evaluator.evaluate(x[k : k + step], graded))
    return parts[0] if len(parts) == 1 else Evaluated.join(parts)


@dataclass(frozen=True)
class StudyWork:
    """What workers do with chunks of a study: ("points", begin, end), ("start", k, its part where it was cut), ("designs", x) or
    ("aim", aim), a descent from the front. screen: the machine on which points are screened first, "cpu" or "cuda"; "": none."""

    study: "Study"
    screen: str = ""

    def prepare(self) -> Any:
        """Chunks to arrays."""
        return partial(self._do, make_screen(self.study, self.screen) if self.screen else None)

    def _do(self, screen: Screen | None, chunk: tuple[Any, ...], tick: Tick) -> Arrays:
        study, evaluator = self.study, self.study.evaluator
        with calls_here(threads=1, steady=True), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            if chunk[0] == "points":
                points, (begin, end) = sweep_points(study), chunk[1:]
                found = None if screen is None else self._screened(screen, points, begin, end, tick)
                return found or self._kept(evaluate_blocks(evaluator, points.at(begin, end), False, tick), begin)
            if chunk[0] == "start":
                return self._descent(int(chunk[1]), chunk[2], tick)
            if chunk[0] == "aim":
                return descent_arrays(self._follow(chunk[1], tick))
            return arrays_of(evaluate_blocks(evaluator, chunk[1], True, tick))

    def _screened(self, screen: Screen, points: SweepPoints, begin: int, end: int, tick: Tick) -> Arrays | None:
        """What is kept of points of which a screen chose those that may count; None where its numbers are not those of calls."""
        evaluator = self.study.evaluator
        x = points.at(begin, end, screen.machine.module)
        remembers = screen.machine.remembers and self.study.keep == "front"
        chosen = screen.choose(x, tick, remembers)
        drawn = self._drawn(end - begin, begin)
        rows = np.union1d(np.concatenate([chosen.rows, chosen.doubtful]), drawn).astype(int)
        found = evaluate_blocks(evaluator, host_array(x[rows_in(x, rows)]), False, tick)
        again = found.values[np.searchsorted(rows, chosen.rows)]
        size = np.nanmax(np.abs(again), axis=0, initial=0.0)
        if not (np.abs(again - chosen.values) <= AGREE * np.where(size > 0, size, 1.0)).all():
            log.warning("points %d to %d: the screen has other numbers than calls, which are taken for all", begin, end)
            return None
        if remembers:
            screen.record(chosen.values[found.feasible[np.searchsorted(rows, chosen.rows)]])
        extra = take(found, np.searchsorted(rows, chosen.doubtful))
        more = [0, int((extra.violation == 0).sum()), int(extra.feasible.sum())]
        kept = take(found, np.union1d(self._front_rows(found), np.searchsorted(rows, drawn)))
        return {"counts": chosen.counts + np.array(more)} | arrays_of(kept)

    def _descent(self, k: int, before: Arrays | None, tick: Tick) -> Arrays:
        """before: what is known of a start whose descent was cut; it goes on from its best point."""
        search, evaluator = self.study.search, self.study.evaluator
        space = evaluator.space
        points = SweepPoints(space, "sobol", max(search.starts, 1), search.seed)
        start = space.settle(space.start[None])[0] if k == 0 else points.at(k, k + 1)[0]
        begin = start if before is None else before["x"][0]
        ways = (None, search.solver, search.iterations)
        found = descent_arrays(descend(evaluator, begin, *ways, tick=tick, keep_cut=True))
        if before is None:
            return found
        counts = found["counts"] + before["counts"] * np.array([1, 1, 0])
        return found | {"start": before["start"], "counts": counts}

    def _follow(self, aim: Aim, tick: Tick) -> Descent:
        """From a front."""
        search = self.study.search
        ways = (aim.weights, search.solver, search.iterations, None, aim.shared)
        return descend(self.study.evaluator, aim.start, *ways, tick=tick)

    def _kept(self, found: Evaluated, number: int) -> Arrays:
        """What a part holds of a chunk, and how many designs there were: all, robots, feasible ones."""
        n = len(found.violation)
        counts = np.array([n, (found.violation == 0).sum(), found.feasible.sum()])
        rows = np.arange(n)
        if self.study.keep != "all":
            rows = np.union1d(self._front_rows(found), self._drawn(n, number))
        return {"counts": counts} | arrays_of(take(found, rows))

    def _front_rows(self, found: Evaluated) -> np.ndarray:
        evaluator = self.study.evaluator
        rows = np.flatnonzero(found.feasible) if evaluator.objectives else np.zeros(0, dtype=int)
        return rows[front_rows(evaluator.objective_values(found.values[rows]))]

    def _drawn(self, n: int, number: int) -> np.ndarray:
        """Rows of n that keep: sample keeps besides."""
        if self.study.keep != "sample":
            return np.zeros(0, dtype=int)
        return np.flatnonzero(np.random.default_rng([self.study.search.seed, number]).random(n) < SAMPLED)


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
        "cut": np.array(found.cut),
    }


def sweep_points(study: "Study") -> SweepPoints:
    """Of a study whose method is a sweep."""
    return SweepPoints(study.evaluator.space, study.search.method, study.search.count, study.search.seed)


def designs_of_chunk(work: StudyWork, total: int) -> int:
    """Of a sweep of so many points."""
    least, evaluator = -(-total // FEWER), work.study.evaluator
    if work.screen:
        return max(1, SCREENED[work.screen] // states_per_design(evaluator), least)
    return max(1, CHUNK // work_per_design(evaluator), least)


def designs_of_slice(evaluator: Evaluator) -> int:
    """Of a generation, that one worker does."""
    return max(1, min(SLICE, CHUNK // work_per_design(evaluator)))


def make_screen(study: "Study", device: str) -> Screen:
    """Of a study on a machine; UsageError that says why there is none."""
    return Screen.of(study.evaluator, GpuMachine() if device == "cuda" else HostMachine())


def choose_screen(study: "Study", device: str) -> str:
    """The machine of a study's screen, "" where it goes without; UsageError where a GPU has nothing to do."""
    reason = ""
    if study.search.method not in SWEEPS:
        reason = f"method {study.search.method!r} looks at few designs at a time; use a sweep"
    elif study.keep == "all" or not study.evaluator.objectives:
        reason = "all designs are kept; use keep: front or sample, with an objective"
    else:
        try:
            Screen.of(study.evaluator, HostMachine())
        except UsageError as problem:
            reason = str(problem)
    if reason and device == "cuda":
        raise UsageError(f"device='cuda': {reason}")
    if reason:
        log.info("no screen: %s", reason)
    return "" if reason else device
