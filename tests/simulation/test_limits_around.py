"""Laws that remember their forces, inside of other laws and of a clock with a limit: beside the same loops in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import gough
from gough import laws, motions
from gough.actuators import RateLimit
from simulation.sliders import MASS, slider

T, MOST, KP, KD = 2e-3, 8.0, 300.0, 40.0
STAND = motions.function(lambda t: [0.0 * t], 1.2, kind="drives", names=["slide"])
PD = laws.JointPD(KP, KD)
BLOW = gough.loads.Pulse([0, 0, -20.0, 0, 0, 0], begin=0.1, duration=0.3)


def beside(force: float) -> gough.Motion:
    return laws.forces([0.0, 1.2], [[force], [force]])


def run_of(law: laws.Law, wrench: object = None, **clock: Any) -> np.ndarray:
    found = gough.simulate(
        slider(),
        STAND,
        laws.Sampled(law, T, **clock),
        wrench={"block.tool": wrench or np.zeros(6)},
        method="rk4",
        step=T,
    )
    last = np.append(np.diff(found.time) > 0, True)  # of a time stored twice the second one
    return found.q[last, 0]


def mass_under(command: Callable[[float, float], float], blow: Callable[[float], float]) -> np.ndarray:
    """x (601,) of m ẍ = u + w from rest, command(x, v) at every sample, w held for a period: exactly."""
    A = np.zeros((3, 3))
    A[0, 1], A[1, 2] = 1.0, 1.0 / MASS
    step, x, out = expm(A * T), np.zeros(2), []
    for k in range(601):
        out.append(x[0])
        u = command(x[0], x[1])
        x = (step @ [*x, u + blow((k + 0.5) * T)])[:2]
    return np.array(out)


def pulse(t: float) -> float:
    return -20.0 if 0.1 < t < 0.4 else 0.0


def cut(u: float) -> float:
    return float(np.clip(u, -MOST, MOST))


def observed(bandwidth: float, sent: Callable[[float], float]) -> Callable[[float, float], float]:
    """Springs with a disturbance observer that knows what is sent, sums of rates as the clock makes them."""
    K, z = 2 * np.pi * bandwidth, [0.0]

    def command(x: float, v: float) -> float:
        r = K * (MASS * v - z[0])
        u = sent(-KP * x - KD * v - r)
        z[0] += T * (u + r)
        return u

    return command


@pytest.mark.parametrize("where", ["law", "clock"])
def test_an_observer_knows_of_the_limit_wherever_it_stands(where: str) -> None:
    """A blow beyond what the drive may do: an observer that did not know would be metres away for seconds."""
    truth = mass_under(observed(4.0, cut), pulse)
    law = laws.DisturbanceObserver(PD, 4.0, limit=MOST if where == "law" else None)
    found = run_of(law, BLOW, limit=None if where == "law" else MOST)
    assert 0.1 < np.abs(truth).max() < 3.0
    np.testing.assert_allclose(found, truth, atol=1e-9)


def test_an_observer_knows_of_a_limit_of_rates() -> None:
    rate, last = 400.0, [0.0]

    def slow(u: float) -> float:
        u = last[0] + float(np.clip(u - last[0], -rate * T, rate * T))
        last[0] = u
        return u

    found = run_of(laws.DisturbanceObserver(PD, 4.0), BLOW, actuators=RateLimit(rate=rate))
    np.testing.assert_allclose(found, mass_under(observed(4.0, slow), pulse), atol=1e-9)


@pytest.mark.parametrize("where", ["law", "clock", "observer", "beside"])
def test_an_integral_does_not_wind_up_wherever_the_limit_stands(where: str) -> None:
    Ki = 900.0
    tracking, state = np.sqrt(KD / Ki), [0.0]

    def command(x: float, v: float) -> float:
        wanted = -KP * x - KD * v + state[0]
        u = cut(wanted)
        state[0] += T * (-Ki * x + (u - wanted) / tracking)
        return u

    pid = laws.PID(KP, KD, Ki, limit=MOST if where == "law" else None)
    law: laws.Law = pid
    if where == "observer":  # which looks on
        law = laws.DisturbanceObserver(pid, 4.0, limit=MOST, compensate=False)
    if where == "beside":
        law = laws.FeedForward(pid, beside(0.0), limit=MOST)
    found = run_of(law, BLOW, limit=MOST if where == "clock" else None)
    np.testing.assert_allclose(found, mass_under(command, pulse), atol=1e-9)


def test_a_clock_that_is_slower_than_an_integral_returns() -> None:
    """Led back at once, in a period: what a shorter time would overshoot."""
    Ki, state = 900.0, [0.0]

    def command(x: float, v: float) -> float:
        wanted = -KP * x - KD * v + state[0]
        u = cut(wanted)
        state[0] += T * -Ki * x + (u - wanted)
        return u

    found = run_of(laws.PID(KP, KD, Ki, tracking=1e-6), BLOW, limit=MOST)
    np.testing.assert_allclose(found, mass_under(command, pulse), atol=1e-9)


def test_forces_beside_an_observer_are_no_disturbance() -> None:
    """A spring under a force f beside the law gives way by f/k, whatever is observed meanwhile; and under several of them."""
    for law, force in (
        (laws.FeedForward(laws.DisturbanceObserver(PD, 6.0), beside(9.0)), 9.0),
        (laws.DisturbanceObserver(laws.FeedForward(PD, beside(9.0)), 6.0), 9.0),
        (laws.FeedForward(laws.FeedForward(PD, beside(9.0)), beside(-3.0)), 6.0),
        (laws.FeedForward(laws.DisturbanceObserver(laws.FeedForward(PD, beside(9.0)), 6.0), beside(3.0)), 12.0),
    ):
        assert run_of(law)[-1] == pytest.approx(force / KP, abs=1e-6)
        found = gough.simulate(slider(), STAND, law, tolerance=1e-10)
        assert found.q[-1, 0] == pytest.approx(force / KP, abs=1e-6)


def test_a_filter_knows_of_the_force_beside_it() -> None:
    """LQG at rest: the filter's own balance, x̂ = A x̂ + B u + L (y - C x̂), has no error where u is all that acts."""
    law = laws.FeedForward(laws.LQG(1e-2, 5.0, noise=1e-4, disturbance=1.0), beside(4.0))
    model = slider()
    run = gough.simulate(model, STAND, laws.Sampled(law, T), method="rk4", step=T)
    estimate = run["controller.states"][-1]
    np.testing.assert_allclose(estimate, [run.q[-1, 0], run.v[-1, 0]][: len(estimate)], atol=1e-6)
    assert abs(run.q[-1, 0]) > 1e-3
