"""The gallery's flexible robots against the numbers of their papers and benchmarks, and against independent models of them."""

from __future__ import annotations

import math
import warnings
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from scipy.optimize import fsolve

import gough
from gough.fem import ElasticBody
from gough.robot import Flexible, Robot, load
from reference.flexible.described import elastic_bodies, tied_frame

STEP = 1e-6

DUALEMPS = {  # one element each: the numbers of an energy model; refined: those printed; eight elements: the energy model's
    "dualemps": ([14.207, 25.042, 48.156, 91.907, 110.326, 436.197], 3),
    "dualemps_refined": ([14.22, 25.09, 48.22, 92.37, 109.08, 423.39], 2),
    "dualemps_8": ([14.18, 24.52, 45.91, 89.80, 105.38, 188.54], 2),
}
MINDLIN = [188.553, 188.553, 315.914, 399.856, 475.576, 701.663, 701.663, 753.335, 753.335, 1181.74]
"""Free modes 7 to 16 of Long's plate, rad/s: a converged Mindlin plate."""
FORCES = [-599.8, -409.7, 1918.5, -976.3, -122.8, 1528.0]
"""Drive forces that hold Long's robot at its initial pose, N."""


@cache
def model(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.robot.UnphysicalInertiaWarning)
        return gough.build(name)


@cache
def long_plate(stated: bool = True) -> ElasticBody:
    """Long's plate, with the stiffnesses of Table 2 or with its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.robot.UnphysicalInertiaWarning)
        robot = load("long2014")
    return elastic_bodies(robot if stated else without_stated_stiffness(robot))["platform"]


def without_stated_stiffness(robot: Robot) -> Robot:
    assert not isinstance(robot.platform, str) and robot.platform is not None
    body = robot.platform.body
    assert body.flexible is not None
    flexible = body.flexible.model_copy(update={"stiffness": None})
    platform = robot.platform.model_copy(update={"body": body.model_copy(update={"flexible": flexible})})
    return robot.model_copy(update={"platform": platform})


def locked_frequencies(m: gough.Model) -> np.ndarray:
    """Hz, drives locked at home, undeformed: stiffness by differences of the forces at rest."""
    at_rest, inside = np.zeros(m.layout.nv), slice(m.mobility, m.layout.nv)
    columns = np.eye(m.layout.nv)[inside] * STEP
    q = m.integrate(np.tile(m.home, (2 * len(columns), 1)), np.concatenate([columns, -columns]))
    ahead, behind = np.split(m.bias_force(q, np.tile(at_rest, (len(q), 1))), 2)
    K = (ahead - behind)[:, inside] / (2 * STEP)
    return np.sqrt(eigh((K + K.T) / 2, m.mass_matrix(m.home)[inside, inside])[0]) / (2 * np.pi)


@pytest.mark.parametrize("name", ["dualemps", "dualemps_refined", pytest.param("dualemps_8", marks=pytest.mark.slow)])
def test_natural_frequencies_of_dualemps(name: str) -> None:
    """[Briot 2014, Table 3], sliders locked at q11 = q21 = 0."""
    expected, digits = DUALEMPS[name]
    np.testing.assert_array_equal(np.round(locked_frequencies(model(name))[:6], digits), expected)


def test_geometry_of_dualemps() -> None:
    m = model("dualemps")
    q = dict(zip(m.layout.q_names, m.home, strict=True))
    assert np.degrees([q["q12"], q["q22"]]) == pytest.approx([70.53, 109.47], abs=5e-3)
    assert np.degrees(q["q12"] - q["q22"]) == pytest.approx(-38.94, abs=5e-3)
    leg = np.array([math.cos(q["q12"]), 0, math.sin(q["q12"])])
    np.testing.assert_allclose(m.frame_pose(m.home, "link14.pin")[0], 0.6 * leg, atol=1e-12)
    np.testing.assert_allclose(m.frame_pose(m.home, "link17")[0], 0.805 * leg, atol=1e-12)
    assert m.layout.n_elastic == 9 and m.mobility == 2


def test_inertias_of_dualemps_are_those_of_table_2_to_its_digits() -> None:
    """The beams' mass, first and second moments about their origin, from size and density."""
    for name, mass, mx, zz in (
        ("link13", 0.252, 0.057, 0.017),
        ("link16", 0.078, 0.005, 5.12e-4),
        ("link23", 0.252, 0.057, 0.017),
    ):
        body = elastic_bodies(load("dualemps"))[name]
        np.testing.assert_allclose([body.mass, body.MS[0], body.J[2, 2]], [mass, mx, zz], rtol=0.1)
        assert body.mass == pytest.approx(mass, abs=5e-4)


def test_modes_of_long_s_plate() -> None:
    """Computed frequencies are those of a converged plate; Table 2's stiffnesses take their place in the file."""
    own, stated = long_plate(stated=False), long_plate()
    np.testing.assert_allclose(2 * np.pi * own.frequencies_hz, MINDLIN, rtol=2e-4)
    table = [188.7473, 188.7475, 315.7169, 401.0187, 474.7468, 709.5586, 709.5814, 828.2868, 828.3062, 1310.581]
    np.testing.assert_allclose(2 * np.pi * stated.frequencies_hz, table, rtol=1e-6)
    np.testing.assert_allclose(np.diag(stated.D), 2 * 0.4 * np.sqrt(np.diag(stated.K)), rtol=1e-14)
    assert stated.mass == pytest.approx(73.0709, abs=5e-5)
    assert not stated.MSde.any()  # only rigid motions move the mass centre


