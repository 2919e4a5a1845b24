"""Placements of angles and quaternions against SciPy's rotations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough.interchange import _placing as placing
from gough.interchange import foreign


def test_angles_and_quaternions():
    rng = np.random.default_rng(3)
    for _ in range(20):
        angles, q = rng.uniform(-3, 3, 3), rng.normal(size=4)
        assert placing.place_rpy((1, 2, 3), *angles).rotation == pytest.approx(
            Rotation.from_euler("xyz", angles).as_matrix()
        )
        turned = placing.place_quaternion((1, 2, 3), tuple(np.roll(q, 1)))
        assert turned.rotation == pytest.approx(Rotation.from_quat(q).as_matrix())


def test_right_angles_are_exact():
    found = placing.place_rpy((0, 0, 0), np.pi / 2, 0, np.pi)
    assert set(np.abs(found.rotation).ravel()) == {0.0, 1.0} and found.words == {"rpy_zyx": (np.pi, 0, np.pi / 2)}
    assert set(np.abs(placing.place_quaternion((0, 0, 0), (1, 1, 1, 1)).rotation).ravel()) == {0.0, 1.0}


def test_a_frame_seen_from_another():
    a, b = placing.place_rpy((1, 2, 3), 0.1, 0.2, 0.3), placing.place_rpy((-1, 0, 2), 0.5, -0.2, 0.9)
    back = placing.relative_placement(a, b).after(b)
    assert back.position == pytest.approx(a.position) and back.rotation == pytest.approx(a.rotation)
    assert placing.relative_placement(a, a).is_identity and placing.relative_placement(
        a, foreign.Placement()
    ).position == (1, 2, 3)


def test_axes():
    assert (
        placing.unit_axis((0, 0, -3)) == (0, 0, -1)
        and placing.unit_axis((0, 0, 0)) is None
        and placing.unit_axis((np.inf, 0, 0)) is None
    )
