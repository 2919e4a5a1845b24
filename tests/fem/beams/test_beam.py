"""Beams against closed forms: deflections, frequencies, convergence, shortening; bad input named."""

import numpy as np
import pytest
from scipy.linalg import eigh

from fem.element_bodies import freedom_count
from gough.errors import UsageError
from gough.fem import GivenSection, Material, Rectangle, Tube, beam_elements
from gough.fem.beams._straight import STATIONS

STEEL = Material(2.1e11, 7850.0, poisson=0.3)
BAR = Rectangle(0.02, 0.03)
L = 0.8
DIRECTION = np.array([0.48, 0.6, 0.64])
END = [[0, 0, 0], (L * DIRECTION).tolist()]
Y = np.array([0.8, 0.0, -0.6])  # across DIRECTION


def circular(elements, held, count):
    """First circular frequencies with the freedoms `held` fixed, from dense matrices."""
    free = np.setdiff1d(np.arange(freedom_count(elements)), held)
    K, M = elements.K.toarray()[np.ix_(free, free)], elements.M.toarray()[np.ix_(free, free)]
    return np.sqrt(np.maximum(eigh(K, M, eigvals_only=True), 0))[:count]


def tip(elements, force, moment):
    """Displacement and rotation of the last node under a load there, first node clamped."""
    K = elements.K.toarray()
    x = np.zeros(len(K))
    load = np.zeros(len(K))
    load[-6:] = [*force, *moment]
    x[6:] = np.linalg.solve(K[6:, 6:], load[6:])
    return x[-6:-3], x[-3:]


@pytest.mark.parametrize("theory", ["euler_bernoulli", "timoshenko"])
@pytest.mark.parametrize("elements", [1, 5])
def test_cantilever_under_every_load(theory, elements):
    """Exact for end loads at any number of elements: stretching, torsion, bending about both axes, shear."""
    e = beam_elements(END, BAR, STEEL, elements=elements, theory=theory, section_y=Y)
    E, G, A = STEEL.young, STEEL.G, BAR.area
    z = np.cross(DIRECTION, Y)
    shear = L / (0.8497 * G * A) if theory == "timoshenko" else 0.0
    for across, turn, I in ((Y, z, 0.03 * 0.02**3 / 12), (z, -Y, 0.02 * 0.03**3 / 12)):
        moved, turned = tip(e, 1e3 * across, np.zeros(3))
        assert moved == pytest.approx(1e3 * (L**3 / (3 * E * I) + shear) * across, rel=2e-6, abs=1e-12)
        assert turned == pytest.approx(1e3 * L**2 / (2 * E * I) * turn, rel=1e-8, abs=1e-12)
        moved, turned = tip(e, np.zeros(3), 50 * turn)
        assert moved == pytest.approx(50 * L**2 / (2 * E * I) * across, rel=1e-8, abs=1e-12)
        assert turned == pytest.approx(50 * L / (E * I) * turn, rel=1e-8, abs=1e-12)
    assert tip(e, 1e3 * DIRECTION, np.zeros(3))[0] == pytest.approx(1e3 * L / (E * A) * DIRECTION, rel=1e-8, abs=1e-14)
    assert tip(e, np.zeros(3), DIRECTION)[1] == pytest.approx(L / (G * BAR.J) * DIRECTION, rel=1e-8, abs=1e-14)


def test_free_beam_frequencies_converge_with_the_fourth_power():
    wave = np.array([4.730040744862704, 7.853204624095838])
    exact = wave**2 / L**2 * np.sqrt(STEEL.young * 0.02**2 / 12 / STEEL.density)
    errors = []
    for n in (8, 16, 32):
        e = beam_elements([[0, 0], [L, 0]], BAR, STEEL, elements=n, plane=True)
        errors.append(circular(e, [], 5)[3:] / exact - 1)
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.array(errors) > 0)  # consistent mass: from above
    assert rates == pytest.approx(4.0, abs=0.15)


