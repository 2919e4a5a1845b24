"""Small robots of studies, whose numbers follow by hand."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.robot import Robot, loads

EXAMPLES = Path(__file__).parents[3] / "examples" / "studies"

SLIDER = """
format: 2
name: slider
variables: {crank: 0.1 m, rod: 0.3 m, load: 2 kg}
gravity: [0, 0, -9.81]
bodies:
  - {name: wheel, mass: 0.0}
  - {name: link, mass: 0.0}
  - {name: piston, mass: load}
joints:
  - {name: motor, type: revolute, parent: world, child: wheel, axis: [0, 0, 1], drive: {}}
  - {name: pin, type: revolute, parent: wheel, child: link, axis: [0, 0, 1], pose: {position: [crank, 0, 0]}}
  - {name: slide, type: prismatic, parent: world, child: piston, axis: [1, 0, 0]}
loops:
  - {name: wrist, type: revolute, first: {body: link, pose: {position: [rod, 0, 0]}}, second: {body: piston}, axis: [0, 0, 1]}
home: {joints: {motor: 60 deg, slide: 0.3372281, pin: -76.78 deg}}
velocities: [motor]
"""


def read_robot(text: str) -> Robot:
    return loads(text)


def slider() -> Robot:
    return loads(SLIDER)


def study_of(robot: Any, **keys: Any) -> gough.Study:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.make_study({"robot": robot, **keys})


def slider_study(**keys: Any) -> gough.Study:
    """The piston's way and the motor's torque while the crank turns once, evenly."""
    times = np.linspace(0.0, 1.0, 5)
    turn = gough.motions.spline(times=times, drives=2 * np.pi * times[:, None], names=("motor",), ends="free")
    known: dict[str, Any] = {
        "variables": {"crank": [0.05, 0.2], "rod": [0.25, 0.6]},
        "cases": {"turn": {"motion": turn, "samples": 181}},
        "measures": {
            "way": {"measure": "coordinate:slide", "reduce": "range", "case": "turn"},
            "torque": {"measure": "peak force", "case": "turn"},
        },
        "minimise": "torque",
    }
    return study_of(slider(), **known | keys)
