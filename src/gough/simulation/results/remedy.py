"""What to do about a run that ended early."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from gough.dynamics.loads import SPRING
from gough.errors import EXPLANATION, GoughError, Status
from gough.simulation.integration.crossing import NEAR, nearest_loop
from gough.simulation.integration.methods import METHODS, stable_with_any
from gough.simulation.integration.smoothing import rough_joints

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

REMEDIES = {
    "interrupted": "all states until then are kept",
    "sticking:": "the joint reverses at every step: leave smoothing= of simulate at 'auto', or give the speed below which its "
    "friction is to be smoothed",
    "folded:": "the run ends in a singular pose, where the motion is not determined; begin elsewhere or faster, change the "
    "motion, or name other velocities in the description",
    "step:more": "take esdirk4 or sdirk2 for stiff equations, or a larger tolerance, or allow more with most_steps=",
    "step:": "nothing passes the error test: Coulomb friction without smoothing (smooth it), a singularity, or a tolerance that "
    "rounding does not allow (raise it)",
    "not_converged:Newton": "take a shorter step or a larger tolerance",
    "singular:Newton": "take a shorter step",
    f"not_finite:{SPRING}": "the two points of the spring coincide, where its force has no direction: begin elsewhere, or move "
    "one of its points",
    "not_finite:controller": "the controller gave no finite force at that time: look at its gains and at what it returns",
    "controller failed": "the controller's own function raised an error at that time, or returned no numbers, as is shown",
}


def remedy(run: "Run") -> str:
    """What to do, in words; "" for a run that finished."""
    if run.info.finished:
        return ""
    unstable = next((text for _, text in run.info.events if text.startswith("control: ")), "")
    if unstable:  # wherever it ended: that is where deformations without end came to
        return unstable.removeprefix("control: ")
    rough = rough_joints(run.model.mechanism, run.design) if run.stopped.startswith("not_converged:Newton") else {}
    if rough:
        return f"Coulomb friction of {', '.join(rough)} is not smoothed: leave smoothing= of simulate at 'auto', or give a width"
    on_clock = isinstance(run.info.controller, Mapping) and "period" in run.info.controller
    if on_clock and run.stopped.startswith("folded:") and "get through" in run.stopped:
        return (
            "forces of a controller on a clock change within the singular pose; take a longer period, or the law itself (without "
            "a clock), which is smooth there"
        )
    if run.stopped.startswith(("folded:", "not_finite:state")):  # what a run that grows without end comes upon first
        fast = _too_fast(run)
        if fast:
            return fast
    near = _near_singular(run)
    if near:
        return near
    for begin, text in REMEDIES.items():
        if run.stopped.startswith(begin):
            return text
    fast = _too_fast(run)
    if fast:
        return fast
    code = run.stopped.partition(":")[0].upper()
    return EXPLANATION[Status[code]] if code in Status.__members__ else "look at the last states of the run"


def _near_singular(run: "Run") -> str:
    """Where a step failed beside a singularity."""
    if not run.stopped.startswith(("not_converged:Newton", "singular:Newton", "step:too", "not_finite:state")):
        return ""
    distance, place = nearest_loop(run.model, run.q[-1], run.design)
    if not distance < NEAR:
        return ""
    return (
        f"the robot is near a singularity of {place} (distance {distance:.2g}) and no step leads over it: "
        f"{EXPLANATION[Status.FOLDED]}; take dp5 with a small tolerance, or other velocities in the description"
    )


def _too_fast(run: "Run") -> str:
    """Where equal explicit steps are too long for the stiffest mode of a flexible robot."""
    method, step = run.info.settings.get("method"), run.info.settings.get("step")
    known = METHODS.get(str(method))
    if known is None or known.adaptive or known.limit == np.inf:
        return ""
    if not run.layout.v_elastic or not isinstance(step, int | float):
        return ""
    from gough.analysis.modes import natural_frequencies

    try:
        found = natural_frequencies(run.model, about="undeformed").frequencies_hz
    except GoughError:
        return ""
    largest = float(np.max(found, initial=0.0))
    limit = known.longest_step(largest)
    if step <= limit:
        return ""
    return (
        f"the step of {step:g} s is too long for the stiffest mode ({largest:.5g} Hz): {method} needs less than {limit:.3g} s; "
        f"or take dp5, which chooses its steps, or {stable_with_any()}, which are stable with any"
    )
