"""Margins to the limits a description states; nothing stated is left out."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.arrays import as_array
from gough.dynamics.tilts import tilting_joints
from gough.model.results import LimitKind, LimitMargins, StatedLimit
from gough.robot.tree import placed_joints, placed_loops

if TYPE_CHECKING:
    from gough.model.model import Model


def limit_margins(model: "Model", q: Any, v: Any, tau: Any, parameters: np.ndarray) -> LimitMargins:
    """Margins at q (..., nq); with v also of speeds, with tau also of forces."""
    q = as_array("q", q, model.layout.nq)
    rates = None
    if v is not None:
        v = as_array("v", v, model.layout.nv)
        rates = model.function("tree_rates")(q=q, v=v, parameters=parameters).outputs["u"]
    forces = None if tau is None else as_array("tau", tau, len(model.mechanism.drives))
    cones = [x.joint.limits.cone for x in placed_joints(model.robot)] + [
        x.limits.cone for x in placed_loops(model.robot)
    ]
    tilts = None
    if any(cone is not None for cone in cones):
        tilts = model.function("tilt_cosines")(q=q, parameters=parameters).outputs["cosines"]
    limits, margins = [], []
    for limit, margin in _margins(model, q, rates, forces, tilts):
        limits.append(limit)
        margins.append(margin)
    batch = np.broadcast_shapes(*[m.shape for m in margins]) if margins else q.shape[:-1]
    stacked = [np.broadcast_to(m, batch) for m in margins]
    together = np.stack(stacked, axis=-1) if stacked else np.zeros((*batch, 0))
    return LimitMargins(tuple(map(str, limits)), together, tuple(limits))


def _margins(model: "Model", q, rates, forces, tilts) -> Iterator[tuple[StatedLimit, np.ndarray]]:
    links = {link.joint: link for link in model.mechanism.links}
    drive_of = {drive.name: k for k, drive in enumerate(model.mechanism.drives)}
    tilt_of = {name: k for k, name in enumerate(tilting_joints(model.mechanism))}
    for placed in placed_joints(model.robot):
        if placed.name not in links:
            continue  # the platform's free joint
        name, limits, drive = placed.name, placed.joint.limits, placed.joint.drive
        x = q[..., links[name].q] if links[name].nu == 1 else None
        stroke = drive.stroke if drive is not None and drive.stroke is not None else (None, None)
        speeds = [s for s in (limits.speed, drive.speed_limit if drive is not None else None) if s is not None]
        loads = [f for f in (limits.force, drive.force_limit if drive is not None else None) if f is not None]
        if x is not None:
            unit = model.layout.q_units[links[name].q]
            for kind, bound in ((LimitKind.LOWER, limits.lower), (LimitKind.STROKE_LOWER, stroke[0])):
                if bound is not None:
                    yield StatedLimit(name, kind, unit), x - bound
            for kind, bound in ((LimitKind.UPPER, limits.upper), (LimitKind.STROKE_UPPER, stroke[1])):
                if bound is not None:
                    yield StatedLimit(name, kind, unit), bound - x
            if speeds and rates is not None:
                margin = min(speeds) - np.abs(rates[..., links[name].u])
                yield StatedLimit(name, LimitKind.SPEED, f"{unit}/s"), margin
            if loads and forces is not None and name in drive_of:
                unit, margin = (
                    model.layout.drive_units[drive_of[name]],
                    min(loads) - np.abs(forces[..., drive_of[name]]),
                )
                yield StatedLimit(name, LimitKind.FORCE, unit), margin
        if limits.cone is not None:
            yield StatedLimit(name, LimitKind.CONE, "rad"), _cone(limits.cone, tilts[..., tilt_of[name]])
    for loop in placed_loops(model.robot):
        if loop.limits.cone is not None:
            yield StatedLimit(loop.name, LimitKind.CONE, "rad"), _cone(loop.limits.cone, tilts[..., tilt_of[loop.name]])


def _cone(limit: float, cosine: np.ndarray) -> np.ndarray:
    return limit - np.arccos(np.clip(cosine, -1.0, 1.0))
