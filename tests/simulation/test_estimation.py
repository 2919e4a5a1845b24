"""Estimates of robots that bend: how far they are off, what observers believe, and what they refuse."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough import laws
from gough.actuators import Lag
from gough.errors import UsageError
from gough.observers import Extended, Kalman
from gough.sensors import Accelerometer, Encoders, Tachometers
from laws.subjects import built
from simulation.mass_chain import chain

STEP = 1e-3 / 12
SEEN = [Encoders(noise=1e-6), Accelerometer(frame="link16.tip", noise=0.01)]


@cache
def briot() -> gough.Model:
    return built(gough.load("dualemps"))


def motion() -> gough.Motion:
    return gough.motions.quintic(drives=[[0.0, 0.0], [0.02, 0.015]], durations=0.1).hold(0.02)


def law(observer: Any, inner: Any = None, **more: Any) -> laws.Sampled:
    given: dict[str, Any] = {"sensors": SEEN, "seed": 1} | more
    inner = laws.JointPD(stiffness=4e4, damping=600.0) if inner is None else inner
    return laws.Sampled(inner, 1e-3, observer=observer, **given)


def simulated(observer: Any, inner: Any = None, **more: Any) -> gough.Run:
    return gough.simulate(briot(), motion(), law(observer, inner, **more), method="rk4", step=STEP, check="off")


def test_elastic_states_are_estimated_within_five_percent() -> None:
    run = simulated(Kalman())
    found, places = run.estimation_error(), range(*run.layout.elastic.indices(run.layout.nq))
    assert found.ratio_of_rest < 0.05 and found.ratio < 0.05
    off = run["controller.estimate"][:, places] - run.q[:, places]
    assert found.errors == pytest.approx(np.sqrt((off**2).mean(axis=0)), rel=1e-12)
    assert found.motion == pytest.approx(run.q[:, places].std(axis=0), rel=1e-12)
    # modes: all amplitudes together are the coordinates again, and strain energy is that of the stiffness matrix
    modes = gough.natural_frequencies(briot(), q=run.q[0])
    assert found.modes_hz == pytest.approx(modes.frequencies_hz)
    shapes = modes.shapes[run.layout.rigid :]
    amplitudes = np.linalg.solve(shapes, (run.q[:, places] - run.q[:, places].mean(axis=0)).T)
    assert found.mode_motion == pytest.approx(np.sqrt((amplitudes**2).mean(axis=1)), rel=1e-9)
    # readings through the robot's own geometry see nothing of what bends
    bare = np.sqrt(np.sum((found.modes_hz * found.mode_motion) ** 2))
    assert found.ratio == pytest.approx(np.sqrt(np.sum((found.modes_hz * found.mode_errors) ** 2)) / bare)
    later = run.estimation_error(after=0.05)
    assert later.errors.shape == found.errors.shape and not np.allclose(later.errors, found.errors)


def test_loops_of_the_estimate_are_closed_and_the_estimate_is_a_channel() -> None:
    run = simulated(Extended(knots=4))
    assert max(float(briot().closure_error(q)) for q in run["controller.estimate"][::50]) < 1e-8
    entries = run.channel("controller.estimate").entries
    assert entries == tuple(f"controller.estimate.{name}" for name in run.layout.q_names)
    assert run.unit("controller.estimate_rates").startswith("m/s")
    assert run.info.controller["observer"]["gains"] == 4


def test_modes_of_low_observability_are_named_before_and_after() -> None:
    alone, both = (Kalman().design(briot(), 1e-3, x) for x in (SEEN[0], SEEN))
    assert len(both.hardly_seen) < len(alone.hardly_seen)
    told = simulated(Kalman()).info.controller["observer"]
    assert told["hardly_seen"] == list(both.hardly_seen) and told["readings"] == list(both.readings)
    locked = gough.natural_frequencies(briot()).frequencies_hz
    for hz, said in zip(alone.hardly_seen_hz, alone.hardly_seen, strict=True):
        assert np.abs(locked / hz - 1).min() < 0.01 and re.search(r"\((\S+) Hz\)", said)


def test_an_observer_believes_in_its_own_robot() -> None:
    nominal = {"link17.M": 1.3 * float(briot().parameters[briot().parameter_names.index("link17.M")])}
    run = simulated(Kalman(nominal=nominal))
    assert list(run.info.settings["believed"]["differs"]) == ["link17.M"]
    assert run.estimation_error().ratio > 3 * simulated(Kalman()).estimation_error().ratio
    other = gough.build(gough.load("dualemps"))
    model = simulated(Kalman(model=other))
    assert model["controller.estimate"] == pytest.approx(simulated(Kalman())["controller.estimate"], abs=1e-10)
    assert model.info.controller["observer"]["model"] == "dualemps"
    with pytest.raises(UsageError, match="one robot"):
        law(Kalman(nominal=nominal), laws.JointPD(4e4, 600.0, gravity=True, nominal=nominal))


def test_many_runs_and_steps_of_ones_own_are_those_of_simulate() -> None:
    asked = law(Kalman())
    run = gough.simulate(briot(), motion(), asked, method="rk4", step=STEP, check="off")
    sim = gough.Stepper(briot(), asked, motion=motion(), method="rk4", longest_step=STEP, check="off")
    for _ in range(12):
        sim.step(dt=0.01)
    assert sim.q == pytest.approx(run.q[-1], abs=1e-15)
    assert sim.recorded["controller.estimate"][-1] == pytest.approx(run["controller.estimate"][-1], abs=1e-15)
    many = gough.simulate_many(briot(), motion=motion(), controller=asked, q=run.q[[0, 0]], step=STEP, stored=20)
    assert many.end_q[0] == pytest.approx(run.q[-1], abs=1e-9)
    assert np.abs(many.end_q[1] - many.end_q[0]).max() > 0  # another run has other noise


def test_computed_torque_takes_the_estimate_for_the_state() -> None:
    inner = laws.ComputedTorque(bandwidth=3.0)
    run = simulated(Kalman(), inner)
    assert run.stopped == "finished" and run.estimation_error().ratio < 0.05
    row = int(np.searchsorted(run.time, 0.05 + 1e-9, side="right")) - 1
    q, v, goal = run["controller.estimate"][row], run["controller.estimate_rates"][row], motion().at(run.time[[row]])
    off, slow = goal.position[0] - q[briot().drive_index], goal.velocity[0] - v[:2]
    a = goal.acceleration[0] + inner.damping * slow + inner.stiffness * off  # type: ignore[operator]
    assert run.tau[row] == pytest.approx(briot().inverse_dynamics(q, v, a).tau, rel=1e-6)


ARM = """
format: 2
name: arm
gravity: [0, -9.81, 0]
bodies:
  - name: strip
    frames: {tip: {position: [0.5, 0, 0]}}
    flexible:
      beam:
        length: 0.5
        section: {rectangle: {y: 4 mm, z: 20 mm}}
        material: {E: 70 GPa, nu: 0.33, density: 2700 kg/m3}
        elements: 1
        plane: true
      modes: {kind: nodal}
