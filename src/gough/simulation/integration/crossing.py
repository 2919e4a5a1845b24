"""Singular poses on the way of a run: noticed at every step, whichever are stored, and told apart.

The dependent velocities follow from v by the blocks of the closures, and near a pose in which a block is singular a time step is
worth little: its stages lie beside the closed configurations, and what they are off is divided by the block's smallest singular
value. `Watch` looks at that value. Which kind of singularity it is, is read off the free motions N (nu, nv) of the closures:
    u = N w,  v = N_v w      v is a bad choice where N_v is nearly singular, though others would do; the robot notices nothing (1)
    rank G falls             branches of the closed configurations meet; whatever v is, it does not determine the joints there (2)
With (1) a run goes on with other velocities, through (2) by `passage`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.conditions import determinant_signs, reciprocal_conditions
from gough.kinematics.closing import row_scales
from gough.kinematics.mobility import choose, null_space, scaled_closures
from gough.kinematics.singularity import block_matrices
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
NEAR = 0.1
"""Distance from a singularity over the largest one seen before, at which a step is no longer trusted."""
LEFT = 1.5
"""How much farther than that it must be for steps to be trusted again."""
PER_STEP = 0.1
"""Part of its distance from a singularity by which an equal step may come nearer."""
FINE, SELDOM = 0.02, 2000
"""Way between two looks, over the robot's size or in rad, and the most steps between two."""
OPEN = 1e-4
"""Closure error, over the robot's size or of a direction, of a state that is no robot's: its step was none."""
WORSE = 0.5
"""How much worse than others velocities may be, and stay."""
INDEPENDENT = (0.5, 0.3, 0.15, 0.05)
"""How independent of those before a velocity must be to be taken, tried in turn."""
HIDDEN = 1e-4
"""Distance from a singularity, over the largest one seen, at which a state cannot be told by v: it is not stored."""


def closed_rows(model: "Model") -> list[int]:
    """The closures that steps fulfil; none where a description lets loops be open a little."""
    blocks = () if model.mechanism.tolerances else model.mechanism.selection.blocks
    return [row for block in blocks for row in block.rows]


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
    return _conditions(blocks), _measure(determinants, blocks), places


def _conditions(blocks: list[Vector]) -> Vector:
    """Reciprocal conditions (n, groups) of matrices (n, k, k), 0 where not finite."""
    found = _measure(_condition, blocks)
    return np.where(np.isfinite(found), found, 0.0)


def _measure(of: Callable[[Vector], Vector], blocks: list[Vector]) -> Vector:
    """A measure (n, groups) of matrices (n, k, k), those of a size all at once: a look at one state is most often overhead."""
    found = np.empty((len(blocks[0]), len(blocks)))
    for size in {a.shape[-1] for a in blocks}:
        alike = [k for k, a in enumerate(blocks) if a.shape[-1] == size]
        found[:, alike] = of(np.stack([blocks[k] for k in alike], axis=1).reshape(-1, size, size)).reshape(
            len(found), -1
        )
    return found


def _condition(a: Vector) -> Vector:
    """Reciprocal conditions (n,) of (n, k, k); a single number is compared with others of its own only."""
    return np.abs(a[:, 0, 0]) if a.shape[-1] == 1 else reciprocal_conditions(a)


