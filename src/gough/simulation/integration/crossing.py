"""Singular poses on the way of a run: noticed at every step, whichever are stored, and told apart.

The dependent velocities follow from v by the blocks of the closures, and near a pose in which a block is singular a time step is
worth little: its stages lie beside the closed configurations, and what they are off is divided by the block's smallest singular
value. `Watch` looks at that value. Which kind of singularity it is, is read off the free motions N (nu, nv) of the closures:
    u = N w,  v = N_v w      v is a bad choice where N_v is nearly singular, though others would do; the robot notices nothing (1)
    rank G falls             branches of the closed configurations meet; whatever v is, it does not determine the joints there (2)
With (1) a run goes on with other velocities, through (2) by `collocation`.
"""

from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.conditions import determinant_signs, reciprocal_conditions
from gough.compilation.mobility import choose, null_space, scaled_closures
from gough.compilation.selecting import elastic_columns
from gough.compilation.singularity import block_matrices
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout

if TYPE_CHECKING:
    from gough.compilation import Model

Vector = np.ndarray
NEAR = 0.05
"""Distance from a singularity over the largest one seen before, at which a step is no longer trusted."""
LEFT = 1.5
"""How much farther than that it must be for steps to be trusted again."""
PER_STEP = 0.1
"""Part of its distance from a singularity by which an equal step may come nearer."""
FINE = 0.02
"""Way between two looks, over the robot's size or in rad."""
WORSE = 0.5
"""How much worse than others velocities may be, and stay."""
INDEPENDENT = (0.5, 0.3, 0.15, 0.05)
"""How independent of those before a velocity must be to be taken, tried in turn."""
HIDDEN = 1e-4
"""Distance from a singularity, over the largest one seen, at which a state cannot be told by v: it is not stored."""


def nearest_loop(model: "Model", q: Vector, parameters: Vector) -> tuple[float, str]:
    """(distance from singularities, the loop or leg that is nearest to one) at q (nq,); (1, "") without loops."""
    if not model.mechanism.selection.blocks:
        return 1.0, ""
    places, blocks = block_matrices(model, q[None], parameters, model.size)
    found = [min(float(_condition(a)[0]), 1.0) for a in blocks]
    k = int(np.nanargmin(np.where(np.isfinite(found), found, 1.0)))
    return found[k], places[k]


def distances_of(model: "Model", q: Vector, parameters: Vector) -> tuple[Vector, Vector, tuple[str, ...]]:
    """(reciprocal conditions (n, groups), determinants, the loops or legs) at q (n, nq), 0 where not finite."""
    places, blocks = block_matrices(model, q, parameters, model.size)
    conditions = np.stack([_condition(a) for a in blocks], axis=1)
    return np.where(np.isfinite(conditions), conditions, 0.0), np.stack([determinants(a) for a in blocks], axis=1), places


def _condition(a: Vector) -> Vector:
    """Reciprocal conditions (n,) of (n, k, k); a single number is compared with others of its own only."""
    return np.abs(a[:, 0, 0]) if a.shape[-1] == 1 else reciprocal_conditions(a)


