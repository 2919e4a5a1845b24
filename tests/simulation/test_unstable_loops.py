"""Loops that cannot be stable are told before the run: poles in closed form, and how fast the run itself grows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import gough
from gough import actuators, laws, motions, sensors
from gough.errors import RunWarning, UsageError
from laws.subjects import built
from simulation.mass_chain import chain, continuous, held
from simulation.sliders import MASS, slider


def stand(duration: float) -> gough.Motion:
    return motions.function(lambda t: [0.0 * t], duration, kind="drives", names=["slide"])


def told(model: gough.Model, law: laws.Law, motion: gough.Motion | None, **more: object) -> tuple[list[str], gough.Run]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        run = gough.simulate(model, motion, law, **more)  # type: ignore[arg-type]
    return [str(x.message) for x in seen if "loop of" in str(x.message)], run


def growth_of(run: gough.Run) -> float:
    """1/s, of the largest |x| in the last part of a run over that in its middle."""
    t, x = run.time, np.abs(run.q[:, 0])
    ends = [0.4 * t[-1], 0.7 * t[-1], t[-1]]
    first, last = (x[(t > a) & (t <= b)].max() for a, b in ((ends[0], ends[1]), (ends[1], ends[2])))
    return float(np.log(last / first) / (0.3 * t[-1]))


CLOCKS = {
    "late by two periods": ({"delay": 0.02}, 60.0, 12.0),
    "late by a part": ({"delay": 0.017}, 60.0, 12.0),
    "rates are differences": ({"sensors": sensors.Encoders()}, 300.0, 110.0),
    "encoders are late": ({"sensors": sensors.Encoders(delay=0.013), "delay": 0.004}, 60.0, 12.0),
    "a filter": ({"sensors": sensors.Encoders(bandwidth=6.0, noise=1e-12)}, 60.0, 12.0),
    "encoders on a clock of their own": ({"sensors": sensors.Encoders(period=0.005, delay=0.012)}, 60.0, 12.0),
    "a lag and a rate limit": (
        {"actuators": [actuators.RateLimit(rate=1e9), actuators.Lag(time=0.05)], "sensors": sensors.Encoders()},
        60.0,
        12.0,
    ),
}


@pytest.mark.parametrize("name", CLOCKS)
def test_a_run_grows_as_it_was_said(name: str) -> None:
    """Springs and dampers on a clock, stiff enough that they swing up: the growth told is that of the run."""
    more, k, d = CLOCKS[name]
    for scale in range(1, 40):
        law = laws.Sampled(laws.JointPD(k * MASS * scale, d * MASS * scale**0.5), 0.01, **more)  # type: ignore[arg-type]
        texts, run = told(slider(), law, stand(1.5), q=[1e-6], method="rk4", step=1e-3)
        if texts:
            break
    assert "the loop of joint PD is unstable where it begins" in texts[0]
    said = float(texts[0].split(" at ")[-1].split(" 1/s")[0])
    assert said == pytest.approx(growth_of(run), abs=0.08 * abs(said) + 0.3)
    assert any("unstable" in text for _, text in run.info.events)
    with pytest.raises(UsageError, match=r"the loop of joint PD is unstable .* a shorter period or delay"):
        gough.simulate(slider(), stand(1.5), law, q=[1e-6], method="rk4", step=1e-3, check="raise")


def test_friction_holds_what_inertia_alone_would_not() -> None:
    """v' = (u - c v)/m, u held for T: d is stable below c (1 + e)/(1 - e), e = exp(-c T/m), 2 m/T where there is no friction."""
    T, c = 0.01, 2000.0
    e = np.exp(-c * T / MASS)
    most = c * (1 + e) / (1 - e)
    assert most > 3 * 2 * MASS / T
    for d, stable in ((0.8 * most, True), (1.2 * most, False)):
        texts, _ = told(slider(viscous=c), laws.Sampled(laws.JointPD(1.0, d), T), stand(1.0), method="rk4", step=1e-4)
        assert not texts if stable else texts, d


