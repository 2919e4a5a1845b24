"""The disturbance observer against closed forms: e^{-Kt} in continuous time, (1 - KT)^k on a clock; weight by virtual work."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough import laws, motions, sensors
from gough.errors import UsageError
from laws.subjects import built
from simulation.sliders import MASS, slider

CHANNEL = "controller.disturbance"
PUSH = 5.0
BLOCK = {"block.tool": [0, 0, PUSH, 0, 0, 0]}
PD = laws.JointPD(200.0, 30.0)


def stand(x: float, duration: float) -> gough.Motion:
    return motions.function(lambda t: [x + 0.0 * t], duration, kind="drives", names=["slide"])


@pytest.mark.parametrize("method", ["dp5", "esdirk4"])
@pytest.mark.parametrize("compensate", [True, False])
def test_a_constant_force_is_found_at_the_rate_of_its_bandwidth(method: str, compensate: bool) -> None:
    """d = F (1 - e^{-2π f t}) whatever the feedback does; the mass then stands where it should, and F/K_p away without."""
    law = laws.DisturbanceObserver(PD, 2.0, compensate=compensate)
    run = gough.simulate(
        slider(), stand(0.2, 2.0), law, q=[0.2], wrench=BLOCK, method=method, tolerance=1e-10, step=2e-3
    )
    truth = PUSH * (1 - np.exp(-4 * np.pi * run.time))
    np.testing.assert_allclose(run[CHANNEL][:, 0], truth, atol=1e-7)
    assert run.channel(CHANNEL).unit == "N" and run.channel(CHANNEL).entries == (f"{CHANNEL}.slide",)
    assert run.channel("controller.states").entries == ("controller.momentum.slide",)
    off = run.q[-1, 0] - 0.2
    assert off == pytest.approx(0.0 if compensate else PUSH / 200.0, abs=1e-4)
    assert run.info.controller["of"]["law"] == "joint PD"


def test_on_a_clock_it_is_a_geometric_row() -> None:
    """d_k = F (1 - (1 - K T)^k), exactly: momentum changes by forces times the period."""
    T = 5e-3
    clocked = laws.Sampled(laws.DisturbanceObserver(PD, 2.0), period=T)
    run = gough.simulate(slider(), stand(0.2, 0.5), clocked, q=[0.2], wrench=BLOCK, method="rk4", step=T)
    k = np.arange(len(run.time) - 1)
    np.testing.assert_allclose(run[CHANNEL][:-1, 0], PUSH * (1 - (1 - 4 * np.pi * T) ** k), atol=1e-9)


def test_it_moves_off_without_a_jump() -> None:
    """A robot that moves at the start has the momentum it has: nothing is estimated where nothing disturbs."""
    law = laws.DisturbanceObserver(PD, 5.0, nominal={"block.M": MASS})
    run = gough.simulate(slider(), stand(0.2, 0.3), law, q=[0.2], v=[0.7], tolerance=1e-10)
    assert np.abs(run[CHANNEL]).max() < 1e-7


def test_an_unknown_weight_is_what_the_drives_would_hold() -> None:
    """A heavier platform of delta at rest: its weight by virtual work at the drives, J of differences of the inverse geometry."""
    delta = built(gough.load("delta"))
    pose = delta.home_pose + [0.05, 0.02, -0.03, 0, 0, 0, 0]
    still = motions.quintic(poses=[pose, pose], durations=0.6)
    heavy = delta.parameters_with({"platform.M": 1.9})
    law = laws.DisturbanceObserver(laws.ComputedTorque(400, 40), 10.0)
    run = gough.simulate(delta, still, law, parameters=heavy)
    assert run.summary()["tracking"]["m"] > 1e-4  # it sagged at first
    h, near = 1e-5, run.q[-1]

    def drives(shift: np.ndarray) -> np.ndarray:
        return delta.drives(delta.configuration(pose=pose + shift, near=near))

    dz = np.array([(drives(h * e) - drives(-h * e)) / (2 * h) for e in np.eye(7)[:3]])  # x y z; columns: drives
    expected = np.linalg.solve(dz, [0.0, 0.0, -9.81 * 1.0])  # the same power at the drives as at the platform
    np.testing.assert_allclose(run[CHANNEL][-1], expected, rtol=1e-4)
    np.testing.assert_allclose(run.q[-1, :3], pose[:3], atol=2e-6)


def test_many_runs_a_stepper_and_encoders_tell_the_same() -> None:
    robot = built(gough.load("five_bar"))
    start = robot.drives(robot.home)
    move = motions.quintic(drives=[start, start + [0.2, -0.1]], durations=0.1)
    law = laws.DisturbanceObserver(laws.JointPD(60, 3), 15.0)
    clocked = laws.Sampled(law, period=1e-3, sensors=sensors.Encoders(noise=1e-7), seed=3)
    heavy = robot.parameters_with({"left_rod.M": 0.8})
    told = {"step": 1e-3, "parameters": heavy}
    many = gough.simulate_many(robot, motion=move, controller=clocked, q=np.tile(robot.home, (2, 1)), **told)
    assert np.isnan(many.failed).all()
    alone = gough.simulate(robot, move, clocked, method="rk4", q=robot.home, **told)
    np.testing.assert_allclose(many.end_q[0], alone.q[-1], atol=1e-9)
    stored, each = many.run(0), 1e-9
    at = [k for k, t in enumerate(alone.time) if np.abs(stored.time - t).min() < each][3:-3:10]
    same = [np.abs(stored[CHANNEL][np.abs(stored.time - alone.time[k]) < each] - alone[CHANNEL][k]).min() for k in at]
    assert len(at) > 3 and max(same) < 1e-6
    sim = gough.Stepper(robot, law, motion=move, parameters=heavy, method="rk4", longest_step=1e-3)
    sim.advance(0.1)
    whole = gough.simulate(robot, move, law, method="rk4", **told)
    np.testing.assert_allclose(sim.q, whole.q[-1], atol=1e-8)
    np.testing.assert_allclose(sim.recorded[CHANNEL][-1], whole[CHANNEL][-1], atol=1e-8)


def test_another_geometry_is_closed_before_it_moves_off() -> None:
    """A law that takes a crank for 2 mm longer begins with a momentum of its own closed loops: what it finds is that of the
    difference, and small."""
    robot = built(gough.load("five_bar"))
    start = robot.drives(robot.home)
    move = motions.quintic(drives=[start, start + [0.2, -0.1]], durations=0.2)
    law = laws.DisturbanceObserver(laws.JointPD(60, 3), 15.0, nominal={"left_elbow.x": 0.252})
    run = gough.simulate(robot, move, law, v=[1.0, -0.5])
    assert np.abs(run[CHANNEL]).max() < 0.02 * np.abs(run.tau).max()


@pytest.mark.slow
def test_a_rigid_model_of_a_robot_that_bends() -> None:
    """It runs, and takes vibrations for disturbances."""
    bent = built(gough.load("delta_flexible"))
    start = bent.drives(bent.home)
    move = motions.quintic(drives=[start, start + 0.02], durations=0.02)
    law = laws.DisturbanceObserver(laws.JointPD(2000, 30, model=built(gough.load("delta_fast"))), 10.0)
    run = gough.simulate(bent, move, law, method="rk4", step=1e-4, check="off")
    assert run.stopped == "finished" and 0.1 < np.abs(run[CHANNEL]).max() < np.abs(run.tau).max()


def test_a_robot_that_bends() -> None:
    """What bends is measured: where nothing disturbs delta_flexible, nothing is estimated."""
    bent = built(gough.load("delta_flexible"))
    start = bent.drives(bent.home)
    move = motions.quintic(drives=[start, start + 0.02], durations=0.04)
    law = laws.DisturbanceObserver(laws.JointPD(2000, 30), 10.0, compensate=False)
    quiet = gough.simulate(bent, move, law, method="rk4", step=1e-4, check="off")
    assert np.abs(quiet[CHANNEL]).max() < 1e-4 * np.abs(quiet.tau).max()


def test_files(tmp_path: Path) -> None:
    text = """
