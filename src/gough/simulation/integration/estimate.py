"""How wrong a run is, by another run that is more exact: half the step, and a hundredth of the tolerance where there is one."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.kinematics.retraction import step_units
from gough.simulation.control.sampled import Sampled
from gough.simulation.integration.marchings import EQUAL_STEP, LONGEST_STEP
from gough.simulation.integration.methods import method_named

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

FINER = 0.01
"""Tolerance of the second run over that of the first, for methods that choose their steps."""
FINEST = 1e-14


def estimated(simulate: "Callable[..., Run]", asked: dict[str, Any]) -> "Run":
    """The run that was asked for, with its error estimated by a second one."""
    method = method_named(asked["method"])
    law = asked["controller"]
    if isinstance(law, Sampled) and not law.can_start_anew:
        raise UsageError(
            "estimate=True runs the controller a second time: a function that remembers something would go on where it was. Give "
            "gough.laws.Sampled(function, period, reset=…), which puts it back (reset=lambda: None where it remembers nothing)"
        )
    run = simulate(**asked)
    if method.adaptive:
        finer = {"tolerance": max(FINER * asked["tolerance"], FINEST), "step": 0.5 * (asked["step"] or LONGEST_STEP)}
        share, how = 1.0, f"a tolerance of {finer['tolerance']:.3g} and steps up to {finer['step']:.3g} s"
    else:
        step = asked["step"] or EQUAL_STEP
        finer = {"step": 0.5 * step, "every": 2 * asked["every"]}
        share, how = 1.0 / (1.0 - 0.5**method.order), f"steps of {0.5 * step:.6g} s"
    other = simulate(**asked | finer | {"check": "off"})
    error = share * difference(run, other)
    return run.described(
        error_estimate=error, settings={**run.info.settings, "estimated_by": f"a second run with {how}"}
    )


def difference(run: "Run", other: "Run") -> float:
    """Largest difference of q at the stored times that both runs have: of lengths over the robot's size, of angles in rad, of
    elastic coordinates over a large amplitude."""
    t, last = np.unique(run.time[::-1], return_index=True)
    here = (len(run.time) - 1 - last)[t <= other.time[-1]]
    from gough.simulation.results.resample import resample

    then = resample(other, t[t <= other.time[-1]], None, tell=False)
    return float((np.abs(run.q[here] - then.q) / _sizes(run)).max(initial=0.0))


def _sizes(run: "Run") -> np.ndarray:
    """Typical sizes of the entries of q (nq,), as error tests have them."""
    mechanism = run.model.mechanism
    tree = step_units(mechanism, run.model.size)
    q = np.ones(run.layout.nq)
    for link in mechanism.links:
        for place, rate in link.plain:
            q[place] = tree[rate]
        if link.elastic is not None:
            q[link.elastic.coordinates] = tree[link.elastic.columns]
    return q
