"""Laws in C, stepped with what the sensors of a run showed: the commands are those of the run.

The run is the truth: its time loop is other machine code of other equations (the law within the robot's integration), and robots
that bend have observers there whose estimates are checked against filters in NumPy (tests/simulation/test_observers.py).
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from backends.compiled_c import compile_c, needs_compiler
from export.controllers import CLEAN, Controller, at_samples, off
from gough import laws
from gough.actuators import RateLimit
from gough.export import export_law
from gough.observers import Extended, Kalman
from gough.sensors import Accelerometer, Encoders
from laws.subjects import built
from simulation.mass_chain import chain

pytestmark = needs_compiler
EXACT = 1e-12
"""Of the largest command: rounding, times gains over commands."""
T = 1e-3


def led(model: gough.Model, by: Any, duration: float = 0.2) -> gough.Motion:
    start = model.drives(model.home)
    return gough.motions.quintic(drives=[start, start + np.array(by), start], durations=duration)


def commands_of(run: gough.Run, rows: np.ndarray, delay: float) -> np.ndarray:
    """What was held as soon as each sample's forces arrived."""
    arrived = np.searchsorted(run.time, run.time[rows] + delay + 1e-9, side="right") - 1
    good = run.time[rows] + delay < run.time[-1]
    return run["command"][arrived[good]]


def measured(run: gough.Run, law: laws.Sampled, rows: np.ndarray) -> list[np.ndarray]:
    """What the sensors showed, without what follows from it."""
    sensors: Any = law.sensors
    return [run[x.name][rows][:, : len(x.channels(run.model)[0])] for x in sensors]


def differs(folder: Path, model: gough.Model, law: laws.Sampled, motion: gough.Motion, **more: Any) -> float:
    """By how much the commands in C differ from those of a run, of the largest."""
    step = {key: more[key] for key in ("step", "q") if key in more}
    export_law(model, law, folder, motion=motion, name="controller", **more)
    controller = Controller(folder, "controller")
    run = gough.simulate(model, motion, law, method="rk4", check="off", **step)
    rows = at_samples(run, law.period)
    wanted = commands_of(run, rows, law.delay)
    inputs = measured(run, law, rows) if law.sensors else [run.q[rows], run.v[rows]]
    return off(controller.run(*inputs)[: len(wanted)], wanted)


FIVE_BAR = {
    "computed torque": laws.Sampled(
        laws.ComputedTorque(400.0, 40.0), T, sensors=Encoders(noise=1e-5, resolution=1e-5), limit=50.0
    ),
    "PID within limits": laws.Sampled(
        laws.PID(2000.0, 30.0, integral=800.0, limit=1.0), T, sensors=Encoders(noise=1e-6, bandwidth=100.0)
    ),
    "state space": laws.Sampled(
        laws.StateSpace(A=[[-20, 0], [0, -30]], B=100 * np.eye(2), C=300 * np.eye(2), D=500 * np.eye(2), gravity=True),
        T,
        sensors=Encoders(noise=1e-5),
    ),
    "LQG": laws.Sampled(laws.LQG(1e-1, 5.0, 1e-4, 1.0), 2 * T, sensors=Encoders(noise=1e-5)),
    "disturbance observer": laws.Sampled(
        laws.DisturbanceObserver(stiffness=400.0, damping=40.0, bandwidth=20.0),
        T,
        sensors=Encoders(noise=1e-6, bandwidth=100.0, delay=1.5e-3),
        delay=2.5e-4,
        actuators=RateLimit(rate=500.0),
    ),
    "PID without its integral": laws.Sampled(laws.PID(2000.0, 30.0, integral=0.0), T, sensors=Encoders(noise=1e-6)),
    "the whole state": laws.Sampled(laws.ComputedTorque(400.0, 40.0), T),
}


@pytest.mark.parametrize("name", FIVE_BAR)
def test_commands_are_those_of_the_run(name: str, tmp_path: Path) -> None:
    model = built("five_bar")
    assert differs(tmp_path, model, FIVE_BAR[name], led(model, [0.2, -0.1])) < EXACT


def test_shaped_motion(tmp_path: Path) -> None:
    model = built("five_bar")
    move = gough.motions.shape(led(model, [0.2, -0.1]), shaper="zvd", frequency=12.0, damping=0.02)
    assert differs(tmp_path, model, FIVE_BAR["computed torque"], move) < EXACT


def test_hexapod_from_encoders(tmp_path: Path) -> None:
    model = built("lopes_simplified")
    away = model.home_pose + np.array([0.02, 0.01, 0.02, 0, 0, 0, 0])
    move = gough.motions.quintic(poses=[model.home_pose, away], durations=0.1)
    law = laws.Sampled(laws.ComputedTorque(900.0, 60.0), 5e-4, sensors=Encoders(noise=1e-7))
    assert differs(tmp_path, model, law, move) < EXACT


