"""Stiffness, mass and damping from responses of independent elements; slopes against the closed form."""

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import IdentificationWarning, UsageError
from inner.identification import linear_response, map_design, read_channels, resting_robot

from .elastic_robots import DENSITY, arm, cantilever, cross

HZ = np.linspace(3, 110, 260)
WANTED = ["rod.E", "head.M", "rod.damping.alpha", "rod.damping.beta"]
TRUTH = np.array([66e9, 0.25, 0.9, 2.5e-5])


def measured_response(power=2):
    M, C, K = (np.array(A) for A in cantilever(TRUTH[0], DENSITY, TRUTH[1], 8, TRUTH[2], TRUTH[3]))
    w = 2 * np.pi * HZ[:, None, None]
    x = np.linalg.solve(K + 1j * w * C - w**2 * M, np.eye(len(M))[:, -2:-1])
    return x[:, -2, 0] * (2j * np.pi * HZ) ** power


def test_slopes_have_the_closed_form():
    model = cross(1000.0, 3000.0)
    design = map_design(model, ["x.spring.stiffness", "x.spring.damping", "head.M"], {}, {}, {})
    robot = resting_robot(design, None, "free", "equilibrium")
    at = robot.matrices(np.array([1000.0, 2.0, 2.0]))
    (eye,) = read_channels(model, "motion", "head.eye.x")
    w = np.array([5.0, 22.0, 40.0])
    H, dH = linear_response(robot, at, w, eye, [eye])
    wanted = 1 / (1000 + 2j * w - 2 * w**2)
    assert np.allclose(H[:, 0], wanted, rtol=1e-12)
    assert np.allclose(dH[:, :, 0], [-(wanted**2), -1j * w * wanted**2, w**2 * wanted**2], rtol=1e-10)


def test_slopes_between_two_places_are_differences():
    robot = resting_robot(map_design(arm(3), WANTED, {}, {}, {}), None, "locked", "equilibrium")
    source, *outputs = read_channels(arm(3), "motion", ["head.y", "rod.tip.rz", "rod.tip.y"])
    w = 2 * np.pi * np.array([5.0, 60.0])
    dH = linear_response(robot, robot.matrices(TRUTH), w, source, outputs)[1]
    for k, x in enumerate(TRUTH):
        e = 1e-4 * x * np.eye(4)[k]
        both = [linear_response(robot, robot.matrices(TRUTH + s * e), w, source, outputs)[0] for s in (1, -1)]
        wanted = (both[0] - both[1]) / (2e-4 * x)
        assert np.abs(dH[k] - wanted).max() < 1e-6 * np.abs(wanted).max()


def test_stiffness_mass_and_damping_are_found_within_their_deviations():
    H, rng = measured_response(), np.random.default_rng(5)
    coherence = np.full(len(HZ), 0.99)
    sigma = np.abs(H) * np.sqrt(0.01 / (2 * 0.99 * 20))
    noisy = H + sigma * (rng.normal(size=len(H)) + 1j * rng.normal(size=len(H)))
    fit = gough.fit_response(
        arm(8), HZ, noisy, WANTED, force="head.y", motion="head.y", coherence=coherence, averages=20
    )
    assert np.all(np.abs(fit.values - TRUTH) < 3.5 * fit.deviations)
    assert 0.8 < fit.chi2 < 1.2
    assert fit.deviations[0] < 1e-3 * TRUTH[0] and fit.deviations[3] < 0.05 * TRUTH[3]


def test_without_noise_they_are_exact_whatever_is_measured():
    for power, quantity in enumerate(("displacement", "velocity", "acceleration")):
        fit = gough.fit_response(
            arm(8), HZ[::4], measured_response(power)[::4], WANTED, force="head.y", motion="head.y", quantity=quantity
        )
        assert np.allclose(fit.values, TRUTH, rtol=1e-6)


def test_drives_and_refusals():
    model, w = cross(), 2 * np.pi * HZ[:8]
    H = 1 / (1000 + 2j * w - 2 * w**2)

    def refuse(match, response=H, **options):
        given: dict[str, Any] = {"force": "head.x", "motion": "head.x", "quantity": "displacement"} | options
        with pytest.raises(UsageError, match=match):
            gough.fit_response(model, HZ[:8], response, ["x.spring.stiffness"], **given)

    refuse("quantity", quantity="jerk")
    refuse("shape", response=H[:5])
    refuse("not both", sigma=1.0, coherence=0.9)
    refuse("at most 1", coherence=1.5)
    refuse("no such channel", motion="head.w")
    refuse("finite", response=np.where(np.arange(8) == 3, np.nan, H))
    emps = gough.build("dualemps_refined")
    with pytest.raises(UsageError, match="drives='locked'"):
        gough.fit_response(emps, HZ[:8], H, {"E": "link*.E"}, force="q11", motion="link17.x")


def test_a_response_of_another_robot_is_said_not_to_fit():
    rng = np.random.default_rng(0)
    other = rng.normal(size=len(HZ)) + 1j * rng.normal(size=len(HZ))
    with pytest.warns(IdentificationWarning, match="of the response's power"):
        gough.fit_response(arm(3), HZ, other, ["rod.E"], force="head.y", motion="head.y")


