"""How wrong a run is, by another run that is more exact: half the step, and a hundredth of the tolerance where there is one."""

from dataclasses import replace

import numpy as np

from gough.errors import UsageError
from gough.kinematics.retraction import coordinate_sizes
from gough.simulation.control.sampled import Sampled
from gough.simulation.results.resample import resample
from gough.simulation.results.run import Run
from gough.simulation.run.settings import RunSettings

FINER = 0.01
"""Tolerance of the second run over that of the first, for methods that choose their steps."""
FINEST = 1e-14


def finer_settings(settings: RunSettings) -> RunSettings:
    """Those of the second run; UsageError where there can be none."""
    law = settings.controller
    if isinstance(law, Sampled) and not law.can_start_anew:
        raise UsageError(
            "estimate=True runs the controller a second time: a function that remembers something would go on where it was. Give "
            "gough.laws.Sampled(function, period, reset=…), which puts it back (reset=lambda: None where it remembers nothing)"
        )
    half = 0.5 * settings.taken_step
    if settings.method.adaptive:
        return replace(settings, step=half, tolerance=max(FINER * settings.tolerance, FINEST), check="off")
    return replace(settings, step=half, every=2 * settings.every, check="off")


def with_estimate(run: Run, other: Run, settings: RunSettings, finer: RunSettings) -> Run:
    """A run with its error estimated by another one that is finer."""
    if settings.method.adaptive:
        share, how = 1.0, f"a tolerance of {finer.tolerance:.3g} and steps up to {finer.taken_step:.3g} s"
    else:
        share, how = 1.0 / (1.0 - 0.5**settings.method.order), f"steps of {finer.taken_step:.6g} s"
    error = share * difference(run, other)
    return run.described(
        error_estimate=error, settings={**run.info.settings, "estimated_by": f"a second run with {how}"}
    )


def difference(run: Run, other: Run) -> float:
    """Largest difference of q at the stored times that both runs have: of lengths over the robot's size, of angles in rad, of
    elastic coordinates over a large amplitude."""
    t, last = np.unique(run.time[::-1], return_index=True)
    here = (len(run.time) - 1 - last)[t <= other.time[-1]]
    sizes = coordinate_sizes(run.model.mechanism, run.model.size)
    then = resample(other, t[t <= other.time[-1]], None, tell=False)
    return float((np.abs(run.q[here] - then.q) / sizes).max(initial=0.0))
