"""Coulomb friction in time: the width in which it reverses.

sign(rate) jumps where a joint reverses, and holds it there with any force up to the limit: a set, no function of the state. Where
several joints of a loop may stick at once, which of them do is not even determined. So friction is regularised,
    force · rate/√(rate² + s²)                                                                                     (1)
and joints at rest creep: a load F below the Coulomb force C moves them with s · (F/C)/√(1 - (F/C)²). s is taken from the
description, or, where it has none, as a small part of the rates that joints of that kind reach along the motion.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import is_number
from gough.errors import UsageError
from gough.joints.measure import ANGLE
from gough.model.sharing import share_code
from gough.robot import Robot
from gough.robot.friction import change_friction
from gough.simulation.integration.kept import Recent
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.states import states_along
from gough.structure import Mechanism, build_structure

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
PART = 1e-3
"""Width of (1) over the largest rate along the motion; without a motion over the robot's size, or a radian, in a second."""
SAMPLES = 100


@dataclass(frozen=True)
class Smoothing:
    """joints: names whose friction was smoothed for the run; sliding (m/s), turning (rad/s): the widths."""

    joints: tuple[str, ...] = ()
    sliding: float = 0.0
    turning: float = 0.0

    def plain(self) -> dict[str, Any] | None:
        """What a run keeps about it; None where nothing was changed."""
        if not self.joints:
            return None
        return {"joints": list(self.joints), "m/s": self.sliding, "rad/s": self.turning}


def rough_joints(mechanism: Mechanism, parameters: Vector) -> dict[str, int]:
    """{joint: its link, -1 for a cut joint} where Coulomb friction is not smoothed."""
    found = {}
    joints = [(k, link.joint, link.friction) for k, link in enumerate(mechanism.links)]
    cuts = [(-1, cut.name, cut.friction) for cut in mechanism.cuts]
    for k, name, places in (*joints, *cuts):
        for i in range(0, len(places), 3):
            _, coulomb, smoothing = places[i : i + 3]
            if parameters[coulomb] != 0.0 and parameters[smoothing] == 0.0:
                found[name] = k
    return found


def smooth_friction(
    model: "Model", smoothing: Any, motion: Motion | None, parameters: Vector
) -> tuple["Model", Vector, Smoothing]:
    """(model, its parameters (n,), what was changed). smoothing: "auto" where there is none, "described" for none at all, or one
    width (m/s, rad/s) or two for all joints with Coulomb friction."""
    if isinstance(smoothing, str) and smoothing == "described":
        return model, parameters, Smoothing()
    automatic = isinstance(smoothing, str)
    if automatic and smoothing != "auto":
        raise UsageError(
            f"smoothing={smoothing!r}: give 'auto', 'described', or a speed in m/s and rad/s, or one of each"
        )
    rough = rough_joints(model.mechanism, parameters)
    if automatic:
        if not rough:
            return model, parameters, Smoothing()
        widths = _widths(model, motion)
    else:
        widths = _given(smoothing)
    made = _with_widths(model, widths, automatic)
    values = parameters.copy()
    changed = np.flatnonzero(made.parameters != model.parameters)
    values[changed] = made.parameters[changed]
    table = model.mechanism.table.names
    joints = dict.fromkeys(
        table[k].removesuffix(".smoothing").removesuffix(".friction").removesuffix(".drive") for k in changed
    )
    return made, values, Smoothing(tuple(joints), *widths)


def _with_widths(model: "Model", widths: tuple[float, float], keep: bool) -> "Model":
    """The model with smoothed friction. keep: what is smoothed already stays. Widths are numbers of the design, and motions give
    many of them: one model is built, whatever the motion is, and its code serves all."""

    def described(these: tuple[float, float]) -> Robot:
        return change_friction(model.robot, smoothing=these, keep=keep)

    def built(these: tuple[float, float]) -> "Model":
        return model.with_(robot=described(these))

    def renumbered() -> "Model":
        first: Model = model.cached("smoothed", lambda: built(_widths(model, None)))
        values, kinds = np.array(model.parameters), model.cached("smoothing places", lambda: _places(described))
        for own, places in zip((*widths, min(widths)), kinds, strict=True):
            values[places] = own
        return share_code(first, described(widths), values) or built(widths)

    if not keep:
        return model.cached(("smoothed", widths), lambda: built(widths))
    recent: Recent = model.cached("recent smoothings", Recent)
    return recent.get(widths, renumbered)


def _places(described: Callable[[tuple[float, float]], Robot]) -> tuple[list[int], list[int], list[int]]:
    """Parameters that are the width of sliding, of turning, and the smaller one of both: told by two descriptions."""
    one, other = (build_structure(described(widths)).table for widths in ((1.0, 2.0), (2.0, 1.0)))
    found = zip(one.values, other.values, strict=True)
    pairs = [pair if kind == "smoothing" else () for pair, kind in zip(found, one.kinds, strict=True)]
    sliding, turning, both = ([k for k, x in enumerate(pairs) if x == y] for y in ((1.0, 2.0), (2.0, 1.0), (1.0, 1.0)))
    return sliding, turning, both


def _given(smoothing: Any) -> tuple[float, float]:
    given = np.asarray(smoothing).tolist()
    pair = tuple(given) if isinstance(given, list) else (given, given)
    good = len(pair) == 2 and all(is_number(x) and x > 0 for x in pair)
    if not good:
        raise UsageError(
            f"smoothing={smoothing!r}: give a positive speed in m/s and rad/s, or (m/s, rad/s); 'described' leaves friction as "
            "the description has it"
        )
    return float(pair[0]), float(pair[1])


def _widths(model: "Model", motion: Motion | None) -> tuple[float, float]:
    """(m/s, rad/s): by the largest rates along the motion, else by the robot's size."""
    largest = [0.0, 0.0]
    if motion is not None and motion.kind != "forces":
        if motion.kind == "drives":
            model.geometry.one_lead.compile()  # the same bits now and later
        states = states_along(model, motion, np.linspace(0.0, motion.duration, SAMPLES))
        good = states.status == 0
        if good.any():
            u = model.function("tree_rates")(q=states.q[good], v=states.v[good], parameters=model.parameters).outputs[
                "u"
            ]
            for link in model.mechanism.links:
                if link.nu and not link.is_platform:
                    kind = 1 if link.motion.measure is ANGLE else 0
                    rates = np.abs(u[:, list(link.columns)])
                    largest[kind] = max(largest[kind], float(np.nanmax(rates, initial=0.0)))
    sliding, turning = largest
    return PART * (sliding or model.size), PART * (turning or 1.0)
