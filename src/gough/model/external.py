"""External wrenches as the programs take them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.arrays import as_array, module_of
from gough.dynamics.catalogue import FunctionKey
from gough.dynamics.inverse import load_sizes
from gough.errors import UsageError
from gough.model.tangent import tangent_derivative

if TYPE_CHECKING:
    from gough.model.model import Model

Array = np.ndarray
Wrench = Array | Sequence[float] | Mapping[str, Any] | None


def on_platform(model: "Model", frame: str) -> bool:
    """Whether a frame (if there is such a one) belongs to the platform."""
    mechanism = model.mechanism
    return frame not in mechanism.frames or (mechanism.has_platform and mechanism.frames[frame].link == 0)


def takes_wrench(model: "Model") -> bool:
    """Whether a wrench may be given without a frame: on the platform, whose origin is a point of the material."""
    mechanism = model.mechanism
    return mechanism.has_platform and mechanism.links[0].elastic is None


def external_load(model: "Model", q: Any, wrench: Wrench, parameters: Array) -> dict[str, Array]:
    """The inputs of `load_sizes`, (..., size) by slot, that do the work of all given wrenches.

    A wrench on a frame of the platform is moved to its origin; one elsewhere enters by its work on v. Loops may be a little
    open, as they are on the way to an equilibrium: whether q is sound is for the function that takes the load to say.
    """
    mechanism = model.mechanism
    load: dict[str, Array] = {slot: np.zeros(size) for slot, size in load_sizes(mechanism).items()}
    if wrench is None:
        return load
    if isinstance(wrench, Mapping):
        for frame, value in wrench.items():
            slot, more = _at_frame(model, q, frame, as_array(f"wrench[{frame!r}]", value, 6), parameters)
            load[slot] = load[slot] + more
        return load
    if not mechanism.has_platform:
        raise UsageError(
            f"{model.robot.name} has no platform to put a wrench on; name the frame: wrench={{frame: [fx, fy, fz, mx, my, mz]}}"
        )
    _demand_material(model, mechanism.platform.name)
    return load | {"wrench": as_array("wrench", wrench, 6)}


def load_of_one(model: "Model", q: Array, wrench: Mapping[Any, Array | None]) -> list[Array] | None:
    """`external_load` of one state q (nq,) and wrenches (6,) by frame, in the order of `load_sizes`, by machine code; None where
    that is not there yet or something is to be refused."""
    sizes = load_sizes(model.mechanism)
    load = {slot: np.zeros(size) for slot, size in sizes.items()}
    for frame, value in wrench.items():
        if value is None or value.shape != (6,):
            return None
        found = _one_at_frame(model, q, frame, value)
        if found is None:
            return None
        load[found[0]] = load[found[0]] + found[1]
    return list(load.values())


def _one_at_frame(model: "Model", q: Array, frame: Any, value: Array) -> tuple[str, Array] | None:
    """`_at_frame` of one state."""
    mechanism = model.mechanism
    levered = mechanism.has_platform and frame in mechanism.frames and on_platform(model, frame)
    run = model._straight.get(("load", frame))
    if run is None:
        try:
            _demand_material(model, frame)
            known = model.function(FunctionKey("frame_pose" if levered else "frame_twist", (frame,))).one_state
        except UsageError:
            return None
        if known is None:
            return None
        run = model._straight[("load", frame)] = known.caller(model.parameters, unchecked=True)
    if levered:
        found = run(q)
        if found is None:
            return None
        (x, y, z), (fx, fy, fz, mx, my, mz) = (found[0] - q[:3]).tolist(), value.tolist()
        return "wrench", np.array([fx, fy, fz, mx + (y * fz - z * fy), my + (z * fx - x * fz), mz + (x * fy - y * fx)])
    rates = []
    for unit in np.eye(model.layout.nv):
        found = run(q, unit)
        if found is None:
            return None
        rates.append(found[0])
    return _work_slot(model), np.einsum("...ij,...i->...j", np.array(rates).T, value)


def residual_slope(
    model: "Model", q: Array, wrench: Wrench, parameters: Array, state: Mapping[str, Any]
) -> Array | float:
    """Change (..., nv, nv) of `dynamics_residual` at a state per motion along v, by what wrenches on frames lose or win of their
    levers: the rest of it, with the load of `external_load` held, is the residual's own derivative."""
    if not isinstance(wrench, Mapping) or not wrench:
        return 0.0
    slopes: dict[str, Any] = {}
    for frame, value in wrench.items():
        slot, more = _slope_at_frame(model, q, frame, as_array(f"wrench[{frame!r}]", value, 6), parameters)
        slopes[slot] = slopes.get(slot, 0.0) + more
    by_load = tangent_derivative(model, "dynamics_residual", tuple(slopes)).values(**state, parameters=parameters)
    return sum(by_load[f"residual_{slot}"] @ slope for slot, slope in slopes.items())


