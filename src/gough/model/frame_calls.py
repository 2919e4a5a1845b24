"""Model calls about frames and velocities."""

from typing import Any

import numpy as np

from gough.arguments import checked, design, numbers, word
from gough.compilation.arrays import Array, as_array
from gough.dynamics.catalogue import FunctionKey
from gough.errors import UsageError
from gough.model.calls import Calls, finish


class FrameCalls(Calls):
    """Poses, twists and Jacobians of named frames; rates of q."""

    @checked(q=numbers, frame=word, parameters=design, on_bad_state=word)
    def frame_pose(
        self, q: Any, frame: str, *, parameters: Any = None, on_bad_state: str = "raise"
    ) -> tuple[Array, Array]:
        """(position (..., 3), rotation (..., 3, 3)) of a named frame in the world."""
        e = self._run(FunctionKey("frame_pose", (frame,)), {"q": q}, parameters)
        return finish("frame_pose", e, (e.outputs["position"], e.outputs["rotation"]), on_bad_state)

    @checked(q=numbers, v=numbers, frame=word, parameters=design, on_bad_state=word)
    def frame_twist(self, q: Any, v: Any, frame: str, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """Twist (..., 6) of a named frame at its origin, world axes."""
        return self._array_of(FunctionKey("frame_twist", (frame,)), "twist", {"q": q, "v": v}, parameters, on_bad_state)

    @checked(q=numbers, frame=word, parameters=design, on_bad_state=word)
    def frame_jacobian(self, q: Any, frame: str, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """J (..., 6, nv): twist of the frame = J v."""
        layout = self._model.layout
        x = as_array("q", q, layout.nq)[..., None, :]
        numbers = self._parameters(parameters)
        numbers = numbers[..., None, :] if numbers.ndim > 1 else numbers
        columns = self.frame_twist(x, np.eye(layout.nv), frame, parameters=numbers, on_bad_state=on_bad_state)
        return np.swapaxes(columns, -1, -2)

    @checked(q=numbers, v=numbers, parameters=design, on_bad_state=word)
    def twist(self, q: Any, v: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """Platform twist (..., 6) of v; the two are the same for a platform with six freedoms."""
        model = self._model
        self._needs_platform("twist")
        if model.mechanism.selection.leads_from_platform:
            as_array("q", q, model.layout.nq)
            return as_array("v", v, model.layout.nv).copy()
        return self._array_of("tree_rates", "u", {"q": q, "v": v}, parameters, on_bad_state)[..., :6]

    @checked(q=numbers, twist=numbers, parameters=design)
    def velocity(self, q: Any, twist: Any, *, parameters: Any = None) -> tuple[Array, Array]:
        """(v (..., nv), inconsistent part (..., 6)) of a platform twist; all of it is consistent with six freedoms.

        v is the motion that comes nearest to the twist (rotations count times the robot's size).
        """
        model = self._model
        self._needs_platform("velocity")
        wanted = as_array("twist", twist, 6)
        if model.mechanism.selection.leads_from_platform:
            as_array("q", q, model.layout.nq)
            return wanted.copy(), np.zeros_like(wanted)
        x = as_array("q", q, model.layout.nq)[..., None, :]
        numbers = self._parameters(parameters)
        numbers = numbers[..., None, :] if numbers.ndim > 1 else numbers
        T = np.swapaxes(self.twist(x, np.eye(model.layout.nv), parameters=numbers), -1, -2)
        scale = np.array([1.0] * 3 + [model.size] * 3)
        v = np.einsum("...ij,...j->...i", np.linalg.pinv(T * scale[:, None], rcond=1e-12), wanted * scale)
        return v, wanted - np.einsum("...ij,...j->...i", T, v)

    def _needs_platform(self, name: str) -> None:
        if not self._model.mechanism.has_platform:
            raise UsageError(f"{name}: {self._model.robot.name} has no platform; use frame_twist with a named frame")

    @checked(q=numbers, v=numbers, parameters=design, on_bad_state=word)
    def configuration_rate(self, q: Any, v: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """qdot (..., nq)."""
        return self._array_of("configuration_rate", "qdot", {"q": q, "v": v}, parameters, on_bad_state)

    @checked(q=numbers, v=numbers, parameters=design, on_bad_state=word)
    def drive_rates(self, q: Any, v: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """Drive rates (..., drives) = Sᵀ v."""
        v = as_array("v", v, self._model.layout.nv)
        S = self._array_of("drive_map", "S", {"q": q}, parameters, on_bad_state)
        return np.einsum("...ij,...i->...j", S, v)
