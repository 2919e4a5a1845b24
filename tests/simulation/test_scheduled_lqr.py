"""Regulators over the workspace: the loop of the regulator at the grid's poses, splines of SciPy between them, what runs tell."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import gough
from gough import laws, motions
from gough.errors import RunWarning, UsageError
from gough.robot import loads
from inner.simulation import read_scenario
from laws.subjects import built
from simulation.sliders import slider

RANGES = {"x": (-0.2, 0.2, 3), "y": (-0.2, 0.2, 3)}


SWINGING = """format: 1
name: swinging
gravity: [0, 0, 0]
bodies:
  - {name: beam, mass: 1, inertia: {about: center_of_mass, xx: 0.02, yy: 0.02, zz: 0.02}}
  - {name: fore, mass: 5, center_of_mass: [1, 0, 0], inertia: {about: center_of_mass, xx: 0.02, yy: 0.02, zz: 0.02}}
joints:
  - {name: turn, type: revolute, axis: [0, 0, 1], parent: world, child: beam, drive: {}}
  - {name: elbow, type: revolute, axis: [0, 0, 1], parent: beam, child: fore, pose: {position: [1, 0, 0]}, drive: {}}
home: {joints: {turn: 0, elbow: 1}}
"""
"""An arm: its shoulder feels 200 times the inertia stretched that it feels folded."""


def tuned_of(law: laws.Law, model: gough.Model) -> Any:
    """What a law takes from a robot."""
    made: Any = law.tune(model)
    return made.tuned


def test_the_table_is_a_natural_spline() -> None:
    """SciPy's, of one coordinate and of two one after the other; held at the border."""
    tuned = tuned_of(laws.ScheduledLQR(1e-3, 5.0, ranges={"slide": (0.0, 1.0, 2)}), slider())
    rng, Axis, SplineTable = np.random.default_rng(2), type(tuned.table.axes[0]), type(tuned.table)
    axes, values = (Axis("a", "m", -1.0, 2.0, 5), Axis("b", "m", 0.0, 1.0, 4)), rng.normal(size=(5, 4, 3))
    table = SplineTable.of(axes, values.reshape(20, 3))
    along = CubicSpline(axes[0].values, values, axis=0, bc_type="natural")
    for a, b in ((-0.3, 0.7), (1.9, 0.01), (-1.0, 1.0), (0.33, 0.5)):
        expected = CubicSpline(axes[1].values, along(a), axis=0, bc_type="natural")(b)
        np.testing.assert_allclose(table.value((a, b)), expected, atol=1e-12)
    np.testing.assert_allclose(table.value((5.0, -1.0)), values[4, 0], atol=1e-12)
    line = SplineTable.of((Axis("a", "m", 0.0, 1.0, 2),), np.array([[1.0], [3.0]]))
    assert line.value((0.25,))[0] == pytest.approx(1.5)


@pytest.mark.parametrize("period", [None, 2e-3])
def test_at_its_poses_it_is_the_regulator_of_the_pose(period: float | None) -> None:
    """Poles of the loop at a pose of the grid: those of `LQR` designed there; in the compiled law, with the weight's slope."""
    model = built(gough.load("delta"))
    law = laws.ScheduledLQR(1e-3, 5.0, ranges=RANGES)
    q = model.configuration(coordinates={"x": 0.2, "y": -0.2, "z": model.home[2]})
    there = laws.LQR(1e-3, 5.0, at=q)
    both = [gough.control_loop(model, x if period is None else laws.Sampled(x, period), q) for x in (law, there)]
    expected = np.sort_complex(both[1].poles)
    np.testing.assert_allclose(np.sort_complex(both[0].poles), expected, rtol=1e-6)
    at_home = gough.control_loop(model, laws.LQR(1e-3, 5.0), q)
    assert period or np.abs(np.sort_complex(at_home.poles) - expected).max() > 0.01 * np.abs(expected).max()


def test_a_motion_over_the_grid_and_beyond() -> None:
    """It follows over the workspace; outside of the grid the run says so."""
    model = built(gough.load("delta"))
    law = laws.ScheduledLQR(1e-3, 20.0, ranges=RANGES)
    z = float(model.home[2])

    def run_to(x: float) -> tuple[list[str], gough.Run]:
        move = motions.function(
            lambda t: [x * (1 - np.cos(np.pi * t / 0.6)) / 2, 0.0 * t, z + 0.0 * t, *[0.0 * t] * 3], 0.6
        )
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            run = gough.simulate(model, move, law, method="rk4", step=1e-3)
        return [str(w.message) for w in seen], run

    quiet, inside = run_to(0.15)
    assert not any("border" in x for x in quiet) and abs(inside.q[-1, 0] - 0.15) < 2e-3
    between = inside.info.controller["between"]
    assert between["poses"] == 4 and between["slowest_decay"] > 0.9 * between["slowest_decay_at_poses"]
    told, outside = run_to(0.3)
    assert any("x is outside of -0.2 to 0.2 m until" in x and "gains of the border" in x for x in told)
    assert any("control: x is outside of" in text for _, text in outside.info.events)
    first = next(when for when, text in outside.info.events if "outside" in text)
    assert abs(np.interp(first, outside.time, outside.q[:, 0]) - 0.2) < 2e-3


