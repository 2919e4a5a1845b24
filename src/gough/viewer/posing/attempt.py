"""Trying poses: the robot follows where it can, in its assembly, and stays at the last good pose where it cannot."""

from dataclasses import dataclass

import numpy as np

from gough.analysis.conditions import determinant_signs
from gough.errors import EXPLANATION, Status, UsageError
from gough.kinematics.closing import close, rows_of
from gough.kinematics.leading import COORDINATES
from gough.kinematics.openings import Opening, openings
from gough.kinematics.singularity import Singularity, block_matrices
from gough.model import Model
from gough.model.results import LimitKind, StatedLimit
from gough.spatial.euler import coordinates_of
from gough.viewer.posing.axes import PosingAxes, pose_of

# Why a pose is refused, leg by leg and in words: what does not reach, what is beyond its limit, what is singular.

OPEN = 1e-6
"""Closure error, relative to the robot's size, of a leg that does not reach."""
ITERATIONS = 15
"""Of the search for what stays open: it need not be exact."""
MOST = 4
"""Reasons told; more are counted."""
TWIST_OF = {"x": 0, "y": 1, "z": 2, "roll": 3, "pitch": 4, "yaw": 5}
"""The component of the platform's twist that goes with a coordinate."""


@dataclass(frozen=True)
class Reason:
    """text: a sentence without a full stop. leg: index of the leg it is about, -1: the robot as a whole."""

    text: str
    leg: int = -1


def reasons_text(reasons: tuple[Reason, ...]) -> str:
    """The reasons in one line."""
    shown = "; ".join(r.text for r in reasons[:MOST])
    return shown + (f"; and {len(reasons) - MOST} more" if len(reasons) > MOST else "")


def out_of_reach(axes: PosingAxes, near: np.ndarray, values: np.ndarray, status: Status) -> tuple[Reason, ...]:
    """The legs and loops that stay open when the coordinates are put at `values` (n,) and all other joints may move."""
    model = axes.model
    gaps = _gaps(axes, near, values)
    if gaps and axes.by_drives:  # the platform then shares the misfit out among all legs
        worst = max(gaps, key=lambda gap: gap.size)
        return (Reason(f"these drive positions do not fit together: loops stay open by {worst.text}"),)
    worst_of: dict[str, tuple[Gap, int]] = {}
    for gap in gaps:
        name = model.mechanism.legs[gap.leg].name if gap.leg >= 0 else f"loop {gap.cut}"
        if name not in worst_of or gap.size > worst_of[name][0].size:
            worst_of[name] = gap, gap.leg
    if worst_of:
        return tuple(Reason(f"{name} cannot reach: {g.text} short", leg) for name, (g, leg) in worst_of.items())
    if status in (Status.OUT_OF_REACH, Status.NOT_CONVERGED):
        return (Reason("no way there was found from the pose shown: the loops do not close in this assembly"),)
    return (Reason(EXPLANATION[status]),)


@dataclass(frozen=True)
class Gap:
    """A cut that stays open: size relative to the robot's, text: how far."""

    cut: str
    leg: int
    size: float
    text: str


def _gaps(axes: PosingAxes, near: np.ndarray, values: np.ndarray) -> list[Gap]:
    """What stays open; cuts that are nearly closed beside others are left out."""
    model = axes.model
    mechanism = model.mechanism
    q = near.copy()
    held = np.zeros(mechanism.layout.nu, dtype=bool)
    for link in mechanism.links:
        if link.elastic is not None:
            held[list(link.elastic.columns)] = True
    pose = _pose_now(near) if mechanism.has_platform else np.zeros(6)
    turns = {mechanism.layout.u_names[c]: c for link in mechanism.links if link.is_ball for c in link.columns}
    for name, value in zip(axes.names, values, strict=True):
        if mechanism.has_platform and name in COORDINATES:
            pose[COORDINATES.index(name)] = value
            held[TWIST_OF[name]] = True
        elif name in turns:
            held[turns[name]] = True
        else:
            at = mechanism.layout.index(name)
            q[at] = value
            held[[link.u for link in mechanism.links if link.nu == 1 and link.q == at]] = True
    if mechanism.has_platform:
        q[:7] = pose_of(pose)
    if not mechanism.rows:
        return []
    together = _closed(model, q, held, None)
    if axes.by_drives or not mechanism.legs or held[:6].all():
        return together
    apart: list[Gap] = []
    for leg in sorted({gap.leg for gap in together if gap.leg >= 0}):  # each by itself: the others do not pull
        own = _closed(model, q, held, rows_of(model, [owner for owner in mechanism.owners if owner.leg == leg]))
        apart += [gap for gap in own if gap.leg == leg]
    return apart


