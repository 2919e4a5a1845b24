"""FMUs beside runs of the library: Co-Simulation at equal steps, Model Exchange with an integrator from outside."""

from typing import Any

import fmpy
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.export import export_fmu
from gough.robot import loads

from .conftest import VERSIONS, Instance

STEP = 1e-3


def names_of(model: gough.Model) -> list[str]:
    return [f"q.{x}" for x in model.layout.q_names] + [f"velocity.{x}" for x in model.layout.v_names]


def run_of(file, kind, names, end, start=None) -> tuple[Any, np.ndarray, Any]:
    """(times, values (n, k), largest closure error) of a run by FMPy."""
    given = {
        "start_values": start or {},
        "stop_time": end,
        "output_interval": 0.01,
        "output": [*names, "closure_error"],
    }
    found = fmpy.simulate_fmu(str(file), fmi_type=kind, solver="CVode", relative_tolerance=1e-10, **given)
    return found["time"], np.array([found[x] for x in names]).T, found["closure_error"].max()


def sweep(model: gough.Model, end: float, amplitude: float) -> gough.Motion:
    """A motion of the drives away from home and back."""
    home = model.home[list(model.drive_index)]
    ways = amplitude * np.linspace(1.0, -1.0, len(home))
    drives = {n: [x, x + a, x, x - 0.7 * a, x] for n, x, a in zip(model.layout.drive_names, home, ways, strict=True)}
    return gough.motions.spline(times=[0, 0.3 * end, 0.55 * end, 0.8 * end, end], degree=5, drives=drives)


def last_of(run: gough.Run) -> np.ndarray:
    return np.concatenate([run.q[-1], run.v[-1]])


@pytest.mark.parametrize("version", VERSIONS)
def test_cosimulation_is_the_stepper(five_bar, version):
    model = gough.build("five_bar")
    sim = gough.Stepper(model, method="rk4", longest_step=STEP)
    for _ in range(50):
        sim.step(np.array([0.3, 0.2]), 0.01)
    start = {"left_motor.force": 0.3, "right_motor.force": 0.2}
    _, values, closure = run_of(five_bar[version][0], "CoSimulation", names_of(model), 0.5, start)
    assert np.abs(values[-1] - [*sim.q, *sim.v]).max() < 1e-9
    assert closure < 1e-9


@pytest.mark.parametrize("version", VERSIONS)
def test_exchange_with_cvode(five_bar, version):
    model = gough.build("five_bar")
    sim = gough.Stepper(model, method="dp5", tolerance=1e-13)
    sim.step(np.array([0.3, 0.2]), 0.5)
    start = {"left_motor.force": 0.3, "right_motor.force": 0.2}
    _, values, closure = run_of(five_bar[version][0], "ModelExchange", names_of(model), 0.5, start)
    assert np.abs(values[-1] - [*sim.q, *sim.v]).max() < 1e-6
    assert closure < 1e-9


CLOSED = {
    "five_bar": (gough.laws.JointPD(bandwidth=3.0), 0.2, 10.0),
    "lopes_simplified": (gough.laws.JointPD(bandwidth=5.0, gravity=True), 0.05, 10.0),
    "hobby_6rss": (gough.laws.JointPD(bandwidth=5.0, gravity=True), 0.1, 10.0),
    "three_prs": (gough.laws.PID(bandwidth=3.0), 0.02, 10.0),
    "sampled": (
        gough.laws.Sampled(
            gough.laws.JointPD(bandwidth=3.0), 0.01, delay=0.004, sensors=gough.sensors.Encoders(resolution=1e-4)
        ),
        0.2,
        2.0,
    ),
    "prescribed": (None, 0.2, 2.0),
}
"""Robots under laws of their own: rigid, with idle spins, with rotations that follow, on a clock with a sensor."""


@pytest.mark.slow
@pytest.mark.quick_cases("five_bar")
@pytest.mark.parametrize("name", CLOSED)
def test_closed_loop(name, folder):
    law, amplitude, end = CLOSED[name]
    model = gough.build("five_bar" if name in ("sampled", "prescribed") else name)
    motion = sweep(model, end, amplitude)
    file = export_fmu(model, folder / f"closed_{name}.fmu", controller=law, motion=motion, step=STEP, derivatives=False)
    equal = gough.simulate(model, motion, law, method="rk4", step=STEP)
    exact = gough.simulate(model, motion, law, method="dp5", tolerance=1e-13, step=STEP)
    for kind, truth, most in (("CoSimulation", equal, 1e-9), ("ModelExchange", exact, 1e-6)):
        times, values, closure = run_of(file, kind, names_of(model), end)
        assert times[-1] == pytest.approx(end)
        assert np.abs(values[-1] - last_of(truth)).max() < most
        assert closure < 1e-9


