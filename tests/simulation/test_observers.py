"""Observers in the time loop against filters in NumPy and SciPy, on robots whose equations are written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import solve_discrete_are

import gough
from gough import laws
from gough.observers import Extended, Kalman
from gough.sensors import Accelerometer, Encoders
from laws.subjects import built
from simulation.mass_chain import chain, continuous, filtered, held, readings, steady_gain

T, H = 2e-3, 2.5e-4
NOISE = 1e-5


def sensors(frame: bool) -> list[Any]:
    return [Encoders(noise=NOISE)] + ([Accelerometer(frame="third", noise=0.01)] if frame else [])


def push(observer: Any, frame: bool, **more: Any) -> gough.Run:
    """The drive led along by a spring and a damper, the masses swinging from the begin."""
    law = laws.JointPD(stiffness=400.0, damping=20.0)
    clocked = laws.Sampled(law, T, sensors=sensors(frame), observer=observer, seed=3, **more)
    move = gough.motions.quintic(drives=[[0.0], [0.05]], durations=0.1)
    return gough.simulate(chain(), move, clocked, q=[0, 4e-3, -2e-3], method="rk4", step=H)


def at_samples(run: gough.Run) -> np.ndarray:
    """Rows of a run at the samples, after what happens there."""
    count = round(run.time[-1] / T)
    return np.searchsorted(run.time, np.arange(count) * T + 1e-9, side="right") - 1


def estimate_of(run: gough.Run) -> np.ndarray:
    return np.concatenate([run["controller.estimate"], run["controller.estimate_rates"]], axis=1)


@pytest.mark.parametrize("frame", [False, True])
def test_gain_and_covariance_are_those_of_scipy(frame: bool) -> None:
    found = Kalman(disturbance=0.02, acceleration=0.05).design(chain(), T, sensors(frame))
    noise = [NOISE] + ([0.01] * frame)
    L, P = steady_gain(T, noise, 0.02, found.accelerations, frame)
    rows = [0, 1] if frame else [0]  # of the accelerometer the axis along which masses move
    assert found.gain[:, rows] == pytest.approx(L, rel=1e-7, abs=1e-7 * np.abs(L).max())
    assert found.covariances[0] == pytest.approx(P, rel=1e-6, abs=1e-6 * np.abs(P).max())
    assert found.accelerations == pytest.approx(0.05, rel=1e-9)  # sliders: m/s²


@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize("delay", [0.0, 5e-4, 3.25e-3])
def test_estimate_is_that_of_a_filter_in_numpy(frame: bool, delay: float) -> None:
    observer = Kalman(disturbance=0.02, acceleration=0.05, begins="known")
    run = push(observer, frame, delay=delay, limit=6.0)
    rows = at_samples(run)
    L = observer.design(chain(), T, sensors(frame)).gain[:, [0, 1] if frame else [0]]
    y = [run["encoders"][rows, :1]] + ([run["accelerometer"][rows, :1]] if frame else [])
    forces = run.tau[:, 0]
    assert np.abs(forces).max() <= 6.0 < 1.01 * np.abs(forces).max()  # limits are at work

    def after(k: int) -> list[tuple[float, float]]:
        """Forces that act from a sample to the next, as the run has them."""
        return [
            (H, float(forces[i])) for i in np.searchsorted(run.time, k * T + np.arange(round(T / H)) * H + 1e-9) - 1
        ]

    expected = filtered(L, T, H, np.concatenate(y, axis=1), after, np.array([0, 4e-3, -2e-3, 0, 0, 0]), frame)
    assert estimate_of(run)[rows] == pytest.approx(expected, rel=1e-9, abs=1e-11)


def test_law_sees_the_estimate_and_a_passive_observer_looks_on() -> None:
    run = push(Kalman(), True)
    believed, rows = estimate_of(run), at_samples(run)
    t = run.time[rows]
    wanted = gough.motions.quintic(drives=[[0.0], [0.05]], durations=0.1).at(t)
    expected = 400.0 * (wanted.position[:, 0] - believed[rows, 0]) + 20.0 * (wanted.velocity[:, 0] - believed[rows, 3])
    assert run.tau[rows, 0] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    passive = push(Kalman(passive=True), True)
    assert passive.q == pytest.approx(push(None, True).q, abs=1e-12)
    assert np.abs(passive["controller.estimate"] - passive.q).max() < 1e-4


def test_extended_filter_of_a_linear_robot_is_the_steady_one() -> None:
    steady, extended = push(Kalman(), True), push(Extended(knots=4), True)
    assert extended.info.controller["observer"]["gains"] == 4
    assert estimate_of(extended) == pytest.approx(estimate_of(steady), rel=1e-9, abs=1e-11)
    move = gough.motions.quintic(drives=[[0.0], [0.05]], durations=0.1)
    found = Extended(knots=4).design(chain(), T, sensors(True), move)
    one = Kalman().design(chain(), T, sensors(True))
    assert found.gains == pytest.approx(np.array([one.gain] * 4), rel=1e-7, abs=1e-7 * np.abs(one.gain).max())


@pytest.mark.parametrize("frame", [False, True])
def test_covariance_is_honest(frame: bool) -> None:
    """Errors of many filters, on masses that are moved in NumPy with noise and disturbances drawn by chance."""
    force, shaken, runs, samples = 0.05, 0.1, 400, 300
    observer = Kalman(disturbance=force, acceleration=shaken)
    found, rng = observer.design(chain(), T, sensors(frame)), np.random.default_rng(5)
    rows = [0, 1] if frame else [0]
    L, P, noise = found.gain[:, rows], found.covariances[0], np.array([NOISE] + [0.01] * frame)
    A, B = continuous()
    Ad, G = held(A, np.concatenate([B * force, np.concatenate([np.zeros((3, 3)), np.eye(3) * shaken])], axis=1), T)
    C, V = readings(T, frame)
    x: Any = rng.multivariate_normal(np.zeros(6), P, runs)
    believed: Any = np.zeros((runs, 6))
    nees = []
    for _ in range(samples):
        was, thought = x @ V.T, believed @ V.T
        x = x @ Ad.T + rng.standard_normal((runs, 4)) @ G.T
        believed = believed @ Ad.T
        s, guess = (np.concatenate([a, b], axis=1)[:, : C.shape[1]] for a, b in ((x, was), (believed, thought)))
        y = s @ C.T + noise * rng.standard_normal((runs, len(noise)))
        believed = believed + (y - guess @ C.T) @ L.T
        off = believed - x
        nees.append(np.einsum("ri,ij,rj->r", off, np.linalg.inv(P), off))
    last = np.array(nees)[-1]
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], 6 * runs) / runs
    assert low < last.mean() < high
    assert np.array(nees)[samples // 2 :].mean() == pytest.approx(6.0, rel=0.05)
    assert stats.kstest(last, stats.chi2(6).cdf).pvalue > 1e-4


CART = """
format: 1
name: crane
bodies:
  - {name: cart, mass: 1.5, inertia: {about: center_of_mass, xx: 1, yy: 1, zz: 1}}
  - {name: rope, mass: 0.4, center_of_mass: [0, 0, -0.6], inertia: {about: center_of_mass, xx: 0.05, yy: 0.05, zz: 0.001}}
