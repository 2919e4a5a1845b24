"""Margins of loops against closed forms, python-control, and runs with gains and delays on both sides of a margin."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import control
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import gough
from gough import actuators, laws, motions, sensors
from gough.errors import RunWarning, UsageError
from gough.robot import loads
from laws.subjects import built
from simulation.mass_chain import chain, continuous
from simulation.sliders import MASS, slider
from simulation.test_lqr import CART, TWO, cart_matrices

K, D = 100.0, 20.0


def test_springs_and_dampers_on_a_mass_in_closed_form() -> None:
    """L = (k + d s)/(m s²): |L| = 1 at m² ω⁴ = k² + d² ω², phase margin atan(d ω/k), delay margin that over ω."""
    found = gough.control_loop(slider(), laws.JointPD(K, D))
    w = np.sqrt((D**2 + np.sqrt(D**4 + 4 * K**2 * MASS**2)) / (2 * MASS**2))
    phase = np.arctan(D * w / K)
    assert found.stable and found.drives == ("slide",) and found.period is None
    assert found.crossover_hz[0] == pytest.approx(w / (2 * np.pi), rel=1e-9)
    assert found.phase_margin_deg[0] == pytest.approx(np.degrees(phase), rel=1e-9)
    assert found.delay_margin[0] == pytest.approx(phase / w, rel=1e-9)
    np.testing.assert_allclose(found.gain_margin, [[0.0, np.inf]])
    assert found.sensitivity_peak == 1.0 and found.peak_hz == np.inf
    np.testing.assert_allclose(np.sort(found.poles), np.sort(np.roots([MASS, D, K])), rtol=1e-9)
    hz = np.array([0.1, 1.0, 10.0])
    s = 2j * np.pi * hz
    L = (K + D * s) / (MASS * s**2)
    np.testing.assert_allclose(found.response(hz)[:, 0, 0], L, rtol=1e-9)
    np.testing.assert_allclose(found.sensitivity(hz)[:, 0, 0], 1 / (1 + L), rtol=1e-9)
    np.testing.assert_allclose(found.complementary(hz)[:, 0, 0], L / (1 + L), rtol=1e-9)
    half = 2 * np.pi * found.bandwidth_hz[0] * 1j
    assert abs(1 / (1 + (K + D * half) / (MASS * half**2))) == pytest.approx(np.sqrt(0.5), rel=1e-9)


def test_an_integral_needs_a_gain_of_its_own() -> None:
    """Routh: with the gain g, g K_p K_d / m > K_i."""
    found = gough.control_loop(slider(), laws.PID(K, D, 50.0))
    np.testing.assert_allclose(found.gain_margin, [[MASS * 50.0 / (K * D), np.inf]], rtol=1e-8)
    lost = gough.control_loop(slider(), laws.PID(K, D, 1.1 * K * D / MASS))
    assert not lost.stable and lost.poles[0].real > 0 and np.isnan(lost.gain_margin).all()
    assert np.isnan([lost.sensitivity_peak, *lost.phase_margin_deg, *lost.delay_margin]).all()


def test_poles_of_a_clock_that_forgets() -> None:
    """Late by two periods, by hand: (x, v, x before, u, u next), poles log(z)/T; what an estimator forgets is at z = 0."""
    T, k, late = 1e-2, 400.0, 2
    found = gough.control_loop(
        slider(), laws.Sampled(laws.JointPD(k, 8.0), T, delay=late * T, sensors=sensors.Encoders())
    )
    A = np.zeros((5, 5))  # x, v, x before, the force that acts next, the one after
    A[0] = [1, T, 0, T * T / 2 / MASS, 0]
    A[1] = [0, 1, 0, T / MASS, 0]
    A[2, 0] = A[3, 4] = 1.0
    A[4, [0, 2]] = -k - 8.0 / T, 8.0 / T
    z = np.linalg.eigvals(A)
    known = np.log(z[np.abs(z) > 1e-8].astype(complex)) / T
    poles = found.poles[np.isfinite(found.poles.real)]
    np.testing.assert_allclose(np.sort_complex(poles), np.sort_complex(known), rtol=1e-6, atol=1e-6)
    assert not np.isnan(found.poles).any() and (np.diff(found.poles.real[np.isfinite(found.poles.real)]) <= 1e-9).all()
    assert found.poles.real.max() == pytest.approx(known.real.max())
    forgets = gough.control_loop(slider(), laws.Sampled(laws.LQG(1e-3, 5.0, 1e-5, 1.0), T, sensors=sensors.Encoders()))
    assert forgets.poles.real.max() < 0 and np.isneginf(forgets.poles.real).any()


def test_a_chain_has_all_its_masses() -> None:
    """Led at the first of three: the second feels the third, the first does not."""
    A, B = continuous()
    known = np.linalg.eigvals(A - B @ np.array([[K, 0.0, 0.0, D, 0.0, 0.0]]))
    found = gough.control_loop(chain(), laws.JointPD(K, D))
    np.testing.assert_allclose(np.sort_complex(found.poles), np.sort_complex(known), rtol=1e-8)


def clocked_loop(model: gough.Model, period: float, late: int) -> Any:
    """L(z) of springs and dampers that see encoders: C(z) = k + d (1 - z⁻¹)/T, forces held and late by so many periods."""
    linear = gough.linear_model(model, outputs=["drives"])
    plant: Any = control.sample_system(control.ss(linear.A, linear.B, linear.C, linear.D), period, "zoh")
    pd: Any = control.tf([K + D / period, -D / period], [1.0, 0.0], period)
    return plant * control.ss(pd * control.tf([1.0], [1.0, *[0.0] * late], period))


def least_margins(L: Any, T: float) -> tuple[float, float]:
    """Gain and phase margin (deg) of one loop from sample to sample, on many frequencies."""
    z = np.exp(1j * np.geomspace(1e-2, np.pi, 6001))
    x = np.squeeze(control.frequency_response(L, np.angle(z) / T).frdata)
    turn = np.flatnonzero((x.imag[:-1] * x.imag[1:] < 0) & (x.real[:-1] < 0) & (x.real[:-1] > -1))
    ends = [-x[-1].real] if x[-1].real < 0 else []
    cross = np.flatnonzero((abs(x[:-1]) - 1) * (abs(x[1:]) - 1) < 0)
    part = (1 - abs(x[cross])) / (abs(x[cross + 1]) - abs(x[cross]))
    at = x[cross] + part * (x[cross + 1] - x[cross])
    return float(1 / max([*-x.real[turn], *ends])), float(np.degrees(np.abs(np.angle(-at))).min())


@pytest.mark.parametrize("late", [0, 2])
@pytest.mark.parametrize("robot", ["one mass", "two masses"])
def test_python_control_finds_the_same_margins_on_a_clock(robot: str, late: int) -> None:
    model = slider() if robot == "one mass" else built(loads(json.dumps(TWO)))
    T = 5e-3
    law = laws.Sampled(laws.JointPD(K, D), T, delay=late * T, sensors=sensors.Encoders())
    found, L = gough.control_loop(model, law), clocked_loop(model, T, late)
    hz = np.geomspace(0.05, 90.0, 15)
    theirs = np.array([L(np.exp(2j * np.pi * x * T)) for x in hz])
    np.testing.assert_allclose(found.response(hz)[:, 0, 0], theirs, rtol=1e-6)
    gain, phase = least_margins(L, T)
    assert found.gain_margin[0, 1] == pytest.approx(gain, rel=1e-3)
    assert found.phase_margin_deg[0] == pytest.approx(phase, abs=1e-2)
    disk = control.disk_margins(L, np.geomspace(1e-2, np.pi / T, 6000))[0]
    assert found.disk_margin[0] == pytest.approx(disk, rel=1e-4) == found.disk_margin_all
    assert found.to_control().dt == T


def test_a_pole_that_is_held_upright() -> None:
    """Its regulator has a margin for smaller gains: python-control's, of L = K (s - A)⁻¹ B with the textbook's matrices."""
    A, B = cart_matrices()
    gain, _, _ = control.lqr(A, B, np.diag([100.0, 10.0, 1.0, 1.0]), [[0.1]])
    law = laws.LQR(state_cost=[100, 10, 1, 1], force_cost=0.1)
    found = gough.control_loop(built(loads(json.dumps(CART))), law)
    low, phase, *_ = control.stability_margins(control.ss(A, B, gain, 0.0))
    np.testing.assert_allclose(found.gain_margin, [[low, np.inf]], rtol=1e-6)
    assert found.phase_margin_deg[0] == pytest.approx(phase, rel=1e-6) and found.phase_margin_deg[0] > 60


def test_several_drives_by_matrices() -> None:
    """S of all drives and of one by python-control's feedback, the bound of all at once by a search for the scale."""
    model = built(gough.load("five_bar"))
    found = gough.control_loop(model, laws.Sampled(laws.JointPD(40.0, 2.0), 5e-3, delay=5e-3))
    L: Any = control.ss(found.open.A, found.open.B, found.open.C, found.open.D, 5e-3)
    S = control.feedback(control.ss([], [], [], np.eye(2), 5e-3), L)
    w = np.linspace(0.1, np.pi / 5e-3, 2000)
    response = np.moveaxis(control.frequency_response(S, w).frdata, 2, 0)
    assert found.sensitivity_peak == pytest.approx(np.linalg.norm(response, 2, axis=(1, 2)).max(), rel=1e-4)
    np.testing.assert_allclose(found.sensitivity(w[::200] / 2 / np.pi), response[::200], rtol=1e-8, atol=1e-10)
    own = 1 / np.abs(np.diagonal(response, axis1=1, axis2=2) - 0.5).max(axis=0)
    np.testing.assert_allclose(found.disk_margin, own, rtol=1e-4)

    def bound(M: np.ndarray) -> float:
        return minimize_scalar(
            lambda x: np.linalg.norm(M * np.exp([[0, x], [-x, 0]]), 2), bounds=(-5, 5), method="bounded"
        ).fun

    worst = max(bound(M - 0.5 * np.eye(2)) for M in response[::20])
    assert found.disk_margin_all == pytest.approx(1 / worst, rel=5e-3)
    for k in range(2):  # the other loop closed
        others: Any = np.diag([float(j != k) for j in range(2)])
        closed: Any = control.feedback(L, others)
        one = closed[k, k]
        gain, phase = least_margins(one, 5e-3)
        assert found.gain_margin[k, 1] == pytest.approx(gain, rel=1e-3)
        assert found.phase_margin_deg[k] == pytest.approx(phase, abs=1e-2)
        for g in (0.999, 1.001):
            own = np.where(np.arange(2) == k, g * found.gain_margin[k, 1], 1.0)
            poles = np.linalg.eigvals(found.open.A - found.open.B @ (own[:, None] * found.open.C))
            assert (np.abs(poles).max() < 1) == (g < 1)


