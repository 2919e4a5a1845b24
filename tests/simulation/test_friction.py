"""Coulomb friction in time: a mass on a slider, whose motions are known in closed form piece by piece, and DualEMPS."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import gough
from gough.errors import UsageError
from inner.robot import change_friction
from inner.simulation import remedy
from simulation.sliders import MASS, slider

FORCE = 3.0
METHODS = (("dp5", {}), ("rk4", {}), ("esdirk4", {}), ("sdirk2", {}), ("esdirk4", {"step": 0.01}))
NARROW = (("dp5", {}), ("rk4", {"step": 1e-5}), ("esdirk4", {}))
"""With friction so narrow that explicit steps must be short."""


@pytest.fixture(scope="module")
def block() -> gough.Model:
    """A mass with Coulomb friction, not smoothed."""
    return slider(coulomb=FORCE)


@pytest.mark.parametrize(("method", "more"), METHODS)
def test_a_sliding_mass_stops(block: gough.Model, method: str, more: dict) -> None:
    """From speed v it slows down by C/m and stands after m v²/2C."""
    v = 0.6
    run = gough.simulate(block, duration=1.0, v=[v], method=method, **more)
    assert run.stopped == "finished"
    assert abs(run.q[-1, 0] - MASS * v**2 / (2 * FORCE)) < 2e-5
    assert abs(run.v[-1, 0]) < 1e-6
    sliding = run.time < 0.95 * MASS * v / FORCE
    np.testing.assert_allclose(run.v[sliding, 0], v - FORCE / MASS * run.time[sliding], atol=2e-5)
    assert run.info.settings["smoothing"] == {"joints": ["slide"], "m/s": 1e-3 * block.size, "rad/s": 1e-3}
    assert run.info.settings["rejected"] <= (0 if method != "dp5" else 50)


@pytest.mark.parametrize("part", [0.5, -0.9])
def test_a_load_below_the_friction_creeps(block: gough.Model, part: float) -> None:
    """Creep under F: s (F/C)/√(1 - (F/C)²), and nothing else moves."""
    width = 2e-4
    law = gough.laws.Free((part * FORCE,))
    run = gough.simulate(block, None, law, duration=2.0, smoothing=width, method="esdirk4", step=0.01)
    np.testing.assert_allclose(run.v[-1, 0], width * part / np.sqrt(1 - part**2), rtol=1e-9)
    assert abs(run.q[-1, 0]) < 1.02 * 2.0 * width * abs(part) / np.sqrt(1 - part**2)


@pytest.mark.parametrize(("method", "more"), NARROW)
def test_pulled_by_a_spring(block: gough.Model, method: str, more: dict) -> None:
    """A spring whose other end moves with V: rest until k V t = C, then x = V s - V/ω sin ω s, s since then."""
    k, speed = 200.0, 0.3
    move = gough.motions.spline(times=[0, 0.5, 1], drives={"slide": [0, speed / 2, speed]}, ends="natural")
    law = gough.laws.JointPD(stiffness=k, damping=0.0)
    run = gough.simulate(block, move, law, v=[0.0], duration=0.6, method=method, smoothing=1e-5, **more)
    assert run.stopped == "finished"
    w, begin = np.sqrt(k / MASS), FORCE / (k * speed)
    s = np.maximum(run.time - begin, 0.0)
    # before it slips it creeps towards the slip, and comes off a little late: by some hundred widths here
    np.testing.assert_allclose(run.q[:, 0], speed * s - speed / w * np.sin(w * s), atol=3e-5)
    np.testing.assert_allclose(run.v[:, 0], speed * (1 - np.cos(w * s)), atol=1e-3)


@pytest.mark.parametrize(("method", "more"), NARROW)
def test_pushed_to_and_fro(block: gough.Model, method: str, more: dict) -> None:
    """F sin ωt with F > C: it slips, sticks when it comes to rest with less than C acting, and slips back half a period later."""
    push, w = 1.5 * FORCE, 2 * np.pi
    begin = np.arcsin(FORCE / push) / w

    def speed(t: np.ndarray | float) -> np.ndarray:
        return push / (MASS * w) * (np.cos(w * begin) - np.cos(w * t)) - FORCE / MASS * (t - begin)

    rest = float(brentq(speed, 0.3, 0.6))  # type: ignore[arg-type]
    assert abs(push * np.sin(w * rest)) < FORCE  # so it sticks until the force is large enough the other way
    t = np.linspace(0.0, 1.0, 81)
    run = gough.simulate(
        block, gough.laws.forces(t, push * np.sin(w * t)[:, None]), duration=0.99, method=method, smoothing=1e-5, **more
    )
    assert run.stopped == "finished"
    truth = np.where((run.time > begin) & (run.time < rest), speed(run.time), 0.0)
    back = run.time > begin + 0.5
    truth[back] = -speed(np.minimum(run.time[back] - 0.5, rest))
    np.testing.assert_allclose(run.v[:, 0], truth, atol=1.5e-3)


def test_the_width_is_taken_from_the_motion(block: gough.Model) -> None:
    """A thousandth of the largest rate; a width of one's own counts before that, and described ones stay."""
    move = gough.motions.quintic(drives={"slide": [0.0, 0.1]}, durations=0.5)
    run = gough.simulate(block, move, method="rk4")
    assert abs(run.info.settings["smoothing"]["m/s"] / (1e-3 * 0.1 * 1.875 / 0.5) - 1) < 1e-3
    run = gough.simulate(block, move, method="rk4", smoothing=(0.01, 1.0))
    assert run.info.settings["smoothing"] == {"joints": ["slide"], "m/s": 0.01, "rad/s": 1.0}
    expected = run["acceleration"][:, 0] * MASS + FORCE * run.v[:, 0] / np.hypot(run.v[:, 0], 0.01)
    np.testing.assert_allclose(run.tau[:, 0], expected, atol=1e-9)
    own = slider(coulomb=FORCE, smoothing=0.02)
    assert gough.simulate(own, move, method="rk4").info.settings["smoothing"] is None


