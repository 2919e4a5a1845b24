"""Loads from outside during a run: rest where the drives carry them, work and energy in balance."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import laws
from gough.errors import UsageError
from laws.subjects import built
from simulation.sliders import MASS, slider


def test_a_force_on_a_slider_does_force_times_way() -> None:
    """5 N along the slide, at a point beside it: x = F t²/2m; other forces and moments do nothing."""
    model = slider()
    run = gough.simulate(model, duration=1.0, wrench={"block.tool": [7.0, -3.0, 5.0, 1.0, 2.0, 3.0]})
    np.testing.assert_allclose(run.q[:, 0], 0.5 * 5.0 / MASS * run.time**2, atol=1e-12)
    np.testing.assert_allclose(run["work.wrench"], 5.0 * run.q[:, 0], atol=1e-12)
    assert run.summary()["energy_error"] < 1e-12


def test_a_platform_at_rest_under_its_load() -> None:
    """Drive forces of the inverse model with a wrench hold it; without the wrench they do not."""
    model = built(gough.load("long2014_rigid"))
    load = np.array([200.0, -100.0, -400.0, 20.0, -30.0, 10.0])
    tau = model.inverse_dynamics(model.home, np.zeros(6), np.zeros(6), load).tau
    run = gough.simulate(model, None, laws.Free(tau), duration=0.02, wrench=load)
    np.testing.assert_allclose(run.q[-1], model.home, atol=1e-9)
    loose = gough.simulate(model, None, laws.Free(tau), duration=0.02)
    assert np.abs(loose.q[-1, :3] - model.home[:3]).max() > 1e-4


@pytest.mark.slow
def test_a_flexible_beam_is_pushed_at_its_tip() -> None:
    """In equilibrium under the load, hub held: nothing moves, the drive gives force × arm; let go, energies are in balance."""
    model = built(gough.load("spin_up_beam"))
    load = {"beam.tip": [0.0, 30.0, 0.0, 0.0, 0.0, 0.0]}
    first = model.home[model.drive_index][0]
    stand = gough.motions.function(lambda t: [first + 0.0 * t], 0.2, kind="drives", names=["hub"])
    run = gough.simulate(model, stand, start="static", wrench=load, method="esdirk4", step=1e-3)
    still = run.q[:, model.layout.elastic]
    assert np.abs(still).max() > 1e-3
    np.testing.assert_allclose(still, still[0] * np.ones((len(run), 1)), atol=1e-7 * np.abs(still).max())
    np.testing.assert_allclose(run.tau[-1], -30.0 * run["beam.tip.pose"][-1, 0], rtol=1e-3)
    bent = gough.static_equilibrium(model, wrench=load).elastic
    np.testing.assert_allclose(still[0], bent, rtol=1e-9, atol=1e-15)
    # until 0.1 s: towards 0.1418 s its mass matrix becomes singular (least eigenvalue 4e-9 from 4e-4), and every method stops
    free = gough.simulate(model, None, duration=0.1, wrench=load, method="esdirk4", step=5e-4)
    assert free.stopped == "finished"
    assert free["work.wrench"][-1] > 0.1
    assert free.summary()["energy_error"] < 1e-5


def test_bad_wrenches() -> None:
    model = slider()
    for wrench, words in (
        ([0.0] * 6, "no platform"),
        ({"block.tool": [1.0, 2.0]}, "six finite"),
        ({"block.tool": [np.nan] * 6}, "six finite"),
        ({"gripper": [0.0] * 6}, "gripper"),
    ):
        with pytest.raises(UsageError, match=words):
            gough.simulate(model, duration=0.1, wrench=wrench)
    with pytest.raises(UsageError, match="flexible"):
        gough.simulate(built(gough.load("long2014")), duration=0.1, wrench=[0.0] * 6)
