"""Newton's matrix as one Jacobian and column by column: the same runs."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from laws.subjects import built


@pytest.mark.quick_cases("esdirk4")
@pytest.mark.parametrize("method", ["esdirk4", "sdirk2"])
def test_by_columns_and_at_once(limits, method: str) -> None:
    scenario = gough.load_scenario("briot2014_square").with_(method=method, step=1e-3, duration=0.1, every=1)
    one = scenario.run()
    limits(newton_columns=0)
    other = scenario.run()
    assert one.stopped == other.stopped == "finished"
    assert one.info.settings["rejected"] == other.info.settings["rejected"]
    size = np.abs(one.q[:, one.layout.elastic]).max()
    np.testing.assert_allclose(one.q, other.q, atol=1e-7 * size)


@pytest.mark.slow
def test_of_a_law_with_states_of_its_own(limits) -> None:
    """Elastic coordinates in the controller: columns of its rates, too."""
    model = built(gough.load("flexible_slider_crank"))
    start = model.home[model.drive_index]
    move = gough.motions.quintic(
        drives={n: [x, x + 0.1] for n, x in zip(model.layout.drive_names, start, strict=True)}, durations=0.1
    )
    law = gough.laws.ComputedTorque(400, 40, elastic="simulated")
    asked = {"method": "esdirk4", "step": 2e-3, "duration": 0.02, "tolerance": 1e-10, "check": "off"}
    one = gough.simulate(model, move, law, **asked)
    limits(newton_columns=0)
    other = gough.simulate(model, move, law, **asked)
    assert one.stopped == other.stopped == "finished"
    np.testing.assert_allclose(one.q, other.q, atol=1e-9 * np.abs(one.q).max())