def _closed(model: Model, q: np.ndarray, held: np.ndarray, rows: np.ndarray | None) -> list[Gap]:
    """What stays open when those closure rows are closed from q (nq,) as far as they can be."""
    found, _ = close(model, q[None], model.parameters[None], ~held, rows, ITERATIONS)
    left = {o.cut.name: o for o in openings(model, found[0])}
    least = max(OPEN, 1e-3 * max((o.error for o in left.values()), default=0.0))
    ordered = [left[owner.name] for owner in model.mechanism.owners]
    return [Gap(o.cut.name, o.cut.leg, o.error, _gap(o)) for o in ordered if not o.error < least]


def _pose_now(q: np.ndarray) -> np.ndarray:
    return coordinates_of(q, "rpy_zyx").copy()


def _gap(opening: Opening) -> str:
    """How far a cut stays open, in words."""
    parts = [length(opening.gap)] if opening.gap > 0 else []
    if opening.angle > 1e-5:
        parts.append(f"{np.degrees(opening.angle):.3g}°")
    return " and ".join(parts) or "a length"


def beyond_limits(model: Model, q: np.ndarray, before: np.ndarray | None = None) -> tuple[Reason, ...]:
    """Limits violated at q (nq,). before: a configuration; what it violates as much already is not told."""
    found = model.limit_margins(q)
    earlier = np.zeros(len(found.names)) if before is None else np.minimum(model.limit_margins(before).margins, 0.0)
    reasons = []
    for limit, margin, was in zip(found.limits, found.margins, earlier, strict=True):
        if not margin >= min(0.0, was - 1e-9):
            reasons.append(Reason(_limit(limit, float(margin)), leg_of_joint(model, limit.joint)))
    return tuple(reasons)


def _limit(limit: StatedLimit, margin: float) -> str:
    joint, side = limit.joint, limit.kind.side
    if limit.kind == LimitKind.CONE:
        return f"{joint}: tilted {np.degrees(-margin):.3g}° beyond its cone"
    show = angle if limit.unit == "rad" else length
    here = limit.bound + margin if side == "lower" else limit.bound - margin
    return f"{joint}: {show(here)}, {side} limit {show(limit.bound)}"


def leg_of_joint(model: Model, joint: str) -> int:
    """The leg that a joint (or cut) belongs to, -1 for none."""
    parts = [*model.mechanism.links, *model.mechanism.cuts]
    return next((p.leg for p in parts if (p.joint if hasattr(p, "joint") else p.name) == joint), -1)


def near_singular(model: Model, found: Singularity, least: float) -> tuple[Reason, ...]:
    """Conditions below `least` at one state: of the drives as a whole, and of each leg or loop."""
    reasons = []
    names = [leg.name for leg in model.mechanism.legs]
    for name, value in zip(found.serial_names, found.serial, strict=True):
        if not value >= least:
            leg = names.index(name) if name in names else -1
            what = name if " + " not in name else "the loops"
            reasons.append(Reason(f"{what} folded: reciprocal condition {float(value):.2g}", leg))
    if model.driven and not found.parallel >= least and not reasons:
        reasons.append(Reason(f"parallel singularity: reciprocal condition {float(found.parallel):.2g}"))
    return tuple(reasons)


def length(x: float) -> str:
    """In mm below a tenth of a metre."""
    return f"{x * 1e3:.4g} mm" if abs(x) < 0.1 else f"{x:.4g} m"


def angle(x: float) -> str:
    """In degrees."""
    return f"{np.degrees(x):.4g}°"


LEAST_CONDITION = 1e-3
"""Reciprocal condition below which a pose is refused as singular."""
STEP = 0.15
"""Length of a step along the way, in robot sizes or rad."""
MOST_STEPS = 40


@dataclass(frozen=True)
class Attempt:
    """q (nq,): the last good configuration, the one asked for where `good`. reasons: what is wrong with what was asked for.

    legs: those to be marked; all_marked: the trouble is the whole robot's.
    """

    q: np.ndarray
    good: bool
    reasons: tuple[Reason, ...] = ()

    @property
    def legs(self) -> tuple[int, ...]:
        """Legs concerned."""
        return tuple(sorted({r.leg for r in self.reasons if r.leg >= 0}))

    @property
    def all_marked(self) -> bool:
        """Whether something is wrong that no leg is named for."""
        return any(r.leg < 0 for r in self.reasons)

    @property
    def text(self) -> str:
        """Why, in one line."""
        return reasons_text(self.reasons)


