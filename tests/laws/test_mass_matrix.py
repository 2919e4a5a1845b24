"""The mass matrix is symmetric, and positive definite for physical bodies; kinetic energy is half v M v."""

import warnings

import numpy as np
import pytest

from gough.robot import UnphysicalInertiaWarning, dumps, loads
from laws.subjects import PAIRS, Subject, subject


def physical(s: Subject) -> bool:
    """True when the description gives no reason to warn about its bodies."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loads(dumps(s.robot))
    return not any(issubclass(w.category, UnphysicalInertiaWarning) for w in caught)


def check(s: Subject) -> None:
    M = s.model.mass_matrix(s.batch.q)
    np.testing.assert_allclose(M, np.swapaxes(M, 1, 2), rtol=1e-12, atol=1e-13 * np.abs(M).max())
    if physical(s):
        assert (np.linalg.eigvalsh(M) > 0).all()
    kinetic = np.einsum("ni,nij,nj->n", s.batch.v, M, s.batch.v) / 2
    np.testing.assert_allclose(s.model.energies(s.batch.q, s.batch.v).kinetic, kinetic, rtol=1e-11)


@pytest.mark.parametrize("name", PAIRS)
def test_symmetric_and_positive_definite(name: str) -> None:
    check(subject(name))


def test_most_subjects_are_physical() -> None:
    assert sum(physical(subject(n)) for n in ("lopes", "lopes_simplified", "ups-0", "pus-0", "generic-0")) == 5
