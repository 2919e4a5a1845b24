"""Damping from decays that an exponential of independent matrices gives, with noise."""

import numpy as np
import pytest

import gough
from gough.errors import IdentificationWarning, UsageError
from inner.identification import poles_of_record

from .elastic_robots import DENSITY, arm, cantilever, cross, decay

STEP, COUNT = 2e-3, 1500
TIME = STEP * np.arange(COUNT)


def swinging(E=66e9, mass=0.25, alpha=0.9, beta=2.5e-5):
    """(count, 2) tip and middle of a beam that a push at both lets go."""
    M, C, K = (np.array(A) for A in cantilever(E, DENSITY, mass, 4, alpha, beta))
    n = len(M)
    tip, middle = n - 2, 4
    pushed = np.linalg.solve(K, 5.0 * np.eye(n)[tip] - 30.0 * np.eye(n)[middle])
    return decay(M, C, K, pushed, STEP, COUNT)[:, [tip, middle]]


def test_damping_and_stiffness_are_found_within_their_deviations():
    y, rng = swinging(), np.random.default_rng(2)
    sigma = 0.02 * y.std(axis=0)
    fit = gough.fit_decay(
        arm(4),
        TIME,
        y + sigma * rng.normal(size=y.shape),
        ["rod.E", "head.M", "rod.damping.alpha", "rod.damping.beta"],
        modes=[0, 1],
        sigma=sigma,
    )
    assert np.all(np.abs(fit.values - [66e9, 0.25, 0.9, 2.5e-5]) < 3.5 * fit.deviations)
    assert fit.deviation("rod.damping.alpha") < 0.1 and fit.deviation("rod.damping.beta") < 0.2 * 2.5e-5
    assert fit.undetermined == () and fit.modes.tolist() == [0, 1]


@pytest.mark.slow
def test_deviations_of_damping_are_those_of_the_draws():
    t = 0.01 * np.arange(400)
    clean = np.exp(-0.8 * t / 4) * np.cos(np.sqrt(1100 / 2 - 0.04) * t + 0.4)
    rng, scaled = np.random.default_rng(7), []
    for _ in range(40):
        noisy = clean + 0.3 + 0.05 * rng.normal(size=len(t))
        fit = gough.fit_decay(
            cross(1000.0, 9e4), t, noisy, ["x.spring.stiffness", "x.spring.damping"], modes=[0], sigma=0.05
        )
        scaled.append((fit.values - [1100.0, 0.8]) / fit.deviations)
    spread, inside = np.std(scaled, axis=0), np.mean(np.abs(scaled) < 1.96, axis=0)
    assert np.all((spread > 0.75) & (spread < 1.3))
    assert np.all(inside >= 0.85)
    own = gough.fit_decay(cross(1000.0, 9e4), t, noisy, ["x.spring.stiffness", "x.spring.damping"], modes=[0])
    assert np.allclose(own.deviations, fit.deviations, rtol=0.15) and np.isclose(own.chi2, 1.0)


def test_poles_of_a_record_without_noise_are_exact():
    s = np.array([-0.5 + 20j, -3.0 + 130j])
    y = np.real(np.exp(np.outer(TIME, s)) @ np.array([[1.0, 0.3], [0.2j, 1.0]]))
    found = poles_of_record(TIME, y, 2, 25.0)
    assert all(np.min(np.abs(found - x)) < 1e-3 * abs(x) for x in s)


def test_a_record_of_something_else_is_said():
    y = swinging()
    other = y + 0.5 * y.std(axis=0) * np.cos(2 * np.pi * 31.0 * TIME)[:, None]
    with pytest.warns(IdentificationWarning, match="free poles"):
        gough.fit_decay(arm(4), TIME, other, ["rod.damping.alpha"], modes=[0, 1])


def test_what_cannot_be_meant_is_refused():
    y = swinging()[:, 0]

    def refuse(match, time=TIME, record=y, unknowns=("rod.damping.alpha",), **options):
        with pytest.raises(UsageError, match=match):
            gough.fit_decay(arm(4), time, record, list(unknowns), **options)

    refuse("shape", record=y[:-1])
    refuse("finite", record=np.where(np.arange(COUNT) == 5, np.nan, y))
    refuse("evenly", time=TIME**1.1)
    refuse("does not move", record=np.ones(COUNT))
    refuse("two periods", time=TIME[:40] * 1e-3, record=y[:40])
    refuse("counted from 0", modes=[0.5])
    refuse("modes that swing", modes=[99])
    refuse("sigma: give positive and finite", sigma=-1.0)


