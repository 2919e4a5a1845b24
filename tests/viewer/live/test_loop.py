"""The live loop against closed forms: springs that are pushed and pulled, and time that a clock of our own tells."""

import threading

import numpy as np
import pytest

import gough
from gough import laws
from inner.viewer import LiveLoop
from simulation.sliders import MASS, slider
from viewer.live.clock import Clock

STIFFNESS, DAMPING = 200.0, 40.0


@pytest.fixture(scope="module")
def mass() -> gough.Model:
    return slider()


def running(model: gough.Model, law: laws.Law | None, frame: str, **options) -> tuple[LiveLoop, Clock]:
    clock = Clock()
    loop = LiveLoop(model, now=clock, **options)
    loop.begin(law, frame)
    loop.play()
    return loop, clock


def go(loop: LiveLoop, clock: Clock, seconds: float) -> None:
    for _ in range(round(30 * seconds)):
        clock.time += 1 / 30
        loop.advance()


def test_a_push_on_a_spring(mass: gough.Model) -> None:
    """x = f/k at rest, for every gain that is set on the way."""
    loop, clock = running(mass, laws.JointPD(STIFFNESS, DAMPING), "block.tool")
    loop.push(np.array([0, 0, 10.0, 0, 0, 0]))
    go(loop, clock, 4.0)
    assert loop.sim is not None and loop.sim.q[0] == pytest.approx(10.0 / STIFFNESS, abs=1e-7)
    loop.change_law(laws.JointPD(500.0, DAMPING))
    go(loop, clock, 4.0)
    assert loop.sim.q[0] == pytest.approx(10.0 / 500.0, abs=1e-7)
    last = loop.samples[-1]
    assert last.tau[0] == pytest.approx(-10.0, abs=1e-4) and last.push[2] == 10.0
    assert loop.errors == (("slide", "m"),) and last.error[0] == pytest.approx(-0.02, abs=1e-7)
    run = loop.recording()
    assert run["tracking"][-1, 0] == pytest.approx(0.02, abs=1e-7)
    assert run.wrench["block.tool"][-1, 2] == 10.0 and run.summary()["energy_error"] < 1e-6


def test_a_pull_is_a_spring_in_series(mass: gough.Model) -> None:
    """k x = c (X - x): the block comes to rest between the hand and its reference; let go, it comes back."""
    loop, clock = running(mass, laws.JointPD(STIFFNESS, DAMPING), "block.tool")
    loop.stiffness = 150.0
    assert loop.pushed is not None and loop.pushed.moves == (False, False, True, False, False, False)
    assert loop.pushed.mass == pytest.approx(MASS)
    loop.pull(np.array([0.1, 0.0, 0.4]))
    go(loop, clock, 5.0)
    assert loop.frame_position()[2] == pytest.approx(150.0 * 0.4 / (150.0 + STIFFNESS), abs=1e-6)
    loop.most = 5.0
    go(loop, clock, 5.0)
    assert loop.frame_position()[2] < 5.0 / STIFFNESS + 1e-6  # 5 N in all, a part of them aside
    loop.pull(None)
    go(loop, clock, 5.0)
    assert loop.frame_position()[2] == pytest.approx(0.0, abs=1e-6)


def test_a_pushed_five_bar_is_at_rest_by_virtual_work() -> None:
    """Springs at its drives and a force at its tool: k (ref - q) = -(dx/dq)ᵀ f, with dx/dq by differences of the geometry."""
    model = gough.build("five_bar")
    loop, clock = running(model, laws.JointPD(60.0, 4.0), "left_rod.tool")
    force = np.array([3.0, -2.0])
    loop.push(np.array([*force, 0, 0, 0, 0]))
    go(loop, clock, 6.0)
    assert loop.sim is not None

    def tool(drives: np.ndarray) -> np.ndarray:
        return np.asarray(model.frame_pose(model.configuration(drives=drives, near=model.home), "left_rod.tool")[0])[:2]

    at, h = model.drives(loop.sim.q), 1e-5
    slope = np.stack([(tool(at + h * e) - tool(at - h * e)) / (2 * h) for e in np.eye(2)], axis=1)
    weight = model.inverse_dynamics(loop.sim.q, np.zeros(2), np.zeros(2)).tau
    spring = 60.0 * (model.drives(model.home) - at)
    np.testing.assert_allclose(spring, weight - slope.T @ force, atol=1e-5)


def test_time_follows_the_clock(mass: gough.Model) -> None:
    loop, clock = running(mass, None, "block.tool")
    go(loop, clock, 2.0)
    assert loop.t == pytest.approx(2.0, abs=0.01) and loop.pace == pytest.approx(1.0, abs=0.02) and not loop.behind
    loop.change_speed(0.1)
    go(loop, clock, 2.0)
    assert loop.t == pytest.approx(2.2, abs=0.01) and not loop.behind
    loop.pause()
    go(loop, clock, 1.0)
    assert loop.t == pytest.approx(2.2, abs=0.01)
    loop.play()
    go(loop, clock, 1.0)
    assert loop.t == pytest.approx(2.3, abs=0.01)
    clock.time += 3600.0  # the computer slept
    loop.advance()
    assert loop.t < 2.5