@pytest.mark.parametrize("delay", [0.0, 5e-4, 3.25e-3])
def test_kalman_observer(delay: float, tmp_path: Path) -> None:
    sensors = [Encoders(noise=1e-5), Accelerometer(frame="third", noise=0.01)]
    observer = Kalman(disturbance=0.02, acceleration=0.05)
    law = laws.Sampled(laws.JointPD(400.0, 20.0), 2e-3, sensors=sensors, observer=observer, delay=delay, limit=6.0)
    move = gough.motions.quintic(drives=[[0.0], [0.05]], durations=0.1).hold(0.3)
    assert differs(tmp_path, chain(), law, move, q=[0, 4e-3, -2e-3], step=2.5e-4) < EXACT


def test_estimate_is_told(tmp_path: Path) -> None:
    observer = Extended(disturbance=0.02, acceleration=0.05, passive=True)
    law = laws.Sampled(laws.JointPD(400.0, 20.0), 2e-3, sensors=Encoders(noise=1e-5), observer=observer)
    move = gough.motions.quintic(drives=[[0.0], [0.05]], durations=0.1)
    asked: Any = {"q": [0, 4e-3, -2e-3], "step": 2.5e-4}
    export_law(chain(), law, tmp_path, motion=move, name="controller", **asked)
    controller = Controller(tmp_path, "controller")
    run = gough.simulate(chain(), move, law, method="rk4", **asked)
    controller.run(*measured(run, law, at_samples(run, 2e-3)))
    wanted = np.concatenate([run["controller.estimate"][-1], run["controller.estimate_rates"][-1]])
    assert np.array(controller.state.estimate) == pytest.approx(wanted, rel=1e-10, abs=1e-14)


def test_flexible_robot_with_an_observer(tmp_path: Path) -> None:
    model = built("dualemps")
    sensors = [Encoders(noise=1e-6), Accelerometer(frame="link16.tip", noise=0.01)]
    law = laws.Sampled(laws.PID(4e4, 600.0, integral=1e5), T, sensors=sensors, observer=Kalman())
    assert differs(tmp_path, model, law, led(model, [0.08, 0.05], 0.3), step=5e-5) < EXACT


def test_reference_from_outside(tmp_path: Path) -> None:
    model = built("lopes_simplified")
    turned = gough.motions.quintic(
        poses=[model.home_pose, (model.home_pose[:3] + [0.02, 0.01, 0.02], rotation_z(0.1))], durations=0.1
    )
    law = laws.Sampled(laws.ComputedTorque(900.0, 60.0), T, sensors=Encoders(noise=1e-7))
    run = gough.simulate(model, turned, law, method="rk4", check="off")
    rows = at_samples(run, T)
    export_law(model, law, tmp_path, motion=turned, reference="input", name="controller")
    at = [turned.at(k * T) for k in range(len(rows))]
    pose = np.array([x.position for x in at])
    inputs = [pose[:, :3], pose[:, 3:], np.array([x.velocity for x in at]), np.array([x.acceleration for x in at])]
    found = Controller(tmp_path, "controller").run(*measured(run, law, rows), *inputs)
    assert off(found, run["command"][rows]) < 1e-9  # the run's motion is a table of it


def rotation_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_single_precision(tmp_path: Path) -> None:
    model = built("five_bar")
    law = laws.Sampled(laws.ComputedTorque(400.0, 40.0), T, sensors=Encoders(resolution=1e-5, bandwidth=20.0))
    wrong = differs(tmp_path, model, law, led(model, [0.2, -0.1]), precision="single")
    assert 1e-9 < wrong < 2e-3  # of readings of 2 rad 2e-7 is left, and rates are their differences over 1 ms


def test_single_precision_of_a_hexapod(tmp_path: Path) -> None:
    model = built("lopes_simplified")  # eliminations of many unknowns, whose residuals are judged as floats leave them
    law = laws.Sampled(laws.ComputedTorque(900.0, 60.0), T, sensors=Encoders(noise=1e-7, bandwidth=60.0))
    wrong = differs(tmp_path, model, law, led(model, 0.01 * np.arange(6), 0.05), precision="single")
    assert 1e-9 < wrong < 1e-3


def test_samples_that_fail_change_nothing(tmp_path: Path) -> None:
    model = built("five_bar")
    export_law(model, FIVE_BAR["computed torque"], tmp_path, motion=led(model, [0.2, 0.1]), name="controller")
    controller, drives = Controller(tmp_path, "controller"), model.drives(model.home)
    first, status = controller.step(drives)
    assert status == 0
    before = bytes(np.array(controller.state.geometry))
    held, status = controller.step(drives * np.nan)
    assert status and (held == first).all() and bytes(np.array(controller.state.geometry)) == before
    held, status = controller.step(drives + 5.0)  # no such place: Newton's steps do not arrive
    names = [name for name, k in controller.checks if status >> int(k) & 1]
    assert (held == first).all() and any("FORWARD_GEOMETRY" in name for name in names)
    assert controller.state.failed == 2
    again, status = controller.step(drives)
    assert status == 0 and np.isfinite(again).all() and controller.state.flags and controller.state.count == 4
    assert controller.state.failed == 0
    controller.init(ctypes.byref(controller.state))
    assert (controller.step(drives)[0] == first).all()


