"""Set outputs apart that are numbers whatever the inputs: sparse Jacobians have many, and storing them costs time."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gough.program.ops import Op
from gough.program.passes.dead_code import remove_dead_code
from gough.program.program import Program


@dataclass(frozen=True)
class ComputedOutputs:
    """The program with outputs only for what it computes; fixed: per output slot its entries (size,), NaN if computed."""

    program: Program
    fixed: tuple[np.ndarray, ...]

    def spread(self, computed: list[np.ndarray]) -> list[np.ndarray]:
        """Outputs (n, size) per slot from the computed entries (n, k)."""
        return [_spread(x, fixed) for x, fixed in zip(computed, self.fixed, strict=True)]

    def fill(self, outputs: list[np.ndarray], computed: list[np.ndarray], dense: list[bool]) -> None:
        """Write `computed` entries (n, k) and fixed ones into outputs (n, size); dense slots are already there."""
        for out, x, fixed, full in zip(outputs, computed, self.fixed, dense, strict=True):
            if not full:
                out[:] = fixed
                out[:, np.isnan(fixed)] = x


def computed_outputs(program: Program) -> ComputedOutputs:
    """Separate constant outputs from computed ones."""
    numbers = [float(program.args[i][0]) if program.ops[i] == Op.CONST else np.nan for i in program.results]
    ends = np.cumsum([0, *(slot.size for slot in program.outputs)])
    fixed = tuple(np.array(numbers[a:b]) for a, b in pairwise(ends))
    if not np.isfinite(numbers).any():
        return ComputedOutputs(program, fixed)
    slots = tuple(replace(s, shape=(int(np.isnan(x).sum()),)) for s, x in zip(program.outputs, fixed, strict=True))
    results = tuple(r for r, x in zip(program.results, numbers, strict=True) if np.isnan(x))
    return ComputedOutputs(remove_dead_code(replace(program, outputs=slots, results=results)), fixed)


def _spread(computed: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    free = np.isnan(fixed)
    if free.all():
        return computed
    out = np.empty((len(computed), len(fixed)))
    out[:] = fixed
    out[:, free] = computed
    return out
