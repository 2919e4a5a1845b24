"""Slips of the pen at the door: percentages, milliseconds, names that nobody has, numbers with units."""

# pyright: reportArgumentType=false, reportCallIssue=false
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough import actuators, laws, observers, sensors, vary
from gough.errors import RunWarning, UsageError
from laws.subjects import built
from simulation.sliders import slider


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: laws.PID(bandwith=8), r"PID: no argument bandwith=; did you mean bandwidth="),
        (lambda: laws.Sampled(laws.JointPD(1, 1), peroid=1e-3), r"Sampled: no argument peroid=; did you mean period="),
        (lambda: sensors.Encoders(delays=1e-3), r"Encoders: no argument delays=; did you mean delay="),
        (lambda: actuators.Lag(tme=1e-3), r"Lag: no argument tme=; did you mean time="),
        (lambda: observers.Kalman(disturbances=1.0), r"Kalman: .*did you mean disturbance="),
        (lambda: gough.loads.Sine(frequncy=3), r"Sine: no argument frequncy="),
    ],
)
def test_names_that_a_constructor_does_not_have(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        make()


@pytest.mark.parametrize("make", [vary.within, vary.spread])
def test_percentages_are_no_parts(make: Callable[[float], Any]) -> None:
    with pytest.raises(UsageError, match=rf"20 % is {make.__name__}\(0\.2\)"):
        make(20)
    assert make(1.0).relative


def test_milliseconds_are_no_seconds() -> None:
    model, law = slider(), laws.JointPD(100.0, 10.0)
    move = gough.motions.quintic(drives=[[0.0], [0.1]], durations=[0.2])
    with pytest.warns(RunWarning, match=r"period=1 s is longer than the motion \(0\.2 s\).*milliseconds") as told:
        gough.simulate(model, move, laws.Sampled(law, period=1, delay=2), method="rk4", step=1e-3)
    assert any("delay=2 s" in str(x.message) for x in told)
    with pytest.warns(RunWarning, match=r"delay=0\.5 s is longer"):
        gough.simulate(model, move, laws.Sampled(law, 0.05, delay=0.5), method="rk4", step=1e-3)


def test_numbers_with_units_are_those_in_si() -> None:
    written = sensors.Encoders(resolution="1 um", noise=["2 mm"], delay="0.5 ms", bandwidth="150 Hz")
    np.testing.assert_array_equal(written.entries("resolution", slider()), [1e-6])
    np.testing.assert_array_equal(written.entries("noise", slider()), [2e-3])
    assert written.delay == 5e-4 and written.bandwidth == 150.0
    assert json.loads(json.dumps(actuators.Lag(time="2 ms").time)) == 2e-3
    with pytest.raises(UsageError, match="1 mrad is an angle, and that of slide is a length"):
        sensors.Encoders(resolution="1 mrad").check(slider())
    for wrong in ("1 kg", "fine"):
        with pytest.raises(UsageError, match=r"encoders: resolution=.*number in m or rad"):
            sensors.Encoders(resolution=wrong)


def test_a_factor_of_stiffness_by_nearly_its_name() -> None:
    model = built(gough.load("dualemps"))
    for name, meant in (("*.stifness_factor", "*.stiffness_factor"), (model.parameter_names[0] + "x", "did you mean")):
        with pytest.raises(UsageError, match=f"did you mean .*{meant.replace('*', '[*]')}" if "*" in meant else meant):
            gough.simulate_many(model, vary=vary.sweep({name: [1.0]}), duration=0.01)


def test_a_place_is_no_configuration() -> None:
    model = built(gough.load("delta"))
    with pytest.raises(UsageError, match=r"shape \(3,\).*model\.configuration\(drives=.*\(pose="):
        gough.control_loop(model, laws.JointPD(1.0, 1.0), [0, 0, -0.3])
