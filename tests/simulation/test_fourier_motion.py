"""Fourier motions: against the sum written out, in code and in files."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import motions

T = 4.0


def test_it_is_the_sum() -> None:
    m = motions.fourier(
        period=T, drives={"a": 0.5, "b": -1.0}, cosines={"a": [0.1, 0.0, 0.02]}, sines={"b": [0.3]}, periods=2
    )
    t = np.linspace(0.0, 2 * T, 33)
    w = 2 * np.pi / T
    at = m.at(t)
    a = 0.5 + 0.1 * np.cos(w * t) + 0.02 * np.cos(3 * w * t)
    speed = -0.1 * w * np.sin(w * t) - 0.06 * w * np.sin(3 * w * t)
    assert at.position == pytest.approx(np.stack([a, -1.0 + 0.3 * np.sin(w * t)], axis=1), abs=1e-14)
    assert at.velocity == pytest.approx(np.stack([speed, 0.3 * w * np.cos(w * t)], axis=1), abs=1e-14)
    assert m.duration == 2 * T and m.kind == "drives"


def test_it_is_written_in_files() -> None:
    text = """
format: 1
motion:
  fourier: {period: 4 s, drives: {left_motor: 120 deg, right_motor: 1.0}, cosines: {left_motor: [5 deg]}, periods: 2}
"""
    m = motions.read_motion(text, model=gough.build("five_bar")).motion
    assert m.at(0.0).position == pytest.approx([np.radians(125.0), 1.0], abs=1e-15)
    with pytest.raises(gough.DescriptionError, match="5 mm is a length, and left_motor is an angle"):
        motions.read_motion(text.replace("[5 deg]", "[5 mm]"), model=gough.build("five_bar"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "exactly one of drives= or joints="),
        ({"drives": {"a": 0.0}, "joints": {"a": 0.0}}, "exactly one of drives= or joints="),
        ({"drives": {}}, "mean of at least one"),
        ({"drives": {"a": 0.0}, "sines": {"b": [1.0]}}, "sines of b, of which drives has no mean"),
        ({"drives": {"a": 0.0}, "sines": {"a": [[1.0]]}}, "a list of finite amplitudes"),
        ({"drives": {"a": 0.0}, "periods": 0}, "periods=0"),
    ],
)
def test_misuse_is_named(given: dict, said: str) -> None:
    with pytest.raises(gough.UsageError, match=said):
        motions.fourier(period=T, **given)
