"""The mesher: bodies filled exactly, points met exactly, triangles that are not thin, bad outlines named."""

from functools import cache

import numpy as np
import pytest

from gough.errors import UsageError
from gough.fem import mesh_polygon
from gough.fem.meshing.polygon import with_layer

SQUARE = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]


def ring(x, y, radius, n):
    angle = np.arange(n) * 2 * np.pi / n
    return np.column_stack([x + radius * np.cos(angle), y + radius * np.sin(angle)])


HEXAGON = ring(0, 0, 0.5, 6)
SLOTTED = [[0, 0], [1, 0], [1, 0.1], [0.2, 0.1], [0.2, 0.12], [1, 0.12], [1, 1], [0, 1]]
BODIES = {  # outline, size, holes, points, smallest angle (degrees) to keep
    "hexagon": (HEXAGON, 0.1, [], [[0, 0], [0.5, 0], [0.1, 0.2]], 45),
    "holes": (HEXAGON, 0.1, [ring(0.1, 0.1, 0.03, 24), ring(-0.2, 0, 0.1, 30)[::-1]], [[0, 0], [0.43, 0.0]], 12),
    "slot": (SLOTTED, 0.15, [], [[0.05, 0.5], [0.999, 0.9]], 12),
    "strip": ([[0, 0], [1, 0], [1, 0.01], [0, 0.01]], 0.1, [], [[0.5, 0.005], [0.3, 0.01]], 20),
    "reentrant": ([[0, 0], [2, 0], [2, 1], [1, 0.3], [0, 1]], 0.1, [ring(0.3, 0.3, 0.05, 8)], [[0.15, 0.05]], 15),
    "clockwise": (SQUARE[::-1], 0.2, [], [[0.123, 0.456]], 25),
}


@cache
def meshed(name):
    outline, size, holes, points, _ = BODIES[name]
    return mesh_polygon(outline, size, holes, points)


def shoelace(corners):
    x, y = np.asarray(corners, dtype=float).T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def triangle_areas(mesh):
    a, b, c = mesh.nodes[mesh.triangles].transpose(1, 0, 2)
    return 0.5 * np.linalg.det(np.stack([b - a, c - a], axis=1))


@pytest.mark.parametrize("name", BODIES)
def test_fills_the_body(name):
    outline, size, holes, points, angle = BODIES[name]
    mesh = meshed(name)
    area = triangle_areas(mesh)
    assert area.min() > 0
    assert area.sum() == pytest.approx(shoelace(outline) - sum(map(shoelace, holes)), rel=1e-12)
    for point, node in zip(points, mesh.point_nodes, strict=True):
        assert mesh.nodes[node].tolist() == [float(x) for x in point]
    edges = np.concatenate([mesh.triangles[:, [i, j]] for i, j in ((0, 1), (1, 2), (2, 0))])
    length = np.linalg.norm(np.diff(mesh.nodes[edges], axis=1)[:, 0], axis=1)
    assert length.max() < 1.7 * size
    assert np.degrees(mesh.smallest_angle) > angle
    # A surface with h holes: nodes - edges + triangles = 1 - h.
    assert len(mesh.nodes) - len(np.unique(np.sort(edges), axis=0)) + len(mesh.triangles) == 1 - len(holes)


@pytest.mark.parametrize("name", BODIES)
def test_boundary_is_that_of_the_body(name):
    outline, _, holes, _, _ = BODIES[name]
    mesh = meshed(name)
    corners = np.concatenate([np.asarray(c, dtype=float) for c in (outline, *holes)])
    distance = np.linalg.norm(corners[:, None] - mesh.nodes[mesh.boundary[:, 0]], axis=-1)
    assert distance.min(axis=1).max() == 0
    perimeter = sum(
        np.linalg.norm(np.roll(c, -1, axis=0) - c, axis=1).sum() for c in map(np.asarray, (outline, *holes))
    )
    along = np.diff(mesh.nodes[mesh.boundary], axis=1)[:, 0]
    assert np.linalg.norm(along, axis=1).sum() == pytest.approx(perimeter, rel=1e-12)
    assert np.bincount(mesh.boundary[:, 0]).max() == 1


def test_a_regular_hexagon_gets_a_regular_mesh():
    mesh = mesh_polygon(HEXAGON, 0.125)
    assert len(mesh.triangles) == 6 * 16
    assert np.degrees(mesh.smallest_angle) == pytest.approx(60, abs=1e-6)


@pytest.mark.parametrize("name", BODIES)
def test_a_layer_along_the_boundary_keeps_the_body(name):
    """Same area, same boundary, given points still nodes; every side of the hexagon has its row as wide as asked."""
    mesh = meshed(name)
    layered = with_layer(mesh, 0.02)
    assert triangle_areas(layered).min() > 0
    assert triangle_areas(layered).sum() == pytest.approx(triangle_areas(mesh).sum(), rel=1e-12)
    assert np.array_equal(np.unique(layered.boundary, axis=0), np.unique(mesh.boundary, axis=0))
    assert np.array_equal(layered.nodes[layered.point_nodes], mesh.nodes[mesh.point_nodes])
    if name == "hexagon":
        assert len(layered.triangles) == len(mesh.triangles) + 2 * len(mesh.boundary)
        normal = np.array([np.cos(np.pi / 6), np.sin(np.pi / 6)])
        depth = 0.5 * np.sqrt(3) / 2 - layered.nodes @ normal
        assert np.sum(np.abs(depth - 0.02) < 1e-12) >= 6


def test_random_stars_are_meshed():
    rng = np.random.default_rng(3)
    for _ in range(12):
        n = int(rng.integers(3, 15))
        radius = rng.uniform(0.3, 1.0, n)
        star = radius[:, None] * ring(0, 0, 1.0, n)
        mesh = mesh_polygon(star, 0.2, points=[[0.0, 0.0]])
        assert triangle_areas(mesh).sum() == pytest.approx(shoelace(star), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 0], [1, 1], [1, 0], [0, 1]], 0.2), r"side 0 of the outline and side 2 of the outline cross"),
        (([[0, 0], [1, 0], [1, 1], [0.5, 0], [0, 1]], 0.2), "cross or touch"),
        (([[0, 0], [1, 0]], 0.2), "2 corners"),
        (([[0, 0], [1, 0], [2, 0]], 0.2), "encloses no area"),
        (([[0, 0], [1, 0], [1, 0], [0, 1]], 0.2), "corners 1 and 2 of the outline coincide"),
        (([[0, 0], [1, 0], [1, float("nan")]], 0.2), "finite corners"),
        ((SQUARE, 0.9), "size = 0.9 is too large"),
        ((SQUARE, 1e-5), "more than 100000 triangles"),
        ((SQUARE, 0.0), "size = 0.0"),
        ((SQUARE, 0.2, [ring(2, 2, 0.1, 8)]), "hole 0 lies outside"),
        ((SQUARE, 0.2, [ring(0.5, 1, 0.1, 8)]), "cross or touch"),
        ((SQUARE, 0.2, [ring(0.5, 0.5, 0.3, 8), ring(0.5, 0.5, 0.1, 8)]), "hole 1 lies inside hole 0"),
        ((SQUARE, 0.2, [], [[0.5, 0.5], [1.2, 0.5]]), r"point 1 at \[1.2, 0.5\] is off the body, 0.2 m"),
        ((SQUARE, 0.2, [ring(0.5, 0.5, 0.3, 8)], [[0.5, 0.5]]), "point 0 .* is off the body"),
    ],
)
def test_bad_outlines_are_named(arguments, message):
    with pytest.raises(UsageError, match=message):
        mesh_polygon(*arguments)