class Poser:
    """Keeps the last good configuration `q` (nq,) of one page."""

    def __init__(self, model: Model, q: np.ndarray) -> None:
        self.model = model
        self.q = np.array(q, dtype=float)

    def adopt(self, q: np.ndarray) -> None:
        """Go on from a closed configuration (nq,)."""
        self.q = np.array(q, dtype=float)

    def take(self, q: np.ndarray) -> Attempt:
        """Go on from a closed configuration (nq,), whatever is wrong with it."""
        self.adopt(q)
        return Attempt(self.q, True, self._remarks(self.q))

    def _remarks(self, q: np.ndarray) -> tuple[Reason, ...]:
        return beyond_limits(self.model, q) + near_singular(self.model, self.model.singularity(q), LEAST_CONDITION)

    def try_values(self, axes: PosingAxes, values: np.ndarray) -> Attempt:
        """Go to values (n,) of the axes (m, rad)."""
        wanted = np.asarray(values, dtype=float)
        if wanted.shape != (len(axes.names),):
            raise UsageError(f"{wanted.shape} values for {len(axes.names)} coordinates ({', '.join(axes.names)})")
        if not np.isfinite(wanted).all():
            return self._refused((Reason("a coordinate is not a finite number"),))
        q, status = self._find(axes, wanted)
        if status != Status.OK:
            return self._refused(out_of_reach(axes, self.q, wanted, status))
        return self._judge(q)

    def _judge(self, q: np.ndarray) -> Attempt:
        """Take a closed configuration unless it is worse than allowed and than where the robot is now."""
        now, then = self.model.singularity(self.q), self.model.singularity(q)
        lowest_now = min(float(now.parallel), float(now.serial.min(initial=1.0)))
        least = LEAST_CONDITION if not lowest_now < LEAST_CONDITION else 0.5 * lowest_now  # else it could never leave
        if reasons := beyond_limits(self.model, q, self.q):
            return self._refused(reasons)
        if reasons := near_singular(self.model, then, least):
            return self._refused(reasons)
        self.q = q
        return Attempt(q, True, self._remarks(q))

    def _refused(self, reasons: tuple[Reason, ...]) -> Attempt:
        return Attempt(self.q, False, reasons)

    def _find(self, axes: PosingAxes, values: np.ndarray) -> tuple[np.ndarray, Status]:
        """(q, status) at values: directly where that keeps the assembly, else in small steps."""
        q, status = self._solve(axes, values, self.q)
        if status == Status.OK and np.array_equal(self._sides(q), self._sides(self.q)):
            return q, status
        if status != Status.OK and (self.model.geometry.by_legs or self._distance(axes, values) <= STEP):
            return q, status  # legs in closed form, or too near for a way round
        return self._walk(axes, values)

    def _distance(self, axes: PosingAxes, values: np.ndarray) -> float:
        """From the last good pose, in robot sizes or rad."""
        return float(np.abs(axes.difference(axes.values(self.q), values) / axes.scales).max(initial=0.0))

    def _walk(self, axes: PosingAxes, values: np.ndarray) -> tuple[np.ndarray, Status]:
        """Along the straight way in the coordinates."""
        start = axes.values(self.q)
        way = axes.difference(start, values)
        count = int(np.clip(np.ceil(self._distance(axes, values) / STEP), 2, MOST_STEPS))
        q, status = self.q, Status.OK
        for k in range(1, count + 1):
            q, status = self._solve(axes, values if k == count else start + way * (k / count), q)
            if status != Status.OK:
                break
        return q, status

    def _solve(self, axes: PosingAxes, values: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, Status]:
        made = self.model.assemble(**axes.target(values), near=near, on_bad_state="mark")
        return made.q, Status(int(made.status))

    def _sides(self, q: np.ndarray) -> np.ndarray:
        """On which side of its folding each leg or loop is: differs between assemblies that are not connected."""
        _, matrices = block_matrices(self.model, q[None], self.model.parameters, self.model.size)
        return np.array([determinant_signs(a)[0] for a in matrices])
