"""Margins of what all drives share against closed forms of a symmetric robot, python-control, and loops on both sides."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import control
import numpy as np
import pytest

import gough
from gough import actuators, laws, sensors
from gough.errors import RunWarning
from gough.robot import loads
from laws.subjects import built
from simulation.sliders import MASS, slider
from simulation.test_control_loop import D, K, clocked_loop, grows, least_margins
from simulation.test_lqr import TWO

M, SOFT, LOSS = 2.0, 300.0, 1.0
PAIR = f"""
format: 1
name: pair
gravity: [0, 0, 0]
bodies:
  - {{name: left, mass: {M}, inertia: {{about: center_of_mass, xx: 1, yy: 1, zz: 1}}}}
  - {{name: right, mass: {M}, inertia: {{about: center_of_mass, xx: 1, yy: 1, zz: 1}}}}
joints:
  - {{name: a, type: prismatic, axis: [1, 0, 0], parent: world, child: left, drive: {{}}}}
  - {{name: b, type: prismatic, axis: [1, 0, 0], parent: world, child: right, pose: {{position: [1, 0, 0]}}, drive: {{}}}}
springs:
  - {{name: between, from: {{body: left}}, to: {{body: right}}, stiffness: {SOFT}, damping: {LOSS}, rest_length: 1}}
