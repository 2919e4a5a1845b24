"""Slopes through elements and reduction beside 50 digits, and linear algebra of numbers with slopes beside its own equations."""

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

import gough
from gough.robot import loads
from gough.scalar import slopes as numbers
from inner.fem import slopes_algebra

PLANAR = """
format: 2
name: planar
variables: {young: 210 GPa, rho: 7800 kg/m3, high: 10 mm, wide: 20 mm}
bodies:
  - name: beam
    flexible:
      beam:
        length: 0.5
        section: {rectangle: {y: high, z: wide}}
        material: {E: young, nu: 0.3, density: rho}
        plane: true
        elements: 3
      modes: {kind: craig_bampton, interfaces: [end], number: 2}
      stiffening: off
    frames: {end: {position: [0.5, 0, 0]}}
joints: [{name: root, type: revolute, parent: world, child: beam, axis: [0, 0, 1], drive: {}}]
"""


def textbook(young, rho, high, wide):
    """(K, M) (9, 9) of three Euler-Bernoulli elements clamped at the start, freedoms u v θ of each node: the usual matrices."""
    L, area, moment = mpf("0.5") / 3, high * wide, wide * high**3 / 12
    K, M = mp.zeros(12), mp.zeros(12)
    stiff = [[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2]]
    stiff += [[-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]]
    heavy = [[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2]]
    heavy += [[54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]]
    for e in range(3):
        for i, a in enumerate((1, 2, 4, 5)):
            for j, b in enumerate((1, 2, 4, 5)):
                K[3 * e + a, 3 * e + b] += young * moment / L**3 * stiff[i][j]
                M[3 * e + a, 3 * e + b] += rho * area * L / 420 * heavy[i][j]
        for a, b in ((0, 0), (0, 3), (3, 0), (3, 3)):
            K[3 * e + a, 3 * e + b] += young * area / L * (1 if a == b else -1)
            M[3 * e + a, 3 * e + b] += rho * area * L / 6 * (2 if a == b else 1)
    return K[3:, 3:], M[3:, 3:]


def condensed(*numbers):
    """(K, M) (5, 5) by Craig and Bampton: the end's x, y, rz, then two fixed modes, positive in y at the first node."""
    K, M = textbook(*numbers)
    inner, mass = K[:6, :6], M[:6, :6]
    L = mp.cholesky(inner)
    back = L**-1
    inverse, Y = mp.eigsy(back * mass * back.T)
    V = mp.zeros(9, 5)
    V[:6, :3] = -(inner**-1) * K[:6, 6:]
    for k in range(3):
        V[6 + k, k] = 1
    for column, k in enumerate((5, 4)):
        shape = back.T * Y[:, k] / mp.sqrt(inverse[k])
        shape *= mp.sign(shape[1])
        V[:6, 3 + column] = shape
    return V.T * K * V, V.T * M * V


def test_craig_bampton_beside_50_digits():
    """All of K and M of the coordinates, by modulus, density and both sides of the section; modes' signs as they come."""
    model = gough.build(loads(PLANAR))
    own = model.variables.values
    names = list(model.parameter_names)
    with mpmath.workdps(50):
        at = [mpf(float(x)) for x in own]
        here = condensed(*at)
        for k, variable in enumerate(model.variables.names):
            slopes = model.variable_slopes(variable, own)
            step = at[k] * mpf(10) ** -15
            ends = [condensed(*(x + s * step if i == k else x for i, x in enumerate(at))) for s in (1, -1)]
            for letter, matrix, high, low in zip("KM", here, *ends, strict=True):
                truth = (high - low) / (2 * step)  # exact to 30 digits
                largest = (
                    max(abs(truth[i, j]) for i in range(5) for j in range(5)) + max(abs(x) for x in matrix) / at[k]
                )
                for i in range(5):
                    for j in range(i, 5):
                        name = f"beam.{letter}e[{i + 1},{j + 1}]"
                        if name not in names:
                            assert abs(truth[i, j]) < 1e-30 * largest, name
                            continue
                        place = names.index(name)
                        sign = mp.sign(matrix[i, j]) * np.sign(model.parameters[place])
                        assert abs(slopes[place] - sign * truth[i, j]) < 1e-11 * largest, (variable, name)


@pytest.fixture
def made():
    rng = np.random.default_rng(3)

    def matrix(*shape):
        return numbers.join_slopes(rng.normal(size=shape), numbers.STEP * rng.normal(size=shape))

    return matrix


def test_least_squares(made):
    """AᵀA x = Aᵀb holds with slopes, which plain products carry."""
    A, b = made(9, 4), made(9, 3)
    x = slopes_algebra.least_squares(A, b, 1e-13)
    left = A.T @ (A @ x - b)
    assert np.abs(left.real).max() < 1e-13 and np.abs(left.imag).max() < 1e-12 * numbers.STEP


def test_axes_and_null_spaces(made):
    A = made(6, 6)
    A = A + A.T
    values, axes = slopes_algebra.symmetric_axes(A)
    for left in (A @ axes - axes * values, axes.T @ axes - np.eye(6)):
        assert np.abs(left.real).max() < 1e-13 and np.abs(left.imag).max() < 1e-12 * numbers.STEP
    B = made(3, 7)
    N = slopes_algebra.null_space(B, 1e-9)
    assert N.shape == (7, 4) and np.abs((B @ N).imag).max() < 1e-12 * numbers.STEP
    row = made(5)
    Q = slopes_algebra.orthogonal_to(row)
    assert (
        np.abs((row @ Q)[1:].imag).max() < 1e-13 * numbers.STEP and np.abs((Q.T @ Q).imag).max() < 1e-13 * numbers.STEP
    )


@pytest.mark.parametrize("spread", [1.0, 1e6])
def test_damping_of_an_even_ratio(made, spread):
    """D = M Φ (2 ζ ω) Φᵀ M of modes Φ known beforehand, stiffnesses far apart, a pair of equal ones that parts."""
    phi = np.eye(6) + 0.2 * made(6, 6)
    stiff = numbers.join_slopes(
        np.array([1.0, 1.0, 2.0, 0.01 * spread, 0.5 * spread, spread]), numbers.STEP * np.arange(6.0)
    )
    back = np.linalg.inv(phi)
    M, K = back.T @ back, (back.T * stiff) @ back
    truth = (back.T * (0.06 * np.sqrt(stiff))) @ back
    off = slopes_algebra.spectral_sum(M, K, np.full(6, 0.06)) - truth
    assert np.abs(off.real).max() < 1e-9 * np.abs(truth.real).max()
    assert np.abs(off.imag).max() < 1e-9 * np.abs(truth.imag).max()
