"""The small vocabulary of meshes: closed, outwards, of the volumes that geometry says."""

import numpy as np
import pytest

from gough.viewer.drawing import _solids as solids
from gough.viewer.drawing._solids import plate, rim
from inner.viewer import EMPTY, coil, frame_along, merge_meshes, swept_bar
from viewer.drawing.surfaces import open_edges

FINE = 64
CLOSED = {
    "cylinder": (solids.cylinder(0.5, 2.0, FINE, broken=False), np.pi * 0.25 * 2.0),
    "broken": (solids.cylinder(0.5, 2.0, FINE), np.pi * 0.25 * 2.0),
    "tube": (solids.tube(0.5, 0.4, 2.0, FINE), np.pi * (0.25 - 0.16) * 2.0),
    "cone": (solids.cone(0.5, 2.0, FINE), np.pi * 0.25 * 2.0 / 3),
    "sphere": (solids.sphere(0.7, FINE), 4 / 3 * np.pi * 0.7**3),
    "ring": (solids.ring(1.0, 0.2, FINE, FINE), 2 * np.pi**2 * 0.2**2),
    "box": (solids.box(np.array([1.0, 2.0, 3.0])), 6.0),
    "rod": (solids.rod(np.array([1.0, 2, 3]), np.array([0.0, 5, 1]), 0.1, FINE), np.pi * 0.01 * np.sqrt(14)),
    "swept": (swept_bar(np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 2]]), 0.1, FINE), np.pi * 0.01 * 2),
}


@pytest.mark.parametrize("name", CLOSED)
def test_solids_enclose_what_they_should(name: str):
    mesh, volume = CLOSED[name]
    assert mesh.vertices.dtype == np.float32
    assert mesh.faces.dtype == np.uint32
    assert mesh.volume() == pytest.approx(volume, rel=0.02)
    assert open_edges(mesh) == 0


def test_moving_keeps_volume_and_handedness():
    mesh = solids.cylinder(0.3, 1.0)
    moved = mesh.moved_mesh(np.array([5.0, -1, 2]), frame_along(np.array([1.0, 2, 3])))
    assert moved.volume() == pytest.approx(mesh.volume(), rel=1e-4)
    np.testing.assert_allclose(merge_meshes([mesh, moved]).volume(), 2 * mesh.volume(), rtol=1e-4)
    assert not len(merge_meshes([]).faces)
    assert not len(EMPTY.vertices)


@pytest.mark.parametrize("count", [3, 4, 6, 9])
def test_plates_hold_their_points(count: int, rng: np.random.Generator):
    turn = frame_along(rng.normal(size=3))
    angle = np.sort(rng.uniform(0, 2 * np.pi, count)) + np.arange(count) * 1e-3
    points = np.column_stack([np.cos(angle), np.sin(angle), 0.05 * rng.normal(size=count)]) @ turn.T + rng.normal(
        size=3
    )
    mesh = plate(points, 0.02, 0.05, 0.01)
    assert mesh.volume() > 0
    assert open_edges(mesh) == 0
    gap = np.linalg.norm(mesh.vertices[None] - points[:, None], axis=-1).min(axis=1)
    assert np.all(gap < 0.09)  # margin and half a thickness away at most
    assert np.linalg.norm(rim(points, 0.02).vertices[None] - points[:, None], axis=-1).min(axis=1).max() < 0.03


def test_a_spring_runs_from_end_to_end():
    low, high = coil(0.1, 0.01).bounds()
    assert low[2] == pytest.approx(0.0, abs=0.02)
    assert high[2] == pytest.approx(1.0, abs=0.02)
