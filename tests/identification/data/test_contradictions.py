"""Encoders and poses beyond those that are needed are compared with where the others say that the robot is.

The elbows of the five-bar are those of two triangles, written here.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads

from .logs import log_of

LOG = log_of("five_bar", 0.3)
MODEL = LOG.model
LEFT, RIGHT = MODEL.layout.drive_names
DRIVES = dict(zip((LEFT, RIGHT), LOG.x.T, strict=True))


def elbows(x: np.ndarray) -> dict[str, np.ndarray]:
    """Passive angles of the five-bar at angles x (n, 2) of its cranks: 0.24 m apart, cranks of 0.25 m, rods of 0.35 m."""
    ends = np.exp(1j * x) * 0.25 + [-0.12, 0.12]
    half = 0.5 * (ends[:, 1] - ends[:, 0])
    pin = ends[:, 0] + half + 1j * half / np.abs(half) * np.sqrt(0.35**2 - np.abs(half) ** 2)
    return {
        f"{side}_elbow": np.angle((pin - ends[:, k]) * np.exp(-1j * x[:, k]))
        for k, side in enumerate(("left", "right"))
    }


def told(record: gough.Record, model: gough.Model = MODEL, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        gough.condition(model, record, shifts=None, band=8.0, **options)
    return [str(w.message) for w in found if "contradict" in str(w.message)]


def record(**positions: np.ndarray) -> gough.Record:
    return replace(LOG.record(step=1e-6), positions={**DRIVES, **elbows(LOG.x), **positions})


@pytest.mark.parametrize("states", ["auto", "joints"])
def test_encoders_that_agree_are_left_in_peace(states: str) -> None:
    assert not told(record(), states=states)


def test_a_whole_turn_is_no_contradiction() -> None:
    assert not told(record(left_elbow=elbows(LOG.x)["left_elbow"] + 2 * np.pi))


@pytest.mark.parametrize("states", ["auto", "joints"])
def test_the_zero_of_a_drive_shows_in_the_elbows(states: str) -> None:
    (text,) = told(record(**{LEFT: DRIVES[LEFT] + np.radians(1.0)}), states=states)
    assert "position left_elbow is" in text and "offset:" in text


def test_what_an_elbow_is_off_by_is_told() -> None:
    (text,) = told(record(left_elbow=elbows(LOG.x)["left_elbow"] + 0.02))
    assert "position left_elbow is 0.02 rad (rms) off, +0.02 on average, from where left_motor, right_motor" in text
    (text,) = told(record(left_elbow=np.degrees(elbows(LOG.x)["left_elbow"])))
    assert "moves 57.3 times as far" in text
    (text,) = told(record(right_elbow=-elbows(LOG.x)["right_elbow"]))
    assert "position right_elbow" in text and "moves -1 times as far" in text


def test_a_delay_that_was_told_is_no_contradiction() -> None:
    late = {"left_elbow": np.interp(LOG.t - 0.05, LOG.t, elbows(LOG.x)["left_elbow"])}
    assert told(record(**late))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gough.condition(MODEL, record(**late), shifts={"position left_elbow": 0.05}, band=8.0)


def test_a_pose_of_another_point_than_the_platforms_is_told() -> None:
    model = gough.build(loads(SLED))
    t = np.arange(3000) / 500
    x = 0.2 * np.sin(2 * np.pi * 0.5 * t)
    pose = np.zeros((len(t), 7))
    pose[:, 0], pose[:, 3] = x, 1.0
    force = {"leg.slide": -2.0 * (np.pi**2) * x}
    log = gough.Record("sled", t, {"leg.slide": x}, force, pose=pose)
    assert not told(log, model)
    (text,) = told(replace(log, pose=pose + [0, 0, 0.05, 0, 0, 0, 0]), model)
    assert "the pose's position is 0.05 m (rms) off, (0, 0, +0.05) on average" in text


SLED = """
format: 1
name: sled
gravity: [0, 0, 0]
platform: {mass: 2.0}
legs:
  - name: leg
    chain: [{name: slide, type: prismatic, axis: [1, 0, 0], drive: {}}]
    cut: {type: fixed}
home: {pose: {position: [0, 0, 0]}}
"""