def test_another_design_is_smoothed_too(block: gough.Model) -> None:
    """Parameters of another design keep their numbers; only widths are put in."""
    heavy = block.parameters_with({"slide.drive.friction.coulomb": 2 * FORCE})
    run = gough.simulate(block, duration=1.0, v=[0.6], parameters=heavy)
    assert abs(run.q[-1, 0] - MASS * 0.6**2 / (4 * FORCE)) < 2e-5
    assert run.summary()["energy_error"] < 1e-6


def test_friction_that_is_not_smoothed_ends_with_a_reason(block: gough.Model) -> None:
    run = gough.simulate(block, duration=1.0, v=[0.6], tolerance=1e-12, smoothing="described")
    assert run.stopped.startswith("sticking:slide (Coulomb friction without smoothing) at t = 0.4")
    assert "smoothing=" in remedy(run)
    assert abs(run.time[-1] - 0.4) < 1e-3
    assert run.info.settings["smoothing"] is None
    stuck = gough.simulate(block, duration=1.0, v=[0.6], method="esdirk4", smoothing="described")
    assert stuck.stopped.startswith("not_converged:Newton at t = 0.4")
    assert "slide" in remedy(stuck)
    assert "smoothing=" in remedy(stuck)


def test_too_many_steps_end_with_a_reason(block: gough.Model) -> None:
    run = gough.simulate(block, duration=10.0, v=[0.6], most_steps=300)
    assert run.stopped.startswith("step:more than 300 steps at t = ")
    assert "most_steps=" in remedy(run)


@pytest.mark.parametrize(
    ("smoothing", "words"),
    [("none", "described"), (0.0, "positive"), ((1e-3,), "m/s, rad/s"), (np.nan, "positive")],
)
def test_bad_widths(block: gough.Model, smoothing: object, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        gough.simulate(block, duration=1.0, smoothing=smoothing)
    with pytest.raises(UsageError, match="whole number"):
        gough.simulate(block, duration=1.0, most_steps=0)


@pytest.mark.slow
@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_reversals_need_no_shorter_steps(step: float) -> None:
    """DualEMPS vibrates in its rests, so that joints with friction reverse all the time: nearly all steps are taken as they are,
    and the motion is that of short explicit steps."""
    scenario = gough.load_scenario("briot2014_square").with_(duration=3.0, every=1)
    run = scenario.with_(method="esdirk4", step=step).run()
    assert run.stopped == "finished"
    settings = run.info.settings
    assert settings["rejected"] <= 0.01 * settings["steps"]
    assert settings["careful"] > 0
    fine = scenario.with_(method="rk4", step=5e-5).run()
    assert settings["steps"] == round(3.0 / step)
    found = run.compare(fine, ["elastic"])
    assert max(found[f"elastic [{unit}]"].relative for unit in ("m", "rad")) < 0.1


def test_change_friction_keeps_what_is_smooth() -> None:
    robot = change_friction(gough.load("dualemps_refined"), smoothing=1e-3)
    again = change_friction(robot, smoothing=(1.0, 2.0), keep=True)
    assert again == robot
    rough = gough.load("dualemps_refined")
    assert change_friction(rough, smoothing=1e-3, keep=True) == robot


@pytest.mark.slow
def test_widths_are_numbers_of_one_model() -> None:
    """Every motion has a width of its own; the code is made once, and a second run is that of a fresh model, to the last bit."""
    used = gough.build("dualemps")
    begin = used.drives(used.home)

    def run(model: gough.Model, far: float, **more: Any) -> gough.Run:
        motion = gough.motions.quintic(drives=[begin, begin + far], durations=0.5)
        return gough.simulate(model, motion, duration=2e-3, **more)

    for more in ({"controller": gough.laws.JointPD(1e3, 10.0)}, {}, {"method": "generalised_alpha", "step": 1e-4}):
        first = run(used, 1e-3, **more)
        again = run(used, 3e-3, **more)
        fresh = run(gough.build("dualemps"), 3e-3, **more)
        for name in ("q", "v", "tau"):
            assert getattr(again, name).tobytes() == getattr(fresh, name).tobytes()
        assert again.info.settings["smoothing"] == fresh.info.settings["smoothing"] != first.info.settings["smoothing"]
        assert again.robot.digest == fresh.robot.digest != first.robot.digest
        functions = [x.model.function("forward_dynamics") for x in (again, first)]
        assert functions[0].program is functions[1].program
        assert functions[0].table.values == tuple(again.model.parameters)
        assert (again.model.parameters == fresh.model.parameters).all() and again.parameters is None
    copied = pickle.loads(pickle.dumps(again.model))
    assert copied.like is None and (copied.parameters == again.model.parameters).all()
