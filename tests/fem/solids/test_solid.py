"""Solids against closed forms: patch test, bars, beams, integration; meshes that are wrong are named."""

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh

from fem.element_bodies import SKEW, STEEL, box, solved
from gough.errors import UsageError
from gough.fem import Material, solid_elements
from gough.fem.solids.cells import KINDS as CELLS
from gough.fem.solids.cells import quadrature, shapes

KINDS = pytest.mark.parametrize("kind", [4, 10, 8, 20, 27])
SIZE = np.array([0.6, 0.4, 0.2])


@KINDS
def test_patch_constant_strain(kind):
    """Interior nodes anywhere: a linear displacement leaves them without force and costs the exact energy."""
    nodes, cells = box((2, 2, 2), SIZE, kind)
    corners = np.unique(cells[:, : CELLS[kind].corners])
    inner = np.all((nodes > 1e-9) & (nodes < SIZE - 1e-9), axis=1)
    middle = corners[inner[corners]]
    assert len(middle) == 1
    shift = np.array([0.03, -0.02, 0.015])
    moved = (
        nodes + np.prod(1 - np.abs(nodes / SIZE * 2 - 1), axis=1)[:, None] * shift
    )  # edges stay straight in the cells
    if kind in (10, 20, 27):
        corner_place = moved[cells[:, : CELLS[kind].corners]]
        for column, between in enumerate(CELLS[kind].between, start=CELLS[kind].corners):
            moved[cells[:, column]] = corner_place[:, list(between)].mean(axis=1)
    gradient = 1e-3 * np.random.default_rng(3).normal(size=(3, 3))
    e = solid_elements(moved @ SKEW.T, cells, STEEL)
    x = (e.nodes @ gradient.T).ravel()
    strain = (gradient + gradient.T) / 2
    lame = STEEL.young * STEEL.nu / ((1 + STEEL.nu) * (1 - 2 * STEEL.nu))
    density = lame * np.trace(strain) ** 2 + 2 * STEEL.G * np.sum(strain**2)
    assert x @ e.K @ x == pytest.approx(density * SIZE.prod(), rel=1e-11)
    inside = np.all((nodes > 1e-9) & (nodes < SIZE - 1e-9), axis=1)
    force = (e.K @ x).reshape(-1, 3)
    assert np.max(np.abs(force[inside])) < 1e-11 * np.max(np.abs(force))


@pytest.mark.parametrize(
    ("kind", "counts", "rate"), [(4, (4, 8, 16), 2), (8, (4, 8, 16), 2), (10, (2, 4, 8), 4), (20, (2, 4, 8), 4)]
)
def test_free_bar_converges_at_its_rate(kind, counts, rate):
    """Without Poisson's ratio a bar that moves along itself alone has π/L √(E/ρ) as first frequency exactly."""
    cork = Material(7e10, 2700.0, poisson=0.0)
    exact = np.pi / 1.0 * np.sqrt(cork.young / cork.density)
    errors = []
    for n in counts:
        nodes, cells = box((n, 1, 1), (1.0, 0.08, 0.08), kind)
        e = solid_elements(nodes, cells, cork)
        K, M = (A[::3][:, ::3].tocsc() for A in (e.K, e.M))
        value = eigsh(K, 2, M, sigma=0.1 * exact**2, return_eigenvectors=False)
        errors.append(np.sqrt(value.max()) / exact - 1)
    assert np.all(np.array(errors) > 0)
    assert np.log2(errors[-2] / errors[-1]) > rate - 0.4


@pytest.mark.parametrize("kind", [10, 20, 27])
def test_quadratic_cantilever_bends_like_a_beam(kind):
    """Tip deflection of a slender bar under an end load: Timoshenko's beam."""
    L, h = 1.0, 0.08
    cork = Material(7e10, 2700.0, poisson=0.0)
    nodes, cells = box((16, 1, 1), (L, h, h), kind)
    e = solid_elements(nodes, cells, cork)
    load = np.zeros(3 * len(nodes))
    end = np.flatnonzero(nodes[:, 0] > L - 1e-9)
    load[3 * end + 2] = 1 / len(end)
    free = np.flatnonzero(np.repeat(nodes[:, 0] > 1e-9, 3))
    x = np.zeros(len(load))
    x[free] = solved(e.K[free][:, free], load[free])
    expected = L**3 / (3 * cork.young * h**4 / 12) + L / (5 / 6 * cork.G * h**2)
    assert x[3 * end + 2].mean() == pytest.approx(expected, rel=6e-3)


def test_mixed_cells():
    """Two boxes of different cells with a common face behave as one body."""
    nodes, cells = box((2, 1, 1), (1.0, 0.5, 0.5), 8)
    tets = box((1, 1, 1), (1, 1, 1), 4)
    corner = {
        tuple(p): i
        for i, p in enumerate(
            np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
        )
    }
    split = np.array([[cells[1][corner[tuple(np.rint(tets[0][i]).astype(int))]] for i in t] for t in tets[1]])
    e = solid_elements(nodes, [cells[:1], split], STEEL)
    assert e.mass.sum() == pytest.approx(STEEL.density * 0.25, rel=1e-12)
    value = np.linalg.eigvalsh(e.K.toarray())
    assert value[5] < 1e-9 * value[-1] < value[6]
    assert e.cells.shape == (7, 8)


