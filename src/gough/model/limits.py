"""Margins to the limits a description states; nothing stated is left out."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gough.compilation.arrays import as_array
from gough.dynamics.tilts import tilting_joints
from gough.joints import ALL
from gough.model.results import LimitKind, LimitMargins, StatedLimit
from gough.robot.platform.guide import FREEDOMS
from gough.robot.tree import PlacedJoint, placed_joints, placed_loops, platform_body, platform_name
from gough.spatial.euler import coordinates_of

if TYPE_CHECKING:
    from gough.model.model import Model


class PlacedLimit(NamedTuple):
    """A limit, and its margin: bound - |x|, or side · (bound - x), of an entry of q, of the platform's pose, tree rates, drive
    forces or tilt cosines. near: of an angle that is known up to whole turns, to which the one that counts is next."""

    limit: StatedLimit
    source: str
    entry: int
    near: float = 0.0


def limit_margins(model: "Model", q: Any, v: Any, tau: Any, parameters: np.ndarray) -> LimitMargins:
    """Margins at q (..., nq); with v also of speeds, with tau also of forces."""
    q = as_array("q", q, model.layout.nq)
    known: dict[str, np.ndarray] = {"q": q}
    plan = limit_plan(model, v is not None, tau is not None)
    if v is not None:
        v = as_array("v", v, model.layout.nv)
        known["u"] = model.function("tree_rates")(q=q, v=v, parameters=parameters).outputs["u"]
    if tau is not None:
        known["tau"] = as_array("tau", tau, len(model.mechanism.drives))
    if plan.posed:
        known["pose"] = coordinates_of(q, "rpy_zyx")
    if plan.tilted:
        known["tilt"] = model.function("tilt_cosines")(q=q, parameters=parameters).outputs["cosines"]
    return LimitMargins(plan.names, plan.margins(known), plan.limits)


def limit_plan(model: "Model", with_rates: bool = True, with_forces: bool = True) -> "LimitPlan":
    """The stated limits, those of speeds and forces where they are asked for."""
    return model.cached(("limits", with_rates, with_forces), lambda: LimitPlan(model, with_rates, with_forces))


class LimitPlan:
    """Where the numbers of all stated limits stand."""

    def __init__(self, model: "Model", with_rates: bool, with_forces: bool) -> None:
        wanted = {"q", "pose", "tilt", *(["u"] if with_rates else []), *(["tau"] if with_forces else [])}
        bounds = self.bounds = tuple(bound for bound in _bounds(model) if bound.source in wanted)
        self.limits = tuple(bound.limit for bound in bounds)
        self.names = tuple(map(str, self.limits))
        self.tilted, self.posed = (any(bound.source == source for bound in bounds) for source in ("tilt", "pose"))
        self._count, self._groups = len(bounds), []
        for source in ("q", "pose", "u", "tau", "tilt"):
            own = [k for k, bound in enumerate(bounds) if bound.source == source]
            if own:
                entries = np.array([bounds[k].entry for k in own])
                of_bounds = np.array([bounds[k].limit.bound for k in own])
                side = np.array([-1.0 if bounds[k].limit.kind.side == "lower" else 1.0 for k in own])
                near = np.array([bounds[k].near for k in own])
                self._groups.append((source, np.array(own), entries, of_bounds, side, near))

    def margins(self, known: Mapping[str, np.ndarray]) -> np.ndarray:
        """Margins (..., n) of arrays (..., entries) by source."""
        batches = [known[source].shape[:-1] for source, *_ in self._groups] or [known["q"].shape[:-1]]
        out = np.empty((*(batches[0] if len(batches) == 1 else np.broadcast_shapes(*batches)), self._count))
        for source, own, entries, bounds, side, near in self._groups:
            x = known[source][..., entries]
            if source == "pose":
                x = np.where(entries < 3, x, x - 2 * np.pi * np.round((x - near) / (2 * np.pi)))
            if source in ("q", "pose"):
                out[..., own] = side * (bounds - x)
            else:
                out[..., own] = bounds - (np.arccos(np.clip(x, -1.0, 1.0)) if source == "tilt" else np.abs(x))
        return out


def _bounds(model: "Model") -> Iterator[PlacedLimit]:
    links = {link.joint: link for link in model.mechanism.links}
    drive_of = {drive.name: k for k, drive in enumerate(model.mechanism.drives)}
    tilt_of = {name: k for k, name in enumerate(tilting_joints(model.mechanism))}
    for placed in placed_joints(model.robot):
        if placed.name not in links:
            continue  # the platform's free joint
        name, link, limits, drive = placed.name, links[placed.name], placed.joint.limits, placed.joint.drive
        stroke = drive.stroke if drive is not None and drive.stroke is not None else (None, None)
        own_speed = limits.of_coordinate("speed", 0)
        speeds = [s for s in (own_speed, drive.speed_limit if drive is not None else None) if s is not None]
        loads = [f for f in (limits.force, drive.force_limit if drive is not None else None) if f is not None]
        if ALL[placed.joint.type].is_scalar:
            unit = model.layout.q_units[link.q]
            ways = ((LimitKind.LOWER, limits.of_coordinate("lower", 0)), (LimitKind.STROKE_LOWER, stroke[0]))
            ways += ((LimitKind.UPPER, limits.of_coordinate("upper", 0)), (LimitKind.STROKE_UPPER, stroke[1]))
            for kind, bound in ways:
                if bound is not None:
                    yield PlacedLimit(StatedLimit(name, kind, unit, bound), "q", link.q)
            if speeds:
                yield PlacedLimit(StatedLimit(name, LimitKind.SPEED, f"{unit}/s", min(speeds)), "u", link.u)
            if loads and name in drive_of:
                unit = model.layout.drive_units[drive_of[name]]
                yield PlacedLimit(StatedLimit(name, LimitKind.FORCE, unit, min(loads)), "tau", drive_of[name])
        else:
            yield from _of_each(model, placed)
        if limits.cone is not None:
            yield PlacedLimit(StatedLimit(name, LimitKind.CONE, "rad", limits.cone), "tilt", tilt_of[name])
    for loop in placed_loops(model.robot):
        if loop.limits.cone is not None:
            limit = StatedLimit(loop.name, LimitKind.CONE, "rad", loop.limits.cone)
            yield PlacedLimit(limit, "tilt", tilt_of[loop.name])
    yield from _of_platform(model)


def _of_each(model: "Model", placed: PlacedJoint) -> Iterator[PlacedLimit]:
    """Limits of a joint with several coordinates."""
    own = [link for link in model.mechanism.links if link.joint == placed.name and link.nu == 1]
    limits = placed.joint.limits
    for k, link in enumerate(own):
        name, unit = model.layout.q_names[link.q], model.layout.q_units[link.q]
        for kind, key in ((LimitKind.LOWER, "lower"), (LimitKind.UPPER, "upper")):
            bound = limits.of_coordinate(key, k)
            if bound is not None:
                yield PlacedLimit(StatedLimit(name, kind, unit, bound), "q", link.q)
        speed = limits.of_coordinate("speed", k)
        if speed is not None:
            yield PlacedLimit(StatedLimit(name, LimitKind.SPEED, f"{unit}/s", speed), "u", link.u)


def _of_platform(model: "Model") -> Iterator[PlacedLimit]:
    """Limits of the platform's coordinates."""
    body = platform_body(model.robot)
    if body is None or body.limits is None:
        return
    for name, (lower, upper) in body.limits.bounds():
        entry, called = FREEDOMS.index(name), f"{platform_name(model.robot)}.{name}"
        middle = 0.0 if lower is None or upper is None else (lower + upper) / 2
        for kind, bound in ((LimitKind.LOWER, lower), (LimitKind.UPPER, upper)):
            if bound is not None:
                yield PlacedLimit(StatedLimit(called, kind, "m" if entry < 3 else "rad", bound), "pose", entry, middle)