def test_poses_too_far_apart_are_told() -> None:
    """The slowest pole in the middle is that of gains that are means: with many poses it is near those of the poses."""
    model = built(gough.load("five_bar"))
    at = model.drives(model.home)
    checks = []
    for points in (2, 5):
        ranges = {"right_motor": (at[1] - 0.9, at[1] + 0.6, points)}
        law = laws.ScheduledLQR(1e-2, 1.0, ranges=ranges, fixed={"left_motor": at[0]})
        checks.append(tuned_of(law, model).checks)
        assert checks[-1]["poses"] == points - 1
    q = model.configuration(drives=[at[0], at[1] - 0.15])
    linear = gough.linear_model(model, q)
    ends = [model.configuration(drives=[at[0], at[1] + x]) for x in (-0.9, 0.6)]
    gains = [tuned_of(laws.LQR(1e-2, 1.0, at=end), model)[4:].reshape(2, 4) for end in ends]
    poles = np.linalg.eigvals(linear.A - linear.B @ np.mean(gains, axis=0) @ linear.C)
    assert checks[0]["slowest_decay"] == pytest.approx(-poles.real.max(), rel=1e-6)
    assert checks[1]["slowest_decay"] > 0.9 * checks[1]["slowest_decay_at_poses"]


def test_what_does_not_fit_between_the_poses_is_told() -> None:
    """Dampers for the small inertia of the arm folded to either side are too weak for the stretched arm between."""
    model = built(loads(SWINGING))
    law = laws.ScheduledLQR(1e-2, 1.0, ranges={"elbow": (-3.0, 3.0, 2)})
    tuned = tuned_of(law, model)
    assert tuned.doubts.startswith("between the poses of the grid the loop is much slower at 1 of 1")
    move = motions.function(lambda t: [-0.1 * t, 1.0 + 0.0 * t], 0.05, kind="drives", names=["turn", "elbow"])
    with pytest.warns(RunWarning, match="much slower at 1 of 1 .*give more points"):
        gough.simulate(model, move, law, method="rk4", step=1e-3)


def test_along_a_motion() -> None:
    """Poses at equal distances of a coordinate that falls: the table of the same poses by ranges."""
    model = built(gough.load("five_bar"))
    start = model.drives(model.home)
    move = motions.quintic(drives=[start, start + [-0.3, 0.0]], durations=0.5)
    law = tuned_of(laws.ScheduledLQR(1e-2, 5.0, along=move, by="left_motor", points=3), model)
    ranges = {"left_motor": (start[0] - 0.3, start[0], 3)}
    grid = tuned_of(laws.ScheduledLQR(1e-2, 5.0, ranges=ranges, fixed={"right_motor": start[1]}), model)
    np.testing.assert_allclose(law.table.coefficients, grid.table.coefficients, rtol=1e-4, atol=1e-4)
    with pytest.raises(UsageError, match="neither rises nor falls"):
        laws.ScheduledLQR(1e-2, 5.0, along=move, by="right_motor").tune(model)


def test_a_file_has_its_grid() -> None:
    text = "controller: {scheduled_lqr: {error: 1 mm, force: 5 N, ranges: {x: [-0.2, 0.2, 3]}, fixed: {y: 0.1}}}"
    made = read_scenario(
        f"format: 1\nname: s\nrobot: delta\nduration: 0.1\n{text}".replace("1 mm", "0.01").replace("5 N", "5"), "t.yaml"
    )
    assert made.controller == laws.ScheduledLQR(0.01, 5.0, ranges={"x": (-0.2, 0.2, 3)}, fixed={"y": 0.1})


def test_what_is_refused() -> None:
    model = built(gough.load("delta"))
    with pytest.raises(UsageError, match="give ranges="):
        laws.ScheduledLQR(1e-3, 5.0)
    with pytest.raises(UsageError, match="does not reach x = 3"):
        laws.ScheduledLQR(1e-3, 5.0, ranges={"x": (0.0, 3.0, 2)}).tune(model)
    with pytest.raises(UsageError, match="has no coordinate 'w'"):
        laws.ScheduledLQR(1e-3, 5.0, ranges={"w": (0.0, 3.0, 2)}).tune(model)
    with pytest.raises(UsageError, match="at most 20000"):
        laws.ScheduledLQR(1e-3, 5.0, ranges={"slide": (0.0, 1.0, 12000)}).tune(slider())
