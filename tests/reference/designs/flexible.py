"""Mechanisms with flexible bodies: `design_flexible(name, stiffened)`.

    hexapod         the six-UPS robot of [Pedrammehr 2012] with a flexible platform, its origin far from the mass centre
    ups             a random asymmetric six-UPS robot with a flexible platform
    generic         a random robot with legs of many joint and cut types and a flexible platform
    legs            six-UPS with flexible legs after their prismatic joints
    legs_platform   the same and a flexible platform
    arm             serial, revolute and prismatic joints on flexible links, springs between deflected points
    five_bar        planar, all four links flexible in their plane: a loop between two flexible bodies, closures redundant
    planar_carried  three planar legs; the platform is a flexible body that the third leg carries
    planar_free     three planar legs; the platform is a flexible body that a free joint carries
    chain           a spatial R-U-S-R loop, all bodies flexible
    delta           flexible platform, arm and rod of a Delta
    tripod          flexible platform with a flexible two-joint wrist on it, one flexible leg, springs
    inner_loop      a crank, a rod and a slide on one flexible body; the loop runs through it
    geared          a tree with coupled joints, three of its links flexible
    geared_bars     a five-bar with cranks that mesh, a crank and a rod flexible
    wire            a wire of constant length from a flexible body to a pad on itself: its coordinates are not independent

All shapes are random and couple everything; `stiffened` adds displacements of second order to every second body ("rigid_motion":
only together with the motion of the body's frame).
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from gough.robot import Pose, load, loads
from gough.robot import tree as view
from reference.energies.lagrange import Reference
from reference.flexible.points import FlexiblePoints, flexible_robot

from . import design
from .drawing import Draw, quaternion_matrix
from .works import Works

Stiffened = bool | Literal["rigid_motion", "moments"]
KINDS = {"R": "revolute", "P": "prismatic"}


def _bent(
    robot: Any, names: list[str], stiffened: Stiffened, loose: tuple[str, ...] = ("platform",), **more: Any
) -> Any:
    """The robot with these bodies flexible; those in `loose` are not held at their origin. more: normals by body."""
    normals: dict[str, Any] = more.get("normals", {})
    data = {}
    for k, name in enumerate(names):
        free = name in loose
        data[name] = FlexiblePoints(
            len(name) + 10 * k,
            3 if free else 2,
            size=0.25 if free else 0.12,
            weight=more.get("weight", 5.0) if free else 2.0,
            held=not free,
            stiffened=stiffened if k % 2 == 0 else False,
            normal=normals.get(name),
        )
    return flexible_robot(robot, data, mark=Pose(position=(0.1, -0.2, 0.15), rpy_zyx=(0.3, -0.4, 0.5)))


def _hexapod(stiffened: Stiffened) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the paper's inertias
        return _bent(load("pedrammehr2012"), ["platform"], stiffened, weight=40.0)


def _legs(stiffened: Stiffened) -> Any:
    return _bent(design("ups", 0), [f"leg{k}.slide_link" for k in range(6)], stiffened)


def _legs_platform(stiffened: Stiffened) -> Any:
    legs = ["leg0.slide_link", "leg2.slide_link", "leg3.slide_link", "leg4.hip_link"]
    return _bent(design("ups", 1), ["platform", *legs], stiffened)


def _arm(stiffened: Stiffened) -> Any:
    draw = Draw([900, 0])
    works, parent, at = Works(draw, "arm"), "world", np.zeros(3)
    for k, letter in enumerate("RPRPR"):
        parent = works.joint(f"j{k}", KINDS[letter], parent, at, along=draw.direction(), drive=True)
        at = at + draw.vector(0.3) + [0, 0, 0.2]
    works.spring("world", "j1_link")
    works.spring("j0_link", parent)
    return _bent(_read(works, velocities="drives"), ["j0_link", "j1_link", "j2_link", "j4_link"], stiffened)


def _five_bar(stiffened: Stiffened) -> Any:
    robot = design("five_bar", 0)
    return _bent(robot, [body.name for body in robot.bodies], stiffened, normals=plane_normals(robot))


def _geared_bars(stiffened: Stiffened) -> Any:
    robot = design("coupled_bars", 0)
    return _bent(robot, ["motor0_link", "knee1_link"], stiffened, normals=plane_normals(robot))


def _planar(seed: int, stiffened: Stiffened) -> Any:
    robot = design("planar", seed)
    names = ["hand_link", "l0_slide_link" if seed == 1 else "l0_knee_link"]
    loose = () if seed == 1 else ("hand_link",)
    return _bent(robot, names, stiffened, loose, normals=plane_normals(robot))


def _inner_loop(stiffened: Stiffened) -> Any:
    draw = Draw([901, 1])
    works = Works(draw, "inner_loop")
    A, n = draw.vector(0.1), draw.direction()
    arm = works.joint("arm", "revolute", "world", A, 2.0, along=draw.normal_to(n), drive=True)
    axis = draw.normal_to(n)
    center = A + 0.1 * n
    tip = center + 0.1 * np.cross(axis, n) + 0.03 * n
    pin = center + 0.35 * n + draw.vector(0.03)
    crank = works.joint("crank", "revolute", arm, center, along=draw.near(axis, 0.3), drive=True)
    first = draw.normal_to(pin - tip)
    rod = works.joint("rod", "universal", crank, tip, axes=(first, np.cross(first, pin - tip)))
    slide = works.joint("slide", "prismatic", arm, A + 0.3 * n, along=draw.near(n, 0.3))
    works.loop("pin", "spherical", rod, slide, pin)
    works.spring(arm, rod)
    works.spring(arm, arm)
    return _bent(_read(works, velocities="drives"), [arm, rod, slide], stiffened)


def _wire(stiffened: Stiffened) -> Any:
    draw = Draw([902, 0])
    works = Works(draw, "wire")
    arm = works.joint("arm", "revolute", "world", draw.vector(0.1), 2.0, along=draw.direction(), drive=True)
    hand = works.joint("hand", "prismatic", arm, draw.vector(0.3), along=draw.direction(), drive=True)
    at = works.X[arm][:3, 3]
    ends = at + draw.vector(0.2), at + draw.vector(0.2)
    pad = works.joint("pad", "fixed", arm, ends[1])
    works.loop("wire", "constant_length", arm, pad, ends[0], length_to=ends[1])
    return _bent(_read(works, velocities="drives"), [arm, hand], stiffened)


def plane_normals(robot: Any) -> dict[str, np.ndarray]:
    """Normal of a planar mechanism in the axes of each body."""
    reference = Reference(robot)
    home = reference.home()
    turned = {name: X[:3, :3] for name, X in reference.body_poses(home).items()}
    if reference.layout.platform is not None:
        turned[reference.layout.platform] = quaternion_matrix(home[3:7])
    hinge = next(p for p in view.placed_joints(robot) if p.joint.type == "revolute")
    normal = turned[hinge.body_name] @ np.asarray(hinge.joint.axis)
    return {name: R.T @ normal for name, R in turned.items()}


def _read(works: Works, **more: Any) -> Any:
    return loads(json.dumps(works.done(**more)), file=f"<{works.name}>")


MAKERS: dict[str, Callable[[Stiffened], Any]] = {
    "hexapod": _hexapod,
    "ups": lambda s: _bent(design("ups", 0), ["platform"], s),
    "generic": lambda s: _bent(design("generic", 0), ["platform"], s),
    "legs": _legs,
    "legs_platform": _legs_platform,
    "arm": _arm,
    "five_bar": _five_bar,
    "planar_carried": lambda s: _planar(1, s),
    "planar_free": lambda s: _planar(2, s),
    "chain": lambda s: _bent(design("chain_closed", 0), ["crank_link", "rocker_link", "rod_link"], s),
    "delta": lambda s: _bent(design("delta", 0), ["platform", "leg0.arm_link", "leg1.left_rod_link"], s),
    "tripod": lambda s: _bent(design("tripod", 0), ["platform", "pan_link", "leg1.slide_link"], s),
    "inner_loop": _inner_loop,
    "wire": _wire,
    "geared": lambda s: _bent(design("coupled_tree", 0), ["arm_link", "rail_link", "roll_link"], s),
    "geared_bars": _geared_bars,
}
FLEXIBLE_DESIGNS = tuple(MAKERS)


def design_flexible(name: str, stiffened: Stiffened = False) -> Any:
    """A `Robot` with flexible bodies; the same arguments give the same robot."""
    return MAKERS[name](stiffened)


def named_flexible(name: str) -> Any:
    """By a name that ends with + where displacements are of second order, = where these are known by their moments, ~ where they
    work only together with rigid motion."""
    ends: dict[str, Stiffened] = {"+": True, "=": "moments", "~": "rigid_motion"}
    return design_flexible(name.rstrip("+=~"), ends.get(name[-1], False))
