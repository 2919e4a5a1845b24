"""What may be wrong with a study of which no design is a robot, or whose objective nothing moves.

Ranges in mm or degrees where SI units are meant: no design is a robot, and those of the range in the smaller unit are.
"""

import warnings
from dataclasses import replace

import numpy as np

from gough.errors import GoughError
from gough.robot.units import UnitError, parse
from gough.studies._pareto import round_objectives, take
from gough.studies.quantities import limit_distances, limit_variables
from gough.studies.study.evaluation import HELD, Evaluated, Evaluator
from gough.studies.study.measures import StateMeasure

SMALLER = {"m": ("mm", 1e-3), "rad": ("deg", float(np.pi / 180.0)), "kg": ("g", 1e-3)}
TRIED = 9
"""Points between the ends of ranges."""
EXCEEDED = 1e-9
"""By how much (SI) a limit may be exceeded by rounding."""
LOOKED_AT = 9
"""Designs of a front, evenly, whose limits are looked at."""
TOLD = 3
"""Limits of a case that are named."""
NEARBY = 0.1
"""Part of its range by which a variable is moved."""


def hint_of_units(evaluator: Evaluator) -> str:
    """What to write instead, where that makes robots; "" where it does not."""
    space = evaluator.space
    for unit, (smaller, factor) in SMALLER.items():
        own = [
            k
            for k, (v, x) in enumerate(zip(space.variables, space.start, strict=True))
            if _is_unit(v.unit, unit) and not v.lower <= x <= v.upper  # else the description's number is one of them
        ]
        if not own:
            continue
        x = space.from_unit(np.repeat(np.linspace(0.0, 1.0, TRIED)[:, None], len(space.variables), axis=1))
        x[:, own] *= factor
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                good = evaluator.evaluate(x).violation == 0
        except GoughError:
            continue
        if good.any():
            told = ", ".join(
                f"{v.name}: [{v.lower:g} {smaller}, {v.upper:g} {smaller}]" for v in (space.variables[k] for k in own)
            )
            return f"No design takes all states, and with numbers in {smaller} some do. Numbers are in SI units: write {told}"
    return ""


def hint_of_states(evaluator: Evaluator) -> str:
    """What keeps a design from being a robot in all cases: the described one where it is in the ranges, one in their middle or at
    their ends. Where one is a robot, and some that its tolerances make of it are not, these are told."""
    space = evaluator.space
    middle = space.settle((0.5 * (space.lower + space.upper))[None])
    points = np.concatenate([middle, space.corners()])
    inside = ((space.lower <= space.start) & (space.start <= space.upper)).all()
    points = np.concatenate([space.start[None], points] if inside else [points, space.start[None]])
    if evaluator.tolerances is not None:
        alone = replace(evaluator, tolerances=None)
        points = np.array(sorted(points, key=lambda x: bool(_reason(alone, x))))  # robots first
    for x in points:
        if why := _reason(evaluator, x):
            told = ", ".join(f"{name} = {value:g}" for name, value in zip(space.names, x, strict=True))
            return f"No design takes all states. With {told}: {why}"
    if evaluator.tolerances is not None:
        return "No design takes all states, though some do without tolerances: among robots that deviate some never do"
    return "No design takes all states, though the described one and those at the ends of the ranges do"


def _reason(evaluator: Evaluator, x: np.ndarray) -> str:
    """`Evaluator.explain`, errors as words."""
    try:
        return evaluator.explain(x)
    except GoughError as problem:
        return str(problem)


