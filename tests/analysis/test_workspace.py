"""A hexapod's workspace against leg lengths, cone angles and Jacobian determinants written here."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from analysis.mapped_robots import BALL, HIP, STROKE, hexapod, interrupt_survey, legs_of
from gough.analysis.workspace.survey import PartialResultWarning
from gough.errors import UsageError
from inner.analysis import Verdict

BOX = {"x": (-0.2, 0.2), "y": (-0.2, 0.2), "z": (0.4, 0.75)}


def rotations(yaw, pitch, roll):
    return Rotation.from_euler("ZYX", np.column_stack(np.broadcast_arrays(yaw, pitch, roll))).as_matrix()


def margins(position, rotation):
    """Smallest margin (n,) of strokes and of cones."""
    lines, length, _ = legs_of(position, rotation)
    stroke = np.minimum(length - STROKE[0], STROKE[1] - length)
    hip = HIP - np.arccos(lines[..., 2] / length)
    ball = BALL - np.arccos(np.einsum("nki,ni->nk", lines, rotation[:, :, 2]) / length)
    return np.concatenate([stroke, hip, ball], axis=1)


@pytest.fixture(scope="module")
def sampled():
    ranges = BOX | {"x": (-0.1, 0.1), "y": (-0.1, 0.1), "yaw": (-0.2, 0.2), "pitch": (-0.1, 0.1), "roll": (-0.1, 0.1)}
    return gough.workspace(hexapod(), ranges, random=20000, seed=3, keep_q=True)


def test_limits_are_those_of_the_legs(sampled):
    x = sampled.coordinates
    own = margins(x[:, :3], rotations(x[:, 3], x[:, 4], x[:, 5]))
    clear = np.abs(own).min(axis=1) > 1e-9
    assert np.array_equal(sampled.reachable[clear], (own.min(axis=1) >= 0)[clear])
    assert 0.01 < sampled.reachable.mean() < 0.9
    over = sampled.margin < 0
    assert np.array_equal(over, sampled.verdict == Verdict.LIMIT)
    name = sampled.limit_names[sampled.limit[over][0]]
    assert name in sampled.violations()


def test_conditions_are_those_of_the_model(sampled):
    some = np.flatnonzero(sampled.reachable)[:200]
    expected = hexapod().singularity(sampled.q[some])
    assert np.allclose(sampled.parallel[some], expected.parallel, rtol=1e-6)
    assert np.allclose(sampled.serial[some], expected.serial.min(axis=1), rtol=1e-5)


def test_aspect_is_the_sign_of_the_legs_lines():
    """det [n, r x n] of the lines of the legs, written here, against the sign of the map."""
    w = gough.workspace(hexapod(), {"yaw": (-3, 3, 61), "pitch": (-1, 1, 21)}, limits=False, condition=1e-3)
    x = w.coordinates
    position = np.tile([0, 0, 0.6], (len(x), 1))

    def sign(position, rotation):
        lines, length, arms = legs_of(position, rotation)
        n = lines / length[..., None]
        return np.sign(np.linalg.det(np.concatenate([n, np.cross(arms, n)], axis=2)))

    at_home = sign(position[:1], np.eye(3)[None])
    good = w.singularity_free & (w.mode == 0)
    assert good.sum() > 500 and (w.aspect[good] == -1).sum() > 50
    expected = sign(position, rotations(x[:, 0], x[:, 1], 0.0)) * at_home
    assert np.array_equal(w.aspect[good], expected[good])


def test_the_turned_hexapod_is_singular_at_a_right_angle():
    """A symmetric hexapod with parallel platforms cannot hold a yaw of 90 degrees."""
    w = gough.workspace(hexapod(), {"yaw": (-3.0, 3.0, 601)}, limits=False)
    yaw = w.coordinates[:, 0]
    away = np.abs(np.abs(yaw) - np.pi / 2) > 0.1
    assert not (w.verdict == Verdict.SINGULAR)[away].any()
    home = w.home_region
    assert home is not None and home.aspect == 1
    assert np.abs(yaw[home.mask]).max() < np.pi / 2
    assert home.volume == pytest.approx(np.pi, abs=0.3)
    assert all(np.abs(yaw[r.mask]).min() > np.pi / 2 for r in w.regions if r is not home)


def test_grid_and_random_volumes_agree():
    model = hexapod()
    grid = gough.workspace(model, {name: (*r, 41) for name, r in BOX.items()}).volume
    cloud = gough.workspace(model, BOX, random=40000, seed=1).volume
    assert grid.unit == cloud.unit == "m3"
    assert grid.reachable == pytest.approx(cloud.reachable, abs=4 * cloud.reachable_error)
    x = np.random.default_rng(0).uniform(*np.array(list(BOX.values())).T, size=(400_000, 3))
    inside = margins(x, np.broadcast_to(np.eye(3), (len(x), 3, 3))).min(axis=1) >= 0
    assert cloud.reachable == pytest.approx(cloud.box * inside.mean(), abs=4 * cloud.reachable_error)


def test_orientations():
    angles = [(0, 0, 0), (0.2, 0, 0), (0, 0.1, -0.1)]
    ranges = {"x": (-0.15, 0.15, 9), "y": (-0.15, 0.15, 9), "z": (0.45, 0.7, 9)}
    each = []
    for row in angles:
        fixed = {"yaw": row[0], "pitch": row[1], "roll": row[2]}
        each.append(gough.workspace(hexapod(), ranges, fixed=fixed))
    every = gough.workspace(hexapod(), ranges, orientations=angles)
    one = gough.workspace(hexapod(), ranges, orientations=angles, every=False)
    assert np.array_equal(every.reachable, np.all([w.reachable for w in each], axis=0))
    assert np.array_equal(one.reachable, np.any([w.reachable for w in each], axis=0))
    lowest = np.min([w.parallel for w in each], axis=0)[every.reachable]
    assert (every.worst[every.reachable] <= lowest + 1e-12).all()


def test_work_in_chunks_does_not_change_the_samples(limits):
    whole = gough.workspace(hexapod(), BOX, random=500, seed=7, keep_q=True)
    limits(survey_chunk=77)
    parts = gough.workspace(hexapod(), BOX, random=500, seed=7, keep_q=True, threads=3)
    assert np.array_equal(whole.coordinates, parts.coordinates)
    assert np.array_equal(whole.verdict, parts.verdict)
    assert whole.q is not None and parts.q is not None and np.allclose(whole.q, parts.q, rtol=0, atol=1e-14)


def test_an_interrupt_keeps_what_is_done(monkeypatch, limits):
    limits(survey_chunk=100)
    interrupt_survey(monkeypatch, 3)
    with pytest.warns(PartialResultWarning):
        w = gough.workspace(hexapod(), BOX, random=1000, threads=1)
    assert w.partial and w.done == 300
    assert w.counts()["NOT_DONE"] == 700
    assert "interrupted at 300" in repr(w)
    assert 0 < w.volume.reachable < w.volume.box


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"ranges": {"X": (0, 1, 3)}}, "no coordinate 'X'"),
        ({"ranges": {"x": (0, 1)}}, "low, high, points"),
        ({"ranges": {"x": (1, 0, 3)}}, "lower first"),
        ({"ranges": {"x": (0, 1, 1)}}, "at least 2"),
        ({"ranges": {"x": (0, 1, 3)}, "fixed": {"x": 1}}, "both in ranges and in fixed"),
        ({"ranges": {"x": (0, 1, 3)}, "fixed": {"y": np.nan}}, "finite"),
        ({"ranges": {}}, "at least one"),
        ({"ranges": {"x": (0, 1, 3)}, "condition": 2}, "from 0 to 1"),
        ({"ranges": {"x": (0, 1, 3)}, "orientations": [(0, 0)]}, "yaw, pitch, roll"),
        ({"ranges": {"yaw": (0, 1, 3)}, "orientations": [(0, 0, 0)]}, "beside orientations"),
        ({"ranges": {"x": (0, 1, 3), "leg0.slide": (0, 1, 3)}}, "6 freedoms"),
        ({"ranges": {"x": (0, 1)}, "random": 0}, "positive"),
        ({"ranges": dict.fromkeys(("x", "y", "z", "yaw", "pitch"), (0, 1, 100))}, "fewer points"),
    ],
)
def test_misuse_says_what_to_do(options, text):
    with pytest.raises(UsageError, match=text):
        gough.workspace(hexapod(), **options)


def test_default_ranges_hold_the_whole_workspace():
    w = gough.workspace(hexapod())
    assert w.samples.names == ("x", "y", "z")
    reached = w.grid(w.reachable)
    for axis in range(3):
        assert not reached.take([0, -1], axis=axis).any()
    wide = {"x": (-0.6, 0.6), "y": (-0.6, 0.6), "z": (0.2, 1.0)}
    cloud = gough.workspace(hexapod(), wide, random=60000).volume
    assert w.volume.reachable == pytest.approx(cloud.reachable, abs=4 * cloud.reachable_error)


@pytest.mark.slow
def test_many_poses_take_bounded_memory():
    import tracemalloc

    gough.workspace(hexapod(), BOX, random=1000)
    tracemalloc.start()
    w = gough.workspace(hexapod(), BOX, random=100_000, limits=False)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert w.done == 100_000
    assert peak < 300e6
