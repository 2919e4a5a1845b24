"""Shape integrals: the energy of random motions point by point, closed forms, and the paper's integrals by direct sums."""

import numpy as np
import pytest

from fem.reduction_bodies import crooked_frame, shortened, straight_beam, truss
from gough.fem import (
    ClampedModes,
    CraigBampton,
    FreeModes,
    Nodal,
    NodeTie,
    moment_shapes,
    reduce,
    rigid_motion_shapes,
    second_order,
    slaved_shapes,
)
from inner.fem import shape_integrals
from reference.flexible.points import linear_part


def vee(X):
    """Vector of the antisymmetric part of X doubled: ∫ r × Φ dm from -∫ r̂ Φ̂ dm."""
    return np.array([X[1, 2] - X[2, 1], X[2, 0] - X[0, 2], X[0, 1] - X[1, 0]])


def points(seed=0, g=40, m=5, second=True):
    rng = np.random.default_rng(seed)
    mass, x, phi = rng.uniform(0.1, 1.0, g), rng.standard_normal((g, 3)), rng.standard_normal((g, 3, m))
    psi = rng.standard_normal((g, 3, m, m))
    return mass, x, phi, 0.5 * (psi + psi.transpose(0, 1, 3, 2)) if second else np.zeros((g, 3, m, m))


def energy(I, M, v, w, e, edot, slaved=None):
    """Kinetic energy from the integrals, also of slaved shapes."""
    MSde, N1, N2 = I.MSde, I.N1, I.N2
    if slaved is not None:
        e, edot, m = slaved.coordinates(e), slaved.rates(e, edot), len(e)
        MSde, N1 = np.concatenate([MSde, slaved.MSde], axis=1), np.concatenate([N1, slaved.N1])
        full = np.zeros((len(e), len(e), 3, 3))
        full[:m, :m], full[m:], full[:m, m:] = N2, slaved.N2, slaved.N2[:, :m].transpose(1, 0, 3, 2)
        N2, M = full, np.block([[M, slaved.M[:, :m].T], [slaved.M]])
    J = I.J + np.einsum("k,kab->ab", e, N1 + N1.transpose(0, 2, 1)) + np.einsum("k,l,klab->ab", e, e, N2)
    turn = np.stack([vee(N1[k] + np.einsum("l,lab->ab", e, N2[:, k])) for k in range(len(e))], axis=1)
    T = 0.5 * I.mass * v @ v + v @ np.cross(w, I.MS + MSde @ e) + 0.5 * w @ J @ w
    return T + v @ MSde @ edot + w @ turn @ edot + 0.5 * edot @ M @ edot


def direct(mass, x, phi, psi, v, w, e, edot):
    """½ Σ m |v + ω × r + ṙ|²."""
    r = x + phi @ e + 0.5 * np.einsum("gakl,k,l->ga", psi, e, e)
    u = v + np.cross(w, r) + phi @ edot + np.einsum("gakl,k,l->ga", psi, e, edot)
    return 0.5 * mass @ np.sum(u * u, axis=1)


