"""The builder of Delta robots: its robots against the gallery's, closed at home, refusals that say what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.errors import UsageError
from gough.robot import Body, Platform, dumps, load, loads
from gough.robots import delta
from papers.vectors import rotation_x, rotation_y
from robots.likeness import assert_alike

SIZES = (0.16, 0.045, 0.52, 1.24)


def given(**changes: Any) -> dict[str, Any]:
    return {"width": 0.13, "platform": {"mass": 1}, "home": (0, 0, -1.1), **changes}


@pytest.mark.parametrize(("name", "rods"), [("delta", "pair"), ("delta_fast", "single")])
def test_rebuilds_the_gallery(name: str, rods: Any) -> None:
    written, full = load(name), load("delta")
    assert isinstance(full.platform, Platform)
    arm, rod, _ = (joint.body for joint in full.legs[0].chain)
    options = {"arm": arm, "rod": rod, "rods": rods, "drive": full.legs[0].chain[0].drive}
    built = delta(*SIZES, **given(platform=full.platform.body, **options))
    for ours, theirs in zip(built.legs, written.legs, strict=True):
        assert [joint.on or "arm" for joint in ours.chain[1:]] == ["arm"] * len(ours.chain[1:])
        for a, b in zip(ours.chain, theirs.chain, strict=True):
            assert_alike(a.model_copy(update={"on": b.on}), b)
        for key in ("cut", "loops"):
            assert_alike(getattr(ours, key), getattr(theirs, key), key)
        for key in ("base", "on_platform"):
            a, b = getattr(ours, key), getattr(theirs, key)
            np.testing.assert_allclose(a.position, b.position, atol=1e-15)
            np.testing.assert_allclose(a.rotation(), b.rotation(), atol=1e-15)
    for key in ("platform", "bodies", "joints"):
        assert_alike(getattr(built, key), getattr(written, key), key)
    assert set(built.home.joints) == set(written.home.joints)
    for key, value in written.home.joints.items():
        assert built.home.joints[key] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("home", [(0, 0, -1.1), (0.2, -0.3, -0.9), (-0.1, 0.15, 1.05)])
@pytest.mark.parametrize("rods", ["pair", "single"])
def test_home_closes_and_round_trips(home: tuple[float, ...], rods: Any) -> None:
    robot = delta(*SIZES, **given(home=home, rods=rods, angles=np.radians([10, 100, 220, 300])))
    assert loads(dumps(robot)) == robot
    for leg in robot.legs:
        (arm,) = robot.home.joints[f"{leg.name}.arm"]
        R = leg.base.rotation() @ rotation_y(arm)
        for joint in leg.chain[1:]:
            a, b = robot.home.joints[f"{leg.name}.{joint.name}"]
            start = np.array(leg.base.position) + R @ np.array(joint.placement.position)
            end = start + R @ rotation_y(a) @ rotation_x(b) @ [0, 0, -SIZES[3]]
            side = np.array([0, joint.placement.position[1], 0])
            goal = np.array(home) + np.array(leg.on_platform.position) + leg.on_platform.rotation() @ side
            np.testing.assert_allclose(end, goal, atol=1e-12)
        elbow = leg.base.rotation().T @ (R @ [SIZES[2], 0, 0])
        assert elbow[0] > 0


def test_one_rod_has_the_mass_of_two() -> None:
    rod = Body.model_validate({"mass": 0.2, "center_of_mass": [0, 0, -0.5], "payload": {"mass": 0.1}})
    robot = delta(
        *SIZES, **given(rods="single", rod=rod, rod_friction={"viscous": 0.1, "coulomb": 0.3, "smoothing": 0.01})
    )
    elbow = robot.legs[2].chain[1]
    np.testing.assert_allclose(elbow.body.ten_parameters(), 2 * rod.ten_parameters(), rtol=1e-14)
    assert (elbow.friction.viscous, elbow.friction.coulomb, elbow.friction.smoothing) == (0.2, 0.6, 0.01)
    pair = delta(*SIZES, **given(rod=rod, rod_friction={"viscous": 0.1}))
    assert [joint.friction.viscous for joint in pair.legs[0].chain] == [0, 0.1, 0.1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"home": (0, 0, -3)}, "leg 0 does not reach home"),
        ({"home": (0, 0)}, "home = .* give 3 finite numbers in m"),
        ({"width": 0}, "width = 0; give one positive number in m"),
        ({"rods": "double"}, "use 'pair' or 'single'"),
        ({"angles": [0, 2]}, "three or more finite angles"),
    ],
)
def test_refusals(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        delta(*SIZES, **given(**changes))


def test_lengths_are_checked() -> None:
    with pytest.raises(UsageError, match="arm_length"):
        delta(0.16, 0.045, -0.5, 1.24, **given())
    with pytest.raises(UsageError, match="base_radius"):
        delta(float("nan"), 0.045, 0.5, 1.24, **given())
