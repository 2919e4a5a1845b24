"""Closures of every cut type: the residual vanishes where the reference's does, and nowhere near it else."""

import numpy as np
import pytest

from laws.subjects import FEW, subject


@pytest.mark.parametrize("name", FEW)
def test_closed_states_are_closed(name: str) -> None:
    s = subject(name)
    assert (s.model.closure_error(s.batch.q) < 1e-12).all()


@pytest.mark.parametrize("name", FEW)
def test_open_states_are_open(name: str, rng: np.random.Generator) -> None:
    """Every leg joint moved alone opens its loop by about what the reference says."""
    s = subject(name)
    q = s.states[0].q
    for p in s.reference.layout.places:
        for k in range(p.x.start, p.x.stop):
            x = np.zeros(s.reference.layout.nx)
            x[k] = 1e-3
            moved = s.reference.layout.retract(q, x)
            ours = float(s.model.closure_error(moved)) * s.model.size
            truth = np.abs(s.reference.closure(moved)).max()
            # residuals: lengths as such, a distance as half its square: equal up to a factor of a length and of axes
            assert 0.05 * truth < ours < 20 * truth, s.model.layout.q_names[p.q.start]


@pytest.mark.parametrize("name", FEW)
def test_project_closes(name: str, rng: np.random.Generator) -> None:
    s = subject(name)
    q = s.states[0].q.copy()
    q[7:] += rng.uniform(-1e-3, 1e-3, len(q) - 7)
    q[3:7] *= 1.01
    closed = s.model.project(q)
    assert s.model.closure_error(closed) < 1e-10
    assert np.abs(s.reference.closure(closed)).max() < 1e-10
    np.testing.assert_allclose(closed, s.states[0].q, rtol=0, atol=1e-9)