def test_noise_and_what_does_not_swing_are_said():
    t = 0.01 * np.arange(400)
    model, wanted = cross(1000.0, 9e4), ["x.spring.stiffness", "x.spring.damping"]
    noise = np.random.default_rng(0).normal(size=400)
    with pytest.warns(IdentificationWarning, match=r"modes \[0\] of the model do not stand out .*doubt all numbers"):
        fit = gough.fit_decay(model, t, noise, wanted, modes=[0])
    assert "do not stand out of the noise" in fit.report()
    with pytest.raises(UsageError, match="does not swing: it crosses its mean 1 times"):
        gough.fit_decay(model, t, np.exp(-t), wanted, modes=[0])
    clean = np.exp(-0.8 * t / 4) * np.cos(np.sqrt(1100 / 2 - 0.04) * t + 0.4) + 0.05 * noise
    with pytest.raises(UsageError, match="channels 0 and 1 of the record are the same numbers"):
        gough.fit_decay(model, t, np.stack([clean, clean], axis=1), wanted, modes=[0])
    with pytest.warns(IdentificationWarning, match="residuals are 9.* times what sigma says|residuals are 10.* times"):
        gough.fit_decay(model, t, clean, wanted, modes=[0], sigma=0.005)


def test_time_in_ms_is_suspected():
    t = 0.01 * np.arange(400)
    model, wanted = cross(1000.0, 9e4), ["x.spring.stiffness", "x.spring.damping"]
    y = np.exp(-0.8 * t / 4) * np.cos(np.sqrt(1100 / 2 - 0.04) * t + 0.4)
    y = y + 0.01 * np.random.default_rng(0).normal(size=400)
    with pytest.raises(UsageError, match="if time is in ms: give it in s"):
        gough.fit_decay(model, 1e3 * t, y, wanted)
    with pytest.warns(IdentificationWarning, match="1000 times slower than the model's: time seems to be in ms"):
        fit = gough.fit_decay(model, 1e3 * t, y, wanted, modes=[0])
    assert "in ms" in fit.report()


def test_sensors_that_are_cut_off_or_coarse_are_said(recwarn: pytest.WarningsRecorder):
    t = 0.01 * np.arange(400)
    model, wanted = cross(1000.0, 9e4), ["x.spring.stiffness", "x.spring.damping"]
    y = np.exp(-2.5 * t / 4) * np.cos(np.sqrt(1100 / 2 - (2.5 / 4) ** 2) * t + 0.4)
    y = y + 0.02 * np.random.default_rng(0).normal(size=400)
    fit = gough.fit_decay(model, t, np.round(y, 2), wanted, modes=[0])
    assert not recwarn.list and abs(fit.value("x.spring.damping") - 2.5) < 4 * fit.deviation("x.spring.damping")
    with pytest.warns(
        IdentificationWarning, match="channel 0 is 0.3, and never beyond, in .* swings: it seems cut off"
    ):
        fit = gough.fit_decay(model, t, np.clip(y, -0.3, 0.3), wanted, modes=[0])
    assert fit.value("x.spring.damping") < 2.5 - 4 * fit.deviation("x.spring.damping")
    with pytest.warns(IdentificationWarning, match="channel 0 has 7 different numbers"):
        gough.fit_decay(model, t, np.round(3 * y), wanted, modes=[0])


def test_a_step_in_a_record_is_no_other_clock(recwarn: pytest.WarningsRecorder):
    t = 0.005 * np.arange(1000)
    y = np.exp(-2.5 * t / 4) * np.cos(np.sqrt(1210 / 2 - (2.5 / 4) ** 2) * t + 0.3) + (t > 2.5)
    y = y + 0.05 * np.random.default_rng(0).normal(size=len(t))
    gough.fit_decay(cross(1000.0, 9e4), t, y, ["x.spring.stiffness", "x.spring.damping"], modes=[0])
    assert not any("times slower" in str(w.message) for w in recwarn.list)


def test_a_record_that_cannot_be_computed_with_is_refused():
    t = 0.01 * np.arange(400)
    y = np.exp(-0.2 * t) * np.cos(23 * t)
    for factor, match in ((1e200, "numbers above 1e"), (1e-200, "does not move")):
        with pytest.raises(UsageError, match=match):
            gough.fit_decay(cross(1000.0, 9e4), t, factor * y, ["x.spring.stiffness"], modes=[0])
