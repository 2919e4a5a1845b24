"""A stepper is `simulate` in somebody else's loop: the same states, bit for bit, the same endings, and messages of its own."""

import copy
import pickle
import signal
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough import laws, motions

STEP = 1e-3


def model_of(name: str) -> gough.Model:
    return gough.build(gough.load(name))


@pytest.fixture(scope="module")
def five_bar() -> gough.Model:
    return model_of("five_bar")


class Played:
    """A controller's function that gives rows of forces, one after the other."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows, self.k = rows, -1

    def reset(self) -> None:
        self.k = -1

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray, reference: object) -> np.ndarray:
        self.k += 1
        return self.rows[self.k]


def rows_of_forces(model: gough.Model, n: int, seed: int = 3) -> np.ndarray:
    """Near those that hold the robot at home (n, drives)."""
    hold = model.inverse_dynamics(model.home, np.zeros(model.layout.nv), np.zeros(model.mobility)).tau
    rng = np.random.default_rng(seed)
    return hold + (0.3 + 0.1 * np.abs(hold).max()) * rng.normal(size=(n, len(hold)))


def same_runs(a: gough.Run, b: gough.Run) -> None:
    for name in ("time", "q", "v", "tau", "acceleration"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
    assert a.info.settings["steps"] == b.info.settings["steps"]
    assert a.info.stopped == b.info.stopped
    for name in ("work.drives", "work.losses"):
        np.testing.assert_array_equal(a[name], b[name])


@pytest.mark.parametrize("method", ["rk4", "dp5", "bs3", "sdirk2", "leapfrog"])
def test_steps_are_those_of_simulate(five_bar: gough.Model, method: str) -> None:
    rows = rows_of_forces(five_bar, 60)
    period = 2 * STEP
    asked: dict[str, Any] = {"method": method, "wrench": {"left_rod.tool": [0.3, -0.2, 0.0, 0.0, 0.0, 0.01]}}
    run = gough.simulate(
        five_bar, controller=laws.Sampled(Played(rows), period), duration=60 * period, step=STEP, **asked
    )
    sim = gough.Stepper(five_bar, longest_step=STEP, **asked)
    for tau in rows:
        sim.step(tau, period)
    same_runs(run, sim.recorded)
    np.testing.assert_array_equal(sim.q, run.q[-1])
    np.testing.assert_array_equal(sim.v, run.v[-1])
    np.testing.assert_array_equal(sim.tau, rows[-1])
    assert sim.t == run.time[-1]


@pytest.mark.parametrize("name", ["pedrammehr2012", pytest.param("hexapod_flexible", marks=pytest.mark.slow), "delta"])
def test_other_robots_and_designs(name: str) -> None:
    model = model_of(name)
    rng = np.random.default_rng(5)
    design = model.parameters_with(
        {
            n: x * rng.uniform(0.9, 1.1)
            for n, x in zip(model.parameter_names, model.parameters, strict=True)
            if n.endswith("mass")
        }
    )
    n = 3 if model.layout.v_elastic else 20
    rows = rows_of_forces(model, n)
    asked: dict[str, Any] = {"parameters": design, "method": "dp5" if model.layout.v_elastic else "rk4", "check": "off"}
    run = gough.simulate(model, controller=laws.Sampled(Played(rows), STEP), duration=n * STEP, step=STEP, **asked)
    sim = gough.Stepper(model, longest_step=STEP, **asked)
    for tau in rows:
        sim.step(tau, STEP)
    same_runs(run, sim.recorded)
    np.testing.assert_array_equal(sim.elastic, sim.q[model.layout.elastic])


def test_constant_forces_in_one_go_or_in_steps(five_bar: gough.Model) -> None:
    tau = rows_of_forces(five_bar, 1)[0]
    run = gough.simulate(five_bar, controller=laws.Free(tau), duration=0.1, method="rk4", step=STEP)
    sim = gough.Stepper(five_bar, method="rk4", longest_step=STEP)
    for _ in range(100):
        sim.step(tau, STEP)
    np.testing.assert_array_equal(sim.q, run.q[-1])
    whole = gough.Stepper(five_bar, laws.Free(tau), method="rk4", longest_step=STEP)
    whole.advance(0.1)
    np.testing.assert_array_equal(whole.q, run.q[-1])
    np.testing.assert_array_equal(whole.tau, tau)


@pytest.fixture(scope="module")
def led(five_bar: gough.Model) -> motions.Motion:
    begin = five_bar.drives(five_bar.home)
    return motions.quintic(drives=[begin, begin + [0.2, -0.1]], durations=0.1, extend="hold")


@pytest.mark.parametrize("law", [laws.JointPD(80.0, 4.0), laws.ComputedTorque(), None], ids=["pd", "torque", "follow"])
def test_a_controller_along_a_motion(five_bar: gough.Model, led: motions.Motion, law: laws.Law | None) -> None:
    run = gough.simulate(five_bar, led, law, method="rk4", step=STEP)
    sim = gough.Stepper(five_bar, law, motion=led, method="rk4", longest_step=STEP)
    for _ in range(100):
        sim.step(dt=STEP)
    rounding = 1e-13 if law is None else 0.0  # drives that follow are put where the motion is at the very end
    np.testing.assert_allclose(sim.q, run.q[-1], rtol=0, atol=rounding)
    np.testing.assert_allclose(sim.v, run.v[-1], rtol=0, atol=rounding)
    np.testing.assert_allclose(sim.tau, run.tau[-1], rtol=0, atol=1e-13 * np.abs(run.tau).max())
    sim.advance(0.13)  # held at its end
    held = gough.simulate(five_bar, led, law, duration=0.13, method="rk4", step=STEP)
    np.testing.assert_allclose(sim.q, held.q[-1], rtol=0, atol=1e-13)
    short = motions.quintic(drives=[five_bar.drives(five_bar.home)] * 2, durations=0.01)
    ends = gough.Stepper(five_bar, law, motion=short)
    with pytest.raises(gough.UsageError, match=r"the motion ends at 0\.01 s"):
        ends.advance(0.02)
    assert ends.t == 0.01


def test_a_controller_on_a_clock(five_bar: gough.Model, led: motions.Motion) -> None:
    law = laws.Sampled(laws.JointPD(80.0, 4.0), period=4e-3, delay=1e-3)
    run = gough.simulate(five_bar, led, law, method="rk4", step=STEP)
    sim = gough.Stepper(five_bar, law, motion=led, method="rk4", longest_step=STEP)
    for k in range(50):  # steps that do not fit the clock
        sim.advance(2e-3 * (k + 1))
    np.testing.assert_allclose(sim.q, run.q[-1], rtol=0, atol=1e-14)
    assert sim.recorded.info.controller["law"] == "sampled"


def test_reset_begins_anew(five_bar: gough.Model) -> None:
    rows = rows_of_forces(five_bar, 30)
    sim = gough.Stepper(five_bar, method="dp5")
    ends = []
    for _ in range(2):
        for tau in rows:
            sim.step(tau, STEP)
        ends.append(sim.q)
        sim.reset()
        assert sim.t == 0.0
        np.testing.assert_array_equal(sim.q, five_bar.home)
        np.testing.assert_array_equal(sim.tau, np.zeros(2))
    np.testing.assert_array_equal(*ends)
    q = five_bar.configuration(drives=five_bar.drives(five_bar.home) + 0.1)
    sim.reset(q, [0.1, -0.2], t=3.0)
    sim.step(rows[0], STEP)
    run = gough.simulate(five_bar, controller=laws.Sampled(Played(rows), STEP), duration=STEP, q=q, v=[0.1, -0.2])
    np.testing.assert_array_equal(sim.q, run.q[-1])
    assert sim.t == 3.0 + STEP


def test_prescribed_drives_in_the_robots_own_velocities() -> None:
    model = model_of("pedrammehr2012")
    begin = model.drives(model.home)
    motion = motions.quintic(drives=[begin, begin + 0.01], durations=0.05)
    run = gough.simulate(model, motion, method="rk4", step=STEP)
    sim = gough.Stepper(model, motion=motion, method="rk4", longest_step=STEP)
    sim.advance(0.05)
    np.testing.assert_allclose(sim.v, run.v[-1], rtol=0, atol=1e-13)
    same_runs(run, sim.recorded)


@pytest.mark.slow
def test_through_a_singularity_as_simulate() -> None:
    """Where a pose comes near in which cranks and rods align, the run goes through it, or ends, as `simulate` does."""
    model = model_of("five_bar")
    n = 900
    rows = np.tile([1.5, 1.0], (n, 1))
    asked: dict[str, Any] = {"method": "rk4", "check": "off"}
    run = gough.simulate(model, controller=laws.Sampled(Played(rows), STEP), duration=n * STEP, step=STEP, **asked)
    sim = gough.Stepper(model, longest_step=STEP, **asked)
    stopped = None
    try:
        for tau in rows:
            sim.step(tau, STEP)
    except gough.BadStateError as error:
        stopped = str(error)
    told = sim.recorded
    assert [text for _, text in told.info.events] == [text for _, text in run.info.events]
    assert told.info.events or stopped, "this run is to meet a singularity"
    assert told.info.stopped == run.info.stopped
    last = min(len(told), len(run)) - 1
    np.testing.assert_allclose(told.q[last], run.q[last], rtol=0, atol=1e-9)
    if stopped is not None:
        with pytest.raises(gough.BadStateError, match="begin anew with reset"):
            sim.step(rows[0], STEP)
        sim.reset()
        sim.step(rows[0], STEP)


def test_what_is_not_recorded_is_not_kept(five_bar: gough.Model) -> None:
    sim = gough.Stepper(five_bar, record=False)
    for tau in rows_of_forces(five_bar, 2000):
        sim.step(0.01 * tau, 1e-5)
    assert not sim._run.kept
    with pytest.raises(gough.UsageError, match="record=True"):
        _ = sim.recorded


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda sim: sim.step(np.zeros(3), STEP), r"tau: give 2 drive forces \(.*\), not an array of shape \(3,\)"),
        (lambda sim: sim.step(None, STEP), "tau= is missing"),
        (lambda sim: sim.step([np.nan, 0.0], STEP), "tau: the force of .* is not finite"),
        (lambda sim: sim.step(np.zeros(2)), "dt= is missing"),
        (lambda sim: sim.step(np.zeros(2), -1.0), "give a time in s, above 0"),
        (lambda sim: sim.step(np.zeros(2), 0.0), "give a time in s, above 0"),
        (lambda sim: sim.step(np.zeros(2), 1e-17), "from 1e-09 s"),
        (lambda sim: sim.step(np.zeros(2), np.nan), "give a time in s, above 0"),
        (lambda sim: sim.step(np.zeros(2), "x"), "give a time in s, above 0"),
        (lambda sim: sim.step("x", STEP), "tau"),
        (lambda sim: sim.advance(0.0), "to"),
        (lambda sim: sim.reset(np.zeros(3)), "q"),
    ],
)
def test_bad_input_is_named_and_changes_nothing(five_bar: gough.Model, call: object, words: str) -> None:
    sim = gough.Stepper(five_bar)
    before = sim.q
    with pytest.raises(gough.UsageError, match=words):
        call(sim)  # type: ignore[operator]
    np.testing.assert_array_equal(sim.q, before)
    sim.step(np.zeros(2), STEP)
    assert sim.t == STEP


def test_forces_beside_a_controller(five_bar: gough.Model) -> None:
    sim = gough.Stepper(five_bar, laws.GravityCompensation())
    with pytest.raises(gough.UsageError, match="the forces are those of the controller"):
        sim.step(np.zeros(2), STEP)
    sim.step(dt=STEP)
    with pytest.raises(gough.UsageError, match="already"):
        sim.advance(STEP / 2)


class Interrupting:
    """A controller's function that is interrupted once."""

    def __init__(self, at: int) -> None:
        self.at, self.calls = at, 0

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray, reference: object) -> np.ndarray:
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return np.zeros(2)