joints:
  - {name: slide, type: prismatic, axis: [1, 0, 0], parent: world, child: cart, drive: {}}
  - {name: pin, type: revolute, axis: [0, 1, 0], parent: cart, child: rope}
home: {joints: {slide: 0, pin: 0}}
"""


def crane_rates(x: np.ndarray, force: float) -> np.ndarray:
    """Of (slide, pin, rates): the mass centre of the rope is at slide - l sin(pin), -l cos(pin)."""
    m, big, arm, inertia, g = 0.4, 1.5, 0.6, 0.05, 9.81
    s, c = np.sin(x[1]), np.cos(x[1])
    mass = np.array([[big + m, -m * arm * c], [-m * arm * c, inertia + m * arm**2]])
    h = np.array([m * arm * s * x[3] ** 2, m * g * arm * s])
    return np.concatenate([x[2:], np.linalg.solve(mass, np.array([force, 0.0]) - h)])


def rk4_step(x: np.ndarray, force: float, h: float) -> np.ndarray:
    a = crane_rates(x, force)
    b = crane_rates(x + 0.5 * h * a, force)
    c = crane_rates(x + 0.5 * h * b, force)
    d = crane_rates(x + h * c, force)
    return x + h / 6 * (a + 2 * b + 2 * c + d)


def test_estimate_follows_large_motions_as_a_filter_with_equations_by_hand() -> None:
    """A rope that swings by more than a right angle."""
    model = built(gough.robot.loads(CART))
    seen = [Encoders(noise=1e-5), Accelerometer(frame="rope", noise=0.01)]
    observer = Kalman(acceleration=0.3)
    clocked = laws.Sampled(laws.JointPD(stiffness=60.0, damping=12.0), 5e-3, sensors=seen, observer=observer, seed=2)
    move = gough.motions.quintic(drives=[[0.0], [1.5]], durations=0.6).hold(0.4)
    run = gough.simulate(model, move, clocked, q=[0.0, 1.2], v=[0.0, 1.0], method="rk4", step=5e-4)
    L = observer.design(model, 5e-3, seen).gain
    rows = np.searchsorted(run.time, np.arange(round(run.time[-1] / 5e-3)) * 5e-3 + 1e-9, side="right") - 1
    y = np.concatenate([run["encoders"][rows, :1], run["accelerometer"][rows]], axis=1)
    estimate, before = estimate_of(run), None
    x: Any = np.array([0.0, 1.2, 0.0, 1.0])
    for row, reading in zip(rows, y, strict=True):
        v = np.array([x[2], 0.0, 0.0])  # of the frame's origin, which is at the pin
        turn = np.array([[np.cos(x[1]), 0, np.sin(x[1])], [0, 1, 0], [-np.sin(x[1]), 0, np.cos(x[1])]])
        felt = turn.T @ ((0.0 if before is None else (v - before) / 5e-3) + np.array([0, 0, 9.81]))
        x = x + L @ (reading - np.array([x[0], *felt]))
        before = np.array([x[2], 0.0, 0.0])
        assert estimate[row] == pytest.approx(x, rel=1e-8, abs=1e-9)
        for _ in range(10):
            x = rk4_step(x, run.tau[row, 0], 5e-4)
    assert np.ptp(run.q[:, 1]) > np.pi / 2
    assert np.sqrt(np.mean((run["controller.estimate"][:, 1] - run.q[:, 1]) ** 2)) < 0.01 * np.std(run.q[:, 1])


ELBOW = """
format: 1
name: elbow
gravity: [0, -9.81, 0]
bodies:
  - {name: upper, mass: 2, center_of_mass: [0.3, 0, 0], inertia: {about: center_of_mass, xx: 0.01, yy: 0.07, zz: 0.06}}
  - {name: lower, mass: 1, center_of_mass: [0.25, 0, 0], inertia: {about: center_of_mass, xx: 0.01, yy: 0.03, zz: 0.02}}
