"""Ranges in mm or degrees where SI units are meant: no design is a robot, and those of the range in the smaller unit are."""

import warnings

import numpy as np

from gough.errors import GoughError
from gough.robot.units import UnitError, parse
from gough.studies.study.evaluation import Evaluator

SMALLER = {"m": ("mm", 1e-3), "rad": ("deg", float(np.pi / 180.0)), "kg": ("g", 1e-3)}
TRIED = 9
"""Points between the ends of ranges."""


def hint_of_units(evaluator: Evaluator) -> str:
    """What to write instead, where that makes robots; "" where it does not."""
    space = evaluator.space
    for unit, (smaller, factor) in SMALLER.items():
        own = [k for k, v in enumerate(space.variables) if _is_unit(v.unit, unit)]
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


def _is_unit(given: str, unit: str) -> bool:
    if given == unit:
        return True
    try:
        return bool(given) and parse(f"1 {given}") == parse(f"1 {unit}")
    except UnitError:
        return False
