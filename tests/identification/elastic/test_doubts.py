"""Fits that look well and are not: modes that were missed, responses of sensors with another gain.

Three masses on springs in a row, whose frequencies and responses are written here.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

import gough
from gough.robot import loads

ROW = """
format: 1
name: row
gravity: [0, 0, 0]
bodies: [{name: a, mass: 2.0}, {name: b, mass: 3.0}, {name: c, mass: 1.0}]
joints:
  - {name: x, type: prismatic, parent: world, child: a, axis: [1, 0, 0], spring: {stiffness: 1000 N/m, damping: 2}}
  - {name: y, type: prismatic, parent: a, child: b, axis: [1, 0, 0], spring: {stiffness: 800 N/m, damping: 1.5}}
  - {name: z, type: prismatic, parent: b, child: c, axis: [1, 0, 0], spring: {stiffness: 2000 N/m, damping: 1}}
velocities: [x, y, z]
"""
SPRINGS = ["x.spring.stiffness", "y.spring.stiffness"]


def chain(k: Any) -> np.ndarray:
    return np.array([[k[0] + k[1], -k[1], 0], [-k[1], k[1] + k[2], -k[2]], [0, -k[2], k[2]]])


def hz_of(stiffness: Any) -> np.ndarray:
    return np.sqrt(eigh(chain(stiffness), np.diag([2.0, 3.0, 1.0]), eigvals_only=True)) / (2 * np.pi)


def fitted(call: Any, *given: Any, **options: Any) -> tuple[gough.ElasticFit, list[str]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        fit = call(gough.build(loads(ROW)), *given, drives="free", **options)
    return fit, [str(w.message) for w in found]


def test_a_lowest_mode_that_was_missed_is_told_though_the_rest_fits() -> None:
    seen = hz_of([1150, 700, 2300])[1:]
    fit, said = fitted(gough.fit_frequencies, seen, SPRINGS, sigma_hz=0.01)
    assert np.allclose(fit.fitted, seen, rtol=1e-3) and fit.values[0] > 5000
    assert any("pairing=[1, 2] if lower ones were not seen" in text for text in said)
    springs = [*SPRINGS, "z.spring.stiffness"]
    named, said = fitted(
        gough.fit_frequencies, [np.nan, *seen], springs, sigma_hz=0.01, prior={springs[2]: (2300.0, 1.0)}
    )
    assert not said and np.all(np.abs(named.values - [1150, 700, 2300]) < 3 * named.deviations)


@pytest.mark.parametrize("stiffness", [[1150, 700, 2000], [1600, 1300, 2000]])
def test_lowest_modes_that_were_seen_are_left_in_peace(stiffness: list[float]) -> None:
    _, said = fitted(gough.fit_frequencies, hz_of(stiffness)[:2], SPRINGS, sigma_hz=0.01)
    assert not any("lowest modes" in text for text in said)


HZ = np.linspace(0.5, 12.0, 160)


def response(gain: float, noise: float, seed: int) -> np.ndarray:
    w, rng = 2 * np.pi * HZ[:, None, None], np.random.default_rng(seed)
    Z = chain([1150, 700, 2000]) + 1j * w * chain([2.2, 1.2, 1.0]) - w**2 * np.diag([2.0, 3.0, 1.0])
    H = gain * -((2 * np.pi * HZ) ** 2) * np.linalg.inv(Z)[:, 0, 0]
    return H + noise * np.abs(H) * (rng.normal(size=len(H)) + 1j * rng.normal(size=len(H)))


def pattern(measured: np.ndarray) -> tuple[gough.ElasticFit, bool]:
    wanted = [*SPRINGS, "x.spring.damping", "y.spring.damping"]
    fit, said = fitted(gough.fit_response, HZ, measured, wanted, force="a.x", motion="a.x")
    return fit, any("goes on from frequency to frequency" in text for text in said)


def test_a_gain_of_a_sensor_is_told_by_the_pattern_of_what_is_missed() -> None:
    fit, told = pattern(response(1.1, 0.02, 0))
    assert told and abs(fit.values[0] - 1150) > 2 * fit.deviations[0]


@pytest.mark.parametrize("seed", range(4))
def test_noise_has_no_pattern(seed: int) -> None:
    assert not pattern(response(1.0, 0.05, seed))[1]