@pytest.mark.parametrize("name", ["computed torque", "disturbance observer"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_driver_under_sanitizers(name: str, precision: str, tmp_path: Path) -> None:
    model = built("five_bar")
    law = FIVE_BAR[name]
    export_law(model, law, tmp_path, motion=led(model, [0.2, -0.1]), name="controller", precision=precision)
    checks = "-fsanitize=address,undefined", "-fno-sanitize-recover=all"
    compile_c(tmp_path, *CLEAN, "-O1", *checks, "controller.c", "controller_test.c", "-lm", "-o", "driver")
    done = subprocess.run([str(tmp_path / "driver"), "1000"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 wrong" in done.stdout


@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang on this machine")
def test_clang_says_nothing(tmp_path: Path) -> None:
    law = FIVE_BAR["disturbance observer"]
    for precision in ("double", "single"):
        export_law(
            built("five_bar"), law, tmp_path, motion=led(built("five_bar"), [0.2, -0.1]), name="c", precision=precision
        )
        subprocess.run(["clang", *CLEAN, "-c", "c.c"], cwd=tmp_path, check=True)


def test_observer_under_sanitizers(tmp_path: Path) -> None:
    law = laws.Sampled(laws.JointPD(400.0, 20.0), T, sensors=Encoders(noise=1e-5), observer=Kalman(), delay=1.5e-3)
    move = gough.motions.quintic(drives=[[0.0], [0.05]], durations=0.1)
    export_law(chain(), law, tmp_path, motion=move, name="controller", step=2.5e-4)
    checks = "-fsanitize=address,undefined", "-fno-sanitize-recover=all"
    compile_c(tmp_path, *CLEAN, "-O1", *checks, "controller.c", "controller_test.c", "-lm", "-o", "driver")
    done = subprocess.run([str(tmp_path / "driver"), "100"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_global_changes(tmp_path: Path) -> None:
    model = built("five_bar")
    export_law(model, FIVE_BAR["PID within limits"], tmp_path, motion=led(model, [0.2, -0.1]), name="controller")
    compile_c(tmp_path, "-std=c99", "-O1", "-c", "controller.c")
    symbols = subprocess.run(["nm", "controller.o"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    data = [line.split()[-1] for line in symbols.splitlines() if line.split()[-2] in "BbDCGgSs"]
    assert data == ["controller_check_names"]  # constant pointers to texts: written by the loader alone
    called = {line.split()[-1] for line in symbols.splitlines() if line.split()[-2] == "U"}
    assert not called & {"malloc", "calloc", "realloc", "free"}


def test_what_is_refused() -> None:
    model = built("five_bar")
    move = led(model, [0.2, 0.1])
    with pytest.raises(gough.UsageError, match=r"give gough\.laws\.Sampled"):
        export_law(model, laws.ComputedTorque(), motion=move)
    slow = laws.Sampled(laws.ComputedTorque(), T, sensors=Encoders(period=2 * T))
    with pytest.raises(gough.UsageError, match="leave period= of the sensor out"):
        export_law(model, slow, motion=move)
    memory: list[float] = []
    function = laws.Sampled(lambda t, q, v, r: memory.append(t) or np.zeros(2), T)  # type: ignore[func-returns-value]
    with pytest.raises(gough.UsageError, match="cannot be written out"):
        export_law(model, function, motion=move)
    with pytest.raises(gough.UsageError, match="'double' or 'single'"):
        export_law(model, slow, motion=move, precision="half")


def test_rates_behind_a_wrong_reading(tmp_path: Path) -> None:
    """A reading that is off for one sample does not come back in the next one's rates: commands are as if nothing had been."""
    model, period = built("five_bar"), T
    drives = model.drives(model.home)
    move = gough.motions.quintic(drives=[drives, drives], durations=1.0)
    for name, bandwidth in (("plain", None), ("filtered", 100.0)):
        sensor = Encoders(bandwidth=bandwidth)
        export_law(
            model,
            laws.Sampled(laws.ComputedTorque(400.0, 40.0), period, sensors=sensor),
            tmp_path,
            motion=move,
            name=name,
        )
        controller = Controller(tmp_path, name)
        good = controller.run(np.tile(drives, (5, 1)))
        for wrong in (drives + 5.0, drives * np.nan, drives + np.inf, np.full(2, 1e300)):
            held, status = controller.step(wrong)
            assert status and (held == good[-1]).all() and controller.state.failed == 1
            again, status = controller.step(drives)
            assert status == 0 and controller.state.failed == 0
            assert again == pytest.approx(good[-1], rel=1e-12)