joints:
  - {name: motor, type: revolute, parent: world, child: strip, axis: [0, 0, 1], drive: {}}
home: {joints: {motor: 0}}
"""


def test_beginnings() -> None:
    model = built(gough.robot.loads(ARM))
    bent, elastic = gough.static_equilibrium(model, q=model.home).q, model.layout.elastic
    assert np.abs(bent[elastic]).max() > 1e-5
    move = gough.motions.quintic(drives=[[0.0], [1e-3]], durations=2e-3)
    starts = {"known": (model.home, model.home), "equilibrium": (model.home, bent), "straight": (bent, model.home)}
    for begins, (first, expected) in starts.items():
        watched = Kalman(begins=begins, passive=True)
        held = laws.JointPD(bandwidth=5.0, gravity=True)
        clocked = laws.Sampled(held, 1e-3, sensors=[Encoders(noise=1e-9)], observer=watched)
        run = gough.simulate(model, move, clocked, q=first, method="rk4", step=2e-5, check="off")
        assert run["controller.estimate"][0][elastic] == pytest.approx(expected[elastic], abs=1e-7)


def test_runs_with_estimates_are_kept_in_files(tmp_path: Any) -> None:
    run = simulated(Kalman())
    again = gough.Run.load(run.save(tmp_path / "run.npz"))
    assert again.estimation_error().ratio == pytest.approx(run.estimation_error().ratio, rel=1e-12)


def test_observers_in_scenarios(tmp_path: Any) -> None:
    text = """