def test_the_limit_of_a_sampled_spring() -> None:
    """A mass under forces held for T: x' = x + T v + T² F/2m, v' = v + T F/m with F = -k x - d v, both sides of its limits."""
    T = 0.01

    def stable(k: float, d: float) -> bool:
        a = np.array([[1 - k * T**2 / 2 / MASS, T - d * T**2 / 2 / MASS], [-k * T / MASS, 1 - d * T / MASS]])
        return bool(np.abs(np.linalg.eigvals(a)).max() < 1)

    for k, d in ((1000.0, 4.0), (1000.0, 6.0), (1e4, 45.0), (1e4, 60.0), (10.0, 390.0), (10.0, 410.0)):
        law = laws.Sampled(laws.JointPD(k, d), T)
        texts, _ = told(slider(), law, stand(1.0), method="rk4", step=1e-3)
        assert bool(texts) != stable(k, d), (k, d)


def test_an_integral_that_is_too_large() -> None:
    """Routh: m s³ + K_d s² + K_p s + K_i is stable where K_i < K_p K_d / m."""
    most = 200.0 * 30.0 / MASS
    quiet, _ = told(slider(), laws.PID(200.0, 30.0, 0.95 * most), stand(2.0))
    loud, run = told(slider(), laws.PID(200.0, 30.0, 1.5 * most), stand(2.0), q=[1e-3])
    assert not quiet and "the loop of PID is unstable" in loud[0]
    said = float(loud[0].split(" at ")[-1].split(" 1/s")[0])
    poles = np.roots([MASS, 30.0, 200.0, 1.5 * most])
    assert said == pytest.approx(poles.real.max(), rel=1e-3)
    assert growth_of(run) > 0


@pytest.mark.parametrize("name", ["delta", "five_bar"])
def test_loops_that_hold_are_not_accused(name: str) -> None:
    """Sampled computed torque, springs, regulators with encoders: nothing is said, and they do hold."""
    model = built(gough.load(name))
    at = model.drives(model.home)
    motion = motions.function(
        lambda t: [x + 0.0 * t for x in at], 0.2, kind="drives", names=list(model.layout.drive_names)
    )
    several = (
        laws.Sampled(laws.JointPD(bandwidth=5.0, gravity=True), 1e-3, sensors=sensors.Encoders()),
        laws.Sampled(laws.ComputedTorque(bandwidth=5.0), 1e-3, delay=1e-3),
        laws.Sampled(laws.LQG(1e-3, 5.0, 1e-5, 1.0), 2e-3, sensors=sensors.Encoders()),
        laws.PID(bandwidth=5.0),
    )
    for law in several:
        texts, run = told(model, law, motion, method="rk4", step=5e-4)
        assert not texts and run.stopped == "finished"
        assert np.abs(run["drives.position"][-1] - at).max() < 0.05
    shaken = laws.Sampled(laws.ComputedTorque(bandwidth=60.0, damping_ratio=0.1), 1e-3, delay=4e-3)
    with pytest.warns(RunWarning, match="the loop of computed torque is unstable where it begins: an oscillation of"):
        gough.simulate(model, motion, shaken, method="rk4", step=5e-4)


def test_gains_by_bandwidths_are_looked_at_behind_lags_and_filters() -> None:
    """Of a mass the gains are m w² and 2 ζ m w: the same loops as with these numbers, and what is said is the same growth."""
    w, ratio = 2 * np.pi * 5.0, 0.3
    more: tuple[dict[str, Any], ...] = (
        {"sensors": sensors.Encoders(bandwidth=2.0)},
        {"actuators": [actuators.Lag(time=0.05)]},
    )
    by_bandwidth = (laws.JointPD(bandwidth=5.0, damping_ratio=ratio), laws.PID(bandwidth=5.0, damping_ratio=ratio))
    by_gains = (
        laws.JointPD(MASS * w * w, 2 * ratio * MASS * w),
        laws.PID(*laws.PID(bandwidth=5.0, damping_ratio=ratio).tune(slider()).own_settings(slider())[:3]),
    )
    motion = motions.function(lambda t: [0.6 + 0.0 * t], 3.0, kind="drives", names=["slide"])
    for asked in more:
        for one, other in zip(by_bandwidth, by_gains, strict=True):
            found = [told(slider(), laws.Sampled(x, 0.01, **asked), motion, check="warn")[0] for x in (one, other)]
            assert found[0] and found[0] == found[1]
            loop = gough.control_loop(slider(), laws.Sampled(one, 0.01, **asked))
            said = float(found[0][0].split(" at ")[-1].split(" 1/s")[0])
            assert said == pytest.approx(loop.poles[0].real, rel=1e-3)


