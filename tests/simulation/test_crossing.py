"""Isolated singularities: chains of four-bars go through their flat poses (IFToMM A02), with every method, and say when."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough.errors import Status
from gough.simulation.integration.branch import other_branch
from gough.simulation.integration.crossing import nearest_loop
from gough.simulation.results.crossings import crossings
from gough.simulation.results.remedy import remedy
from laws.subjects import built

METHODS = (
    ("dp5", {"tolerance": 1e-10}),
    ("rk4", {"step": 5e-4}),
    ("esdirk4", {"step": 1e-3, "tolerance": 1e-9}),
    ("esdirk4", {"step": 5e-3, "every": 2}),
)


@pytest.fixture(scope="module")
def chain() -> gough.Model:
    return built(gough.load("four_bar_chain"))


@pytest.fixture(scope="module")
def weightless() -> gough.Model:
    """Without gravity its cranks turn evenly, and grid points may lie in flat poses."""
    return built(gough.load("four_bar_chain").model_copy(update={"gravity": (0.0, 0.0, 0.0)}))


@pytest.fixture(scope="module")
def flat() -> np.ndarray:
    """Times at which the pendulum that the chain is, is level: [(N+1)/3 + N] θ̈ = [(N+1)/2 + N] g sin θ, N = 2."""

    def pendulum(_: float, x: np.ndarray) -> list[float]:
        return [x[1], (1.5 + 2) / (1 + 2) * 9.81 * np.sin(x[0])]

    def level(_: float, x: np.ndarray) -> float:
        return np.cos(x[0])

    return solve_ivp(pendulum, (0, 10), [0.0, 1.0], method="DOP853", rtol=1e-12, atol=1e-13, events=level).t_events[0]


@pytest.mark.parametrize(("method", "more"), METHODS)
def test_through_flat_poses(chain: gough.Model, flat: np.ndarray, method: str, more: dict) -> None:
    """B0 and its velocity at 10 s of the benchmark to 1e-6, and all ten crossings with their times."""
    run = gough.simulate(chain, duration=10.0, v=[1.0], method=method, **more)
    assert run.stopped == "finished"
    angle, rate = run.q[-1, 0], run.v[-1, 0]
    found = [np.sin(angle), np.cos(angle), rate * np.cos(angle), -rate * np.sin(angle)]
    limit = 1e-6 if method == "dp5" else 5e-6
    np.testing.assert_allclose(found, [0.3284581115, 0.9445185382, 1.4230514702, -0.4948688455], atol=limit)
    summary = run.summary()
    assert summary["energy_error"] * summary["energy_exchanged_J"] < 2e-6
    assert summary["closure_error"] < 1e-10
    assert summary["bad_states"] == 0
    assert len(flat) == 10
    np.testing.assert_allclose(summary["crossed"], flat, atol=2e-4)
    assert all(what == "crossed: a singularity of pin0, pin1" for _, what in run.crossings)
    behind = run.time[run["status"] == Status.CROSSED]
    assert len(behind) == 10
    assert (behind >= flat - 2e-4).all()
    assert (run["status"][run["status"] != Status.CROSSED] == 0).all()


@pytest.mark.parametrize("method", ["dp5", "rk4", "esdirk4", "sdirk2"])
def test_grid_points_in_a_flat_pose(weightless: gough.Model, tmp_path, method: str) -> None:
    """The fifth of equal steps ends where the chain is flat: it is leaped over, and the cranks turn on evenly."""
    start = weightless.configuration(coordinates={"foot0": np.pi / 2 - 0.5})
    run = gough.simulate(weightless, duration=2.0, q=start, v=[1.0], method=method, step=0.1, tolerance=1e-8)
    assert run.stopped == "finished"
    np.testing.assert_allclose(run.q[:, 0], np.pi / 2 - 0.5 + run.time, atol=1e-7)
    np.testing.assert_allclose(run.v[:, 0], 1.0, atol=1e-7)
    assert [t for t, _ in run.crossings] == pytest.approx([0.5], abs=1e-3)
    if method != "dp5":
        assert any(what == "leap: over a singularity of pin0" for _, what in run.info.events)
        assert 0.5 not in run.time.round(9)
    again = gough.Run.load(run.save(tmp_path / "run.npz"), weightless)
    assert again.crossings == run.crossings
    assert (again["status"] == run["status"]).all()
    assert again.between(1.0, 2.0).crossings == ()


def test_the_other_branch_is_noticed(chain: gough.Model) -> None:
    """Stretched poses: all bars have one length, so the last loop may go on as a parallelogram, or its crank stays level and the
    coupler turns with the crank before."""

    def parallel(away: float) -> np.ndarray:
        angle = away - np.pi / 2
        return np.array([angle, angle, angle, -angle, -angle])

    def folded(away: float) -> np.ndarray:
        angle = away - np.pi / 2
        return np.array([angle, angle, -np.pi / 2, -angle, np.pi / 2])

    t, v = np.array([0.0, 0.02]), np.ones((2, 1))
    for q in (parallel(-0.01), parallel(0.012), folded(0.012)):
        assert chain.closure_error(q) < 1e-14
        assert nearest_loop(chain, q, chain.parameters)[0] < 0.05
    assert not other_branch(chain, t, np.stack([parallel(-0.01), parallel(0.01)]), v, chain.parameters)
    assert other_branch(chain, t, np.stack([parallel(-0.008), folded(0.012)]), v, chain.parameters)
    way = np.array([*(parallel(x) for x in (-0.05, -0.03, -0.01)), *(folded(x) for x in (0.02, 0.04))])
    times, rates = np.array([0.0, 0.02, 0.04, 0.07, 0.09]), np.ones((5, 1))
    events, lost = crossings(chain, times, way, rates, chain.parameters)
    assert events == []
    assert lost is not None
    assert lost[0] == 2
    assert lost[1] in ("foot2", "tip1")


def test_a_singularity_that_is_not_isolated_ends_the_run() -> None:
    """Motors push a five-bar into a pose in which it is stretched: drive rates are no velocities there."""
    model = built(gough.load("five_bar"))
    run = gough.simulate(model, None, gough.laws.Free((3.0, -3.0)), duration=2.0, method="esdirk4")
    assert not run.info.finished
    assert 0.1 < run.time[-1] < 0.3
    assert "near a singularity of pin" in remedy(run)
    assert run.summary()["energy_error"] < 1e-4
    assert np.isfinite(run.q).all()