def test_an_interrupt_leaves_time_and_state_together(five_bar: gough.Model) -> None:
    """By a signal while machine code runs: the step is done, or it is as if it had not begun."""
    sim = gough.Stepper(five_bar, method="rk4", longest_step=1e-5)
    tau = rows_of_forces(five_bar, 1)[0]
    sim.step(tau, 1e-3)
    before, t = sim.q, sim.t

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(200):
            signal.setitimer(signal.ITIMER_REAL, 3e-4)
            try:
                sim.step(tau, 0.008)
            except KeyboardInterrupt:
                break
            sim.reset()
            sim.step(tau, 1e-3)
        else:
            pytest.skip("no interrupt came while a step ran")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    other = gough.Stepper(five_bar, method="rk4", longest_step=1e-5)
    other.step(tau, 1e-3)
    np.testing.assert_array_equal(other.q, before)
    if sim.t != t:  # it was done, and the interrupt came behind it
        other.step(tau, 0.008)
    assert sim.t == other.t
    np.testing.assert_array_equal(sim.q, other.q)
    other.step(tau, 2e-3)
    sim.step(tau, 2e-3)
    np.testing.assert_array_equal(sim.q, other.q)


def test_a_controllers_function_that_fails_ends_the_run(five_bar: gough.Model) -> None:
    def failing(t: float, q: np.ndarray, v: np.ndarray, reference: object) -> np.ndarray:
        if t > 0.004:
            raise ZeroDivisionError("no")
        return np.zeros(2)

    sim = gough.Stepper(five_bar, laws.Sampled(failing, 2e-3))
    with pytest.raises(gough.BadStateError, match="controller failed"):
        sim.advance(0.02)
    assert sim.ended is not None
    assert sim.recorded.time[-1] == sim.t
    np.testing.assert_array_equal(sim.recorded.q[-1], sim.q)
    sim = gough.Stepper(five_bar, laws.Sampled(Interrupting(3), 2e-3))
    with pytest.raises(KeyboardInterrupt):
        sim.advance(0.02)
    assert sim.ended is None
    sim.advance(0.02)
    assert sim.t == 0.02


