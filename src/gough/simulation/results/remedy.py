"""What to do about a run that ended early."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.modes import natural_frequencies
from gough.compilation.status import CONTRADICTION, NO_INERTIA
from gough.errors import EXPLANATION, GoughError, Site, Status
from gough.kinematics.retraction import step_units
from gough.simulation.events import End, Ending, Happening
from gough.simulation.integration.crossing import NEAR, nearest_loop
from gough.simulation.integration.method import Method
from gough.simulation.integration.methods import METHODS, stable_with_any
from gough.simulation.integration.smoothing import rough_joints

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

REMEDIES: dict[tuple[Status, Site | None], str] = {
    (Status.STICKING, None): (
        "the joint reverses at every step: leave smoothing= of simulate at 'auto', or give the speed below which its friction is "
        "to be smoothed"
    ),
    (Status.FOLDED, None): (
        "the run ends in a singular pose, where v does not determine the motion; begin elsewhere or faster, change the motion, "
        "or name others that hold there in the description (velocities:)"
    ),
    (Status.STEP, Site.MORE_STEPS): (
        "take esdirk4 or sdirk2 for stiff equations, or a larger tolerance, or allow more with most_steps="
    ),
    (Status.NOT_CONVERGED, Site.NEWTON): "take a shorter step or a larger tolerance",
    (Status.SINGULAR, Site.NEWTON_MATRIX): "take a shorter step",
    (Status.SINGULAR, Site.NO_INERTIA): NO_INERTIA,
    (Status.OPEN_LOOP, Site.CONTRADICTION): CONTRADICTION,
    (Status.NOT_FINITE, Site.SPRING): (
        "the two points of the spring coincide, where its force has no direction: begin elsewhere, move one of its "
        "points, or give it a clearance"
    ),
    (Status.NOT_FINITE, Site.CONTROLLER): (
        "the controller gave no finite force at that time: look at its gains and at what it returns"
    ),
}
"""What to do about failures, by status and site (None: any)."""
GROWN = (Status.SINGULAR, Status.FOLDED, Status.NOT_FINITE, Status.OPEN_LOOP, Status.RESIDUAL, Status.LARGE_DEFLECTION)
"""What ends a run whose velocities grow without end."""
OF_STEPS = (
    "nothing passes the error test: Coulomb friction without smoothing (smooth it), a singularity, or a tolerance that "
    "rounding does not allow (raise it)"
)
OTHER_ENDS = {
    End.INTERRUPTED: "all states until then are kept",
    End.CONTROLLER_FAILED: "the controller's own function raised an error at that time, or returned no numbers, as is shown",
}
"""What to say of ends that are no failures of the robot's states."""


def ending_remedy(ending: Ending) -> str:
    """What to do about a failure, or an end that is none, in words; "" where nothing is known."""
    if not ending.of_states:
        return OTHER_ENDS.get(ending.end, "")
    status, site = ending.failure.status, ending.failure.site
    return REMEDIES.get((status, site)) or REMEDIES.get((status, None), "")


def remedy(run: "Run") -> str:
    """What to do, in words; "" for a run that finished."""
    if run.info.finished:
        return ""
    ending = run.info.ending
    failure, kind = ending.failure, (ending.failure.status, ending.failure.site)
    unstable = next((event.words for event in run.info.events if event.kind == Happening.CONTROL), "")
    if unstable:  # wherever it ended: that is where deformations without end came to
        return unstable
    newton = kind == (Status.NOT_CONVERGED, Site.NEWTON)
    rough = rough_joints(run.model.mechanism, run.design) if newton else {}
    if rough:
        return f"Coulomb friction of {', '.join(rough)} is not smoothed: leave smoothing= of simulate at 'auto', or give a width"
    on_clock = isinstance(run.info.controller, Mapping) and "period" in run.info.controller
    if on_clock and ending.end == End.NOT_THROUGH:
        return (
            "forces of a controller on a clock change within the singular pose; take a longer period, or the law itself (without "
            "a clock), which is smooth there"
        )
    grown = kind == (Status.NOT_FINITE, Site.STATE)
    blown = failure.status in GROWN and _has_blown_up(run)
    if failure.status == Status.FOLDED or grown or blown:  # what a run that grows without end comes upon first
        fast = _too_fast(run) or (_of_growth(run) if blown else "")
        if fast:
            return fast
    lost = newton or grown or kind in ((Status.SINGULAR, Site.NEWTON_MATRIX), (Status.STEP, Site.STEP_SIZE))
    found = (_near_singular(run) if lost else "") or ending_remedy(ending)
    if not found and failure.status in (Status.NOT_FINITE, Status.OPEN_LOOP) and _equal_steps(run) is not None:
        return _of_growth(run)  # within one step
    found = found or (OF_STEPS if failure.status == Status.STEP else _too_fast(run))
    return found or (EXPLANATION[failure.status] if ending.of_states else "look at the last states of the run")


def _near_singular(run: "Run") -> str:
    """Where a step failed beside a singularity."""
    distance, place = nearest_loop(run.model, run.q[-1], run.design)
    if not distance < NEAR:
        return ""
    return (
        f"the robot is near a singularity of {place} (distance {distance:.2g}) and no step leads over it: "
        f"{EXPLANATION[Status.FOLDED]}; take dp5 with a small tolerance, or other velocities in the description"
    )


def _equal_steps(run: "Run") -> tuple[Method, float] | None:
    """The method and its step (s) where steps are equal and explicit."""
    method, step = METHODS.get(str(run.info.settings.get("method"))), run.info.settings.get("step")
    if method is None or method.adaptive or method.limit == np.inf:
        return None
    return method, float(step) if isinstance(step, int | float) else method.usual_step


def _has_blown_up(run: "Run") -> bool:
    """Whether the last state of equal explicit steps moves by more than the robot's size, or a radian, in a step."""
    found = _equal_steps(run)
    if found is None:
        return False
    step, mechanism = found[1], run.model.mechanism
    unit = step_units(mechanism, run.model.size)[list(mechanism.selection.independent)]
    acceleration = np.zeros(len(unit)) if run.given_acceleration is None else run.given_acceleration[-1]
    moved = (np.abs(run.v[-1]) * step + np.abs(acceleration) * step**2) / unit
    return bool((~(moved < 1.0)).any())


def _of_growth(run: "Run") -> str:
    """Of a run whose velocities grow without end: what was said of its step before it began, else what can be said at all."""
    told = next((event.words for event in run.info.events if event.kind == Happening.STEP), "")
    if told:
        return f"velocities grow without end: {told}"
    return (
        "velocities grow without end, as steps that are too long for what is stiff make them: take a shorter step, or dp5, which "
        f"chooses its steps, or {stable_with_any()}, which are stable with any; or softer gains of a stiff controller"
    )


def _too_fast(run: "Run") -> str:
    """Where equal explicit steps are too long for the stiffest mode of a flexible robot."""
    steps = _equal_steps(run)
    if steps is None or not run.layout.v_elastic:
        return ""
    method, step = steps
    try:
        found = natural_frequencies(run.model, about="undeformed").frequencies_hz
    except GoughError:
        return ""
    largest = float(np.max(found, initial=0.0))
    limit = method.longest_step(largest)
    if step <= limit:
        return ""
    return (
        f"the step of {step:g} s is too long for the stiffest mode ({largest:.5g} Hz): {method.name} needs less than "
        f"{limit:.3g} s; or take dp5, which chooses its steps, or {stable_with_any()}, which are stable with any"
    )