home: {{joints: {{a: 0, b: 0}}}}
"""
"""Two masses on two drives, a spring between: together they feel nothing of it, against each other twice."""


@cache
def pair() -> gough.Model:
    return built(loads(PAIR))


def together_and_apart() -> list[Any]:
    """The pair as two robots of one drive each."""
    return [control.tf([1.0], [M, 0.0, 0.0]), control.tf([1.0], [M, 2 * LOSS, 2 * SOFT])]


def test_a_symmetric_pair_is_two_loops() -> None:
    """Eigenvalues of L are (K + D s) over those of the robot: gain, phase and delay of each by python-control."""
    integral = 150.0
    for law, C in (
        (laws.JointPD(K, D), control.tf([D, K], [1.0])),
        (laws.PID(K, D, integral), control.tf([D, K, integral], [1.0, 0.0])),
    ):
        found = gough.control_loop(pair(), law)
        gains, phases, delays = [], [], []
        for robot in together_and_apart():
            gain, phase, _, _, cross, _ = control.stability_margins(C * robot, returnall=True)
            gains += [x for x in gain if np.isfinite(x)]
            phases += list(phase)
            delays += [np.radians(p % 360) / w for p, w in zip(phase, cross, strict=True)]
        low, high = [x for x in gains if x < 1], [x for x in gains if x > 1]
        np.testing.assert_allclose(found.gain_margin_all, [max(low, default=0.0), min(high, default=np.inf)], rtol=1e-6)
        assert found.phase_margin_deg_all == pytest.approx(np.abs(phases).min(), rel=1e-6)
        assert found.delay_margin_all == pytest.approx(min(delays), rel=1e-6)


@pytest.mark.parametrize("late", [0, 1])
def test_a_symmetric_pair_on_a_clock(late: int) -> None:
    """The same from sample to sample: forces held and late, rates by differences."""
    T = 5e-3
    law = laws.Sampled(laws.JointPD(K, D), T, delay=late * T, sensors=sensors.Encoders())
    found = gough.control_loop(pair(), law)
    pd: Any = control.tf([K + D / T, -D / T], [1.0, *[0.0] * (late + 1)], T)
    known = [least_margins(control.ss(control.sample_system(x, T, "zoh") * pd), T) for x in together_and_apart()]
    assert found.gain_margin_all[1] == pytest.approx(min(x[0] for x in known), rel=1e-3)
    assert found.phase_margin_deg_all == pytest.approx(min(x[1] for x in known), abs=1e-2)


def test_of_one_drive_they_are_its_own() -> None:
    """L = (k + d s)/(m s²): delay margin atan(d ω/k)/ω; on a clock as python-control has them."""
    found = gough.control_loop(slider(), laws.JointPD(K, D))
    w = np.sqrt((D**2 + np.sqrt(D**4 + 4 * K**2 * MASS**2)) / (2 * MASS**2))
    assert found.delay_margin_all == pytest.approx(np.arctan(D * w / K) / w, rel=1e-9)
    model, T = built(loads(json.dumps(TWO))), 5e-3
    clocked = gough.control_loop(model, laws.Sampled(laws.JointPD(K, D), T, sensors=sensors.Encoders()))
    gain, phase = least_margins(clocked_loop(model, T, 0), T)
    assert clocked.gain_margin_all[1] == pytest.approx(gain, rel=1e-3)
    assert clocked.phase_margin_deg_all == pytest.approx(phase, abs=1e-2)


def on_both_sides(model: gough.Model, law: laws.Sampled, q: Any = None) -> gough.ControlLoop:
    """The loop, after a look at those with the delay and the gain just below and above its margins, and with all shorter ones."""
    found = gough.control_loop(model, law, q)
    most, step = found.delay_margin_all, law.period / 50
    for delay, good in (
        (most - step, True),
        (most + step, False),
        *((x, True) for x in np.arange(0, most, law.period / 2)),
    ):
        late = replace(law, delay=law.delay + round(delay / step) * step)
        assert gough.control_loop(model, late, q).stable == good, delay
    pd = law.law
    assert isinstance(pd, laws.JointPD)
    for g, good in zip(found.gain_margin_all.repeat(2) * [0.999, 1.001, 0.999, 1.001], [0, 1, 1, 0], strict=True):
        if np.isfinite(g) and g > 0:
            gains = {"stiffness": g * np.asarray(pd.stiffness), "damping": g * np.asarray(pd.damping)}
            assert gough.control_loop(model, replace(law, law=replace(pd, **gains)), q).stable == bool(good), g
    return found


def test_loops_on_both_sides() -> None:
    """Behind encoders and a lag: forces later by fractions of a period, too."""
    law = laws.Sampled(
        laws.JointPD(40.0, 2.0),
        5e-3,
        delay=3e-3,
        sensors=sensors.Encoders(bandwidth=60.0),
        actuators=actuators.Lag(time=2e-3),
    )
    found = on_both_sides(built(gough.load("five_bar")), law)
    assert (
        found.delay_margin_all < found.delay_margin.min() and found.phase_margin_deg_all < found.phase_margin_deg.min()
    )


@pytest.mark.slow
def test_loops_on_both_sides_of_a_delta() -> None:
    on_both_sides(built(gough.load("delta")), laws.Sampled(laws.JointPD(1900.0, 50.0), 2e-3, delay=1e-3))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hobby_6rss", "pedrammehr2012", "screw_hexapod"])
def test_delays_of_robots_with_six_drives(name: str) -> None:
    """Rods that spin by themselves, drives that push on each other, screws."""
    model = built(gough.load(name))
    law = laws.Sampled(laws.ComputedTorque(bandwidth=5.0), 2e-3, delay=1e-3, actuators=actuators.Lag(time=1e-3))
    most = gough.control_loop(model, law).delay_margin_all
    for factor in (0.97, 1.03):
        late = replace(law, delay=1e-3 + round(factor * most / 2e-5) * 2e-5)
        assert gough.control_loop(model, late).stable == (factor < 1)


@pytest.mark.slow
def test_runs_on_both_sides_of_the_delay() -> None:
    model, T = built(gough.load("delta")), 2e-3
    law = laws.Sampled(laws.JointPD(1900.0, 50.0, gravity=True), T, delay=1e-3, sensors=sensors.Encoders())
    most = gough.control_loop(model, law).delay_margin_all
    for factor in (0.96, 1.04):
        assert grows(model, replace(law, delay=1e-3 + factor * most), 1.0) == (factor > 1)


CLOCK = 0.1
"""A period (s) with which the spring of TWO, of 24.5 rad/s, 3.9 Hz, is no more seen as it is; 5 Hz is half the rate."""


def folding(damping: float) -> dict[str, Any]:
    """TWO with a harder spring and another damper."""
    joints = [TWO["joints"][0], TWO["joints"][1] | {"spring": {"stiffness": 500.0, "damping": damping}}]
    return TWO | {"joints": joints}


def test_a_mode_that_folds_is_named() -> None:
    """k (1/m1 + 1/m2) = ω², seen at 1/T - ω/2π; the largest |L| there by python-control's response of the sampled loop."""
    model = built(loads(json.dumps(folding(0.1))))
    T, damping = CLOCK, 0.1
    w, decay = np.sqrt(500.0 * (1 + 2)), 0.5 * damping * (1 + 2)
    hz = np.sqrt(w**2 - decay**2) / (2 * np.pi)
    assert 0.5 / T < hz < 1 / T
    linear = gough.linear_model(model, outputs=["drives"])
    plant: Any = control.sample_system(control.ss(linear.A, linear.B, linear.C, linear.D), T, "zoh")
    z = np.exp(2j * np.pi * (1 / T - hz) * T)
    for strong in (False, True):
        k = 4.0 if strong else 1.0
        law = laws.Sampled(laws.JointPD(k, k), T)
        pd: Any = control.tf([k + k / T, -k / T], [1.0, 0.0], T)
        law = replace(law, sensors=sensors.Encoders())
        height = float(np.abs((plant * control.ss(pd))(z)))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            loop = gough.control_loop(model, law)
        assert [str(x.message) for x in told if "half the rate" in str(x.message)] != [] if height > 1.05 else not told
        if height > 0.55:
            (mode,) = loop.folded
            assert mode.hz == pytest.approx(hz, rel=1e-6) and mode.acts_hz == pytest.approx(1 / T - hz, rel=1e-6)
            assert mode.gain == pytest.approx(height, rel=0.1) and mode.gain >= height * (1 - 1e-9)
            assert f"acts at {1 / T - hz:.4g} Hz on the clock" in loop.verdict
        else:
            assert not loop.folded
    assert not gough.control_loop(model, laws.JointPD(1.0, 1.0)).folded


