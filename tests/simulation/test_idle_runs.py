"""Runs of robots with idle freedoms: energy of free runs, spins that obey Euler's equations, every way of leading and driving."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from dynamics.idle_robots import ARM, INERTIA, POLE, G, cart_pole, hexapod
from gough import laws, motions
from gough.robot import loads
from reference.designs import description

LOSSES = ("friction", "damping", "viscous", "coulomb", "smoothing")


def without_losses(data: Any) -> Any:
    if isinstance(data, dict):
        return {k: without_losses(x) for k, x in data.items() if k not in LOSSES}
    return [without_losses(x) for x in data] if isinstance(data, list) else data


@cache
def lossless(family: str) -> gough.Model:
    return gough.build(loads(json.dumps(without_losses(description(family, 0)))))


FAMILIES = ["idle_loop", pytest.param("idle_rods", marks=pytest.mark.slow)]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_free_run_keeps_its_energy(family: str) -> None:
    model = lossless(family)
    v = 0.3 * np.random.default_rng(0).normal(size=model.layout.nv)
    lost = []
    for step in (1e-3, 2.5e-4):
        run = gough.simulate(model, duration=0.3, v=v, step=step, controller=laws.Free())
        found = model.energies(run.q, run.v)
        lost.append(np.ptp(found.total) / np.ptp(found.kinetic))
        assert model.closure_error(run.q).max() < 1e-10
    assert (
        lost[1] < max(lost[0] / 4**4, 1e-12) and lost[1] < 1e-9
    )  # dp5: what is lost is the step's, and vanishes with it


def moved(model: gough.Model, by: float = 0.1) -> Any:
    start = model.drives(model.home)
    return motions.quintic(drives=[start, start + by], durations=0.3, extend="hold")


@pytest.mark.quick_cases("idle_loop-generalised_alpha")
@pytest.mark.parametrize("method", ["dp5", "generalised_alpha"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_driven_run_obeys_the_inverse_model(family: str, method: str) -> None:
    model = lossless(family)
    run = gough.simulate(model, moved(model), step=1e-3, method=method)
    n = model.mobility
    found = model.inverse_dynamics(run.q, run.v, run.acceleration[:, :n])
    size = np.abs(found.idle_acceleration).max()
    np.testing.assert_allclose(run.acceleration[:, n:], found.idle_acceleration, atol=1e-5 * size)
    np.testing.assert_allclose(run.tau, found.tau, atol=1e-6 * np.abs(found.tau).max())


@pytest.mark.slow
def test_rods_keep_their_spin_in_a_driven_run() -> None:
    """Euler: a slim rod that is round about its line, held at balls on it, keeps its angular velocity along it, absolutely, while
    drives carry it about. Its rate in v, against the crank, changes."""
    model = hexapod(2e-6)
    start = np.zeros(12)
    start[6:] = [3.0, -2.0, 1.0, 0.5, -1.0, 4.0]
    run = gough.simulate(model, moved(model, 0.5), v=start, step=5e-4)
    assert np.ptp(run.v[:, 6:], axis=0).min() > 1e-3
    for k in range(6):
        twists = model.frame_twist(run.q, run.v, f"leg{k}.rod")
        lines = model.frame_pose(run.q, f"leg{k}.rod")[1][:, :, 2]
        spin = np.sum(twists[:, 3:] * lines, axis=1)
        np.testing.assert_allclose(spin, spin[0], atol=1e-8)


def test_a_load_swings_under_a_led_trolley() -> None:
    """The pendulum's own equation, integrated by SciPy, with the acceleration that the motion has."""
    model = cart_pole()
    motion = motions.quintic(drives=[[0.0], [0.8]], durations=0.9, extend="hold")
    run = gough.simulate(model, motion, duration=1.5, step=1e-3)

    def rates(t: float, x: np.ndarray) -> list[float]:
        cart = motion.at(np.array([min(t, 0.9)])).acceleration[0, 0] if t < 0.9 else 0.0
        pull = POLE * ARM * (cart * np.cos(x[0]) - G * np.sin(x[0]))
        return [x[1], pull / (INERTIA + POLE * ARM**2)]

    truth = solve_ivp(rates, (0, 1.5), [0.0, 0.0], rtol=1e-10, atol=1e-12, max_step=1e-2).y[0, -1]
    assert abs(truth) > 0.01
    np.testing.assert_allclose(run.q[-1], [0.8, truth], atol=1e-7)


CONTROLLERS = {
    "joint pd": laws.JointPD(stiffness=2000.0, damping=60.0),
    "computed torque": laws.ComputedTorque(),
}