def test_members_of_long_s_pairs() -> None:
    """Mode 16 is even about x and positive at the vertex at 0°; mode 11 is zero at all vertices."""
    angles = np.radians(60.0 * np.arange(6))
    vertices = 0.5 * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    w = np.array([tied_frame(long_plate(), np.round(v, 16)).translation[2] for v in vertices])
    assert w[0, 9] > 0.3
    np.testing.assert_allclose(w[[1, 2], 9], w[[5, 4], 9], atol=1e-4)
    np.testing.assert_allclose(w[:, 4], 0.0, atol=1e-3)
    for even, odd in ((0, 1), (5, 6), (7, 8)):
        assert w[0, even] > 0.3 and abs(w[0, odd]) < 1e-9


@pytest.mark.slow
def test_static_forces_of_long_s_robot() -> None:
    m = model("long2014")
    rest, hold = np.zeros(m.layout.nv), np.zeros(6)

    def bent(e: np.ndarray) -> np.ndarray:
        return m.configuration(pose=m.home[:7], elastic=e)

    e = np.asarray(fsolve(lambda e: m.inverse_dynamics(bent(e), rest, hold).eddot, np.zeros(10)))
    np.testing.assert_array_equal(np.round(m.inverse_dynamics(bent(e), rest, hold).tau, 1), FORCES)


def spin(m: gough.Model, e: np.ndarray, rate: float, e_rate: np.ndarray, acceleration: float) -> np.ndarray:
    """Elastic accelerations of the spin-up beam."""
    return m.inverse_dynamics(np.append(e, 0.0), np.append(rate, e_rate), [acceleration]).eddot


def tip(m: gough.Model, e: np.ndarray) -> np.ndarray:
    return m.frame_pose(np.append(e, 0.0), "beam.tip")[0]


@pytest.mark.parametrize("exact", [False, True])
def test_steady_extension_of_the_spinning_beam(exact: bool) -> None:
    m = exact_beam() if exact else model("spin_up_beam")
    still = np.zeros(m.layout.n_elastic)
    e = np.asarray(fsolve(lambda e: spin(m, e, 6.0, still, 0.0), still, xtol=1e-14))
    np.testing.assert_allclose(tip(m, e) - [10, 0, 0], [5.142857e-4, 0, 0], atol=1e-7)


def exact_beam() -> gough.Model:
    """The spin-up beam with the exact kinetic energy of its shortening."""
    robot = load("spin_up_beam")
    (body,) = robot.bodies
    assert isinstance(body.flexible, Flexible)
    exact = body.flexible.model_copy(update={"stiffening": "on"})
    return gough.build(robot.model_copy(update={"bodies": (body.model_copy(update={"flexible": exact}),)}))


@pytest.mark.slow
@pytest.mark.parametrize(("exact", "peak", "time"), [(False, -0.5744, 6.76), (True, -0.5759, 6.77)])
def test_the_beam_that_spins_up(exact: bool, peak: float, time: float) -> None:
    """The published peak, and what one body makes of it where nothing is left out: a beam cut into ever more bodies tends to
    -0.5738 m in both forms."""
    m = exact_beam() if exact else model("spin_up_beam")
    n = m.layout.n_elastic
    m.function("inverse_dynamics").compile()

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        turn = 2 * math.pi * t / 15
        rate, acceleration = 0.4 * (t - 15 / (2 * math.pi) * math.sin(turn)), 0.4 * (1 - math.cos(turn))
        return np.concatenate([x[n:], spin(m, x[:n], rate, x[n:], acceleration)])

    times = np.linspace(0, 8, 801)
    run = solve_ivp(slope, (0, 8), np.zeros(2 * n), method="Radau", rtol=1e-6, atol=1e-9, t_eval=times)
    bent = np.array([tip(m, e)[1] for e in run.y[:n].T])
    assert round(float(bent.min()), 4) == peak
    assert times[bent.argmin()] == pytest.approx(time, abs=0.011)


def test_the_slider_crank_assembles() -> None:
    m = model("flexible_slider_crank")
    assert m.closure_error(m.home) < 1e-12
    q = m.configuration(coordinates={"crank": 0.3}, elastic=np.zeros(m.layout.n_elastic))
    rod = math.asin(0.15 * math.sin(0.3) / 0.3)
    assert q[m.layout.index("slide")] == pytest.approx(0.15 * math.cos(0.3) + 0.3 * math.cos(rod), abs=1e-10)
    assert elastic_bodies(m.robot)["rod"].mass == pytest.approx(0.151104, rel=1e-9)


def test_friction_at_a_tied_point_cannot_be_freed() -> None:
    """A ball without friction holds a flexible body at a point; freeing its friction would miss a moment on the plate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(gough.UsageError, match="not 0 in the description"):
            gough.build("long2014", free=["leg0.ball.friction.viscous"])
