"""The closed run of [Long 2014] with a flexible platform, `long2014_poses`: which controllers hold it and which do not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough import laws
from laws.subjects import built

pytestmark = pytest.mark.slow
ELASTIC = slice(7, 17)


@cache
def robot() -> gough.Model:
    return built(gough.load("long2014"))


@cache
def followed(elastic: str, tolerance: float = 1e-11) -> gough.Run:
    law = laws.ComputedTorque(400.0, 40.0, elastic=elastic)
    return gough.simulate(robot(), "long2014_poses", law, start="static", tolerance=tolerance)


def errors(run: gough.Run) -> tuple[np.ndarray, np.ndarray]:
    """(position errors (n,), m; angles (n,), rad) of the floating frame."""
    wanted = gough.named_motion("long2014_poses").at(run.time).position
    there, here = (Rotation.from_quat(p[:, [4, 5, 6, 3]]) for p in (wanted, run.q[:, :7]))
    return np.linalg.norm(run.q[:, :3] - wanted[:, :3], axis=1), (there * here.inv()).magnitude()


@pytest.mark.parametrize("elastic", ["measured", "simulated"])
def test_flexible_computed_torque_follows(elastic: str) -> None:
    """From static equilibrium, elastic coordinates measured or the controller's own: on the path to 1e-10 m, energy in
    balance; deformations settle again at the end."""
    run = followed(elastic)
    assert run.stopped == "finished"
    position, angle = errors(run)
    assert position.max() <= 1e-10
    assert angle.max() <= 1e-10
    summary = run.summary()
    assert summary["energy_error"] <= 1e-9
    assert summary["closure_error"] <= 1e-10
    rest = gough.static_equilibrium(robot(), q=run.q[-1]).elastic
    np.testing.assert_allclose(run.q[-1, ELASTIC], rest, atol=1e-3 * np.abs(rest).max())


def test_the_forces_are_those_of_the_inverse_model() -> None:
    """Along the run, by the public functions of the model."""
    run = followed("measured")
    some = slice(0, len(run), len(run) // 50)
    motion = gough.named_motion("long2014_poses").at(run.time[some])
    made = robot().inverse_dynamics(run.q[some], run.v[some], motion.acceleration)
    np.testing.assert_allclose(run.tau[some], made.tau, atol=1e-5 * np.abs(made.tau).max())


def test_an_unknown_load() -> None:
    """A force that the controller does not know, 20 N at the plate's centre: its own elastic coordinates are then not the
    robot's, and the plate stands off its path by a bounded way."""
    law = laws.ComputedTorque(400.0, 40.0, elastic="simulated")
    run = gough.simulate(
        robot(), "long2014_poses", law, start="given", duration=0.5, wrench={"center": [0.0, 0.0, -20.0, 0.0, 0.0, 0.0]}
    )
    assert run.stopped == "finished"
    position, _ = errors(run)
    assert 1e-5 < position[-1] < 1e-2
    assert np.abs(run["controller.states"][:, :10] - run.q[:, ELASTIC]).max() > 1e-5


def test_open_loop_replay_departs() -> None:
    """The same forces without feedback: rounding errors grow as fast as the robot with free drives is unstable, until it is
    metres away."""
    run = gough.simulate(robot(), laws.forces_of(followed("measured", 1e-9)), tolerance=1e-9)
    position, _ = errors(run)
    assert position[run.time < 0.3].max() < 1e-7
    assert position[-1] > 0.5 or run.stopped != "finished"
    free = gough.natural_frequencies(robot(), drives="free")
    assert free.eigenvalues.real.max() > 0
    assert free.verdict.startswith("unstable")


def test_small_departures_grow_as_linear_theory_says() -> None:
    """Held by constant static forces and pushed a little along the fastest mode: it leaves with the eigenvalue's rate."""
    model = robot()
    still = gough.static_equilibrium(model)
    modes = gough.natural_frequencies(model, drives="free")
    rate, shape = float(modes.eigenvalues.real.max()), modes.shapes[:, 0]  # the least square of a frequency, negative
    v = 1e-7 * shape / np.abs(shape[:6]).max()
    run = gough.simulate(model, None, laws.Free(still.tau), q=still.q, v=v, duration=1.5, tolerance=1e-12)
    far = np.linalg.norm(run.q[:, :3] - still.q[:3], axis=1)
    a, b = np.searchsorted(run.time, [1.0, 1.5 - 1e-9])
    assert far[b] < 1e-3
    grown = np.log(far[b] / far[a]) / (run.time[b] - run.time[a])
    np.testing.assert_allclose(grown, rate, rtol=0.02)


def test_rigid_computed_torque_departs() -> None:
    """The rigid model with the same feedback does not hold the flexible plate: deformations grow until nothing can go on."""
    law = laws.ComputedTorque(400.0, 40.0, model="rigid")
    run = gough.simulate(robot(), "long2014_poses", law, start="static", tolerance=1e-8)
    assert run.stopped != "finished"
    assert " at t = " in run.stopped
    position, _ = errors(run)
    assert position.max() > 0.02
    assert np.abs(run.q[-1, ELASTIC]).max() > 10 * np.abs(run.q[0, ELASTIC]).max()


def test_zero_dynamics_agrees() -> None:
    """Holding the floating frame is stable at all poses of the motion, as the runs show; holding the material centre is not."""
    model = robot()
    for t in (0.0, 1.3, 2.1, 2.9):
        pose = gough.named_motion("long2014_poses").at(t).position
        q = model.configuration(pose=pose)
        assert gough.zero_dynamics(model, q).stable
        assert not gough.zero_dynamics(model, q, "center").stable