@pytest.mark.slow
def test_a_delta_that_bends_on_a_clock_of_one_kilohertz() -> None:
    """Its axial mode of 532 Hz acts at 468 Hz: one drive alone may be late by 14 ms, all of them by half a period."""
    model = built(gough.load("delta_flexible"))
    law = laws.Sampled(laws.JointPD(bandwidth=8.0, damping_ratio=0.7), 1e-3, delay=1e-3, sensors=sensors.Encoders())
    with pytest.warns(RunWarning, match=r"a mode of 532 Hz acts at 468 Hz on the clock, \|L\| up to 1\.7"):
        found = gough.control_loop(model, law)
    assert found.stable and found.delay_margin.min() > 0.01 and found.delay_margin_all < 1e-3
    late = [gough.control_loop(model, replace(law, delay=1e-3 + k * 1.25e-4)).stable for k in range(9)]
    first = late.index(False) * 1.25e-4
    assert first - 1.25e-4 <= found.delay_margin_all <= first
    calm = replace(law, sensors=sensors.Encoders(bandwidth=150.0), delay=0.0)
    found = gough.control_loop(model, calm)
    whole = [gough.control_loop(model, replace(calm, delay=k * 1e-3)).stable for k in range(10)]
    assert np.ceil(found.delay_margin_all / 1e-3) == whole.index(False)
    assert [round(x.hz) for x in found.folded] == [532] and found.folded[0].gain < 1


def test_a_map_has_those_of_single_poses() -> None:
    model = pair()
    law = laws.Sampled(laws.JointPD(K, D), 5e-3, sensors=sensors.Encoders())
    found = gough.margin_map(model, law, {"a": (-0.2, 0.2, 2)}, fixed={"b": 0.1})
    for k, x in enumerate(found.samples.coordinates()[:, 0]):
        one = gough.control_loop(model, law, model.configuration(drives=[x, 0.1]))
        for name in ("gain_margin_all", "phase_margin_deg_all", "delay_margin_all"):
            np.testing.assert_allclose(getattr(found, name)[k], getattr(one, name), rtol=1e-6, err_msg=name)
    unstable = replace(law, delay=0.3)
    with pytest.warns(RunWarning):
        lost = gough.margin_map(model, unstable, {"a": (-0.2, 0.2, 2)})
    assert np.isnan(lost.delay_margin_all).all() and lost.gain_margin_all.shape == (2, 2)


def test_margins_that_do_not_change_look_so(limits: Callable[..., None], tmp_path: Path) -> None:
    """The pair is the same wherever its masses stand."""
    model, drawn = pair(), list[Any]()
    limits(margin_figure=lambda path, figure, dpi: drawn.append(figure))
    law = laws.Sampled(laws.JointPD(K, D), 5e-3)
    plane = gough.margin_map(model, law, {"a": (-0.1, 0.1, 2), "b": (-0.1, 0.1, 2)})
    assert plane.law == "joint PD, sampled"
    plane.plot(tmp_path / "plane.png")
    gough.margin_map(model, law, {"a": (-0.1, 0.1, 3)}, fixed={"b": 0.1}).plot(tmp_path / "curve.png")
    figure, curves = drawn
    assert "joint PD, sampled" in figure.get_suptitle()
    panels = [ax for ax in figure.axes if ax.collections and ax.get_xlabel()]
    assert len(panels) == 5 and tuple(figure.get_size_inches()) == (3 * 4.8, 2 * 4.0)
    for ax in panels:
        low, high = ax.collections[0].get_clim()
        assert high - low >= 0.048 * abs(high)
    figure.canvas.draw()
    assert not any(ax.yaxis.get_offset_text().get_text().startswith("+") for ax in figure.axes)
    for ax in curves.axes:
        low, high = ax.get_ylim()
        assert high - low >= 0.048 * abs(high)
