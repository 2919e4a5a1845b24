"""`on_platform: {orientation: home}`: a cut's frame on the platform has the axes that home gives it."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import dumps, loads
from reference.designs import description


def from_home(data: dict[str, Any]) -> dict[str, Any]:
    """The same robot, whose legs' frames on the platform have their axes from home."""
    legs = []
    for leg in data["legs"]:
        turned = leg.get("cut", {}).get("type") == "universal"  # its second axis is drawn in a frame of its own
        placed = {"position": leg["on_platform"]["position"], "orientation": "home"}
        legs.append(leg if turned else leg | {"on_platform": placed})
    return data | {"format": 2, "legs": legs}


@pytest.mark.quick_cases("1-ups")
@pytest.mark.parametrize("family", ["generic", "sliding_cuts", "ups"])
@pytest.mark.parametrize("seed", [1, 2])
def test_frames_written_by_hand_and_from_home_are_the_same(family: str, seed: int) -> None:
    """Designs whose homes close exactly, with legs of many joints and cuts: the axes found are those that were drawn."""
    data = description(family, seed)
    drawn, found = (loads(json.dumps(x)) for x in (data, from_home(data)))
    a, b = gough.build(drawn), gough.build(found)
    rng = np.random.default_rng(seed)
    q = a.integrate(a.home, 0.02 * rng.normal(size=a.layout.nv))
    v, acceleration = rng.normal(size=(2, a.layout.nv))
    tau = a.inverse_dynamics(q, v, acceleration).tau
    np.testing.assert_allclose(
        b.inverse_dynamics(b.project(q), v, acceleration).tau, tau, atol=1e-7 * np.abs(tau).max()
    )


def test_a_planar_robot_needs_no_axes() -> None:
    text = dumps(gough.load("three_rrr")).replace("format: 1", "format: 2")
    written = re.sub(r"(on_platform: \{position: \[[^]]*\])[^}]*", r"\1, orientation: home", text)
    assert written.count("orientation: home") == 3
    robot = loads(written)
    assert loads(dumps(robot)) == robot
    assert gough.build(robot).mobility == 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"home": {"pose": {"position": [0, 0, 0]}}}, "home.joints does not state leg0.motor, leg0.elbow"),
        ({"format": 1}, "a key of format 2"),
    ],
)
def test_what_is_missing_is_told(change: dict[str, Any], words: str) -> None:
    import yaml

    data = from_home(yaml.safe_load(dumps(gough.load("three_rrr"))))
    with pytest.raises(gough.DescriptionError, match=words):
        loads(json.dumps(data | change))


def test_axes_are_given_once() -> None:
    text = dumps(gough.load("three_rrr")).replace("format: 1", "format: 2")
    twice = text.replace("on_platform: {", "on_platform: {orientation: home, rpy_zyx: [0, 0, 0], ")
    with pytest.raises(gough.DescriptionError, match="orientation given twice, by rpy_zyx and from home"):
        loads(twice)
    with pytest.raises(gough.DescriptionError, match="orientation"):
        loads(text.replace("base: {", "base: {orientation: home, "))
