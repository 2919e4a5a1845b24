"""A slice of the workspace: one quantity over two coordinates, the others as they are shown.

What can be assembled comes from `gough.workspace`, in home's assembly; forces, frequencies and stiffness from static
equilibria, chunk by chunk, so that a page can show how far it is and stop it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.analysis.vibration_map import softest, stiffest, vibrations_at
from gough.analysis.workspace.states import Verdict
from gough.analysis.workspace.survey import workspace
from gough.errors import Status, UsageError
from gough.viewer.posing.axes import PosingAxes
from gough.viewer.posing.load import Hold, Load

CHUNK = 512
"""States between two looks at the stop button."""
SINGULAR = 0.01
"""Reciprocal condition below which a point is marked as singular."""
POINTS = (5, 201)
"""Fewest and most points an axis."""


@dataclass(frozen=True)
class MappedQuantity:
    """What a map shows: a title, its unit, and a sentence that defines it. equilibrium: it needs one."""

    title: str
    unit: str
    meaning: str
    equilibrium: bool = True


QUANTITIES = {
    "condition": MappedQuantity(
        "Condition",
        "1",
        "reciprocal condition number, the lower of the drives' (parallel) and the legs' (serial); 0: singular",
        False,
    ),
    "frequency": MappedQuantity("First frequency", "Hz", "lowest natural frequency about static equilibrium"),
    "softest": MappedQuantity(
        "Softest stiffness", "N/m", "force per displacement of the frame in its softest direction"
    ),
    "stiffest": MappedQuantity(
        "Stiffest stiffness", "N/m", "force per displacement of the frame in its stiffest direction"
    ),
    "force": MappedQuantity(
        "Largest drive force", "N", "largest drive force that holds the robot at rest under the load"
    ),
}


@dataclass(frozen=True)
class SlicePlan:
    """What to map: quantity: a key of QUANTITIES. names: two coordinates of the axes; low, high: their ranges (m, rad);
    points: an axis. q (nq,): where the other coordinates are held."""

    axes: PosingAxes
    quantity: str
    names: tuple[str, str]
    low: tuple[float, float]
    high: tuple[float, float]
    points: tuple[int, int]
    q: np.ndarray
    load: Load
    hold: Hold

    def __post_init__(self) -> None:
        if self.quantity not in QUANTITIES:
            raise UsageError(f"no map of {self.quantity!r}; there are {', '.join(QUANTITIES)}")
        if self.names[0] == self.names[1] or any(n not in self.axes.names for n in self.names):
            raise UsageError(f"a map needs two different coordinates of {', '.join(self.axes.names)}")
        for n in self.points:
            if not POINTS[0] <= n <= POINTS[1]:
                raise UsageError(f"{n} points; give {POINTS[0]} to {POINTS[1]} an axis")
        if QUANTITIES[self.quantity].equilibrium and not self.axes.model.driven:
            raise UsageError("too few drives to hold a pose: only its condition can be mapped")
        if self.quantity in ("softest", "stiffest") and not self.load.frame:
            raise UsageError("stiffness is of a frame, and this robot has none")
        rigid = not self.axes.model.layout.v_elastic
        if self.quantity in ("frequency", "softest", "stiffest") and rigid and self.hold.kind == "locked":
            raise UsageError("a rigid robot with locked drives neither swings nor gives: choose servo drives")

    @property
    def unit(self) -> str:
        """Of the quantity: drive forces have the drives' unit."""
        if self.quantity != "force":
            return QUANTITIES[self.quantity].unit
        units = self.axes.model.layout.drive_units
        return "N" if "N" in units else "N m"


