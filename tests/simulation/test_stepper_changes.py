"""A stepper goes on with other gains and other loads: closed forms of a mass on a slider, and a run that tells what acted."""

import numpy as np
import pytest

import gough
from gough import laws, motions
from simulation.sliders import MASS, slider

STIFFNESS, DAMPING = 200.0, 40.0


@pytest.fixture(scope="module")
def mass() -> gough.Model:
    return slider()


def at_home(model: gough.Model) -> gough.Motion:
    start = model.drives(model.home)
    return motions.quintic(drives=[start, start], durations=1.0, extend="hold")


def pushed(model: gough.Model, law: gough.laws.Law | None = None, **options) -> gough.Stepper:
    motion = None if law is None else at_home(model)
    options = {"method": "rk4", "longest_step": 1e-3} | options
    return gough.Stepper(model, law, motion=motion, wrench={"block.tool": np.zeros(6)}, check="off", **options)


def push(force: float) -> dict[str, np.ndarray]:
    return {"block.tool": np.array([0, 0, force, 0, 0, 0])}


@pytest.mark.parametrize("options", [{}, {"method": "dp5"}, {"method": "sdirk2"}])
def test_a_push_and_a_stiffer_spring(mass: gough.Model, options: dict) -> None:
    """At rest a spring k under a force f is f/k long, whichever the steps."""
    sim = pushed(mass, laws.JointPD(STIFFNESS, DAMPING), **options)
    sim.change(wrench=push(10.0))
    sim.advance(4.0)
    assert sim.q[0] == pytest.approx(10.0 / STIFFNESS, abs=1e-9)
    sim.change(laws.JointPD(4 * STIFFNESS, 2 * DAMPING))
    sim.advance(8.0)
    assert sim.q[0] == pytest.approx(10.0 / (4 * STIFFNESS), abs=1e-9)
    sim.change(wrench=push(0.0))
    sim.advance(12.0)
    assert sim.q[0] == pytest.approx(0.0, abs=1e-9)


def test_a_push_without_a_controller_and_what_the_run_tells(mass: gough.Model) -> None:
    """Half a second of push, then half a second of nothing: x = f t²/2m, then steady."""
    sim = pushed(mass)
    sim.change(wrench=push(8.0))
    for k in range(20):
        if k == 10:
            sim.change(wrench=push(0.0))
        sim.step([0.0], 0.05)
    speed = 8.0 / MASS * 0.5
    assert sim.q[0] == pytest.approx(0.5 * speed * 0.5 + speed * 0.5, rel=1e-12)
    run = sim.recorded
    force = run.wrench["block.tool"][:, 2]
    assert (force[run.time < 0.5] == 8.0).all() and (force[run.time > 0.5] == 0.0).all()
    assert force[run.time == 0.5].tolist() == [8.0, 0.0]  # before and after the jump
    assert run["work.wrench"][-1] == pytest.approx(0.5 * MASS * speed**2, rel=1e-10)
    assert run.summary()["energy_error"] < 1e-9
    np.testing.assert_allclose(run.acceleration[:, 0], force / MASS, atol=1e-12)


def test_changes_stay_after_a_reset_and_are_told(mass: gough.Model) -> None:
    sim = pushed(mass, laws.JointPD(STIFFNESS, DAMPING))
    sim.step(dt=0.1)
    sim.change(laws.JointPD(300.0, DAMPING))
    assert [e for e in sim.recorded.info.events if e.kind == "changed"] == [
        (0.1, "changed: joint PD: stiffness 200 → 300")
    ]
    assert sim.recorded.info.controller["stiffness"] == STIFFNESS
    sim.reset()
    assert sim.recorded.info.controller["stiffness"] == 300.0 and not sim.recorded.info.events
    sim.change(wrench=push(3.0))
    sim.advance(5.0)
    assert sim.q[0] == pytest.approx(0.01, abs=1e-9)


def test_what_was_recorded_is_forgotten(mass: gough.Model) -> None:
    sim = pushed(mass, laws.JointPD(STIFFNESS, DAMPING))
    sim.change(wrench=push(10.0))
    for _ in range(4):
        sim.step(dt=0.5)
    whole = sim.recorded
    sim.forget()
    assert len(sim.recorded) == 1 and sim.recorded.time[0] == 2.0
    sim.step(dt=0.5)
    rest = sim.recorded
    assert rest.time[0] == 2.0 and (rest.wrench["block.tool"][:, 2] == 10.0).all()
    np.testing.assert_array_equal(rest.q[0], whole.q[-1])


def test_an_integral_goes_on_with_other_gains(mass: gough.Model) -> None:
    """It takes a push off in the end, whatever the gains are on the way."""
    sim = pushed(mass, laws.PID(STIFFNESS, DAMPING, 400.0), method="dp5")
    sim.change(wrench=push(10.0))
    sim.advance(1.0)
    sim.change(laws.PID(2 * STIFFNESS, DAMPING, 600.0))
    sim.advance(20.0)
    assert sim.q[0] == pytest.approx(0.0, abs=1e-6) and sim.tau[0] == pytest.approx(-10.0, abs=1e-4)


