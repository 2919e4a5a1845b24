"""Of many designs that could be evaluated, those that promise most: measures are forecast from those of designs that are known.

forecast    objectives and constraints, interpolated among the nearest known designs by cubic radial functions over linear ones
            (by |r| over constants where neighbours do not span all variables, as steps let them).
promise     how far a design is beyond a front: by the objective in which it is farthest before a design of the front, in parts of
            the front's size, the least of these over all of them. It is the additive ε-indicator of one design
            [Zitzler, Thiele, Laumanns, Fonseca and Grunert da Fonseca 2003]. What is forecast to break a constraint promises
            nothing.

Designs are chosen one after the other, each as if those before stood on the front with what is forecast of them, so that they do
not crowd. Forecasts choose what is evaluated; no result rests on them.
"""

from collections.abc import Mapping

import numpy as np
from scipy.interpolate import RBFInterpolator

from gough.studies._pareto import ParetoFront
from gough.studies.study.evaluation import Evaluator

CANDIDATES = 20
"""For each design that is evaluated."""
NEAREST = 40
"""Known designs, and four a variable, of which a forecast is made."""
MOST = 20_000
"""Designs that are remembered, the last ones."""
SAME = 9
"""Digits of variables between 0 and 1 to which designs are told apart."""


class KnownDesigns:
    """What was evaluated so far, as far as it has measures."""

    def __init__(self, evaluator: Evaluator) -> None:
        space, o = evaluator.space, len(evaluator.objectives)
        self.evaluator, self.low, self.size = evaluator, space.lower, space.upper - space.lower
        self.x = np.zeros((0, len(space.variables)))
        self.y = np.zeros((0, o + len(evaluator.constraint_names)))

    def add(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Designs of a part."""
        y = np.concatenate([self.evaluator.objective_values(arrays["values"]), arrays["constraints"]], axis=1)
        good = (arrays["violation"] == 0) & np.isfinite(y).all(axis=1)
        x = np.round((arrays["x"][good] - self.low) / self.size, SAME)
        both, y = np.concatenate([self.x, x]), np.concatenate([self.y, y[good]])
        _, rows = np.unique(both, axis=0, return_index=True)
        rows = np.sort(rows)[-MOST:]
        self.x, self.y = both[rows], y[rows]

    def choose(self, front: ParetoFront, candidates: np.ndarray, count: int) -> np.ndarray:
        """`count` of the candidates (n, k); the first ones where too little is known, or too few promise anything."""
        known, k = len(self.x), candidates.shape[1]
        if known < 2 * (k + 1) or not len(front.objectives):
            return candidates[:count]
        found = self._forecast((candidates - self.low) / self.size)
        o = front.objectives.shape[1]
        F, held = found[:, :o], (found[:, o:] <= 0).all(axis=1) & np.isfinite(found).all(axis=1)
        size = np.ptp(front.objectives, axis=0)
        size = np.where(size > 0, size, np.maximum(np.abs(front.objectives).max(axis=0), 1e-300))
        promise = np.full(len(F), -np.inf)
        for row in np.flatnonzero(held):
            promise[row] = ((front.objectives - F[row]) / size).max(axis=1).min()
        chosen: list[int] = []
        while len(chosen) < count and np.isfinite(promise).any():
            best = int(promise.argmax())
            chosen.append(best)
            promise = np.minimum(promise, ((F[best] - F) / size).max(axis=1))
            promise[best] = -np.inf
        others = np.setdiff1d(np.arange(len(F)), chosen)
        return candidates[[*chosen, *others[: count - len(chosen)]]]

    def _forecast(self, unit: np.ndarray) -> np.ndarray:
        spread = np.maximum(self.y.std(axis=0), 1e-300)
        near = min(NEAREST + 4 * unit.shape[1], len(self.x))
        for kernel, degree in (("cubic", 1), ("linear", 0)):
            try:
                return (
                    RBFInterpolator(self.x, self.y / spread, neighbors=near, kernel=kernel, degree=degree)(unit)
                    * spread
                )
            except np.linalg.LinAlgError:
                continue
        return np.full((len(unit), self.y.shape[1]), np.nan)