@pytest.mark.parametrize("name", CONTROLLERS)
def test_controllers_lead_what_drives_move(name: str) -> None:
    model = lossless("idle_loop")
    run = gough.simulate(model, moved(model), duration=0.6, step=1e-3, controller=CONTROLLERS[name])
    tolerance = 0.05 if name == "joint pd" else 1e-9
    np.testing.assert_allclose(model.drives(run.q[-1]), model.drives(model.home) + 0.1, atol=tolerance)


@pytest.mark.slow
def test_a_platform_on_spinning_rods_follows_a_pose() -> None:
    model = hexapod(2e-6)
    goal = model.home[:7].copy()
    goal[2] += 0.01
    motion = motions.quintic(poses=[model.home[:7], goal], durations=0.3, extend="hold")
    assert not gough.check_motion(model, motion).problems
    spins = np.where(np.arange(12) < 6, 0.0, 2.0)
    for led, law in ((motion, laws.ComputedTorque()), (laws.drives_of(model, motion), None)):
        more: dict[str, Any] = {} if law is None else {"controller": law}
        run = gough.simulate(model, led, v=spins, step=1e-3, **more)
        np.testing.assert_allclose(run.q[-1][:7], goal, atol=1e-8)


def test_a_run_begins_at_rest_and_steps() -> None:
    model = lossless("idle_loop")
    run = gough.simulate(model, duration=0.1, step=1e-3, start="static", controller=laws.GravityCompensation())
    assert np.abs(run.v).max() < 1e-9
    sim = gough.Stepper(model)
    for _ in range(20):
        sim.step(np.zeros(1), 1e-3)
    free = gough.simulate(model, duration=0.02, step=1e-3, controller=laws.Free())
    np.testing.assert_allclose(sim.q, free.q[-1], atol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_ensemble_is_its_runs_one_by_one(family: str) -> None:
    model = lossless(family)
    starts = 0.3 * np.random.default_rng(1).normal(size=(4, model.layout.nv))
    many = gough.simulate_many(model, v=starts, controller=laws.Free(), duration=0.05, step=1e-3, stored=5)
    for k, v in enumerate(starts):
        alone = gough.simulate(model, v=v, controller=laws.Free(), duration=0.05, step=1e-3, method="rk4")
        np.testing.assert_allclose(many.q[k, -1], alone.q[-1], atol=1e-12)
        np.testing.assert_allclose(many.v[k, -1], alone.v[-1], atol=1e-10)


def test_limits_of_idle_freedoms_are_told_by_the_run() -> None:
    """A load that swings on a crane: the motion of the trolley is good, what it does to the load is not."""
    text = """
format: 2
name: crane
bodies: [{name: trolley, mass: 20}, {name: load, mass: 5, center_of_mass: [0, 0, -2]}]
joints:
  - {name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: trolley, drive: {}, limits: {force: LIMIT}}
  - {name: swing, type: revolute, axis: [0, 1, 0], parent: trolley, child: load, limits: {lower: -20 deg, upper: 20 deg}}
velocities: [rail, swing]
"""
    model, move = (
        gough.build(loads(text.replace("LIMIT", "1000 kN"))),
        motions.quintic(drives={"rail": [0, 2.0]}, durations=2.0),
    )
    report = gough.check_motion(model, move)
    assert not report.problems and any("idle freedoms (swing) stand still" in note for note in report.notes)
    with pytest.warns(gough.errors.RunWarning, match="limit: swing .*: beyond its limit until"):
        run = gough.simulate(model, move)
    beyond = np.abs(run.q[:, 1]) - np.radians(20)
    told = [event for event in run.info.events if event.kind == "limit"]
    assert beyond.max() > 0 and told[0][0] == run.time[beyond > 0][0]
    assert f"{beyond.max():.6g} rad" in " ".join(event.words for event in told)
    assert not gough.simulate(model, motions.quintic(drives={"rail": [0, 0.2]}, durations=2.0)).info.events
    assert not gough.simulate(model, move, check="off").info.events
    held = np.abs(report.tau).max()
    most = 0.5 * (held + np.abs(run.tau).max())  # the force with the load at rest, and with the load as it swings
    assert np.abs(run.tau).max() > 1.01 * held
    weaker = gough.build(loads(text.replace("LIMIT", f"{most} N")))
    assert not gough.check_motion(weaker, move).problems
    with pytest.warns(gough.errors.RunWarning, match="limit: rail .*force"):
        gough.simulate(weaker, move)
