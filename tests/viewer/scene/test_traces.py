import numpy as np

from gough.viewer.scene.traces import drawn_path, path, traced_frames
from viewer.playback.runs import five_bar, path1


def test_the_platform_comes_first_and_its_path_is_that_of_its_pose() -> None:
    run = path1()
    names = traced_frames(run)
    assert names[0] == "platform" and len(set(names)) == len(names) == len(run.model.mechanism.frames)
    assert np.allclose(path(run, "platform"), run.q[:, :3], atol=1e-12)
    assert traced_frames(five_bar())[0] == "left_rod.tool"


def test_a_long_path_keeps_its_ends_corners_and_length() -> None:
    t = np.linspace(0, 1, 5000)
    square = np.concatenate([np.stack([t, 0 * t, 0 * t], 1), np.stack([0 * t + 1, t, 0 * t], 1)])
    lines = drawn_path(square, 500)
    assert len(lines) <= 500 and (lines[0, 0] == square[0]).all() and (lines[-1, 1] == square[-1]).all()
    assert (lines[1:, 0] == lines[:-1, 1]).all()
    assert abs(np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1).sum() - 2) < 5e-3


def test_points_that_are_not_known_or_do_not_move_leave_no_line() -> None:
    assert drawn_path(np.full((10, 3), np.nan)).shape == (0, 2, 3)
    assert drawn_path(np.ones((10, 3))).shape == (0, 2, 3)
    assert drawn_path(np.ones((1, 3))).shape == (0, 2, 3)
