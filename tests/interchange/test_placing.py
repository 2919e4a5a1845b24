"""Placements of angles and quaternions against SciPy's rotations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough.interchange._placing import place_quaternion, place_rpy, relative_placement, unit_axis
from gough.interchange.foreign import Placement


def test_angles_and_quaternions():
    rng = np.random.default_rng(3)
    for _ in range(20):
        angles, q = rng.uniform(-3, 3, 3), rng.normal(size=4)
        assert place_rpy((1, 2, 3), *angles).rotation == pytest.approx(Rotation.from_euler("xyz", angles).as_matrix())
        turned = place_quaternion((1, 2, 3), tuple(np.roll(q, 1)))
        assert turned.rotation == pytest.approx(Rotation.from_quat(q).as_matrix())


def test_right_angles_are_exact():
    found = place_rpy((0, 0, 0), np.pi / 2, 0, np.pi)
    assert set(np.abs(found.rotation).ravel()) == {0.0, 1.0} and found.words == {"rpy_zyx": (np.pi, 0, np.pi / 2)}
    assert set(np.abs(place_quaternion((0, 0, 0), (1, 1, 1, 1)).rotation).ravel()) == {0.0, 1.0}


def test_a_frame_seen_from_another():
    a, b = place_rpy((1, 2, 3), 0.1, 0.2, 0.3), place_rpy((-1, 0, 2), 0.5, -0.2, 0.9)
    back = relative_placement(a, b).after(b)
    assert back.position == pytest.approx(a.position) and back.rotation == pytest.approx(a.rotation)
    assert relative_placement(a, a).is_identity and relative_placement(a, Placement()).position == (1, 2, 3)


def test_axes():
    assert unit_axis((0, 0, -3)) == (0, 0, -1) and unit_axis((0, 0, 0)) is None and unit_axis((np.inf, 0, 0)) is None
