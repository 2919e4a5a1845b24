"""Margins to the limits that the description states, as `model.limit_margins` measures them.

A margin is bound - |x| or ± (bound - x) of a coordinate, a rate, a drive force or a tilt. x follows the parameters of the design;
a bound is no parameter, and follows variables by its own formula.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.errors import UsageError
from gough.model.functions import slots_of
from gough.model.limits import LimitPlan, limit_plan
from gough.model.tangent import tangent_derivation
from gough.program import Slot, trace
from gough.program.passes.inputs import fold_entries
from gough.robot.item import nearest
from gough.scalar import VariedNumber, atan2, replay, sqrt
from gough.spatial import rotation_from_quaternion_wxyz
from gough.spatial.euler import coordinates_of
from gough.studies._closed_states import ClosedStates

if TYPE_CHECKING:
    from gough.model import Model

UPRIGHT = 1e-6
"""Tilt (rad, from 0 or from half a turn) below which it has no slope: it grows whichever way the joint turns."""


@dataclass(frozen=True)
class LimitDistances:
    """Margins of limits of `limit_plan`, by their places in it; speeds at v, forces of inverse dynamics."""

    places: tuple[int, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]

    def evaluate(self, states: ClosedStates) -> np.ndarray:
        """Values (n, m)."""
        return _plan(states).margins(_known(states))[:, list(self.places)]

    def pull(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters)."""
        known = _known(states)
        bars = {source: np.zeros_like(x) for source, x in known.items()}
        for k, weight in zip(self.places, weights.T, strict=True):
            bound = _plan(states).bounds[k]
            x, e = known[bound.source], bound.entry
            if bound.source in ("q", "pose"):
                slope = np.full(states.count, 1.0 if bound.limit.kind.side == "lower" else -1.0)
            elif bound.source == "tilt":
                slope = _tilt_slope(str(bound.limit), x[:, e], weight)
            else:
                slope = -np.sign(x[:, e])
                _demand_smooth(states, bound.source, e, np.asarray((x[:, e] == 0) & (weight != 0)), str(bound.limit))
            bars[bound.source][:, e] += weight * slope
        out = np.zeros((states.count, states.parameters.shape[-1]))
        for source, (function, output) in SOURCES.items():
            if source in bars and bars[source].any():
                out += states.pull(function, {output: bars[source]})["parameters"]
        if bars["q"].any() or bars.get("pose", np.zeros(1)).any():
            out += _pull_places(states, bars)
        return out

    def pull_variables(self, states: ClosedStates, weights: np.ndarray) -> np.ndarray:
        """Gradients (n, variables) by what the bounds themselves follow."""
        slopes = states.model.cached("slopes of limits", lambda: _bound_slopes(states.model))[list(self.places)]
        bounds = [_plan(states).bounds[k] for k in self.places]
        sides = np.array([-1.0 if bound.limit.kind.side == "lower" else 1.0 for bound in bounds])
        return (weights * sides) @ slopes


SOURCES = {"u": ("tree_rates", "u"), "tau": ("inverse_dynamics", "tau"), "tilt": ("tilt_cosines", "cosines")}


def limit_distances(model: "Model", text: str, wanted: tuple[str, ...]) -> LimitDistances:
    """Of all stated limits, or those of joints, or single ones: "leg0.hip", "leg0.hip cone"."""
    limits = limit_plan(model).limits
    if not limits:
        raise UsageError(f"quantity={text!r}: {model.robot.name} states no limits; write them under `limits` of joints")
    for name in wanted:
        if not any(name in (limit.joint, str(limit)) for limit in limits):
            known = [*dict.fromkeys(limit.joint for limit in limits), *map(str, limits)]
            raise UsageError(f"quantity={text!r}: no limit of {name!r}; use {nearest(name, known)}")
    places = [
        k for k, limit in enumerate(limits) if not wanted or any(name in (limit.joint, str(limit)) for name in wanted)
    ]
    return LimitDistances(tuple(places), tuple(str(limits[k]) for k in places), tuple(limits[k].unit for k in places))