def test_what_cannot_be_done_in_time_is_left_out_and_told(mass: gough.Model) -> None:
    loop, clock = running(mass, None, "block.tool")
    clock.cost = 0.012  # s a step, more than twice its own
    go(loop, clock, 2.0)
    pace = loop.pace
    assert loop.behind and pace is not None and 0.1 < pace < 0.6


def test_a_loop_that_stops_says_why_and_begins_anew(mass: gough.Model) -> None:
    def failing(t, q, v, reference):
        if t > 0.5:
            raise ValueError("out of tricks")
        return [0.0]

    loop, clock = running(mass, laws.Sampled(failing, 0.01), "block.tool")
    loop.push(np.array([0, 0, 1.0, 0, 0, 0]))
    go(loop, clock, 1.0)
    assert "out of tricks" in loop.stopped and "reset" in loop.stopped and not loop.playing
    before = loop.t
    loop.play()
    go(loop, clock, 0.2)
    assert loop.t == before and 0.5 <= before < 0.6
    assert loop.recording().time[-1] == pytest.approx(before)
    loop.reset()
    assert not loop.stopped and loop.t == 0.0 and not loop.samples
    loop.play()
    go(loop, clock, 0.3)
    assert loop.t == pytest.approx(0.3, abs=0.01)


def test_another_law_goes_on_from_the_state_of_now(mass: gough.Model) -> None:
    loop, clock = running(mass, None, "block.tool")
    loop.push(np.array([0, 0, 4.0, 0, 0, 0]))
    go(loop, clock, 0.5)
    assert loop.sim is not None
    q, v, t = loop.sim.q, loop.sim.v, loop.t
    loop.begin(laws.JointPD(STIFFNESS, DAMPING), "block.tool", hold=q)
    assert loop.t == t and (loop.sim.q == q).all() and (loop.sim.v == v).all() and loop.wrench[2] == 4.0
    go(loop, clock, 4.0)
    assert loop.sim.q[0] == pytest.approx(q[0] + 4.0 / STIFFNESS, abs=1e-6)
    loop.begin(laws.JointPD(STIFFNESS, DAMPING), "block")
    assert not loop.wrench.any()  # nothing pushes on another frame before somebody does
    with pytest.raises(gough.UsageError, match="exactly"):
        loop.begin(laws.Follow(), "block")
    assert loop.law is not None and loop.law.name == "joint PD"


def test_laws_with_states_run_on_a_clock(mass: gough.Model) -> None:
    """An integral takes a steady push away whole; sensors stand in between. A regulator with an observer holds it as a spring."""
    encoders = gough.sensors.Encoders(resolution=1e-6)
    law = laws.Sampled(laws.PID(STIFFNESS, DAMPING, 300.0, limit=50.0), 1e-3, delay=1e-3, sensors=encoders)
    loop, clock = running(mass, law, "block.tool")
    loop.push(np.array([0, 0, 10.0, 0, 0, 0]))
    go(loop, clock, 8.0)
    assert loop.sim is not None and loop.sim.q[0] == pytest.approx(0.0, abs=1e-5)
    assert loop.samples[-1].tau[0] == pytest.approx(-10.0, abs=1e-2)
    loop.begin(laws.Sampled(laws.LQG(1e-2, 10.0, 1e-6, 1.0), 1e-3, sensors=encoders), "block.tool")
    go(loop, clock, 2.0)
    assert not loop.stopped


def test_a_motion_is_followed_and_held(mass: gough.Model) -> None:
    move = gough.motions.quintic(drives=[[0.0], [0.2]], durations=0.5)
    clock = Clock()
    loop = LiveLoop(mass, motion=move, now=clock)
    loop.begin(laws.ComputedTorque(), "block")
    loop.play()
    go(loop, clock, 1.5)
    assert loop.frame_position()[2] == pytest.approx(0.2, abs=1e-6)
    loop.reset()
    assert loop.frame_position()[2] == 0.0


def test_many_threads_ask_at_once(mass: gough.Model) -> None:
    """Steps, gains, pushes and resets from threads of their own: nothing is lost, and no thread fails."""
    loop, clock = running(mass, laws.JointPD(STIFFNESS, DAMPING), "block.tool")
    failed: list[Exception] = []

    def again(act) -> threading.Thread:
        def work() -> None:
            try:
                for k in range(25):
                    act(k)
            except Exception as error:
                failed.append(error)

        return threading.Thread(target=work)

    threads = [
        again(lambda k: go(loop, clock, 0.1)),
        again(lambda k: loop.change_law(laws.JointPD(STIFFNESS + k, DAMPING))),
        again(lambda k: loop.pull(None if k % 3 else np.array([0, 0, 0.1]))),
        again(lambda k: loop.push(np.array([0, 0, float(k), 0, 0, 0]))),
        again(lambda k: loop.reset() if k % 10 == 0 else loop.recording()),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed and not loop.stopped and np.isfinite(loop.recording().q).all()
