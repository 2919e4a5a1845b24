"""Gallery mechanisms against the slow reference: energies of the whole tree, closures by multipliers, CasADi."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.idle_robots import solved
from mechanisms.models import model
from mechanisms.test_gallery import FREEDOMS, UNDRIVEN, states
from reference.energies.lagrange import Reference

FAST = ("five_bar", "delta", "delta_fast", "ankle", "three_rrr")
NAMES = (*FAST, *(pytest.param(name, marks=pytest.mark.slow) for name in FREEDOMS if name not in FAST))


def error(ours: object, truth: object) -> float:
    ours, truth = np.asarray(ours, float), np.asarray(truth, float)
    assert ours.shape == truth.shape
    return float(np.abs(ours - truth).max() / max(np.abs(truth).max(), 1e-300))


def idle(reference: Reference, q: np.ndarray, v: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """Drive forces where the last entries of v are idle: their accelerations are unknowns too."""
    return solved(reference, q, v, list(range(len(acceleration))), acceleration, np.zeros(len(v)))[0]


@pytest.mark.parametrize("name", NAMES)
def test_terms_forward_and_inverse(name: str) -> None:
    m = model(name)
    reference = Reference(m.robot, m.layout.v_names)
    q, v, tau = states(m)
    for k in range(2):
        tolerance = max(1e-11, 1e-14 * reference.condition(q[k]))
        assert error(m.mass_matrix(q[k]), reference.mass_matrix(q[k])) < tolerance
        assert error(m.bias_force(q[k], v[k]), reference.bias(q[k], v[k])) < 10 * tolerance
        vdot = reference.forward(q[k], v[k], tau[k])
        n, found = m.mobility, m.forward_dynamics(q[k], v[k], tau[k]).vdot
        assert error(found[:n], vdot[:n]) < 10 * tolerance
        if n < m.layout.nv:  # idle: as moments, because a rod has hardly any inertia about itself
            M = reference.mass_matrix(q[k])
            assert error(M @ found, M @ vdot) < 10 * tolerance
        if name not in UNDRIVEN:
            needed = (
                reference.inverse(q[k], v[k], 2 * vdot)
                if n == m.layout.nv
                else idle(reference, q[k], v[k], 2 * vdot[:n])
            )
            assert error(m.inverse_dynamics(q[k], v[k], 2 * vdot[:n]).tau, needed) < 10 * tolerance
