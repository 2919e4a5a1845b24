"""A small robot with flexible bodies of several kinds, and how tests change it."""

from __future__ import annotations

import copy
from typing import Any

from ruamel.yaml import YAML

VALID = """\
format: 1
name: bending
platform:
  frames: {tool: {position: [0.3, 0, 0]}}
  flexible:
    plate:
      outline: [[-0.3, -0.2], [0.3, -0.2], [0.3, 0.2], [-0.3, 0.2]]
      holes: [[[-0.05, -5 cm], [0.05, -0.05], [0, 0.05]]]
      thickness: 4 mm
      material: {E: 70 GPa, nu: 0.33, density: 2.7 g/cm3}
      theory: kirchhoff
      size: 80 mm
      pose: {position: [0, 0, 1 cm]}
    modes: {kind: free, number: 3, pairs: drop, align: tool}
    damping: {ratio: [0.01, 0.02, 0.03]}
    frequencies: [62.83185307179586 rad/s, 20 Hz, 30]
    ties: {radius: 30 mm, at: {tool: {tolerance: 1 mm}}}
    source: a plate
templates:
  ups:
    chain:
      - name: hip
        type: universal
        axes: [[1, 0, 0], [0, 1, 0]]
        body:
          name: lower
          frames: {end: {position: [0, 0, 0.4]}}
          flexible:
            beam:
              points: [[0, 0, 0], [0, 0, 0.2], [0, 0, 0.4]]
              section: {tube: {radius: 10 mm, wall: 1 mm}}
              material: {E: 210 GPa, G: 80 GPa, density: 7850}
              elements: [2, 3]
            modes: {number: 2}
            damping: {rayleigh: {alpha: 0.1, beta: 1e-5}}
      - {name: slide, type: prismatic, drive: {}, body: {name: upper, mass: 1, center_of_mass: [0, 0, -0.2]}}
    cut: {name: ball, type: spherical}
legs:
  - {like: ups, base: {position: [0.5, 0, 0]}, on_platform: {position: [0.2, 0, 0]}}
  - like: ups
    base: {position: [-0.2, 0.4, 0]}
    on_platform: {position: [-0.1, 0.2, 0]}
    bodies: {lower: {flexible: {beam: {elements: 4, theory: timoshenko}, modes: {number: null, up_to: 300 Hz}}}}
  - {like: ups, base: {position: [-0.2, -0.4, 0]}, on_platform: {position: [-0.1, -0.2, 0]}}
home:
  pose: {position: [0, 0, 0.6]}
"""

BEAM = "templates/ups/chain/0/body/flexible/beam"
BODY = "templates/ups/chain/0/body"
PLATE = "platform/flexible/plate"


def tree() -> Any:
    """The valid description as plain data, free to change."""
    return copy.deepcopy(YAML(typ="safe", pure=True).load(VALID))
