"""Points of sweeps by number: every chunk makes its own, the same wherever it is done."""

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.stats import qmc

from gough.errors import UsageError
from gough.locks import make_lock
from gough.studies.study.variables import DesignSpace

SWEEPS = ("grid", "sobol", "latin hypercube")
MOST = 2**40
COUNTED = {"sobol": 2**30, "latin hypercube": 2**26}
"""Points of a sequence, and of a hypercube, which every chunk draws whole."""
_turn = make_lock()
SOBOL_BITS, TEN = 30, 10
"""Binary digits of a sequence's points; how many of a point's number are looked up at once."""


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
        """Points begin … end - 1 (n, k), as arrays of another module; those of a grid and of a sequence are made there."""
        if self.kind == "grid":
            return self._grid(begin, end, module)
        if self.kind == "sobol" and module is not np:
            return self.space.from_unit(self._sequence(begin, end, module), module)
        return module.asarray(self.space.from_unit(self._cube(begin, end)))

    def _sequence(self, begin: int, end: int, module: Any) -> Any:
        """Points (n, k) of a Sobol sequence in the unit cube. Point i is the exclusive or of the first and of one number for each
        bit that is set in i ^ (i >> 1): bits are taken ten at a time, with a table of all their combinations."""
        with _turn:  # once, whichever of several threads comes first
            first, steps = _sobol_steps(len(self.space.variables), self.seed, max(self.count - 1, 1).bit_length())
        number = module.arange(begin, end)
        number = number ^ (number >> 1)
        out: Any = module.asarray(first)[None]
        for low in range(0, len(steps), TEN):
            table = np.zeros((1, len(first)), dtype=np.int64)
            for step in steps[low : low + TEN]:
                table = np.concatenate([table, table ^ step])
            out = out ^ module.asarray(table)[(number >> low) & (len(table) - 1)]
        return out * 2.0**-SOBOL_BITS

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


@lru_cache(maxsize=4)
def _sobol_steps(k: int, seed: int, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """(the first point (k,), by how much the points 2^b do (bits, k) in i ^ (i >> 1)), as whole numbers of 2^-30."""
    points = qmc.Sobol(k, scramble=True, rng=np.random.default_rng(seed))
    found, at = [_quietly(points, 1)[0]], 1
    for b in range(bits):
        number = 2 ** (b + 1) - 1
        if number > at:
            points.fast_forward(number - at)
        found.append(_quietly(points, 1)[0])
        at = number + 1
    whole = np.rint(np.array(found) * 2.0**SOBOL_BITS).astype(np.int64)
    return whole[0], whole[1:] ^ whole[0]


def _quietly(points: qmc.Sobol, count: int) -> np.ndarray:
    """Some points, without a word on counts that are no powers of two: chunks are parts of one sequence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return points.random(count)