def test_a_sampled_law_changes_too(mass: gough.Model) -> None:
    def sampled(stiffness: float) -> laws.Sampled:
        return laws.Sampled(laws.JointPD(stiffness, DAMPING), 2e-3, sensors=gough.sensors.Encoders())

    sim = pushed(mass, sampled(STIFFNESS))
    sim.change(sampled(500.0), push(10.0))
    sim.advance(6.0)
    assert sim.q[0] == pytest.approx(10.0 / 500.0, abs=1e-9)


def test_what_cannot_change_is_refused_and_changes_nothing(mass: gough.Model) -> None:
    sim = pushed(mass, laws.JointPD(STIFFNESS, DAMPING, limit=100.0))
    sim.change(wrench=push(5.0))
    for law, words in (
        (laws.PID(STIFFNESS, DAMPING, 1.0, limit=100.0), "made with 'joint PD'"),
        (laws.JointPD(STIFFNESS, DAMPING, limit=50.0), "limits stay"),
        (laws.JointPD(STIFFNESS, DAMPING, gravity=True, limit=100.0), "no gain.*gravity False → True"),
        (laws.JointPD([1.0, 2.0], DAMPING, limit=100.0), "2 numbers are given"),
    ):
        with pytest.raises(gough.UsageError, match=words):
            sim.change(law, push(7.0))
    with pytest.raises(gough.UsageError, match=r"on 'block' this stepper has none \(it has: 'block\.tool'"):
        sim.change(wrench={"block": np.ones(6)})
    with pytest.raises(gough.UsageError, match="six finite numbers"):
        sim.change(wrench={"block.tool": [np.nan] * 6})
    sim.advance(5.0)
    assert sim.q[0] == pytest.approx(5.0 / STIFFNESS, abs=1e-9)
    with pytest.raises(gough.UsageError, match="step by step"):
        pushed(mass).change(laws.JointPD(1.0, 1.0))


def test_clocks_chance_and_forces_over_time_stay(mass: gough.Model) -> None:
    """What is counted since the start, drawn since the start, or stands in the motion is no gain."""
    pd = laws.JointPD(STIFFNESS, DAMPING)
    noisy = gough.sensors.Encoders(noise=1e-6)

    def beside(force: float) -> laws.FeedForward:
        return laws.FeedForward(pd, laws.forces([0.0, 1.0], [[force], [force]]))

    def sampled(law: laws.Law, period: float = 2e-3, **options) -> laws.Sampled:
        return laws.Sampled(law, period, **options)

    for before, after, words in (
        (sampled(pd), sampled(pd, 4e-3), "period stays .* 0.002 s, not 0.004 s"),
        (sampled(pd, sensors=noisy), sampled(pd, sensors=noisy, seed=3), "with seed=0"),
        (
            sampled(pd, sensors=gough.sensors.Encoders(period=1e-3)),
            sampled(pd, sensors=gough.sensors.Encoders(period=2e-3)),
            "encoders: the period stays",
        ),
        (beside(3.0), beside(5.0), "feed-forward: its forces over time stay"),
        (sampled(beside(3.0)), sampled(beside(5.0)), "its forces over time stay"),
        (
            laws.DisturbanceObserver(beside(3.0), 2.0),
            laws.DisturbanceObserver(beside(5.0), 2.0),
            "its forces over time stay",
        ),
    ):
        start = mass.drives(mass.home)
        sim = gough.Stepper(
            mass,
            before,
            motion=motions.quintic(drives=[start, start], durations=1.0),
            method="rk4",
            longest_step=1e-3,
            check="off",
        )
        sim.step(dt=0.1)
        with pytest.raises(gough.UsageError, match=words):
            sim.change(after)
        sim.change(before)


def test_loads_over_time_stay_and_constant_ones_change() -> None:
    """A pulse beside six numbers: the numbers change, the pulse does what it does; x as by superposition."""
    model = slider()
    pulse = gough.loads.Pulse([0, 0, 3.0, 0, 0, 0], begin=0.1, duration=0.2)
    sim = gough.Stepper(model, wrench={"block.tool": [pulse, gough.loads.Constant([0.0] * 6)]})
    sim.step([0.0], 0.5)
    sim.change(wrench={"block.tool": [0, 0, 4.0, 0, 0, 0]})
    sim.step([0.0], 0.5)
    run = sim.recorded
    after = np.maximum(run.time - 0.3, 0.0)
    rising = np.clip(run.time - 0.1, 0.0, 0.2)
    x = 3.0 / MASS * (0.5 * rising**2 + 0.2 * after) + 0.5 * 4.0 / MASS * np.maximum(run.time - 0.5, 0.0) ** 2
    np.testing.assert_allclose(run.q[:, 0], x, atol=1e-12)
    assert run["block.tool.wrench"][-1, 2] == 4.0 and run["block.tool.wrench"][:, 2].max() == 4.0
    alone = gough.Stepper(model, wrench={"block.tool": pulse})
    with pytest.raises(gough.UsageError, match="loads over time alone"):
        alone.change(wrench={"block.tool": [0, 0, 4.0, 0, 0, 0]})
