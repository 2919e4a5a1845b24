"""Plates: the hexagon of [Long 2014], supported squares in closed form, patch tests, the thin limit, bad input."""

from functools import cache

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh

from fem.element_bodies import SKEW, STEEL, freedom_count, solved
from gough.errors import UsageError
from gough.fem import Material, mesh_polygon, plate_elements
from gough.fem._plates import NAMES, argyris
from gough.fem.meshing.polygon import with_layer

ANGLES = np.arange(6) * np.pi / 3
HEXAGON = 0.5 * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
LONG = Material(2e10, 7500.0, poisson=0.3)
# Free–free circular frequencies 7/8, 9, 10, 11, 12/13, 14/15, 16 (rad/s) by Ritz, degree 28: tests/reference/elements/ritz.py.
CONVERGED = {
    "mindlin": [188.552, 315.914, 399.851, 475.575, 701.661, 753.330, 1181.74],
    "kirchhoff": [189.288, 316.437, 404.191, 477.116, 705.440, 761.353, 1197.32],
}
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def circular(e, count, held=()):
    free = np.setdiff1d(np.arange(freedom_count(e)), held)
    K, M = e.K[free][:, free].tocsc(), e.M[free][:, free].tocsc()
    value = eigsh(K, count, M, sigma=-1e-3 * K.diagonal().mean() / M.diagonal().mean(), return_eigenvectors=False)
    return np.sqrt(np.abs(np.sort(value)))


@pytest.mark.parametrize("theory", CONVERGED)
def test_hexagonal_platform(theory):
    """[Long 2014, Table 2]'s plate: every frequency of the converged models to 0.01 %, mass exact, pairs degenerate."""
    e = plate_elements(HEXAGON, 0.015, LONG, size=0.125, theory=theory)
    assert e.mass.sum() == pytest.approx(7500 * 0.015 * 1.5 * np.sqrt(3) * 0.25, rel=1e-12)
    w = circular(e, 14)[3:]
    assert w[[0, 2, 3, 4, 5, 7, 9]] == pytest.approx(CONVERGED[theory], rel=1e-4)
    assert w[[1, 6, 8]] == pytest.approx(w[[0, 5, 7]], rel=1e-7)


def supported_square(theory, thickness, size):
    """First circular frequencies of a square held at its sides: w = 0 and no turning along them."""
    e = plate_elements(SQUARE, thickness, STEEL, size=size, theory=theory)
    mesh = mesh_polygon(SQUARE, size)
    if theory == "mindlin":
        mesh = with_layer(mesh, thickness)
    on = np.unique(mesh.boundary)
    held = [6 * on]
    for axis, derivative in ((0, 2), (1, 1)):  # along the sides x = const: w_y and w_yy; y = const: w_x and w_xx
        there = on[np.min(np.abs(mesh.nodes[on, axis, None] - [0.0, 1.0]), axis=1) < 1e-9]
        held += [6 * there + derivative, 6 * there + (5 if derivative == 2 else 3)]
    if theory == "mindlin":
        import skfem

        triangles = skfem.MeshTri(mesh.nodes.T.copy(), mesh.triangles.T.copy())
        cubic = skfem.Basis(triangles, skfem.ElementTriP3())
        first = freedom_count(e) - 2 * cubic.N
        for axis, offset in ((0, cubic.N), (1, 0)):
            for side in (0.0, 1.0):
                facets = triangles.facets_satisfying(lambda x, a=axis, s=side: np.abs(x[a] - s) < 1e-9)
                held.append(first + offset + cubic.get_dofs(facets).all())
    return circular(e, 4, np.concatenate(held))


def exact_square(thickness, waves):
    """Navier's solution with shear (k = 5/6) and rotary inertia, and without."""
    q2 = np.pi**2 * waves
    D = STEEL.young * thickness**3 / (12 * (1 - STEEL.nu**2))
    S, m, J = 5 / 6 * STEEL.G * thickness, STEEL.density * thickness, STEEL.density * thickness**3 / 12
    b = S * q2 * J + m * (D * q2 + S)
    sheared = 2 * S * D * q2**2 / (b + np.sqrt(b**2 - 4 * m * J * S * D * q2**2))
    return {"mindlin": np.sqrt(sheared), "kirchhoff": np.sqrt(D / m) * q2}


