"""Learning from trial to trial beside matrices of SciPy's: each trial's errors, its rates, and what it cannot learn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.linalg import expm, null_space

import gough
from gough import laws, motions, sensors
from gough.errors import RunWarning, UsageError
from laws.subjects import built
from simulation.sliders import MASS, slider

KP, KD = 200.0, 30.0
PD = laws.JointPD(KP, KD)
MOVE = motions.quintic(drives=[[0.0], [0.3]], durations=1.0)
N, T = 50, 0.02


def lifted(mass: float) -> np.ndarray:
    """P (N, N) of m ẍ = u - K_p x - K_d ẋ, forces held for T."""
    continuous = np.array([[0, 1, 0], [-KP / mass, -KD / mass, 1 / mass], [0, 0, 0]])
    held = expm(continuous * T)
    A, B = held[:2, :2], held[:2, 2:]
    markov = [(np.linalg.matrix_power(A, k) @ B)[0, 0] for k in range(N)]
    return np.array([[markov[i - j] if i >= j else 0.0 for j in range(N)] for i in range(N)])


@pytest.mark.parametrize("mass", [MASS, 3.0])
def test_errors_fall_as_the_lifted_map_says(mass: float) -> None:
    """e_j+1 = (1 - P L) e_j with the exact inverse of the model (L = 0.5 P̂⁻¹): half of it stays where the model is right."""
    found = gough.iterative_learning(
        slider(), MOVE, PD, period=T, trials=5, gain=0.5, effort=1e-9, parameters={"block.M": mass}, tolerance=1e-11
    )
    P, L = lifted(mass), 0.5 * np.linalg.inv(lifted(MASS))
    e = found.trials[0].errors[:, 0]
    for trial in found.trials[1:]:
        e = e - P @ (L @ e)
        np.testing.assert_allclose(trial.errors[:, 0], e, atol=1e-7)
    assert found.outcome == "monotone" and found.theory is not None
    rate = 1 - 0.5 * P[0, 0] / lifted(MASS)[0, 0]  # of a triangular matrix: its diagonal
    assert found.theory.rate == pytest.approx(rate, abs=1e-4)
    assert found.theory.gain == pytest.approx(np.linalg.norm(np.eye(N) - L @ P, 2), rel=1e-4)
    assert found.theory.verdict == "monotone" and found.theory.left < 1e-6 and not found.theory.doubts
    if mass == MASS:
        np.testing.assert_allclose(found.rms[1:] / found.rms[:-1], 0.5, rtol=1e-4)


def test_what_is_learnt_can_be_used_again() -> None:
    found = gough.iterative_learning(slider(), MOVE, PD, period=T, trials=8, gain=0.9, tolerance=1e-10)
    again = gough.simulate(slider(), MOVE, found.law, tolerance=1e-10)
    at = np.searchsorted(again.time, found.times[1:] - 1e-9)
    errors = MOVE.at(found.times[1:]).position - again["drives.position"][at]
    np.testing.assert_allclose(errors, found.trials[found.best].errors, atol=1e-8)
    assert found.rms[-1] < 1e-3 * found.rms[0] and found.push.kind == "forces"
    assert "8 trials on 50 samples: monotone" in found.report()


def test_gains_and_a_low_pass_without_delay() -> None:
    """u' = Q (u + K_p e + K_d ė) by hand, filtered by SciPy's filtfilt; what Q takes away stays."""
    from scipy.signal import butter, filtfilt

    found = gough.iterative_learning(
        slider(), MOVE, PD, period=T, trials=3, stiffness=80.0, damping=8.0, lead=T, low_pass=8.0, tolerance=1e-10
    )
    e = found.trials[0].errors[:, 0]
    later = np.append(e[1:], e[-1])
    slope = np.gradient(e, T)
    wanted = 80.0 * later + 8.0 * np.append(slope[1:], slope[-1])
    b, a = butter(2, 8.0, fs=1 / T)  # type: ignore[misc]
    np.testing.assert_allclose(found.trials[1].forces[:, 0], filtfilt(b, a, wanted, padlen=6), atol=1e-8)
    assert found.theory is not None and 0.0 < found.theory.left < 0.2
    assert found.rms[-1] < found.rms[0]


@pytest.mark.parametrize(("stiffness", "verdict"), [(3000.0, "converges"), (3e4, "diverges")])
def test_divergence_is_told(stiffness: float, verdict: str) -> None:
    """Far too much of a gain; and one with which all poles are stable, and errors grow beyond all bounds before they fall."""
    with pytest.warns(
        RunWarning, match=f"slider: learning diverged, .* theory says: {verdict}, growth .*; give a smaller gain"
    ):
        found = gough.iterative_learning(slider(), MOVE, PD, period=T, trials=10, stiffness=stiffness, tolerance=1e-9)
    told = found.theory
    assert found.outcome == "diverged" and told is not None and told.peak > 100
    assert (told.rate < 1) == (verdict == "converges") and told.verdict == verdict
    L = stiffness * np.eye(N)
    assert told.rate == pytest.approx(abs(1 - stiffness * lifted(MASS)[0, 0]), rel=1e-4)
    assert told.gain == pytest.approx(np.linalg.norm(np.eye(N) - L @ lifted(MASS), 2), rel=1e-4)
    assert len(found.trials) < 10 and found.best < len(found.trials) - 1


def test_on_a_clock_with_noise() -> None:
    """The lifted map of the clock is exact; noise is other in each trial, and is what stays."""
    clocked = laws.Sampled(PD, period=0.01)
    exact = gough.iterative_learning(slider(), MOVE, clocked, period=T, trials=4, gain=0.5, effort=1e-9, method="rk4")
    np.testing.assert_allclose(exact.rms[1:] / exact.rms[:-1], 0.5, rtol=1e-4)
    assert exact.theory is not None and exact.theory.verdict == "monotone" and not exact.theory.doubts
    noisy = laws.Sampled(PD, period=0.01, sensors=sensors.Encoders(noise=2e-4), seed=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        found = gough.iterative_learning(
            slider(), MOVE, noisy, period=T, trials=6, gain=0.5, low_pass=4.0, method="rk4"
        )
    assert found.theory is not None and "sensors" in found.theory.doubts
    noise = [found.trials[k].run["encoders"][:, 0] - found.trials[k].run["drives.position"][:, 0] for k in (0, 1)]
    assert np.abs(noise[0] - noise[1]).max() > 1e-4
    assert 1e-4 < found.rms[-1] < 0.2 * found.rms[0]


def test_a_robot_with_loops() -> None:
    """A heavier delta: its own lifted map, along the motion, tells the errors of the next trial to a few percent."""
    delta = built(gough.load("delta"))
    home = delta.home_pose
    move = motions.quintic(poses=[home, home + [0.03, 0.02, -0.02, 0, 0, 0, 0]], durations=0.24).hold(0.06)
    law = laws.JointPD(2000, 30, gravity=True)
    found = gough.iterative_learning(
        delta, move, law, period=6e-3, trials=3, gain=0.8, low_pass=30.0, parameters={"platform.M": 1.3}
    )
    assert found.outcome == "monotone" and found.theory is not None and found.theory.verdict == "monotone"
    assert found.rms[-1] < 0.1 * found.rms[0]
    assert found.errors.shape == (3, 50, 3)


def test_redundant_drives_learn_what_moves_the_robot() -> None:
    """Four drives, three freedoms: with the exact inverse half of the error stays at every trial, as with one drive; gains that
    differ give forces that work against each other, S w = 0, which are not learnt."""
    model = built(gough.load("redundant_planar"))
    move = motions.quintic(poses=[model.home_pose, model.home_pose + [0.05, 0.03, 0, 0, 0, 0, 0]], durations=0.3)
    law = laws.JointPD([300.0, 250.0, 350.0, 400.0], [20.0, 25.0, 15.0, 30.0])
    found = gough.iterative_learning(model, move, law, period=0.015, trials=3, gain=0.5, effort=1e-7, tolerance=1e-10)
    assert found.outcome == "monotone" and found.theory is not None and found.theory.verdict == "monotone"
    assert found.theory.rate == pytest.approx(0.5, abs=1e-3) and found.theory.gain == pytest.approx(0.5, abs=1e-3)
    np.testing.assert_allclose(found.rms[1:] / found.rms[:-1], 0.5, rtol=0.05)
    gains = gough.iterative_learning(
        model, move, law, period=0.015, trials=3, stiffness=[40.0, 90.0, 20.0, 60.0], damping=2.0, low_pass=15.0
    )
    assert gains.theory is not None and gains.theory.rate < 1.0
    assert gains.rms[-1] < gains.rms[0]
    states = motions.states_along(model, move, gains.times[:-1] + 0.0075)
    for q, force in zip(states.q, gains.trials[-1].forces, strict=True):
        assert abs(null_space(model.drive_map(q))[:, 0] @ force) < 1e-9 * np.abs(gains.trials[-1].forces).max()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"period": 0.3}, r"period=0.3 s is no whole part of the motion's 1 s \(at least 4 samples\)"),
        ({"period": T, "gain": 0.5, "stiffness": 1.0}, "gain= and effort= belong to learning by the model"),
        ({"period": T, "lead": 0.1}, "lead= belongs to gains"),
        ({"period": T, "stiffness": 0.0}, "are 0: nothing is learnt"),
        ({"period": T, "stiffness": -1.0}, "stiffness=-1.0: must not be below 0"),
        ({"period": T, "stiffness": [1.0, 2.0]}, "stiffness: 2 numbers are given, the robot has 1 drives"),
        ({"period": T, "low_pass": 30.0}, "samples of 0.02 s have frequencies below 25 Hz"),
        ({"period": 5e-4}, "are more than the 1500 forces that a model is inverted for"),
        ({"law": laws.Sampled(PD, 0.03), "period": T}, "period=0.02 s is no multiple of the clock's 0.03 s"),
        ({"law": laws.Sampled(lambda t, q, v, r: [0.0], 0.01)}, "a function that is sampled"),
        ({"law": laws.Follow()}, "give a controller that follows motions of drives"),
        ({"trials": 1}, "trials"),
    ],
)
def test_what_cannot_be_learnt_is_refused(more: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        gough.iterative_learning(slider(), MOVE, **{"law": PD, **more})  # type: ignore[arg-type]
