"""The builder of five-bar mechanisms: the gallery's rebuilt, closed at home, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.errors import UsageError
from gough.robot import dumps, load, loads
from gough.robots import five_bar
from robots.likeness import assert_alike

BODY = {"mass": 1.0}


def ends(robot: Any, lengths: tuple[float, float], rods: tuple[float, float]) -> np.ndarray:
    """(2, 2): where the two rods end at home."""
    found = []
    for k, side in enumerate(("left", "right")):
        (motor,), (elbow,) = (robot.home.joints[f"{side}_{joint}"] for joint in ("motor", "elbow"))
        start = np.array(robot.joints[2 * k].placement.position[:2])
        crank, rod = (np.array([np.cos(x), np.sin(x)]) for x in (motor, motor + elbow))
        found.append(start + lengths[k] * crank + rods[k] * rod)
    return np.array(found)


def test_rebuilds_the_gallery() -> None:
    written = load("five_bar")
    bodies = {body.name: body for body in written.bodies}
    crank = (bodies["left_crank"], bodies["right_crank"])
    rod = [bodies["left_rod"], bodies["right_rod"]]
    height = ends(written, (0.25, 0.25), (0.35, 0.35))[0, 1]
    built = five_bar(0.24, 0.25, 0.35, home=(0, height), crank=crank, rod=rod)
    for key in ("gravity", "bodies", "joints", "loops", "velocities"):
        assert_alike(getattr(built, key), getattr(written, key), key)
    for key, value in written.home.joints.items():
        assert built.home.joints[key] == pytest.approx(value, abs=0.02)


@pytest.mark.parametrize("elbows", ["outside", "inside"])
@pytest.mark.parametrize("home", [(0.05, 0.4), (-0.3, 0.2), (0.1, -0.35)])
def test_home_closes_and_round_trips(home: tuple[float, float], elbows: Any) -> None:
    lengths, rods = (0.3, 0.28), (0.35, 0.4)
    robot = five_bar(0.2, lengths, rods, home=home, crank=BODY, rod=BODY, elbows=elbows)
    np.testing.assert_allclose(ends(robot, lengths, rods), [home, home], atol=1e-14)
    assert loads(dumps(robot)) == robot
    signs = [np.sign(robot.home.joints[f"{side}_elbow"][0]) for side in ("left", "right")]
    assert signs == ([-1, 1] if elbows == "outside" else [1, -1])


def test_friction_and_drives() -> None:
    robot = five_bar(
        0.2,
        0.3,
        0.4,
        home=(0, 0.4),
        crank=BODY,
        rod=BODY,
        drive={"gear": 5},
        elbow_friction={"viscous": 0.1},
        pin_friction={"viscous": 0.2},
    )
    assert [joint.friction.viscous for joint in robot.joints] == [0, 0.1, 0, 0.1]
    assert robot.loops[0].friction.viscous == 0.2
    assert [joint.drive.gear for joint in robot.joints if joint.drive is not None] == [5, 5]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"home": (0, 2)}, "left side: home is .* reach from"),
        ({"home": 0.3}, "give 2 finite numbers"),
        ({"elbows": "up"}, "'outside' or 'inside'"),
        ({"crank": [BODY] * 3}, "crank: 3 bodies"),
    ],
)
def test_refusals(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        five_bar(0.2, 0.3, 0.4, **{"home": (0, 0.4), "crank": BODY, "rod": BODY, **changes})


def test_lengths_are_checked() -> None:
    with pytest.raises(UsageError, match="crank_length has shape"):
        five_bar(0.2, [1, 2, 3], 0.4, home=(0, 0.4), crank=BODY, rod=BODY)
    with pytest.raises(UsageError, match="distance"):
        five_bar(0, 0.3, 0.4, home=(0, 0.4), crank=BODY, rod=BODY)
