"""Noise in positions: how much of the accelerations it is, and how far least squares lean by it, against a known mass.

A mass of 2 kg on a slide, pushed by 2 x¨: regression on x¨ with noise in it gives 2 kg times the part of its power that is none.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.robot import loads

SLED = """
format: 1
name: sled
gravity: [0, 0, 0]
bodies: [{name: head, mass: 2.0}]
joints: [{name: x, type: prismatic, parent: world, child: head, axis: [1, 0, 0], drive: {}}]
velocities: [x]
"""
T = np.arange(10000) / 500
HZ, SIZE = np.array([0.4, 1.1, 1.7]), np.array([0.2, 0.05, 0.03])


def moved(order: int) -> np.ndarray:
    w = 2 * np.pi * HZ
    return np.sin(np.outer(T, w) + np.arange(3) + 0.5 * np.pi * order) @ (SIZE * w**order)


def record(noise: float = 0.0) -> gough.Record:
    rng = np.random.default_rng(0)
    force = 2.0 * moved(2) + 1e-3 * rng.normal(size=len(T))
    return gough.Record("sled", T, {"x": moved(0) + noise * rng.normal(size=len(T))}, {"x": force})


def leaned(log: gough.Record, band: float | str) -> tuple[float, list[str]]:
    """(part by which the mass is too small, warnings of noise)."""
    model = gough.build(loads(SLED))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        samples = gough.condition(model, log, band=band, shifts=None)
        mass = gough.identify(model, samples, parameters="head.M").base_values[0]
    return 1.0 - float(mass) / 2.0, [str(w.message) for w in found if "is noise of" in str(w.message)]


@pytest.mark.parametrize("band", [40.0, 60.0])
def test_the_part_that_is_noise_is_that_by_which_masses_lean(band: float) -> None:
    part, (text,) = leaned(record(1e-4), band)
    said = re.match(r"([\d.e-]+) of the power of x's acceleration is noise", text)
    assert said is not None and part > 2e-3
    assert float(said[1]) == pytest.approx(part, rel=0.15)
    assert "a narrower band ('auto' takes" in text


def test_a_band_that_fits_the_motion_is_left_in_peace() -> None:
    part, said = leaned(record(1e-4), "auto")
    assert not said and abs(part) < 1e-3
    assert not leaned(record(), 40.0)[1]


def test_spikes_in_a_pose_are_replaced_in_all_its_numbers() -> None:
    model = gough.build("three_rrr")
    yaw, pose = 0.2 * np.sin(3 * T), np.zeros((len(T), 7))
    pose[:, 0], pose[:, 1] = 0.04 * moved(0) / SIZE.sum(), 0.03 * np.cos(2 * T)
    pose[:, :3] += model.home_pose[:3]
    pose[:, 3], pose[:, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
    clean = gough.Record(
        "seen", T, forces={d: np.sin(T + k) for k, d in enumerate(model.layout.drive_names)}, pose=pose
    )
    bad = pose.copy()
    bad[[2000, 5000], 0] += [5e-3, -4e-3]
    bad[7000, 3:] = [np.cos(0.3), 0.0, 0.0, np.sin(0.3)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        good, seen = (gough.condition(model, r, band=6.0, shifts=None) for r in (clean, replace(clean, pose=bad)))
    assert any("pose: 3 outliers replaced, at t = 4, 10, 14 s" in note for note in seen.notes)
    assert np.abs(seen.acceleration - good.acceleration).max() < 1e-3 * np.abs(good.acceleration).max()
