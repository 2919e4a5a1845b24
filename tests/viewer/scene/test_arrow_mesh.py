import numpy as np
import pytest

from gough.viewer.scene.forces import HEAD_LENGTH, MOST_HEAD, SIDES, VERTICES, arrow_faces, arrow_vertices


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = (vertices[faces[:, k]].astype(float) for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def test_it_is_closed_and_faces_outwards() -> None:
    faces = arrow_faces(1)
    edges = [tuple(e) for f in faces.tolist() for e in ((f[0], f[1]), (f[1], f[2]), (f[2], f[0]))]
    assert len(set(edges)) == len(edges) and all((b, a) in set(edges) for a, b in edges)
    vertices = arrow_vertices(np.array([[[0.3, 0.1, -2], [0.3, 1.1, -2.0]]]), 0.01)
    polygon = SIDES / 2 * np.sin(2 * np.pi / SIDES)
    head = HEAD_LENGTH * 0.01
    expected = polygon * (0.01**2 * (1 - head) + (2.4 * 0.01) ** 2 * head / 3)
    assert volume(vertices - vertices.mean(axis=0), faces) == pytest.approx(expected, rel=1e-4)


def test_arrows_reach_from_start_to_end_whatever_their_direction() -> None:
    rng = np.random.default_rng(0)
    segments = rng.normal(size=(50, 2, 3))
    vertices = arrow_vertices(segments, 0.02).reshape(50, VERTICES, 3)
    along = segments[:, 1] - segments[:, 0]
    part = np.einsum("nij,nj->ni", vertices - segments[:, :1], along) / (along**2).sum(axis=1)[:, None]
    assert np.allclose(part.min(axis=1), 0, atol=1e-5) and np.allclose(part.max(axis=1), 1, atol=1e-5)
    assert np.allclose(vertices[:, -1], segments[:, 1], atol=1e-5)


def test_short_arrows_shrink_as_a_whole_and_nothing_is_a_point() -> None:
    segments = np.array([[[0, 0, 0], [0, 0, 1e-3]], [[1, 1, 1], [1, 1, 1]]], dtype=float)
    short, none = arrow_vertices(segments, 0.02).reshape(2, VERTICES, 3)
    wide = np.linalg.norm(short[:, :2], axis=1).max()
    assert wide < 1e-3 and short[:, 2].min() >= 0
    assert wide == pytest.approx(2.4 * MOST_HEAD * 1e-3 / HEAD_LENGTH, rel=1e-4)
    assert np.ptp(none, axis=0).max() == 0 and np.isfinite(none).all()
    assert len(arrow_faces(3)) == 3 * len(arrow_faces(1)) and arrow_faces(3).max() == 3 * VERTICES - 1
    assert arrow_vertices(np.zeros((0, 2, 3)), 0.02).shape == (0, 3)
