"""Loops with forces that do no work and with bodies that spin freely, beside polynomials and matrices of NumPy's."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm, null_space

import gough
from gough import laws, sensors
from laws.subjects import built

KP, KD, KI = (
    np.diag(x) for x in ([300.0, 500.0, 200.0, 400.0], [20.0, 30.0, 25.0, 15.0], [800.0, 900.0, 300.0, 500.0])
)
VISCOUS = 2e-3
"""N·m·s/rad, of the servos of hobby_6rss."""
PID = laws.PID(np.diag(KP), np.diag(KD), np.diag(KI))


def parts() -> tuple[gough.Model, np.ndarray, np.ndarray, np.ndarray]:
    """Four drives that push three freedoms, weight across the plane: the model, q, M (3, 3), S (3, 4)."""
    model = _flat()
    return model, model.home, model.mass_matrix(model.home), model.drive_map(model.home)


@cache
def _flat() -> gough.Model:
    return gough.build(gough.load("redundant_planar").model_copy(update={"gravity": (0.0, 0.0, -9.81)}))


def companion(M: np.ndarray, *of: np.ndarray) -> np.ndarray:
    """Roots of det(Mⁿ sⁿ + of[0] sⁿ⁻¹ + …) = 0."""
    n, order = len(M), len(of)
    A = np.zeros((n * order, n * order))
    A[:-n, n:] = np.eye(n * (order - 1))
    A[-n:] = -np.linalg.solve(M, np.concatenate(of[::-1], axis=1))
    return np.linalg.eigvals(A)


def test_integrals_of_redundant_drives_have_the_poles_of_motions() -> None:
    """s³ M + s² S K_d Sᵀ + s S K_p Sᵀ + S K_i Sᵀ: the fourth integral is of a force that moves nothing, and stays as it is."""
    model, q, M, S = parts()
    found = gough.control_loop(model, PID, q)
    known = companion(M, *(S @ K @ S.T for K in (KD, KP, KI)))
    assert found.stable and known.real.max() < 0 and len(found.poles) == 9
    np.testing.assert_allclose(np.sort_complex(found.poles), np.sort_complex(known), rtol=1e-6)
    hz = np.array([0.05, 1.0, 7.0])
    for s, L in zip(2j * np.pi * hz, found.response(hz), strict=True):
        np.testing.assert_allclose(
            L, (KP + s * KD + KI / s) @ S.T @ np.linalg.solve(s * s * M, S), rtol=1e-6, atol=1e-9
        )


def test_on_a_clock_too() -> None:
    """x' = A x + B u, u = -K_p e - K_d ė + i, i' = i - T K_i e, all at the sample; the integral that stays has z = 1."""
    model, q, M, S = parts()
    T, n = 0.001, 3
    held = np.zeros((10, 10))
    held[:n, n : 2 * n], held[n : 2 * n, 6:] = np.eye(n), np.linalg.solve(M, S)
    held = expm(held * T)
    A, B = held[:6, :6], held[:6, 6:]
    F = -np.concatenate([KP @ S.T, KD @ S.T], axis=1)
    R = -T * np.concatenate([KI @ S.T, np.zeros((4, n))], axis=1)
    z = np.linalg.eigvals(np.block([[A + B @ F, B], [R, np.eye(4)]]))
    z = np.delete(z, np.argmin(np.abs(z - 1.0)))
    found = gough.control_loop(model, laws.Sampled(PID, T), q)
    poles = found.poles[np.isfinite(found.poles.real)]
    np.testing.assert_allclose(np.sort_complex(poles), np.sort_complex(np.log(z + 0j) / T), rtol=1e-6)
    assert found.stable == bool(np.abs(z).max() < 1.0) and found.stable
    slow = gough.control_loop(model, laws.Sampled(PID, 20 * T, sensors=sensors.Encoders()), q)
    assert not slow.stable


@pytest.mark.parametrize("pole", [-0.5, 0.5])
def test_forces_that_work_against_each_other_and_grow_are_no_rest(pole: float) -> None:
    model, q, _, S = parts()
    w = null_space(S)
    law = laws.StateSpace(A=[[pole]], B=np.ones((1, 8)), C=w, D=np.concatenate([KP, KD], axis=1))
    assert gough.control_loop(model, law, q).stable == (pole < 0)


def test_a_motion_that_integrals_let_drift_is_no_internal_force() -> None:
    """No spring and no integral, dampers alone: three freedoms stay where they are, with poles at 0."""
    model, q, _, _ = parts()
    assert not gough.control_loop(model, laws.JointPD(0.0, np.diag(KD)), q).stable


def test_an_observer_that_sees_rods_spin_has_the_poles_of_what_is_held() -> None:
    """With all that acts known, s² M + s S K_d Sᵀ + S K_p Sᵀ, where rods go on turning as they like, and the estimate's own.
    The servos have viscous friction besides."""
    model = built("hobby_6rss")
    stiffness, damping, hz = np.array([30.0, 40.0, 50.0, 35.0, 45.0, 25.0]), np.full(6, 2.5), 8.0
    found = gough.control_loop(model, laws.DisturbanceObserver(laws.JointPD(stiffness, damping, gravity=True), hz))
    M, S = model.mass_matrix(model.home), model.drive_map(model.home)
    np.testing.assert_allclose(S[6:], 0.0, atol=1e-9)
    held = M[:6, :6] - M[:6, 6:] @ np.linalg.solve(M[6:, 6:], M[6:, :6])
    known = companion(held, S[:6] * (damping + VISCOUS) @ S[:6].T, S[:6] * stiffness @ S[:6].T)
    known = np.concatenate([known, np.full(6, -2 * np.pi * hz)])
    assert found.stable and len(found.poles) == len(known)
    np.testing.assert_allclose(np.sort(found.poles.real), np.sort(known.real), rtol=1e-4)
    np.testing.assert_allclose(np.sort(found.poles.imag), np.sort(known.imag), atol=1e-3 * np.abs(known).max())
