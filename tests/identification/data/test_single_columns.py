"""One column that does not fit, of a robot whose loops then do not close: what is wrong with it is told.

A planar robot of three unlike legs; its drives by the law of cosines along a motion of the platform."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads

BASES = ((-0.42, -0.21), (0.45, -0.26), (0.03, 0.50))
PINS = ((-0.09, -0.05), (0.11, -0.045), (0.015, 0.12))
LENGTHS = ((0.24, 0.29), (0.27, 0.26), (0.255, 0.31))
NAMES = tuple(f"leg{k}.motor" for k in range(3))


def drives(x: np.ndarray, y: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles of the cranks and of the rods against them, (n, 3) each."""
    cranks, rods = [], []
    for (bx, by), (px, py), (a, b) in zip(BASES, PINS, LENGTHS, strict=True):
        dx = x + np.cos(turn) * px - np.sin(turn) * py - bx
        dy = y + np.sin(turn) * px + np.cos(turn) * py - by
        rod = -np.arccos((dx**2 + dy**2 - a**2 - b**2) / (2 * a * b))
        cranks.append(np.arctan2(dy, dx) - np.arctan2(b * np.sin(rod), a + b * np.cos(rod)))
        rods.append(rod)
    return np.unwrap(np.stack(cranks, axis=1), axis=0), np.stack(rods, axis=1)


@cache
def model() -> gough.Model:
    (cranks,), (rods,) = drives(*np.zeros((3, 1)))
    body = "mass: 0.5, center_of_mass: [0.1, 0, 0], inertia: {about: center_of_mass, yy: 2e-3, zz: 2e-3}"
    legs = "".join(
        f"""
  - name: leg{k}
    base: {{position: [{BASES[k][0]}, {BASES[k][1]}, 0]}}
    on_platform: {{position: [{PINS[k][0]}, {PINS[k][1]}, 0]}}
    chain:
      - {{name: motor, type: revolute, drive: {{}}, body: {{name: crank, {body}}}}}
      - {{name: elbow, type: revolute, pose: {{position: [{LENGTHS[k][0]}, 0, 0]}}, body: {{name: rod, {body}}}}}
    cut: {{name: pin, type: revolute, on_leg: {{position: [{LENGTHS[k][1]}, 0, 0]}}}}"""
        for k in range(3)
    )
    home = ", ".join(f"leg{k}.motor: {cranks[k]:.9f}, leg{k}.elbow: {rods[k]:.9f}" for k in range(3))
    platform = "{mass: 1, inertia: {about: center_of_mass, xx: 4e-3, yy: 4e-3, zz: 8e-3}}"
    at_home = f"{{pose: {{position: [0, 0, 0]}}, joints: {{{home}}}}}"
    return gough.build(loads(f"format: 2\nname: planar\nplatform: {platform}\nlegs:{legs}\nhome: {at_home}\n"))


def problems(change: Any = 0.0, factors: Any = 1.0, order: tuple[int, ...] = (0, 1, 2)) -> str:
    t = np.arange(2000) / 250
    angles, _ = drives(0.05 * np.sin(3 * t), 0.04 * np.cos(2 * t), 0.2 * np.sin(2.5 * t + 1))
    wrong = (angles * factors + change)[:, list(order)]
    force = np.random.default_rng(0).normal(size=(3, len(t)))
    record = gough.Record("log", t, dict(zip(NAMES, wrong.T, strict=True)), dict(zip(NAMES, force, strict=True)))
    try:
        gough.condition(model(), record, shifts=None)
    except gough.BadDataError as problem:
        return str(problem)
    return ""


@pytest.mark.filterwarnings("ignore")
def test_angles_of_the_law_of_cosines_close_the_loops() -> None:
    assert problems() == ""


@pytest.mark.parametrize("k", range(3))
def test_what_is_wrong_with_one_column_is_told(k: int) -> None:
    one, place = np.eye(3)[k], f"position {NAMES[k]}"
    assert f"is {place} in deg, a factor 1/57.3 (unit: deg)? Loops close then" in problems(
        factors=180 / np.pi * one + 1 - one
    )
    assert f"does {place} count backwards (sign: -1)?" in problems(factors=1 - 2 * one)
    assert f"is {place} off by whole turns (offset: -720 deg)?" in problems(4 * np.pi * one)


@pytest.mark.parametrize(("order", "pair"), [((1, 0, 2), (0, 1)), ((2, 1, 0), (0, 2)), ((0, 2, 1), (1, 2))])
def test_swapped_columns_are_told(order: tuple[int, ...], pair: tuple[int, int]) -> None:
    assert f"are the columns of position {NAMES[pair[0]]} and {NAMES[pair[1]]} swapped?" in problems(order=order)


def test_all_backwards_is_told_and_what_nothing_simple_mends_is_not_guessed() -> None:
    assert "do all positions count backwards (sign: -1)?" in problems(factors=-1.0)
    assert "is the description this robot, does an encoder count from elsewhere" in problems(np.array([1.0, 0.0, 0.0]))
