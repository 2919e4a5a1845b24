"""Laws of every kind of element, skew in space: rigid motions, mass, energy, the points that stand for the mass."""

from functools import cache

import numpy as np
import pytest

from fem.element_bodies import MAKERS, body, freedom_count, solved
from gough.fem import ClampedModes, NodeTie
from gough.fem.reduction.reduce import assemble_body
from inner.fem import build_basis, tie_frames

KINDS = pytest.mark.parametrize("name", MAKERS)


def rigid_fields(positions):
    """Displacements (3 n, 6) of unit rigid motions (v, ω) of the origin."""
    out = np.zeros((len(positions), 3, 6))
    out[:, :, :3] = np.eye(3)
    out[:, :, 3:] = np.cross(np.eye(3)[None], positions[:, None]).transpose(0, 2, 1)
    return out.reshape(-1, 6)


@cache
def rigid(name):
    """Freedoms (d, r) that move and turn the nodes as the rigid motions do and cost as little energy as can be."""
    e, motion = body(name).elements, body(name).motions
    T, R = e.translation, e.rotation
    follow, load = T.T @ T, T.T @ (rigid_fields(e.nodes) @ motion)
    if R is not None:
        follow, load = follow + R.T @ R, load + R.T @ np.tile(motion[3:], (len(e.nodes), 1))
    weight = e.K.diagonal().mean()
    return solved(e.K + weight * follow, weight * load)


@KINDS
def test_rigid_motions_cost_no_energy(name):
    e, x, motion = body(name).elements, rigid(name), body(name).motions
    assert np.max(np.abs(e.K @ x)) < 1e-10 * abs(e.K).max() * np.max(np.abs(x))
    assert np.max(np.abs(e.translation @ x - rigid_fields(e.nodes) @ motion)) < 1e-9
    if e.rotation is not None:
        assert np.max(np.abs(e.rotation @ x - np.tile(motion[3:], (len(e.nodes), 1)))) < 1e-9


@KINDS
def test_stiffness_is_symmetric_and_nothing_else_is_free(name):
    K = body(name).elements.K
    assert abs(K - K.T).max() == 0
    scale = 1 / np.sqrt(K.diagonal())
    value = np.linalg.eigvalsh(K.toarray() * np.outer(scale, scale))
    r = body(name).motions.shape[1]
    assert np.max(np.abs(value[:r])) < 1e-13
    assert value[r] > 1e-9


@KINDS
def test_rigid_motions_have_the_mass_and_inertia_of_the_body(name):
    b, x = body(name), rigid(name)
    expected = b.motions.T @ b.rigid_mass @ b.motions
    assert np.max(np.abs(x.T @ (b.elements.M @ x) - expected)) < 1e-9 * np.max(np.abs(expected))


@KINDS
def test_points_have_the_mass_moments_and_inertia_of_the_body(name):
    """Also of motions that the freedoms cannot make."""
    b = body(name)
    field = rigid_fields(b.elements.position)
    assert b.elements.mass.sum() == pytest.approx(b.rigid_mass[0, 0], rel=1e-12)
    seen = field.T @ (np.repeat(b.elements.mass, 3)[:, None] * field)
    assert np.max(np.abs(seen - b.rigid_mass)) < 1e-12 * np.max(np.abs(b.rigid_mass))


@KINDS
def test_rigid_motion_shapes_and_their_coupling_are_of_one_kinetic_energy(name):
    """All of the mass matrix of (v, ω, ė) of the reduced body is that of M: else frequencies depend on what holds it."""
    e, motion = body(name).elements, body(name).motions
    solid = e.rotation is None
    tied = tie_frames(e, {"held": NodeTie(e.nodes[0], radius=0.4 if solid else None)})
    basis = build_basis(tied, ClampedModes("held", 6))
    made = assemble_body(tied, basis, None, "off")
    columns = np.concatenate([rigid(name), tied.expansion @ basis.shapes], axis=1)
    expected = columns.T @ (e.M @ columns)

    a, b, c = (
        made.N1[:, 1, 2] - made.N1[:, 2, 1],
        made.N1[:, 2, 0] - made.N1[:, 0, 2],
        made.N1[:, 0, 1] - made.N1[:, 1, 0],
    )
    coupling = motion.T @ np.concatenate([made.MSde, np.stack([a, b, c])])  # ∫ Φ dm, ∫ x × Φ dm
    S = np.cross(made.MS, np.eye(3)).T  # S u = MS × u
    whole = motion.T @ np.block([[made.mass * np.eye(3), -S], [S, made.J]]) @ motion
    seen = np.block([[whole, coupling], [coupling.T, made.M]])
    size = np.sqrt(np.diag(expected))
    assert np.max(np.abs(seen - expected) / np.outer(size, size)) < 1e-8


@KINDS
def test_mass_is_that_of_the_points_and_no_motion_is_without(name):
    e = body(name).elements
    x = np.random.default_rng(1).normal(size=(freedom_count(e), 4))
    moved = e.field @ x
    expected = moved.T @ (np.repeat(e.mass, 3)[:, None] * moved)
    assert np.max(np.abs(x.T @ (e.M @ x) - expected)) < 1e-13 * np.max(np.abs(expected))
    assert abs(e.M - e.M.T).max() == 0
    scale = 1 / np.sqrt(e.M.diagonal())
    floor = 1e-13 * np.eye(len(scale))
    np.linalg.cholesky(e.M.toarray() * np.outer(scale, scale) - floor)  # fails where a motion has none


@KINDS
def test_shapes_of_the_arrays(name):
    e = body(name).elements
    n, d = len(e.nodes), freedom_count(e)
    assert np.array_equal(np.unique(e.cells[e.cells >= 0]), np.arange(n))
    assert e.M.shape == (d, d) and e.translation.shape == (3 * n, d) and e.field.shape == (3 * len(e.mass), d)
