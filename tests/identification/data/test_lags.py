"""Forces that an amplifier low-passed: told with their time constant, not where they only come late, and taken out by lags=.

Forces are Pinocchio's, heavier than described, with friction; the low pass solves τ + T τ̇ = τ_true at small steps."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.signal import lfilter

import gough
from reference.peers.pinocchio import PinocchioPeer

from .logs import Log, build, log_of

MS, FINER = 1e-3, 10


@cache
def quick() -> Log:
    """The five-bar up to 5 Hz."""
    log = log_of("five_bar", 0.06, rate_hz=1000.0, seconds=4.0, base_hz=1.0)
    peer = PinocchioPeer(log.model.robot, log.model.layout.v_names)
    S, tau = log.model.drive_map(log.q), np.empty_like(log.tau)
    for k, (q, v, a) in enumerate(zip(log.q, log.v, log.acceleration, strict=True)):
        tau[k] = 1.2 * np.linalg.solve(S[k], peer.mass_matrix(q) @ a + peer.bias(q, v))
    tau += tau.std(axis=0) * (0.05 * log.rate + 0.05 * np.tanh(log.rate / 0.05))
    return replace(log, tau=tau)


def through_low_pass(constant: float, order: int = 1) -> Log:
    """Forces between samples are straight lines, of which the filter's answer is exact but for the step's square."""
    from scipy.interpolate import CubicSpline

    log = quick()
    fine = np.linspace(log.t[0], log.t[-1], FINER * (len(log.t) - 1) + 1)
    y, h = CubicSpline(log.t, log.tau)(fine), fine[1] - fine[0]
    for _ in range(order):
        b, a = [h / (2 * constant + h)] * 2, [1.0, -(2 * constant - h) / (2 * constant + h)]
        y = lfilter(b, a, y - y[0], axis=0) + y[0]
    return replace(log, tau=y[::FINER])


def said(record: gough.Record, **more: object) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gough.condition(build("five_bar"), record, **more)  # pyright: ignore[reportArgumentType]
    return " ".join(str(w.message) for w in caught)


@pytest.mark.parametrize("constant", [pytest.param(5 * MS, marks=pytest.mark.slow), 10 * MS])
def test_a_low_pass_is_told_with_its_time_constant(constant: float) -> None:
    record = through_low_pass(constant).record(step=1e-6, noise=0.005)
    text = said(record)
    found = re.search(r"low-passed, with a time constant of (\S+) ± (\S+) ms.*lags=\{'force': (\S+)\}", text)
    assert found, text
    assert abs(float(found[1]) * MS / constant - 1.0) < 0.1
    assert "low-passed" not in said(record, lags={"force": float(found[3])})


@pytest.mark.parametrize("late", [0.0, 5 * MS, 10 * MS])
def test_a_delay_is_no_low_pass(late: float) -> None:
    for seed in range(3):
        assert "low-passed" not in said(quick().record(step=1e-6, noise=0.005, late=late, seed=seed))


def test_a_force_that_is_told_to_be_low_passed_is_what_it_was() -> None:
    """But for noise that grows with its frequency, which equations filter out."""
    log = through_low_pass(5 * MS)
    samples = gough.condition(log.model, log.record(step=1e-6), lags={"force": 5 * MS}, shifts=None)
    truth = quick().tau[quick().at(samples)]
    assert np.sqrt(np.mean((samples.force - truth) ** 2) / np.mean(truth**2)) < 2e-3
    assert any("a low pass of 5 ms taken out, as told" in note for note in samples.notes)


def test_lags_of_what_is_no_force_are_refused() -> None:
    with pytest.raises(gough.UsageError, match="names no force; use 'force' or 'force DRIVE'"):
        gough.condition(quick().model, quick().record(), lags={"position left_motor": 1e-3})
