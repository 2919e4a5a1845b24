"""Drives that follow a motion exactly, of robots whose velocities are a platform's: the platform goes where the inverse geometry
says, with the forces of the inverse dynamics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from gough.motions import states_along
from laws.subjects import built


def led(name: str, turn: list[float]) -> tuple[gough.Model, gough.Motion]:
    """A robot and a motion of its platform."""
    model = built(gough.load(name))
    home = model.home_pose
    there = {"position": [float(x) for x in home[:3] + [0.05, 0.03, -0.04]], "rpy_zyx": turn}
    return model, gough.motions.quintic(
        poses=[home, there if turn else home + [0.05, 0.03, -0.04, 0, 0, 0, 0]], durations=0.4
    )


@pytest.mark.quick_cases("pedrammehr2012-turn1-esdirk4")
@pytest.mark.parametrize(
    ("name", "turn", "method"),
    [
        ("pedrammehr2012", [0.1, 0.05, -0.08], "dp5"),
        ("pedrammehr2012", [0.1, 0.05, -0.08], "esdirk4"),
        ("delta", [], "rk4"),
    ],
)
def test_legs_lead_the_platform(name: str, turn: list[float], method: str) -> None:
    model, motion = led(name, turn)
    legs = gough.laws.drives_of(model, motion)
    run = gough.simulate(model, legs, method=method, step=None if method == "dp5" else 2e-3)
    assert run.stopped == "finished"
    assert run.layout.v_names == model.layout.v_names
    assert set(run.info.settings["velocities"]) == set(model.layout.drive_names)
    t, rows = np.unique(run.time, return_index=True)
    along = states_along(model, motion, t)
    needed = model.inverse_dynamics(along.q, along.v, along.acceleration).tau
    np.testing.assert_allclose(run.q[rows, :7], along.q[:, :7], atol=1e-11)
    np.testing.assert_allclose(run.v[rows], along.v, atol=1e-9)
    np.testing.assert_allclose(run.acceleration[rows], along.acceleration, atol=1e-7)
    np.testing.assert_allclose(run.tau[rows], needed, atol=1e-8 * np.abs(needed).max())
    np.testing.assert_allclose(run["drives.position"], legs.at(run.time).position, atol=1e-12)
    summary = run.summary()
    assert summary["closure_error"] * model.size < 1e-10
    assert summary["energy_error"] < 1e-6


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::gough.errors.RunWarning")
def test_a_flexible_platform_on_prescribed_legs() -> None:
    """The platform of [Long 2014] swings on legs that move: at every state the inverse model of the platform's motion, which has
    other velocities, gives the same forces and elastic accelerations."""
    model, motion = led("long2014", [])
    run = gough.simulate(model, gough.laws.drives_of(model, motion), method="rk4", step=5e-4)
    assert run.stopped == "finished"
    found = model.inverse_dynamics(run.q, run.v, run.acceleration[:, : model.mobility])
    np.testing.assert_allclose(run.tau, found.tau, atol=1e-7 * np.abs(found.tau).max())
    bent = run.acceleration[:, model.mobility :]
    np.testing.assert_allclose(bent, found.eddot, atol=1e-6 * np.abs(bent).max())
    summary = run.summary()
    assert summary["closure_error"] * model.size < 1e-10
    assert summary["energy_error"] < 1e-6


def test_a_first_velocity_is_that_of_the_robot() -> None:
    """v= is given in the robot's own velocities; prescribed drives have theirs from the motion."""
    model, motion = led("delta", [])
    legs = gough.laws.drives_of(model, motion)
    run = gough.simulate(model, legs, v=np.zeros(model.layout.nv), duration=0.05)
    np.testing.assert_allclose(run.v[0], 0.0, atol=1e-12)


def test_a_drive_for_every_freedom() -> None:
    model = built(gough.load("redundant_planar"))
    still = {
        name: [x, x + 0.01] for name, x in zip(model.layout.drive_names, model.home[model.drive_index], strict=True)
    }
    with pytest.raises(UsageError, match="4 drives that follow a motion do not go with 3 freedoms"):
        gough.simulate(model, gough.motions.quintic(drives=still, durations=1.0))


@pytest.mark.parametrize("given", [{"q": [0.0, 0.2]}, {"v": [0.0, 0.1]}])
def test_drives_begin_where_their_motion_does(given: dict) -> None:
    """Another first state would be left at once: a leap that nothing tells."""
    model = built(gough.load("five_bar"))
    start = model.drives(model.home)
    motion = gough.motions.quintic(drives=[start, start + [0.3, -0.2]], durations=[0.5])
    first: dict[str, Any] = {k: model.configuration(drives=start + x) if k == "q" else x for k, x in given.items()}
    with pytest.raises(UsageError, match=r"right_motor begins at .* its motion at .* give a controller"):
        gough.simulate(model, motion, **first)
    name = f"{'at' if 'q' in given else 'rate'}.right_motor"
    values = [start[1], start[1] + 0.2] if "q" in given else [0.0, 0.1]
    with pytest.raises(UsageError, match=r"right_motor of run 1 begins at"):
        gough.simulate_many(model, motion=motion, vary=gough.vary.sweep({name: values}))
    assert gough.simulate(model, motion, q=model.home, v=[0.0, 0.0]).info.finished