@pytest.mark.parametrize(("kind", "degree"), [(4, 2), (10, 4), (10, 7)])
def test_tetrahedra_are_integrated_exactly(kind, degree):
    """Monomials over the reference tetrahedron: a! b! c! / (a + b + c + 3)!."""
    from math import factorial

    points, weights = quadrature(kind, 2 if degree == 7 else 0)
    assert np.all(weights > 0)
    for a in range(degree + 1):
        for b in range(degree + 1 - a):
            for c in range(degree + 1 - a - b):
                exact = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3)
                assert weights @ np.prod(points ** [a, b, c], axis=1) == pytest.approx(exact, rel=1e-12)


@KINDS
def test_shapes_are_one_at_their_node_and_sum_to_one(kind):
    value, gradient = shapes(kind, CELLS[kind].nodes)
    assert np.max(np.abs(value - np.eye(kind))) < 1e-13
    step, at = 1e-6, np.array([[0.21, 0.33, 0.17]])
    _, here = shapes(kind, at)
    for axis in range(3):
        h = step * np.eye(3)[axis]
        difference = (shapes(kind, at + h)[0] - shapes(kind, at - h)[0]) / (2 * step)
        assert np.max(np.abs(difference - here[..., axis])) < 1e-8
    assert np.max(np.abs(gradient.sum(axis=1))) < 1e-12


def test_curved_cells_have_the_volume_of_their_shape():
    """A quarter ring of quadratic hexahedra: volume and inertia go to those of the ring with the fourth power."""
    errors = []
    for n in (2, 4, 8):
        nodes, cells = box((n, 1, 1), (np.pi / 2, 0.5, 0.3), 27)
        radius = 1.0 + nodes[:, 1]
        bent = np.column_stack([radius * np.sin(nodes[:, 0]), radius * np.cos(nodes[:, 0]), nodes[:, 2]])
        e = solid_elements(bent, cells, STEEL)
        polar = e.mass @ np.sum(e.position[:, :2] ** 2, axis=1)
        errors.append(abs(polar / (STEEL.density * 0.3 * np.pi / 8 * (1.5**4 - 1)) - 1))
    assert np.log2(errors[1] / errors[2]) == pytest.approx(4.0, abs=0.2)


def tetrahedra():
    return box((2, 1, 1), (1.0, 0.5, 0.5), 4)


def two_boxes(shift):
    """A box and a copy of it moved by `shift`, nodes at one place merged."""
    nodes, cells = box((1, 1, 1), (1.0, 1.0, 1.0), 8)
    both = np.concatenate([nodes, nodes + shift])
    merged, index = np.unique(both, axis=0, return_inverse=True)
    return merged, index.ravel()[np.concatenate([cells, cells + len(nodes)])]


def test_inverted_cells_are_named():
    nodes, cells = tetrahedra()
    cells[[2, 5]] = cells[[2, 5]][:, [1, 0, 2, 3]]
    with pytest.raises(UsageError, match=r"cells 2, 5 are inverted"):
        solid_elements(nodes, cells, STEEL)


def test_flat_cells_are_named():
    nodes, cells = tetrahedra()
    extra = [*cells[0][:3], cells[0][0]]
    with pytest.raises(UsageError, match=r"cells 12 name a node twice"):
        solid_elements(nodes, np.vstack([cells, extra]), STEEL)
    nodes[cells[3][0]] = nodes[cells[3][1:]].mean(axis=0)
    with pytest.raises(UsageError, match=r"degenerate|inverted"):
        solid_elements(nodes, cells, STEEL)


def test_folded_cells_are_named():
    nodes, cells = box((1, 1, 1), (1.0, 1.0, 1.0), 8)
    nodes[cells[0][6]] = [0.2, 0.2, 0.2]
    with pytest.raises(UsageError, match="cells 0 are folded"):
        solid_elements(nodes, cells, STEEL)


def test_other_orders_of_nodes_are_named():
    nodes, cells = box((1, 1, 1), (1.0, 1.0, 1.0), 10)
    with pytest.raises(UsageError, match="VTK's order"):
        solid_elements(nodes, cells[:, [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]], STEEL)


@pytest.mark.parametrize(
    ("shift", "message"),
    [
        ((2.0, 0.0, 0.0), "2 pieces with no common node .disconnected.; the smallest is cells 0"),
        ((1.0, 1.0, 1.0), "meet in 1 nodes only, as hinges"),
        ((1.0, 1.0, 0.0), "meet in 2 nodes only, as hinges"),
    ],
)
def test_loose_pieces_are_named(shift, message):
    with pytest.raises(UsageError, match=message):
        solid_elements(*two_boxes(np.array(shift)), STEEL)


def test_pieces_with_a_common_face_hold():
    e = solid_elements(*two_boxes(np.array([1.0, 0.0, 0.0])), STEEL)
    assert e.mass.sum() == pytest.approx(2 * STEEL.density)


@pytest.mark.parametrize(
    ("nodes", "cells", "message"),
    [
        (np.zeros((4, 2)), [[0, 1, 2, 3]], r"nodes must be finite numbers \(n, 3\)"),
        (np.eye(4, 3), [[0, 1, 2, 4]], "names node 4"),
        (np.eye(5, 3), [[0, 1, 2, 3]], "nodes 4 belong to no cell"),
        (np.eye(5, 3), [[0, 1, 2, 3, 4]], "known: tetrahedron of 4 nodes"),
        (np.eye(4, 3), [[0.0, 1.0, 2.0, 3.0]], "whole numbers"),
        (np.eye(4, 3), [], "no cells"),
    ],
)
def test_bad_arrays_are_named(nodes, cells, message):
    with pytest.raises(UsageError, match=message):
        solid_elements(nodes, np.array(cells) if cells else cells, STEEL)
