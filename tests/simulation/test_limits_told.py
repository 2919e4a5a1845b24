"""Limits that a run exceeds are told after it: when first, and by how much, as the closed form of the motion says."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough import laws, motions
from gough.errors import RunWarning
from gough.robot import loads

MASS, G = 2.0, 9.81


def falling(**limits: float) -> gough.Model:
    """A mass that slides along z."""
    body = {"name": "block", "mass": MASS, "center_of_mass": [0, 0, 0]}
    body["inertia"] = {"about": "center_of_mass", "xx": 1.0, "yy": 1.0, "zz": 1.0}
    slide = {"name": "slide", "type": "prismatic", "parent": "world", "child": "block", "axis": [0, 0, 1], "drive": {}}
    data: dict[str, Any] = {"format": 1, "name": "slider", "source": "made up", "gravity": [0, 0, -G], "bodies": [body]}
    return gough.build(loads(json.dumps(data | {"joints": [slide | {"limits": limits}], "velocities": "drives"})))


def told(run: gough.Run) -> list[Any]:
    return [event for event in run.info.events if event.kind == "limit"]


def test_a_free_fall_below_its_stroke() -> None:
    model = falling(lower=-0.5, upper=0.5, speed=2.0)
    with pytest.warns(RunWarning, match=r"limit: .*slide.*; slide") as caught:
        run = gough.simulate(model, None, laws.Free(), duration=0.6, step=1e-3, method="rk4")
    assert sum("limit:" in str(w.message) for w in caught) == 1
    speed, stroke = told(run)  # in the order of time: 2 m/s after 0.204 s, 0.5 m after 0.319 s
    assert speed[0] == pytest.approx(2.0 / G, abs=1.1e-3) and f"by up to {0.6 * G - 2.0:.6g} m/s" in speed.words
    assert stroke[0] == pytest.approx(np.sqrt(1.0 / G), abs=1.1e-3)
    assert "lower: beyond its limit until 0.6 s" in stroke.words
    assert f"by up to {0.5 * G * 0.36 - 0.5:.6g} m" in stroke.words


def test_a_loop_that_sags_through_its_stroke_along_a_good_motion() -> None:
    """A spring without gravity's force: m z̈ = -k z - m g overshoots to -2 m g / k; the motion itself is within the limits."""
    model, k = falling(lower=-0.1, upper=0.1), 250.0
    stand = motions.function(lambda t: [0.0 * t], 1.0, kind="drives", names=["slide"])
    with pytest.warns(RunWarning, match="limit: slide .*lower"):
        run = gough.simulate(model, stand, laws.JointPD(k, 0.0), step=1e-3, method="rk4")
    (event,) = told(run)
    deepest = 2 * MASS * G / k
    assert float(event.words.split("by up to ")[1].split()[0]) == pytest.approx(deepest - 0.1, rel=1e-4)
    assert event[0] == pytest.approx(np.arccos(1 - 0.1 * k / (MASS * G)) / np.sqrt(k / MASS), abs=1.1e-3)


def test_what_the_motion_told_is_not_said_again_and_what_is_within_is_silent() -> None:
    model = falling(lower=-0.1, upper=0.1)
    with pytest.warns(RunWarning, match="beyond its limit"):
        beyond = gough.simulate(model, motions.quintic(drives=[[0.0], [0.2]], durations=1.0), laws.ComputedTorque())
    assert not told(beyond) and any(event.kind == "motion" for event in beyond.info.events)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunWarning)
        move = motions.quintic(drives=[[0.0], [0.05]], durations=1.0)
        assert not gough.simulate(model, move, laws.ComputedTorque()).info.events
        off = gough.simulate(model, None, laws.Free(), duration=0.3, check="off")
    assert not told(off)
