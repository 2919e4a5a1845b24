"""Robots with bodies of finite elements for comparison with energies: `design_elements(name)`.

long2014, dualemps, delta_flexible, hexapod_flexible   of the gallery
dualemps_loaded   with a body on the pin, its mass centre and inertia off the pin
frame_platform    a random six-UPS robot; its platform is a bent Timoshenko beam through the leg points, seen from one
                  of its frames: origin far from the mass centre, every integral different from zero
frame_platform~   the same with displacements of second order only together with the motion of the platform's frame
block_platform    the same legs; the platform is a solid of quadratic tetrahedra with the same properties
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

from gough.robot import Body, Flexible, Pose, TreeJoint, load, loads
from reference.elements.blocks import Block
from reference.elements.twins import described_field, element_twin
from reference.flexible.described import attached_points
from reference.flexible.points import flexible_robot

from . import description

GALLERY = ("long2014", "dualemps", "delta_flexible", "hexapod_flexible")
ELEMENT_DESIGNS = (
    *GALLERY,
    "dualemps_loaded",
    "frame_platform",
    "frame_platform=",
    "frame_platform~",
    "block_platform",
)
SECTION = {"area": 4e-4, "Iz": 9e-9, "Iy": 2.3e-8, "J": 1.7e-8, "ky": 0.83, "kz": 0.79}


def design_elements(name: str) -> tuple[Any, Any]:
    """(the robot, the same robot as `FlexibleReference` takes it)."""
    if name == "block_platform":
        robot = flexible_robot(_six_ups(), {"platform": Block(5)}, mark=Pose(position=(0.1, -0.2, 0.15)))
        return robot, robot
    makers = {"dualemps_loaded": _loaded, "frame_platform": _frame_platform}
    makers["frame_platform="] = lambda: _frame_platform("moments")
    makers["frame_platform~"] = lambda: _frame_platform("rigid_motion")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # homes and inertias of the papers
        robot = _stated(makers[name]() if name in makers else load(name))
        return robot, element_twin(robot)


def _six_ups() -> Any:
    """A random robot without springs on its platform, whose points would have to lie on the body."""
    return loads(json.dumps(description("ups", 1, springs=False)), file="<six_ups>")


def _loaded() -> Any:
    robot = load("dualemps")
    inertia = {"about": "center_of_mass", "xx": 4e-3, "yy": 5e-3, "zz": 3e-3, "xz": 4e-4}
    mass = {"mass": 1.5, "center_of_mass": [0.03, -0.05, 0.02], "inertia": inertia}
    hand = Body.model_validate({"name": "hand"} | mass)
    on_the_pin = {"parent": "link24", "child": "hand", "pose": {"position": [0.082, 0.0, 0.0]}}
    hold = TreeJoint.model_validate({"name": "hold", "type": "fixed"} | on_the_pin)
    return robot.model_copy(update={"bodies": (*robot.bodies, hand), "joints": (*robot.joints, hold)})


def _frame_platform(stiffening: str = "on") -> Any:
    robot = _six_ups()
    points = list(attached_points(flexible_robot(robot, {"platform": Block(5)}))["platform"].values())
    beam = {"points": [p.tolist() for p in points], "section": SECTION, "section_y": [0.2, 0.3, 0.9], "elements": 1}
    beam |= {"theory": "timoshenko", "material": {"E": 7e8, "nu": 0.3, "density": 7000.0}}
    modes = {"kind": "free", "number": 4, "frame": "mark"}
    flexible = Flexible.model_validate(
        {"beam": beam, "modes": modes, "damping": {"ratio": 0.02}, "stiffening": stiffening}
    )
    return flexible_robot(robot, {"platform": flexible}, mark=Pose(position=tuple(points[2]), rpy_zyx=(0.3, -0.4, 0.5)))


def _stated(robot: Any) -> Any:
    """The robot with the reference's stiffnesses of its plate's modes: the assembled ones have fewer digits."""
    platform = robot.platform
    if isinstance(platform, str | None) or platform.body.flexible is None or platform.body.flexible.plate is None:
        return robot
    if platform.body.flexible.stiffness is not None:
        return robot
    field = described_field(robot, platform.name, attached_points(robot)[platform.name])
    stated = platform.body.flexible.model_copy(update={"stiffness": tuple(np.diag(field.K))})
    return flexible_robot(robot, {platform.name: stated})
