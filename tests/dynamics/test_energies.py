"""Energies and losses against the reference's sums over 4x4 pseudo-inertias."""

import numpy as np
import pytest

from laws.subjects import FEW, Subject, subject


def compare(s: Subject) -> None:
    ours = s.model.energies(s.batch.q, s.batch.v)
    truth = np.array([s.reference.energies(x.q, x.v) for x in s.states])
    lost = np.array([s.reference.dissipation(x.q, x.v) for x in s.states])
    size = np.abs(truth).max(1)
    assert (np.abs(ours.kinetic - truth[:, 0]) < s.tolerances * size).all()
    # A potential is counted from somewhere: differences between states and its value at the described zero agree.
    assert (np.abs(ours.potential - truth[:, 1]) < s.tolerances * size).all()
    assert (np.abs(ours.losses - lost) < s.tolerances * np.maximum(np.abs(lost), size)).all()
    assert (ours.losses >= 0).all()
    np.testing.assert_array_equal(ours.total, ours.kinetic + ours.potential)


@pytest.mark.parametrize("name", FEW)
def test_reference(name: str) -> None:
    compare(subject(name))