class Watch:
    """Looks at the steps of a run. `places`: loops and legs. `farthest` (groups,): largest distances seen.

    Where it looks depends on the steps alone, not on the chunks they come in: what follows the last look waits for the next one.
    """

    def __init__(self, plant: Plant, parameters: Vector, equal_steps: bool) -> None:
        self.plant, self.parameters, self.equal_steps = plant, parameters, equal_steps
        self.states = StateLayout(plant)
        self.places: tuple[str, ...] = ()
        self.farthest = np.zeros(0)
        self.is_torn = False  # whether loops are open behind the last look that was good
        self.seen: tuple[Vector, Vector, bool] | None = None  # state (nq,), distances and `blind` of that look
        self.forget()

    def forget(self) -> None:
        """Begin anew with the next records."""
        self.waiting: Vector | None = None  # records, the first of which was looked at last and is stored
        self.way, self.index = 0.0, 0  # of that record

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

    def trusted_records(self, records: Vector, blind: bool = False, last: bool = False) -> tuple[Vector, bool]:
        """(records (m, k) that can be trusted, whether a singularity comes near behind them) of those that waited and new ones
        (n, k). blind: only steps over a singularity are not trusted. last: none will follow."""
        if self.idle:
            return records, False
        fresh = self.waiting is None
        all_ = records if self.waiting is None else np.concatenate([self.waiting, records])
        if not len(all_):
            return all_, False
        first = 0 if fresh else 1
        q = all_[:, : self.plant.model.layout.nq]
        way, at = self._looks(q, fresh)
        if last and (not len(at) or at[-1] < len(all_) - 1):
            at = np.append(at, len(all_) - 1)
        if not fresh:
            at = np.concatenate([[0], at[at > 0]])
            if len(at) == 1:  # nothing new to look at
                self.waiting = all_
                return all_[:0], False
        if not len(at):
            at = np.zeros(1, dtype=int)
        good, near = self._good(q[at], at, blind)
        k = int(at[good])
        self.waiting, self.way, self.index = all_[k:].copy(), float(way[k]), self.index + k
        if near:
            self.forget()
        return all_[first : k + 1], near

    def stays_far(self, q: Vector) -> bool:
        """Whether no singularity comes near in states q (n, nq) of a piece, from its begin to its end; if so, what was seen there
        is noted."""
        before = self.farthest
        _, at = self._looks(q, True)
        at = at if at[-1] == len(q) - 1 else np.append(at, len(q) - 1)
        far = not self._good(q[at], at, False)[1]
        self.farthest = self.farthest if far else before
        return far

    def stays_far_in(self, q: Vector, firsts: Vector) -> bool:
        """As `stays_far`, of pieces one after the other: one begins at each of `firsts` (m,) and ends where the next one begins,
        the last one at the last state."""
        if self.idle:
            return True
        if not np.isfinite(q).all():
            return False
        before, seen = self.farthest, self.seen
        at = self._looks_of_pieces(q, firsts)
        if not self._good(q[at], at, False)[1]:
            return True
        self.farthest, self.seen = before, seen
        return False

    def note_far(self, q: Vector, firsts: Vector) -> None:
        """Notes what is seen in states q (n, nq) of pieces that are known to stay far, at those at which each would be looked at.
        firsts: as of `stays_far_in`."""
        looks = self._looks_of_pieces(q, firsts)
        _, blocks = block_matrices(self.plant.model, q[looks], self.parameters, self.plant.model.size)
        self.farthest = np.maximum(self.farthest, _conditions(blocks).max(axis=0))

    def _looks_of_pieces(self, q: Vector, firsts: Vector) -> Vector:
        """Which states of pieces (see `stays_far_in`) are looked at."""
        if len(firsts) == len(q) - 1:  # of pieces of one step, all of them
            return np.arange(len(q))
        counts, looks = np.diff(np.append(firsts, len(q) - 1)), np.zeros(len(q), dtype=bool)
        for count in set(counts.tolist()):
            at = firsts[counts == count, None] + np.arange(count + 1)
            steps = np.abs(np.diff(q[at], axis=1) / self.states.units[0]).max(axis=2, initial=0.0)
            part = np.floor(np.cumsum(np.pad(steps, ((0, 0), (1, 0))), axis=1) / FINE)
            ends = np.pad(part[:, 1:] != part[:, :-1], ((0, 0), (0, 1)), constant_values=True)
            looks[at[ends | (np.arange(count + 1) % SELDOM == 0)]] = True
        return np.flatnonzero(looks)

    def _is_open(self, q: Vector) -> Vector:
        """Whether loops are open at q (n, nq): steps end closed, but one that leaps far over a singularity cannot be closed, and
        closures that are left out as redundant are closed only where they do follow from the others."""
        rows = slice(None) if closed_rows(self.plant.model) else slice(0)
        found = self.plant.model.function("closure_residual").values(q=q, parameters=self.parameters)["residual"]
        closed = np.abs(found[:, rows]) <= OPEN * row_scales(self.plant.model)[rows]
        return ~np.asarray(closed.all(axis=1))

    def _looks(self, q: Vector, fresh: bool) -> tuple[Vector, Vector]:
        """(way until every state (n,), states to look at): the last ones within every FINE of the way, and every so many."""
        steps = np.abs(np.diff(q, axis=0) / self.states.units[0]).max(axis=1, initial=0.0)
        way = np.cumsum(np.concatenate([[self.way], np.where(np.isfinite(steps), steps, FINE)]))
        part, index = np.floor(way / FINE), self.index + np.arange(len(q))
        ends = np.append(part[1:] != part[:-1], False) | (index % SELDOM == 0)
        ends[0] |= fresh
        return way, np.flatnonzero(ends)

    def _good(self, q: Vector, at: Vector, blind: bool) -> tuple[int, bool]:
        """(the last look that is good, whether the next one is not) of looks at q (m, nq), the steps `at` (m,)."""
        if len(q) == 1 and self.seen is not None and blind == self.seen[2] and np.array_equal(q[0], self.seen[0]):
            # where a piece begins the one before has ended
            self.farthest, self.is_torn = np.maximum(self.farthest, self.seen[1]), False
            return 0, False
        distance, values = self.distances(q)
        farthest = np.maximum.accumulate(np.maximum(distance, self.farthest), axis=0)
        part = distance / np.where(farthest > 0, farthest, 1.0)
        near, open_ = np.asarray((part < (0.0 if blind else NEAR)).any(axis=1)), self._is_open(q)
        bad = near | open_
        over = (values[1:] * values[:-1] < 0).any(axis=1)
        if self.equal_steps and not blind:
            change = np.abs(np.diff(part, axis=0)) / np.diff(at)[:, None]
            over |= ((change > PER_STEP * np.minimum(part[1:], part[:-1])) & (part[1:] < 0.5)).any(axis=1)
        bad[1:] = bad[1:] | over
        first = int(bad.argmax())
        k = max(first - 1, 0) if bad.any() else len(q) - 1
        self.is_torn = bool(open_[first])
        self.farthest = farthest[k]
        self.seen = None if bad.any() else (q[k].copy(), distance[k], blind)
        return k, bool(bad.any())