def test_one_frequency_for_two_unknowns_leaves_no_deviations():
    w = 2 * np.pi * np.array([3.0])
    H, wanted = 1 / (900 + 2.2j * w - 2 * w**2), ["x.spring.stiffness", "x.spring.damping"]
    given: dict[str, Any] = {"force": "head.eye.x", "motion": "head.eye.x", "quantity": "displacement"}
    with pytest.warns(IdentificationWarning, match="2 real and imaginary parts for 2 unknowns"):
        fit = gough.fit_response(cross(), [3.0], H, wanted, **given)
    assert np.isinf(fit.deviations).all() and np.allclose(fit.values, [900, 2.2])
    sigma = 1e-3 * abs(H[0])
    known = gough.fit_response(cross(), [3.0], H, wanted, sigma=sigma, **given)
    assert np.allclose(known.deviations, sigma / abs(H[0]) ** 2 * np.array([1, 1 / w[0]]), rtol=1e-6)


def test_noise_beyond_sigma_and_frequencies_in_rad_are_said():
    H, rng = measured_response(), np.random.default_rng(5)
    noisy = H + 0.01 * np.abs(H) * (rng.normal(size=len(H)) + 1j * rng.normal(size=len(H)))
    with pytest.warns(IdentificationWarning, match=r"residuals are (9\.|10).* times what sigma says"):
        gough.fit_response(arm(8), HZ, noisy, WANTED, force="head.y", motion="head.y", sigma=1e-3 * np.abs(H))
    with pytest.warns(IdentificationWarning, match="in rad/s: frequencies_hz is in Hz; divide by 2π"):
        gough.fit_response(
            arm(8), 2 * np.pi * HZ[::8], measured_response(0)[::8], WANTED[:1], force="head.y", motion="head.y",
            quantity="displacement",
        )  # fmt: skip


def test_a_direction_in_which_nothing_moves_is_refused():
    model, w = cross(1000.0, 3000.0), 2 * np.pi * HZ
    H = -(w**2) / (1000 + 2j * w - 2 * w**2)
    for force, motion, match in (
        ("head.z", "head.x", "force='head.z' is a direction in which nothing moves"),
        ("head.x", "head.z", "motion='head.z' is a direction"),
        ("head.x", "head.y", "force='head.x' does not move motion='head.y'"),
    ):
        with pytest.raises(UsageError, match=match):
            gough.fit_response(model, HZ, H, ["x.spring.stiffness"], force=force, motion=motion, drives="free")


def test_a_prior_without_sigma_does_not_pull_good_data():
    model, w, rng = cross(1000.0, 3000.0), 2 * np.pi * HZ, np.random.default_rng(0)
    H = -(w**2) / (1100 + 2.5j * w - 2 * w**2)
    noisy = H * (1 + 1e-3 * (rng.normal(size=len(w)) + 1j * rng.normal(size=len(w))))
    options: dict[str, Any] = {"force": "head.x", "motion": "head.x", "drives": "free"}
    wanted = ["x.spring.stiffness", "x.spring.damping"]
    alone = gough.fit_response(model, HZ, noisy, wanted, **options)
    fit = gough.fit_response(model, HZ, noisy, wanted, prior={"x.spring.stiffness": 50.0}, **options)
    assert np.allclose(fit.values, alone.values, rtol=1e-5) and np.allclose(fit.deviations, alone.deviations, rtol=1e-2)


def test_frequencies_in_rad_are_said_of_a_robot_that_is_described_wrongly():
    hz = np.linspace(1.0, 8.0, 100)
    w = 2 * np.pi * hz
    H = -(w**2) / (1210 + 2.5j * w - 2 * w**2)  # described: 1000 N/m, so that the peaks do not meet
    options: dict[str, Any] = {"force": "head.eye.x", "motion": "head.eye.x", "drives": "free"}
    wanted = ["x.spring.stiffness", "x.spring.damping"]
    with pytest.warns(IdentificationWarning, match="in rad/s: frequencies_hz is in Hz; divide by 2π"):
        gough.fit_response(cross(1000.0, 3000.0), w, H, wanted, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = gough.fit_response(cross(1000.0, 3000.0), hz, H, wanted, **options)
    assert np.allclose(fit.values, [1210, 2.5], rtol=1e-6)


def test_what_is_no_response_is_refused():
    hz = np.linspace(1.0, 8.0, 50)
    w = 2 * np.pi * hz
    H = -(w**2) / (1000 + 2j * w - 2 * w**2)

    def refuse(match, response: Any = H, motion: Any = "head.eye.x", **options):
        with pytest.raises(UsageError, match=match):
            gough.fit_response(
                cross(),
                hz,
                response,
                ["x.spring.stiffness"],
                force="head.eye.x",
                motion=motion,
                drives="free",
                **options,
            )

    refuse("at 1 Hz of head.eye.x is no measurement", response=0 * H)
    refuse("is no measurement", response=np.where(hz > 7.9, 1e200, H))
    refuse("0 outputs", response=np.zeros((50, 0)), motion=[])
    refuse("head.eye.x stands twice", response=np.stack([H, H], axis=1), motion=["head.eye.x", "head.eye.x"])
    refuse("sigma: give positive and finite", sigma=1e-300)
    refuse("sigma: give positive and finite", sigma=np.inf)
    refuse("coherence: give positive and finite", coherence=0.0)
