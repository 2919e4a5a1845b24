"""What may be wrong with a study of which no design is a robot, or whose objective nothing moves.

Ranges in mm or degrees where SI units are meant: no design is a robot, and those of the range in the smaller unit are.
"""

import warnings

import numpy as np

from gough.errors import GoughError
from gough.robot.units import UnitError, parse
from gough.studies._pareto import round_objectives
from gough.studies.study.evaluation import Evaluator

SMALLER = {"m": ("mm", 1e-3), "rad": ("deg", float(np.pi / 180.0)), "kg": ("g", 1e-3)}
TRIED = 9
"""Points between the ends of ranges."""
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
    """What keeps the described design, or else one in the middle or at an end of the ranges, from being a robot in all cases."""
    space = evaluator.space
    middle = space.settle((0.5 * (space.lower + space.upper))[None])
    for x in np.concatenate([space.start[None], middle, space.corners()]):
        try:
            why = evaluator.explain(x)
        except GoughError as problem:
            why = str(problem)
        if why:
            told = ", ".join(f"{name} = {value:g}" for name, value in zip(space.names, x, strict=True))
            return f"No design takes all states. With {told}: {why}"
    if evaluator.tolerances is not None:
        return "No design takes all states, though some do without tolerances: among robots that deviate some never do"
    return "No design takes all states, though the described one and those at the ends of the ranges do"


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


def _is_unit(given: str, unit: str) -> bool:
    if given == unit:
        return True
    try:
        return bool(given) and parse(f"1 {given}") == parse(f"1 {unit}")
    except UnitError:
        return False
