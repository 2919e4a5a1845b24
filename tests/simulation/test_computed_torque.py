"""Computed torque: errors that obey their linear equation, and the same loop written in NumPy and integrated by SciPy."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import gough
from gough import laws, motions
from gough.errors import UsageError
from laws.subjects import built
from simulation.sliders import settling


@cache
def model_of(name: str) -> gough.Model:
    return built(gough.load(name))


def turning(model: gough.Model, size: float, duration: float = 0.3) -> gough.Motion:
    """The platform moves and turns away from home."""
    x, y, z = model.home[:3]
    base = Rotation.from_quat(model.home[[4, 5, 6, 3]]).as_rotvec()

    def position(t):
        s = t * t
        return [
            x + size * s,
            y - 0.5 * size * s,
            z + 0.7 * size * s,
            base[0] + 0.6 * s,
            base[1] - 0.4 * s,
            base[2] + 0.5 * s,
        ]

    return motions.function(position, duration)


def leaning(model: gough.Model, amount: float, duration: float = 0.3) -> gough.Motion:
    """Every drive of a robot moves away from home, each a little differently."""
    first = model.home[model.drive_index]

    def position(t):
        return [x + amount * (1 + 0.3 * k) * t * t for k, x in enumerate(first)]

    return motions.function(position, duration, kind="drives", names=model.layout.drive_names)


def test_a_platform_as_in_scipy() -> None:
    """A hexapod pushed off its path: the loop of inverse and forward dynamics by SciPy, errors by its rotations."""
    model = model_of("long2014_rigid")
    motion = turning(model, 0.4)
    v0 = np.array([0.3, -0.2, 0.1, 0.2, 0.3, -0.4])
    run = gough.simulate(model, motion, laws.ComputedTorque(400.0, 30.0), v=v0, tolerance=1e-10)
    nq = model.layout.nq

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        q, v = x[:nq].copy(), x[nq:]
        q[3:7] /= np.linalg.norm(q[3:7])
        now = motion.at(t)
        wanted, found = (Rotation.from_quat(p[[4, 5, 6, 3]]) for p in (now.position, q))
        error = np.concatenate([now.position[:3] - q[:3], (wanted * found.inv()).as_rotvec()])
        a = now.acceleration + 30.0 * (now.velocity - v) + 400.0 * error
        known = {"q": q, "v": v, "parameters": model.parameters, "wrench": np.zeros(6)}
        tau = model.function("inverse_dynamics").values(**known, acceleration=a)["tau"]
        vdot = model.function("forward_dynamics").values(**known, tau=tau)["vdot"]
        qdot = model.function("configuration_rate").values(q=q, v=v, parameters=model.parameters)["qdot"]
        return np.concatenate([qdot, vdot])

    truth = solve_ivp(rates, (0, 0.3), [*model.home, *v0], method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    np.testing.assert_allclose(run.q[-1], truth[:nq], atol=1e-8)
    np.testing.assert_allclose(run.v[-1], truth[nq:], atol=1e-7)
    assert run.summary()["energy_error"] < 1e-8


@pytest.mark.quick_cases("delta")
@pytest.mark.parametrize("name", ["delta", "three_rrr", "redundant_planar"])
def test_platforms_with_fewer_freedoms(name: str) -> None:
    """Position errors obey ë + K_d ė + K_p e = 0 in closed form; with redundant drives too."""
    model = model_of(name)
    away = 0.02 * model.size
    q = model.configuration(pose=model.home[:7] + np.array([away, 0, 0, 0, 0, 0, 0]))
    x, y, z = model.home[:3]
    motion = motions.function(
        lambda t: [x + 0.0 * t, y + 0.1 * model.size * t * t, z + 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t], 0.3
    )
    run = gough.simulate(model, motion, laws.ComputedTorque(300.0, 25.0), q=q, tolerance=1e-9)
    assert run.stopped == "finished"
    np.testing.assert_allclose(run.q[:, 0] - x, settling(run.time, 300.0, 25.0, 1.0, away), atol=1e-8)
    np.testing.assert_allclose(run.q[:, 1] - y, 0.1 * model.size * run.time**2, atol=1e-8)


@pytest.mark.parametrize(("name", "amount"), [("delta", 0.5), ("five_bar", 0.5)])
def test_drives_are_led(name: str, amount: float) -> None:
    """Drives pushed off: their errors obey the linear equation, whether v has their rates or the platform's."""
    model = model_of(name)
    motion = leaning(model, amount, 0.2)
    first = model.home[model.drive_index]
    away = 0.02 * np.ones(len(first))
    q = model.configuration(drives=first + away)
    run = gough.simulate(model, motion, laws.ComputedTorque(300.0, 25.0), q=q, tolerance=1e-9, every=20)
    assert run.stopped == "finished"
    off = run["drives.position"] - motion.at(run.time).position
    np.testing.assert_allclose(
        off, settling(run.time, 300.0, 25.0, 1.0, 0.02)[:, None] * np.ones(len(first)), atol=1e-7
    )


