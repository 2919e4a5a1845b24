"""Several objectives by pymoo's NSGA-II (up to three) or NSGA-III, whole generations at once, then polished by gradients.

Infeasible designs have one violation: what is no robot counts more than any constraint, so that generations first find robots,
then those that keep their constraints, then better ones. Polishing goes on from points of the front towards all objectives at
once (`descend`); designs that come of it are evaluated as any other.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.studies._pareto import ParetoFront, crowding
from gough.studies._search import StudySearch
from gough.studies.methods.descent import descend
from gough.studies.study.evaluation import Evaluated, Evaluator

REMEDY = "method: evolution needs pymoo: pip install 'gough[studies]'"
MANY = 4
"""Objectives from which on reference directions lead (NSGA-III)."""
NOWHERE = 1e9
"""Objective of a design that is no robot; its violation is what counts."""


def generations(
    evaluator: Evaluator, budget: int, population: int, seed: int, evaluate: Callable[[int, np.ndarray], Evaluated]
) -> Iterator[Evaluated]:
    """Designs of one generation after the other until the budget of designs is spent. evaluate: a whole generation, by its number
    and points; what it returns decides all that follows, so that a run is done again by the same answers."""
    try:
        from pymoo.core.problem import Problem  # pyright: ignore[reportMissingImports]
        from pymoo.problems.static import StaticProblem  # pyright: ignore[reportMissingImports]
    except ImportError as problem:
        raise UsageError(REMEDY) from problem
    k, objectives = len(evaluator.space.variables), len(evaluator.objectives)
    problem = Problem(n_var=k, n_obj=objectives, n_ieq_constr=1, xl=np.zeros(k), xu=np.ones(k))
    algorithm = _algorithm(population, objectives, seed)
    algorithm.setup(problem, seed=seed, termination=("n_eval", budget), verbose=False)
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


def _algorithm(population: int, objectives: int, seed: int) -> Any:
    if objectives < MANY:
        from pymoo.algorithms.moo.nsga2 import NSGA2  # pyright: ignore[reportMissingImports]

        return NSGA2(pop_size=population)
    from pymoo.algorithms.moo.nsga3 import NSGA3  # pyright: ignore[reportMissingImports]
    from pymoo.util.ref_dirs import get_reference_directions  # pyright: ignore[reportMissingImports]

    directions = get_reference_directions("energy", objectives, population, seed=seed)
    return NSGA3(ref_dirs=directions, pop_size=population)


def polish_starts(evaluator: Evaluator, front: ParetoFront, starts: int, seed: int) -> list[tuple[np.ndarray, ...]]:
    """(x (k,), weights (o,), reference (o,)) of `starts` points of a front, from each of which gradients lead along a direction
    of its own: objectives weigh by a random direction around equal ones, so that ends spread."""
    F = front.objectives
    if not len(F):
        return []
    size = np.ptp(F, axis=0)
    size = np.where(size > 0, size, np.maximum(np.abs(F).max(axis=0), 1e-300))
    order = np.argsort(-crowding(F), kind="stable")[:starts]
    rng, out = np.random.default_rng([seed, 1]), []
    for k in order:
        tilt = rng.dirichlet(np.full(F.shape[1], 2.0)) * F.shape[1]
        weights = np.abs(F[k]) / size * np.maximum(tilt, 0.05)
        out.append((front.designs.x[k], np.where(weights > 0, weights, 1.0), F[k]))
    return out


def polish(
    evaluator: Evaluator, start: tuple[np.ndarray, ...], search: StudySearch, tick: Callable[[float], None]
) -> Evaluated:
    """The design that gradients lead to from one of `polish_starts`."""
    x, weights, reference = start
    ways = (search.solver, search.iterations, reference)
    return descend(evaluator, x, weights, *ways, shared=True, tick=tick).evaluated
