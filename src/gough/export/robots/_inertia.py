"""Inertia for programs that move nothing without it: their compilers refuse, or replace, masses and moments of 0. And weight."""

from dataclasses import dataclass

import numpy as np

from gough.export.robots._omissions import Omissions
from gough.export.robots._plain import PlainBody, PlainJoint, PlainRobot

LEAST = 2e-15
"""Mass (kg) and moment (kg.m2) of what has none: MuJoCo's compiler refuses moving bodies below 1e-15."""
SURE = 1e-9
"""Share of the largest moment by which a tensor must be inside what bodies have, to be written as it is."""


@dataclass(frozen=True)
class HeavyBody:
    """Mass (kg), central tensor (3, 3), its principal moments and axes (columns, right-handed).

    whole: whether the tensor is the description's, to the last digit. mixed: whether it has products.
    """

    mass: float
    tensor: np.ndarray
    moments: np.ndarray
    axes: np.ndarray
    whole: bool
    mixed: bool


def heavy_body(robot: PlainRobot, joint: PlainJoint, body: PlainBody, omissions: Omissions) -> HeavyBody | None:
    """A body with mass and moments; None where it has neither and does not move."""
    moves = bool(joint.freedoms)
    if body.is_massless and not moves:
        return None
    if body.is_massless and not _carries(robot, body.name) and not all(f.inertia for f in joint.freedoms):
        message = f"{body.told}: a moving body without mass, and nothing on it that has one"
        omissions.drop("massless", message, f"{LEAST:g} kg and kg.m2")
    if body.unphysical:
        omissions.drop("inertia", f"{body.told}: {body.unphysical}", "the nearest that programs take")
    tensor = body.inertia
    if body.turns_about is not None:  # the other moments enter nothing
        tensor = np.eye(3) * float(body.turns_about @ tensor @ body.turns_about)
    mixed = bool((tensor - np.diag(np.diag(tensor))).any())
    moments, axes = np.linalg.eigh(tensor)
    axes = axes * np.linalg.det(axes)
    mass = max(body.mass, LEAST) if moves else body.mass
    inside = min(moments[0], moments[0] + moments[1] - moments[2]) > SURE * moments[2]
    if inside or not moves:
        return HeavyBody(mass, tensor, moments, axes, True, mixed)
    moments = np.maximum(moments, LEAST)
    moments[:2] += 0.5 * max(0.0, moments[2] - moments[0] - moments[1]) + 1e-14 * moments[2]
    mended = axes @ np.diag(moments) @ axes.T
    mended = 0.5 * (mended + mended.T) if mixed else np.diag(np.diag(mended))
    return HeavyBody(mass, mended, moments, axes, False, mixed)


LIGHTEST = HeavyBody(LEAST, LEAST * np.eye(3), np.full(3, LEAST), np.eye(3), False, False)
"""What formats that take no link without mass have in the place of one that nothing moves."""


def drop_share(robot: PlainRobot, body: PlainBody, omissions: Omissions) -> None:
    """Say that the format has no words for the share of a body's weight that acts, where there is a weight."""
    if body.weight_share != 1.0 and any(robot.gravity):
        message = f"{body.told}: a body of whose weight the share {body.weight_share:g} acts"
        omissions.drop("weight", message, "all of its weight acts")


def _carries(robot: PlainRobot, name: str) -> bool:
    """Whether something with mass stands on a body."""
    own = [j.child for j in robot.joints if j.parent == name]
    return any(not robot.body(child).is_massless or _carries(robot, child) for child in own)