format: 1
name: watched
robot: dualemps
motion: {quintic: {drives: {q11: [0, 10 mm], q21: [0, 0]}, durations: 100 ms}}
controller:
  sampled:
    law: {joint_pd: {stiffness: 4e4, damping: 600}}
    period: 1 ms
    sensors: [{encoders: {noise: 1 um}}]
    observer: {extended: {acceleration: 20 mm/s2, knots: 5, passive: true}}
method: rk4
"""
    file = tmp_path / "watched.yaml"
    file.write_text(text)
    found = gough.load_scenario(str(file))
    assert isinstance(found.controller, laws.Sampled)
    assert found.controller.observer == Extended(acceleration=0.02, knots=5, passive=True)
    file.write_text(text.replace("extended:", "extendet:"))
    with pytest.raises(gough.DescriptionError, match="no observer of this name"):
        gough.load_scenario(str(file))


BAD: dict[str, tuple[Any, str]] = {
    "no sensors": (lambda: law(Kalman(), sensors=()), "needs readings"),
    "not one": (lambda: law("kalman"), "gough.observers"),
    "an observer of its own": (
        lambda: law(Kalman(), laws.LQG(error=1e-3, force=10.0, noise=1e-6, disturbance=1.0)),
        "an observer of its own",
    ),
    "negative disturbance": (lambda: Kalman(disturbance=-1.0), "below 0"),
    "negative acceleration": (lambda: Kalman(acceleration=-1.0), "acceleration"),
    "negative noise": (lambda: Encoders(noise=-1e-6), "none below 0"),
    "unknown begin": (lambda: Kalman(begins="lucky"), "begins="),
    "one knot": (lambda: Extended(knots=1), "knots"),
    "frame": (
        lambda: simulated(Kalman(), sensors=[SEEN[0], Accelerometer(frame="link", noise=0.1)]),
        "no frame 'link'",
    ),
    "period": (lambda: simulated(Kalman(), sensors=[Encoders(noise=1e-6, period=2e-3)]), "period of 0.002 s"),
    "late": (lambda: simulated(Kalman(), sensors=[Encoders(noise=1e-6, delay=1e-3)]), "delay=0.001"),
    "lost": (lambda: simulated(Kalman(), sensors=[Encoders(noise=1e-6, lost=0.1)]), "lost=0.1"),
    "no noise": (lambda: simulated(Kalman(), sensors=[Encoders()]), "neither noise nor resolution"),
    "rates alone": (
        lambda: Kalman().design(chain(), 1e-3, [Tachometers(noise=1e-3)]),
        r"\(tachometers\) do not tell ddrive, whose errors",
    ),
    "wrong place": (lambda: Kalman(at=[0.0]).design(chain(), 1e-3, SEEN[0]), "at has 1 numbers"),
    "two disturbances": (lambda: Kalman(disturbance=[1.0, 1.0]).design(chain(), 1e-3, SEEN[0]), "2 numbers"),
    "no observer": (lambda: simulated(None).estimation_error(), "no observer ran"),
    "implicit": (
        lambda: gough.simulate(briot(), motion(), law(Kalman()), method="esdirk4"),
        "take rk4, dp5 or bs3",
    ),
    "late figures": (lambda: simulated(Kalman()).estimation_error(after=9.0), "the run ends at"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(case: str) -> None:
    make, said = BAD[case]
    with pytest.raises(UsageError, match=said):
        make()


def test_what_an_observer_does_not_know_is_said() -> None:
    seen = [Encoders(noise=1e-6, bias=1e-5)]
    told = simulated(Kalman(), sensors=seen, actuators=[Lag(time=1e-3)]).info.controller["observer"]
    assert told["not_known"] == ["lag", "bias of encoders"]
