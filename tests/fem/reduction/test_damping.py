"""Damping ratios measured on the complex eigenvalues of the damped coordinates."""

import numpy as np
import pytest
from scipy.linalg import eig

from fem.reduction_bodies import crooked_frame, straight_beam
from gough.errors import ReductionWarning, UsageError
from gough.fem import ClampedModes, CraigBampton, DampingMatrix, FreeModes, ModalRatio, Nodal, NodeTie, Rayleigh, reduce
from gough.fem.reduction.damping import damping_matrix

FRAMES = {"a": NodeTie((0.1, 0.2, 0.0)), "b": NodeTie((0.9, 0.1, 0.3))}


def measured(M, D, K):
    """(ω, ζ) of every oscillation, from the eigenvalues s = -ζω ± iω√(1 - ζ²) of the state matrix."""
    m = len(M)
    A = np.block([[np.zeros((m, m)), np.eye(m)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    s = eig(A, right=False)
    s = s[s.imag > 0.0]
    order = np.argsort(np.abs(s))
    return np.abs(s)[order], (-s.real / np.abs(s))[order]


@pytest.mark.parametrize(
    "choice", [FreeModes(6), ClampedModes("a", 6), CraigBampton(("a", "b"), 4, frame="a")], ids=repr
)
def test_every_elastic_mode_has_the_ratio(choice):
    body = reduce(crooked_frame(), choice, FRAMES, ModalRatio(0.03))
    assert np.allclose(measured(body.M, body.D, body.K)[1], 0.03, rtol=1e-6)
    assert np.allclose(body.D, body.D.T, atol=1e-9 * np.abs(body.D).max())


def test_ratios_one_by_one_go_to_modes_in_ascending_order():
    ratios = np.linspace(0.01, 0.1, 10)
    body = reduce(crooked_frame(), CraigBampton(("a", "b"), 4, frame="a"), FRAMES, ModalRatio(ratios))
    assert np.allclose(measured(body.M, body.D, body.K)[1], ratios, rtol=1e-6)


def test_rayleigh():
    body = reduce(crooked_frame(), FreeModes(5), damping=Rayleigh(2.0, 1e-4))
    w, zeta = measured(body.M, body.D, body.K)
    assert np.allclose(zeta, 1.0 / w + 0.5e-4 * w, rtol=1e-9)


def test_coordinates_without_mass_take_no_modal_damping():
    with pytest.warns(ReductionWarning, match="without mass"):
        body = reduce(straight_beam(2), Nodal("root"), {"root": NodeTie((0, 0, 0))}, ModalRatio(0.02))
    spin = [k for k, label in enumerate(body.labels) if label.endswith(".rx")]
    assert len(spin) == 2 and np.abs(body.D[spin]).max() < 1e-9 * np.abs(body.D).max()


@pytest.mark.parametrize(
    ("damping", "words"),
    [
        (ModalRatio(-0.1), "none negative"),
        (ModalRatio([0.1, 0.2]), "one number or 3"),
        (ModalRatio(np.nan), "one number"),
        (Rayleigh(-1.0, 0.0), "alpha >= 0"),
        (DampingMatrix(np.eye(2)), r"\(3, 3\)"),
        (DampingMatrix(np.array([[1.0, 1, 0], [0, 1, 0], [0, 0, 1]])), "not symmetric"),
        (DampingMatrix(np.diag([1.0, -1.0, 1.0])), "negative eigenvalue"),
        (0.02, "no damping"),
    ],
)
def test_bad_damping_is_refused(damping, words):
    with pytest.raises(UsageError, match=words):
        damping_matrix(damping, np.eye(3), np.diag([1.0, 2.0, 3.0]))


def test_a_matrix_is_taken_as_it_is():
    D = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert np.array_equal(damping_matrix(DampingMatrix(D), np.eye(2), np.eye(2)), D)
    assert not damping_matrix(None, np.eye(2), np.eye(2)).any()