def direct_with_rigid_motion(mass, x, phi, psi, v, w, e, edot):
    """½ Σ m |v + ω × (x + Φe) + Φė|², and what Ψ adds together with v + ω × x: no product of it with Φ or itself.

    In the frame at rest a point is at p + R (y + z), z of second order; its velocity (v + ω × y + ẏ) + (ω × z + ż).
    """
    z, zdot = 0.5 * np.einsum("gakl,k,l->ga", psi, e, e), np.einsum("gakl,k,l->ga", psi, e, edot)
    linear = direct(mass, x, phi, 0 * psi, v, w, e, edot)
    return linear + mass @ np.sum((v + np.cross(w, x)) * (np.cross(w, z) + zdot), axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_energy_where_only_rigid_motion_counts(seed):
    mass, x, phi, psi = points(seed)
    slaved = rigid_motion_shapes(mass, x, second_order(psi))
    assert slaved.rigid_motion and slaved.own == 12 and not slaved.products.any()
    M = np.einsum("g,gak,gal->kl", mass, phi, phi)
    rng = np.random.default_rng(seed + 100)
    v, w, e, edot = (rng.standard_normal(n) for n in (3, 3, 5, 5))
    expected = direct_with_rigid_motion(mass, x, phi, psi, v, w, e, edot)
    assert energy(shape_integrals(mass, x, phi), M, v, w, e, edot, slaved) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_energy_of_the_least_displacement_with_the_same_moments(seed):
    mass, x, phi, psi = points(seed)
    slaved = moment_shapes(mass, x, phi, second_order(psi))
    assert slaved.stiffening == "moments" and slaved.own == 12
    np.testing.assert_allclose(slaved.M, np.eye(17)[5:], atol=1e-12)
    M = np.einsum("g,gak,gal->kl", mass, phi, phi)
    rng = np.random.default_rng(seed + 100)
    v, w, e, edot = (rng.standard_normal(n) for n in (3, 3, 5, 5))
    expected = direct(mass, x, phi, linear_part(mass, x, psi), v, w, e, edot)
    assert energy(shape_integrals(mass, x, phi), M, v, w, e, edot, slaved) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_energy_of_any_motion(seed, second):
    mass, x, phi, psi = points(seed, second=second)
    I, slaved = shape_integrals(mass, x, phi), slaved_shapes(mass, x, phi, second_order(psi)) if second else None
    M = np.einsum("g,gak,gal->kl", mass, phi, phi)
    rng = np.random.default_rng(seed + 100)
    v, w, e, edot = (rng.standard_normal(n) for n in (3, 3, 5, 5))
    assert energy(I, M, v, w, e, edot, slaved) == pytest.approx(direct(mass, x, phi, psi, v, w, e, edot), rel=1e-12)


@pytest.mark.parametrize("fem", [crooked_frame, truss], ids=["consistent", "lumped"])
def test_energy_of_a_reduced_body(fem):
    """Consistent mass by its points, lumped mass by its nodes; the modal mass is that of the matrices."""
    body_fem = fem()
    body = reduce(body_fem, FreeModes(6))
    rng = np.random.default_rng(7)
    v, w, e, edot = (
        rng.standard_normal(3),
        rng.standard_normal(3),
        1e-2 * rng.standard_normal(6),
        rng.standard_normal(6),
    )
    # the shapes again, from their definition K φ = ω² M φ, through node displacements of the reduced body
    at_nodes = body.shapes.reshape(-1, 6)
    x = np.linalg.lstsq(body_fem.translation.toarray(), at_nodes, rcond=None)[0]
    if body_fem.rotation is not None:  # rotations by the eigenproblem's rows of the rotations
        t = np.asarray(body_fem.translation.sum(axis=0)) > 0
        A = [body_fem.K.toarray() - (2 * np.pi * f) ** 2 * body_fem.M.toarray() for f in body.frequencies_hz]
        for k in range(6):
            x[~t, k] = np.linalg.solve(A[k][np.ix_(~t, ~t)], -A[k][np.ix_(~t, t)] @ x[t, k])
    phi = (body_fem.field @ x).reshape(-1, 3, 6)
    zero = np.zeros((len(phi), 3, 6, 6))
    expected = direct(body_fem.mass, body_fem.position, phi, zero, v, w, e, edot)
    assert energy(body, body.M, v, w, e, edot) == pytest.approx(expected, rel=1e-9)


def test_rigid_part_of_a_rod_is_the_closed_form():
    L, line = 0.8, 1.3
    body = reduce(straight_beam(5, L, line_mass=line), ClampedModes("root", 3), {"root": NodeTie((0, 0, 0))})
    m = line * L
    assert body.mass == pytest.approx(m, rel=1e-13)
    assert np.allclose(body.MS, [m * L / 2, 0, 0], rtol=1e-13, atol=1e-15)
    assert np.allclose(body.J, np.diag([0, m * L**2 / 3, m * L**2 / 3]), rtol=1e-13, atol=1e-15)


def test_matrices_of_a_held_basis_are_those_of_the_elements():
    fem = crooked_frame()
    body = reduce(fem, Nodal("a"), {"a": NodeTie(fem.nodes[0])})
    assert np.allclose(body.M, fem.M.toarray()[6:, 6:], rtol=1e-12)
    assert np.allclose(body.K, fem.K.toarray()[6:, 6:], rtol=1e-12)
    assert body.labels[:7] == ("node 1.x", "node 1.y", "node 1.z", "node 1.rx", "node 1.ry", "node 1.rz", "node 2.x")


def test_the_papers_integrals_follow():
    """[Briot 2014, eqs. 57–60]: β, λ, I_re, I_ee by direct sums with cross products."""
    mass, x, phi, _ = points(3, m=4)
    I = shape_integrals(mass, x, phi)
    for k in range(4):
        beta = mass @ np.cross(x, phi[:, :, k])
        assert np.allclose(vee(I.N1[k]), beta)
        I_re = sum(m * hat(p).T @ hat(f) for m, p, f in zip(mass, x, phi[:, :, k], strict=True))
        assert np.allclose(I.N1[k], I_re)
        for l in range(4):
            lam = mass @ np.cross(phi[:, :, k], phi[:, :, l])
            assert np.allclose(vee(I.N2[k, l]), lam)
            I_ee = sum(m * hat(a).T @ hat(b) for m, a, b in zip(mass, phi[:, :, k], phi[:, :, l], strict=True))
            assert np.allclose(I.N2[k, l], I_ee)


def hat(a):
    return np.array([np.cross(a, e) for e in np.eye(3)]).T


def test_rounding_leaves_structural_zeros():
    """A beam bent in its planes: what vanishes by symmetry is exactly zero, so that programs drop it."""
    frames = {"root": NodeTie((0, 0, 0)), "tip": NodeTie((0.8, 0, 0))}
    body = reduce(straight_beam(4), ClampedModes("root", 4), frames)
    assert (body.MSde[0] == 0.0).all() and (body.MSde != 0.0).any()
    assert (np.eye(4) == body.M).all() and (np.diag(np.diag(body.K)) == body.K).all()


@pytest.mark.parametrize(
    "choice",
    [ClampedModes("root", 4), ClampedModes("tip", 4), FreeModes(4), CraigBampton(("root", "tip"), 2)],
    ids=repr,
)
def test_second_order_integrals_are_those_of_the_field_seen_from_the_axes(choice):
    frames = {"root": NodeTie((0, 0, 0)), "tip": NodeTie((0.8, 0, 0))}
    body = reduce(shortened(), choice, frames)
    assert body.MSdd is not None and "stiffening: on" in body.remarks
    assert np.allclose(body.MSdd, body.MSdd.transpose(0, 2, 1))
    if isinstance(choice, ClampedModes):
        assert not np.any(body.frames[str(choice.at)].second)
        sign = -1.0 if choice.at == "root" else 1.0
        assert (sign * np.einsum("kk->k", body.MSdd[0]) > 0.0).all()  # the mass draws nearer to the clamp
    else:
        assert np.abs(body.MSdd).max() < 1e-12
    ends = np.array(body.frames["root"].second)[0] - np.array(body.frames["tip"].second)[0]
    other = reduce(shortened(), choice, frames, stiffening="off")
    assert other.MSdd is None and other.frames["tip"].second is None
    assert (np.linalg.eigvalsh(ends) >= -1e-12).all() and np.einsum("kk->k", ends).min() > 0.0