def better_velocities(model: "Model", q: Vector, parameters: Vector) -> tuple[int, ...] | None:
    """Columns of u that determine the others well at q (nq,) where those of v do not; None where v is good enough.

    Idle and elastic rates stay, and of the others as many as can.
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
    elastic = model.mechanism.elastic_columns
    bent = own[model.mobility :]
    rigid = [c for c in range(G.shape[1]) if c not in elastic and c not in bent]
    best, found = (choose(null[None], order, len(own), steps, first=bent) for order, steps in _orders(own, rigid))
    limit = _least(null[best]) if len(best) == len(own) else 0.0
    if not _least(null[own]) < WORSE * limit:
        return None
    if len(found) < len(own) or _least(null[found]) < 0.7 * limit:
        found = best
    left = [c for c in found if c not in bent]
    kept = [c if c in left else -1 for c in own if c not in bent]  # those that stay, stay in their places
    new = iter(c for c in left if c not in kept)
    return (*(c if c >= 0 else next(new) for c in kept), *bent)


def _orders(own: list[int], rigid: list[int]) -> list[tuple[list[int], tuple[float, ...]]]:
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
        (x, y, z), (u, v, w), (r, s, t) = (a[:, k].T for k in range(3))
        found = x * (v * t - w * s) + y * (w * r - u * t) + z * (u * s - v * r)
    else:
        found = determinant_signs(a)
    return np.where(np.isfinite(found), found, 0.0)
