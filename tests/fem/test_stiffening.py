"""Shapes slaved to second order: few, and together the displacement they stand for."""

import numpy as np
import pytest

from fem.test_elastic_body import direct, direct_with_rigid_motion, energy
from gough.fem import (
    ClampedModes,
    CraigBampton,
    FreeModes,
    Material,
    Nodal,
    NodeTie,
    Rectangle,
    SecondOrder,
    Tube,
    beam_elements,
    reduce,
    second_order,
    slaved_shapes,
)
from inner.fem import shape_integrals, tie_frames

MATERIAL = Material(young=70e9, density=2700.0, poisson=0.3)
ENDS = {"root": NodeTie((0, 0, 0)), "tip": NodeTie((0.5, 0, 0))}


def beam(elements, plane=True, corner=None):
    points = [(0, 0, 0), (0.5, 0, 0)] if corner is None else [(0, 0, 0), corner, (0.5, 0, 0)]
    return beam_elements(points, Tube(0.01, 0.002), MATERIAL, elements=elements, plane=plane)


def points_of(fem, choice):
    """Masses, positions, Φ and Ψ of a beam reduced with a frame held."""
    tied = tie_frames(fem, ENDS)
    from gough.fem.reduction.reduce import second_order_field
    from inner.fem import build_basis

    second = second_order_field(tied, build_basis(tied, choice))
    assert second.sampled is not None
    return *second.sampled, second.at_points


@pytest.mark.parametrize(
    ("elements", "plane", "corner", "choice"),
    [
        (1, True, None, Nodal("root")),
        (8, True, None, Nodal("root")),
        (3, True, (0.2, 0.3, 0), Nodal("tip")),
        (2, False, (0.2, 0.3, 0.1), Nodal("root")),
        (8, True, None, ClampedModes("root", 6)),
        (4, False, None, CraigBampton(("root", "tip"), 4, frame="root")),
        (4, False, (0.2, 0.3, 0.1), FreeModes(5)),
    ],
)
def test_kinetic_energy_of_a_bent_beam_is_the_sum_over_its_points(elements, plane, corner, choice):
    fem = beam(elements, plane, corner)
    body = reduce(fem, choice, ENDS)
    rng = np.random.default_rng(4)
    m = body.modes
    amplitude = 0.05 / np.sqrt(np.diag(body.M) / body.mass)
    e, edot = amplitude * rng.standard_normal(m), amplitude * rng.standard_normal(m)
    v, w = rng.standard_normal(3), rng.standard_normal(3)
    expected = direct(*points_of(fem, choice), v, w, e, edot)
    assert energy(body, body.M, v, w, e, edot, body.slaved) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("plane", "corner", "choice", "numbers"),
    [
        (True, None, Nodal("root"), 2),  # ∫ Ψ dm and ∫ x Ψ dm along the beam
        (False, None, ClampedModes("root", 6), 2),
        (True, (0.2, 0.3, 0), Nodal("root"), None),
        (False, (0.2, 0.3, 0.1), FreeModes(5), None),
    ],
)
def test_rigid_motion_alone_needs_few_numbers(plane, corner, choice, numbers):
    fem = beam(4, plane, corner)
    body, exact = reduce(fem, choice, ENDS, stiffening="rigid_motion"), reduce(fem, choice, ENDS)
    assert body.slaved is not None and "stiffening: rigid_motion" in body.remarks
    assert body.slaved.own == numbers if numbers else body.slaved.own <= 12
    assert body.MSdd is not None and exact.MSdd is not None
    assert np.abs(body.MSdd - exact.MSdd).max() <= 1e-12 * np.abs(exact.MSdd).max(initial=1e-3)
    rng, amplitude = np.random.default_rng(4), 0.05 / np.sqrt(np.diag(body.M) / body.mass)
    e, edot = amplitude * rng.standard_normal(body.modes), amplitude * rng.standard_normal(body.modes)
    v, w = rng.standard_normal(3), rng.standard_normal(3)
    expected = direct_with_rigid_motion(*points_of(fem, choice), v, w, e, edot)
    assert energy(body, body.M, v, w, e, edot, body.slaved) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("plane", "corner", "choice", "own"),
    [
        (True, None, ClampedModes("root", 4), 2),  # a shift and a stretch
        (False, None, ClampedModes("root", 6), 2),
        (True, None, Nodal("root"), 1),  # a stretch of all is one of the nodes'
        (True, (0.2, 0.3, 0), Nodal("root"), None),
        (False, (0.2, 0.3, 0.1), FreeModes(5), None),
    ],
)
def test_moments_are_those_of_the_true_displacement(plane, corner, choice, own):
    fem = beam(4, plane, corner)
    body, exact = reduce(fem, choice, ENDS, stiffening="moments"), reduce(fem, choice, ENDS)
    slaved = body.slaved
    assert slaved is not None and "stiffening: moments" in body.remarks
    assert slaved.own == own if own else slaved.own <= 12
    assert body.MSdd is not None and exact.MSdd is not None
    assert np.abs(body.MSdd - exact.MSdd).max() <= 1e-11 * np.abs(exact.MSdd).max(initial=1e-3)
    mass, x, phi, psi = points_of(fem, choice)
    field, m = np.concatenate([np.ones((len(mass), 1)), x], axis=1), body.modes
    normal = field.T @ (mass[:, None] * field)  # some masses are negative: no least squares
    parts = np.linalg.pinv(normal, rcond=1e-12, hermitian=True) @ field.T @ (mass[:, None] * psi.reshape(len(mass), -1))
    rng, amplitude = np.random.default_rng(4), 0.05 / np.sqrt(np.diag(body.M) / body.mass)
    e, edot = amplitude * rng.standard_normal(m), amplitude * rng.standard_normal(m)
    v, w = rng.standard_normal(3), rng.standard_normal(3)
    expected = direct(mass, x, phi, (field @ parts).reshape(psi.shape), v, w, e, edot)
    assert energy(body, body.M, v, w, e, edot, body.slaved) == pytest.approx(expected, rel=1e-10)


