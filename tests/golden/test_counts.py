"""Operation counts of the gallery robots, compared exactly; the papers' counts are beaten by the factors promised."""

from __future__ import annotations

import tomllib

import pytest

from golden.regenerate import FILE, counted, counts

HINT = "the programs changed: if that was meant, run `python tests/golden/regenerate.py` and look at the difference"
LIMITS = {"pedrammehr2012": 2 * 2498}
"""Operations of inverse_dynamics, baked, without friction, that may not be exceeded."""
KEPT = tomllib.loads(FILE.read_text(encoding="utf-8"))
DEAR = ("agile_eye", "dualemps", "dualemps_refined", "hobby_6rss", "long2014_rigid", "screw_hexapod")
"""Robots whose programs take long to write: they are counted in the slow tests."""
CASES = [
    pytest.param(
        robot, function, marks=() if function == "inverse_dynamics" and robot not in DEAR else pytest.mark.slow
    )
    for robot in counted()
    for function in KEPT.get(robot, {})
]


@pytest.mark.parametrize(("robot", "function"), CASES)
def test_counts_are_those_on_file(robot: str, function: str) -> None:
    assert counts(robot, function) == KEPT[robot][function], HINT


@pytest.mark.parametrize(("robot", "function"), CASES)
def test_counts_make_sense(robot: str, function: str) -> None:
    """Baked numbers never cost more than inputs; multiply-adds never more than plain operations."""
    found = counts(robot, function)
    for count in found.values():
        assert count["operations"] == count["add"] + count["mul"] + count["div"]
        assert count["operations_fma"] <= count["operations"]
    assert found["baked"]["uniform"] == 0
    assert found["baked"]["operations"] <= found["inputs"]["operations"] + found["inputs"]["uniform"]


@pytest.mark.parametrize("robot", LIMITS)
def test_limits(robot: str) -> None:
    assert counts(robot, "inverse_dynamics")["baked"]["operations"] <= LIMITS[robot]


def test_no_robot_is_forgotten() -> None:
    assert set(KEPT) == set(counted()), HINT
