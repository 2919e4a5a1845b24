"""Slopes of eigenvalues against 50 digits of independent elements, closed forms and what moves with the state."""

import mpmath
import numpy as np
import pytest

import gough
from gough.robot import dumps, loads
from inner.identification import common_basis, group_slopes, map_design, poles, resting_robot, square_slopes, vibration

from .elastic_robots import DENSITY, arm, cantilever, cross


def rest_of(model, unknowns, drives="locked", about="equilibrium", **options):
    design = map_design(model, unknowns, options.get("servos", {}), {}, {})
    return resting_robot(design, None, drives, about)


def squares_of(E, density, mass):
    """Sorted λ of the independent cantilever, 50 digits."""
    M, _, K = (mpmath.matrix(A) for A in cantilever(E, density, mass, 2, scalar=mpmath.mpf))
    L = mpmath.cholesky(M)
    inverse = L**-1
    return sorted(mpmath.eigsy(inverse * K * inverse.T, eigvals_only=True))


def test_slopes_of_squares_are_those_of_fifty_digits():
    with mpmath.workdps(50):
        robot = rest_of(arm(2), ["rod.E", "rod.density", "head.M"])
        x = np.array([66e9, 2650.0, 0.25])
        at = robot.matrices(x)
        found = vibration(at)
        slopes = square_slopes(at, found)
        exact = squares_of(*map(mpmath.mpf, x))
        assert np.allclose(found.squares, np.array(exact, dtype=float), rtol=1e-8)
        for k in range(3):
            h = mpmath.mpf(x[k]) * mpmath.mpf(10) ** -15
            up, down = ([mpmath.mpf(v) + (s * h if i == k else 0) for i, v in enumerate(x)] for s in (1, -1))
            wanted = np.array(
                [(a - b) / (2 * h) for a, b in zip(squares_of(*up), squares_of(*down), strict=True)], dtype=float
            )
            assert np.max(np.abs(slopes[k] - wanted) * x[k] / found.squares) < 1e-8


def test_slopes_follow_the_state_that_moves_with_the_unknowns():
    """A leaning pendulum on a spring: ω² = (k - m g l cos θ) / m l² where k (θ - rest) = m g l sin θ."""
    model = gough.build(
        loads("""
format: 1
name: leaning
bodies: [{name: bob, mass: 1.5, center_of_mass: [0, 0, 0.4]}]
joints:
  - {name: hinge, type: revolute, parent: world, child: bob, axis: [0, 1, 0], spring: {stiffness: 20, damping: 0.1, rest: 0.3}}
velocities: [hinge]
""")
    )
    robot = rest_of(model, ["hinge.spring.stiffness", "bob.added_mass"], "free")

    def square(k, m):
        angle = mpmath.findroot(
            lambda t: k * (t - mpmath.mpf("0.3")) - m * mpmath.mpf("9.81") * 0.4 * mpmath.sin(t), 0.4
        )
        return (k - m * mpmath.mpf("9.81") * 0.4 * mpmath.cos(angle)) / (m * mpmath.mpf("0.16"))

    at = robot.matrices(np.array([20.0, 0.0]))
    with mpmath.workdps(40):
        wanted = mpmath.diff(lambda k: square(k, mpmath.mpf("1.5")), 20)
        assert np.isclose(vibration(at).squares[0], float(square(mpmath.mpf(20), mpmath.mpf("1.5"))), rtol=1e-9)
    assert np.isclose(square_slopes(at, vibration(at))[0, 0], float(wanted), rtol=1e-8)


def test_equal_frequencies_of_crossed_springs_have_the_closed_form():
    robot = rest_of(cross(), ["x.spring.stiffness", "y.spring.stiffness", "head.M"])
    at = robot.matrices(np.array([1000.0, 1000.0, 2.0]))
    found = vibration(at)
    assert found.repeated == ((0, 1),)
    for k, wanted in enumerate(([0.0, 0.5], [0.0, 0.5], [-250.0, -250.0])):
        G = group_slopes(at, found, (0, 2))[k]
        assert np.allclose(np.sort(np.linalg.eigvalsh(G)), np.sort(wanted), atol=1e-9)
    slopes = square_slopes(at, found)
    assert np.allclose(np.sort(slopes[0]), [0.0, 0.5], atol=1e-9)
    assert np.allclose(
        slopes[0] + slopes[1], 0.5, atol=1e-9
    )  # one basis for both: what one does not feel, the other does
    assert np.allclose(slopes[2], -250.0, rtol=1e-9)


