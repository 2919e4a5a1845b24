"""How bodies look in other programs: rods between the points where their joints are, in the formats' own words (cylinders,
capsules, spheres). No files of meshes are needed, and nothing of the mass follows from them."""

import numpy as np

from gough.export.robots._plain import SLIDE, WORLD, DrawnRod, PlainJoint, PlainRobot, at_home, three
from gough.interchange.foreign import Placement

THICKNESS = 0.025
"""Radius of a rod over the robot's size."""
SAME = 1e-6
"""Points nearer than this, over the robot's size, are one."""


def draw_rods(robot: PlainRobot) -> dict[str, tuple[DrawnRod, ...]]:
    """{body: its rods}."""
    points: dict[str, list[np.ndarray]] = {body.name: [] for body in robot.bodies}

    def add(body: str, point: np.ndarray) -> None:
        if body != WORLD and all(np.linalg.norm(point - p) > SAME * robot.size for p in points[body]):
            points[body].append(point)

    for joint in robot.joints:
        on_parent, on_child = _ends(joint)
        for point in on_parent:
            add(joint.parent, point)
        for point in on_child:
            add(joint.child, point)
    for loop in robot.loops:
        add(loop.first, np.asarray(loop.on_first.position))
        add(loop.second, np.asarray(loop.on_second.position))
    radius = THICKNESS * robot.size
    found = {}
    for body in robot.bodies:
        own = points[body.name]
        if body.mass and len(own) < 2:
            add(body.name, np.asarray(body.center))
        found[body.name] = tuple(_rods(own, radius))
    return found


def _ends(joint: PlainJoint) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Points of a joint on its two bodies; a slide is drawn as two rods that meet half-way at home."""
    place = np.asarray(joint.on_parent.position)
    if joint.type == "free":
        return [], []
    slides = [k for k, f in enumerate(joint.freedoms) if f.kind == SLIDE]
    if not slides:
        return [place], [np.zeros(3)]
    moved = at_home(joint.freedoms)
    half = 0.5 * np.asarray(moved.position)
    middle = Placement(three(half))
    on_parent = np.asarray(middle.after(joint.on_parent).position)
    on_child = np.asarray(middle.after(moved.inverse()).position)
    return [place, on_parent], [np.zeros(3), on_child]


def _rods(points: list[np.ndarray], radius: float) -> list[DrawnRod]:
    if not points:
        return []
    if len(points) == 1:
        return [DrawnRod(three(points[0]), three(points[0]), 1.5 * radius)]
    if len(points) == 2:
        return [DrawnRod(three(points[0]), three(points[1]), radius)]
    middle = np.mean(points, axis=0)
    return [DrawnRod(three(middle), three(p), radius) for p in points if np.linalg.norm(p - middle) > 1e-9]
