"""A beam on one driven hinge: everything about it has a closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import gough
from gough.fem import ElasticBody, Material, Nodal, NodeTie, Rectangle, beam_elements, reduce

L, WIDTH, DEPTH, E, RHO = 1.2, 0.03, 0.02, 7.0e10, 2700.0
"""Length, size across and along the plane of bending (m), Young's modulus (Pa), density (kg/m3)."""
AREA, SECOND = WIDTH * DEPTH, WIDTH * DEPTH**3 / 12
G = 9.81


@dataclass(frozen=True)
class Arm:
    """A planar beam along x, clamped at its origin, its nodes as coordinates."""

    elements: int = 8

    def elastic_body(self, points: dict[str, np.ndarray]) -> ElasticBody:
        made = beam_elements(
            [[0, 0, 0], [L, 0, 0]],
            Rectangle(size_y=DEPTH, size_z=WIDTH),
            Material(young=E, density=RHO, poisson=0.3),
            elements=self.elements,
            plane=True,
        )
        root = next(key for key, p in points.items() if not p.any())
        return reduce(made, Nodal(root), {k: NodeTie(position=p) for k, p in points.items()}, stiffening="off")


def arm(elements: int = 8, angle: str = "0 deg", directory: Any = None) -> gough.Model:
    """The hinge turns about y's negative: the arm lies along x, z up, at `angle` above the horizontal."""
    text = f"""
format: 1
name: arm
gravity: [0, 0, -{G}]
bodies:
  - {{name: beam, frames: {{tip: {{position: [{L}, 0, 0]}}}}}}
joints:
  - {{name: hinge, type: revolute, parent: world, child: beam, pose: {{rpy_zyx: [0, 0, 90 deg]}}, drive: {{}}}}
velocities: drives
home: {{joints: {{hinge: {angle}}}}}
"""
    path = directory / "arm.yaml"
    path.write_text(text, encoding="utf-8")
    robot = gough.load(path)
    bent = robot.bodies[0].model_copy(update={"flexible": Arm(elements)})
    return gough.build(robot.model_copy(update={"bodies": (bent,)}))
