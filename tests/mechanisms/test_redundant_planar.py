"""More drives than freedoms: the forces give the motion and are the shortest that do."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from mechanisms.models import model

WEIGHTS = np.array([1.0, 4.0, 0.5, 2.0])


def states(m: gough.Model, n: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    steps = rng.uniform(-1, 1, (n, 3)) * [0.06, 0.06, 0.3]
    q = m.integrate(np.tile(m.home, (n, 1)), steps)
    return q, rng.normal(size=(n, 3)), 10 * rng.normal(size=(n, 3))


def test_least_norm() -> None:
    m = model("redundant_planar")
    assert (m.mobility, m.layout.v_names, len(m.layout.drive_names)) == (3, ("vx", "vy", "wz"), 4)
    q, v, a = states(m)
    tau, S = m.inverse_dynamics(q, v, a).tau, m.drive_map(q)
    need = np.einsum("nij,nj->ni", m.mass_matrix(q), a) + m.bias_force(q, v)
    np.testing.assert_allclose(np.einsum("nij,nj->ni", S, tau), need, rtol=0, atol=1e-11 * np.abs(need).max())
    shortest = np.einsum("nji,ni->nj", np.linalg.pinv(S), need)
    np.testing.assert_allclose(tau, shortest, rtol=0, atol=1e-11 * np.abs(tau).max())
    np.testing.assert_allclose(m.forward_dynamics(q, v, tau).vdot, a, rtol=0, atol=1e-10 * np.abs(a).max())


@pytest.mark.slow
def test_weights() -> None:
    """Least sum of w tau^2: sqrt(w) tau is the shortest for the map S / sqrt(w)."""
    robot = gough.load("redundant_planar").model_copy(update={"drive_sharing": None})
    legs = []
    for leg, weight in zip(robot.legs, WEIGHTS.tolist(), strict=True):
        motor = leg.chain[0]
        assert motor.drive is not None
        motor = motor.model_copy(update={"drive": motor.drive.model_copy(update={"weight": weight})})
        legs.append(leg.model_copy(update={"chain": (motor, *leg.chain[1:])}))
    m = gough.build(robot.model_copy(update={"legs": tuple(legs)}))
    q, v, a = states(m)
    tau, S = m.inverse_dynamics(q, v, a).tau, m.drive_map(q)
    need = np.einsum("nij,nj->ni", m.mass_matrix(q), a) + m.bias_force(q, v)
    shortest = np.einsum("nji,ni->nj", np.linalg.pinv(S / np.sqrt(WEIGHTS)), need) / np.sqrt(WEIGHTS)
    np.testing.assert_allclose(tau, shortest, rtol=0, atol=1e-11 * np.abs(tau).max())