joints:
  - {name: shoulder, type: revolute, axis: [0, 0, 1], parent: world, child: upper, drive: {}}
  - {name: elbow, type: revolute, axis: [0, 0, 1], parent: upper, child: lower, pose: {position: [0.6, 0, 0]}, drive: {}}
home: {joints: {shoulder: 0, elbow: 0.4}}
"""


def elbow_parts(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(M, h) of the two links by hand."""
    a = 2 * 0.3**2 + 0.06 + 1 * (0.6**2 + 0.25**2) + 0.02
    b, d, c, s = 0.6 * 0.25, 0.25**2 + 0.02, np.cos(q[1]), np.sin(q[1])
    M = np.array([[a + 2 * b * c, d + b * c], [d + b * c, d]])
    speeds = np.array([-b * s * (2 * v[0] * v[1] + v[1] ** 2), b * s * v[0] ** 2])
    second = 9.81 * 0.25 * np.cos(q[0] + q[1])
    return M, speeds + np.array([9.81 * (2 * 0.3 + 0.6) * np.cos(q[0]) + second, second])


def test_covariances_along_a_motion_are_those_of_a_filter_by_hand() -> None:
    """The covariance recursion in NumPy at every sample of a fast motion; slopes of equations by hand are differences."""
    model, period, noise, force = built(gough.robot.loads(ELBOW)), 5e-3, 1e-5, 0.2
    move = gough.motions.quintic(drives=[[0.0, 0.4], [1.5, -1.2]], durations=0.25)
    observer = Extended(knots=51, disturbance=force, acceleration=0.05)
    found = observer.design(model, period, [Encoders(noise=noise)], move)
    assert len(found.times) == 51
    C, R, P = np.eye(2, 4), noise**2 * np.eye(2), None
    for k, t in enumerate(found.times):
        asked = move.at(np.array([t]))
        q, v, a = asked.position[0], asked.velocity[0], asked.acceleration[0]
        M, h = elbow_parts(q, v)
        tau = M @ a + h

        def rates(x: np.ndarray, tau: np.ndarray = tau) -> np.ndarray:
            M, h = elbow_parts(x[:2], x[2:])
            return np.concatenate([x[2:], np.linalg.solve(M, tau - h)])

        x = np.concatenate([q, v])
        A = np.array([(rates(x + 1e-6 * e) - rates(x - 1e-6 * e)) / 2e-6 for e in np.eye(4)]).T
        B = np.zeros((4, 4))
        B[2:, :2], B[2:, 2:] = np.linalg.inv(M) * force, np.diag(found.accelerations)
        Ad, G = held(A, B, period)
        if P is None:
            P = np.asarray(solve_discrete_are(Ad.T, C.T, G @ G.T, R))
        L = P @ C.T @ np.linalg.inv(C @ P @ C.T + R)
        after = (np.eye(4) - L @ C) @ P
        assert found.gains[k] == pytest.approx(L, rel=1e-5, abs=1e-6 * np.abs(L).max())
        assert found.covariances[k] == pytest.approx(after, rel=1e-5, abs=1e-6 * np.abs(after).max())
        P = Ad @ after @ Ad.T + G @ G.T
    assert np.abs(found.gains[-1] - found.gains[0]).max() > 0.01 * np.abs(found.gains[0]).max()
    few = Extended(knots=9, disturbance=force, acceleration=0.05).design(model, period, [Encoders(noise=noise)], move)
    assert few.covariances[-1] == pytest.approx(
        found.covariances[-1], rel=0.02, abs=0.02 * np.abs(few.covariances[-1]).max()
    )


def test_a_loop_through_an_estimate_separates() -> None:
    """Poles are those of the feedback of the state and those of the estimate: of A - B F, and of (1 - L C) A."""
    k, d = 400.0, 20.0
    law = laws.Sampled(
        laws.JointPD(k, d), T, sensors=sensors(False), observer=Kalman(disturbance=0.02, acceleration=0.05)
    )
    found = gough.control_loop(chain(), law)
    L, _ = steady_gain(
        T, [NOISE], 0.02, Kalman(acceleration=0.05).design(chain(), T, sensors(False)).accelerations, False
    )
    A, B = held(*continuous(), T)
    F = np.array([[k, 0.0, 0.0, d, 0.0, 0.0]])
    z = np.concatenate([np.linalg.eigvals(A - B @ F), np.linalg.eigvals((np.eye(6) - L @ readings(T, False)[0]) @ A)])
    z = z[np.abs(z) > 1e-6]
    shown = np.exp(found.poles[np.isfinite(found.poles.real)] * T)
    shown = shown[np.abs(shown) > 1e-6]
    assert found.stable and len(shown) == len(z)
    assert all(np.abs(shown - x).min() < 1e-6 for x in z)
