"""Trying poses: the robot follows where it can, in its assembly, and stays at the last good pose where it cannot."""

from dataclasses import dataclass

import numpy as np

from gough.analysis.conditions import determinant_signs
from gough.compilation import Model
from gough.compilation.singularity import block_matrices
from gough.errors import Status, UsageError
from gough.viewer.posing.axes import Axes
from gough.viewer.posing.reasons import Reason, beyond_limits, near_singular, out_of_reach, told

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
        return told(self.reasons)


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

    def try_values(self, axes: Axes, values: np.ndarray) -> Attempt:
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

    def _find(self, axes: Axes, values: np.ndarray) -> tuple[np.ndarray, Status]:
        """(q, status) at values: directly where that keeps the assembly, else in small steps."""
        q, status = self._solve(axes, values, self.q)
        if status == Status.OK and np.array_equal(self._sides(q), self._sides(self.q)):
            return q, status
        if status != Status.OK and (self.model.geometry.by_legs or self._distance(axes, values) <= STEP):
            return q, status  # legs in closed form, or too near for a way round
        return self._walk(axes, values)

    def _distance(self, axes: Axes, values: np.ndarray) -> float:
        """From the last good pose, in robot sizes or rad."""
        return float(np.abs(axes.difference(axes.values(self.q), values) / axes.scales).max(initial=0.0))

    def _walk(self, axes: Axes, values: np.ndarray) -> tuple[np.ndarray, Status]:
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

    def _solve(self, axes: Axes, values: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, Status]:
        made = self.model.assemble(**axes.target(values), near=near, on_bad_state="mark")
        return made.q, Status(int(made.status))

    def _sides(self, q: np.ndarray) -> np.ndarray:
        """On which side of its folding each leg or loop is: differs between assemblies that are not connected."""
        _, matrices = block_matrices(self.model, q[None], self.model.parameters, self.model.size)
        return np.array([determinant_signs(a)[0] for a in matrices])
