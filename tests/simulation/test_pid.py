"""Integrals against closed forms, and against SciPy's integration of the same loop; gains by bandwidth and damping."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import gough
from gough import laws, motions
from gough.errors import UsageError
from laws.subjects import built
from simulation.sliders import MASS, slider

WEIGHT = MASS * 9.81


def stand(x: float, duration: float) -> gough.Motion:
    return motions.function(lambda t: [x + 0.0 * t], duration, kind="drives", names=["slide"])


@pytest.mark.parametrize("method", ["dp5", "esdirk4"])
def test_an_integral_takes_the_weight(method: str) -> None:
    """(x, ẋ, I) of m ẍ = K_p e - K_d ẋ + I - m g, İ = K_i e: the exponential of a matrix of three."""
    Kp, Kd, Ki = 200.0, 30.0, 150.0
    law = laws.PID(Kp, Kd, Ki)
    run = gough.simulate(slider(9.81), stand(0.2, 1.5), law, q=[0.2], method=method, tolerance=1e-9, step=2e-3)
    A = np.array([[0, 1, 0], [-Kp / MASS, -Kd / MASS, 1 / MASS], [-Ki, 0, 0]])
    rest = np.array([0.0, 0.0, WEIGHT])
    expected = np.array([rest + expm(A * t) @ (np.zeros(3) - rest) for t in run.time])
    np.testing.assert_allclose(run.q[:, 0] - 0.2, expected[:, 0], atol=5e-8)
    np.testing.assert_allclose(run["controller.states"][:, 0], expected[:, 2], atol=2e-5)
    assert run.channel("controller.states").unit == "N"


def far(tracking: float | None) -> gough.Run:
    law = laws.PID(400.0, 40.0, 300.0, limit=3.0, tracking=tracking)
    return gough.simulate(slider(), stand(1.0, 4.0), law, q=[0.0], tolerance=1e-10)


def test_the_integral_does_not_wind_up() -> None:
    """A step that the drive cannot follow, beside SciPy's integration of the same equations."""
    Kp, Kd, Ki, most = 400.0, 40.0, 300.0, 3.0

    def rates(t: float, x: np.ndarray, T: float) -> list[float]:
        wanted = Kp * (1.0 - x[0]) - Kd * x[1] + x[2]
        cut = np.clip(wanted, -most, most)
        return [x[1], cut / MASS, Ki * (1.0 - x[0]) + (cut - wanted) / T]

    for tracking, T in ((None, np.sqrt(Kd / Ki)), (0.02, 0.02)):
        run = far(tracking)
        truth = solve_ivp(
            rates, (0, 4.0), [0.0, 0.0, 0.0], args=(T,), t_eval=[4.0], rtol=1e-11, atol=1e-12, max_step=1e-3
        )
        assert run.time[-1] == 4.0
        assert abs(run.q[-1, 0] - truth.y[0, -1]) < 1e-6
    assert far(1e6).q[:, 0].max() > 1.3 and far(None).q[:, 0].max() < 1.03  # hardly any tracking, and the default


def test_bandwidths_of_an_integral_are_poles() -> None:
    """m s³ + K_d s² + K_p s + K_i = m (s² + 2 ζ ω s + ω²)(s + ω_i)."""
    law = laws.PID(bandwidth=5.0, damping_ratio=0.7, integral_bandwidth=1.0).tune(slider())
    poles = np.roots([MASS, *(np.asarray(getattr(law, key))[0] for key in ("damping", "stiffness", "integral"))])
    w = 2 * np.pi * 5.0
    expected = [-2 * np.pi, -0.7 * w + 1j * w * np.sqrt(1 - 0.49), -0.7 * w - 1j * w * np.sqrt(1 - 0.49)]
    for pole in expected:
        assert np.abs(poles - pole).min() < 1e-9 * w
    default = laws.PID(bandwidth=5.0)
    assert (default.integral_bandwidth, default.damping_ratio) == (0.5, 1.0)


@pytest.mark.parametrize("law", [laws.JointPD, laws.ComputedTorque])
def test_errors_vanish_as_bandwidth_and_damping_say(law: type) -> None:
    """ë + 2 ζ ω ė + ω² e = 0 in closed form, whatever the mass."""
    w, z = 2 * np.pi * 3.0, 0.6
    run = gough.simulate(slider(), stand(0.1, 0.6), law(bandwidth=3.0, damping_ratio=z), q=[0.0], tolerance=1e-10)
    wd = w * np.sqrt(1 - z**2)
    t = run.time
    error = np.exp(-z * w * t) * (np.cos(wd * t) + z * w / wd * np.sin(wd * t))
    np.testing.assert_allclose(run.q[:, 0], 0.1 * (1 - error), atol=1e-8)
    told = run.info.controller
    assert (told["bandwidth"], told["damping_ratio"]) == (3.0, z)
    scale = MASS if law is laws.JointPD else 1.0
    np.testing.assert_allclose(told["stiffness"], scale * w**2, rtol=1e-12)
    np.testing.assert_allclose(told["damping"], scale * 2 * z * w, rtol=1e-12)


