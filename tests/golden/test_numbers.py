"""Numbers of the gallery are those of the last version, to 1e-12: a promise of docs/promises.md."""

from __future__ import annotations

import json

import numpy as np
import pytest

from golden.gallery_numbers import FILE, model, numbers, robots

SAME = 1e-12
"""Of the largest number of its kind, for the same state of the same robot."""
KEPT = json.loads(FILE.read_text(encoding="utf-8"))

DEAR = ("agile_eye", "delta_flexible", "dualemps_8", "hexapod_flexible")
CASES = [pytest.param(robot, marks=pytest.mark.slow if robot in DEAR else ()) for robot in robots()]


@pytest.mark.parametrize("robot", CASES)
def test_numbers_are_those_on_file(robot: str) -> None:
    then = {name: np.array(x) for name, x in KEPT[robot]["found"].items()}
    now = numbers(robot, {name: np.array(x) for name, x in KEPT[robot]["given"].items()})
    assert set(now) == set(then)
    for name, told in then.items():
        error = np.abs(now[name] - told).max() / (np.abs(told).max() or 1.0)
        assert error <= SAME, (
            f"{name} of {robot}: {error:.1e}; CHANGELOG.md says so where it is meant (gallery_numbers.py)"
        )


@pytest.mark.parametrize("robot", CASES)
def test_the_states_are_closed(robot: str) -> None:
    assert model(robot).closure_error(np.array(KEPT[robot]["given"]["q"])) < 1e-12


def test_no_robot_is_forgotten() -> None:
    assert set(KEPT) == set(robots())