def test_cantilever_frequencies():
    e = beam_elements(END, BAR, STEEL, elements=12, section_y=Y)
    seen = circular(e, np.arange(6), 2)
    thin = 1.875104068711961**2 / L**2 * np.sqrt(STEEL.young / STEEL.density / 12) * np.array([0.02, 0.03])
    assert seen == pytest.approx(thin, rel=2e-6)


def test_torsion_and_axial_waves():
    """A clamped bar's first torsional and axial frequencies: (π/2L) of the wave speeds."""
    e = beam_elements([[0, 0, 0], [L, 0, 0]], BAR, STEEL, elements=20, section_y=(0, 1, 0))
    along = np.setdiff1d(np.arange(freedom_count(e)), np.arange(6, freedom_count(e), 6))
    twist = np.setdiff1d(np.arange(freedom_count(e)), np.arange(9, freedom_count(e), 6))
    axial = np.pi / (2 * L) * np.sqrt(STEEL.young / STEEL.density)
    spin = np.pi / (2 * L) * np.sqrt(STEEL.G * BAR.J / (STEEL.density * (BAR.Iy + BAR.Iz)))
    assert circular(e, along, 1)[0] == pytest.approx(axial, rel=3e-4)
    assert circular(e, twist, 1)[0] == pytest.approx(spin, rel=3e-4)


def pinned_error(depth, elements, mode):
    """Relative error of a pinned Timoshenko beam's frequency; ω² is the smaller root of a quadratic."""
    k = 10 * 1.3 / (12 + 11 * 0.3)
    S, EI, m, J = k * STEEL.G * depth, STEEL.young * depth**3 / 12, STEEL.density * depth, STEEL.density * depth**3 / 12
    e = beam_elements(
        [[0, 0], [L, 0]], Rectangle(depth, 1.0), STEEL, elements=elements, theory="timoshenko", plane=True
    )
    seen = circular(e, [0, 1, freedom_count(e) - 2], freedom_count(e))
    w = mode * np.pi / L
    b = S * w**2 * J + m * (EI * w**2 + S)
    root = 2 * S * EI * w**4 / (b + np.sqrt(b**2 - 4 * m * J * S * EI * w**4))
    return np.min(np.abs(seen / np.sqrt(root) - 1))


@pytest.mark.parametrize("depth", [0.2, 0.02, 2e-4])
def test_timoshenko_beam_on_two_supports(depth):
    """Thick and very thin beams alike (no locking); a thick one converges with the square of the element's length."""
    for mode, tolerance in ((1, 1e-4), (2, 1e-3), (3, 4e-3)):
        assert pinned_error(depth, 24, mode) < tolerance * (1 if depth > 0.1 else 0.05)
    if depth > 0.1:
        assert np.log2(pinned_error(depth, 16, 1) / pinned_error(depth, 32, 1)) > 1.9


def test_patch_constant_strain_curvature_and_twist():
    """Energy of constant stretching, bending and torsion over uneven elements is the closed form."""
    s = np.array([0.0, 0.1, 0.35, 0.5, 0.9])
    e = beam_elements(np.outer(s, DIRECTION), BAR, STEEL, elements=[1, 2, 1, 3], section_y=Y)
    at = e.nodes @ DIRECTION
    z, x = np.cross(DIRECTION, Y), np.zeros((len(at), 6))
    x[:, :3] = 1e-3 * at[:, None] * DIRECTION + 0.5 * 0.02 * at[:, None] ** 2 * Y
    x[:, 3:] = 0.03 * at[:, None] * DIRECTION + 0.02 * at[:, None] * z
    strain = STEEL.young * BAR.area * 1e-3**2 + STEEL.young * BAR.Iz * 0.02**2 + STEEL.G * BAR.J * 0.03**2
    assert x.ravel() @ e.K @ x.ravel() == pytest.approx(0.9 * strain, rel=1e-10)
    inner = (e.K @ x.ravel()).reshape(-1, 6)[1:-1]
    assert np.max(np.abs(inner)) < 1e-7 * STEEL.young * BAR.area * 1e-3


