"""CVODE on robots: against SciPy and published numbers; loops that open, friction that sticks, poses that are singular, and a
library that is not there. Errors over tolerances: test_orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from gough.simulation.integration import _sundials as sundials
from inner.simulation import remedy
from laws.subjects import built

METHODS = ("cvode", "cvode_bdf")


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    pytest.importorskip("sksundae", reason="scikit-sundae is not installed (pip install 'gough[sundials]')")


@pytest.mark.parametrize("method", METHODS)
def test_four_bars_through_singular_poses(method: str) -> None:
    """As in test_simulate: B0 at 10 s of the benchmark."""
    model = built(gough.load("four_bar_chain"))
    run = gough.simulate(model, duration=10.0, v=[1.0], method=method, tolerance=1e-11)
    assert run.stopped == "finished"
    assert abs(np.sin(run.q[-1, 0]) - 0.3284581115) < 1e-6
    assert abs(run.v[-1, 0] * np.cos(run.q[-1, 0]) - 1.4230514702) < 1e-6
    summary = run.summary()
    assert summary["energy_error"] * summary["energy_exchanged_J"] < 1e-6
    assert summary["closure_error"] < 1e-10


def test_andrews() -> None:
    """Andrews' squeezing mechanism at 0.03 s, IVP Test Set."""
    model = built(gough.load("andrews"))
    run = gough.simulate(model, None, gough.laws.Free((0.033,)), duration=0.03, method="cvode", tolerance=1e-13)
    found = dict(zip(model.layout.q_names, run.q[-1], strict=True))
    for name, value in {"beta": 15.81077119629904, "theta": -15.75637105984298, "epsilon": 1.048080741042263}.items():
        assert abs(found[name] - value) < 1e-8, name


@pytest.mark.quick_cases("cvode_bdf")
@pytest.mark.parametrize("method", METHODS)
def test_prescribed_drives_of_a_flexible_robot(method: str) -> None:
    """Kinks, stiff elastic coordinates and smoothed friction, against dp5: two methods with no formula in common."""
    scenario = gough.load_scenario("briot2014_square").with_(duration=0.1, every=1, step=None)
    one = scenario.with_(method="dp5", tolerance=1e-12).run()
    two = scenario.with_(method=method, tolerance=1e-12).run()
    assert two.stopped == "finished" and two.summary()["closure_error"] < 1e-10
    times = np.linspace(0, 0.1, 101)
    apart = np.abs(one.resample(times)["elastic"] - two.resample(times)["elastic"]).max()
    assert apart < 1e-8 * np.abs(one["elastic"]).max()
    assert two.summary()["energy_error"] < 1e-9
    assert np.abs(two.tau[-1] - one.tau[-1]).max() < 1e-7 * np.abs(one.tau).max()


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_controllers_with_states_of_their_own(method: str) -> None:
    model = built(gough.load("flexible_slider_crank"))
    first = model.home[model.drive_index]
    move = gough.motions.quintic(drives=[first, first + 0.5], durations=0.1)
    law = gough.laws.ComputedTorque(stiffness=400, damping=40, elastic="simulated")
    one, two = (gough.simulate(model, move, law, method=m, tolerance=1e-11) for m in ("dp5", method))
    assert two.stopped == "finished"
    assert np.abs(one.q[-1] - two.q[-1]).max() < 1e-9  # of bendings of 3e-7
    states = "controller.states"
    assert np.abs(one[states][-1] - two[states][-1]).max() < 1e-4 * np.abs(one[states]).max()  # measured 1e-5


def test_states_kept_and_counted() -> None:
    model = built(gough.load("five_bar"))
    asked: dict[str, Any] = {"duration": 0.2, "method": "cvode", "tolerance": 1e-10}
    every, some = (gough.simulate(model, None, gough.laws.Free((0.2, -0.1)), every=n, **asked) for n in (1, 7))
    assert every.info.settings["steps"] == len(every) - 1 and (np.diff(every.time) > 0).all()
    assert len(some) == len(every.time[:-1:7]) + 1
    np.testing.assert_array_equal(some.q[-1], every.q[-1])
    with pytest.raises(UsageError, match="tolerance"):
        gough.simulate(model, duration=0.2, method="cvode", tolerance=0.0)
    short = gough.simulate(model, None, gough.laws.Free((0.2, -0.1)), step=1e-3, **asked)
    assert np.diff(short.time).max() < 1e-3 * (1 + 1e-9)
    assert gough.simulate(model, most_steps=1, **asked).stopped.startswith("step:more than 1 ")


def test_loops_that_open_are_closed_and_the_run_goes_on(limits) -> None:
    limits(cvode_drift=1e-9, march_fewest=10, march_most=10)
    model, v = built(gough.load("pedrammehr2012")), np.full(6, 0.3)
    tau = gough.laws.Free((300.0,) * 6)
    run = gough.simulate(model, None, tau, duration=0.1, v=v, method="cvode", tolerance=1e-8)
    truth = gough.simulate(model, None, tau, duration=0.1, v=v, tolerance=1e-11)
    assert run.stopped == "finished" and run.summary()["closure_error"] < 1e-10
    assert np.abs(run.q[-1] - truth.q[-1]).max() < 1e-5


@pytest.mark.parametrize("method", METHODS)
def test_friction_without_smoothing_is_named(method: str) -> None:
    model = built(gough.load("dualemps_refined"))
    run = gough.simulate(model, "briot2014_square", duration=0.05, method=method, smoothing="described")
    assert run.stopped.startswith("sticking:q") and "smoothing" in remedy(run)


def test_a_fold_ends_a_run_with_its_reason() -> None:
    """Two motors push against each other until the loop folds, and through it: what is kept is closed, whatever follows."""
    model = built(gough.load("five_bar"))
    run = gough.simulate(model, None, gough.laws.Free((3.0, -3.0)), duration=1.0, method="cvode", tolerance=1e-8)
    assert np.isfinite(run.q).all() and run.summary()["closure_error"] < 1e-10
    if run.stopped != "finished":
        assert " at t = " in run.stopped and remedy(run)


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    sundials.sundials.cache_clear()
    monkeypatch.setattr(sundials, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'gough\[sundials\]'"):
        gough.simulate(built(gough.load("five_bar")), duration=0.1, method="cvode")
    monkeypatch.undo()
    assert sundials.sundials().version[0] >= sundials.OLDEST
