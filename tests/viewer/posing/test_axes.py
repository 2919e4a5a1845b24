"""Coordinates of robots: there and back, against rotations of SciPy; ranges that contain home."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inner.viewer import pose_of, ranges_of, sets_of_axes
from viewer.posing.models import model_of

ROBOTS = {
    "pedrammehr2012": ("x", "y", "z", "yaw", "pitch", "roll"),
    "delta": ("x", "y", "z"),
    "three_rrr": ("x", "y", "yaw"),
    "tripod_wrist": ("z", "pitch", "roll", "turn", "tilt"),
    "five_bar": ("left_motor", "right_motor"),
    "andrews": ("beta",),
    "bricard": ("hinge1",),
}


def test_angles_are_yaw_pitch_roll(rng: np.random.Generator) -> None:
    x = rng.uniform(-1.4, 1.4, (50, 6))
    found = pose_of(x)
    expected = Rotation.from_euler("ZYX", x[:, 3:]).as_matrix()
    assert np.allclose(Rotation.from_quat(found[:, [4, 5, 6, 3]]).as_matrix(), expected, atol=1e-12)
    assert np.array_equal(found[:, :3], x[:, :3])


@pytest.mark.parametrize("name", ROBOTS)
def test_values_lead_back_to_where_they_were_read(name: str, rng: np.random.Generator) -> None:
    model = model_of(name)
    sets = sets_of_axes(model)
    assert next(iter(sets.values())).names == ROBOTS[name]
    for axes in sets.values():
        wanted = axes.values(model.home) + 0.02 * axes.scales * rng.uniform(-1, 1, len(axes.names))
        q = model.configuration(**axes.target(wanted), near=model.home)
        assert np.allclose(axes.difference(wanted, axes.values(q)), 0, atol=1e-8)


@pytest.mark.parametrize("name", ROBOTS)
def test_ranges_contain_home_and_end(name: str) -> None:
    model = model_of(name)
    for axes in sets_of_axes(model).values():
        home = axes.values(model.home)
        for value, unit, own in zip(home, axes.units, ranges_of(axes).values(), strict=True):
            assert own.low <= value <= own.high
            assert 0 < own.high - own.low <= (6 * model.size if unit == "m" else 2 * np.pi + 0.1)
            assert own.step < (own.high - own.low) / 50


def test_a_rod_ends_the_range() -> None:
    """Two cranks of 0.6 m and rods of 0.7 m: the elbows must stay within 1.4 m of each other."""
    from analysis.mapped_robots import CRANK, HALF_BASE, ROD, five_bar

    model = five_bar()
    own = ranges_of(next(iter(sets_of_axes(model).values())))["m1"]
    right = np.array([HALF_BASE + CRANK * np.cos(np.pi / 3), CRANK * np.sin(np.pi / 3)])
    angles = np.linspace(model.home[0] - np.pi, model.home[0] + np.pi, 721)
    left = np.stack([-HALF_BASE + CRANK * np.cos(angles), CRANK * np.sin(angles)], axis=1)
    reached = angles[np.linalg.norm(left - right, axis=1) < 2 * ROD]
    assert own.low <= reached.min() + 0.2 and own.high >= min(reached.max(), own.high)
