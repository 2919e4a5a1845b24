"""The generalised-α method: what it leaves of vibrations, against the matrix of [Chung, Hulbert 1993]; restarts; bad settings.

Its order is measured in test_orders.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gough
from gough import motions
from gough.errors import UsageError
from gough.simulation.integration.methods.generalised_alpha import Weights
from laws.subjects import built
from simulation.sliders import MASS, slider

STEP = 1e-3


@cache
def block() -> gough.Model:
    return slider()


def stand(duration: float) -> gough.Motion:
    return motions.function(lambda t: [0.0 * t], duration, kind="drives", names=["slide"])


def amplification(rho: float, x: float, damping: float = 0.0) -> np.ndarray:
    """Matrix (3, 3) of (d, h v, h² a) in a step of d̈ + 2 ζ ω ḋ + ω² d = 0, x = ωh, as the paper has its equations: balance at two
    times between the steps, Newmark's formulas for d and v."""
    m, f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma, beta = 0.5 - m + f, 0.25 * (1 - m + f) ** 2
    c = 2 * damping * x
    after = np.array([[(1 - f) * x * x, (1 - f) * c, 1 - m], [1, 0, -beta], [0, 1, -gamma]])
    before = np.array([[-f * x * x, -f * c, -m], [1, 1, 0.5 - beta], [0, 1, 1 - gamma]])
    return np.linalg.solve(after, before)


def simulated(rho: float, x: float, steps: int, damping: float = 0.0) -> np.ndarray:
    """Positions (steps + 1,) of a mass on a spring and a damper, from 1 mm."""
    omega = x / STEP
    law = gough.laws.JointPD(stiffness=MASS * omega**2, damping=2 * damping * omega * MASS)
    run = gough.simulate(
        block(),
        stand(steps * STEP),
        law,
        q=[1e-3],
        method="generalised_alpha",
        step=STEP,
        rho_infinity=rho,
        tolerance=1e-9,
    )
    assert run.stopped == "finished" and len(run) == steps + 1
    return run.q[:, 0]


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8, 1.0])
@pytest.mark.parametrize(("x", "damping"), [(0.3, 0.0), (2.0, 0.0), (30.0, 0.0), (3.0, 0.2)])
def test_steps_have_the_eigenvalues_of_the_paper(rho: float, x: float, damping: float) -> None:
    """Positions obey the recurrence whose roots are the eigenvalues, whatever the first acceleration was."""
    found = simulated(rho, x, 12, damping)
    c = np.poly(amplification(rho, x, damping))
    rest = [c @ found[k + 3 :: -1][:4] for k in range(len(found) - 3)]
    assert np.abs(rest).max() < 1e-9 * np.abs(c).sum() * np.abs(found).max()


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.8, 1.0])
def test_radius_at_infinity(rho: float) -> None:
    """All three eigenvalues of an infinitely fast vibration are of size ρ, which is what the parameters are made for."""
    assert np.abs(np.abs(np.linalg.eigvals(amplification(rho, 1e5))) - rho).max() < 1e-2
    w = Weights(rho)
    assert w.gamma == pytest.approx(0.5 - w.m + w.f) and w.beta == pytest.approx(0.25 * (1 - w.m + w.f) ** 2)
    if 0 < rho < 1:
        found = np.abs(simulated(rho, 1e4, 200))
        grown = (found[190:].max() / found[90:100].max()) ** 0.01
        assert grown == pytest.approx(rho, rel=0.02)  # a double root: n ρⁿ, so a little above


def test_restarts_keep_the_order() -> None:
    """Forces held for 2 ms make a piece of every two steps: still second order, against a run of dp5."""
    model = block()

    def push(t: float, q: np.ndarray, v: np.ndarray, _: object) -> np.ndarray:
        return np.array([np.sin(40.0 * t) - 800.0 * q[0] - 3.0 * v[0]])

    law = gough.laws.Sampled(push, period=2e-3)
    move = stand(0.2)
    truth = gough.simulate(model, move, law, q=[0.01], tolerance=1e-12).q[-1, 0]
    same = gough.simulate(model, move, law, q=[0.01], method="generalised_alpha", step=1e-3).q[-1, 0]
    assert abs(same - truth) < 1e-12  # constant forces: parabolas, which the method has exactly

    spring = gough.laws.JointPD(stiffness=800.0, damping=3.0)
    swing = motions.function(lambda t: [0.01 * np.sin(40 * t)], 0.2, kind="drives", names=["slide"])
    best = gough.simulate(model, swing, spring, tolerance=1e-12).q[-1, 0]
    errors = [
        abs(gough.simulate(model, swing, spring, method="generalised_alpha", step=h).q[-1, 0] - best)
        for h in (2e-3, 1e-3, 5e-4)
    ]
    assert np.abs(np.log2(np.array(errors[:-1]) / errors[1:]) - 2).max() < 0.3, errors


@pytest.mark.slow
def test_a_flexible_robot_agrees_with_other_methods() -> None:
    """Drives prescribed, loops, elastic coordinates that are stiff: fast modes damped out, the slow ones right."""
    scenario = gough.load_scenario("briot2014_square").with_(duration=0.2, every=1)
    one = scenario.with_(method="rk4", step=5e-5).run()
    two = scenario.with_(method="generalised_alpha", step=5e-4, tolerance=1e-7).run()
    assert two.stopped == "finished" and two.summary()["closure_error"] < 1e-10
    size = np.abs(one["elastic"]).max()
    assert np.abs(one.resample(two.time)["elastic"] - two["elastic"]).max() < 0.02 * size
    assert two.summary()["energy_error"] < 1e-6


def test_bad_settings() -> None:
    model = built(gough.load("five_bar"))
    for bad in (-0.1, 1.1, float("nan")):
        with pytest.raises(UsageError, match=r"between 0|finite"):
            gough.simulate(model, duration=0.1, method="generalised_alpha", rho_infinity=bad)
    with pytest.raises(UsageError, match="not of rk4"):
        gough.simulate(model, duration=0.1, method="rk4", rho_infinity=0.5)


def test_large_robots_take_the_same_steps(limits) -> None:
    """Where Newton's product is a part of the stage; the same but for rounding."""

    def run() -> gough.Run:
        return gough.simulate(
            gough.build("five_bar"), duration=0.05, method="generalised_alpha", step=1e-3, v=[0.5, -0.3]
        )

    small = run()
    limits(alpha_large=1)
    np.testing.assert_allclose(run().q, small.q, rtol=0, atol=1e-12)
