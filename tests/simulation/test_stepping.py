"""Every state that leaves a stepper is the one `simulate` has, to the last bit, through singular poses too: under the same
feedback, whether it records or not, whether what is recorded is read on the way or not."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import laws

Feedback = Callable[[float, np.ndarray, np.ndarray], np.ndarray]
LOPSIDED = """
format: 1
name: lopsided
gravity: [0, -9.81, 0]
bodies:
  - {name: crank1, mass: 1.1, center_of_mass: [0.12, 0.01, 0], inertia: {about: center_of_mass, zz: 0.006}}
  - {name: rod1, mass: 0.6, center_of_mass: [0.17, 0, 0], inertia: {about: center_of_mass, zz: 0.004}}
  - {name: crank2, mass: 0.8, center_of_mass: [0.09, 0, 0], inertia: {about: center_of_mass, zz: 0.003}}
  - {name: rod2, mass: 0.5, center_of_mass: [0.14, 0, 0], inertia: {about: center_of_mass, zz: 0.003}}
joints:
  - {name: motor1, type: revolute, parent: world, child: crank1, drive: {viscous: 0.05, stroke: [60 deg, 170 deg]}}
  - {name: motor2, type: revolute, parent: world, child: crank2, drive: {viscous: 0.04}, pose: {position: [0.25, 0, 0]}}
  - {name: elbow1, type: revolute, parent: crank1, child: rod1, pose: {position: [0.24, 0, 0]}}
  - {name: elbow2, type: revolute, parent: crank2, child: rod2, pose: {position: [0.19, 0, 0]}}
loops:
  - name: pin
    type: revolute
    first: {body: rod1, pose: {position: [0.34, 0, 0]}}
    second: {body: rod2, pose: {position: [0.29, 0, 0]}}
velocities: drives
home: {joints: {motor1: 120 deg, motor2: 60 deg, elbow1: -87.1309 deg, elbow2: 68.223 deg}}
"""
PARALLELOGRAM = """
format: 1
name: parallelogram
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.15, 0, 0], inertia: {about: center_of_mass, yy: 0.0075, zz: 0.0075}}
  - {name: coupler, mass: 1, center_of_mass: [0.25, 0, 0], inertia: {about: center_of_mass, yy: 0.02, zz: 0.02}}
  - {name: rocker, mass: 1, center_of_mass: [0.15, 0, 0], inertia: {about: center_of_mass, yy: 0.0075, zz: 0.0075}}
joints:
  - {name: A, type: revolute, parent: world, child: crank, drive: {}}
  - {name: B, type: revolute, parent: crank, child: coupler, pose: {position: [0.3, 0, 0]}}
  - {name: D, type: revolute, parent: world, child: rocker, pose: {position: [0.5, 0, 0]}}
loops:
  - name: C
    type: revolute
    first: {body: coupler, pose: {position: [0.5, 0, 0]}}
    second: {body: rocker, pose: {position: [0.3, 0, 0]}}
