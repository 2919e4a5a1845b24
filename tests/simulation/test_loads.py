"""Loads over time: responses in closed form, steps that end where loads change, spectra, many runs, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough import DescriptionError, UsageError, loads
from gough.errors import RunWarning
from gough.scalar import cos, select
from laws.subjects import built

M, K, C = 2.0, 800.0, 6.0
TEXT = """
format: 1
name: mass_on_spring
source: a made-up robot for tests
gravity: [0, 0, 0]
bodies:
  - {name: block, mass: 2, inertia: {about: center_of_mass, xx: 1, yy: 1, zz: 1}, frames: {tip: {}}}
joints:
  - {name: slide, type: prismatic, axis: [1, 0, 0], parent: world, child: block, drive: {}, spring: {stiffness: 800, damping: 6}}
home: {joints: {slide: 0}}
"""
PUSH = [5.0, 1.0, -2.0, 0.3, 0.1, 0.2]


def block() -> gough.Model:
    return built(gough.robot.loads(TEXT))


def run_under(load: Any, **settings: Any) -> gough.Run:
    return gough.simulate(block(), duration=2.0, wrench={"block.tip": load}, **settings)


def after_step(t: np.ndarray) -> np.ndarray:
    """m ẍ + c ẋ + k x = 1 from t = 0 on, in closed form."""
    decay, t = C / (2 * M), np.maximum(t, 0.0)
    w = np.sqrt(K / M - decay**2)
    return (1 - np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))) / K


def integrated(force: Any, times: np.ndarray) -> np.ndarray:
    """The same under a smooth force by SciPy."""
    found = solve_ivp(
        lambda t, x: [x[1], (force(t) - K * x[0] - C * x[1]) / M],
        (0, times[-1]),
        [0, 0],
        rtol=1e-11,
        atol=1e-14,
        max_step=2e-3,
        dense_output=True,
    )
    return found.sol(times)[0]


def test_a_force_that_swings() -> None:
    """Transient and steady answer of the closed form; energies are in balance with the work of the load."""
    f, phase = 3.0, 0.4
    run = run_under(loads.Sine(PUSH, f, phase), tolerance=1e-11)
    w = 2 * np.pi * f
    steady = PUSH[0] / (K - M * w**2 + 1j * w * C) * np.exp(1j * phase)
    roots = np.roots([M, C, K])
    start = np.linalg.solve(np.array([[1, 1], roots]), [-steady.imag, -(1j * w * steady).imag])
    x = (steady * np.exp(1j * w * run.time)).imag + (np.exp(np.outer(run.time, roots)) @ start).real
    np.testing.assert_allclose(run.q[:, 0], x, atol=1e-10)
    np.testing.assert_allclose(run["block.tip.wrench"][:, 0], PUSH[0] * np.sin(w * run.time + phase), atol=1e-12)
    assert run.summary()["energy_error"] < 1e-8
    assert run.info.settings["loads"]["block.tip"][0]["frequency"] == f


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("esdirk4", 4), ("generalised_alpha", 2)])
def test_a_push_between_two_steps_costs_no_order(method: str, order: int) -> None:
    """It begins and ends between the steps of a clean grid: half the step, an error smaller by 2^order."""
    errors = []
    for step in (4e-3, 2e-3):
        run = run_under(loads.Pulse(PUSH, 0.1013, 0.2501), method=method, step=step)
        want = PUSH[0] * (after_step(run.time - 0.1013) - after_step(run.time - 0.3514))
        errors.append(np.abs(run.q[:, 0] - want).max())
    assert errors[0] / errors[1] > 0.8 * 2**order
    assert errors[1] < (1e-8 if order == 4 else 1e-5)


def test_where_a_push_jumps_both_sides_are_stored() -> None:
    run = run_under(loads.Pulse(PUSH, 0.5, 0.25), method="rk4", step=1e-2)
    for t, forces in ((0.5, [0.0, 5.0]), (0.75, [5.0, 0.0])):
        at = np.isclose(run.time, t, atol=1e-12)
        np.testing.assert_array_equal(run["block.tip.wrench"][at, 0], forces)
        np.testing.assert_allclose(np.diff(run.acceleration[at, 0]), np.diff(forces) / M, atol=1e-9)


def test_a_smooth_push_gives_its_impulse() -> None:
    """Without a spring: ∫ F dt = w (duration - rise) = m v."""
    free = built(gough.robot.loads(TEXT.replace("stiffness: 800, damping: 6", "stiffness: 0, damping: 0")))
    run = gough.simulate(free, duration=1.0, wrench={"block.tip": loads.Pulse(PUSH, 0.1, 0.5, rise=0.15)})
    np.testing.assert_allclose(run.v[-1, 0], PUSH[0] * (0.5 - 0.15) / M, rtol=1e-10)


@pytest.mark.parametrize("between", ["linear", "smooth", "held"])
def test_measured_forces(between: str) -> None:
    """Between samples as it is said; before the first and behind the last there is none."""
    t = np.linspace(0.2, 1.3, 45)
    w = np.zeros((45, 6))
    w[:, 0] = 4 * np.sin(9 * t) + np.random.default_rng(1).normal(size=45)
    run = run_under(loads.Series(t, w, between), method="rk4", step=1e-3)
    if between == "held":
        want = sum(
            f * (after_step(run.time - a) - after_step(run.time - b))
            for f, a, b in zip(w[:, 0], t, t[1:], strict=False)
        )
        np.testing.assert_allclose(run.q[:, 0], want, atol=1e-10)
        return
    from scipy.interpolate import CubicSpline

    inside = CubicSpline(t, w[:, 0]) if between == "smooth" else lambda x: np.interp(x, t, w[:, 0])
    keep = np.concatenate([np.diff(run.time) > 0, [True]])
    times = run.time[keep]
    first = integrated(lambda x: float(inside(x)) if 0.2 <= x <= 1.3 else 0.0, times)
    np.testing.assert_allclose(run.q[keep, 0], first, atol=3e-7)


def test_functions_of_time_are_recorded() -> None:
    """A formula is a part of the loop: as the load of the same shape; what is no formula is refused with the remedy."""
    one = run_under(
        loads.Formula(lambda t: [5 * cos(7 * t) * select(1.0 - t, (1 - t) ** 3, 0.0)] + [0] * 5), tolerance=1e-10
    )
    want = integrated(lambda t: 5 * np.cos(7 * t) * max(1 - t, 0.0) ** 3, one.time)
    np.testing.assert_allclose(one.q[:, 0], want, atol=1e-8)
    other = run_under(loads.Formula(lambda t: np.array([5 * np.cos(7 * t), 0, 0, 0, 0, 0])))
    assert other.stopped == "finished" and np.abs(other.q - other.q[0]).max() > 0
    rng, kept = np.random.default_rng(0), []
    for bad, said in (
        (lambda t: [5.0 if t > 1 else 0.0] + [0.0] * 5, "does more than a formula"),
        (lambda t: rng.normal(size=6), "draws random numbers|reads rng"),
        (lambda t: kept.append(t) or [0.0] * 6, "reads kept|more than a formula"),
        (lambda t: [t, 0.0], "six finite numbers"),
        (lambda t: [1 / t, 0, 0, 0, 0, 0], "at t = 0 s it fails"),
    ):
        with pytest.raises(UsageError, match=said):
            loads.Formula(bad)


def test_a_spectrum_has_its_mean_squares() -> None:
    """Response of many runs to white noise in a band: variance ∫ |H|² S df; no two runs alike, every run again the same."""
    model, S = block(), 0.4
    noise = loads.Noise([0.5, 12.0], [S, 0, 0, 0, 0, 0], lines=48, seed=5)
    start = np.tile(model.home, (300, 1))
    many = gough.simulate_many(model, q=start, wrench={"block.tip": noise}, duration=6.0, step=5e-3, stored=60)
    f = np.linspace(0.5, 12, 4001)
    answer = 1 / np.abs(K - M * (2 * np.pi * f) ** 2 + 2j * np.pi * f * C) ** 2
    variance = np.trapezoid(S * answer, f)
    late = many.q[:, many.time > 3.0, 0]
    assert abs(late.var() / variance - 1) < 0.1
    w = many.run(7)["block.tip.wrench"]
    assert w[:, 1:].any() == 0 and abs(many.run(8)["block.tip.wrench"][3, 0] - w[3, 0]) > 1e-3
    force = np.concatenate([many.run(k)["block.tip.wrench"][:, 0] for k in range(60)])
    assert abs(force.var() / (S * 11.5) - 1) < 0.15
    one = gough.simulate(model, duration=6.0, wrench={"block.tip": noise}, method="rk4", step=5e-3)
    np.testing.assert_allclose(many.q[0, -1], one.q[-1], rtol=1e-9)
    again = gough.simulate_many(model, q=start[:9], wrench={"block.tip": noise}, duration=1.0, step=5e-3)
    np.testing.assert_array_equal(again.run(7)["block.tip.wrench"][0], w[0])


def test_many_runs_mix_constant_and_other_loads() -> None:
    """Numbers of runs, a shared pulse and noise on one frame add up: the answers of each alone, by superposition."""
    model = block()
    own = np.zeros((3, 6))
    own[:, 0] = [1.0, 2.0, -3.0]
    pulse, noise = loads.Pulse(PUSH, 0.1013, 0.3), loads.Noise([1.0, 5.0], [1.0, 0, 0, 0, 0, 0], lines=8)
    vary = gough.vary.sweep({"wrench.block.tip.fx": own[:, 0]})

    def ends(wrench: Any, **more: Any) -> np.ndarray:
        start = {} if "vary" in more else {"q": np.tile(model.home, (3, 1))}
        return gough.simulate_many(model, duration=1.0, step=2e-3, wrench=wrench, **start, **more).end_q[:, 0]

    alone = ends({"block.tip": own}) + ends({"block.tip": pulse}) + ends({"block.tip": noise})
    np.testing.assert_allclose(ends({"block.tip": [noise, pulse]}, vary=vary), alone, atol=1e-12)


def test_steppers_have_loads() -> None:
    """Forces from outside in steps of 10 ms, loads that change within them: as one run."""
    model, load = block(), [loads.Pulse(PUSH, 0.1013, 0.25), loads.Sine(PUSH, 2.0, begin=0.33)]
    stepper = gough.Stepper(model, wrench={"block.tip": load}, method="rk4", longest_step=1e-3)
    for _ in range(60):
        stepper.step([0.5], 0.01)
    run = gough.simulate(
        model, None, gough.laws.Free([0.5]), duration=0.6, wrench={"block.tip": load}, method="rk4", step=1e-3
    )
    np.testing.assert_allclose(stepper.q, run.q[-1], rtol=1e-9)
    np.testing.assert_allclose(stepper.recorded["block.tip.wrench"][-1], run["block.tip.wrench"][-1], atol=1e-12)
    held = gough.laws.Sampled(lambda t, q, v, r: [0.5], period=7e-3)
    other = gough.simulate(model, None, held, duration=0.6, wrench={"block.tip": load}, method="rk4", step=1e-3)
    np.testing.assert_allclose(other.q[-1], run.q[-1], rtol=1e-6)


def test_a_load_goes_on_where_a_motion_holds() -> None:
    """Behind the end of a motion that holds, a stepper still meets what begins there."""
    model = built(gough.load("five_bar"))
    start = model.drives(model.home)
    motion = gough.motions.quintic(drives=[start, start + 0.05], durations=0.2).hold(0.4)
    load = {"left_rod.tool": loads.Series([0.0, 0.3, 0.5], [[0.0] * 6, [3, -2, 0, 0, 0, 0.1], [0.0] * 6])}
    law = gough.laws.JointPD(stiffness=300, damping=10)
    run = gough.simulate(model, motion, law, wrench=load, method="rk4", step=1e-3)
    stepper = gough.Stepper(model, law, motion=motion, wrench=load, method="rk4", longest_step=1e-3)
    stepper.advance(run.time[-1])
    np.testing.assert_allclose(stepper.q, run.q[-1], atol=1e-10)
    assert run.summary()["energy_error"] < 1e-7
    assert np.abs(run.q[-1] - gough.simulate(model, motion, law, method="rk4", step=1e-3).q[-1]).max() < 1e-2


def test_steps_too_long_for_a_load_are_told() -> None:
    with pytest.warns(RunWarning, match="too long for the load on block.tip"):
        run_under(loads.Sine(PUSH, 80.0), method="rk4", step=5e-3)
    with pytest.warns(RunWarning, match="at most 0.00125 s"):
        gough.simulate_many(
            block(), duration=0.1, step=5e-3, wrench={"block.tip": loads.Noise([1, 80], [1.0, 0, 0, 0, 0, 0], lines=4)}
        )


def test_loads_that_never_act_are_told() -> None:
    """Of a push at 5 s a run of 2 s has nothing."""
    late = loads.Pulse(PUSH, begin=5.0, duration=0.05)
    with pytest.warns(
        RunWarning, match=r"load: the pulse on block.tip begins at 5 s, the run ends at .* s: it never acts"
    ):
        run = run_under([late, loads.Constant(PUSH)])
    assert [event.kind for event in run.info.events] == ["load"]
    with pytest.raises(UsageError, match="it never acts"):
        run_under(late, check="raise")
    with pytest.warns(RunWarning, match="the pulse on block.tip begins at 5 s"):
        gough.simulate_many(block(), duration=0.1, step=5e-3, wrench={"block.tip": late})
    for seen in (
        loads.Pulse(PUSH, 0.0),
        loads.Pulse(PUSH, begin=0.05),
        loads.Sine(PUSH, 3.0),
        loads.Pulse(PUSH, duration=9.0),
    ):
        assert not run_under(seen).info.events
    sim = gough.Stepper(block(), wrench={"block.tip": late})  # it goes on as long as it is asked to
    assert not sim.recorded.info.events


def test_bad_loads() -> None:
    six = [0.0] * 6
    for make, said in (
        (lambda: loads.Sine([1.0] * 5, 1.0), "six finite"),
        (lambda: loads.Sine(PUSH, -1.0), "frequency"),
        (lambda: loads.Pulse(PUSH, -1.0), "begin"),
        (lambda: loads.Pulse(PUSH, 0.0, 0.1, 0.06), "at most 0.05 s"),
        (lambda: loads.Series([0, 1], [six, [np.nan] * 6]), "row 1 is not finite"),
        (lambda: loads.Series([0, 1, 0.5], [six] * 3), "row 2.*comes behind"),
        (lambda: loads.Series([-1, 1], [six] * 2), "begins? at -1"),
        (lambda: loads.Series([0, 1], [six] * 2, "cubic"), "between"),
        (lambda: loads.Noise([5.0, 1.0], six), "must rise"),
        (lambda: loads.Noise([1.0, 5.0], [-1.0, 0, 0, 0, 0, 0]), "none below 0"),
        (lambda: loads.Noise([1.0, 5.0], six), "not all 0"),
        (lambda: loads.Noise([1.0, 5.0], PUSH, lines=0), "lines"),
        (lambda: run_under([loads.Sine(PUSH, 1.0), PUSH]), "load"),
        (lambda: run_under("wind"), "load"),
        (lambda: gough.simulate(block(), duration=1.0, wrench=loads.Sine(PUSH, 1.0)), "no platform"),
    ):
        with pytest.raises(UsageError, match=said):
            make()


def test_loads_in_files(tmp_path: Path) -> None:
    """The same as in Python; every problem with its line."""
    (tmp_path / "block.yaml").write_text(TEXT)
    head = "format: 1\nname: pushed\nrobot: block.yaml\nduration: 0.5\nmethod: rk4\nstep: 1 ms\n"
    text = head + (
        "wrench:\n  block.tip:\n    - sine: {wrench: [5 N, 0, 0, 0, 0, 0], frequency: 3 Hz, phase: 30 deg}\n"
        "    - pulse: {wrench: [1, 0, 0, 0, 0, 0], begin: 100 ms, duration: 0.2}\n"
    )
    (tmp_path / "pushed.yaml").write_text(text)
    run = gough.load_scenario(tmp_path / "pushed.yaml").run()
    both = [loads.Sine([5, 0, 0, 0, 0, 0], 3.0, np.pi / 6), loads.Pulse([1, 0, 0, 0, 0, 0], 0.1, 0.2)]
    same = gough.simulate(block(), duration=0.5, wrench={"block.tip": both}, method="rk4", step=1e-3)
    np.testing.assert_array_equal(run.q, same.q)
    bad = text.replace("3 Hz", "3 kg").replace("pulse", "pulze").replace("phase: 30 deg", "phases: 1")
    (tmp_path / "bad.yaml").write_text(bad)
    with pytest.raises(DescriptionError) as caught:
        gough.load_scenario(tmp_path / "bad.yaml")
    said = str(caught.value)
    assert "'3 kg'" in said and "'pulse'" in said and "'phase'" in said and "bad.yaml:9" in said
