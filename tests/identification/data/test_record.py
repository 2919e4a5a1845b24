"""Simulated runs as logs: steps of encoders, noise and delays are those that were asked for."""

import numpy as np
import pytest

import gough

from .logs import log_of


def run() -> gough.Run:
    log = log_of("five_bar", 0.3)
    return gough.Run.from_states(log.model, log.t, log.q, log.v, log.tau, acceleration=log.acceleration)


def test_a_run_is_a_record() -> None:
    log, record = log_of("five_bar", 0.3), gough.Record.from_run(run())
    for k, drive in enumerate(log.model.layout.drive_names):
        assert np.array_equal(record.positions[drive], log.x[:, k])
        assert np.allclose(record.rates[drive], log.rate[:, k])
        assert np.array_equal(record.forces[drive], log.tau[:, k])
    assert record.duration == log.t[-1] and len(record) == len(log.t)


def test_sensors_have_steps_noise_and_delays() -> None:
    made = run()
    record = gough.Record.from_run(
        made, resolution=1e-4, noise={"force": 0.5}, delay={"force left_motor": 0.01}, seed=3
    )
    exact = gough.Record.from_run(made)
    step = record.positions["left_motor"] / 1e-4
    assert np.allclose(step, np.round(step), atol=1e-6)
    assert np.abs(record.positions["left_motor"] - exact.positions["left_motor"]).max() <= 0.5001e-4
    noise = record.forces["right_motor"] - exact.forces["right_motor"]
    assert abs(noise.std() - 0.5) < 0.02
    late = record.forces["left_motor"][5:] - exact.forces["left_motor"][:-5]  # 5 samples at 500 Hz
    assert abs(late.std() - 0.5) < 0.02
    other = gough.Record.from_run(made, coordinates=["left_elbow"], rate_hz=100.0)
    assert set(other.positions) == {"left_elbow"} and len(other) == 1200


def test_shapes_and_names_are_checked() -> None:
    with pytest.raises(gough.UsageError, match=r"forces of a has shape \(3,\); expected \(4,\)"):
        gough.Record("log", np.arange(4.0), {}, {"a": np.zeros(3)})
    with pytest.raises(gough.UsageError, match="expected 'left_elbow'"):
        gough.Record.from_run(run(), coordinates=["left_elbw"])
    with pytest.raises(gough.UsageError, match="names no channel"):
        gough.Record.from_run(run(), noise={"forces": 1.0})