@pytest.mark.quick_cases("simulated")
@pytest.mark.parametrize("elastic", ["measured", "simulated"])
def test_a_flexible_robot_follows_its_drives(elastic: str) -> None:
    """The hub of a flexible beam: explicit and implicit methods agree, the controller's own elastic coordinates are the
    robot's, and the loop in NumPy comes to the same."""
    model = model_of("spin_up_beam")
    motion = leaning(model, 0.05, 0.1)
    law = laws.ComputedTorque(200.0, 20.0, elastic=elastic)
    run = gough.simulate(model, motion, law, v=[0.02, *np.zeros(7)], method="esdirk4", step=5e-4, tolerance=1e-7)
    assert run.stopped == "finished"
    if elastic == "simulated":
        bent = run["controller.states"]
        assert run.channel("controller.states").units[0] == run.channel("elastic").units[0]
        np.testing.assert_allclose(bent[:, :7], run.q[:, model.layout.elastic], atol=1e-12)
    nq = model.layout.nq

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        q, v, now = x[:nq], x[nq:], motion.at(t)
        hub = q[model.drive_index]
        a = now.acceleration + 20.0 * (now.velocity - v[:1]) + 200.0 * (now.position - hub)
        made = model.inverse_dynamics(q, v, a)
        vdot = model.forward_dynamics(q, v, made.tau).vdot
        return np.concatenate(
            [model.function("configuration_rate").values(q=q, v=v, parameters=model.parameters)["qdot"], vdot]
        )

    start = [*model.home, 0.02, *np.zeros(7)]
    truth = solve_ivp(rates, (0, 0.1), start, method="Radau", rtol=1e-7, atol=1e-9).y[:, -1]
    size = np.abs(run.q[:, model.layout.elastic]).max()
    np.testing.assert_allclose(run.q[-1], truth[:nq], atol=2e-4 * size)
    hub = run.q[:, model.drive_index[0]] - motion.at(run.time).position[:, 0]
    np.testing.assert_allclose(hub, _from_speed(run.time, 200.0, 20.0, 0.02), atol=1e-9)


def _from_speed(t: np.ndarray, stiffness: float, damping: float, speed: float) -> np.ndarray:
    a, b = np.roots([1.0, damping, stiffness]).astype(complex)
    return np.real(speed * (np.exp(a * t) - np.exp(b * t)) / (a - b))


def test_the_rigid_model_of_a_flexible_robot() -> None:
    """Its forces are those of the same robot made of rigid bodies: a beam on a hub has then the inertia ρ A L³/3."""
    model = model_of("spin_up_beam")
    motion, law = leaning(model, 1.0, 1e-4), laws.ComputedTorque(0.0, 0.0, model="rigid")
    run = gough.simulate(model, motion, law, method="rk4", step=1e-5)
    np.testing.assert_allclose(run.tau[0], 2.0 * 1.2 * 10.0**3 / 3.0, rtol=1e-4)  # slices turn, too: ρ I L


def test_limits_and_simulated_bending() -> None:
    """Forces cut off: the controller's elastic coordinates feel those forces, not the ones it wanted."""
    model = model_of("spin_up_beam")
    law = laws.ComputedTorque(200.0, 20.0, elastic="simulated", limit=0.5)
    run = gough.simulate(model, leaning(model, 0.05, 0.1), law, method="esdirk4", step=5e-4, tolerance=1e-7)
    assert run.stopped == "finished"
    assert np.abs(run.tau).max() == 0.5
    np.testing.assert_allclose(run["controller.states"][:, :7], run.q[:, model.layout.elastic], atol=1e-10)


def test_what_cannot_be_controlled_so() -> None:
    """Named, with the remedy."""
    cases = [
        ("tripod_wrist", lambda m: turning(m, 0.1), laws.ComputedTorque(), "drives_of"),
        ("redundant_planar", lambda m: leaning(m, 0.1), laws.ComputedTorque(), "give a pose"),
        ("delta", lambda m: turning(m, 0.1), laws.ComputedTorque([1.0, 2.0]), "3 freedoms"),
        (
            "spin_up_beam",
            lambda m: leaning(m, 0.1),
            laws.Sampled(laws.ComputedTorque(elastic="simulated"), 0.01),
            "measured",
        ),
    ]
    for name, motion, law, words in cases:
        model = model_of(name)
        with pytest.raises(UsageError, match=words):
            gough.simulate(model, motion(model), law)
