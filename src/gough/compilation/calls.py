"""The calls a user makes on a model; each gathers inputs, runs a function and turns bad states into statuses."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gough.compilation.function import Evaluation
from gough.compilation.geometry import check_branch
from gough.compilation.results import Energies, ForwardDynamics, InverseDynamics, Reactions
from gough.compilation.rotations import integrate_pose, pose_array
from gough.compilation.singularity import singularity
from gough.compilation.status import check_option, codes, complain
from gough.dynamics.reactions import joint_links
from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.compilation.model import Model

Array = np.ndarray
Wrench = Array | Sequence[float] | Mapping[str, Any] | None


class ModelCalls:
    """Methods of `gough.Model`. Arrays broadcast on leading axes; SI units; `parameters` defaults to the design's."""

    # -- configurations -------------------------------------------------------------------------------------------------

    def configuration(
        self,
        pose: Any = None,
        *,
        drives: Any = None,
        coordinates: Mapping[str, Any] | None = None,
        near: Any = None,
        branch: Any = None,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> Array:
        """Configuration q (..., nq) of the closed robot.

        pose: (..., 7) x y z qw qx qy qz, or (position, rotation). drives: drive coordinates (..., drives), solved from
        `near` (default home). coordinates: {name: value} changes of home's pose entries. near: q whose assembly is kept.
        branch: (length, rotation) of 0 or 1, for all legs or per leg. Default assembly: that of home.
        """
        model = cast("Model", self)
        check_option(on_bad_state)
        if sum(x is not None for x in (pose, drives, coordinates)) != 1:
            raise UsageError("configuration: give exactly one of pose=, drives= or coordinates=")
        if near is not None and branch is not None:
            raise UsageError("configuration: give near= or branch=, not both")
        rows_parameters = self._parameters(parameters)
        if coordinates is not None:
            pose = _pose_from_coordinates(model, coordinates)
        given = pose_array(pose) if pose is not None else _drive_array(model, drives)
        close = None if near is None else _array("near", near, model.layout.nq)
        batch = np.broadcast_shapes(
            given.shape[:-1], rows_parameters.shape[:-1], () if close is None else close.shape[:-1]
        )
        n = int(np.prod(batch, dtype=int))
        rows = np.broadcast_to(given, (*batch, given.shape[-1])).reshape(n, -1)
        numbers = _rows(rows_parameters, batch, n)
        near_rows = None if close is None else np.broadcast_to(close, (*batch, model.layout.nq)).reshape(n, -1)
        if pose is not None:
            q, names = self._from_poses(rows, numbers, near_rows, branch)
        else:
            if near_rows is None:
                near_rows = np.broadcast_to(model.home, (n, model.layout.nq))
            q, names = model.geometry.from_drives(rows, numbers, near_rows)
        q = q.reshape(*batch, model.layout.nq)
        if on_bad_state == "raise" and (names != "").any():
            complain("configuration", names, batch, q)
        return q

    def _from_poses(self, rows: Array, parameters: Array, near: Array | None, branch: Any) -> tuple[Array, Array]:
        model = cast("Model", self)
        names = np.full(len(rows), "", dtype=object)
        names[~np.isfinite(rows).all(axis=1)] = "not_finite:input"
        off = np.abs(np.linalg.norm(rows[:, 3:], axis=1) - 1.0) > 1e-6
        names[(names == "") & off] = "bad_quaternion:platform"
        good = names == ""
        q = np.full((len(rows), model.layout.nq), np.nan)
        q[:, :7] = rows
        pairs = check_branch(branch, len(model.mechanism.legs))
        chosen = parameters if len(parameters) == 1 else parameters[good]
        q[good], names[good] = model.geometry.from_pose(rows[good], chosen, None if near is None else near[good], pairs)
        return q, names

    def forward_geometry(self, drives: Any, near: Any = None, **options: Any) -> Array:
        """q (..., nq) for drive coordinates, by Newton from `near` (default home)."""
        return self.configuration(drives=drives, near=near, **options)

    def drives(self, q: Any) -> Array:
        """Drive coordinates (..., drives) of q (m or rad)."""
        model = cast("Model", self)
        return _array("q", q, model.layout.nq)[..., model.drive_index]

    def drive_rates(self, q: Any, v: Any, parameters: Any = None) -> Array:
        """Drive rates (..., drives) = Sᵀ v."""
        S = self.drive_map(q, parameters=parameters)
        return np.einsum("...ij,...i->...j", S, np.asarray(v, dtype=float))

    def closure_error(self, q: Any, parameters: Any = None) -> Array:
        """Largest closure error (...) relative to the robot's size."""
        model = cast("Model", self)
        out = self._run("closure_residual", {"q": q}, parameters).outputs["residual"]
        return np.abs(out).max(axis=-1) / model.size

    def integrate(self, q: Any, v: Any, dt: Any = 1.0, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """q moved by v·dt along the group (pose by the exponential, legs follow in their assembly)."""
        model = cast("Model", self)
        start = _array("q", q, model.layout.nq)
        step = _array("v", v, model.layout.nv) * np.asarray(dt, dtype=float)[..., None]
        batch = np.broadcast_shapes(start.shape[:-1], step.shape[:-1])
        pose = integrate_pose(np.broadcast_to(start[..., :7], (*batch, 7)), np.broadcast_to(step, (*batch, 6)))
        near = np.broadcast_to(start, (*batch, model.layout.nq))
        return self.configuration(pose, near=near, parameters=parameters, on_bad_state=on_bad_state)

    def project(self, q: Any, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """The closed configuration next to q: quaternion normalised, legs closed at the same pose and assembly."""
        model = cast("Model", self)
        x = _array("q", q, model.layout.nq)
        norm = np.linalg.norm(x[..., 3:7], axis=-1, keepdims=True)
        pose = np.concatenate([x[..., :3], x[..., 3:7] / np.where(norm > 0, norm, np.nan)], axis=-1)
        return self.configuration(pose, near=x, parameters=parameters, on_bad_state=on_bad_state)

    # -- frames and velocities ------------------------------------------------------------------------------------------

    def frame_pose(self, q: Any, frame: str, parameters: Any = None) -> tuple[Array, Array]:
        """(position (..., 3), rotation (..., 3, 3)) of a named frame in the world."""
        out = self._run(f"frame_pose:{frame}", {"q": q}, parameters).outputs
        return out["position"], out["rotation"]

    def frame_twist(self, q: Any, v: Any, frame: str, parameters: Any = None) -> Array:
        """Twist (..., 6) of a named frame at its origin, world axes."""
        return self._run(f"frame_twist:{frame}", {"q": q, "v": v}, parameters).outputs["twist"]

    def frame_jacobian(self, q: Any, frame: str, parameters: Any = None) -> Array:
        """J (..., 6, nv): twist of the frame = J v."""
        model = cast("Model", self)
        x = _array("q", q, model.layout.nq)[..., None, :]
        numbers = self._parameters(parameters)
        numbers = numbers[..., None, :] if numbers.ndim > 1 else numbers
        columns = self.frame_twist(x, np.eye(model.layout.nv), frame, numbers)
        return np.swapaxes(columns, -1, -2)

    def twist(self, q: Any, v: Any) -> Array:
        """Platform twist (..., 6) of v; the two are the same for a platform with six freedoms."""
        model = cast("Model", self)
        _array("q", q, model.layout.nq)
        return _array("v", v, model.layout.nv).copy()

    def velocity(self, q: Any, twist: Any) -> tuple[Array, Array]:
        """(v (..., nv), inconsistent part (..., 6)) of a platform twist; all of it is consistent with six freedoms."""
        model = cast("Model", self)
        _array("q", q, model.layout.nq)
        v = _array("twist", twist, 6).copy()
        return v, np.zeros_like(v)

    def configuration_rate(self, q: Any, v: Any, parameters: Any = None) -> Array:
        """qdot (..., nq)."""
        return self._run("configuration_rate", {"q": q, "v": v}, parameters).outputs["qdot"]

    # -- dynamics -------------------------------------------------------------------------------------------------------

    def inverse_dynamics(
        self,
        q: Any,
        v: Any,
        acceleration: Any,
        wrench: Wrench = None,
        *,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> InverseDynamics:
        """Drive forces for a motion. wrench: what the surroundings do to the platform (..., 6) at its origin in world
        axes, or {frame: (..., 6)} at named frames."""
        inputs = {"q": q, "v": v, "acceleration": acceleration, "wrench": self._wrench(q, wrench, parameters)}
        e = self._run("inverse_dynamics", inputs, parameters)
        tau = e.outputs["tau"]
        result = InverseDynamics(tau, np.zeros((*e.batch, 0)), codes(e.names).reshape(e.batch))
        return _finish("inverse_dynamics", e, result, on_bad_state)

    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        wrench: Wrench = None,
        *,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> ForwardDynamics:
        """Platform acceleration for drive forces tau (..., drives)."""
        inputs = {"q": q, "v": v, "tau": tau, "wrench": self._wrench(q, wrench, parameters)}
        e = self._run("forward_dynamics", inputs, parameters)
        result = ForwardDynamics(e.outputs["vdot"], codes(e.names).reshape(e.batch))
        return _finish("forward_dynamics", e, result, on_bad_state)

    def mass_matrix(self, q: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """M (..., nv, nv)."""
        return self._array_of("mass_matrix", "M", {"q": q}, parameters, on_bad_state)

    def bias_force(self, q: Any, v: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """h (..., nv): velocity terms, gravity, friction, springs, dampers; left of S τ."""
        return self._array_of("bias_force", "h", {"q": q, "v": v}, parameters, on_bad_state)

    def gravity_force(self, q: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """The part of h at rest that gravity causes (..., nv)."""
        return self._array_of("gravity_force", "g", {"q": q}, parameters, on_bad_state)

    def drive_map(self, q: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """S (..., nv, drives): platform wrench per drive force; drive rates are Sᵀ v."""
        return self._array_of("drive_map", "S", {"q": q}, parameters, on_bad_state)

    def energies(self, q: Any, v: Any, *, parameters: Any = None) -> Energies:
        """Kinetic and potential energy, and the power losses take."""
        out = self._run("energies", {"q": q, "v": v}, parameters).outputs
        return Energies(out["kinetic"], out["potential"], out["losses"])

    def joint_reactions(
        self,
        q: Any,
        v: Any,
        acceleration: Any,
        wrench: Any = None,
        *,
        tau: Any = None,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> Reactions:
        """Wrenches in every joint for a motion; tau defaults to the inverse dynamics of that motion and wrench."""
        model = cast("Model", self)
        if isinstance(wrench, Mapping) and any(
            model.mechanism.frames[f].link != 0 for f in wrench if f in model.mechanism.frames
        ):
            raise UsageError("joint_reactions: give wrenches on the platform's frames only")
        if tau is None:
            solved = self.inverse_dynamics(q, v, acceleration, wrench, parameters=parameters, on_bad_state="mark")
            tau = solved.tau
        e = self._run("joint_reactions", {"q": q, "v": v, "acceleration": acceleration, "tau": tau}, parameters)
        result = Reactions(
            e.outputs["joints"],
            e.outputs["cuts"],
            tuple(model.mechanism.links[i].joint for i in joint_links(model.mechanism)),
            tuple(c.name for c in model.mechanism.cuts),
            codes(e.names).reshape(e.batch),
        )
        return _finish("joint_reactions", e, result, on_bad_state)

    def singularity(self, q: Any, *, parameters: Any = None, length: float | None = None):
        """How far q is from parallel and serial singularities (see `Singularity`)."""
        return singularity(cast("Model", self), q, self._parameters(parameters), length)

    idm = inverse_dynamics
    ddm = forward_dynamics
    igm = configuration
    dgm = forward_geometry

    # -- plumbing -------------------------------------------------------------------------------------------------------

    def _parameters(self, parameters: Any) -> Array:
        model = cast("Model", self)
        if parameters is None:
            return model.parameters
        if isinstance(parameters, Mapping):
            return model.parameters_with(parameters)
        return np.asarray(parameters, dtype=float)

    def _wrench(self, q: Any, wrench: Wrench, parameters: Any) -> Array:
        if wrench is None:
            return np.zeros(6)
        if isinstance(wrench, Mapping):
            total = np.zeros(6)
            for frame, value in wrench.items():
                J = self.frame_jacobian(q, frame, parameters)
                total = total + np.einsum("...ij,...i->...j", J, _array(f"wrench[{frame!r}]", value, 6))
            return total
        return _array("wrench", wrench, 6)

    def _run(self, name: str, inputs: dict[str, Any], parameters: Any) -> Evaluation:
        model = cast("Model", self)
        return model.function(name)(**inputs, parameters=self._parameters(parameters))

    def _array_of(self, name: str, output: str, inputs: dict[str, Any], parameters: Any, on_bad_state: str) -> Array:
        e = self._run(name, inputs, parameters)
        return _finish(name, e, e.outputs[output], on_bad_state)


def _finish(name: str, e: Evaluation, result: Any, on_bad_state: str) -> Any:
    check_option(on_bad_state)
    if on_bad_state == "raise" and not e.good:
        complain(name, e.names, e.batch, result)
    return result


def _array(name: str, value: Any, size: int) -> Array:
    x = np.asarray(value, dtype=float)
    if x.shape[-1:] != (size,):
        raise UsageError(f"{name} has shape {x.shape}; expected (..., {size})")
    return x


def _drive_array(model: "Model", drives: Any) -> Array:
    return _array("drives", drives, len(model.mechanism.drives))


def _rows(parameters: Array, batch: tuple[int, ...], n: int) -> Array:
    if int(np.prod(parameters.shape[:-1], dtype=int)) == 1:
        return parameters.reshape(1, -1)
    return np.broadcast_to(parameters, (*batch, parameters.shape[-1])).reshape(n, -1)


def _pose_from_coordinates(model: "Model", coordinates: Mapping[str, Any]) -> Array:
    allowed = ("x", "y", "z", "yaw", "pitch", "roll")
    unknown = [k for k in coordinates if k not in allowed]
    if unknown:
        raise UsageError(f"coordinates: unknown {unknown}; use {', '.join(allowed)} (metres and rad, R = Rz Ry Rx)")
    values = {k: np.asarray(coordinates.get(k, 0.0), dtype=float) for k in allowed}
    batch = np.broadcast_shapes(*[v.shape for v in values.values()])
    full = {k: np.broadcast_to(v, batch) for k, v in values.items()}
    position = np.stack(
        [full[k] if k in coordinates else np.broadcast_to(model.home[i], batch) for i, k in enumerate("xyz")], axis=-1
    )
    if not any(k in coordinates for k in ("yaw", "pitch", "roll")):
        return np.concatenate([position, np.broadcast_to(model.home[3:7], (*batch, 4))], axis=-1)
    half = [0.5 * full[k] for k in ("yaw", "pitch", "roll")]
    cy, cp, cr = (np.cos(h) for h in half)
    sy, sp, sr = (np.sin(h) for h in half)
    quaternion = [
        cy * cp * cr + sy * sp * sr,
        cy * cp * sr - sy * sp * cr,
        cy * sp * cr + sy * cp * sr,
        sy * cp * cr - cy * sp * sr,
    ]
    return np.concatenate([position, np.stack(quaternion, axis=-1)], axis=-1)
