"""Model calls that make and move configurations."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.arguments import checked, design, mapping, number, numbers, word
from gough.compilation.arrays import Array, BroadcastRows, as_array, as_rows, common_batch
from gough.compilation.designs import ParameterRows, design_rows, parameters_of
from gough.compilation.status import are_good, check_option, codes, complain, places, rename
from gough.dynamics.legs.geometry import Branch
from gough.errors import GOOD, BadStateError, Status, UsageError
from gough.kinematics.closed_form_legs import check_branch
from gough.kinematics.closing import largest_error
from gough.kinematics.leading import COORDINATES, coordinates_led, drives_led, step_led
from gough.kinematics.singularity import Singularity, singularity
from gough.model._one_pose import pose_first, projection_first, step_first
from gough.model.calls import Calls
from gough.model.coordinates import coordinate_targets, pose_at_coordinates
from gough.model.limits import limit_margins
from gough.model.results import Configurations, LimitMargins
from gough.spatial.poses import integrate_pose, pose_array

quiet = np.errstate(invalid="ignore", over="ignore", divide="ignore")
"""Of calls that name bad states: NumPy need not speak of their infinite numbers."""
AT_ONCE = 1 << 14
"""Poses whose joints, in closed form, are found together: what is computed on the way stays small."""


class ConfigurationCalls(Calls):
    """Arrays broadcast on leading axes; SI units; `parameters` defaults to the design's."""

    @quiet
    @pose_first
    @checked(on_bad_state=word)
    def configuration(self, pose: Any = None, *, on_bad_state: str = "raise", **options: Any) -> Array:
        """Configuration q (..., nq) of the closed robot; options as in `assemble`, which also tells the status."""
        return self._assemble_for("configuration", pose, on_bad_state=on_bad_state, **options)

    def _assemble_for(self, call: str, pose: Any = None, **options: Any) -> Array:
        """q of `assemble`, whose bad states are those of `call`."""
        try:
            return self.assemble(pose, **options).q
        except BadStateError as error:
            raise rename(error, call, error.result.q) from None

    def _lead_platform(self, call: str, pose: Array, q: Array, v: Array | None, **options: Any) -> Array:
        """`_assemble_for` a pose that q (..., nq) and v (..., nv) lead to: where that is none, it is they that have no number."""
        given = {"q": q} if v is None else {"q": q, "v": v}
        if all(np.isfinite(x).all() for x in given.values()):
            return self._assemble_for(call, pose, near=q, **options)
        marked: dict[str, Any] = {**options, "on_bad_state": "mark"}
        found = self.assemble(pose, near=q, **marked)
        check_option(options["on_bad_state"])
        failures, batch = found.failures, found.status.shape
        for name in reversed(given):
            unknown = np.broadcast_to(~np.isfinite(given[name]).all(axis=-1), batch).reshape(-1)
            failures[unknown] = Status.NOT_FINITE.at(f"input {name}")
        if options["on_bad_state"] == "raise":
            complain(call, failures, batch, found.q)
        return found.q

    @checked(
        drives=numbers,
        coordinates=mapping(numbers),
        elastic=numbers,
        near=numbers,
        parameters=design,
        on_bad_state=word,
    )
    def assemble(
        self,
        pose: Any = None,
        *,
        drives: Any = None,
        coordinates: Mapping[str, Any] | None = None,
        elastic: Any = None,
        near: Any = None,
        branch: Any = None,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> Configurations:
        """Closed configurations with their status.

        pose: (..., 7) x y z qw qx qy qz, or (position, rotation). drives: drive coordinates (..., drives), solved from
        `near` (default home). coordinates: {name: value} with x y z yaw pitch roll of the platform or joint coordinates;
        what `staying_coordinates` says stays as at home. elastic: elastic coordinates (..., n), default those of `near`,
        else 0. near: q whose assembly is kept.
        branch: (length or elbow, rotation) of 0 or 1, for all legs or per leg. Default assembly: that of home.
        """
        model = self._model
        check_option(on_bad_state)
        if sum(x is not None for x in (pose, drives, coordinates)) != 1:
            raise UsageError("configuration: give exactly one of pose=, drives= or coordinates=")
        if branch is not None and (near is not None or drives is not None):
            raise UsageError("configuration: branch= goes with pose= or coordinates=, and not with near=")
        numbers = as_array("parameters", self._design(parameters), len(model.parameters))
        names: list[str] = []
        if pose is not None and not model.mechanism.has_platform:
            raise UsageError(f"{model.robot.name} has no platform: give drives= or coordinates=")
        if coordinates is not None and branch is not None and not set(coordinates) <= set(COORDINATES):
            raise UsageError("configuration: branch= goes with the platform's coordinates (x y z yaw pitch roll) only")
        by_pose = model.geometry.legs_reach or branch is not None  # the rest of the pose is that of home
        if coordinates is not None and by_pose and set(coordinates) <= set(COORDINATES):
            pose, coordinates = pose_at_coordinates(model, coordinates), None
        if coordinates is not None:
            names, given = coordinate_targets(model, coordinates)
        else:
            given = pose_array(pose) if drives is None else as_array("drives", drives, len(model.mechanism.drives))
        close = None if near is None else as_array("near", near, model.layout.nq)
        bent = None if elastic is None else self._elastic(elastic)
        others = [x for x in (close, bent) if x is not None]
        batch = common_batch("configuration", given, *others, parameters=numbers)
        if pose is not None:
            q, failed = self._from_poses(
                given, numbers, close, check_branch(branch, len(model.mechanism.legs)), bent, batch
            )
        else:
            rows, parameter = as_rows(given, batch), design_rows(numbers, batch)
            near_rows = None if close is None else as_rows(close, batch)
            if bent is not None:
                near_rows = np.repeat(model.home[None], len(rows), axis=0) if near_rows is None else near_rows.copy()
                near_rows[:, model.layout.elastic] = as_rows(bent, batch)
            if drives is not None:
                q, failed = drives_led(model, rows, parameter, near_rows)
            else:
                q, failed = coordinates_led(model, names, rows, parameter, near_rows)
            if near_rows is not None:
                failed[~np.isfinite(near_rows).all(axis=1) & ~are_good(failed)] = Status.NOT_FINITE.at("input near")
            asked = "coordinates" if drives is None else "drives"
            failed[~np.isfinite(rows).all(axis=1) & ~are_good(failed)] = Status.NOT_FINITE.at(f"input {asked}")
        status = codes(failed)
        where = places(failed, status).reshape(batch)
        result = Configurations(q.reshape(*batch, model.layout.nq), status.reshape(batch), where)
        if on_bad_state == "raise" and result.status.any():
            complain("assemble", failed, batch, result)
        return result

    def _elastic(self, elastic: Any) -> Array:
        layout = self._model.layout
        if not layout.n_elastic:
            raise UsageError(f"elastic=: {self._model.robot.name} has no flexible bodies")
        return as_array("elastic", elastic, layout.n_elastic)

    def _from_poses(
        self,
        poses: Array,
        numbers: Array,
        near: Array | None,
        branch: list[Branch] | None,
        elastic: Array | None,
        batch: tuple[int, ...],
    ) -> tuple[Array, Array]:
        """(q (n, nq), failures (n,)) of arrays that broadcast to `batch`, of n states."""
        model, n = self._model, math.prod(batch)
        given = [None if x is None else BroadcastRows(x, x.shape[-1:], batch) for x in (poses, near, elastic)]
        parameters = design_rows(numbers, batch)
        q, failures = np.empty((n, model.layout.nq)), np.full(n, GOOD, dtype=object)
        step = AT_ONCE if model.geometry.in_closed_form else max(n, 1)
        for begin in range(0, n, step):
            part = slice(begin, min(begin + step, n))
            rows, start, bent = (None if x is None else _spread(x.chunk(part.start, part.stop), part) for x in given)
            assert rows is not None
            q[part], failures[part] = self._at_poses(rows, parameters_of(parameters, part), start, branch, bent)
        return q, failures

    def _at_poses(
        self,
        rows: Array,
        parameters: ParameterRows,
        near: Array | None,
        branch: list[Branch] | None,
        elastic: Array | None,
    ) -> tuple[Array, Array]:
        model = self._model
        finite = np.asarray(np.isfinite(rows).all(axis=1))
        good = finite & ~(np.abs(np.linalg.norm(rows[:, 3:], axis=1) - 1.0) > 1e-6)
        if good.all():
            return model.geometry.from_pose(rows, parameters, near, branch, elastic)
        failures = np.full(len(rows), Status.BAD_QUATERNION.at("platform"), dtype=object)
        failures[~finite] = Status.NOT_FINITE.at("input pose")
        q = np.full((len(rows), model.layout.nq), np.nan)
        q[:, :7] = rows
        start, bent = (None if x is None else x[good] for x in (near, elastic))
        q[good], failures[good] = model.geometry.from_pose(
            rows[good], parameters_of(parameters, good), start, branch, bent
        )
        return q, failures

    @checked(drives=numbers, near=numbers)
    def forward_geometry(self, drives: Any, near: Any = None, **options: Any) -> Array:
        """q (..., nq) for drive coordinates, by Newton from `near` (default home)."""
        return self._assemble_for("forward_geometry", drives=drives, near=near, **options)

    @checked(q=numbers)
    def drives(self, q: Any) -> Array:
        """Drive coordinates (..., drives) of q (m or rad)."""
        return as_array("q", q, self._model.layout.nq)[..., self._model.drive_index]

    @checked(q=numbers, parameters=design)
    def closure_error(self, q: Any, parameters: Any = None) -> Array:
        """Largest closure error (...): lengths relative to the robot's size, directions as differences of unit vectors.

        An axis that is reversed counts 2, though it fulfils the closures. Where the description allows a closure_tolerance:
        what goes beyond it.
        """
        return largest_error(self._model, self._run("closure_residual", {"q": q}, parameters).outputs)

    @quiet
    @step_first
    @checked(q=numbers, v=numbers, dt=numbers, parameters=design, on_bad_state=word)
    def integrate(self, q: Any, v: Any, dt: Any = 1.0, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """q moved by v·dt along the group (rotations by the exponential), the rest follows in its assembly.

        Of a rotation in space of which v has one or two rates only, these components of the rotation vector are v·dt.
        """
        model = self._model
        layout = model.layout
        start = as_array("q", q, layout.nq)
        step = as_array("v", v, layout.nv) * np.asarray(dt, dtype=float)[..., None]
        batch = common_batch("integrate", start, step)
        if model.geometry.by_legs:
            moved = np.broadcast_to(step, (*batch, layout.nv))
            pose = integrate_pose(np.broadcast_to(start[..., :7], (*batch, 7)), moved[..., :6])
            near = np.broadcast_to(start, (*batch, layout.nq))
            bent = {"elastic": near[..., layout.elastic] + moved[..., 6:]} if layout.n_elastic else {}
            options = {"parameters": parameters, "on_bad_state": on_bad_state, **bent}
            return self._lead_platform("integrate", pose, near, moved, **options)
        numbers = as_array("parameters", self._design(parameters), len(model.parameters))
        batch = common_batch("integrate", start, step, parameters=numbers)
        numbers = design_rows(numbers, batch)
        rows, steps = as_rows(start, batch), as_rows(step, batch)
        found, failures = step_led(model, rows, steps, numbers)
        unknown = ~np.isfinite(steps).all(axis=1) & np.isfinite(rows).all(axis=1)
        failures[unknown & (failures != GOOD)] = Status.NOT_FINITE.at("input v")
        return self._finished("integrate", found, failures, batch, on_bad_state)

    @quiet
    @projection_first
    @checked(q=numbers, parameters=design, on_bad_state=word)
    def project(self, q: Any, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """The closed configuration next to q: quaternions normalised, independent coordinates kept, the rest closed."""
        model = self._model
        x = as_array("q", q, model.layout.nq)
        if model.geometry.by_legs:
            norm = np.linalg.norm(x[..., 3:7], axis=-1, keepdims=True)
            pose = np.concatenate([x[..., :3], x[..., 3:7] / np.where(norm > 0, norm, np.nan)], axis=-1)
            return self._lead_platform("project", pose, x, None, parameters=parameters, on_bad_state=on_bad_state)
        numbers = as_array("parameters", self._design(parameters), len(model.parameters))
        batch = common_batch("project", x, parameters=numbers)
        numbers, rows = design_rows(numbers, batch), as_rows(x, batch)
        found, failures = step_led(model, rows, np.zeros((len(rows), model.layout.nv)), numbers)
        return self._finished("project", found, failures, batch, on_bad_state)

    def _finished(self, where: str, q: Array, failures: Array, batch: tuple[int, ...], on_bad_state: str) -> Array:
        check_option(on_bad_state)
        out = q.reshape(*batch, self._model.layout.nq)
        if on_bad_state == "raise" and (failures != GOOD).any():
            complain(where, failures, batch, out)
        return out

    @checked(q=numbers, parameters=design, length=number(above=0))
    def singularity(self, q: Any, *, parameters: Any = None, length: float | None = None) -> Singularity:
        """How far q is from parallel and serial singularities (see `Singularity`)."""
        return singularity(self._model, q, self._design(parameters), length)

    @checked(q=numbers, v=numbers, tau=numbers, parameters=design)
    def limit_margins(self, q: Any, v: Any = None, tau: Any = None, *, parameters: Any = None) -> LimitMargins:
        """Margins to the description's limits: coordinates, strokes and cones at q; speeds with v; forces with tau."""
        return limit_margins(self._model, q, v, tau, self._design(parameters))

    igm = configuration
    dgm = forward_geometry


def _spread(rows: Array, part: slice) -> Array:
    """Rows of a part of the states, one for each."""
    return np.broadcast_to(rows, (part.stop - part.start, rows.shape[1]))
