"""Tables of every motion: as near as promised, exact where they can be, fit for compiled loops."""

from dataclasses import replace

import numpy as np
import pytest

from gough import MotionTable, motions
from gough.errors import UsageError
from gough.simulation.motion.table import ACCELERATION_ERROR, LARGEST, POSITION_ERROR
from simulation.differences import rotation
from simulation.motion_family import MEMBERS

EVERY = pytest.mark.parametrize("name", list(MEMBERS))
TABLES: dict[str, MotionTable] = {}


def made(name):
    if name not in TABLES:
        TABLES[name] = MEMBERS[name].motion.table()
    return TABLES[name]


@EVERY
def test_it_is_as_near_as_promised(name):
    """Measured here at other times than the table measures itself."""
    motion, table = MEMBERS[name].motion, made(name)
    assert table.position_error <= POSITION_ERROR and table.acceleration_error <= ACCELERATION_ERROR
    t = np.random.default_rng(0).uniform(0, motion.duration, 3000)
    scale = motion.at(t)
    for side, times in (("right", t), ("left", motion.breaks[1:]), ("right", motion.breaks[:-1])):
        a, b = motion.at(times, side), table.at(times, side)
        if motion.kind == "pose":
            assert (rotation(a.position) * rotation(b.position).inv()).magnitude().max() < 3e-13
            assert (np.einsum("ni,ni->n", a.position[:, 3:], b.position[:, 3:]) > 0).all()
        linear = slice(0, 3 if motion.kind == "pose" else None)
        for x, y, z, bound in (
            (a.position[:, linear], b.position[:, linear], scale.position[:, linear], 2e-13),
            (a.velocity, b.velocity, scale.velocity, 1e-10),
            (a.acceleration, b.acceleration, scale.acceleration, 2e-9),
        ):
            assert np.abs(x - y).max() <= bound * max(np.abs(z).max(), 1e-9)


@EVERY
def test_own_polynomials_are_exact(name):
    table = made(name)
    if MEMBERS[name].exact:
        assert table.degree <= 7
        rounding = 1e-14 if table.degree <= 5 else 5e-14  # terms of a septic are up to 84 times its value
        assert table.position_error < rounding and table.acceleration_error < 1e-13
    else:
        assert table.degree == 11


@EVERY
def test_it_is_fit_for_compiled_loops(name):
    """Rising breaks that contain those of the motion; rotation vectors short enough for series."""
    motion, table = MEMBERS[name].motion, made(name)
    assert (np.diff(table.breaks) > 0).all() and table.breaks[0] == 0
    assert np.abs(table.breaks[:, None] - motion.breaks).min(axis=0).max() <= 1e-15 * motion.duration
    assert np.isin(motion.kinks, table.breaks).all()
    assert table.coefficients.shape == (len(table.breaks) - 1, len(table.names), table.degree + 1)
    if motion.kind == "pose":
        t = np.linspace(0, motion.duration, 4001)
        _, x, _, _ = table.channels(t)
        assert np.linalg.norm(x[:, 3:], axis=1).max() <= LARGEST
        assert np.abs(np.linalg.norm(table.bases, axis=1) - 1).max() < 1e-14
    else:
        assert table.bases.shape == (len(table.breaks) - 1, 0)


def test_long_turns_are_split():
    motion = motions.circle(pose={"position": [0, 0, 0]}, radius=1.0, duration=5.0, turns=7, turning=True)
    table = motion.table()
    _, x, _, _ = table.channels(np.linspace(0, 5.0, 10001))
    assert np.linalg.norm(x[:, 3:], axis=1).max() <= LARGEST
    assert table.position_error < 5 * POSITION_ERROR  # 44 rad
    angles = motions.quintic(
        poses=[{"rpy_zyx": [0, 0, 0]}, {"rpy_zyx": ["3 rev", 0, 0]}], durations=2.0, orientation="rpy_zyx"
    ).table()
    assert angles.position_error < POSITION_ERROR


def test_many_turns_are_as_good_as_their_rounding():
    """An angle of 600 rad that a quintic gives is known to some 1e-12: pieces are not halved for ever."""
    table = motions.circle(drives={"a": 0, "b": 0}, radius=1.0, duration=100.0, turns=100).table()
    assert table.position_error < 1e-11 and len(table.breaks) < 20_000


def test_a_small_move_far_from_the_origin():
    """Accelerations are not differences of positions: 1 µm at 10 m."""
    motion = motions.trigonometric(points=[[10.0, 0, 0], [10.000001, 0, 0]], durations=1.0, frame="tool")
    assert motion.table().acceleration_error <= ACCELERATION_ERROR


def test_accelerations_that_belong_to_another_position_are_seen(limits):
    """A table integrates accelerations: where they are not those of the positions no piece is short enough."""

    honest = MEMBERS["function"].motion
    path = honest.parts[0].path

    class Liar:
        breaks = path.breaks

        def at(self, t, left):
            x, v, a = path.at(t, left)
            return x, v, 1.001 * a

    limits(motion_pieces=100)
    liar = replace(honest, parts=(replace(honest.parts[0], path=Liar()),))
    with pytest.raises(UsageError, match="too rough"):
        liar.table()


def test_a_break_nobody_named_is_found():
    """The third derivative jumps at 1/3 s: short pieces around it."""
    motion = motions.function(lambda t: [np.where(t < 1 / 3, 0.0, (t - 1 / 3) ** 3)], 1.0, kind="drives", names=["a"])
    table = motion.table()
    assert table.acceleration_error <= ACCELERATION_ERROR
    assert np.diff(table.breaks).min() < 1e-6


def test_too_rough_a_motion_is_refused(limits):
    limits(motion_pieces=100)
    motion = motions.function(lambda t: [np.sin(1e4 * t)], 10.0, kind="drives", names=["a"])
    with pytest.raises(UsageError, match="too rough"):
        motion.table()


def test_outside_of_its_time():
    with pytest.raises(UsageError, match="outside"):
        made("quintic").at(99.0)
