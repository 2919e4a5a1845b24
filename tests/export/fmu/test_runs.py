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


def run_of(
    file, kind, names, end, start=None, tolerance: float | None = 1e-10, interval: float | None = 0.01
) -> tuple[Any, np.ndarray, Any]:
    """(times, values (n, k), largest closure error) of a run by FMPy. tolerance, interval: None for those of the FMU."""
    given: dict[str, Any] = {
        "relative_tolerance": tolerance,
        "start_values": start or {},
        "stop_time": end,
        "output_interval": interval,
        "output": [*names, "closure_error"],
    }
    found = fmpy.simulate_fmu(str(file), fmi_type=kind, solver="CVode", **given)
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


@pytest.mark.slow
def test_a_closed_loop_that_is_stiff(folder):
    """A hexapod whose joint friction decays within 40 µs, as Model Exchange: over 10 s as near as others."""
    model, law, end = gough.build("pedrammehr2012"), gough.laws.JointPD(bandwidth=5.0, gravity=True), 10.0
    motion = sweep(model, end, 0.004)
    file = export_fmu(model, folder / "stiff.fmu", controller=law, motion=motion, step=1e-4, derivatives=False)
    exact = gough.simulate(model, motion, law, method="dp5", tolerance=1e-12)
    _, values, closure = run_of(file, "ModelExchange", names_of(model), end)
    assert np.abs(values[-1] - last_of(exact)).max() < 1e-6
    assert closure < 1e-9


@pytest.mark.slow
def test_what_an_unstable_motion_makes_of_tolerances(folder):
    """A hexapod under forces that are held falls to a side: what a start that is off becomes, times CVode's tolerance, is how far
    runs are apart, and with the tolerance they come together."""
    model, end = gough.build("pedrammehr2012"), 0.2
    tau = 1.01 * gough.static_equilibrium(model).tau
    file = export_fmu(model, folder / "falls.fmu", step=STEP, derivatives=False)
    start = dict(zip((f"{name}.force" for name in model.layout.drive_names), tau.tolist(), strict=True))
    held = {"controller": gough.laws.Free(tau=tau.tolist()), "duration": end, "method": "dp5", "check": "off"}
    truth = last_of(gough.simulate(model, tolerance=1e-13, **held))
    disturbed = last_of(gough.simulate(model, tolerance=1e-13, v=np.full(6, 1e-10), **held))
    growth = np.abs(disturbed - truth).max() / 1e-10
    assert growth > 100.0
    for tolerance in (1e-8, 1e-10, 1e-12):
        _, values, closure = run_of(file, "ModelExchange", names_of(model), end, start, tolerance, 0.002)
        assert np.abs(values[-1] - truth).max() < 200.0 * growth * tolerance
        assert closure < 1e-12


PENDULUM = """
format: 2
name: arm
gravity: [0, 0, -9.81]
bodies:
  - {name: arm, mass: 2.0, center_of_mass: [0.25, 0, 0], inertia: {about: center_of_mass, xx: 0.01, yy: 0.02, zz: 0.02}}
joints:
  - {name: hinge, type: revolute, parent: world, child: arm, axis: [0, 1, 0], drive: {}}
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_forces_that_hold_are_start_values(version, folder):
    """A level arm: its hinge holds m g l, and an importer that sets nothing sees it stay."""
    model = gough.build(loads(PENDULUM))
    how = {"version": version, "step": STEP, "derivatives": False}
    for start, held in (("static", -2.0 * 9.81 * 0.25), ("given", 0.0)):
        file = export_fmu(model, folder / f"arm_{start}{version[0]}.fmu", start=start, **how)
        assert forces_at_start(file) == pytest.approx({"hinge.force": held})
        for kind in ("CoSimulation", "ModelExchange"):
            _, values, _ = run_of(file, kind, ["q.hinge"], 0.1)
            assert np.abs(values).max() < 1e-9 if start == "static" else values[-1, 0] > 0.1


@pytest.fixture(scope="module")
def hanging(folder):
    """(model, FMU) of a robot with bent legs in a loop, gravity along its slides, that begins at rest."""
    robot = gough.load("dualemps")
    model = gough.build(robot.model_copy(update={"gravity": (0.0, 0.0, -9.81)}))
    return model, export_fmu(model, folder / "hanging.fmu", start="static", step=5e-5, derivatives=False)


def forces_at_start(file):
    about = fmpy.read_model_description(str(file))
    return {
        x.name: float(x.start or "nan")
        for x in about.modelVariables
        if x.causality == "input" and x.name.endswith("force")
    }


@pytest.mark.slow
def test_begins_at_rest(hanging):
    """Nothing is set, and nothing moves; the slides carry the weight of all that hangs on them."""
    model, file = hanging
    moves = model.drive_map(model.home).T  # rates of the drives by v
    along = np.linalg.lstsq(moves, np.ones(2), rcond=None)[0]  # the whole robot at 1 m/s
    mass = along @ model.mass_matrix(model.home) @ along
    assert abs(sum(forces_at_start(file).values())) == pytest.approx(mass * 9.81, rel=1e-9)
    names = names_of(model)
    for kind in ("CoSimulation", "ModelExchange"):
        times, values, _ = run_of(file, kind, names, 0.1, tolerance=1e-8)
        assert np.abs(values - values[0]).max() < 1e-7 and len(times) == 11
    assert np.abs(values[0, : model.layout.nq] - model.home).max() > 1e-4  # it is bent


@pytest.mark.slow
def test_stiff_bodies_want_outputs_near_each_other(hanging):
    """CVode of FMPy takes 500 steps from output to output: too few for 4 kHz over 10 ms. With the FMU's own step and tolerance
    it goes through, and is where the library is."""
    model, file = hanging
    held = forces_at_start(file)
    first = next(iter(held))
    pushed = {first: 1.2 * held[first]}
    with pytest.raises(RuntimeError, match="mxstep steps"):
        run_of(file, "ModelExchange", names_of(model), 0.03, pushed, 1e-10, 0.01)
    tau = [pushed.get(name, x) for name, x in held.items()]
    q = gough.static_equilibrium(model).q
    law = gough.laws.Free(tau=tau)
    exact = gough.simulate(model, controller=law, duration=0.03, q=q, method="dp5", tolerance=1e-12, check="off")
    _, values, _ = run_of(file, "ModelExchange", names_of(model), 0.03, pushed, None, 1e-3)
    off = np.abs(values[-1] - last_of(exact))
    assert off[: model.layout.nq].max() < 1e-8 and off.max() < 1e-5
