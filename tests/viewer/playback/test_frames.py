import numpy as np
import pytest

import gough
from inner.viewer import CLOSE, Frames, common_span
from viewer.playback.runs import five_bar, path1


def test_stored_times_give_stored_states() -> None:
    run = path1()
    frames = Frames(run)
    for i in (0, 1, 150, len(run) - 1):
        assert (frames.at(run.time[i]) == run.q[i]).all()
    assert (frames.at(-5.0) == run.q[0]).all() and (frames.at(99.0) == run.q[-1]).all()


def test_between_stored_states_the_robot_is_where_its_motion_says() -> None:
    """The motion is a formula in time and knows nothing of stored states."""
    run = path1()
    motion = gough.load_scenario("pedrammehr2012_path1").motion
    frames = Frames(run)
    assert np.diff(run.time).max() > CLOSE and motion is not None
    for time in np.random.default_rng(1).uniform(0.2, 5.9, 12):
        q = frames.at(time)
        wanted = motion.at(time).position
        assert np.allclose(q[:3], wanted[:3], atol=2e-5)
        assert run.model.closure_error(q[None])[0] < 1e-10


def test_dense_runs_show_the_nearest_state() -> None:
    run = path1()
    dense = run.resample(np.linspace(1.0, 1.1, 101))
    frames = Frames(dense)
    i = frames.nearest(1.0302)
    assert i == 30 and (frames.at(1.0302) == dense.q[i]).all()
    assert frames.nearest(1.0308) == 31


def test_a_time_stored_twice_shows_the_state_after_the_jump() -> None:
    frames = Frames(five_bar())
    assert frames.index(1.0) == 2 and frames.index(0.999) == 0 and frames.index(-1) == 0
    assert (
        frames.stepped_time(0.0, 1) == 1.0
        and frames.stepped_time(1.0, 1) == 3.0
        and frames.stepped_time(1.0, -1) == 0.0
    )
    assert frames.stepped_time(2.0, -1) == 1.0 and frames.stepped_time(2.0, 1) == 3.0
    assert frames.stepped_time(3.0, 5) == 3.0 and frames.stepped_time(0.0, -5) == 0.0


def test_a_run_of_one_state_stands() -> None:
    run = path1().resample([2.0])
    frames = Frames(run)
    assert len(run) == 1 and (frames.at(7.0) == run.q[0]).all()
    assert frames.stepped_time(2.0, 1) == pytest.approx(2.0)
    assert common_span((frames, Frames(path1()))) == (0.0, 6.0)


def test_where_states_cannot_be_interpolated_a_stored_one_is_shown() -> None:
    run = path1().between(1.0, 1.1)
    v = run.v.copy()
    v[:] = np.nan
    lost = gough.Run.from_states(run.model, run.time, run.q, np.nan_to_num(v, nan=1e9), run.tau)
    q = Frames(lost).at(float(run.time[2]) + 0.009)
    assert np.isfinite(q).all()
