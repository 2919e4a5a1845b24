"""What to do about a run that ended early."""

from math import pi
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import EXPLANATION, GoughError, Status
from gough.simulation.tableaux import tableaux

if TYPE_CHECKING:
    from gough.simulation.run import Run

STABLE = 2.78
"""Stable step of the classical Runge–Kutta method times the largest angular frequency."""

REMEDIES = {
    "interrupted": "all states until then are kept",
    "step:": "nothing passes the error test: Coulomb friction without smoothing (smooth it), a singularity, or a tolerance that "
    "rounding does not allow (raise it)",
    "not_converged:Newton": "take a shorter step or a larger tolerance",
    "singular:Newton": "take a shorter step",
    "not_finite:controller": "the controller gave no finite force at that time: look at its gains and at what it returns",
    "controller failed": "the controller's own function raised an error at that time, which is shown",
}


def remedy(run: "Run") -> str:
    """What to do, in words; "" for a run that finished."""
    if run.info.finished:
        return ""
    for begin, text in REMEDIES.items():
        if run.stopped.startswith(begin):
            return text
    fast = _too_fast(run)
    if fast:
        return fast
    code = run.stopped.partition(":")[0].upper()
    return EXPLANATION[Status[code]] if code in Status.__members__ else "look at the last states of the run"


def _too_fast(run: "Run") -> str:
    """Where equal explicit steps are too long for the stiffest mode of a flexible robot."""
    method, step = run.info.settings.get("method"), run.info.settings.get("step")
    t = tableaux().get(str(method))
    if t is None or t.gamma or len(t.error) or not run.layout.v_elastic or not isinstance(step, int | float):
        return ""
    from gough.analysis.modes import natural_frequencies

    try:
        found = natural_frequencies(run.model, about="undeformed").frequencies_hz
    except GoughError:
        return ""
    largest = float(np.max(found, initial=0.0))
    limit = STABLE / (2 * pi * largest) if largest else np.inf
    if step <= limit:
        return ""
    return (
        f"the step of {step:g} s is too long for the stiffest mode ({largest:.5g} Hz): {method} needs less than {limit:.3g} s; "
        "or take dp5, which chooses its steps, or esdirk4 or sdirk2, which are stable with any"
    )
