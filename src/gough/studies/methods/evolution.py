"""Several objectives: generations by pymoo's NSGA-II or NSGA-III, descents by gradients, designs between those of the front.

Infeasible designs have one violation: what is no robot counts more than any constraint, so that generations first find robots,
then those that keep their constraints, then better ones. Where there are gradients a third of the designs is for generations,
and more until one is feasible. Then turns of two kinds take the rest: descents lead points of the front (all that was found so
far, not a population) to the ends of single objectives and towards all of them at once; and designs between those of the front,
which now spans what is best, fill it: of many that could, those that promise most (`methods/forecast.py`). These cost an
evaluation each, a descent some twenty points with gradients.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.studies._pareto import ParetoFront, crowding
from gough.studies._search import REMEDY, StudySearch
from gough.studies.study.evaluation import Evaluated, Evaluator
from gough.studies.study.variables import DesignSpace

FIRST = 3
"""One part of so many of the designs is for generations, where there are gradients."""
TURNS = 2
"""Of descents and designs between."""
ASIDE = 0.05
"""Least weight of an objective, of 1 for the others."""
BEYOND = 0.3
"""How far designs between two may be beyond one of them, of what is between."""
NOISE = 3e-3
"""Of variables between their bounds."""
NOWHERE = 1e9
"""Objective of a design that is no robot; its violation is what counts."""


def generations(
    evaluator: Evaluator, search: StudySearch, evaluate: Callable[[int, np.ndarray], Evaluated]
) -> Iterator[Evaluated]:
    """Designs of one generation after the other until `search.count` designs are spent. evaluate: a whole generation, by its
    number and points; what it returns decides all that follows, so that a run is done again by the same answers."""
    try:
        from pymoo.core.problem import Problem  # pyright: ignore[reportMissingImports]
        from pymoo.problems.static import StaticProblem  # pyright: ignore[reportMissingImports]
    except ImportError as problem:
        raise UsageError(REMEDY) from problem
    k, objectives = len(evaluator.space.variables), len(evaluator.objectives)
    problem = Problem(n_var=k, n_obj=objectives, n_ieq_constr=1, xl=np.zeros(k), xu=np.ones(k))
    algorithm = _algorithm(search, objectives)
    algorithm.setup(problem, seed=search.seed, termination=("n_eval", search.count), verbose=False)
    number = 0
    while algorithm.has_next():
        asked = algorithm.ask()
        found = evaluate(number, evaluator.space.from_unit(asked.get("X")))
        F = evaluator.objective_values(found.values)
        F = np.where(np.isfinite(F), F, NOWHERE)
        algorithm.evaluator.eval(StaticProblem(problem, F=F, G=found.total_violation[:, None]), asked)
        algorithm.tell(infills=asked)
        number += 1
        yield found


def _algorithm(search: StudySearch, objectives: int) -> Any:
    if search.generations == "nsga2":
        from pymoo.algorithms.moo.nsga2 import NSGA2  # pyright: ignore[reportMissingImports]

        return NSGA2(pop_size=search.population)
    from pymoo.algorithms.moo.nsga3 import NSGA3  # pyright: ignore[reportMissingImports]
    from pymoo.util.ref_dirs import get_reference_directions  # pyright: ignore[reportMissingImports]

    directions = get_reference_directions(
        "das-dennis", objectives, n_partitions=count_partitions(search.population, objectives)
    )
    return NSGA3(directions, pop_size=search.population)


def count_partitions(population: int, objectives: int) -> int:
    """Into how many parts each objective's axis is cut, so that there are as many reference directions as fit into a population:
    p parts of n objectives give (p + n - 1 over n - 1) directions [Das, Dennis 1998]."""
    parts = 1
    while comb(parts + objectives, objectives - 1) <= population:
        parts += 1
    return parts


@dataclass(frozen=True)
class Aim:
    """A descent: from a start (k,), with weights (o,) of objectives over their sizes there; shared: all of them at once, from
    what they are there, else their sum."""

    start: np.ndarray
    weights: np.ndarray
    shared: bool = True


def choose_aims(front: ParetoFront, count: int, seed: int, turn: int) -> list[Aim]:
    """Descents from a front: in the first turn to the end of every objective, then from points that are drawn the more often, the
    farther they are from their neighbours, in directions that are drawn around equal gains of all objectives."""
    F, X = front.objectives, front.designs.x
    if not len(F):
        return []
    size = np.ptp(F, axis=0)
    size = np.where(size > 0, size, np.maximum(np.abs(F).max(axis=0), 1e-300))
    n, ends = F.shape[1], []
    if turn == 0 and n > 1:
        ends = [Aim(X[F[:, i].argmin()], np.where(np.arange(n) == i, 1.0, ASIDE), False) for i in range(n)][:count]
    gap = crowding(F)
    near = gap[np.isfinite(gap)]
    gap = np.where(np.isfinite(gap), gap, near.max(initial=0.0)) + 1e-9
    rng = np.random.default_rng([seed, 1, turn])
    rows = rng.choice(len(F), size=min(count - len(ends), len(F)), p=gap / gap.sum(), replace=False)
    found = []
    for k in rows:
        tilt = np.maximum(rng.dirichlet(np.ones(n)) * n, ASIDE)
        weights = np.abs(F[k]) / size * tilt
        found.append(Aim(X[k], np.where(weights > 0, weights, 1.0)))
    return [*ends, *found]


def spread_points(front: ParetoFront, space: DesignSpace, count: int, seed: int, turn: int) -> np.ndarray:
    """Points (count, k) around a front: half of them between two of its designs, or a little beyond one, half a design moved in
    some variables by half of what two others differ in."""
    rng = np.random.default_rng([seed, 2, turn])
    size = space.upper - space.lower
    unit = (front.designs.x - space.lower) / size
    a, b, c = (unit[rng.integers(len(unit), size=count)] for _ in range(3))
    between = a + rng.uniform(-BEYOND, 1.0 + BEYOND, (count, 1)) * (b - a)
    moved = a + 0.5 * (b - c) * (rng.random(a.shape) < 0.5)
    out = np.where(np.arange(count)[:, None] % 2 == 0, between, moved) + NOISE * rng.normal(size=a.shape)
    return space.settle(space.lower + np.clip(out, 0.0, 1.0) * size)
