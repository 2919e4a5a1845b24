"""How wrong runs say they are, against a pendulum that SciPy integrates; stored intervals; units of elastic coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from laws.subjects import built


@pytest.fixture(scope="module")
def chain() -> gough.Model:
    return built(gough.load("four_bar_chain"))


def true_error(run: gough.Run) -> float:
    """Largest error of the first angle: [(N+1)/3 + N] θ̈ = [(N+1)/2 + N] g sin θ, N = 2."""

    def pendulum(_: float, x: np.ndarray) -> list[float]:
        return [x[1], (1.5 + 2) / (1 + 2) * 9.81 * np.sin(x[0])]

    found = solve_ivp(pendulum, (0, 0.5), [0.0, 1.0], "DOP853", rtol=1e-13, atol=1e-14, dense_output=True).sol
    return float(np.abs(run.q[:, 0] - found(run.time)[0]).max())


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("dp5", {"tolerance": 1e-7}),
        ("dp5", {"tolerance": 1e-4}),
        ("rk4", {"step": 5e-3}),
        ("esdirk4", {"step": 1e-2, "tolerance": 1e-10}),
        ("sdirk2", {"step": 5e-3, "tolerance": 1e-10}),
    ],
)
def test_a_second_run_tells_the_error(chain: gough.Model, method: str, more: dict) -> None:
    """Equal steps: to a few per cent. Steps by the error: to a tenth."""
    asked = {"duration": 0.5, "v": [1.0], "method": method, **more}
    run = gough.simulate(chain, estimate=True, **asked)
    assert run.info.error_estimate == pytest.approx(true_error(run), rel=0.1)
    assert "a second run with" in run.info.settings["estimated_by"]
    assert run.summary()["error_estimate"] == run.info.error_estimate
    once = gough.simulate(chain, **asked)
    np.testing.assert_array_equal(once.q, run.q)
    if method == "rk4":
        assert once.info.error_estimate is None
    else:
        assert once.info.error_estimate is not None
        assert once.info.error_estimate > 0.5 * true_error(once)


@pytest.mark.parametrize("method", ["rk4", "esdirk4", "sdirk2"])
def test_every_so_many_steps(chain: gough.Model, method: str) -> None:
    """The states of the run that keeps all of them, and the last one."""
    asked = {"duration": 0.1, "v": [1.0], "method": method, "step": 1e-3}
    all_of_them, some = gough.simulate(chain, **asked), gough.simulate(chain, every=7, **asked)
    np.testing.assert_allclose(some.time, [*np.arange(0, 100, 7) * 1e-3, 0.1], atol=1e-12)
    rows = [int(np.abs(all_of_them.time - t).argmin()) for t in some.time]
    np.testing.assert_allclose(some.q, all_of_them.q[rows], atol=1e-14)
    np.testing.assert_allclose(some.tau, all_of_them.tau[rows], atol=1e-12)


def test_every_over_kinks_and_halved_steps() -> None:
    """Pieces of a motion begin with a stored state; steps that are divided do not shift the others."""
    scenario = gough.load_scenario("briot2014_square").with_(method="esdirk4", step=5e-3, duration=2.0)
    all_of_them, some = scenario.with_(every=1).run(), scenario.with_(every=10).run()
    assert len(some) < len(all_of_them) / 5
    assert set(some.time.round(9)) <= set(all_of_them.time.round(9))
    rows = [int(np.abs(all_of_them.time - t).argmin()) for t in some.time]
    np.testing.assert_allclose(some.q, all_of_them.q[rows], atol=1e-12)


def test_units_of_elastic_coordinates() -> None:
    def still(name: str) -> gough.Run:
        model = built(gough.load(name))
        zero = np.zeros((1, model.layout.nv))
        return gough.Run.from_states(model, [0.0], model.home[None], zero, np.zeros((1, len(model.mechanism.drives))))

    run = still("dualemps_refined")
    assert run.unit("link13.tip.x") == "m"
    assert run.unit("link13.tip.rz") == "rad"
    assert run.unit("v.link13.tip.rz") == "rad/s"
    assert run.unit("a.link13.tip.x") == "m/s2"
    run = still("spin_up_beam")
    assert run.unit("beam.mode1") == "m kg^0.5"
    assert run.unit("v.beam.mode1") == "m kg^0.5/s"
