"""Model calls about frames and velocities."""

from typing import Any

import numpy as np

from gough.arguments import checked, design, numbers, word
from gough.compilation.arrays import Array, as_array, common_batch, module_of, on_host
from gough.compilation.evaluation import Evaluation
from gough.dynamics.catalogue import FunctionKey
from gough.errors import Status, UsageError
from gough.model._one_state import straight
from gough.model.calls import Calls, explain_states, finish
from gough.model.results import itself


class FrameCalls(Calls):
    """Poses, twists and Jacobians of named frames; rates of q."""

    @straight(lambda position, rotation: (position, rotation), "position rotation", "q", of_frame=True)
    @checked(q=numbers, frame=word, parameters=design, on_bad_state=word)
    def frame_pose(
        self, q: Any, frame: str, *, parameters: Any = None, on_bad_state: str = "raise"
    ) -> tuple[Array, Array]:
        """(position (..., 3), rotation (..., 3, 3)) of a named frame in the world."""
        e = self._run(FunctionKey("frame_pose", (frame,)), {"q": q}, parameters)
        result = e.outputs["position"], e.outputs["rotation"]
        return finish("frame_pose", e, result, on_bad_state, explain_states(self._model, q, e.batch, parameters))

    @straight(itself, "twist", "q v", of_frame=True)
    @checked(q=numbers, v=numbers, frame=word, parameters=design, on_bad_state=word)
    def frame_twist(self, q: Any, v: Any, frame: str, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """Twist (..., 6) of a named frame at its origin, world axes."""
        key = FunctionKey("frame_twist", (frame,))
        return self._array_of("frame_twist", "twist", {"q": q, "v": v}, parameters, on_bad_state, key)

    @checked(q=numbers, frame=word, parameters=design, on_bad_state=word)
    def frame_jacobian(self, q: Any, frame: str, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """J (..., 6, nv): twist of the frame = J v."""
        e, J = self._columns_of(FunctionKey("frame_twist", (frame,)), "twist", q, parameters)
        return finish("frame_jacobian", e, J, on_bad_state, explain_states(self._model, q, e.batch, parameters))

    @checked(q=numbers, v=numbers, parameters=design, on_bad_state=word)
    def twist(self, q: Any, v: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """Platform twist (..., 6) of v; the two are the same for a platform with six freedoms."""
        model = self._model
        self._needs_platform("twist")
        if model.mechanism.leads_from_platform:
            return self._same_twist("twist", q, v, parameters, on_bad_state)
        inputs = {"q": q, "v": v}
        return self._array_of("twist", "u", inputs, parameters, on_bad_state, "tree_rates", lambda u: u[..., :6])

    @checked(q=numbers, twist=numbers, parameters=design)
    def velocity(self, q: Any, twist: Any, *, parameters: Any = None) -> tuple[Array, Array]:
        """(v (..., nv), inconsistent part (..., 6)) of a platform twist; all of it is consistent with six freedoms.

        v is the motion that comes nearest to the twist (rotations count times the robot's size).
        """
        model = self._model
        self._needs_platform("velocity")
        wanted = as_array("twist", twist, 6)
        if model.mechanism.leads_from_platform:
            v = self._same_twist("velocity", q, wanted, parameters, "raise", marks=False)
            return v, np.zeros_like(v)
        e, u = self._columns_of("tree_rates", "u", q, parameters)
        finish("velocity", e, None, "raise", explain_states(self._model, q, e.batch, parameters), marks=False)
        T = u[..., :6, :]
        scale = np.array([1.0] * 3 + [model.size] * 3)
        v = np.einsum("...ij,...j->...i", np.linalg.pinv(T * scale[:, None], rcond=1e-12), wanted * scale)
        return v, wanted - np.einsum("...ij,...j->...i", T, v)

    def _same_twist(
        self, call: str, q: Any, twist: Any, parameters: Any, on_bad_state: str, marks: bool = True
    ) -> Array:
        """The twist (..., 6) of a platform whose v it is, at states q that are good."""
        name = "v" if marks else "twist"
        given = as_array(name, twist, 6)
        e = self._run(FunctionKey("frame_pose", (self._model.mechanism.platform.name,)), {"q": q}, parameters)
        batch = common_batch(call, given, np.empty((*e.batch, 0)))
        out = module_of(given).broadcast_to(given, (*batch, 6)).copy()
        unknown = np.flatnonzero(~np.isfinite(on_host(out)).all(axis=-1))
        failed = np.full(len(unknown), Status.NOT_FINITE.at(f"input {name}"), dtype=object)
        e = Evaluation({}, unknown, failed, batch).blame(e)
        out.reshape(-1, 6)[e.bad] = np.nan
        return finish(call, e, out, on_bad_state, explain_states(self._model, q, batch, parameters), marks)

    def _needs_platform(self, name: str) -> None:
        if not self._model.mechanism.has_platform:
            raise UsageError(f"{name}: {self._model.robot.name} has no platform; use frame_twist with a named frame")

    @straight(itself, "qdot", "q v")
    @checked(q=numbers, v=numbers, parameters=design, on_bad_state=word)
    def configuration_rate(self, q: Any, v: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """qdot (..., nq)."""
        return self._array_of("configuration_rate", "qdot", {"q": q, "v": v}, parameters, on_bad_state)

    @checked(q=numbers, v=numbers, parameters=design, on_bad_state=word)
    def drive_rates(self, q: Any, v: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """Drive rates (..., drives) = Sᵀ v."""
        v = as_array("v", v, self._model.layout.nv)

        def rates(S: Array) -> Array:
            return np.einsum("...ij,...i->...j", S, v)

        return self._array_of("drive_rates", "S", {"q": q}, parameters, on_bad_state, "drive_map", rates)