def test_a_nodal_beam_needs_near_fields_only():
    """Four fields an element, each with the element's own freedoms; the fifth is a shift of the nodes behind."""
    body = reduce(beam(8), Nodal("root"), ENDS)
    slaved = body.slaved
    assert slaved is not None and slaved.own == 32 and len(slaved.forms) == 40
    assert set(np.unique(slaved.along)) == {-1.0, 0.0}
    filled = np.any(slaved.products, axis=(2, 3))
    assert filled[:, :24].sum(axis=1).max() <= 6 and filled[:, 24:].sum(axis=1).max() <= 4


def test_planes_of_a_round_beam_share_their_fields():
    body = reduce(beam(4, plane=False), CraigBampton(("root", "tip"), 0, frame="root"), ENDS)
    assert body.modes == 6 and body.slaved is not None
    assert body.slaved.own == len(body.slaved.forms) == 3  # v v, v θ, θ θ; each with its sister in the other plane


@pytest.mark.parametrize("wide", [1.0, 5.0])
def test_planes_of_many_modes_share_fields_one_by_one(wide):
    """Fields of many modes are nearly dependent; those of the two planes are the same all the same, and pair by pair."""
    section = Rectangle(0.004, 0.004 * wide)
    fem = beam_elements([(0, 0, 0), (0.5, 0, 0)], section, MATERIAL, elements=12, section_y=(0, 1, 0))
    choice = ClampedModes("root", 12)
    body, (mass, _, phi, psi) = reduce(fem, choice, ENDS), points_of(fem, choice)
    slaved, rng = body.slaved, np.random.default_rng(3)
    assert slaved is not None and max(np.count_nonzero(form) for form in slaved.forms) <= 8
    e = 0.05 * rng.standard_normal(body.modes) * np.sqrt(body.mass)
    u = phi + psi @ e
    P = slaved.forms @ e
    J = np.concatenate([np.eye(body.modes) + slaved.along @ P, P[: slaved.own]])
    own = np.einsum("g,gak,gal->kl", mass, phi, phi)
    M = np.block([[own, slaved.M[:, : body.modes].T], [slaved.M]])
    expected = np.einsum("g,gak,gal->kl", mass, u, u)
    np.testing.assert_allclose(J.T @ M @ J, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_fields_that_depend_on_others_are_merged():
    rng = np.random.default_rng(2)
    mass, x, phi = rng.uniform(0.1, 1.0, 30), rng.standard_normal((30, 3)), rng.standard_normal((30, 3, 4))
    fields = rng.standard_normal((30, 3, 3))
    fields[:, :, 2] = phi @ [1.0, 0.0, -2.0, 0.0]  # made of the body's own shapes
    forms = rng.standard_normal((3, 4, 4))
    forms = forms + forms.transpose(0, 2, 1)
    second = SecondOrder(fields, np.zeros((0, 3, 3)), forms)
    for given in (second, second_order(second.at_points)):
        I, slaved = shape_integrals(mass, x, phi), slaved_shapes(mass, x, phi, given)
        assert slaved.own <= 3
        M = np.einsum("g,gak,gal->kl", mass, phi, phi)
        v, w, e, edot = (rng.standard_normal(n) for n in (3, 3, 4, 4))
        expected = direct(mass, x, phi, second.at_points, v, w, e, edot)
        assert energy(I, M, v, w, e, edot, slaved) == pytest.approx(expected, rel=1e-11)
    slaved = slaved_shapes(mass, x, phi, second)
    assert slaved.own == 2 and np.allclose(slaved.along[:, 2] / np.abs(slaved.along[:, 2]).max(), [0.5, 0, -1, 0])
