"""Exciting motions: periodic, within all limits, that tell as much as they can of a robot's base parameters.

Sources   Swevers, Ganseman, Tükel, De Schutter and Van Brussel (1997) for Fourier series as exciting motions; Gautier and Khalil
          (1992) for the condition number of the regressor as their criterion.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import (
    a_model,
    callback,
    checked,
    demand_one_of,
    flag,
    floats,
    mapping,
    number,
    numbers,
    several,
    take,
    whole,
    word,
    words,
)  # fmt: skip
from gough.errors import UsageError
from gough.identification._unknowns import DEFAULT
from gough.identification.excitation._basis import FAMILIES, PeriodicBasis
from gough.identification.excitation._bounds import WORDS, MotionBound, bounds_of, columns_of
from gough.identification.excitation._constraints import Constraints
from gough.identification.excitation._led import SPACES, LeadingSpace, LedStates
from gough.identification.excitation._measure import OBJECTIVES, RegressorMeasure
from gough.identification.excitation._outcome import best_unknowns, finish_excitation
from gough.identification.excitation._problem import ExcitationProblem
from gough.identification.excitation._search import ExcitationEnding, ExcitationStep, Search, find_reach
from gough.identification.excitation.result import Excitation
from gough.simulation.motion.limits import CONDITION

if TYPE_CHECKING:
    from gough.model import Model

PER_HARMONIC = 20
"""Samples of the search for each harmonic."""
START = 0.3
"""Part of its random size with which a start begins whose motion keeps the limits at no size."""


@checked(
    model=a_model,
    space=word,
    family=word,
    period=number(above=0),
    harmonics=whole(1, 200),
    samples=whole(4, 100_000),
    objective=word,
    parameters=word | words,
    tied=word | several(words),
    deviations=numbers,
    margins=number(0) | mapping(number(0)),
    limits=word | mapping(),
    distance=number(0),
    from_rest=flag,
    starts=whole(1),
    seed=whole(0),
    budget=number(above=0),
    iterations=whole(1),
    progress=callback,
)
def excitation(
    model: "Model",
    *,
    space: str = "drives",
    family: str = "fourier",
    period: float = 10.0,
    harmonics: int = 5,
    samples: int | None = None,
    objective: str = "condition",
    parameters: str | Sequence[str] = DEFAULT,
    tied: str | Sequence[Sequence[str]] = "apart",
    deviations: Any = None,
    margins: float | Mapping[str, float] = 0.05,
    limits: str | Mapping[str, Any] = "description",
    distance: float = CONDITION,
    from_rest: bool = False,
    starts: int = 3,
    seed: int = 0,
    budget: float = 60.0,
    iterations: int = 100,
    progress: Callable[[ExcitationStep], Any] | None = None,
) -> Excitation:
    """A periodic motion that excites all base parameters well and keeps every limit.

    space: "drives" or "platform" (those of x y z yaw pitch roll that are the robot's freedoms). family: "fourier" (`harmonics`
    multiples of 1/period, s) or "spline" (periodic, through 2 harmonics + 1 points). objective: "condition" or "d-optimal".
    parameters, tied: what is to be identified, as for `gough.regressor`. deviations (r,): a priori standard deviations of the
    base parameters, by which columns are scaled; default: to unit length along the unoptimised motion.
    limits: "description", or beside it {name or pattern: {"stroke": (lower, upper), "speed": …, "acceleration": …, "force": …,
    "cone": …}} of joints, drives and x y z yaw pitch roll (SI); the narrower one counts. margins: part of each bound that stays
    free, for all or {word: part}. distance: smallest good reciprocal condition (see `Model.singularity`).
    from_rest: begin and end without velocity and acceleration. samples: of the search, in a period (default 20 a harmonic); the
    result is checked with ten times as many. starts, seed: how many searches from random motions; budget (s); iterations of each.
    progress: called with each `ExcitationStep`. Ctrl-C ends the search with the best motion so far.
    """
    begun = time.monotonic()
    problem, notes = excitation_problem(
        model, space, family, period, harmonics, samples, objective, parameters, tied, deviations, margins, limits, distance,
        from_rest,
    )  # fmt: skip
    rng = np.random.default_rng(seed)
    first, fits = _fitted_start(problem, rng)
    if not fits:
        notes.append("the unoptimised motion, about home, does not keep the limits at any size")
    problem.measure.scale_by(_good_states(problem, first))
    search = Search(problem, begun + budget, progress)
    more = [lambda: _fitted_start(problem, rng)[0] for _ in range(starts - 1)]
    ends = search.run([lambda: first, *more], iterations)
    if search.ending != ExcitationEnding.DONE:
        how = "interrupted" if search.ending == ExcitationEnding.INTERRUPTED else "ended by its budget"
        notes.append(f"the search was {how} in start {search.history[-1].start + 1} of {starts}")
    x = best_unknowns(problem, search, [first, *ends])
    scaled = "a priori deviations" if deviations is not None else "their length along the unoptimised motion"
    return finish_excitation(problem, search, x, first, scaled, notes)


def excitation_problem(
    model: "Model",
    space: str,
    family: str,
    period: float,
    harmonics: int,
    samples: int | None,
    objective: str,
    parameters: str | Sequence[str],
    tied: str | Sequence[Sequence[str]],
    deviations: Any,
    margins: float | Mapping[str, float],
    limits: str | Mapping[str, Any],
    distance: float,
    from_rest: bool,
) -> tuple[ExcitationProblem, list[str]]:
    """(the problem of `excitation`, whose columns are not scaled yet where they have no deviations; what was assumed)."""
    demand_one_of("space", space, SPACES)
    demand_one_of("family", family, FAMILIES)
    demand_one_of("objective", objective, OBJECTIVES)
    if family == "spline" and harmonics < 2:
        raise UsageError("excitation: harmonics=1 gives a spline of three points; it takes five: harmonics=2 or more")
    bounds = bounds_of(model, limits)
    parts = _margins(margins)
    a_priori = None if deviations is None else floats("deviations", deviations)
    measure = RegressorMeasure(model, parameters, tied, objective, a_priori)
    leading = LeadingSpace(model, space, columns_of(bounds))
    constraints = Constraints(leading, bounds, parts, distance)
    basis = PeriodicBasis(family, float(period), harmonics)
    count = PER_HARMONIC * harmonics if samples is None else samples
    if count * len(model.mechanism.drives) < measure.base.rank:
        raise UsageError(
            f"samples={count} of {len(model.mechanism.drives)} drives are fewer equations than the {measure.base.rank} base "
            "parameters; give more"
        )
    if count < 2 * harmonics + 1:
        raise UsageError(f"samples={count} do not tell {harmonics} harmonics apart; give {2 * harmonics + 1} or more")
    scales, notes = _scales(leading, constraints, basis)
    combinations = basis.from_rest() if from_rest else np.eye(basis.size)
    made = ExcitationProblem(basis, combinations, leading, measure, constraints, scales, leading.home, count)
    return made, notes


def _margins(given: float | Mapping[str, float]) -> dict[str, float]:
    named = given if isinstance(given, Mapping) else dict.fromkeys(WORDS, given)
    unknown = [word for word in named if word not in WORDS]
    if unknown:
        raise UsageError(f"margins: no {unknown[0]!r}; use {', '.join(WORDS)}")
    if any(x >= 1 for x in named.values()):
        raise UsageError(f"margins={given!r}: a part of the bounds, below 1")
    return dict.fromkeys(WORDS, 0.0) | {word: float(take("margins", number(0), x)) for word, x in named.items()}


def _scales(space: LeadingSpace, constraints: Constraints, basis: PeriodicBasis) -> tuple[np.ndarray, list[str]]:
    """(how far each coordinate reaches (m,), what was assumed); UsageError where nothing bounds one."""
    model, names = space.model, space.names
    about_place = np.array([b.word in ("stroke", "cone") for b in constraints.bounds], dtype=bool)
    about_place = np.concatenate([about_place, np.ones(len(constraints.names) - len(about_place), dtype=bool)])

    def kept(y: np.ndarray) -> np.ndarray:
        states = space.states(y, np.zeros_like(y), np.zeros_like(y))
        good = states.good.copy()
        here = LedStates(states.q[good], states.v[good], states.vdot[good], good[good])
        good[good] = (constraints.slacks(here)[:, about_place] >= 0.0).all(axis=1)
        return good

    reach = find_reach(space, kept, space.home)
    speeds = {b.name: b.upper for b in constraints.bounds if b.word == "speed"}
    for k, name in enumerate(names):
        if np.isfinite(reach[:, k]).all():
            continue
        if name not in speeds:
            raise UsageError(
                f"excitation: nothing bounds how far {name} of {model.robot.name} goes; state its stroke (limits={{{name!r}: "
                f"{{'stroke': (lower, upper)}}}}) or its speed"
            )
        reach[:, k] = np.minimum(reach[:, k], speeds[name] * basis.period / (2.0 * np.pi))
    missing = {word: _without(model, constraints.bounds, word) for word in ("stroke", "speed", "force")}
    told = [f"{word} ({', '.join(n[:3])}{', …' if len(n) > 3 else ''})" for word, n in missing.items() if n]
    notes = (
        [f"no limit of drives is known for {'; '.join(told)}: other limits, singularities and the period bound it"]
        if told
        else []
    )
    if constraints.screwed:
        notes.append("distances of screws from folding are not part of the search; the last check has them")
    return reach.mean(axis=0), notes


def _without(model: "Model", bounds: tuple[MotionBound, ...], word: str) -> list[str]:
    have = {b.name for b in bounds if b.word == word}
    return [name for name in model.layout.drive_names if name not in have]


def _fitted_start(problem: ExcitationProblem, rng: np.random.Generator) -> tuple[np.ndarray, bool]:
    """(unknowns of a random motion as large as the limits let it be, whether it keeps them)."""
    free, m = problem.combinations.shape[1], len(problem.scales)
    wanted = rng.normal(size=(problem.basis.size, m)) * problem.basis.spread[:, None]
    wanted -= problem.basis.still[:, None] * wanted.mean(axis=0) if problem.basis.family == "spline" else 0.0
    x = np.linalg.lstsq(problem.combinations, wanted, rcond=None)[0].reshape(free * m)
    fitted, factor = problem.shrink(x)
    return (fitted, True) if factor > 0.0 else (START * x, False)


def _good_states(problem: ExcitationProblem, x: np.ndarray) -> LedStates:
    """States of a start, or a UsageError where the robot cannot follow even a hundredth of it."""
    for factor in (1.0, 0.3, 0.1, 0.03, 0.01):
        states = problem.states(factor * x)
        if states.good.all():
            return states
    raise UsageError(
        f"excitation: {problem.space.model.robot.name} cannot follow even a small motion about home in "
        f"space={problem.space.space!r}; home may be singular there: use the other space, or another home"
    )
