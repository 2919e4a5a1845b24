"""Drive forces along the papers' motions beside the numbers known of them from other models."""

import warnings
from functools import cache

import numpy as np
import pytest

import gough
from gough_papers.along import PATHS, known_forces, run_along
from gough_papers.fried.paper import static_force
from gough_papers.lopes.paper import COMPLETE_MINUS_SIMPLIFIED, ONE_WAY


@cache
def model(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


@pytest.mark.parametrize("name", PATHS)
def test_known_forces(name):
    tau = run_along(model(PATHS[name].robot), name).tau
    found = known_forces(name, tau)
    assert found and all(c.within for c in found)
    assert not any(c.within for c in known_forces(name, 1.001 * tau) + known_forces(name, np.nan * tau))


@pytest.mark.parametrize("duration", COMPLETE_MINUS_SIMPLIFIED)
def test_complete_minus_simplified(duration):
    complete, simplified = (
        run_along(model(robot), "lopes_p1p2p1", slower=duration / ONE_WAY).tau
        for robot in ("lopes", "lopes_simplified")
    )
    known, tolerance = COMPLETE_MINUS_SIMPLIFIED[duration]
    assert abs(np.abs(complete - simplified).max() - known) <= tolerance


def test_static_force_of_fried():
    m, still = model("fried"), np.zeros(6)
    np.testing.assert_allclose(m.inverse_dynamics(m.home, still, still).tau, static_force(), rtol=0, atol=1e-9)