@pytest.mark.parametrize("thickness", [0.1, 0.01, 1e-4])
@pytest.mark.parametrize("theory", CONVERGED)
def test_supported_square(theory, thickness):
    """Thick to very thin (no locking)."""
    seen = supported_square(theory, thickness, 0.2)
    assert seen == pytest.approx(exact_square(thickness, np.array([2.0, 5.0, 5.0, 8.0]))[theory], rel=5e-5)


def test_convergence_of_the_supported_square():
    """Quintic elements: frequencies converge with the eighth power of the size."""
    exact = exact_square(0.01, np.array([2.0, 5.0, 5.0, 8.0]))["kirchhoff"]
    coarse, fine = (supported_square("kirchhoff", 0.01, s)[1:] / exact[1:] - 1 for s in (0.5, 0.25))
    assert np.all(fine > 0)
    assert np.log2(coarse / fine).min() > 7


@cache
def skewed(theory):
    """A plate of any shape with membrane, and its points in the plate's own axes."""
    outline = np.array([[0.0, 0.0], [1.2, 0.1], [1.1, 1.1], [-0.1, 0.9]])
    arguments = {"size": 0.6, "theory": theory, "membrane": True, "rotary_inertia": True, "rotation": SKEW}
    e = plate_elements(outline, 0.03, STEEL, **arguments)
    x, y = outline.T
    return e, e.position @ SKEW, abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def freedoms(e, displacement):
    """Freedoms (d,) that move the points by displacement (g, 3) in the plate's axes; it must be possible exactly."""
    target = (displacement @ SKEW.T).ravel()
    x = solved(e.M, e.field.T @ (np.repeat(e.mass, 3) * target))
    assert np.max(np.abs(e.field @ x - target)) < 1e-9 * np.max(np.abs(target))
    return x


@pytest.mark.parametrize("theory", CONVERGED)
def test_patch_constant_curvature(theory):
    """w = quadratic, normals upright on it: energy ½ D (κx² + κy² + 2ν κx κy + ½(1-ν)(2κxy)²) A."""
    e, points, area = skewed(theory)
    x, y, z = points.T
    a, b, c = 0.7, -0.3, 0.4  # w_xx, w_yy, w_xy
    w = (a * x**2 + b * y**2) / 2 + c * x * y
    moved = np.column_stack([-z * (a * x + c * y), -z * (b * y + c * x), w])
    freedom = freedoms(e, moved)
    D = STEEL.young * 0.03**3 / (12 * (1 - 0.09))
    energy = D * (a**2 + b**2 + 2 * 0.3 * a * b + 0.7 / 2 * (2 * c) ** 2) * area
    assert freedom @ e.K @ freedom == pytest.approx(energy, rel=1e-7)
    turned = (e.rotation @ freedom).reshape(-1, 3) @ SKEW
    nx, ny, _ = (e.nodes @ SKEW).T
    assert turned == pytest.approx(np.column_stack([b * ny + c * nx, -(a * nx + c * ny), 0 * nx]), abs=1e-6)


@pytest.mark.parametrize("theory", CONVERGED)
def test_patch_constant_stretching(theory):
    """u, v linear: plane stress energy, and half the curl as rotation about the normal."""
    e, points, area = skewed(theory)
    gradient = 1e-3 * np.array([[0.5, 0.9], [-0.2, 0.3]])
    moved = np.column_stack([points[:, :2] @ gradient.T, np.zeros(len(points))])
    freedom = freedoms(e, moved)
    xx, yy, xy = gradient[0, 0], gradient[1, 1], gradient[0, 1] + gradient[1, 0]
    energy = STEEL.young * 0.03 / 0.91 * (xx**2 + yy**2 + 0.6 * xx * yy + 0.35 * xy**2) * area
    assert freedom @ e.K @ freedom == pytest.approx(energy, rel=1e-7)
    turned = (e.rotation @ freedom).reshape(-1, 3) @ SKEW
    assert turned[:, 2] == pytest.approx((gradient[1, 0] - gradient[0, 1]) / 2, rel=1e-6)