@pytest.mark.parametrize("stiffness", [500.0, 30000.0])
def test_encoders_that_do_not_tell_what_swings(stiffness: float) -> None:
    """Three masses on springs, led at the first: x' = A x + B u, u = -(k + d/T) y + d/T y before, by NumPy."""
    T, damping = 5e-3, 60.0
    A, B = held(*continuous(), T)
    step = np.zeros((7, 7))  # x, y before
    step[:6, :6], step[6, 0] = A, 1.0
    step[:6, [0, 6]] += B * np.array([-stiffness - damping / T, damping / T])
    known = np.log(np.abs(np.linalg.eigvals(step)).max()) / T
    motion = motions.function(lambda t: [0.0 * t], 2.0, kind="drives", names=["drive"])
    law = laws.Sampled(laws.JointPD(stiffness, damping), T, sensors=sensors.Encoders())
    texts, run = told(chain(), law, motion, method="rk4", step=1e-3, q=[1e-9, 0.0, 0.0])
    assert bool(texts) == (known > 0) == (stiffness > 1000.0)
    if texts:
        assert float(texts[0].split(" at ")[-1].split(" 1/s")[0]) == pytest.approx(known, rel=1e-3)
        assert np.abs(run.q[:, 0]).max() > 1e-6


FRICTION = {"coulomb": 3.0, "smoothing": 1e-3, "viscous": 200.0}


def test_friction_that_a_law_makes_up_for_is_no_feedback() -> None:
    """Computed torque makes up for friction, of which its robot has as much: x'' + 40 x' + 400 x = 0,
    x = 1e-3 (1 + 20 t) exp(-20 t)."""
    model = slider(**FRICTION)
    law = laws.Sampled(laws.ComputedTorque(400.0, 40.0), 1e-4)
    texts, run = told(model, law, stand(0.2), q=[1e-3], method="rk4", step=1e-4)
    assert not texts
    t = run.time
    assert np.abs(run.q[:, 0] - 1e-3 * (1 + 20 * t) * np.exp(-20 * t)).max() < 2e-5
    # what the robot has not is feedback of the wrong sign: 2 s² + (2·40 - 200) s + 2·400
    believed = {"slide.friction.viscous": 200.0, "slide.friction.coulomb": 0.0}
    free = slider(viscous=1e-9, coulomb=1e-9, smoothing=1e-3)
    wrong = laws.Sampled(laws.ComputedTorque(400.0, 40.0, nominal=believed), 1e-4)
    texts, _ = told(free, wrong, stand(0.2), q=[1e-6], method="rk4", step=1e-4)
    said = float(texts[0].split(" at ")[-1].split(" 1/s")[0])
    assert said == pytest.approx(np.roots([MASS, 2 * 40.0 - 200.0, 2 * 400.0]).real.max(), rel=0.02)


def test_weight_that_a_law_makes_up_for_is_no_feedback() -> None:
    """A pendulum that hangs, on a spring softer than its weight, with its weight taken away: J x'' + d x' + k x = 0."""
    text = """
format: 1
name: hanging
bodies: [{name: bob, mass: 4, center_of_mass: [0, 0, -0.5], inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.1}}]
joints: [{name: pin, type: revolute, axis: [0, 1, 0], parent: world, child: bob, drive: {}}]
home: {joints: {pin: 0}}
"""
    J, k, d = 4 * 0.5**2 + 0.1, 5.0, 4.0  # 4 · 9.81 · 0.5 = 19.6 N m/rad of weight
    law = laws.Sampled(laws.JointPD(k, d, gravity=True), 1e-3)
    motion = motions.function(lambda t: [0.0 * t], 0.5, kind="drives", names=["pin"])
    texts, run = told(built(gough.robot.loads(text)), law, motion, q=[1e-3], method="rk4", step=1e-3)
    assert not texts
    slow, fast = np.sort(np.roots([J, d, k]))[::-1]
    x = 1e-3 * (slow * np.exp(fast * run.time) - fast * np.exp(slow * run.time)) / (slow - fast)
    assert np.abs(run.q[:, 0] - x).max() < 5e-6


