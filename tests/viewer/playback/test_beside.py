"""What is drawn beside the curves of a run: the motion, what sensors show, the commands; from files, and without any of it."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import gough
from gough import laws, motions
from gough.actuators import Lag
from gough.sensors import Accelerometer, Encoders
from inner.viewer import (
    Wanted,
    beside,
    curve_colours,
    curve_panels,
    off_columns,
    off_names,
    offered_channels,
    usual_channels,
)
from simulation.sliders import slider
from viewer.playback.runs import five_bar

BIAS, PERIOD = 3e-3, 1e-2


def move(t: np.ndarray) -> np.ndarray:
    """The quintic from 0 to 0.2 m in a second."""
    s = np.clip(t, 0.0, 1.0)
    return 0.2 * s**3 * (10 - 15 * s + 6 * s**2)


@cache
def machine() -> gough.Run:
    """A mass on a slider behind an encoder with a bias, an accelerometer and a slow drive."""
    sensors = (Encoders(bias=BIAS), Accelerometer(frame="block.tool"))
    law = laws.Sampled(laws.JointPD(200.0, 40.0, gravity=True), PERIOD, sensors=sensors, actuators=Lag(time=0.02))
    motion = motions.quintic(drives=[[0.0], [0.2]], durations=1.0)
    return gough.simulate(slider(9.81), motion, law, method="rk4", step=1e-3, check="off")


@pytest.fixture(params=["as it is", "from a file"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> gough.Run:
    if request.param == "as it is":
        return machine()
    machine().save(tmp_path / "run.npz")
    return gough.Run.load(tmp_path / "run.npz")


def test_reference_sensor_and_command_stand_beside_what_is(run: gough.Run) -> None:
    found = {b.role: b.values for b in beside(run, "drives.position")["slide"]}
    np.testing.assert_allclose(found["reference"], move(run.time), atol=1e-12)
    assert np.abs(found["encoders"] - BIAS - run["slide"]).max() < 0.5 * PERIOD  # as old as a period
    (command,) = beside(run, "drives.force")["tau.slide"]
    assert command.role == "command"
    lag = np.gradient(run["tau.slide"], run.time)[20:] * 0.02 + run["tau.slide"][20:]  # what a lag of 20 ms is fed with
    assert np.median(np.abs(lag - command.values[20:])) < 0.02 * np.abs(command.values).max()
    assert run["tracking"][-1, 0] == pytest.approx(abs(0.2 - run["slide"][-1]), abs=1e-12)


def test_what_sensors_are_off_by(run: gough.Run) -> None:
    assert off_names(run) == ("encoders.off", "accelerometer.off")
    unit, off = off_columns(run, "encoders.off")["slide"]
    assert unit == "m" and np.median(off) == pytest.approx(BIAS, abs=2e-3)
    unit, felt = off_columns(run, "accelerometer.off")["block.tool.z"]
    assert unit == "m/s2" and np.abs(felt[run.time > 0.05]).max() < 0.5  # of 9.81: it is read in its axes, with gravity


def test_panels_have_them_in_the_colour_of_their_curve(run: gough.Run) -> None:
    assert usual_channels(run) == ("drives.position", "tracking", "encoders.off", "drives.force")
    assert {"encoders.off", "accelerometer.off"} <= set(offered_channels((run,)))
    (panel,) = curve_panels((run,), "drives.position")
    assert [c.role for c in panel.curves] == ["reference", "encoders", ""] and {c.name for c in panel.curves} == {
        "slide"
    }
    wanted, shown, own = curve_colours(panel)
    assert wanted == shown == f"{own}80"
    (alone,) = curve_panels((run,), "slide")
    assert [c.role for c in alone.curves] == ["reference", "encoders", ""]
    (both,) = curve_panels((run, run.between(0.0, 0.5)), "drives.force")
    assert [(c.run, c.role) for c in both.curves] == [(0, "command"), (0, ""), (1, "command"), (1, "")]


def test_a_run_without_them_is_as_it_was() -> None:
    run = five_bar()
    assert off_names(run) == () and beside(run, "drives.position") == {} and not Wanted(run).kind
    assert [c.role for c in curve_panels((run,), "drives.force")[0].curves] == ["", ""]


def test_where_the_motion_wants_the_robot() -> None:
    """Of drives and of poses the configuration, of points the point; errors that are seen, and those that are not."""
    wanted = Wanted(machine())
    q = wanted.configuration(0.5, machine().q[0])
    assert wanted.robot and wanted.seen and q is not None and q[0] == pytest.approx(0.1, abs=1e-9)
    delta = gough.build("delta")
    home = delta.home_pose
    for law, seen in ((laws.ComputedTorque(), False), (laws.JointPD(60.0, 6.0), True)):
        motion = motions.quintic(poses=[home, home + [0.06, 0.03, -0.04, 0, 0, 0, 0]], durations=0.3)
        run = gough.simulate(delta, motion, law, check="off")
        wanted = Wanted(run)
        q = wanted.configuration(0.15, run.q[0])
        assert wanted.robot and not wanted.point and wanted.seen == seen and q is not None
        np.testing.assert_allclose(q[:3], home[:3] + [0.03, 0.015, -0.02], atol=1e-6)
        assert delta.closure_error(q) < 1e-9


def test_turns_that_are_none_have_no_panel() -> None:
    delta = gough.build("delta")
    home = delta.home_pose
    motion = motions.quintic(poses=[home, home + [0.02, 0, 0, 0, 0, 0, 0]], durations=0.2)
    run = gough.simulate(delta, motion, laws.JointPD(60.0, 6.0), check="off")
    assert [p.unit for p in curve_panels((run,), "tracking")] == ["m"]