def test_patch_constant_shear():
    """w linear with normals that stay: energy of the shear alone, no turning of the nodes."""
    e, points, area = skewed("mindlin")
    moved = np.zeros_like(points)
    moved[:, 2] = 1e-3 * (0.6 * points[:, 0] - 0.8 * points[:, 1])
    freedom = freedoms(e, moved)
    assert freedom @ e.K @ freedom == pytest.approx(5 / 6 * STEEL.G * 0.03 * 1e-6 * area, rel=1e-7)
    assert np.max(np.abs(e.rotation @ freedom)) < 1e-9


def test_thin_mindlin_is_kirchhoff():
    thin = [circular(plate_elements(HEXAGON, 1e-4, LONG, size=0.25, theory=t), 8)[3:] for t in CONVERGED]
    assert thin[0] == pytest.approx(thin[1], rel=3e-4)


def test_a_free_strip_vibrates_like_a_beam():
    """Without Poisson's ratio the strip's first bending and axial frequencies are the free beam's exactly."""
    cork = Material(7e10, 2700.0, poisson=0.0)
    L, b, h = 1.0, 0.1, 0.01
    e = plate_elements([[0, 0], [L, 0], [L, b], [0, b]], h, cork, size=0.1, membrane=True)
    seen = circular(e, 60)
    for exact in (
        4.730040744862704**2 / L**2 * np.sqrt(cork.young * h**2 / 12 / cork.density),
        7.853204624095838**2 / L**2 * np.sqrt(cork.young * h**2 / 12 / cork.density),
        np.pi / L * np.sqrt(cork.young / cork.density),
    ):
        assert np.min(np.abs(seen / exact - 1)) < 1e-6


def test_argyris_far_from_the_origin_keeps_its_digits():
    """Quintic deflections are met exactly on a small slim triangle a long way off."""
    nodes = np.array([[100.0, -50.0], [100.02, -50.0], [100.001, -49.9995]])
    space = argyris(nodes, np.array([[0, 1, 2]]), np.array([[0.3, 0.2], [0.1, 0.7]]))
    middle = nodes.mean(axis=0)
    x, y = ((nodes - middle) / 0.01).T
    # w = X³Y² + 2 X⁴ with X = (x - mx)/0.01
    s = 100.0
    parts = [
        x**3 * y**2 + 2 * x**4,
        s * (3 * x**2 * y**2 + 8 * x**3),
        s * 2 * x**3 * y,
        s**2 * (6 * x * y**2 + 24 * x**2),
        s**2 * 6 * x**2 * y,
        s**2 * 2 * x**3,
    ]
    freedom = np.zeros(21)
    freedom[:18] = np.array(parts).T.ravel()
    for k, edge in enumerate(((0, 1), (1, 2), (0, 2))):
        a, b = nodes[list(edge)]
        mx, my = ((a + b) / 2 - middle) / 0.01
        t = (b - a) / np.linalg.norm(b - a)
        freedom[18 + k] = -t[1] * s * (3 * mx**2 * my**2 + 8 * mx**3) + t[0] * s * 2 * mx**3 * my
    ordered = np.zeros(space.count)
    ordered[space.freedoms[0]] = freedom
    at = nodes[0] + np.array([[0.3, 0.2], [0.1, 0.7]]) @ (nodes[1:] - nodes[0])
    X, Y = ((at - middle) / 0.01).T
    assert space.values[NAMES[0]][0] @ freedom == pytest.approx(X**3 * Y**2 + 2 * X**4, rel=1e-8)
    assert space.values["_xy"][0] @ freedom == pytest.approx(s**2 * 6 * X**2 * Y, rel=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"thickness": -0.01}, "thickness = -0.01"),
        ({"theory": "reissner"}, "theory = 'reissner'"),
        ({"shear_factor": 0.0}, "shear_factor = 0.0"),
        ({"points": [[3, 3]]}, "point 0 .* off the body"),
        ({"rotation": np.diag([1, 1, -1])}, "right-handed"),
        ({"origin": [0, 0]}, "origin"),
        ({"material": Material(1e10, 500.0, shear=6e8)}, "Poisson's ratio"),
    ],
)
def test_bad_input_is_named(changes, message):
    arguments = {"outline": HEXAGON, "thickness": 0.01, "material": STEEL, "size": 0.25} | changes
    with pytest.raises(UsageError, match=message):
        plate_elements(**arguments)
