"""A robot that is exactly where a motion wants it, as a run: nothing is simulated.

States are those of `gough.check_motion`: inverse geometry at even times and at all breaks (kinks twice), drive forces by inverse
dynamics, flexible bodies bent as forces and inertia bend them at rest; what vibrates comes on top. Idle freedoms stand still.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_model, a_motion, checked, design, floats, numbers, whole, wrenches
from gough.errors import BadStateError, Status
from gough.simulation.events import Event, Happening
from gough.simulation.motion.limits import MOST, check_motion
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.report import MotionReport
from gough.simulation.results.run import Run
from gough.simulation.results.tracking import recorded_reference, told_motion

if TYPE_CHECKING:
    from gough.model import Model

FEWEST, EACH_SECOND, USUAL = 400, 50, 20_000
"""Samples where nobody says how many: at least, of a second, at most."""


@checked(model=a_model, motion=a_motion, samples=whole(2, MOST), wrench=wrenches, near=numbers, parameters=design)
def run_along(
    model: "Model",
    motion: Motion,
    *,
    samples: int | None = None,
    wrench: Any = None,
    near: Any = None,
    parameters: Any = None,
) -> Run:
    """The robot along a motion of any kind as a `Run`, without a simulation: `run["pose"]`, `run["drives.force"]`, `run.view()`,
    `run.save("along.csv")` and everything else.

    samples: even ones, beside the breaks; default 400, or 50 a second. wrench, near, parameters: as for `gough.check_motion`,
    whose problems are the run's events. It ends before the first sample that the robot does not get to; BadStateError where that
    is the very first.
    """
    samples = usual_samples(motion) if samples is None else samples
    own = model.parameters_with(parameters) if isinstance(parameters, Mapping) else parameters
    own = None if own is None else floats("parameters", own)
    report = check_motion(model, motion, samples=samples, wrench=wrench, near=near, parameters=own)
    return run_of_report(model, report, wrench, own)


def usual_samples(motion: Motion) -> int:
    """How many are taken where nobody says it."""
    return int(min(max(FEWEST, EACH_SECOND * motion.duration), USUAL))


def run_of_report(model: "Model", report: MotionReport, wrench: Any = None, parameters: Any = None) -> Run:
    """The run of a motion that was checked, of this model under this constant wrench and with these parameters (n,)."""
    bad = np.flatnonzero((report.status != 0) | ~np.isfinite(report.q).all(axis=1))
    count = int(bad[0]) if len(bad) else len(report.t)
    if not count:
        what = report.reach or str(next(iter(report.problems), ""))
        raise BadStateError(f"{report.robot} is nowhere along the motion: {what}; see gough.check_motion", None)
    t, v = report.t[:count], report.v[:count]
    acceleration = np.zeros_like(v)
    acceleration[:, : report.acceleration.shape[1]] = report.acceleration[:count]
    stopped = "finished" if count == len(report.t) else f"{_failure(report, count)} at t = {report.t[count]:.9g} s"
    return Run.from_states(
        model,
        t,
        report.q[:count],
        v,
        report.tau[:count],
        acceleration=acceleration,
        wrench=wrench,
        parameters=parameters,
        recorded=recorded_reference(model.layout, report.motion, t),
        stopped=stopped,
        motion=told_motion(report.motion),
        settings={"method": "none: the robot is where the motion is"},
        events=tuple(Event(p.spans[0][0], Happening.MOTION, str(p)) for p in report.problems),
        notes="\n".join(report.notes),
    )


def _failure(report: MotionReport, k: int) -> str:
    """What is wrong with sample k, as a run says it."""
    if not report.status[k]:
        return "no quasi-static rest"
    here = [p for p in report.problems if p.kind == "reach" and any(a <= report.t[k] <= b for a, b in p.spans)]
    return str(Status(int(report.status[k])).at(here[0].place if here else "motion"))