def hint_of_objectives(evaluator: Evaluator, x: np.ndarray, values: np.ndarray) -> str:
    """Objectives that no variable moves from a design x (k,) with measures (m,); "" where all move, or nothing tells."""
    space = evaluator.space
    middle = 0.5 * (space.lower + space.upper)
    aside = np.repeat(x[None], len(x), axis=0) + np.diag(
        NEARBY * (space.upper - space.lower) * np.where(x < middle, 1, -1)
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = evaluator.evaluate(aside)
    except GoughError:
        return ""
    if (found.violation > 0).any():
        return ""
    F = round_objectives(evaluator.objective_values(np.concatenate([values[None], found.values])))
    still = [o.measure for o, f in zip(evaluator.objectives, F.T, strict=True) if (f == f[0]).all()]
    if not still:
        return ""
    return (
        f"{', '.join(still)}: no other number beside the best design, whichever of {', '.join(space.names)} is changed. Do the "
        "variables move what is to be best?"
    )


def hint_of_constraints(evaluator: Evaluator, nearest: Evaluated | None) -> str:
    """What the design that is nearest to keeping all constraints does not keep. nearest: it alone; None: of the middle and the
    ends of the ranges."""
    space, which = evaluator.space, "Nearest"
    if nearest is None:
        which = "Nearest of those in the middle and at the ends of the ranges"
        middle = 0.5 * (space.lower + space.upper)
        try:
            found = evaluator.evaluate(space.settle(np.concatenate([middle[None], space.start[None], space.corners()])))
        except GoughError:
            return ""
        nearest = take(found, np.array([found.total_violation.argmin()]))
    if nearest.total_violation[0] == 0 or nearest.violation[0] > 0:
        return ""
    own = ", ".join(f"{n} = {x:g}" for n, x in zip(space.names, nearest.x[0], strict=True))
    units = {m.name: "" if m.unit == "1" else f" {m.unit}" for m in evaluator.measures}
    told = {n: f"{x:.6g}{units[n]}" for n, x in zip(evaluator.names, nearest.values[0], strict=True)}
    sides = [c.measure for c in evaluator.constraints for _ in c.bounds()]
    broken = [
        f"{name} (it has {told[measure]})"
        for name, measure, g in zip(evaluator.constraint_names, sides, nearest.constraints[0], strict=True)
        if g > HELD
    ]
    return f"No design keeps all constraints. {which} is {own}, which does not keep {', '.join(broken)}"


def hint_of_limits(evaluator: Evaluator, x: np.ndarray) -> str:
    """Limits of the description that designs x (n, k) exceed, in cases of which no margin is asked; "" where none."""
    model, said = evaluator.space.model, []
    asked = {m.case for m in evaluator.measures if isinstance(m, StateMeasure) and m.text.partition(":")[0] == "margin"}
    cases = [c for name, c in evaluator.cases.items() if name not in asked and evaluator.takes_all(name)]
    if not cases or limit_variables(model) & set(evaluator.space.names):  # these stay where they are
        return ""
    try:
        limits = limit_distances(model, "margin", ())
    except GoughError:  # there are none
        return ""
    x = x[np.unique(np.linspace(0, len(x) - 1, LOOKED_AT).astype(int))]
    P, rows = evaluator.space.designs(x)[0], replace(evaluator, tolerances=None).followed_variables(x)
    for case in cases:
        try:
            found = case.states_of(P, variables=rows)
            margins = limits.evaluate(found.states).min(axis=0, initial=np.inf)
        except GoughError:
            continue
        beyond = [k for k in np.argsort(margins) if margins[k] < -EXCEEDED]
        if beyond:
            told = [f"{limits.names[k]} by {-margins[k]:.3g} {limits.units[k]}" for k in beyond[:TOLD]]
            more = f" and {len(beyond) - TOLD} more" if len(beyond) > TOLD else ""
            said.append(f"in case {case.name!r} {', '.join(told)}{more}")
    if not said:
        return ""
    return (
        f"Designs that were found exceed limits of {model.robot.name}: {'; '.join(said)}. A study keeps those that it asks for: "
        "a measure {measure: margin, case: …} with the constraint at_least: 0"
    )


def _is_unit(given: str, unit: str) -> bool:
    if given == unit:
        return True
    try:
        return bool(given) and parse(f"1 {given}") == parse(f"1 {unit}")
    except UnitError:
        return False
