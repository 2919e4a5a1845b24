"""External wrenches as the programs take them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.arrays import as_array, module_of
from gough.dynamics.catalogue import FunctionKey
from gough.dynamics.inverse import wrench_size
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


def external_load(model: "Model", q: Any, wrench: Wrench, parameters: Array) -> Array:
    """Wrench on the platform (6), then generalised force on v (see `wrench_size`), each (..., n).

    A wrench on a frame of the platform is moved to its origin; one elsewhere enters by its work on v. Loops may be a little
    open, as they are on the way to an equilibrium: whether q is sound is for the function that takes the load to say.
    """
    mechanism = model.mechanism
    size = wrench_size(mechanism)
    if wrench is None:
        return np.zeros(size)
    if isinstance(wrench, Mapping):
        total = np.zeros(size)
        for frame, value in wrench.items():
            total = total + _at_frame(model, q, frame, as_array(f"wrench[{frame!r}]", value, 6), parameters, size)
        return total
    if not mechanism.has_platform:
        raise UsageError(
            f"{model.robot.name} has no platform to put a wrench on; name the frame: wrench={{frame: [fx, fy, fz, mx, my, mz]}}"
        )
    _demand_material(model, mechanism.platform.name)
    given = as_array("wrench", wrench, 6)
    xp = module_of(given)
    return xp.concatenate([given, xp.zeros((*given.shape[:-1], size - 6))], axis=-1)


def residual_slope(
    model: "Model", q: Array, wrench: Wrench, parameters: Array, state: Mapping[str, Any]
) -> Array | float:
    """Change (..., nv, nv) of `dynamics_residual` at a state per motion along v, by what wrenches on frames lose or win of their
    levers: the rest of it, with the load of `external_load` held, is the residual's own derivative."""
    if not isinstance(wrench, Mapping) or not wrench:
        return 0.0
    size = wrench_size(model.mechanism)
    slope = sum(
        _slope_at_frame(model, q, frame, as_array(f"wrench[{frame!r}]", value, 6), parameters, size)
        for frame, value in wrench.items()
    )
    by_load = tangent_derivative(model, "dynamics_residual", ("wrench",))
    return by_load.values(**state, parameters=parameters)["residual_wrench"] @ slope


def _slope_at_frame(model: "Model", q: Array, frame: str, value: Array, parameters: Array, size: int) -> Array:
    """Change (..., size, nv) of the load of a wrench on a frame per motion along v."""
    nv = model.layout.nv
    own = parameters[..., None, :] if parameters.ndim > 1 else parameters
    states, eye = q[..., None, :], np.eye(nv)
    if model.mechanism.has_platform and on_platform(model, frame):
        if frame not in model.mechanism.frames:  # the platform's own origin has no lever
            return np.zeros((size, nv))
        at_frame = model.function(FunctionKey("frame_twist", (frame,))).values(q=states, v=eye, parameters=own)[
            "twist"
        ][..., :3]
        origin = model.function("tree_rates").values(q=states, v=eye, parameters=own)["u"][..., :3]
        moment = np.cross(at_frame - origin, value[..., None, :3])
        out = np.zeros((*moment.shape[:-2], size, nv))
        out[..., 3:6, :] = np.swapaxes(moment, -1, -2)
        return out
    bent = tangent_derivative(model, FunctionKey("frame_twist", (frame,)), ("q",)).values(
        q=states, v=eye, parameters=own
    )["twist_q"]
    load = np.einsum("...jik,...i->...jk", bent, value)
    return np.concatenate([np.zeros((*load.shape[:-2], size - nv, nv)), load], axis=-2)


def _demand_material(model: "Model", frame: str) -> None:
    """Refuse a wrench at the floating frame of a flexible body: its origin is no point of the material."""
    for link in model.mechanism.links:
        if link.name == frame and link.elastic is not None and link.is_platform:
            frames = [f.name for f in model.mechanism.frames.values() if model.mechanism.links[f.link].parent == 0]
            raise UsageError(
                f"wrench on {frame!r}: this body is flexible and its frame floats, no point of the material is there. Name a "
                f"frame tied to it: {', '.join(frames) or 'none is described, add one under frames'}"
            )


def _at_frame(model: "Model", q: Any, frame: str, value: Array, parameters: Array, size: int) -> Array:
    _demand_material(model, frame)
    q = as_array("q", q, model.layout.nq)
    xp = module_of(q, value)
    value = xp.asarray(value)
    if model.mechanism.has_platform and frame in model.mechanism.frames and on_platform(model, frame):
        position = model.function(FunctionKey("frame_pose", (frame,))).values(q=q, parameters=parameters)["position"]
        lever = xp.asarray(position) - xp.asarray(q, dtype=float)[..., :3]
        moment = value[..., 3:] + xp.cross(lever, value[..., :3])
        force = xp.broadcast_to(value[..., :3], moment.shape)
        rest = xp.zeros((*moment.shape[:-1], size - 6))
        return xp.concatenate([force, moment, rest], axis=-1)
    own = parameters[..., None, :] if parameters.ndim > 1 else parameters
    eye = np.eye(model.layout.nv)
    rates = model.function(FunctionKey("frame_twist", (frame,))).values(q=q[..., None, :], v=eye, parameters=own)[
        "twist"
    ]
    J = xp.swapaxes(rates, -1, -2)
    load = xp.einsum("...ij,...i->...j", xp.asarray(J), value)
    return xp.concatenate([xp.zeros((*load.shape[:-1], size - load.shape[-1])), load], axis=-1)