def _slope_at_frame(model: "Model", q: Array, frame: str, value: Array, parameters: Array) -> tuple[str, Array]:
    """(slot, change (..., size, nv) of its load by a wrench on a frame per motion along v)."""
    nv = model.layout.nv
    own = parameters[..., None, :] if parameters.ndim > 1 else parameters
    states, eye = q[..., None, :], np.eye(nv)
    if model.mechanism.has_platform and on_platform(model, frame):
        if frame not in model.mechanism.frames:  # the platform's own origin has no lever
            return "wrench", np.zeros((6, nv))
        at_frame = model.function(FunctionKey("frame_twist", (frame,))).values(q=states, v=eye, parameters=own)[
            "twist"
        ][..., :3]
        origin = model.function("tree_rates").values(q=states, v=eye, parameters=own)["u"][..., :3]
        moment = np.cross(at_frame - origin, value[..., None, :3])
        out = np.zeros((*moment.shape[:-2], 6, nv))
        out[..., 3:, :] = np.swapaxes(moment, -1, -2)
        return "wrench", out
    bent = tangent_derivative(model, FunctionKey("frame_twist", (frame,)), ("q",)).values(
        q=states, v=eye, parameters=own
    )["twist_q"]
    return _work_slot(model), np.einsum("...jik,...i->...jk", bent, value)


def _work_slot(model: "Model") -> str:
    """The slot that takes a wrench by its work on v; where v is the platform's twist, that is the wrench on the platform."""
    return "force" if "force" in load_sizes(model.mechanism) else "wrench"


def _demand_material(model: "Model", frame: str) -> None:
    """Refuse a wrench at the floating frame of a flexible body: its origin is no point of the material."""
    for link in model.mechanism.links:
        if link.name == frame and link.elastic is not None and link.is_platform:
            frames = [f.name for f in model.mechanism.frames.values() if model.mechanism.links[f.link].parent == 0]
            raise UsageError(
                f"wrench on {frame!r}: this body is flexible and its frame floats, no point of the material is there. Name a "
                f"frame tied to it: {', '.join(frames) or 'none is described, add one under frames'}"
            )


def _at_frame(model: "Model", q: Any, frame: str, value: Array, parameters: Array) -> tuple[str, Array]:
    """(slot, load (..., size)) of a wrench on a frame."""
    _demand_material(model, frame)
    q = as_array("q", q, model.layout.nq)
    xp = module_of(q, value)
    value = xp.asarray(value)
    if model.mechanism.has_platform and frame in model.mechanism.frames and on_platform(model, frame):
        position = model.function(FunctionKey("frame_pose", (frame,))).values(q=q, parameters=parameters)["position"]
        lever = xp.asarray(position) - xp.asarray(q, dtype=float)[..., :3]
        moment = value[..., 3:] + xp.cross(lever, value[..., :3])
        force = xp.broadcast_to(value[..., :3], moment.shape)
        return "wrench", xp.concatenate([force, moment], axis=-1)
    own = parameters[..., None, :] if parameters.ndim > 1 else parameters
    eye = np.eye(model.layout.nv)
    rates = model.function(FunctionKey("frame_twist", (frame,))).values(q=q[..., None, :], v=eye, parameters=own)[
        "twist"
    ]
    J = xp.swapaxes(rates, -1, -2)
    return _work_slot(model), xp.einsum("...ij,...i->...j", xp.asarray(J), value)