@pytest.mark.slow
def test_motions_from_outside(folder):
    """Drives that accelerate and come to rest are where they should be; their forces are those of inverse dynamics."""
    model = gough.build("lopes_simplified")
    file = export_fmu(model, folder / "motions.fmu", drives="motions", step=STEP, derivatives=False)
    start = {f"{name}.acceleration": 0.01 for name in model.layout.drive_names}
    outputs = [f"{name}.{x}" for name in model.layout.drive_names for x in ("position", "force")]
    joints = [f"q.{x}" for x in model.layout.q_names]
    for kind in ("CoSimulation", "ModelExchange"):
        _, values, closure = run_of(file, kind, [*outputs, *joints], 1.0, start)
        home, last = model.home[list(model.drive_index)], values[-1]
        assert np.abs(last[0:12:2] - home - 0.005).max() < 1e-8
        assert closure < 1e-9
        q, drives = last[12:], np.full(6, 0.01)
        led = gough.build("lopes_simplified", velocities="drives")
        tau = led.inverse_dynamics(q, drives, drives).tau
        assert np.abs(last[1:12:2] - tau).max() < 1e-6 * np.abs(tau).max()


TOP = """
format: 2
name: top
bodies:
  - {name: top, mass: 1.5, center_of_mass: [0.02, 0, 0.05], inertia: {about: center_of_mass, xx: 0.02, yy: 0.03, zz: 0.05}}
joints:
  - {name: ball, type: spherical, parent: world, child: top}
velocities: [ball_wx, ball_wy, ball_wz]
"""


def test_charts_begin_anew(folder):
    """A top turns several times: its rotation vector jumps at events, its motion does not."""
    model = gough.build(loads(TOP))
    first = np.array([1.0, 0.5, 8.0])
    file = export_fmu(model, folder / "top.fmu", v=first, step=STEP, derivatives=False)
    exact = gough.simulate(model, duration=2.0, v=first, method="dp5", tolerance=1e-13)
    vector = [f"position.ball.rotation.{x}" for x in "xyz"]
    names = names_of(model)
    for kind, most in (("ModelExchange", 1e-6), ("CoSimulation", 1e-6)):
        _, values, _ = run_of(file, kind, [*names, *vector], 2.0)
        assert np.abs(values[-1, : len(names)] - last_of(exact)).max() < most
        jumps = np.abs(np.diff(values[:, len(names) :], axis=0)).max(axis=1)
        assert (jumps > 0.5).sum() > 5
        assert np.abs(values[:, len(names) :]).max() < 1.2


def test_flexible(folder):
    model = gough.build("spin_up_beam")
    file = export_fmu(model, folder / "beam.fmu", step=2e-4, derivatives=False)
    sim = gough.Stepper(model, method="rk4", longest_step=2e-4)
    for _ in range(10):
        sim.step(np.full(1, 0.3), 0.01)
    start = {f"{model.layout.drive_names[0]}.force": 0.3}
    _, values, _ = run_of(file, "CoSimulation", names_of(model), 0.1, start)
    assert np.abs(values[-1] - [*sim.q, *sim.v]).max() < 1e-9


def test_loads_and_frames(folder):
    """A wrench at a frame accelerates the robot as the library says; the frame is where it says."""
    model, tool = gough.build("five_bar"), "left_rod.tool"
    file = export_fmu(model, folder / "tool.fmu", loads=[tool], frames=[tool], derivatives=False)
    one = Instance(file, fmpy.extract(str(file), str(folder / "tool")), "exchange")
    wrench = np.array([3.0, -2.0, 0.5, 0.1, 0.2, 0.3])
    one.put(**dict(zip((f"load.{tool}.{x}" for x in ("fx", "fy", "fz", "mx", "my", "mz")), wrench, strict=True)))
    one.put(**{"left_motor.force": 0.3, "velocity.left_motor": 0.4, "velocity.right_motor": -0.7})
    one.begin()
    q, v = model.home, np.array([0.4, -0.7])
    found = model.forward_dynamics(q, v, np.array([0.3, 0.0]), wrench={tool: wrench})
    assert np.abs(one.get(*(f"der(velocity.{x})" for x in model.layout.v_names)) - found.vdot).max() < 1e-9
    position, rotation = model.frame_pose(q, tool)
    assert np.abs(one.get(*(f"frame.{tool}.{x}" for x in "xyz")) - position).max() < 1e-12
    roll, pitch, yaw = one.get(*(f"frame.{tool}.{x}" for x in ("roll", "pitch", "yaw")))
    assert np.abs(Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix() - rotation).max() < 1e-12
    twist = model.frame_twist(q, v, tool)
    assert np.abs(one.get(*(f"frame.{tool}.{x}" for x in ("vx", "vy", "vz", "wx", "wy", "wz"))) - twist).max() < 1e-12
    one.fmu.freeInstance()


def test_branches_that_meet_at_home(folder):
    """Bricard's hinges begin where branches of its configurations meet; the independent one leads the others along its own."""
    model = gough.build("bricard")
    file = export_fmu(model, folder / "bricard.fmu", derivatives=False)
    sim = gough.Stepper(model, method="dp5", tolerance=1e-13)
    sim.step(dt=0.05, tau=np.zeros(0))
    _, values, _ = run_of(file, "ModelExchange", names_of(model), 0.05)
    assert np.abs(values[-1] - [*sim.q, *sim.v]).max() < 1e-6