@dataclass(frozen=True)
class Slice:
    """values (n, m): of the quantity at xs (n,), ys (m,), NaN where there is none; reachable, singular (n, m); q (n, m, nq):
    configurations, NaN where not reachable; places (n, m, 3): of the load's frame in the world (m)."""

    plan: SlicePlan
    xs: np.ndarray
    ys: np.ndarray
    values: np.ndarray
    reachable: np.ndarray
    singular: np.ndarray
    q: np.ndarray
    places: np.ndarray

    @property
    def marked(self) -> np.ndarray:
        """Points (n, m) near a singularity, or without a stable equilibrium."""
        with np.errstate(invalid="ignore"):
            return self.singular | (self.values < 0)

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value at points that are not marked; (nan, nan) without any."""
        found = self.values[self.reachable & ~self.marked & np.isfinite(self.values)]
        found = found if found.size else self.values[np.isfinite(self.values)]
        return (float(found.min()), float(found.max())) if found.size else (float("nan"), float("nan"))


def survey(plan: SlicePlan) -> Iterator[float | Slice]:
    """Computes the slice; yields shares done (0 … 1) on the way, and the slice last."""
    model, axes = plan.axes.model, plan.axes
    now = dict(zip(axes.names, axes.values(plan.q), strict=True))
    ranges = {n: (a, b, k) for n, a, b, k in zip(plan.names, plan.low, plan.high, plan.points, strict=True)}
    fixed = {n: float(x) for n, x in now.items() if n not in plan.names}
    yield 0.0
    found = workspace(model, ranges, fixed=fixed, condition=SINGULAR, keep_q=True, progress=False)
    assert found.q is not None
    q = np.where(found.reachable[:, None], found.q, np.nan)
    values = np.where(found.reachable, found.worst if model.driven else found.serial, np.nan)
    if QUANTITIES[plan.quantity].equilibrium:
        good = np.flatnonzero(found.reachable)
        values = np.full(len(q), np.nan)
        for a in range(0, len(good), CHUNK):
            yield 0.1 + 0.9 * a / len(good)
            here = good[a : a + CHUNK]
            values[here], q[here] = _at_rest(plan, q[here])
    shape = plan.points
    singular = found.grid(found.verdict == Verdict.SINGULAR)
    places = frame_places(plan, q).reshape(*shape, 3)
    xs, ys = (axis.values for axis in found.samples.axes)
    whole = q.reshape(*shape, -1)
    yield Slice(plan, xs, ys, found.grid(values), found.grid(found.reachable), singular, whole, places)


def _at_rest(plan: SlicePlan, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the quantity (n,), q (n, nq) at equilibrium); NaN without one, where q stays as it is."""
    model, wrench = plan.axes.model, plan.load.wrench
    rest = static_equilibrium(model, q=q, wrench=wrench, on_bad_state="mark")
    good = rest.status == Status.OK
    out = np.full(len(q), np.nan)
    if not good.any():
        return out, q
    if plan.quantity == "force":
        units = np.array(model.layout.drive_units)
        out[good] = np.abs(_forces(plan, rest.q[good], rest.tau[good])[:, units == plan.unit]).max(axis=1)
    else:
        out[good] = _vibration(plan, rest.q[good], rest.tau[good])
    return out, np.where(good[:, None], rest.q, q)


def _forces(plan: SlicePlan, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Drive forces (n, drives); redundant drives of rigid robots share as the description says."""
    model, load = plan.axes.model, plan.load
    if model.layout.n_elastic and not load.moving:
        return tau
    acceleration = np.array(load.acceleration if load.moving else np.zeros(model.mobility), dtype=float)
    rest = np.zeros(model.layout.nv)
    return model.inverse_dynamics(q, rest, acceleration, load.wrench, on_bad_state="mark").tau


def _vibration(plan: SlicePlan, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
    frame = plan.load.frame if plan.quantity != "frequency" else ""
    try:
        found, give = vibrations_at(plan.axes.model, q, tau, 1, plan.hold.undamped, frame, plan.load.wrench)
    except np.linalg.LinAlgError:
        return np.full(len(q), np.nan)
    if plan.quantity == "frequency":
        return found[:, 0]
    stiffness = softest(give) if plan.quantity == "softest" else stiffest(give)
    return np.where(np.isfinite(stiffness), stiffness, np.nan)


def frame_places(plan: SlicePlan, q: np.ndarray) -> np.ndarray:
    """Positions (n, 3) in the world that the slice is drawn at: of the platform's origin, else of the load's frame."""
    model = plan.axes.model
    if set(plan.names) & {"x", "y", "z"}:
        return q[:, :3].copy()
    if not plan.load.frame:
        return np.zeros((len(q), 3))
    good = np.isfinite(q).all(axis=1)
    out = np.full((len(q), 3), np.nan)
    out[good] = model.frame_pose(q[good], plan.load.frame, on_bad_state="mark")[0]
    return out