home: {joints: {A: 1, B: -1, D: 1}}
"""
STEP, PERIOD = 1e-3, 0.01


@pytest.fixture(scope="module")
def robots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, gough.Model]:
    folder, out = Path(tmp_path_factory.mktemp("robots")), {"five_bar": gough.build("five_bar")}
    for name, text in (("lopsided", LOPSIDED), ("parallelogram", PARALLELOGRAM)):
        (folder / f"{name}.yaml").write_text(text)
        out[name] = gough.build(str(folder / f"{name}.yaml"))
    return out


FEEDBACK: dict[str, Feedback] = {
    "five_bar": lambda t, q, v: np.array([0.4, -0.3]) - 0.02 * v,
    "lopsided": lambda t, q, v: -0.02 * v,
}
SLOW = {("leapfrog", "lopsided"), ("esdirk4", "five_bar"), ("esdirk4", "lopsided"), ("bs3", "lopsided")}


def sampled_states(
    model: gough.Model, law: Feedback, n: int, **asked: Any
) -> tuple[gough.Run, list[tuple[float, np.ndarray, np.ndarray]]]:
    """A run of `simulate` and (t, q, v) of all samples of its controller."""
    seen: list[tuple[float, np.ndarray, np.ndarray]] = []

    def tell(t: float, q: np.ndarray, v: np.ndarray, _: object) -> np.ndarray:
        seen.append((t, q, v))
        return law(t, q, v)

    return gough.simulate(model, controller=laws.Sampled(tell, PERIOD), duration=n * PERIOD, **asked), seen


def stepped_states(
    sim: gough.Stepper, law: Feedback, n: int, reading: bool = False
) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """(t, q, v) before every step."""
    seen = []
    for _ in range(n):
        seen.append((sim.t, sim.q, sim.v))
        sim.step(law(*seen[-1]), PERIOD)
        if reading:
            _ = sim.recorded
    return seen


def demand_same(here: list[Any], there: list[Any]) -> None:
    assert len(here) == len(there)
    for a, b in zip(here, there, strict=True):
        assert a[0] == b[0]
        np.testing.assert_array_equal(a[1], b[1])
        np.testing.assert_array_equal(a[2], b[2])


@pytest.mark.quick_cases("bs3-five_bar", "dp5-five_bar")
@pytest.mark.parametrize(
    ("method", "name"),
    [
        pytest.param(method, name, marks=pytest.mark.slow if (method, name) in SLOW else ())
        for method in ("rk4", "dp5", "leapfrog", "bs3", "esdirk4")
        for name in FEEDBACK
    ],
)
def test_feedback_through_singular_poses(robots: dict[str, gough.Model], method: str, name: str) -> None:
    model, law, n = robots[name], FEEDBACK[name], 100
    asked: dict[str, Any] = {"method": method, "check": "off"}
    run, seen = sampled_states(model, law, n, step=STEP, **asked)
    assert run.info.events, "this run is to meet a singularity"
    sim = gough.Stepper(model, longest_step=STEP, **asked)
    demand_same(stepped_states(sim, law, n), seen)
    told = sim.recorded
    for channel in ("time", "q", "v", "tau", "acceleration"):
        np.testing.assert_array_equal(getattr(told, channel), getattr(run, channel), channel)
    assert told.info.events == run.info.events
    np.testing.assert_array_equal(sim.q, run.q[-1])
    np.testing.assert_array_equal(sim.v, run.v[-1])
    np.testing.assert_array_equal(sim.tau, run.tau[-1])
    kinds: tuple[dict[str, Any], ...] = ({"record": False}, {})
    for more in kinds:
        other = gough.Stepper(model, longest_step=STEP, **asked, **more)
        demand_same(stepped_states(other, law, n, reading=not more), seen)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["rk4", "dp5"])
def test_a_hexapod_that_is_thrown_about(method: str) -> None:
    """It changes its velocities again and again; how near a pose is depends on all that were seen before."""
    model = gough.build("pedrammehr2012")
    hold = model.inverse_dynamics(model.home, np.zeros(6), np.zeros(6)).tau
    rows = hold + (0.5 * np.abs(hold).max() + 0.1) * np.random.default_rng(1).uniform(-1, 1, (60, 6))

    def thrown(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return rows[round(t / PERIOD)]

    asked: dict[str, Any] = {"method": method, "check": "off"}
    run, seen = sampled_states(model, thrown, 40, step=STEP, **asked)
    assert len(run.info.events) > 2
    sim = gough.Stepper(model, longest_step=STEP, **asked)
    demand_same(stepped_states(sim, thrown, 40), seen)
    assert sim.recorded.info.events == run.info.events


@pytest.mark.parametrize("method", ["rk4", "dp5", "esdirk4"])
def test_through_a_pose_in_which_branches_meet(robots: dict[str, gough.Model], method: str) -> None:
    """A parallelogram falls through its flat pose."""
    model = robots["parallelogram"]

    def drag(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -0.3 * v

    asked: dict[str, Any] = {"method": method, "check": "off"}
    run, seen = sampled_states(model, drag, 50, step=STEP, **asked)
    assert any("crossed" in text for _, text in run.info.events)
    for record in (True, False):
        sim = gough.Stepper(model, longest_step=STEP, record=record, **asked)
        demand_same(stepped_states(sim, drag, 50), seen)
        np.testing.assert_array_equal(sim.q, run.q[-1])
        if record:
            assert sim.recorded.info.events == run.info.events
            np.testing.assert_array_equal(sim.recorded.q, run.q)


def test_a_run_that_ends_in_a_singular_pose_ends_as_simulate(robots: dict[str, gough.Model]) -> None:
    """Torques without measure: what is handed out is closed, and the end is that of `simulate`, with a remedy."""
    model = robots["five_bar"]
    for size in (1e6, 1e12):
        run, _ = sampled_states(model, lambda t, q, v, size=size: np.array([size, 0.0]), 5, method="rk4", step=STEP)
        sim = gough.Stepper(model, method="rk4", longest_step=STEP)
        with pytest.raises(gough.BadStateError, match=r"take a shorter step.* begin anew with reset"):
            sim.step([size, 0.0], PERIOD)
        assert sim.recorded.info.stopped == run.info.stopped
        assert sim.t == run.time[-1]
        np.testing.assert_array_equal(sim.q, run.q[-1])
        assert float(model.closure_error(sim.q)) < 1e-9


def test_a_refused_call_changes_nothing(robots: dict[str, gough.Model]) -> None:
    sims = [gough.Stepper(robots["five_bar"], method="rk4", longest_step=STEP) for _ in range(2)]
    for sim in sims:
        sim.step([1.0, 1.0], PERIOD)
    sim, other = sims
    calls: list[Callable[[], None]] = [
        lambda: sim.step([5.0, 5.0], -PERIOD),
        lambda: sim.step([np.nan, 5.0], PERIOD),
        lambda: sim.step([5.0, 5.0], 1e9),
        lambda: sim.step([5.0] * 3, PERIOD),
        lambda: sim.step([5.0, 5.0]),
        lambda: sim.advance(PERIOD / 2),
    ]
    for call in calls:
        with pytest.raises(gough.UsageError):
            call()
        np.testing.assert_array_equal(sim.tau, [1.0, 1.0])
    for each in sims:
        each.advance(0.05)
        each.step([2.0, 1.0], PERIOD)
    np.testing.assert_array_equal(sim.q, other.q)
    np.testing.assert_array_equal(sim.v, other.v)
    assert sim.t == other.t


def test_what_is_recorded_before_the_first_step(robots: dict[str, gough.Model]) -> None:
    model = robots["five_bar"]
    sim = gough.Stepper(model)
    run = sim.recorded
    np.testing.assert_array_equal(run.q, [model.home])
    np.testing.assert_array_equal(run.tau, np.zeros((1, 2)))
    assert run.info.finished
    sim.step(np.zeros(2), PERIOD)
    assert sim.recorded.time[0] == 0.0
    assert sim.recorded.summary()["computing_s"] > 0.0
    begin = model.drives(model.home)
    motion = gough.motions.quintic(drives=[begin, begin + 0.1], durations=1.0)
    for law in (laws.JointPD(80.0, 4.0), laws.Sampled(laws.JointPD(80.0, 4.0), 1e-2)):
        assert len(gough.Stepper(model, law, motion=motion).recorded) == 1


def test_an_interrupt_of_a_long_step_loses_that_step_alone(robots: dict[str, gough.Model]) -> None:
    sim = gough.Stepper(robots["five_bar"], method="rk4", longest_step=1e-5)
    sim.step([0.1, 0.2], PERIOD)
    before = sim.t, sim.q, sim.v, sim.tau, len(sim.recorded)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)  # again and again: one may be lost
        with pytest.raises(KeyboardInterrupt):
            sim.step([0.0, 0.0], 600.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    for a, b in zip((sim.t, sim.q, sim.v, sim.tau, len(sim.recorded)), before, strict=True):
        np.testing.assert_array_equal(a, b)
    sim.step([0.1, 0.2], PERIOD)
    other = gough.Stepper(robots["five_bar"], method="rk4", longest_step=1e-5)
    for _ in range(2):
        other.step([0.1, 0.2], PERIOD)
    np.testing.assert_array_equal(sim.q, other.q)


def test_words_about_what_is_wrong(robots: dict[str, gough.Model]) -> None:
    model = robots["five_bar"]
    with pytest.raises(TypeError, match=r"no argument step=; did you mean longest_step=\?"):
        gough.Stepper(model, step=1e-3)  # type: ignore[call-arg]
    with pytest.raises(gough.UsageError, match=r"q\[1\] \(left_elbow\) is nan$"):
        gough.Stepper(model).reset(q=[0.1, np.nan, 0.2, 0.3])
    with pytest.raises(gough.UsageError, match="not an array of shape"):
        gough.Stepper(model).reset(q=np.zeros(3))