def grows(model: gough.Model, law: laws.Law, duration: float) -> bool:
    """Whether a run that begins a little away from where it should be goes away from there."""
    at = model.drives(model.home)
    names = list(model.layout.drive_names)
    stand = motions.function(lambda t: [x + 0.0 * t for x in at], duration, kind="drives", names=names)
    q = model.configuration(drives=at + 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = gough.simulate(model, stand, law, q=q, method="dp5", tolerance=1e-8)
    away = np.abs(run["drives.position"] - at).max(axis=1)
    first, last = (
        away[(run.time > a * duration) & (run.time <= b * duration)].max() for a, b in ((0.2, 0.5), (0.7, 1))
    )
    return bool(last > first)


FIVE = {"period": 5e-3, "sensors": sensors.Encoders(bandwidth=60.0), "actuators": actuators.Lag(time=2e-3)}


@pytest.mark.parametrize("drive", [0, 1])
def test_runs_on_both_sides_of_a_gain_margin(drive: int) -> None:
    """One drive's gains multiplied, behind encoders, a delay and a lag: the run dies out below the margin and grows above it."""
    model, k, d = built(gough.load("five_bar")), 40.0, 2.0

    def law(g: float, delay: float = 3e-3) -> laws.Law:
        gains = np.where(np.arange(2) == drive, g, 1.0)
        return laws.Sampled(laws.JointPD(k * gains, d * gains), delay=delay, **FIVE)  # type: ignore[arg-type]

    margin = gough.control_loop(model, law(1.0)).gain_margin[drive]
    assert np.isfinite(margin[1]) and margin[0] == 0
    assert not grows(model, law(0.96 * margin[1]), 1.5)
    assert grows(model, law(1.04 * margin[1]), 1.5)


def test_runs_on_both_sides_of_a_delay_margin() -> None:
    """In continuous time a delay is that of a clock that ticks fast; on a clock one of whole periods is exact."""
    T, law = 0.01, laws.JointPD(K, D)
    margin = gough.control_loop(slider(), laws.Sampled(law, T)).delay_margin[0]
    below, above = T * np.floor(margin / T), T * np.ceil(margin / T)
    assert not grows(slider(), laws.Sampled(law, T, delay=below), 4.0)
    assert grows(slider(), laws.Sampled(law, T, delay=above), 4.0)
    assert gough.control_loop(slider(), laws.Sampled(law, T, delay=below)).stable
    assert not gough.control_loop(slider(), laws.Sampled(law, T, delay=above)).stable
    continuous = gough.control_loop(slider(), law).delay_margin[0]
    for factor in (0.97, 1.03):
        late = gough.control_loop(slider(), laws.Sampled(law, 5e-3, delay=factor * continuous - 2.5e-3))
        assert late.stable == (factor < 1)


def test_a_map_has_the_margins_of_single_poses(tmp_path: Path) -> None:
    model = built(gough.load("delta"))
    law, z = laws.JointPD(1900.0, 50.0, gravity=True), float(model.home[2])
    found = gough.margin_map(model, law, {"x": (-0.2, 0.2, 3), "y": (-0.1, 0.1, 2)}, fixed={"z": z})
    assert found.verdict == "stable at 6 of 6 samples" and found.grid(found.tau).shape == (3, 2, 3)
    for k in (0, 3):
        x, y = found.samples.coordinates()[k]
        one = gough.control_loop(model, law, model.configuration(coordinates={"x": x, "y": y, "z": z}))
        for name in (
            "gain_margin",
            "phase_margin_deg",
            "delay_margin",
            "bandwidth_hz",
            "disk_margin",
            "sensitivity_peak",
        ):
            np.testing.assert_allclose(getattr(found, name)[k], getattr(one, name), rtol=1e-6, atol=1e-7, err_msg=name)
    found.plot(tmp_path / "map.png")
    kept = np.load(found.save(tmp_path / "map"))
    np.testing.assert_array_equal(kept["phase_margin_deg"], found.phase_margin_deg)


def test_a_map_tells_of_what_has_no_margins() -> None:
    model = built(gough.load("delta"))
    late = laws.Sampled(laws.ComputedTorque(bandwidth=30.0), 1e-3, delay=6e-3)
    with pytest.warns(RunWarning, match="unstable at 2 .*out_of_reach at 1|out_of_reach|not_converged"):
        found = gough.margin_map(model, late, {"x": (-0.1, 3.0, 3)})
    assert found.unstable.any() and np.isnan(found.sensitivity_peak[found.unstable]).all()
    assert np.isnan(found.phase_margin_deg[found.status != 0]).all() and (found.status != 0).any()
    weak = gough.margin_map(model, laws.JointPD(1900.0, 50.0, gravity=True, limit=0.5), {"x": (-0.1, 0.1, 2)})
    assert not weak.holds.any() and "not held within limits at 2" in weak.verdict
    with pytest.raises(UsageError, match="which its limit does not allow"):
        gough.control_loop(model, laws.JointPD(1900.0, 50.0, gravity=True, limit=0.5))


def test_laws_without_a_linear_loop_are_refused() -> None:
    model = slider()
    with pytest.raises(UsageError, match="whatever force it takes; there is no loop"):
        gough.control_loop(model, laws.Follow())
    with pytest.raises(UsageError, match="feeds nothing back"):
        gough.control_loop(model, laws.Free())
    with pytest.raises(UsageError, match=r"kind='pose': joint PD takes 'drives'"):
        gough.control_loop(model, laws.JointPD(1.0, 1.0), kind="pose")
    with pytest.raises(UsageError, match="LQG runs on a clock"):
        gough.control_loop(model, laws.LQG(1e-3, 5.0, 1e-5, 1.0))
    with pytest.raises(UsageError, match="no part of that of the controller"):
        gough.control_loop(model, laws.Sampled(laws.JointPD(1.0, 1.0), 1e-3, sensors=sensors.Encoders(period=2e-3)))

    def seen(t: float, q: np.ndarray, v: np.ndarray, reference: object) -> np.ndarray:
        print(q)
        return -q

    with pytest.raises(UsageError, match="no linear loop where it cannot be recorded"):
        gough.control_loop(model, laws.Sampled(seen, 1e-3))
    known = gough.control_loop(model, laws.Sampled(laws.JointPD(K, D), 1e-3)).phase_margin_deg
    for function in (lambda t, q, v, r: -K * q - D * v, lambda t, q, v, r: K * (r.position - q) + D * (r.velocity - v)):
        recorded = gough.control_loop(model, laws.Sampled(function, 1e-3))
        np.testing.assert_allclose(recorded.phase_margin_deg, known)
    with pytest.raises(UsageError, match="a function takes 'drives'"):
        gough.control_loop(model, laws.Sampled(lambda t, q, v, r: -K * q, 1e-3), kind="pose")


def test_forces_found_before_leave_the_loop_as_it_is() -> None:
    """They are no function of the state: the loop is that of the feedback, in closed form m s² + K_d s + K_p."""
    model, push = slider(), laws.forces([0.0, 1.0], [[3.0], [5.0]])
    plain = laws.JointPD(200.0, 30.0)
    for law in (
        laws.FeedForward(plain, push),
        laws.FeedForward(laws.FeedForward(plain, push), push),
        laws.Sampled(laws.FeedForward(plain, push), 1e-6),
    ):
        poles = gough.control_loop(model, law).poles
        poles = poles[np.isfinite(poles)]
        np.testing.assert_allclose(
            np.sort_complex(poles)[-2:], np.sort_complex(np.roots([2.0, 30.0, 200.0])), rtol=1e-3
        )
    observed = laws.DisturbanceObserver(laws.FeedForward(plain, push), 4.0)
    assert gough.control_loop(model, observed).stable