def limit_variables(model: "Model") -> set[str]:
    """Variables that limits of the description follow."""
    if not limit_plan(model).limits:
        return set()
    slopes = model.cached("slopes of limits", lambda: _bound_slopes(model))
    return {name for name, column in zip(model.variables.names, slopes.T, strict=True) if column.any()}


def _plan(states: ClosedStates) -> LimitPlan:
    return limit_plan(states.model)


def _known(states: ClosedStates) -> dict[str, np.ndarray]:
    """What limits are about, (n, entries) by source."""
    wanted = {bound.source for bound in _plan(states).bounds}
    known = {"q": states.inputs["q"]}
    if "pose" in wanted:
        known["pose"] = coordinates_of(states.inputs["q"], "rpy_zyx")
    return known | {source: states.evaluate(f)[out] for source, (f, out) in SOURCES.items() if source in wanted}


def _tilt_slope(name: str, cosine: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Of -acos."""
    sine = np.sqrt(np.maximum(1.0 - cosine**2, 0.0))
    if ((sine < UPRIGHT) & (weight != 0)).any():
        raise UsageError(
            f"margin {name}: the joint is not tilted there (or by half a turn); its tilt grows whichever way the joint turns "
            "and has no slope. Ask at another configuration, or name other limits"
        )
    return 1.0 / np.maximum(sine, UPRIGHT)


def _demand_smooth(states: ClosedStates, source: str, entry: int, still: np.ndarray, name: str) -> None:
    """UsageError where something is 0 and would not stay so: its size has a corner there."""
    if not still.any():
        return
    function, output = SOURCES[source]
    bar = np.zeros_like(states.evaluate(function)[output])
    bar[still, entry] = 1.0
    if states.pull(function, {output: bar})["parameters"][still].any():
        raise UsageError(
            f"margin {name}: what is limited is exactly 0 there and would not stay so; its size has a corner and no slope. "
            "Ask at another state, or name other limits"
        )


def _pull_places(states: ClosedStates, bars: dict[str, np.ndarray]) -> np.ndarray:
    """Gradients (n, parameters) of coordinates q and of the platform's x, y, z, yaw, pitch, roll."""
    posed = "pose" in bars
    f = states.model.cached(("pulled limits", posed), lambda: _places(states.model, posed))
    given = {f"bar_{source}": bars[source] for source in (("q", "pose") if posed else ("q",))}
    given = {("bar_coordinates" if name == "bar_q" else name): x for name, x in given.items()}
    return states.call(f, given)["bar_parameters"]


def _places(model: "Model", posed: bool) -> Function:
    def equations(q: Any, parameters: Any) -> dict[str, Any]:
        found = {"coordinates": 1.0 * q}
        if posed:
            R = rotation_from_quaternion_wxyz(q[3:7])
            level = sqrt(R[0, 0] * R[0, 0] + R[1, 0] * R[1, 0])
            angles = [atan2(R[1, 0], R[0, 0]), atan2(-R[2, 0], level), atan2(R[2, 1], R[2, 2])]
            found["pose"] = np.array([*q[:3], *angles], dtype=object)
        return found

    program = trace(equations, slots_of(model.mechanism, ("q",)), "limited places", {"parameters": {}})
    made = tangent_derivation(model, program, ("parameters",), closing=True).vjp()
    made = fold_entries(made, "parameters", model.pattern)
    return Function(made, model.mechanism.table, model.pattern, precision=model.precision)


def _bound_slopes(model: "Model") -> np.ndarray:
    """Change (limits, variables) of every bound per unit of every variable."""
    names, bounds = model.variables.names, [bound.limit.bound for bound in limit_plan(model).bounds]
    own = {k: x.node for k, x in enumerate(bounds) if isinstance(x, VariedNumber)}
    out = np.zeros((len(bounds), len(names)))
    if not own:
        return out

    def run(variables: Any) -> dict[str, Any]:
        return {"bounds": replay(list(own.values()), dict(zip(names, variables, strict=True)))}

    program = trace(run, (Slot("variables", (len(names),), "SI"),), f"{model.robot.name} limits")
    f = Function(program, model.mechanism.table, {}, interpreted=True).derivative("variables", "jacobian")
    out[list(own)] = f.values(variables=model.variables.values)["bounds_variables"]
    return out
