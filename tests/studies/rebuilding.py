"""The truth beside total derivatives: descriptions whose variables are changed, read and built again, their loops closed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import gough
from gough.robot import loads

UNEVEN = """
format: 2
name: uneven_hexapod
variables:
  wide: 0.55 m
  high: 0.04 m
  ball: 0.21 m
  weight: 7 kg
  shortest: 0.55 m
  travel: 0.45 m
  cone: 50 deg
  push: 220 N
  fast: 0.8 m/s
gravity: [0.3, -0.2, -9.7]
platform:
  mass: weight
  center_of_mass: [0.01, -0.02, 0.03]
  inertia: {about: center_of_mass, xx: 0.2, yy: 0.24, zz: 0.31}
  frames: {tool: {position: [0.04, -ball/3, 0.12], rpy_zyx: [0.2, 0.1, -0.3]}}
  limits: {z: [null, shortest + 0.6 m]}
templates:
  ups:
    chain:
      - name: hip
        type: universal
        axes: [[1, 0, 0], [0, 1, 0]]
        limits: {cone: cone}
        body:
          name: cylinder
          mass: 2.2
          center_of_mass: [0.01, 0, high + 0.2 m]
          inertia: {about: center_of_mass, xx: 0.04, yy: 0.035, zz: 0.01}
      - name: slide
        type: prismatic
        axis: [0, 0, 1]
        limits: {upper: shortest + travel, force: 1.5*push}
        drive:
          force_limit: push
          speed_limit: fast
          stroke: [shortest, shortest + 2*travel]
          rotor_inertia: 3 kg
          viscous: 20 N.s/m
        body:
          name: rod
          mass: 1.1
          center_of_mass: [0, 0.01, -0.2]
          inertia: {about: center_of_mass, xx: 0.02, yy: 0.02, zz: 0.003}
    cut: {name: ball, type: spherical, limits: {cone: cone + 20 deg}}
legs:
  - {like: ups, base: {position: [wide, -0.11, 0]}, on_platform: {position: [ball, -0.24, 0.01]}}
  - {like: ups, base: {position: [wide - 0.03 m, 0.13, high]}, on_platform: {position: [ball + 0.02 m, 0.22, 0]}}
  - {like: ups, base: {position: [-0.17, wide, 0.02]}, on_platform: {position: [0.1, 0.3, 0]}}
  - {like: ups, base: {position: [-0.36, 0.41, 0]}, on_platform: {position: [-0.31, ball/3, -0.02]}}
  - {like: ups, base: {position: [-0.39, -0.4, 0]}, on_platform: {position: [-0.3, -0.06, 0]}}
  - {like: ups, base: {position: [-0.16, -wide, high]}, on_platform: {position: [0.12, -0.31, 0]}}
home: {pose: {position: [0.02, -0.03, 0.75], rpy_zyx: [0.1, 0.05, -0.08]}}
"""
"""Six UPS legs, all different, with limits of every kind that follow variables."""
STEPS = (4e-3, 2e-3, 1e-3)
"""Of a variable's size: the error of the extrapolation is of their sixth power."""


def built(robot: Any, **options: Any) -> gough.Model:
    """A model, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(loads(robot) if isinstance(robot, str) and "\n" in robot else robot, **options)


def closed_at(model: gough.Model, q: np.ndarray) -> np.ndarray:
    """q (nq,) of another design with the loops closed again, what v leads held."""
    return model.unlocked.integrate(q, np.zeros(model.layout.nv), 1.0)


def rebuilt_slope(
    model: gough.Model, name: str, measure: Callable[[gough.Model], np.ndarray], size: float
) -> np.ndarray:
    """Change of what is measured of a model per unit of a variable: central differences of three steps, extrapolated."""
    value = model.variables.values[model.variables.names.index(name)]
    found = []
    for h in STEPS:
        ends = []
        for sign in (1.0, -1.0):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ends.append(measure(gough.build(model.robot.with_variables({name: float(value + sign * h * size)}))))
        found.append((ends[0] - ends[1]) / (2 * h * size))
    far, mid, near = found
    return (64 * near - 20 * mid + far) / 45