def test_a_regulator_of_the_wrong_sign() -> None:
    """m v' = -(k x + d v): with both signs turned the mass departs, at the root of m s² = k + d s."""
    k, d = 200.0, 10.0
    quiet, _ = told(slider(), laws.LQR(gain=[[k, d]]), stand(1.0))
    loud, _ = told(slider(), laws.LQR(gain=[[-k, -d]]), stand(1.0), q=[1e-9])
    assert not quiet and "the loop of LQR is unstable" in loud[0] and "signs" in loud[0]
    said = float(loud[0].split(" at ")[-1].split(" 1/s")[0])
    assert said == pytest.approx(np.roots([MASS, -d, -k]).real.max(), rel=1e-3)


def sampled_growth(k: float, d: float, T: float, lag: float) -> float:
    """1/s, of m x'' = f, lag f' = F - f, F = -k x - d v held for T; f = F where there is no lag."""
    A = np.zeros((4, 4))  # x, v, f, F
    A[0, 1], A[1, 2 if lag else 3] = 1.0, 1 / MASS
    A[2, 2:] = np.array([-1.0, 1.0]) / lag if lag else 0.0
    step = expm(A * T)[:3]
    a = step[:, :3] + np.outer(step[:, 3], [-k, -d, 0.0])
    return float(np.log(np.abs(np.linalg.eigvals(a if lag else a[:2, :2])).max()) / T)


@pytest.mark.parametrize("lag", [0.0, 2e-3])
def test_functions_that_are_recorded_are_looked_at(lag: float) -> None:
    """One with its sign turned departs, one with a stiff damper swings up; one that only pushes has no loop."""
    k, d, T = 200.0, 10.0, 1e-2
    stiff = 1.5 * 2 * MASS / T
    cases = (
        (-k, d, lambda t, q, v, r: -k * (r.position - q) - d * v),
        (1.0, stiff, lambda t, q, v, r: 1.0 * (r.position - q) - stiff * v),
        (k, d, lambda t, q, v, r: k * (r.position - q) - d * v),
        (0.0, 0.0, lambda t, q, v, r: 0.0 * r.position + 3.0 * t),
    )
    for spring, damper, function in cases:
        law = laws.Sampled(function, T, actuators=[actuators.Lag(time=lag)] if lag else [])
        texts, run = told(slider(), law, stand(0.5), q=[1e-9], method="rk4", step=1e-3)
        known = sampled_growth(spring, damper, T, lag)
        assert "called" not in run.info.controller.get("of", {})
        assert bool(texts) == (known > 1e-6)
        if texts:
            assert float(texts[0].split(" at ")[-1].split(" 1/s")[0]) == pytest.approx(known, rel=1e-3)
            assert "signs" in texts[0]


def test_a_regulator_beside_forces_found_before() -> None:
    """The same mass and the same root, whether forces over time stand beside the regulator or not."""
    k, d, push = 200.0, 10.0, laws.forces([0.0, 1.0], [[0.0], [0.0]])
    quiet, _ = told(slider(), laws.FeedForward(laws.LQR(gain=[[k, d]]), push), stand(1.0))
    loud, _ = told(slider(), laws.FeedForward(laws.LQR(gain=[[-k, -d]]), push), stand(1.0), q=[1e-9])
    assert not quiet and "the loop of feed-forward is unstable" in loud[0] and "signs" in loud[0]
    said = float(loud[0].split(" at ")[-1].split(" 1/s")[0])
    assert said == pytest.approx(np.roots([MASS, -d, -k]).real.max(), rel=1e-3)


def test_many_runs_are_told_by_the_first() -> None:
    """With its own mass: m s² = k + d s, both signs turned; and nothing where they are right."""
    k, d, masses = 200.0, 10.0, (1.5, 4.0)
    model = slider()
    designs = np.array([model.parameters_with({"block.M": m}) for m in masses])
    for sign in (1.0, -1.0):
        law = laws.LQR(gain=[[sign * k, sign * d]])
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            gough.simulate_many(model, np.zeros((2, 1)), motion=stand(0.5), controller=law, parameters=designs)
        texts = [str(x.message) for x in seen if "the loop of LQR" in str(x.message)]
        assert len(texts) == (sign < 0)
        if texts:
            said = float(texts[0].split(" at ")[-1].split(" 1/s")[0])
            assert "run 0" in texts[0] and said == pytest.approx(np.roots([masses[0], -d, -k]).real.max(), rel=1e-3)