def centreline_slopes(e, basis, per_station, section_axes):
    """Slopes across each element as polynomials: cubics through 4 stations and 2 nodes of its displacement."""
    m = basis.shape[1]
    field = (e.field @ basis).reshape(-1, 4, per_station, 3, m).mean(axis=2)
    at = e.position.reshape(-1, 4, per_station, 3).mean(axis=2)
    node = (e.translation @ basis).reshape(-1, 3, m)
    for i in range(len(e.cells)):
        start, end = e.nodes[i], e.nodes[i + 1]
        length = np.linalg.norm(end - start)
        t = (end - start) / length
        s = np.concatenate([[0], (at[i] - start) @ t, [length]])
        moved = np.concatenate([node[i][None], field[i], node[i + 1][None]])
        across = moved - np.einsum("sxm,x,y->sym", moved, t, t)
        fit = np.polynomial.polynomial.polyfit(s, across.reshape(len(s), -1), 3)
        yield length, t, (at[i] - start) @ t, np.polynomial.polynomial.polyder(fit).reshape(3, 3, m)


@pytest.mark.parametrize("theory", ["euler_bernoulli", "timoshenko"])
@pytest.mark.parametrize("plane", [False, True])
def test_shortening_against_a_fine_integral(theory, plane):
    """Ψ_kl = -∫ slope_k · slope_l along every segment, added up from the start."""
    points = [[0, 0, 0], [0.5, 0.2, 0], [0.6, 0.9, 0]] if plane else [[0, 0, 0], [0.5, 0.2, 0.3], [0.1, 0.9, 0.5]]
    up = None if plane else (0.2, 0.1, 1.0)
    e = beam_elements(points, Rectangle(0.1, 0.15), STEEL, elements=2, theory=theory, plane=plane, section_y=up)
    basis = np.random.default_rng(2).normal(size=(freedom_count(e), 3))
    assert e.shortening is not None
    second = e.shortening(basis)
    assert second.sampled is not None
    at_points, at_nodes = second.at_points, second.at_nodes
    per_station = len(at_points) // (STATIONS * len(e.cells))
    start = np.zeros((3, 3, 3))
    assert np.max(np.abs(at_nodes[0])) == 0
    for i, (length, t, _, slope) in enumerate(centreline_slopes(e, basis, per_station, None)):

        def drawn(s, slope=slope):
            fine = np.linspace(0, s, 4001)
            value = np.polynomial.polynomial.polyval(fine, slope)
            product = np.einsum("xks,xls->kls", value, value)
            step = fine[1]
            return -step * (product.sum(axis=-1) - 0.5 * (product[..., 0] + product[..., -1]))

        places = second.sampled[1].reshape(-1, STATIONS, per_station, 3).mean(axis=2)[i]
        for q, s in enumerate((places - e.nodes[i]) @ t):
            expected = start + np.einsum("x,kl->xkl", t, drawn(s))
            for p in range(per_station):
                seen = at_points[(STATIONS * i + q) * per_station + p]
                assert np.max(np.abs(seen - expected)) < 1e-6 * np.max(np.abs(expected))
        start = start + np.einsum("x,kl->xkl", t, drawn(length))
        assert np.max(np.abs(at_nodes[i + 1] - start)) < 1e-6 * np.max(np.abs(start))


