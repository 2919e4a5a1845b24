"""Instrumental variables beside least squares, on an axis that is integrated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads

AXIS = """
format: 2
name: axis
bodies: [{name: head, mass: 8.0}]
joints:
  - {name: x, type: prismatic, parent: world, child: head, axis: [1, 0, 0], drive: {viscous: 15, coulomb: 4, smoothing: 0.005}}
velocities: [x]
"""
MASS, VISCOUS, DRY, WIDTH, STIFF, DAMP = 10.0, 20.0, 5.0, 0.005, 4000.0, 200.0
TURNS = 2 * np.pi * 0.4 * np.arange(1, 5)
SIZES, PHASES = np.array([0.03, 0.02, 0.012, 0.008]), np.array([0.9, 2.3, 4.1, 5.2])


def reference(t: float) -> tuple[float, float]:
    angle = TURNS * t + PHASES
    return float(SIZES @ np.sin(angle)), float((SIZES * TURNS) @ np.cos(angle))


def logged(seconds: float = 8.0, rate_hz: float = 500.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, positions and forces of m a = f - c v - d v / sqrt(v² + w²) under f = K (r - x) + D (r' - v), by Runge and Kutta."""
    h, t = 1.0 / (4 * rate_hz), np.arange(round(seconds * rate_hz)) / rate_hz

    def force(t: float, y: np.ndarray) -> float:
        r, rate = reference(t)
        return STIFF * (r - y[0]) + DAMP * (rate - y[1])

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        dry = DRY * y[1] / np.hypot(y[1], WIDTH)
        return np.array([y[1], (force(t, y) - VISCOUS * y[1] - dry) / MASS])

    y, out = np.array(reference(0.0)), []
    for begin in t:
        out.append((y[0], force(begin, y)))
        for k in range(4):
            s = begin + k * h
            a = slope(s, y)
            b = slope(s + h / 2, y + h / 2 * a)
            c = slope(s + h / 2, y + h / 2 * b)
            y = y + h / 6 * (a + 2 * b + 2 * c + slope(s + h, y + h * c))
    x, f = np.array(out).T
    return t, x, f


def test_what_a_narrow_filter_does_to_dry_friction_is_taken_back() -> None:
    model = gough.build(loads(AXIS))
    t, x, f = logged()
    f = f + 1e-3 * np.random.default_rng(0).normal(size=len(f))
    samples = gough.condition(model, gough.Record("log", t, {"x": x}, {"x": f}), band=8.0, shifts=None)
    waves: dict[str, Any] = {
        "cosines": {"x": list(SIZES * np.sin(PHASES))},
        "sines": {"x": list(SIZES * np.cos(PHASES))},
    }
    motion = gough.motions.fourier(period=2.5, periods=4, drives={"x": 0.0}, **waves)
    law = gough.laws.JointPD(stiffness=STIFF, damping=DAMP)
    truth = np.array([MASS, VISCOUS, DRY])
    with pytest.warns(gough.IdentificationWarning, match="dry friction is blurred"):
        plain = gough.identify(model, samples, parameters=("inertia", "friction"))
    sharp = gough.identify(
        model, samples, parameters=("inertia", "friction"), method="iv", controller=law, motion=motion
    )
    assert plain.base.names[0] == "head.M" and abs(plain.base_values[0] / MASS - 1) > 3e-3
    lean = np.abs(sharp.base_values / truth - 1)
    assert lean[0] < 3e-4 and lean.max() < 5e-3, sharp.base_values  # a tenth of what least squares lean
