"""Maps of frequencies and stiffness: the same numbers as one state at a time; closed forms of the arm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from analysis.bending_arm import SECOND, E, L, arm
from gough import vibration_map
from gough.errors import UsageError


def test_a_map_has_the_numbers_of_single_states() -> None:
    m = gough.build("dualemps")
    found = vibration_map(m, {"q11": (0.0, 0.2, 3), "q21": (0.0, 0.1, 2)}, count=4)
    assert found.frequencies_hz.shape == (6, 4)
    assert (found.status == 0).all()
    for k, (a, b) in enumerate(found.samples.coordinates()):
        q = m.configuration(drives=[a, b])
        single = gough.natural_frequencies(m, q).frequencies_hz[:4]
        np.testing.assert_allclose(found.frequencies_hz[k], single, rtol=1e-9)
    assert found.grid(found.frequencies_hz).shape == (3, 2, 4)


def test_an_interrupt_keeps_what_is_done(limits: Callable[..., None], tmp_path: Path) -> None:
    model, calls = gough.build("dualemps"), [0]

    def rest(*given: Any, **more: Any) -> Any:
        calls[0] += 1
        if calls[0] > 2:
            raise KeyboardInterrupt
        return gough.static_equilibrium(*given, **more)

    limits(vibration_chunk=2, vibration_rest=rest)
    with pytest.warns(UserWarning, match="interrupted"):
        found = vibration_map(model, {"q11": (0.0, 0.2, 3), "q21": (0.0, 0.1, 2)}, count=2)
    assert found.partial and found.done.tolist() == [True] * 4 + [False] * 2
    assert np.isfinite(found.frequencies_hz[:4]).all() and np.isnan(found.frequencies_hz[4:]).all()
    single = gough.natural_frequencies(model, model.configuration(drives=found.samples.coordinates()[3])).frequencies_hz
    np.testing.assert_allclose(found.frequencies_hz[3], single[:2], rtol=1e-9)
    with np.load(found.save(tmp_path / "map.npz")) as kept:
        assert kept["done"].tolist() == found.done.tolist()
    found.plot(tmp_path / "map.png")


def test_stiffness_of_a_cantilever(tmp_path: Path) -> None:
    m = arm(directory=tmp_path)
    found = vibration_map(m, {"hinge": (-0.5, 0.5, 3)}, frame="beam.tip")
    np.testing.assert_allclose(found.stiffness, 3 * E * SECOND / L**3, rtol=1e-3)  # weight takes a little away or adds


def test_a_servo_softens(tmp_path: Path) -> None:
    m = arm(directory=tmp_path)
    locked = vibration_map(m, {"hinge": (0.0, 0.1, 2)}, frame="beam.tip")
    servo = vibration_map(m, {"hinge": (0.0, 0.1, 2)}, frame="beam.tip", drives={"stiffness": 1000.0})
    give = 1 / servo.stiffness - 1 / locked.stiffness
    np.testing.assert_allclose(give, L**2 / 1000.0, rtol=1e-2)  # the hinge turns by moment over stiffness


def test_unknown_frame(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no frame"):
        vibration_map(arm(elements=1, directory=tmp_path), {"hinge": (0.0, 0.1, 2)}, frame="hand")
