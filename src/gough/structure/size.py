"""The characteristic length of a robot, the energy of its weight, and by how much its loops may stay open: what lengths,
small energies and closures are compared with."""

from collections.abc import Iterable, Sequence

import numpy as np

from gough.errors import StructureError
from gough.joints import ALL
from gough.robot import Leg, Robot
from gough.robot.tree import guided_home, placed_joints, placed_loops
from gough.structure._couplings import LinearClosure
from gough.structure.mechanism import CutJoint, Link, Structure

TINY = 1e-3
"""A distance this small beside the largest says nothing about the robot's size."""
OF_DIRECTIONS = 0.1
"""Directions may be off by the closure tolerance over this part of the robot's size."""
MOST_OPEN = 0.05
"""The largest closure tolerance over the robot's size."""


def characteristic_length(robot: Robot) -> float:
    """Characteristic length (m).

    With legs that leave the platform its six freedoms: root mean square distance of the platform's cut points from their
    mean, at least a tenth of the base's, so that planar and pointed platforms have one too. Otherwise the mean distance
    between joints of a body, without those that are tiny beside the largest (interfaces of flexures that all but coincide).
    Where there are no such distances, how far sliding joints stand out at home, else 0.
    """
    legs = [leg for leg in robot.legs if leg.cut is not None]
    guide = guided_home(robot)
    free = not robot.joints and not guide
    if len(legs) > 1 and len(legs) == len(robot.legs) and free and all(_follows(leg) for leg in legs):
        points = np.array([leg.on_platform.position for leg in legs], dtype=float)
        base = np.array([leg.base.position for leg in legs], dtype=float)
        spread = [float(np.sqrt(np.mean(np.sum((x - x.mean(axis=0)) ** 2, axis=1)))) for x in (points, base)]
        if max(spread[0], 0.1 * spread[1]) > 0:
            return max(spread[0], 0.1 * spread[1])
    lengths = [np.linalg.norm(j.joint.placement.position) for j in placed_joints(robot) if j.name not in guide]
    for loop in placed_loops(robot):
        lengths += [
            np.linalg.norm(loop.first_pose.position),
            np.linalg.norm(loop.second_pose.position),
            loop.length or 0.0,
        ]
    largest = max(lengths, default=0.0)
    if largest > 0:
        return float(np.mean([float(x) for x in lengths if x > TINY * largest]))
    slides = [j.name for j in placed_joints(robot) if ALL[j.joint.type].slides and ALL[j.joint.type].is_scalar]
    stated = robot.home.joints if robot.home is not None else {}
    return max((float(np.abs(stated[name]).max()) for name in slides if name in stated), default=0.0)


def size_of_bodies(links: Iterable[Link], values: Sequence[float]) -> float:
    """Largest root mean square distance (m) of a body's mass from its joint; 1 where nothing has an extent.

    values: the parameters.
    """
    sizes = [0.0]
    for link in links:
        if link.ten is not None and values[link.ten[0]] > 0:
            turning = sum(values[link.ten[k]] for k in (4, 7, 9))
            sizes.append(float(np.sqrt(max(turning, 0.0) / (2 * values[link.ten[0]]))))
    return max(sizes) or 1.0


def row_tolerances(
    owners: "Iterable[CutJoint | LinearClosure]", values: Sequence[float], length: float, tolerance: float
) -> tuple[float, ...]:
    """By how much each closure row may stay open for a tolerance (m): lengths by it, directions by it over a tenth of the
    robot's characteristic length, distances by what a rod of that length longer or shorter makes, couplings by that part of their
    scale. values: the parameters. Refuses a tolerance that is no small part of the robot."""
    if tolerance > MOST_OPEN * length:
        raise StructureError(
            f"closure_tolerance: {tolerance:.4g} m, more than a twentieth of the robot's size ({length:.4g} m): closures would "
            f"count for nothing. Give {MOST_OPEN * length:.1g} m or less"
        )
    out: list[float] = []
    for cut in owners:
        if isinstance(cut, LinearClosure):
            out.append(tolerance / length * cut.scale(length, values))
            continue
        rod = 0.0 if cut.length is None else values[cut.length]
        angle = tolerance / (OF_DIRECTIONS * length)
        out += [c.tolerance(tolerance, angle, rod) for c in cut.closures for _ in range(c.rows)]
    return tuple(out)


def _follows(leg: Leg) -> bool:
    """Whether a leg has as many joint freedoms as its cut closes."""
    freedoms = sum(ALL[joint.type].freedoms for joint in leg.chain)
    if leg.cut is None or ALL[leg.cut.type].closures is None:
        return False
    return freedoms == sum(closure.rows for closure in ALL[leg.cut.type].closures or ())


def weight_energy(mechanism: Structure, size: float, parameters: np.ndarray) -> np.ndarray:
    """Energy (...) that lifts the robot by its own size against its weight, and moves it by its size in a second (J): what
    rounding and small errors are measured by where nothing else moves. size (m); parameters (..., n)."""
    p = np.asarray(parameters, dtype=float)
    masses = [link.ten[0] for link in mechanism.links if link.ten is not None]
    gravity = np.linalg.norm(p[..., list(mechanism.gravity)], axis=-1)
    return np.abs(p[..., masses]).sum(axis=-1) * size * (gravity + size)
