"""States that many runs stored: in memory, or in the parts of a folder, which are read when they are asked for."""

from collections.abc import Iterator, Sequence

import numpy as np

from gough.distribution import PartFolder
from gough.errors import UsageError
from gough.simulation.ensembles._start import SHARE, memory

Found = dict[str, np.ndarray]
STORED, ENDS = ("q", "v", "tau", "works"), ("end_q", "end_v", "failed")
"""What a run has at every stored time; what it has once."""


class RunRecords:
    """runs: how many; part: how many a part has; store: where parts are, None: in memory; names: of what is stored."""

    def __init__(self, runs: int, part: int, store: PartFolder | None, names: Sequence[str] = STORED) -> None:
        self.runs, self.part, self.store, self.names = runs, part, store, names
        self.arrays: Found = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self._last: tuple[int, Found] = (-1, {})

    def put(self, k: int, found: Found) -> None:
        """A part that is done."""
        rows = self.rows(k)
        for name in ENDS if self.store is not None else (*self.names, *ENDS):
            if name not in self.arrays:
                self.arrays[name] = np.empty((self.runs, *found[name].shape[1:]))
            self.arrays[name][rows] = found[name]
        if not self.shapes:
            self.shapes = {name: found[name].shape[1:] for name in self.names}
            self.arrays["time"] = found["time"]

    def rows(self, k: int) -> slice:
        """Runs of part k."""
        return slice(k * self.part, min((k + 1) * self.part, self.runs))

    def pieces(self, names: Sequence[str]) -> Iterator[tuple[slice, Found]]:
        """(runs, arrays of these names) of all runs, of a folder a part at a time."""
        if self.store is None:
            yield slice(0, self.runs), {name: self.arrays[name] for name in names}
            return
        for k in range(-(-self.runs // self.part)):
            yield self.rows(k), self.store.arrays(k, names)

    def one_run(self, k: int) -> Found:
        """What run k stored, (m, n) each; the part of the last one asked for is remembered."""
        if self.store is None:
            return {name: self.arrays[name][k] for name in self.names}
        number, at = divmod(k, self.part)
        known, found = self._last
        if known != number:
            found = self.store.arrays(number, self.names)
            self._last = number, found
        return {name: found[name][at] for name in self.names}

    def join_runs(self, name: str) -> np.ndarray:
        """An array of all runs (runs, m, n)."""
        if self.store is None:
            return self.arrays[name]
        shape, most = (self.runs, *self.shapes[name]), SHARE * memory()
        size = 8.0 * np.prod(shape, dtype=float)
        if size > most:
            raise UsageError(
                f"{name} of all {self.runs} runs is {size / 1e9:.3g} GB, {most / 1e9:.3g} GB are the most here; "
                "take one run after the other: `for run in ensemble`, or ensemble.run(k)"
            )
        out = np.empty(shape)
        for rows, found in self.pieces((name,)):
            out[rows] = found[name]
        return out
