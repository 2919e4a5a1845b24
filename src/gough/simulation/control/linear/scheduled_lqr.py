"""Regulators over the workspace: gains designed at the poses of a grid, or along a motion, smooth between them.

τ = τ_w(q) - K(p) (z - z_ref),  K(p) = (K_LQR + [∂τ_w/∂x 0]) in terms of z                                               (1)
τ_w: forces that hold the weight, exact at the measured pose. Their slope is taken out of the feedback, so that at a pose of the
grid the loop is that of the regulator designed there. z = (drives, elastic and idle coordinates) and rates; p: coordinates of the
grid.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.analysis.grids import Axis, MapSamples, arguments, make_samples
from gough.analysis.linear_forces import RestForces
from gough.errors import RunWarning, Status, UsageError, warn
from gough.scalar import product
from gough.simulation.control.gravity_compensation import demand_drives, holding_forces
from gough.simulation.control.law import Here, Law
from gough.simulation.control.linear._schedule import SplineTable
from gough.simulation.control.linear.design import DesignPoint, design_point, model_and_numbers
from gough.simulation.control.linear.lqr import cost_gain, demand_costs, places_of_others
from gough.simulation.control.own_robot import demand_own_model
from gough.simulation.control.reference import drives_of
from gough.simulation.control.sensed import Sensed
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.report import spans
from gough.simulation.motion.states import states_along

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
MOST = 20_000
"""Numbers of a table."""
SLOWER = 0.5
"""Decay between the poses, over that at the poses around, that is much slower."""
SAMPLES = 401
EXACT = 1e-6
QUATERNION = ("qw", "qx", "qy", "qz")


@dataclass(frozen=True, eq=False)
class TunedSchedule:
    """For one robot and clock. names, places: of the coordinates p and where they stand in q. checks: what was found between the
    poses; doubts: what is wrong there, in words."""

    table: SplineTable
    names: tuple[str, ...]
    places: tuple[int, ...]
    checks: dict[str, float]
    doubts: str


@dataclass(frozen=True)
class ScheduledLQR(Law):
    """Linear-quadratic regulators designed at the poses of a grid, gains smooth between them; for motions over the workspace.

    error, force, state_cost, force_cost: as for `LQR`. ranges: {coordinate: (low, high, points)} of the grid, fixed:
    {coordinate: value}, as in `gough.workspace`; the coordinates are entries of q: x y z of a platform, joints, drives. Or
    along: a motion, by: the coordinate that rises or falls along it, points: poses at equal distances of it. Outside of the
    grid the gains of its border are taken, which a run tells. Forces that hold the weight are those of the measured pose. In
    the middle between the poses the loop is looked at, and a warning tells where it is unstable or much slower. model,
    nominal, limit: see `Law`.
    """

    error: float | Sequence[float] | np.ndarray | None = None
    force: float | Sequence[float] | np.ndarray | None = None
    ranges: Any = field(default=None, kw_only=True)
    fixed: Any = field(default=(), kw_only=True)
    along: Motion | None = field(default=None, kw_only=True)
    by: str | None = field(default=None, kw_only=True)
    points: int = field(default=9, kw_only=True)
    state_cost: Any = field(default=None, kw_only=True)
    force_cost: Any = field(default=None, kw_only=True)
    model: "Model | None" = field(default=None, kw_only=True)
    name = "scheduled LQR"
    kinds = ("drives", "pose", "joints", "point")
    dimensions: ClassVar = {"error": ("length", "angle"), "force": ("force", "torque")}
    gain: ClassVar[None] = None
    at: ClassVar[None] = None
    tuned: ClassVar[TunedSchedule | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        demand_costs(self)
        demand_own_model(self.model)
        if (self.ranges is None) == (self.along is None):
            raise UsageError(f"{self.name}: give ranges= (a grid of coordinates), or along= (a motion) and by=")
        if self.along is not None and not (isinstance(self.along, Motion) and isinstance(self.by, str)):
            raise UsageError(
                f"{self.name}: along= takes a motion, with by= the name of a coordinate that rises along it"
            )
        if not isinstance(self.points, int | float) or self.points != int(self.points) or not 2 <= self.points <= 200:
            raise UsageError(f"{self.name}: points={self.points!r}; give a whole number from 2 to 200")
        object.__setattr__(self, "points", int(self.points))
        for key in ("ranges", "fixed"):
            object.__setattr__(self, key, _pairs(self.name, key, getattr(self, key)))

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.nominal, self.model

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        return None if self.tuned is None else (self.tuned.places, tuple(axis.points for axis in self.tuned.table.axes))

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`; doubts about what lies between the poses are told."""
        super().check(model, motion)
        demand_drives(model, self.name)
        if self.tuned is not None and self.tuned.doubts:
            warn(f"{self.name}: {model.robot.name}: {self.tuned.doubts}", RunWarning)

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """See `Law`: gains of all poses, and what is between them."""
        own, numbers = model_and_numbers(model, *reversed(self.knows()))
        samples, poses, middles = _grid(self, own, numbers)
        places = _places(self.name, own, samples.names)
        found = [_designed(self, own, numbers, q, period) for q in poses]
        table = SplineTable.of(samples.axes, np.array([x.numbers for x in found]))
        checks, doubts = _between(self, own, numbers, middles, places, table, period, min(x.decay for x in found))
        made = replace(self, ranges=self.ranges, fixed=self.fixed)
        object.__setattr__(made, "tuned", TunedSchedule(table, samples.names, places, checks, doubts))
        return made

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return drives_of(model, motion, parameters)

    def measured_in(self, model: "Model") -> dict[str, tuple[str, ...]]:
        """See `Law`."""
        moved = tuple("rad" if unit == "N m" else "m" for unit in model.layout.drive_units)
        return super().measured_in(model) | {"error": moved, "force": model.layout.drive_units}

    def own_settings(self, model: "Model") -> Vector:
        """The table: rest of what is no drive, and K of equation (1)."""
        if self.tuned is None:
            return self.tune(model).own_settings(model)
        return self.tuned.table.settings

    def forces(self, here: Here) -> Vector:
        """tau (drives,): equation (1)."""
        assert self.tuned is not None
        layout, seen = here.model.layout, here.measured
        n, m = len(layout.drive_names), layout.nv - layout.mobility
        if m and isinstance(seen, Sensed):
            raise UsageError(
                f"{self.name}: encoders do not show {', '.join(layout.v_names[layout.mobility :][:3])} of {here.model.robot.name}"
            )
        drives = {int(place): k for k, place in enumerate(here.model.drive_index)}
        p = [seen.drives[drives[place]] if place in drives else here.q[place] for place in self.tuned.places]
        found = self.tuned.table.look(here.settings, p)
        rest, K = found[:m], found[m:].reshape(n, -1)
        others = places_of_others(here.model)
        away = [seen.drives - here.now.position, np.array([here.q[place] for place, _ in others], dtype=object) - rest]
        away += [seen.drive_rates - here.now.velocity, np.array([here.v[k] for _, k in others], dtype=object)]
        return holding_forces(here) - product(K, np.concatenate(away))

    def tell_run(self, model: "Model", t: Vector, q: Vector) -> Iterator[tuple[float, str]]:
        """See `Law`: stretches outside of the grid."""
        for axis, place in zip(self.tuned.table.axes, self.tuned.places, strict=True) if self.tuned else ():
            slack = 1e-9 * (axis.high - axis.low)
            for first, last in spans(t, (q[:, place] < axis.low - slack) | (q[:, place] > axis.high + slack)):
                ends = f"{axis.low:g} to {axis.high:g} {axis.unit}"
                yield (
                    first,
                    f"{axis.name} is outside of {ends} until {last:.6g} s: {self.name} takes the gains of the border",
                )

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it: decay rates between the poses, too."""
        keys = ("error", "force", "state_cost", "force_cost", "ranges", "fixed", "by")
        told = {key: getattr(self, key) for key in keys if getattr(self, key) not in (None, ())}
        if self.tuned is not None:
            told["between"] = self.tuned.checks
        return super().describe() | told | ({} if self.model is None else {"model": self.model.robot.name})


def _pairs(name: str, key: str, given: Any) -> Any:
    """A mapping as a tuple of (name, numbers), which can be compared."""
    if given is None:
        return None
    if isinstance(given, tuple) and all(isinstance(x, tuple) and len(x) == 2 and isinstance(x[0], str) for x in given):
        return given
    if not isinstance(given, Mapping) or not all(isinstance(x, str) for x in given):
        raise UsageError(f"{name}: {key}={given!r}; give a mapping, for instance {{'x': (-0.1, 0.1, 5)}}")
    return tuple((x, tuple(y) if isinstance(y, list | tuple | np.ndarray) else y) for x, y in given.items())


def _places(name: str, model: "Model", names: Sequence[str]) -> tuple[int, ...]:
    """Where coordinates stand in q."""
    known = model.layout.q_names
    bad = [x for x in names if x not in known or x in QUATERNION]
    if bad:
        raise UsageError(
            f"{name}: {', '.join(bad)} of {model.robot.name} cannot be measured as it stands; schedule over entries of q: "
            f"{', '.join(x for x in known[:12] if x not in QUATERNION)}"
        )
    return tuple(known.index(x) for x in names)


def _grid(law: ScheduledLQR, model: "Model", numbers: Vector) -> tuple[MapSamples, Vector, Vector]:
    """(the grid, configurations (n, nq) of its points, those (m, nq) in the middles of its cells)."""
    if law.along is not None:
        return _grid_along(law, model, numbers)
    samples = make_samples(model, dict(law.ranges), dict(law.fixed), None, 0)
    drives, others = len(model.layout.drive_names), model.layout.nv - model.mobility
    size = math.prod(axis.points + 2 for axis in samples.axes) * (others + 2 * drives * (drives + others))
    if size > MOST:
        raise UsageError(f"{law.name}: a table of {size} numbers; at most {MOST}: give fewer points or coordinates")
    values = np.meshgrid(*(0.5 * (axis.values[1:] + axis.values[:-1]) for axis in samples.axes), indexing="ij")
    both = []
    for points in (samples.coordinates(), np.stack([x.ravel() for x in values], axis=-1)):
        named = dict(zip(samples.names, points.T, strict=True)) | {k: np.asarray(x) for k, x in samples.fixed.items()}
        made = model.assemble(**arguments(model, named), parameters=numbers, on_bad_state="mark")
        bad = np.flatnonzero(np.asarray(made.status) != Status.OK)
        if len(bad):
            where = ", ".join(f"{x} = {y:.4g}" for x, y in zip(samples.names, points[bad[0]], strict=True))
            raise UsageError(
                f"{law.name}: {model.robot.name} does not reach {where} ({Status(int(made.status[bad[0]])).name.lower()}; "
                f"{len(bad)} of {len(points)} poses); give narrower ranges"
            )
        both.append(made.q)
    return samples, both[0], both[1]


def _grid_along(law: ScheduledLQR, model: "Model", numbers: Vector) -> tuple[MapSamples, Vector, Vector]:
    """The same along a motion, by a coordinate that rises or falls."""
    motion, by = law.along, str(law.by)
    assert motion is not None
    (place,) = _places(law.name, model, (by,))
    t = np.linspace(0.0, motion.duration, SAMPLES)
    states = states_along(model, motion, t, parameters=numbers)
    if (states.status != Status.OK).any():
        raise UsageError(f"{law.name}: {model.robot.name} cannot follow the motion of along=; see gough.check_motion")
    x = states.q[:, place]
    x, t = (x, t) if x[-1] > x[0] else (-x, t)
    span = x[-1] - x[0]
    if not span > 0 or (np.diff(x) < -EXACT * span).any():
        raise UsageError(f"{law.name}: {by} neither rises nor falls all along the motion; give another by=, or ranges=")
    kept = np.concatenate([[True], np.diff(np.maximum.accumulate(x)) > 0])
    even = np.linspace(x[0], x[-1], 2 * law.points - 1)
    found = states_along(model, motion, np.interp(even, x[kept], t[kept]), parameters=numbers).q
    low, high = sorted((float(states.q[0, place]), float(states.q[-1, place])))
    if states.q[-1, place] < states.q[0, place]:
        found = found[::-1]
    axis = Axis(by, model.layout.q_units[place], low, high, law.points)
    return MapSamples((axis,), law.points, {}), found[::2], found[1::2]


@dataclass(frozen=True, eq=False)
class Designed:
    """At a pose: the numbers of the table there, and how fast the slowest of the closed loop dies out (1/s)."""

    numbers: Vector
    decay: float


def _weight_slope(model: "Model", numbers: Vector, point: DesignPoint) -> Vector:
    """∂τ_w/∂x (drives, 2nv)."""
    linear, n = point.linear, model.mobility
    forces = RestForces(model, numbers)
    S, K = forces.drive_map(linear.q[None])[0], forces.stiffness(linear.q[None], linear.tau[None])[0]
    return np.concatenate([np.linalg.pinv(S[:n]) @ K[:n], np.zeros((S.shape[1], len(K)))], axis=1)


def _decay(point: DesignPoint, feedback: Vector, period: float | None) -> float:
    """1/s, of δτ = feedback x."""
    if period is None:
        return -float(np.linalg.eigvals(point.linear.A + point.linear.B @ feedback).real.max())
    held = point.linear.discrete(period)
    return -float(np.log(np.abs(np.linalg.eigvals(held.A + held.B @ feedback)).max())) / period


def _designed(law: ScheduledLQR, model: "Model", numbers: Vector, q: Vector, period: float | None) -> Designed:
    """The regulator of a pose."""
    point = design_point(law.name, model, numbers, q)
    K = cost_gain(law, model, point, period)
    whole = (K + _weight_slope(model, numbers, point)) @ point.of_measured
    return Designed(np.concatenate([point.rest, whole.ravel()]), _decay(point, -K, period))


def _between(
    law: ScheduledLQR,
    model: "Model",
    numbers: Vector,
    poses: Vector,
    places: Sequence[int],
    table: SplineTable,
    period: float | None,
    least: float,
) -> tuple[dict[str, float], str]:
    """(what was found at poses (m, nq) between those of the grid, what is wrong in words). least: decay at the grid, 1/s."""
    decays = []
    for q in poses:
        point = design_point(law.name, model, numbers, q)
        nv, S = model.layout.nv, point.linear.C[:, : model.layout.nv]
        seen = np.zeros((len(S) + len(point.others), nv))
        seen[: len(S)] = S
        for k, (_, entry) in enumerate(point.others):
            seen[len(S) + k, entry] = 1.0
        K = table.value(q[list(places)])[len(point.others) :].reshape(len(S), -1) @ np.kron(np.eye(2), seen)
        decays.append(_decay(point, _weight_slope(model, numbers, point) - K, period))
    found = np.array(decays)
    checks = {"poses": len(found), "slowest_decay": float(found.min()), "slowest_decay_at_poses": least}
    unstable, slow = int((found <= 0).sum()), int((found <= SLOWER * least).sum())
    if not slow:
        return checks, ""
    where = ", ".join(f"{model.layout.q_names[k]} = {poses[int(found.argmin())][k]:.4g}" for k in places)
    what = f"unstable at {unstable}" if unstable else f"much slower at {slow}"
    return checks, (
        f"between the poses of the grid the loop is {what} of {len(found)} (at {where} it {'grows' if unstable else 'dies out'} "
        f"with {abs(found.min()):.3g} 1/s, {least:.3g} 1/s at the poses); give more points"
    )