def test_a_mass_between_equal_legs_follows_each_leg_alone():
    """Three equal springs at 120 degrees: λ is double; along one of them the slopes are n nᵀ / m."""
    ends = [(2 * np.cos(a), 2 * np.sin(a)) for a in np.radians([10, 130, 250])]
    springs = ", ".join(
        f"{{name: s{i}, from: {{body: world, position: [{x:.15g}, {y:.15g}, 0]}}, to: {{body: head}}, stiffness: 500, "
        f"rest_length: 2}}"
        for i, (x, y) in enumerate(ends)
    )
    model = gough.build(
        loads(f"""
format: 1
name: legs
gravity: [0, 0, 0]
bodies: [{{name: slide, mass: 0}}, {{name: head, mass: 2}}]
joints:
  - {{name: x, type: prismatic, parent: world, child: slide, axis: [1, 0, 0]}}
  - {{name: y, type: prismatic, parent: slide, child: head, axis: [0, 1, 0]}}
springs: [{springs}]
velocities: [x, y]
""")
    )
    robot = rest_of(model, ["s0.stiffness", "s1.stiffness", "s2.stiffness"], "free")
    at = robot.matrices(np.full(3, 500.0))
    found = vibration(at)
    assert found.repeated == ((0, 1),)
    assert np.allclose(found.squares, 1.5 * 500 / 2, rtol=1e-9)
    for G in group_slopes(at, found, (0, 2)):
        assert np.allclose(np.linalg.eigvalsh(G), [0.0, 0.5], atol=1e-9)


def test_common_basis_makes_commuting_matrices_diagonal():
    rng = np.random.default_rng(1)
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    A = np.array([Q @ np.diag(rng.normal(size=4)) @ Q.T for _ in range(3)])
    B = common_basis(A)
    turned = B.T @ A @ B
    assert np.abs(turned - np.array([np.diag(np.diag(t)) for t in turned])).max() < 1e-12
    beside = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    assert np.allclose(common_basis(beside).T @ beside @ common_basis(beside), np.diag([1, -1])) or np.allclose(
        common_basis(beside).T @ beside @ common_basis(beside), np.diag([-1, 1])
    )


def test_slopes_of_poles_have_the_closed_form():
    robot = rest_of(cross(1000.0, 3000.0), ["x.spring.stiffness", "x.spring.damping", "head.M"])
    at = robot.matrices(np.array([1000.0, 2.0, 2.0]))
    found = poles(at)
    s = complex(-2 / 4, np.sqrt(1000 / 2 - 0.25))
    assert np.isclose(found.values[0], s, rtol=1e-12)
    wanted = [-1 / (2 * 2 * s + 2), -s / (2 * 2 * s + 2), -(s**2) / (2 * 2 * s + 2)]
    assert np.allclose(found.slopes[:, 0], wanted, rtol=1e-11)


def test_damping_follows_modulus_and_density_as_described():
    for kind in ("rayleigh: {alpha: 0.5, beta: 1e-5}", "ratio: 0.02"):
        model = arm(2, kind)
        robot = rest_of(model, ["rod.E", "rod.density"])
        x = np.array([60e9, 3000.0])
        material = "E: 70 GPa, nu: 0.33, density: 2700.0"
        text = dumps(model.robot)
        changed = text.replace("E: 7.0e+10", "E: 6.0e+10").replace("E: 70000000000", "E: 60000000000")
        changed = changed.replace(f"density: {DENSITY:g}", "density: 3000").replace("density: 2700.0", "density: 3000")
        assert changed != text, material
        other = gough.natural_frequencies(gough.build(loads(changed)))
        pole = poles(robot.matrices(x))
        slow = np.sort_complex(other.eigenvalues[np.imag(other.eigenvalues) > 0])
        assert np.allclose(np.sort_complex(pole.values), slow, rtol=1e-8)


@pytest.mark.slow
def test_slopes_on_a_flexible_platform_that_sags():
    """The state moves with stiffness and damping here; central differences of the whole way."""
    with pytest.warns(gough.robot.UnphysicalInertiaWarning):
        model = gough.build("long2014")
    robot = rest_of(model, ["platform.stiffness_factor", "platform.damping.ratio"], "free")
    x = np.array([1.3, 0.4])
    slopes = poles(robot.matrices(x)).slopes
    for k in range(2):
        e = 1e-5 * np.eye(2)[k] * x[k]
        both = [poles(robot.matrices(x + s * e, False)).values for s in (1, -1)]
        wanted = (both[0] - both[1]) / (2 * e[k])
        assert np.max(np.abs(slopes[k] - wanted)) < 1e-6 * np.abs(wanted).max()
