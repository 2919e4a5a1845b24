"""Functions that are recorded where they are formulas, and called where they do more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough import laws
from gough.errors import UsageError
from gough.sensors import Encoders
from simulation.python_loop import GOAL, KD, KP, T, mass, simulated, stand

GAINS = np.array([KP, KD])


def spring(error: float, rate: float) -> Any:
    return GAINS[0] * error - GAINS[1] * rate


def formula(t: Any, q: Any, v: Any, reference: Any) -> Any:
    return [spring(reference.position[0] - q[0], v[0]) + 0.1 * np.sin(50.0 * t)]


def test_a_function_that_is_a_formula_is_recorded() -> None:
    """It is the loop in plain Python, many runs at once and behind sensors too; and the run says so."""
    counted = [0.0]

    def force(k: int, x: float, v: float) -> float:
        counted[0] += 1
        return KP * (GOAL - x) - KD * v + 0.1 * float(np.sin(50.0 * k * T))

    law = laws.Sampled(formula, T, 3e-4, sensors=Encoders(resolution=1e-5))
    run = gough.simulate(mass(), stand(0.1), law, q=[0.0], method="rk4", step=1e-4)
    times, places, _ = simulated(0.1, force=force, encoders=Encoders(resolution=1e-5), delay=3e-4)
    at = np.searchsorted(times, run.time + 1e-9) - 1
    np.testing.assert_allclose(run.q[:, 0], places[at], atol=1e-9)
    many = gough.simulate_many(mass(), np.zeros((2, 1)), motion=stand(0.1), controller=law, step=1e-4)
    np.testing.assert_allclose(many.end_q[:, 0], run.q[-1, 0], atol=1e-13)
    assert run.info.controller is not None and run.info.controller["asked"] == "in the time loop"


def test_functions_that_do_more_are_called() -> None:
    """Those that remember, branch, draw or tell: the run says why."""
    told, total = [], np.zeros(1)

    class Object:
        def __call__(self, t: Any, q: Any, v: Any, r: Any) -> Any:
            return [1.0]

    def telling(t: Any, q: Any, v: Any, r: Any) -> Any:
        told.append(t)
        return [-q[0]]

    def summing(t: Any, q: Any, v: Any, r: Any) -> Any:
        total[0] += 1.0
        return [-q[0] + total[0]]

    def branching(t: Any, q: Any, v: Any, r: Any) -> Any:
        return [1.0 if q[0] > 0 else 2.0]

    def drawing(t: Any, q: Any, v: Any, r: Any) -> Any:
        return [np.random.normal()]  # noqa: NPY002

    def saying(t: Any, q: Any, v: Any, r: Any) -> Any:
        print("here")
        return [-q[0]]

    reasons = {
        Object(): "object",
        telling: "reads told",
        summing: "stores",
        branching: "traced value",
        drawing: "random",
        saying: "calls print",
    }
    for function, words in reasons.items():
        run = gough.simulate(mass(), stand(0.01), laws.Sampled(function, T), q=[0.1], method="rk4", step=T)
        assert run.info.controller is not None and words in run.info.controller["of"]["called"], function
        with pytest.raises(UsageError, match=words):
            gough.simulate(mass(), stand(0.01), laws.Sampled(function, T, sensors=Encoders()), q=[0.1], method="rk4")
        with pytest.raises(UsageError, match=words):
            gough.simulate_many(mass(), motion=stand(0.01), controller=laws.Sampled(function, T))
    assert len(told) == 5 and all(isinstance(t, float) for t in told) and total[0] == 5.0