@pytest.mark.parametrize("extend", [None, "hold"])
def test_a_controller_on_a_clock_beyond_the_end_of_its_motion(five_bar: gough.Model, extend: str | None) -> None:
    begin = five_bar.drives(five_bar.home)
    motion = motions.quintic(drives=[begin, begin + [0.3, 0.1]], durations=0.1, extend=extend)
    sim = gough.Stepper(five_bar, laws.Sampled(laws.JointPD(80.0, 4.0), 2e-3), motion=motion)
    if extend is None:
        with pytest.raises(gough.UsageError, match="the motion ends"):
            sim.advance(0.5)
        return
    sim.advance(1.5)
    np.testing.assert_allclose(five_bar.drives(sim.q), begin + [0.3, 0.1], atol=1e-3)


def test_reset_to_a_later_time(five_bar: gough.Model, led: motions.Motion) -> None:
    q = five_bar.configuration(drives=five_bar.drives(five_bar.home) + 0.1)
    sim = gough.Stepper(five_bar, q=q, v=[0.1, 0.2])
    sim.reset(v=[0.3, 0.0])
    np.testing.assert_array_equal(sim.q, q)
    sim.reset(q=five_bar.home)
    np.testing.assert_array_equal(sim.v, [0.1, 0.2])
    follows = gough.Stepper(five_bar, motion=led, method="rk4", longest_step=STEP)
    follows.advance(0.06)
    other = gough.Stepper(five_bar, motion=led, method="rk4", longest_step=STEP)
    other.reset(t=0.04)
    np.testing.assert_allclose(five_bar.drives(other.q), led.at(0.04).position, atol=1e-12)
    other.advance(0.06)
    np.testing.assert_allclose(other.q, follows.q, atol=1e-12)
    clocked = gough.Stepper(five_bar, laws.Sampled(laws.JointPD(80.0, 4.0), 1e-2), motion=led)
    clocked.reset(t=0.005)
    clocked.step(dt=0.01)
    assert clocked.t == pytest.approx(0.015)
    with pytest.raises(gough.UsageError, match="extend='hold'"):
        gough.Stepper(five_bar, laws.JointPD(80.0, 4.0), motion=replace(led, extend=None)).reset(t=0.2)


