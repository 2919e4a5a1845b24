"""Points of sweeps by number: every chunk makes its own, the same wherever it is done."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import qmc

from gough.errors import UsageError
from gough.studies.study.variables import DesignSpace

SWEEPS = ("grid", "sobol", "latin hypercube")
MOST = 2**40
COUNTED = {"sobol": 2**30, "latin hypercube": 2**26}
"""Points of a sequence, and of a hypercube, which every chunk draws whole."""


@dataclass(frozen=True)
class SweepPoints:
    """Points of a space. kind: of SWEEPS; count: of points (of a grid: levels of variables without a step); seed."""

    space: DesignSpace
    kind: str
    count: int
    seed: int = 0

    @property
    def levels(self) -> list[int]:
        """Of every variable on a grid."""
        return [v.count or self.count for v in self.space.variables]

    @property
    def total(self) -> int:
        """All points."""
        most = COUNTED.get(self.kind, MOST)
        if self.kind != "grid" and self.count > most:
            raise UsageError(f"{self.kind}: {self.count:.3g} points; it has at most {most}")
        if self.kind != "grid":
            return self.count
        total = 1
        for n in self.levels:
            total *= n
        if total > MOST:
            raise UsageError(
                f"grid: {' × '.join(map(str, self.levels))} = {total:.3g} points; use larger steps, or method: sobol with a count"
            )
        return total

    def at(self, begin: int, end: int, module: Any = np) -> Any:
        """Points begin … end - 1 (n, k); of a grid as arrays of another module, made there."""
        if self.kind == "grid":
            return self._grid(begin, end, module)
        return self.space.from_unit(self._cube(begin, end))

    def _grid(self, begin: int, end: int, module: Any) -> Any:
        number = module.arange(begin, end)
        out = module.empty((end - begin, len(self.space.variables)))
        for k in reversed(range(out.shape[1])):
            v, levels = self.space.variables[k], self.levels[k]
            number, place = number // levels, number % levels
            step = v.step or (v.upper - v.lower) / max(levels - 1, 1)
            out[:, k] = v.lower + place * step
        return out

    def _cube(self, begin: int, end: int) -> np.ndarray:
        k = len(self.space.variables)
        if self.kind == "sobol":
            if k > qmc.Sobol.MAXDIM:
                raise UsageError(f"sobol: {k} variables; it has {qmc.Sobol.MAXDIM}, use method: latin hypercube")
            points = qmc.Sobol(k, scramble=True, rng=np.random.default_rng(self.seed))
            if begin:
                points.fast_forward(begin)
            return _quietly(points, end - begin)
        out = np.empty((end - begin, k))
        for i in range(k):  # every variable has one value in each of `count` equal parts of its range
            rng = np.random.default_rng([self.seed, i])
            part = rng.permutation(self.count)[begin:end]
            within = np.random.default_rng([self.seed, k + i]).random(self.count)[begin:end]
            out[:, i] = (part + within) / self.count
        return out


def _quietly(points: qmc.Sobol, count: int) -> np.ndarray:
    """Some points, without a word on counts that are no powers of two: chunks are parts of one sequence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return points.random(count)
