"""Mass and Coriolis matrices in Euler coordinates: Christoffel symbols of the reference's mass matrix, M' - 2C skew;
the linear model against differences of the forward model along motions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from laws.subjects import Subject, subject

LETTERS = {"rpy_zyx": "ZYX", "bryant_xyz": "XYZ"}


def coordinates(q: np.ndarray, sequence: str) -> np.ndarray:
    angles = Rotation.from_quat(np.roll(q[3:7], -1)).as_euler(LETTERS[sequence])
    return np.concatenate([q[:3], angles])


def twist_matrix(x: np.ndarray, sequence: str) -> np.ndarray:
    """T (6, 6): twist = T xdot, from differences of rotation matrices."""
    h, E = 1e-5, np.zeros((3, 3))
    R = Rotation.from_euler(LETTERS[sequence], x[3:]).as_matrix()
    for k, e in enumerate(np.eye(3)):
        ends = [Rotation.from_euler(LETTERS[sequence], x[3:] + d * h * e).as_matrix() for d in (-2, -1, 1, 2)]
        W = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h) @ R.T
        E[:, k] = [W[2, 1], W[0, 2], W[1, 0]]
    return np.block([[np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), E]])


def reference_mass(s: Subject, near: np.ndarray, sequence: str) -> Callable[[np.ndarray], np.ndarray]:
    """M (6, 6) in the coordinates by the reference, as a function of x."""

    def mass(x: np.ndarray) -> np.ndarray:
        q = near.copy()
        q[:3] = x[:3]
        q[3:7] = np.roll(Rotation.from_euler(LETTERS[sequence], x[3:]).as_quat(), 1)
        T = twist_matrix(x, sequence)
        return T.T @ s.reference.mass_matrix(s.reference.assemble(q, fixed=["pose"])) @ T

    return mass


@pytest.mark.parametrize("sequence", LETTERS)
@pytest.mark.parametrize(
    "name", ["lopes", *(pytest.param(n, marks=pytest.mark.slow) for n in ("fried", "ups-0", "generic-0"))]
)
def test_christoffel_symbols(name: str, sequence: str) -> None:
    s = subject(name)
    q, v = s.states[0].q, s.states[0].v
    found = s.model.coordinate_terms(q, v, sequence)
    x = coordinates(q, sequence)
    np.testing.assert_allclose(found.x, x, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found.T @ found.xdot, v, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.T, twist_matrix(x, sequence), rtol=0, atol=1e-9)
    mass = reference_mass(s, q, sequence)
    h = 1e-3
    D = np.zeros((6, 6, 6))  # D[k] = dM/dx_k
    for k, e in enumerate(np.eye(6)):
        ends = [mass(x + d * h * e) for d in (-2, -1, 1, 2)]
        D[k] = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h)
    xd = found.xdot
    first = np.einsum("kij,k->ij", D, xd)
    second = np.einsum("jik,k->ij", D, xd)
    third = np.einsum("ijk,k->ij", D, xd)
    C = (first + second - third) / 2
    size = np.abs(D).max() * np.abs(xd).max()
    np.testing.assert_allclose(found.M, mass(x), rtol=0, atol=1e-8 * np.abs(found.M).max())
    np.testing.assert_allclose(found.C, C, rtol=0, atol=1e-7 * size)
    skew = first - 2 * found.C
    assert np.abs(skew + skew.T).max() < 1e-6 * size
    np.testing.assert_array_equal(s.model.coriolis_matrix(q, v, sequence), found.C)


@pytest.mark.parametrize(
    "name", ["lopes", *(pytest.param(n, marks=pytest.mark.slow) for n in ("pedrammehr2012", "generic-0"))]
)
def test_linear_model(name: str) -> None:
    s = subject(name)
    m, x = s.model, s.states[0]
    linear = m.linearize(x.q, x.v, x.tau, x.wrench)
    h = 1e-4
    size = np.abs(linear.A[6:]).max()

    def slope(f: Callable[[float], np.ndarray]) -> np.ndarray:
        return (f(-2 * h) - 8 * f(-h) + 8 * f(h) - f(2 * h)) / (12 * h)

    for k, e in enumerate(np.eye(6)):
        by_q = slope(lambda d, e=e: m.forward_dynamics(m.integrate(x.q, e, d), x.v, x.tau, x.wrench).vdot)
        by_v = slope(lambda d, e=e: m.forward_dynamics(x.q, x.v + d * e, x.tau, x.wrench).vdot)
        by_tau = slope(lambda d, e=e: m.forward_dynamics(x.q, x.v, x.tau + 1e4 * d * e, x.wrench).vdot) / 1e4
        drives = slope(lambda d, e=e: m.drives(m.integrate(x.q, e, d)))
        rates = slope(lambda d, e=e: m.drive_rates(m.integrate(x.q, e, d), x.v))
        np.testing.assert_allclose(linear.A[6:, k], by_q, rtol=0, atol=1e-7 * size)
        np.testing.assert_allclose(linear.A[6:, 6 + k], by_v, rtol=0, atol=1e-7 * size)
        np.testing.assert_allclose(linear.B[6:, k], by_tau, rtol=0, atol=1e-8 * np.abs(linear.B).max())
        np.testing.assert_allclose(linear.C[:6, k], drives, rtol=0, atol=1e-8)
        np.testing.assert_allclose(linear.C[6:, k], rates, rtol=0, atol=1e-7 * np.abs(linear.C).max())
    w = x.v[3:]
    spin = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    np.testing.assert_allclose(linear.A[3:6, 3:6], spin, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(linear.A[:6, 6:], np.eye(6))


def test_tangent_derivative_follows_the_closed_robot() -> None:
    """Derivatives by motions, along which the legs follow, against differences."""
    s = subject("lopes")
    m, x = s.model, s.states[0]
    f = m.tangent_derivative("gravity_force", "q")
    G = f(q=x.q, parameters=m.parameters).outputs["g_q"]
    h = 1e-4
    for k, e in enumerate(np.eye(6)):
        g = [m.gravity_force(m.integrate(x.q, e, d * h)) for d in (-2, -1, 1, 2)]
        np.testing.assert_allclose(
            G[:, k], (g[0] - 8 * g[1] + 8 * g[2] - g[3]) / (12 * h), rtol=0, atol=1e-7 * np.abs(G).max()
        )
