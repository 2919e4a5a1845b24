import numpy as np
import pytest

from gough.viewer.drawing.camera import FIELD_OF_VIEW, camera_for, view_direction

pytest.importorskip("viser")


@pytest.mark.parametrize("seed", range(12))
def test_everything_is_in_the_picture_and_up_is_up(seed: int) -> None:
    """Corners of the bounds, projected by the camera's own axes."""
    from viser import transforms

    rng = np.random.default_rng(seed)
    bounds = np.sort(rng.normal(size=(2, 3)) * rng.uniform(0.01, 3, 3), axis=0)
    up = rng.normal(size=3) if seed % 2 else np.eye(3)[seed % 3] * (-1 if seed % 4 == 0 else 1)
    aspect = rng.uniform(0.5, 2.5)
    camera = camera_for(bounds, up, aspect)
    corners = np.array([[bounds[i, 0], bounds[j, 1], bounds[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    axes = transforms.SO3(camera.wxyz).as_matrix()
    seen = (corners - camera.position) @ axes
    assert (seen[:, 2] > 0).all()
    tall = np.tan(FIELD_OF_VIEW / 2)
    x, y = seen[:, 0] / seen[:, 2] / (tall * aspect), seen[:, 1] / seen[:, 2] / tall
    assert np.abs(x).max() <= 1 and np.abs(y).max() <= 1
    assert max(np.abs(x).max(), np.abs(y).max()) > 0.6
    assert np.linalg.det(axes) == pytest.approx(1) and (-axes[:, 1]) @ up > 0
    assert abs(axes[:, 0] @ up) < 1e-9 * np.linalg.norm(up)


def test_the_way_up_turns_the_direction() -> None:
    for up in (*np.eye(3), *-np.eye(3)):
        away = view_direction("3/4", up)
        assert away @ up == pytest.approx(0.9 / np.linalg.norm([1.1, -1.6, 0.9])) and np.linalg.norm(
            away
        ) == pytest.approx(1)
