"""What is wrong with one state that compiled code flags, found by compiled code too: a program of the checks alone.

Only what is clear is decided here: where the state and its neighbours, a few roundings away, agree by a wide margin. Anything
near a bound is for `evaluate_with_care`, which pivots, looks at condition numbers and may find that the state is good.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gough.compilation.service import compile_program
from gough.errors import Failure
from gough.program import Program, Slot
from gough.program.passes.outputs import remove_dead_code
from gough.program.verdict import unknown_input, used_places

ROUNDING, NEIGHBOURS = 1e-15, 3
"""How far neighbours are, entry by entry, relative to it, and how many are looked at."""
CLEAR = 1e4
"""Distance from a check's bound, in units of what the neighbours differ by, from which on a check clearly holds or fails."""
WORTH = 8
"""States that are looked at with care before the checks are compiled."""
VALUES = "values"


class Diagnosis:
    """Of the checks of a program; made when it is worth it. precision: of compiled code."""

    def __init__(self, program: Program, precision: str) -> None:
        self._program, self._precision = program, precision
        self._seen, self._kernel = 0, None
        start, self._used = 0, used_places(program)
        for slot in program.inputs:
            self._used[slot.name] = self._used[slot.name] - start
            start += slot.size
        self._bounds = np.array([check.minimum for check in program.checks])
        draw = np.random.default_rng(0)
        self._factors = {s.name: np.ones((NEIGHBOURS + 1, s.size)) for s in program.inputs}
        for factor in self._factors.values():
            factor[1:] += ROUNDING * draw.uniform(0.5, 1, factor[1:].shape) * draw.choice([-1, 1], factor[1:].shape)

    @np.errstate(invalid="ignore", over="ignore")
    def __call__(self, rows: Mapping[str, np.ndarray]) -> Failure | None:
        """The failure of a state, rows (1, size) per slot; None where it is not clear."""
        for name, places in self._used.items():
            if not np.isfinite(rows[name]).all() and not np.isfinite(rows[name][0, places]).all():
                return unknown_input(name)
        self._seen += 1
        if self._seen <= WORTH or not len(self._bounds):
            return None
        values = self._values(rows)
        off = values[0] - self._bounds
        lost = np.isnan(values)
        apart = np.abs(values[1:] - values[0]).max(axis=0)
        fails = lost.all(axis=0) | (off < -CLEAR * apart)
        first = int(np.argmax(fails))
        if not fails[first] or not (off[:first] >= CLEAR * apart[:first]).all():
            return None
        return self._program.checks[first].failure

    def _values(self, rows: Mapping[str, np.ndarray]) -> np.ndarray:
        """Of all checks (1 + NEIGHBOURS, checks), at the state itself first."""
        if self._kernel is None:
            self._kernel = compile_program(checks_alone(self._program), precision=self._precision)
        n = NEIGHBOURS + 1
        inputs = [
            rows[slot.name] if slot.uniform else rows[slot.name] * self._factors[slot.name]
            for slot in self._program.inputs
        ]
        found = np.empty((n, len(self._bounds)))
        self._kernel(inputs, n, [found])
        return found


def checks_alone(program: Program) -> Program:
    """The values of all checks as the only output."""
    slot = Slot(VALUES, (len(program.checks),))
    nodes = tuple(check.node for check in program.checks)
    return remove_dead_code(replace(program, outputs=(slot,), results=nodes, checks=()))