def test_forces_of_a_controller_are_known_from_the_start(five_bar: gough.Model, led: motions.Motion) -> None:
    law = laws.JointPD(80.0, 4.0)
    q = five_bar.configuration(drives=five_bar.drives(five_bar.home) + 0.1)
    run = gough.simulate(five_bar, led, law, q=q)
    np.testing.assert_allclose(gough.Stepper(five_bar, law, motion=led, q=q).tau, run.tau[0], rtol=1e-12)


def test_robots_without_drives() -> None:
    model = model_of("four_bar_chain")
    sim = gough.Stepper(model)
    sim.step(dt=0.01)
    run = gough.simulate(model, duration=0.01)
    np.testing.assert_allclose(sim.q, run.q[-1], atol=1e-10)


def test_laws_that_are_derived_from_prescribed_ones(five_bar: gough.Model, led: motions.Motion) -> None:
    class Mine(laws.Follow):
        pass

    a, b = (gough.simulate(five_bar, led, law) for law in (Mine(), laws.Follow()))
    np.testing.assert_array_equal(a.q, b.q)


def test_a_chain_of_four_bars_falls_as_one_pendulum() -> None:
    """((N + 1)/3 + N) θ'' = ((N + 1)/2 + N) g sin θ, integrated by SciPy, for N = 2, through a flat pose, which is singular."""
    model = gough.build("four_bar_chain", velocities=["foot0"])
    sim = gough.Stepper(model, v=[1.0], tolerance=1e-10)
    ratio = (3 / 2 + 2) / (3 / 3 + 2)
    turn = solve_ivp(
        lambda _, x: [x[1], ratio * 9.81 * np.sin(x[0])], (0.0, 1.2), [0.0, 1.0], "DOP853", rtol=1e-12, atol=1e-12
    )
    while sim.t < 1.2 - 1e-9:
        sim.step(dt=0.01)
    assert turn.y[0, -1] > np.pi / 2  # the first flat pose lies behind it
    np.testing.assert_allclose(sim.v[0], turn.y[1, -1], rtol=1e-6)


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda x: x.__name__)
def test_a_stepper_is_not_copied(five_bar: gough.Model, make: Any) -> None:
    """Two would share one state."""
    with pytest.raises(gough.UsageError, match=r"make another one"):
        make(gough.Stepper(five_bar))
