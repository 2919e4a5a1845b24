"""Actuators between a law on a clock and a mass, against exponentials of matrices."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import expm

import gough
from gough import laws
from gough.actuators import ElasticGear, Lag, RateLimit
from simulation.python_loop import GOAL, KD, KP, T, mass, stand
from simulation.sliders import MASS


def chain(
    A: np.ndarray, B: np.ndarray, duration: float, first: np.ndarray, begun: Callable[[float], np.ndarray], fine: float
) -> np.ndarray:
    """States (n, k) of ẋ = A x + B u at fine steps, u = K_p (goal - x_0) - K_d x_1 at samples; begun(u): those at the first."""
    n = len(A)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = A, B
    step, x, out, u = expm(whole * fine), first, [], 0.0
    for i in range(round(duration / fine) + 1):
        if i % round(T / fine) == 0:
            u = KP * (GOAL - x[0]) - KD * x[1]
            x = begun(u) if i == 0 else x
        out.append(x)
        x = (step @ [*x, u])[:n]
    return np.array(out)


def test_a_motor_with_a_lag() -> None:
    """m ẍ = f, T ḟ = u - f, u held: by the exponential of a matrix."""
    lag, fine = 1.5e-3, 1e-4
    A = np.array([[0, 1, 0], [0, 0, 1 / MASS], [0, 0, -1 / lag]])
    truth = chain(A, np.array([0, 0, 1 / lag]), 0.2, np.zeros(3), lambda u: np.array([0.0, 0.0, u]), fine)
    law = laws.Sampled(laws.JointPD(KP, KD), T, actuators=Lag(time=lag))
    run = gough.simulate(mass(), stand(0.2), law, q=[0.0], method="rk4", step=fine)
    np.testing.assert_allclose(run.q[:, 0], truth[:, 0], atol=1e-9)
    np.testing.assert_allclose(run["actuators"][:, 0], truth[:, 2], atol=2e-6)
    assert run.unit("motor.slide") == "N" and not run.tau_held
    assert run.summary()["energy_error"] < 1e-9


def test_a_gear_that_gives_way() -> None:
    """Rotor and mass on a spring: by the exponential of a matrix; without damping no energy is lost between motor and robot."""
    J, k, fine = 0.7, 8e3, 5e-5
    for d in (0.0, 30.0):
        A = np.zeros((4, 4))  # x, v, rotor, its rate
        A[0, 1] = A[2, 3] = 1.0
        A[1] = np.array([-k, -d, k, d]) / MASS
        A[3] = np.array([k, d, -k, -d]) / J
        truth = chain(A, np.array([0, 0, 0, 1 / J]), 0.2, np.zeros(4), lambda u: np.array([0, 0, u / k, 0]), fine)
        gear = ElasticGear(inertia=J, stiffness=k, damping=d)
        law = laws.Sampled(laws.JointPD(KP, KD), T, actuators=gear)
        run = gough.simulate(mass(), stand(0.2), law, q=[0.0], method="rk4", step=fine)
        np.testing.assert_allclose(run.q[:, 0], truth[:, 0], atol=1e-9)
        rotor, rate = run["actuators"].T
        np.testing.assert_allclose(rotor, truth[:, 2], atol=1e-9)
        np.testing.assert_allclose(run.tau[:, 0], k * (rotor - run.q[:, 0]) + d * (rate - run.v[:, 0]), atol=1e-6)
        held, x = run["command"][:-1, 0], 0.5 * J * rate**2 + 0.5 * k * (rotor - run.q[:, 0]) ** 2
        given = np.concatenate([[0.0], np.cumsum(held * np.diff(rotor))])  # of the motor: its force is held
        lost = given - run["work.drives"] - (x - x[0])
        assert np.abs(lost).max() < 1e-9 if d == 0.0 else lost[-1] > 1e-3


GEAR = ElasticGear(inertia=0.7, stiffness=8e3, damping=1.0)


@pytest.mark.parametrize(
    ("actuators", "said"),
    [
        ([GEAR, Lag(time=1e-3)], "lag behind elastic gear: .* put the elastic gear last"),
        ([GEAR, GEAR], "elastic gear behind elastic gear"),
        ([Lag(time=1e-3), RateLimit(rate=5.0)], "rate limit behind lag: .* put the rate limit first"),
    ],
)
def test_actuators_that_cannot_stand_in_this_order_are_refused(actuators: list, said: str) -> None:
    """A gear pushes on rotor and joint alike: what changed that push on its way would make forces out of nothing."""
    with pytest.raises(gough.UsageError, match=said):
        laws.Sampled(laws.JointPD(KP, KD), T, actuators=actuators)


@pytest.mark.parametrize(
    "make",
    [
        lambda: laws.JointPD(True, 1.0),
        lambda: laws.JointPD(1.0, [1.0, False]),
        lambda: laws.JointPD(1.0, np.array([True])),
        lambda: gough.sensors.Encoders(noise=True),
        lambda: Lag(time=[True]),
    ],
)
def test_true_is_no_gain(make: Callable[[], object]) -> None:
    with pytest.raises(gough.UsageError, match="give a"):
        make()


EULER = 2.7853
"""The largest decay times a step that does not grow in RK4: |1 - z + z²/2 - z³/6 + z⁴/24| = 1."""
WAVE = np.sqrt(8.0)
"""The largest angle of a vibration in a step that does not grow in RK4."""


@pytest.mark.parametrize(
    ("make", "limit"),
    [
        (lambda x: laws.Sampled(laws.JointPD(KP, KD), T, actuators=Lag(time=1 / x)), EULER),
        (
            lambda x: laws.Sampled(
                laws.JointPD(KP, KD),
                T,
                actuators=ElasticGear(inertia=0.7, stiffness=x**2 / (1 / 0.7 + 1 / MASS), damping=0.0),
            ),
            WAVE,
        ),
        (lambda x: laws.DisturbanceObserver(laws.JointPD(KP, KD), x / (2 * np.pi)), EULER),
        (lambda x: laws.FeedForward(laws.StateSpace(A=[[-x]], B=[[1.0]], C=[[1.0]], D=[[9.0]]), PUSH), EULER),
    ],
)
def test_steps_too_long_for_what_flows_beside_the_robot_are_told(make: Callable, limit: float) -> None:
    """1 % on either side of where RK4 becomes unstable: the textbook's bounds of its stability on the real and imaginary axis."""
    step = T / 10
    for factor, told in ((0.99, False), (1.01, True)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            gough.simulate(mass(), stand(5 * T), make(factor * limit / step), method="rk4", step=step)
        assert any("too long for what is stiffest" in str(x.message) for x in seen) == told


PUSH = laws.forces([0.0, 5 * T], [[1.0], [1.0]])
