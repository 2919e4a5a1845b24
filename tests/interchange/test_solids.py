"""Masses of solids: formulas against meshes and sums, which share no line with them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from gough.interchange import _solids as solids
from gough.interchange import foreign


def hull(points: np.ndarray) -> solids.Lump:
    found = ConvexHull(points)
    a, b, c = (points[found.simplices[:, k]] for k in range(3))
    inwards = np.einsum("ni,ni->n", np.cross(b - a, c - a), found.equations[:, :3]) < 0
    faces = np.where(inwards[:, None], found.simplices[:, ::-1], found.simplices)
    assert solids.is_closed(faces) and not solids.is_closed(faces[1:])
    return solids.mesh(points, faces)


def ring(radius: float, height: float, n: int = 240) -> np.ndarray:
    angles = 2 * np.pi * np.arange(n) / n
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(n, height)])


def ball_points(radius: float, n: int = 60) -> np.ndarray:
    return np.vstack(
        [ring(radius * np.cos(t), radius * np.sin(t), 2 * n) for t in np.linspace(-np.pi / 2, np.pi / 2, n)]
    )


@pytest.mark.parametrize(
    ("lump", "points", "close"),
    [
        (
            solids.box(0.2, 0.5, 0.9),
            np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.25, 0.25) for z in (-0.45, 0.45)]),
            1e-12,
        ),
        (solids.cylinder(0.3, 0.8), np.vstack([ring(0.3, -0.4), ring(0.3, 0.4)]), 1e-3),
        (solids.cone(0.3, 0.8), np.vstack([ring(0.3, -0.4), [[0, 0, 0.4]]]), 1e-3),
        (solids.ellipsoid(0.2, 0.3, 0.4), ball_points(1.0) * [0.2, 0.3, 0.4], 1e-2),
        (solids.capsule(0.2, 0.6), np.vstack([ball_points(0.2) + [0, 0, 0.3], ball_points(0.2) - [0, 0, 0.3]]), 1e-2),
    ],
)
def test_formulas_are_those_of_meshes(lump, points, close):
    found = hull(np.asarray(points, float))
    assert lump.mass == pytest.approx(found.mass, rel=close)
    assert lump.center == pytest.approx(found.center, abs=close * 0.1)
    assert lump.inertia == pytest.approx(found.inertia, abs=close * np.abs(found.inertia).max())


def test_a_mesh_moves_and_turns_with_its_corners():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(12, 3))
    R, p = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix(), np.array([3.0, -2.0, 1.0])
    moved, there = hull(points @ R.T + p), hull(points).lump_at(foreign.Placement((3.0, -2.0, 1.0), R))
    assert moved.mass == pytest.approx(there.mass) and moved.center == pytest.approx(there.center)
    assert moved.inertia == pytest.approx(there.inertia)


def test_halves_are_the_whole():
    half = solids.box(0.5, 0.4, 0.3)
    whole = solids.sum_of_lumps([half.lump_at(foreign.Placement((x, 0.0, 0.0))) for x in (-0.25, 0.25)])
    assert whole.mass == pytest.approx(0.12) and whole.inertia == pytest.approx(solids.box(1.0, 0.4, 0.3).inertia)
    assert solids.sum_of_lumps([]).mass == 0
