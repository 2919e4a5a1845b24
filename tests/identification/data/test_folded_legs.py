"""Logs of a robot of which a leg goes through its stretched pose: drives take it there, the platform's velocities do not.

The 3-RRR in closed form: the elbow of the first leg is prescribed, it puts the platform, which turns the other legs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gough

BAR, GROUND, PIN = 0.25, 0.4, 0.1
TIMES = np.arange(2000) / 250


def turned(angle: float, x: np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return x @ np.array([[c, s], [-s, c]])


def closed_form(farthest: float) -> tuple[np.ndarray, np.ndarray]:
    """(motors (n, 3), platform's place (n, 2)) while the first elbow goes from home's -1.85 rad to `farthest` and back."""
    elbow = -1.85459 + (farthest + 1.85459) * 0.5 * (1 - np.cos(2 * np.pi * TIMES / 4))
    way = 0.1 * np.sin(2 * np.pi * TIMES / 2.5)
    first = way - elbow / 2
    reach = 2 * BAR * np.cos(elbow / 2)
    place = np.stack([reach * np.cos(way) - GROUND + PIN, reach * np.sin(way)], axis=1)
    motors = [first]
    for leg in (1, 2):
        x, y = (turned(-leg * 2 * np.pi / 3, place) + np.array([GROUND - PIN, 0.0])).T
        motors.append(np.arctan2(y, x) + np.arccos(np.hypot(x, y) / (2 * BAR)))
    return np.stack(motors, axis=1), place


def condition(led: str, farthest: float) -> tuple[gough.Samples, np.ndarray]:
    """Samples, and where the platform truly was."""
    robot = gough.build("three_rrr").robot
    model = gough.build(robot if led == "platform" else robot.model_copy(update={"velocities": led}))
    motors, place = closed_form(farthest)
    forces = np.random.default_rng(0).normal(size=motors.shape)
    names = model.layout.drive_names
    record = gough.Record(
        "log", TIMES, dict(zip(names, motors.T, strict=True)), dict(zip(names, forces.T, strict=True))
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = gough.condition(model, record, band=40.0, shifts=None)
    return samples, np.stack([np.interp(samples.time, TIMES, x) for x in place.T], axis=1)


def test_states_before_the_stretched_pose() -> None:
    samples, place = condition("platform", -0.5)
    assert np.abs(samples.q[:, :2] - place).max() < 1e-6


def test_a_way_through_it_is_refused_with_what_helps() -> None:
    with pytest.raises(gough.BadDataError, match=r"leg0 is nearly stretched or folded.* Write 'velocities: drives'"):
        condition("platform", 0.6)


def test_what_helps_does_help() -> None:
    samples, place = condition("drives", 0.6)
    assert np.abs(samples.q[:, :2] - place).max() < 1e-6
