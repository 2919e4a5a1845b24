"""Leapfrog steps with corrected frequencies, against closed forms of vibrations and adaptive runs of other methods."""

from functools import lru_cache

import numpy as np
import pytest

import gough
from gough import motions, simulate
from gough.errors import UsageError
from gough.laws import ComputedTorque, Follow, Free
from inner.robot import change_friction
from laws.subjects import built

SMALL = 1e-9
"""Amplitude of vibrations (m, rad), so small that everything is linear."""


@lru_cache
def vibrating() -> tuple[gough.Model, np.ndarray, np.ndarray]:
    """A flexible robot without friction; its angular frequencies with drives held, and their elastic shapes (columns)."""
    model = built(change_friction(gough.load("dualemps"), coulomb=0.0, viscous=0.0))
    n, nv = model.layout.mobility, model.layout.nv
    steps = np.zeros((2, nv - n, nv))
    steps[0, :, n:], steps[1, :, n:] = np.eye(nv - n), -np.eye(nv - n)
    q = model.integrate(model.home, steps, 1e-6)
    forces = np.asarray(model.bias_force(q, np.zeros(nv)))[..., n:]
    K = ((forces[0] - forces[1]) / 2e-6).T
    M = np.asarray(model.mass_matrix(model.home))[n:, n:]
    squares, shapes = np.linalg.eig(np.linalg.solve(M, K))
    order = np.argsort(squares.real)
    return model, np.sqrt(squares.real[order]), shapes.real[:, order]


def held(model: gough.Model, duration: float) -> motions.Motion:
    """Drives that stay where they are at home."""
    there = model.home[model.drive_index]
    return motions.quintic(drives=[there, there], times=[0, duration])


def vibration(mode: int, turns: float, per_turn: float, begins: str) -> float:
    """Largest error of a run of one mode, over its amplitude: `turns` periods, `per_turn` steps a period.

    begins: bent ("cosine") or with a velocity ("sine"). Positions and velocities are compared.
    """
    model, omega, shapes = vibrating()
    w, shape = omega[mode], shapes[:, mode] / np.abs(shapes[:, mode]).max()
    n, nv = model.layout.mobility, model.layout.nv
    first = np.zeros(nv)
    first[n:] = SMALL * shape
    end = turns * 2 * np.pi / w
    bent = begins == "cosine"
    q, v = model.integrate(model.home, first if bent else 0.0 * first), 0.0 * first if bent else w * first
    run = simulate(model, held(model, end), Follow(), q=q, v=v, method="leapfrog", step=2 * np.pi / w / per_turn)
    assert run.stopped == "finished"
    phase = w * run.time[:, None]
    place, speed = (np.cos, lambda x: -np.sin(x)) if bent else (np.sin, np.cos)
    elastic, rates = run["elastic"] - model.home[model.layout.elastic], run.v[:, n:]
    errors = np.abs(elastic / SMALL - place(phase) * shape), np.abs(rates / (w * SMALL) - speed(phase) * shape)
    return float(max(x.max() for x in errors))


@pytest.mark.parametrize("begins", ["cosine", "sine"])
def test_the_fastest_vibration_is_of_fourth_order(begins: str) -> None:
    """Ten periods of the stiffest mode: other modes are stable then, and errors are those of its phase."""
    last = len(vibrating()[1]) - 1
    errors = np.array([vibration(last, 10, n, begins) for n in (8, 16, 32)])
    orders = np.log2(errors[:-1] / errors[1:])
    assert (orders > 3.7).all() and (orders < 4.3).all(), (errors, orders)
    assert errors[-1] < 2e-4, errors


def test_stable_as_far_as_the_formula_says() -> None:
    """cos ωh = 1 - x/2 + x²/24 stays above -1 for x = (ωh)² < 12."""
    model, omega, _ = vibrating()
    longest = np.sqrt(12.0) / omega[-1]
    start = np.zeros(model.layout.nv)
    start[model.layout.mobility :] = SMALL
    q = model.integrate(model.home, start)
    largest = []
    for factor in (0.99, 1.02):
        run = simulate(model, held(model, 400 * longest), Follow(), q=q, method="leapfrog", step=factor * longest)
        grown = (
            run.stopped != "finished" or np.abs(run["elastic"] - model.home[model.layout.elastic]).max() > 100 * SMALL
        )
        largest.append(grown)
    assert largest == [False, True]


@pytest.mark.quick_cases("five_bar", "four_bar_chain")
@pytest.mark.parametrize(
    "name",
    ["five_bar", "four_bar_chain", "three_rrr", *(pytest.param(n, marks=pytest.mark.slow) for n in ("delta", "lopes"))],
)
def test_second_order(name: str) -> None:
    """Robots led by drives and by their platform, let go with a velocity, against an adaptive run."""
    model = built(gough.load(name))
    v = 0.3 * model.size * np.random.default_rng(3).standard_normal(model.layout.nv)
    v[3:] *= 1.0 if model.layout.n_pose == 0 else 1.0 / model.size
    truth = simulate(model, None, Free(), v=v, duration=0.05, tolerance=1e-12)
    errors, opens = [], []
    for steps in (20, 40, 80):
        run = simulate(model, None, Free(), v=v, duration=0.05, method="leapfrog", step=0.05 / steps)
        assert run.stopped == truth.stopped == "finished"
        errors.append(np.abs(run.q[-1] - truth.q[-1]).max() + np.abs(run.v[-1] - truth.v[-1]).max() * 0.05)
        opens.append(run.summary()["closure_error"])
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert (orders > 1.8).all(), (errors, orders)
    assert max(opens) < 1e-10, opens


@pytest.mark.slow
def test_a_vibrating_robot_on_its_way() -> None:
    """The square of DualEMPS with friction, 0.4 s, against an adaptive run; and storing less changes nothing."""
    scenario = gough.load_scenario("briot2014_square").with_(duration=0.4)
    truth = scenario.with_(method="dp5", step=None, tolerance=1e-9, every=1).run()
    run = scenario.with_(method="leapfrog", step=5e-5, every=1).run()
    rare = scenario.with_(method="leapfrog", step=5e-5, every=8).run()
    times, first = np.unique(run.time, return_index=True)
    there = truth.resample(times)["elastic"]
    size = np.abs(truth["elastic"]).max()
    assert np.abs(run["elastic"][first] - there).max() < 3e-4 * size
    shared = np.isin(np.round(run.time / 5e-5), np.round(rare.time / 5e-5))
    assert len(rare) < len(run) / 7
    np.testing.assert_array_equal(np.unique(rare.q, axis=0), np.unique(run.q[shared], axis=0))
    assert run.summary()["energy_error"] < 1e-5 and run.summary()["closure_error"] < 1e-10


def test_what_it_cannot_do() -> None:
    model = built(gough.load("flexible_slider_crank"))
    law = ComputedTorque(100.0, 20.0, elastic="simulated")
    motion = held(model, 0.1)
    with pytest.raises(UsageError, match=r"own states of a controller .*; take rk4"):
        simulate(model, motion, law, method="leapfrog")
