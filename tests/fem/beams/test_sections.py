"""Constants of cross-sections against polygon moments, torsion by finite elements, and printed values."""

import numpy as np
import pytest

from gough.errors import UsageError
from gough.fem import Circle, GivenSection, IBeam, Material, Rectangle, Tube, mesh_polygon

STEEL = Material(2.1e11, 7850.0, poisson=0.3)


def polygon_moments(corners):
    """(A, ∫ z² dA, ∫ y² dA) of a polygon in (y, z), by Green's theorem."""
    y, z = np.asarray(corners, dtype=float).T
    yn, zn = np.roll(y, -1), np.roll(z, -1)
    cross = y * zn - yn * z
    return cross.sum() / 2, (cross * (z**2 + z * zn + zn**2)).sum() / 12, (cross * (y**2 + y * yn + yn**2)).sum() / 12


def ring(radius, n=20000):
    angle = np.arange(n) * 2 * np.pi / n
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def i_corners(h, b, web, flange):
    y, z, c, w = h / 2, b / 2, h / 2 - flange, web / 2
    right = [(-y, -z), (-c, -z), (-c, -w), (c, -w), (c, -z), (y, -z)]
    corners = right + [(-a, -b) for a, b in right]
    return corners[::-1] if polygon_moments(corners)[0] < 0 else corners


def torsion_by_finite_elements(corners, size):
    """J = 2 ∫ φ with -Δφ = 2, φ = 0 on the boundary (Prandtl)."""
    import skfem

    mesh = mesh_polygon(corners, size)
    basis = skfem.Basis(skfem.MeshTri(mesh.nodes.T.copy(), mesh.triangles.T.copy()), skfem.ElementTriP2())
    laplace = skfem.BilinearForm(lambda u, v, _: u.grad[0] * v.grad[0] + u.grad[1] * v.grad[1]).assemble(basis)
    load = skfem.LinearForm(lambda v, _: 2.0 * v).assemble(basis)
    phi = skfem.solve(*skfem.condense(laplace, load, D=basis.get_dofs()))
    return float(load @ phi)


@pytest.mark.parametrize(
    ("section", "corners", "tolerance"),
    [
        (Rectangle(0.02, 0.05), [(-0.01, -0.025), (0.01, -0.025), (0.01, 0.025), (-0.01, 0.025)], 1e-12),
        (Circle(0.03), ring(0.03), 1e-6),
        (IBeam(0.2, 0.1, 0.0056, 0.0085), i_corners(0.2, 0.1, 0.0056, 0.0085), 1e-12),
    ],
)
def test_areas_and_second_moments(section, corners, tolerance):
    assert [section.area, section.Iy, section.Iz] == pytest.approx(polygon_moments(corners), rel=tolerance)


def test_tube_is_a_ring():
    tube = Tube(0.03, 0.004)
    expected = np.subtract(polygon_moments(ring(0.03)), polygon_moments(ring(0.026)))
    assert [tube.area, tube.Iy, tube.Iz] == pytest.approx(expected, rel=1e-6)
    assert pytest.approx(expected[1] + expected[2], rel=1e-6) == tube.J


@pytest.mark.parametrize(("y", "z"), [(0.02, 0.02), (0.02, 0.05), (0.02, 0.006)])
def test_torsion_of_rectangles(y, z):
    corners = [(0, 0), (y, 0), (y, z), (0, z)]
    assert pytest.approx(torsion_by_finite_elements(corners, min(y, z) / 6), rel=4e-3) == Rectangle(y, z).J


def test_torsion_of_an_i_is_that_of_its_strips_to_ten_percent():
    section = IBeam(0.2, 0.1, 0.0056, 0.0085)
    true = torsion_by_finite_elements(i_corners(0.2, 0.1, 0.0056, 0.0085), 0.005)
    assert pytest.approx(true, rel=0.1) == section.J


def test_shear_factors_printed_by_cowper():
    assert Rectangle(1.0, 2.0).shear_factors(STEEL) == pytest.approx((0.850, 0.850), abs=5e-4)
    assert Circle(1.0).shear_factors(STEEL)[0] == pytest.approx(0.886, abs=5e-4)
    assert Tube(1.0, 1e-6).shear_factors(STEEL)[0] == pytest.approx(0.531, abs=5e-4)


def test_the_web_of_an_i_carries_the_shear():
    section = IBeam(0.2, 0.1, 0.0056, 0.0085)
    ky, kz = section.shear_factors(STEEL)
    assert ky * section.area == pytest.approx(0.2 * 0.0056, rel=0.1)
    assert kz * section.area == pytest.approx(5 / 6 * 2 * 0.1 * 0.0085, rel=0.05)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rectangle(-0.01, 0.02), "size_y = -0.01"),
        (lambda: Circle(0.0), "radius = 0.0"),
        (lambda: Tube(0.01, 0.01), "wall = 0.01 must be less than radius"),
        (lambda: IBeam(0.1, 0.05, 0.005, 0.05), "do not fit"),
        (lambda: IBeam(0.1, 0.05, 0.05, 0.005), "web = 0.05"),
        (lambda: GivenSection(area=1.0, Iz=-1.0), "Iz = -1.0"),
        (lambda: GivenSection(area=1.0, Iz=1.0, ky=0.0), "ky = 0.0"),
        (lambda: GivenSection(area=1.0, Iz=1.0).shear_factors(STEEL), "needs the shear factor ky"),
    ],
)
def test_bad_sizes_are_named(make, message):
    with pytest.raises(UsageError, match=message):
        make()
