"""Is the mechanism one this library can model, and is its home a good one? Said at build time, by name."""

import warnings
from typing import TYPE_CHECKING

import numpy as np

from gough.compilation.lost import lost_direction
from gough.compilation.rotations import pose_array, pose_difference
from gough.errors import HomeWarning, SingularHomeWarning, StructureError, UsageError
from gough.structure import Mechanism
from gough.structure.bending import POINT

if TYPE_CHECKING:
    from gough.compilation.model import Model

NEAR_SINGULAR = 1e-4
SAME_POSE, FAR_POSE = 1e-6, 0.3
"""Difference (sizes, rad) between the stated home pose and the assembled one that is nothing, or too much."""
LOCKED = 1e-9
"""Rate (scaled, per unit free motion) below which a joint is locked."""


def check_links(mechanism: Mechanism) -> None:
    """There must be something that moves."""
    if not mechanism.layout.nu:
        raise StructureError(f"{mechanism.name}: no joint can move; give at least one that is not fixed")


def check_free_friction(model: "Model") -> None:
    """Refuse `free` friction in a cut on a flexible body that was tied as a point because it had none: its moment would
    not reach the elastic coordinates."""
    mechanism = model.mechanism
    for cut in mechanism.cuts:
        tied = any(k >= 0 and mechanism.links[k].name.endswith(POINT) for k in (cut.first, cut.second))
        names = [mechanism.table.names[i] for i in cut.friction[:2] if i not in model.pattern]
        if tied and names:
            raise UsageError(
                f"free={names[0]!r}: {cut.name} holds a flexible body at a point, because its friction is 0. Give it a friction "
                f"that is not 0 in the description."
            )


def check_drives(model: "Model") -> None:
    """Every drive must be able to move; too few or too many are an error unless the description says it means them."""
    mechanism, mobility = model.mechanism, model.mobility
    rates = model.null_space  # rows: how the free motions move each tree velocity at home
    locked = [d.name for d in mechanism.drives if np.abs(rates[mechanism.links[d.link].u]).max() < LOCKED]
    if locked:
        raise StructureError(
            f"{mechanism.name}: drive on a joint that cannot move: {', '.join(locked)}; its loops lock it. Drive another joint."
        )
    drives = len(mechanism.drives)
    names = ", ".join(d.name for d in mechanism.drives) or "none"
    if drives < mobility and model.velocities is None:
        raise StructureError(
            f"{mechanism.name}: {drives} drives ({names}) for {mobility} freedoms ({', '.join(model.layout.v_names)}). Add "
            f"`drive: {{}}` to more joints, or state `velocities:` to model an underactuated mechanism (no inverse dynamics)."
        )
    stated = model.robot.drive_sharing is not None or any(d.weight is not None for d in mechanism.drives)
    if drives > mobility and not stated:
        raise StructureError(
            f"{mechanism.name}: {drives} drives ({names}) for {mobility} freedoms. Say how they share the load: "
            f"`drive_sharing: least_norm`, or a `weight` on every drive."
        )


def check_home_pose(model: "Model") -> None:
    """Say how far the platform's freedoms let it come to the stated home pose."""
    stated = model.robot.home.pose
    if stated is None or not model.mechanism.has_platform:
        return
    off = pose_difference(pose_array(stated), model.home[:7])
    moved, turned = float(np.linalg.norm(off[:3])), float(np.linalg.norm(off[3:]))
    if moved < SAME_POSE * model.size and turned < SAME_POSE:
        return
    text = (
        f"{model.robot.name}: the platform cannot take home.pose; the loops close {moved * 1e3:.4g} mm and "
        f"{np.degrees(turned):.3g} deg away from it"
    )
    if moved > FAR_POSE * model.size or turned > FAR_POSE:
        raise StructureError(f"{text}, which is another place. Give a home.pose that can be assembled.")
    warnings.warn(f"{text}; home is there. Give that pose to have it exact.", HomeWarning, stacklevel=6)


def check_home(model: "Model") -> None:
    """A home that was moved far is refused; one that was moved, violates limits or is singular is said."""
    check_home_pose(model)
    violated = model.limit_margins(model.home).violated()
    if violated:
        warnings.warn(f"{model.robot.name}: home violates limits: {', '.join(violated)}", HomeWarning, stacklevel=5)
    if len(model.mechanism.drives) < model.mobility:
        return
    measure = model.singularity(model.home)
    if not measure.parallel > NEAR_SINGULAR:
        warnings.warn(
            f"{model.robot.name}: home is at or near a parallel singularity (reciprocal condition {measure.parallel:.2g}); "
            f"{lost_direction(model, model.home, 'singular:drives')}. Give another home.",
            SingularHomeWarning,
            stacklevel=5,
        )
    folded = np.flatnonzero(~(measure.serial > NEAR_SINGULAR))
    if len(folded):
        names = ", ".join(measure.serial_names[k] for k in folded)
        warnings.warn(
            f"{model.robot.name}: at home these loops are at or near a serial singularity: {names}",
            SingularHomeWarning,
            stacklevel=5,
        )