def test_large_rotation_of_an_inextensible_cantilever():
    """½ eᵀ Ψ e is the end's true motion along the beam to second order: a circle of small curvature."""
    e = beam_elements([[0, 0], [L, 0]], BAR, STEEL, elements=4, plane=True)
    curvature = 0.02
    x = np.zeros((len(e.nodes), 3))
    x[:, 1], x[:, 2] = curvature * e.nodes[:, 0] ** 2 / 2, curvature * e.nodes[:, 0]
    assert e.shortening is not None
    nodes = e.shortening(x.reshape(-1, 1)).at_nodes
    true = np.sin(curvature * L) / curvature - L
    assert nodes[-1, 0, 0, 0] / 2 == pytest.approx(true, rel=1e-4)


def test_plane_and_space_agree():
    points = [[0, 0, 0], [0.3, 0.1, 0], [0.5, 0.6, 0]]
    flat = beam_elements(points, BAR, STEEL, elements=3, plane=True)
    tube = beam_elements(points, Tube(0.02, 0.003), STEEL, elements=3)
    again = beam_elements(points, Tube(0.02, 0.003), STEEL, elements=3, plane=True)
    assert freedom_count(flat) == 3 * 7 and freedom_count(tube) == 6 * 7
    keep = (6 * np.arange(7)[:, None] + [0, 1, 5]).ravel()
    for a, b in ((tube.K, again.K), (tube.M, again.M)):
        a = a.toarray()[np.ix_(keep, keep)]
        assert np.max(np.abs(a - b.toarray())) < 1e-12 * np.max(np.abs(a))


def test_given_numbers_of_the_spin_up_beam():
    """EA, GA, EI, ρA, ρI as they are: the matrices are those of the numbers [Simo and Vu-Quoc]."""
    section = GivenSection(area=1.0, Iz=5e-4, ky=1.0)
    material = Material(young=2.8e7, density=1.2, shear=1e7)
    e = beam_elements([[0, 0], [10, 0]], section, material, elements=1, theory="timoshenko", plane=True)
    assert e.K[0, 0] == pytest.approx(2.8e6) and e.mass.sum() == pytest.approx(12.0)
    phi = 12 * 1.4e4 / (1e7 * 100)
    assert e.K[1, 1] == pytest.approx(12 * 1.4e4 / (1000 * (1 + phi)))
    spin = e.mass @ (e.position[:, 1] ** 2)
    assert spin == pytest.approx(6e-4 * 10)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"points": [[0, 0, 0]]}, "at least two"),
        ({"points": [[0, 0, 0], [0, 0, 0], [1, 0, 0]]}, "points 0 and 1 coincide"),
        ({"points": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]]}, "points 0 and 3 coincide"),
        ({"points": [[0, 0, 0], [1, 0, float("inf")]]}, "finite"),
        ({"elements": 0}, "elements = 0"),
        ({"elements": [1, 2]}, r"elements = \[1, 2\]"),
        ({"section": [BAR, BAR]}, "2 sections for 1 segments"),
        ({"theory": "rayleigh"}, "theory = 'rayleigh'"),
        ({"section_y": None}, "say with section_y"),
        ({"section_y": (1, 0, 0)}, "is along segment 0"),
        ({"plane": True}, "leave section_y out"),
        ({"plane": True, "section_y": None, "points": [[0, 0, 0], [1, 0, 1]]}, "same z"),
        ({"section": GivenSection(area=1e-3, Iz=1e-8)}, "needs Iy and J"),
        ({"section": GivenSection(1e-3, 1e-8, 1e-8, 1e-8), "theory": "timoshenko"}, "shear factor ky"),
        ({"section": GivenSection(1e-3, 1e-8, 1e-8, 1e-8, ky=1.0), "theory": "timoshenko"}, "needs kz"),
        ({"theory": "timoshenko", "material": Material(1e10, 500.0, shear=6e8)}, "makes Poisson's ratio 7.3"),
    ],
)
def test_bad_input_is_named(changes, message):
    arguments = {"points": [[0, 0, 0], [1, 0, 0]], "section": BAR, "material": STEEL, "section_y": (0, 1, 0)} | changes
    with pytest.raises(UsageError, match=message):
        beam_elements(**arguments)