class Watch:
    """Looks at all steps of a run. `places`: loops and legs. `farthest` (groups,): largest distances seen."""

    def __init__(self, plant: Plant, parameters: Vector, equal_steps: bool) -> None:
        self.plant, self.parameters, self.equal_steps = plant, parameters, equal_steps
        self.states = StateLayout(plant)
        self.places: tuple[str, ...] = ()
        self.farthest = np.zeros(0)
        self.last: Vector | None = None  # the last record that was looked at

    @property
    def idle(self) -> bool:
        """Whether there is nothing to look at."""
        return not self.plant.model.mechanism.selection.blocks

    def begin(self, q: Vector, usual: float = 0.0) -> None:
        """Where a run begins, q (nq,), is trusted; usual: a distance that was seen with other velocities."""
        if not self.idle:
            self.farthest = np.maximum(self.distances(q[None])[0][0], usual)

    def distances(self, q: Vector) -> tuple[Vector, Vector]:
        """(reciprocal conditions, determinants) (n, groups) at q (n, nq)."""
        conditions, values, self.places = distances_of(self.plant.model, q, self.parameters)
        return conditions, values

    def relative(self, q: Vector) -> Vector:
        """Distances (n, groups) over the largest seen."""
        return self.distances(q)[0] / np.where(self.farthest > 0, self.farthest, 1.0)

    def place(self, q: Vector) -> str:
        """The loop or leg that is nearest to a singularity at q (nq,)."""
        return self.places[int(self.relative(q[None])[0].argmin())]

    def trusted(self, records: Vector, blind: bool = False) -> int:
        """How many records (n, k) that follow each other can be trusted; behind the last of them a singularity comes near.

        blind: only steps over a singularity are not.
        """
        if self.idle or not len(records):
            return len(records)
        all_ = records if self.last is None else np.concatenate([self.last[None], records])
        q = self.states.split(all_[:, : self.states.size]).q
        at = self._looks(q)
        distance, values = self.distances(q[at])
        farthest = np.maximum.accumulate(np.maximum(distance, self.farthest), axis=0)
        part = distance / np.where(farthest > 0, farthest, 1.0)
        bad = (part < (0.0 if blind else NEAR)).any(axis=1)
        over = (values[1:] * values[:-1] < 0).any(axis=1)
        if self.equal_steps and not blind:
            change = np.abs(np.diff(part, axis=0)) / np.diff(at)[:, None]
            over |= ((change > PER_STEP * np.minimum(part[1:], part[:-1])) & (part[1:] < 0.5)).any(axis=1)
        bad[1:] |= over
        if not bad.any():
            self.farthest, self.last = farthest[-1], records[-1].copy()
            return len(records)
        k = max(int(bad.argmax()) - 1, 0)
        self.farthest, self.last = farthest[k], None
        return max(int(at[k]) + 1 - (len(all_) - len(records)), 0)

    def _looks(self, q: Vector) -> Vector:
        """States to look at: never farther apart than FINE, but for single steps."""
        way = np.abs(np.diff(q, axis=0) / self.states.units[0]).max(axis=1, initial=0.0)
        way = np.where(np.isfinite(way), way, np.inf)
        if way.sum() > FINE * len(q):
            return np.arange(len(q))
        passed = np.concatenate([[0.0], np.cumsum(way)])
        chosen, at = [0], 0
        while at < len(q) - 1:
            at = max(int(np.searchsorted(passed, passed[at] + FINE, side="right")) - 1, at + 1)
            chosen.append(min(at, len(q) - 1))
        return np.array(chosen)


def better_velocities(model: "Model", q: Vector, parameters: Vector) -> tuple[int, ...] | None:
    """Columns of u that determine the others well at q (nq,) where those of v do not; None where v is good enough.

    Elastic rates stay, and of the others as many as can.
    """
    selection = model.mechanism.selection
    rows = [row for block in selection.blocks for row in block.rows]
    if not rows:
        return None
    G = scaled_closures(model, q[None], parameters)[0][rows]
    _, null = null_space(G)
    own = list(selection.independent)
    if null.shape[1] != len(own):
        return None
    elastic = elastic_columns(model.mechanism)
    bent = [c for c in own if c in elastic]
    rigid = [c for c in range(G.shape[1]) if c not in elastic]
    best, found = (choose(null[None], order, len(own), steps, first=bent) for order, steps in _orders(null, own, rigid))
    limit = _least(null[best]) if len(best) == len(own) else 0.0
    if not _least(null[own]) < WORSE * limit:
        return None
    if len(found) < len(own) or _least(null[found]) < 0.7 * limit:
        found = best
    left = [c for c in found if c not in bent]
    kept = [c if c in left else -1 for c in own if c not in bent]  # those that stay, stay in their places
    new = iter(c for c in left if c not in kept)
    return (*(c if c >= 0 else next(new) for c in kept), *bent)


def _orders(null: Vector, own: list[int], rigid: list[int]) -> list[tuple[list[int], tuple[float, ...]]]:
    """Ways to choose: the most independent first; and of v as many as can stay."""
    steps = tuple(np.linspace(1.0, 0.05, 39))
    return [(rigid, steps), ([*(c for c in own if c in rigid), *(c for c in rigid if c not in own)], INDEPENDENT)]


def _least(a: Vector) -> float:
    return float(np.linalg.svd(a, compute_uv=False)[-1])


def determinants(a: Vector) -> Vector:
    """Determinants (n,) of (n, k, k) or, of more than 3 x 3, their signs; 0 where not finite. By Cramer's rule where that is
    short: runs have many states."""
    if a.shape[-1] == 1:
        found = a[:, 0, 0]
    elif a.shape[-1] == 2:
        found = a[:, 0, 0] * a[:, 1, 1] - a[:, 0, 1] * a[:, 1, 0]
    elif a.shape[-1] == 3:
        found = np.einsum("ni,ni->n", a[:, 0], np.cross(a[:, 1], a[:, 2]))
    else:
        found = determinant_signs(a)
    return np.where(np.isfinite(found), found, 0.0)