@pytest.mark.parametrize("name", ["delta", "five_bar", "delta_flexible"])
def test_the_mass_of_a_drive_is_felt_while_others_stand_still(name: str) -> None:
    """Twice the kinetic energy of all bodies where one drive moves at 1 m/s or 1 rad/s, and nothing bends."""
    model = built(gough.load(name))
    tuned = laws.JointPD(bandwidth=1 / (2 * np.pi)).tune(model)  # ω = 1: stiffness is the mass
    n = model.mobility
    S = model.drive_map(model.home)[:n]
    for k, unit in enumerate(np.eye(n)):
        v = np.concatenate([np.linalg.solve(S.T, unit), np.zeros(model.layout.nv - n)])
        np.testing.assert_allclose(model.drive_rates(model.home, v), unit, atol=1e-12)
        assert tuned.stiffness[k] == pytest.approx(2 * float(model.energies(model.home, v).kinetic), rel=1e-9)


def test_redundant_drives_share_the_mass() -> None:
    """Λ of a robot with more drives than freedoms: S K Sᵀ has the mean eigenvalue ω² against M where drives are alike."""
    model = built(gough.load("redundant_planar"))
    law = laws.JointPD(bandwidth=1 / (2 * np.pi)).tune(model)
    S, M = model.drive_map(model.home), model.mass_matrix(model.home)
    found = np.linalg.eigvals(np.linalg.solve(M, (S * np.array(law.stiffness)) @ S.T)).real
    assert found.min() > 0.5 and found.max() < 2.0


def test_heavier_robots_have_stiffer_springs() -> None:
    """nominal=: the mass that the law believes in."""
    model = slider()
    believed = laws.JointPD(bandwidth=2.0, gravity=True, nominal={"block.M": 3 * MASS})
    assert believed.tune(model).stiffness[0] == pytest.approx(3 * MASS * (4 * np.pi) ** 2)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: laws.JointPD(), r"joint PD: give stiffness and damping, or bandwidth= \(Hz\)"),
        (lambda: laws.JointPD(100.0), r"joint PD: give stiffness and damping, or bandwidth="),
        (lambda: laws.JointPD(100.0, 3.0, bandwidth=2.0), "joint PD: stiffness and damping follow from bandwidth="),
        (lambda: laws.JointPD(damping_ratio=0.7), "damping_ratio= belongs to bandwidth="),
        (lambda: laws.JointPD(bandwidth=-1.0), "bandwidth=-1.0: must not be below 0"),
        (lambda: laws.JointPD(bandwidth=0.0), "bandwidth=0.0: must be above 0"),
        (lambda: laws.JointPD(bandwidth=[1, 2], damping_ratio=[1, 1, 1]), "2 bandwidths and 3 damping ratios"),
        (lambda: laws.ComputedTorque(300.0, bandwidth=2.0), "stiffness and damping follow from bandwidth="),
        (lambda: laws.PID(1.0, 1.0), "PID: give stiffness and damping and integral, or bandwidth="),
        (lambda: laws.PID(1.0, 1.0, -1.0), "integral=-1.0: must not be below 0"),
        (lambda: laws.PID(1.0, 1.0, 1.0, integral_bandwidth=2.0), "integral_bandwidth= belongs to bandwidth="),
        (lambda: laws.PID(1.0, 1.0, 1.0, tracking=0.0), r"tracking=0.0: give one positive time \(s\)"),
        (lambda: laws.PID(bandwidth=[1, 2, 3]).tune(slider()), "3 numbers are given, the robot has 1 drives"),
        (
            lambda: laws.PID(1.0, 1.0, 100.0, limit=1.0).tune(slider(), 0.2),
            "returns from a limit within 0.1 s, less than",
        ),
    ],
)
def test_what_makes_no_gains_is_refused(make: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()  # type: ignore[operator]


def test_a_copy_of_a_law_is_that_law() -> None:
    from dataclasses import replace

    made = replace(laws.ComputedTorque(bandwidth=2.0, damping_ratio=0.5), limit=3.0)
    assert made.stiffness == (4 * np.pi) ** 2 and made.damping == 4 * np.pi


def test_files_and_a_clock(tmp_path: Path) -> None:
    """In a scenario, sampled, with encoders: the integral is a part of the compiled loop; ends where it should."""
    text = """
format: 1
robot: delta
motion: {quintic: {drives: {leg0.arm: [0.3, 0.35, 0.35], leg1.arm: [0.3, 0.3, 0.3], leg2.arm: [0.3, 0.35, 0.35]},
  durations: [1, 1.5]}}
method: rk4
controller: {sampled: {law: {pid: {bandwidth: 6 Hz, damping_ratio: 0.8, integral_bandwidth: 1 Hz, limit: 40}}, period: 2 ms,
  sensors: [{encoders: {}}]}}
"""
    file = tmp_path / "pid.yaml"
    file.write_text(text)
    run = gough.load_scenario(file).run()
    assert run.stopped == "finished"
    assert np.abs(run["drives.position"][-1] - [0.35, 0.3, 0.35]).max() < 2e-4
    assert run.info.controller["of"]["bandwidth"] == 6.0 and len(run.info.controller["of"]["stiffness"]) == 3
