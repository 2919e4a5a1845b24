"""The builder of four-bar chains: counts, home, refusals. Its dynamics: tests/mechanisms/test_four_bar_chain.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.errors import UsageError
from gough.robot import dumps, loads
from gough.robots import four_bar_chain


def test_counts_and_round_trip() -> None:
    robot = four_bar_chain(7, length=0.5, mass=2, angle=0.4)
    assert (len(robot.bodies), len(robot.joints), len(robot.loops)) == (15, 15, 7)
    assert robot.joints[7].placement.position == (3.5, 0, 0)
    assert robot.bodies[0].inertia is not None and robot.bodies[0].inertia.zz == pytest.approx(2 * 0.25 / 12)
    assert robot.home.joints["foot3"] == (0.4,) and robot.home.joints["tip3"] == (-0.4,)
    assert loads(dumps(robot)) == robot


@pytest.mark.parametrize(
    ("n", "changes", "message"),
    [
        (0, {}, "positive whole number"),
        (1.5, {}, "positive whole number"),
        (True, {}, "positive whole number"),
        (2, {"angle": np.pi / 2}, "quarter turn"),
        (2, {"mass": 0}, "mass"),
        (2, {"length": -1}, "length"),
    ],
)
def test_refusals(n: Any, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        four_bar_chain(n, **changes)
