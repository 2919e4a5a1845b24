"""Characteristics of springs: SciPy's curves, force as the derivative of the energy, parameters as inputs, what is refused."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

import gough
from gough.errors import Status, UsageError
from gough.joints import springs
from gough.robot import DescriptionError, dumps, loads
from gough.scalar import casadi_symbols, casadi_vector

POINTS = [0.1, -4.0, 0.25, -1.0, 0.4, -1.0, 0.7, 3.0, 0.8, 2.5, 1.3, 9.0]
FOUR = [30.0, 2.0, 0.45, 1.5]
LAWS: dict[str, tuple[springs.SpringLaw, list[float]]] = {
    "linear": (springs.LINEAR, FOUR),
    "polynomial": (springs.PolynomialSpring(), [*FOUR, 1.0, 20.0, -7.0, 3.0]),
    "table": (springs.TableSpring(), [*FOUR, *POINTS]),
    "cable": (springs.OneSidedSpring(), [*FOUR, 0.0]),
    "rounded": (springs.OneSidedSpring(), [*FOUR, 0.3]),
    "rounded polynomial": (springs.OneSidedSpring(), [*FOUR, 0.2, 20.0, -7.0, 3.0]),
}
LENGTHS = np.linspace(-0.2, 1.6, 73) + 1e-4


@pytest.mark.parametrize("name", LAWS)
def test_the_force_is_the_derivative_of_the_energy(name: str) -> None:
    """By automatic differentiation, and the energy is the integral of the force by quadrature."""
    law, numbers = LAWS[name]
    x = ca.SX.sym("x")
    slope = ca.Function(
        "f", [x], [ca.gradient(casadi_vector(np.array([law.energy(casadi_symbols(x)[0], numbers)]))[0], x)]
    )
    for length in LENGTHS:
        force = law.force(float(length), numbers)
        assert float(slope(length)) == pytest.approx(force, rel=1e-12, abs=1e-11)
    ends = (LENGTHS[3], LENGTHS[60])
    corners = [*POINTS[::2], 0.3, 0.35, 0.45, 0.55, 0.6]
    area = quad(lambda s: float(law.force(s, numbers)), *ends, points=corners, limit=200, epsabs=1e-12)[0]
    difference = law.energy(float(ends[1]), numbers) - law.energy(float(ends[0]), numbers)
    assert difference == pytest.approx(area, rel=1e-10)


def test_a_table_is_scipys_monotone_curve() -> None:
    at, f = np.array(POINTS[::2]), np.array(POINTS[1::2])
    slopes = PchipInterpolator(at, f).derivative()(at)
    slopes[0], slopes[-1] = (np.diff(f) / np.diff(at))[[0, -1]]
    curve = CubicHermiteSpline(at, f, slopes)
    law, numbers = LAWS["table"]
    for x in LENGTHS:
        inside = min(max(x, at[0]), at[-1])
        expected = curve(inside) + (x - inside) * slopes[0 if x < at[0] else -1]
        assert law.force(float(x), numbers) == pytest.approx(float(expected), rel=1e-12, abs=1e-12)
    for k, x in enumerate(at):
        assert law.force(float(x), numbers) == pytest.approx(f[k], rel=1e-13)


@pytest.mark.parametrize("name", ["cable", "rounded", "rounded polynomial"])
def test_a_one_sided_spring_never_pushes(name: str) -> None:
    law, numbers = LAWS[name]
    for x in LENGTHS:
        for rate in (-50.0, -1.0, 0.0, 2.0):
            assert sum(law.parts(float(x), rate, numbers)) >= 0.0
            assert rate * law.damper(float(x), rate, numbers) >= 0.0
    assert sum(law.parts(0.2, 7.0, numbers)) == 0.0


def test_the_damper_of_a_one_sided_spring_takes_energy_whatever_its_polynomial_is() -> None:
    """Numbers that no description may have: force and energy still belong together, and the damper acts beside them."""
    law, numbers = springs.OneSidedSpring(), [*FOUR, 0.0, 10.0, -30.0]
    for x in LENGTHS:
        for rate in (-50.0, -1.0, 0.0, 2.0):
            assert rate * law.damper(float(x), rate, numbers) >= 0.0
        assert sum(law.parts(float(x), 0.0, numbers)) == law.force(float(x), numbers)


@pytest.mark.parametrize("seed", range(200))
def test_polynomials_that_turn_negative_are_found(seed: int) -> None:
    """By dense sampling, of coefficients that make about every other polynomial turn negative."""
    rng = np.random.default_rng(seed)
    c = rng.normal(size=rng.integers(1, 6)) + 0.5
    s = np.geomspace(1e-6, 1e6, 200_000)
    scale = np.abs(c) @ s ** np.arange(1, len(c) + 1)[:, None]
    below = s[(c @ s ** np.arange(1, len(c) + 1)[:, None]) < -1e-6 * scale]
    found = springs.pushes_from(c)
    assert (found is None) == (len(below) == 0)
    assert found is None or found == pytest.approx(below[0], rel=1e-3, abs=2e-6)
    assert (min(springs.least_forces(c.tolist())) >= 0) == (found is None)


def test_polynomials_that_touch_zero_do_not_push() -> None:
    assert springs.pushes_from([1.0, -2.0, 1.0]) is None  # s (1 - s)²
    assert springs.pushes_from([1.0, 0.0, 0.0]) is None
    assert springs.pushes_from([0.0, 0.0, -1.0]) == 0.0
    assert springs.pushes_from([10.0, -100.0]) == pytest.approx(0.1)
    for c in ([1.0, -2.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, -2.0, 1.0], [1.0, -4.0, 6.0, -4.0, 1.0], [0.0, 0.0], [2.0]):
        assert min(springs.least_forces(c)) >= 0
    for c in ([0.0, 0.0, -1.0], [10.0, -100.0], [-1.0], [1.0, -2.001, 1.0], [1.0, 0.0, -1.0, 0.0], [0.0, -1.0, 1.0]):
        assert min(springs.least_forces(c)) < 0


def test_a_cable_that_would_push_is_refused_wherever_it_comes_from() -> None:
    cable = "polynomial: [0, 10, 'c'], rest_length: 0.1, tension_only: true, damping: 2"
    robot = loads(pendulum(cable).replace("name: pendulum", "name: pendulum\nvariables: {c: 3}"))
    model = gough.build(robot)
    for given in ({"changes": {"k.polynomial.c2": -40.0}}, {"variables": {"c": np.array([1.0, -40.0])}}):
        with pytest.raises(UsageError, match=r"k.polynomial = 0, 10, -40 is below 0 from 0.25 above rest on"):
            model.bias_force([0.3], [0.0], parameters=model.parameters_with(**given))
    with pytest.raises(
        DescriptionError, match=r"springs\[0\].polynomial: a polynomial below 0 from rest_length \+ 0.25"
    ):
        robot.with_variables({"c": -40.0})
    function = model.function("bias_force", variables=True)
    state = {slot.name: np.zeros(slot.shape) for slot in function.program.inputs} | {"q": np.array([0.3])}
    found = function(**state | {"variables": np.array([[0.0], [-40.0]])})
    assert found.status.tolist() == [Status.OK, Status.DESIGN]
    with pytest.raises(DescriptionError, match=r"polynomial\[0\]: a force at rest"):
        loads(
            pendulum("polynomial: ['c-3', 2], tension_only: true").replace(
                "name: pendulum", "name: p\nvariables: {c: 3}"
            )
        )


PENDULUM = """
format: 2
name: pendulum
bodies: [{name: a, mass: 1.3, center_of_mass: [0.1, 0.02, 0]}]
joints: [{name: R, type: revolute, parent: world, child: a, drive: {}, SPRING}]
springs: [{name: k, from: {body: world, position: [0.3, 0.1, 0]}, to: {body: a, position: [0.2, 0, 0.05]}, OTHER}]
"""
WRITTEN = {
    "table": "table: [[0.05, -2], [100 mm, 0], [0.3, 0.5 N], [0.4, 4]]",
    "polynomial": "polynomial: [0.5, 20, -30, 100], rest_length: 0.1, preload: 1",
    "cable": "stiffness: 30, rest_length: 0.2, tension_only: true",
    "rounded": "stiffness: 30, rest_length: 0.2, tension_only: true, rounding: 0.15, damping: 0.4",
    "passing": "stiffness: 30, rest_length: 0.2, clearance: 0.1, preload: 2, damping: 0.4",
}


def pendulum(between: str = "stiffness: 0", inside: str = "{stiffness: 0}") -> str:
    return PENDULUM.replace("OTHER", between).replace("SPRING", f"spring: {inside}")


@pytest.mark.parametrize("name", WRITTEN)
def test_numbers_are_inputs_and_derivatives_those_of_the_piece(name: str) -> None:
    """A second design through the same program, against its own model; dh/dq and d(energy)/dq by differences and forces."""
    text = pendulum(WRITTEN[name], "{polynomial: [0, 2, 1], rest: 0.2, tension_only: true, rounding: 0.5 rad}")
    robot = loads(text)
    assert loads(dumps(robot)) == robot
    model = gough.build(robot)
    q = np.linspace(-2.9, 2.9, 21)[:, None]
    still, one, numbers = np.zeros_like(q), np.ones_like(q), model.parameters
    h = model.bias_force(q, still)[:, 0]
    slope = model.function("energies").derivative("q", "jvp")(q=q, v=still, parameters=numbers, d_q=one)
    assert np.allclose(slope.outputs["d_potential"], h, rtol=1e-11, atol=1e-11)
    step = 1e-6
    around = [model.bias_force(q + s, still)[:, 0] for s in (step, -step)]
    dh = model.function("bias_force").derivative("q", "jvp")(q=q, v=still, parameters=numbers, d_q=one)
    assert np.allclose(dh.outputs["d_h"][:, 0], (around[0] - around[1]) / (2 * step), rtol=1e-5, atol=1e-4)
    own = [i for i, name in enumerate(model.mechanism.table.names) if name.startswith(("k.", "R.spring"))]
    for i in [i for i in own if i not in model.pattern]:
        d_h = model.function("bias_force").derivative("parameters", "jvp")
        along = np.zeros(len(numbers))
        along[i] = 1.0
        ahead, back = (model.bias_force(q, one, parameters=numbers + s * along)[:, 0] for s in (step, -step))
        found = d_h(q=q, v=one, parameters=numbers, d_parameters=along).outputs["d_h"][:, 0]
        assert np.allclose(found, (ahead - back) / (2 * step), rtol=1e-5, atol=1e-4), model.mechanism.table.names[i]


def test_a_table_that_does_not_grow_is_refused_wherever_it_comes_from() -> None:
    model = gough.build(loads(pendulum(WRITTEN["table"])))
    values = model.parameters.copy()
    values[model.mechanism.table.names.index("k.table.2.at")] = 0.09
    with pytest.raises(UsageError, match=r"k.table.2.at is not above k.table.1.at"):
        model.bias_force([0.3], [0.0], parameters=values)


@pytest.mark.parametrize(
    ("between", "place", "message"),
    [
        ("stiffness: 3, table: [[0, 0], [1, 2]]", "springs[0].table", "beside stiffness"),
        ("table: [[0, 0], [0, 2]]", "springs[0].table[1][0]", "not above the one before it"),
        ("table: [[0, 0]]", "springs[0].table", "a table of 1 points"),
        ("table: [[0, 0], [1, 2, 3]]", "springs[0].table[1]", "3 entries instead of 2"),
        ("table: [[0, 0], [1 kg, 2]]", "springs[0].table[1][0]", "another dimension"),
        ("table: [[0, 0], [1, 2]], rest_length: 0.1", "springs[0].rest_length", "beside a table"),
        ("table: [[0, 0], [1, 2]], tension_only: true", "springs[0].tension_only", "beside a table"),
        ("polynomial: []", "springs[0].polynomial", "without coefficients"),
        ("polynomial: [1, 2], tension_only: true", "springs[0].polynomial[0]", "a force at rest"),
        ("polynomial: [0, 10, -100], tension_only: true", "springs[0].polynomial", "below 0 from rest_length + 0.1 on"),
        ("stiffness: 3, rounding: 0.1", "springs[0].rounding", "without a corner"),
        ("stiffness: 3, preload: 1, tension_only: true", "springs[0].preload", "begins with no force"),
        ("tension_only: true, damping: 3", "springs[0].tension_only", "without stiffness"),
        ("stiffness: 3, tension_only: 1", "springs[0].tension_only", "neither true nor false"),
        ("stiffness: 3, clearance: -1", "springs[0].clearance", "negative"),
    ],
)
def test_what_is_refused(between: str, place: str, message: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        loads(pendulum(between))
    told = str(caught.value)
    assert place in told
    assert message in told
    with pytest.raises(DescriptionError, match="format 2"):
        loads(pendulum("table: [[0, 0], [1, 2]]").replace("format: 2", "format: 1"))