format: 1
robot: delta
motion: {quintic: {drives: {leg0.arm: [0.3, 0.35], leg1.arm: [0.3, 0.3], leg2.arm: [0.3, 0.35]}, durations: 0.2}}
controller: {disturbance_observer: {law: {joint_pd: {stiffness: 2000, damping: 30}}, bandwidth: 5 Hz, nominal: {platform.M: 1.1}}}
"""
    file = tmp_path / "observed.yaml"
    file.write_text(text)
    run = gough.load_scenario(file).run()
    assert run.stopped == "finished" and run.info.settings["believed"]["differs"]["platform.M"]["believed"] == 1.1


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: laws.DisturbanceObserver(bandwidth=2.0), "give law=, or stiffness= "),
        (lambda: laws.DisturbanceObserver(PD), r"give bandwidth= \(Hz\)"),
        (lambda: laws.DisturbanceObserver(PD, -1.0), "bandwidth=-1.0: must not be below 0"),
        (lambda: laws.DisturbanceObserver(PD, 0.0), "bandwidth=0.0: must be above 0"),
        (lambda: laws.DisturbanceObserver(PD, 1.0, stiffness=3.0), "stiffness= is that of computed torque"),
        (lambda: laws.DisturbanceObserver("PD", 1.0), "law='PD': give a law"),  # type: ignore[arg-type]
        (lambda: laws.DisturbanceObserver(laws.Follow(), 1.0), "cannot be inside"),
        (lambda: laws.DisturbanceObserver(laws.Sampled(PD, 0.01), 1.0), r"Sampled\(DisturbanceObserver"),
        (lambda: laws.DisturbanceObserver(PD, 1.0, compensate=1), "compensate=1; give"),  # type: ignore[arg-type]
        (
            lambda: laws.DisturbanceObserver(laws.JointPD(1.0, 1.0, nominal="actual"), 1.0, nominal="actual"),
            "nominal= is given here and to the law inside",
        ),
        (
            lambda: laws.DisturbanceObserver(PD, 40.0).tune(slider(), 5e-3),
            "an estimate of 40 Hz does not settle on a clock of 0.005 s; give less than 31.83 Hz",
        ),
        (
            lambda: gough.simulate(slider(), stand(0.0, 1.0), laws.DisturbanceObserver(PD, [1.0, 2.0])),
            "bandwidth: 2 numbers are given, the robot has 1 freedoms",
        ),
        (
            lambda: laws.DisturbanceObserver(PD, 1.0).check(built(gough.load("four_bar_chain")), None),
            "has fewer drives than freedoms: what acts on it is no force of its drives",
        ),
    ],
)
def test_what_cannot_be_observed_is_refused(make: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()  # type: ignore[operator]
