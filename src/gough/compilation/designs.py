"""Parameters of many states by reference: the designs that there are, and which of them each state has.

A thousand designs of a hundred states each are a thousand rows of parameters, however many states share them. Nothing repeats
the rows, and what follows from parameters alone is computed once for each run of neighbouring states with the same design.
"""

import math
from typing import Any

import numpy as np

LEAST_RUN = 4
"""States in a run of one design, on average, from which on a design's own work and its unfilled last tile cost less than
parameters in every lane. Measured with 8 lanes, ns a state, runs against lanes: five-bar 232 : 399 at 2 states, 130 : 377 at 4;
rigid hexapod 1100 : 1300 and 690 : 1300; flexible hexapod, forward dynamics 7400 : 4500 and 3700 : 4100."""


class DesignRows:
    """Stands for an array (..., n) of parameters. designs (d, n); which (...): of every state, the row of its design."""

    __slots__ = ("designs", "which")

    def __init__(self, designs: np.ndarray, which: np.ndarray) -> None:
        self.designs, self.which = designs, which

    @classmethod
    def of(cls, parameters: np.ndarray) -> "DesignRows":
        """Those of an array (..., n), each once."""
        own = parameters.shape[:-1]
        rows = np.ascontiguousarray(parameters.reshape(math.prod(own), parameters.shape[-1]), dtype=float)
        return cls(rows, np.arange(len(rows)).reshape(own))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return (*self.which.shape, self.designs.shape[1])

    @property
    def ndim(self) -> int:
        """Axes of the array."""
        return self.which.ndim + 1

    def __len__(self) -> int:
        return len(self.which)

    def __getitem__(self, chosen: Any) -> "DesignRows":
        """Of some states, by an index of the leading axes. Designs outside their range are left out."""
        which = self.which[chosen]
        if not which.size:
            return DesignRows(self.designs[:0], which)
        first = int(which.min())
        return DesignRows(self.designs[first : int(which.max()) + 1], which - first)


ParameterRows = np.ndarray | DesignRows
"""Parameters of n states: (1, size) for all of them, (n, size), or by reference."""


def design_rows(parameters: np.ndarray, batch: tuple[int, ...]) -> ParameterRows:
    """Of an array (..., size) broadcast to `batch`: by reference where a design serves several states."""
    parameters = without_repeats(parameters)
    own, size = math.prod(parameters.shape[:-1]), parameters.shape[-1]
    if own == 1:
        return parameters.reshape(1, size)
    if own == math.prod(batch):
        return parameters.reshape(own, size)
    rows = DesignRows.of(parameters)
    return DesignRows(rows.designs, np.broadcast_to(rows.which, batch).reshape(-1))


def without_repeats(x: np.ndarray) -> np.ndarray:
    """An array (..., size) with one entry of leading axes along which a view repeats the same numbers (`np.broadcast_to`)."""
    if all(x.strides[:-1]):
        return x
    return x[tuple(slice(0, 1) if not step else slice(None) for step in x.strides[:-1])]


def parameters_of(parameters: ParameterRows, states: Any) -> ParameterRows:
    """Those of some of the states; a single row serves all."""
    return parameters if len(parameters) == 1 else parameters[states]


def parameters_of_one(parameters: ParameterRows, state: int) -> np.ndarray:
    """Those (size,) of one state."""
    k = 0 if len(parameters) == 1 else state
    return parameters.designs[parameters.which[k]] if isinstance(parameters, DesignRows) else parameters[k]


class SharedDesigns:
    """Designs by reference over the states of a batch, as runs of neighbouring states that have the same."""

    single = False

    def __init__(self, rows: DesignRows, batch: tuple[int, ...]) -> None:
        self.designs = rows.designs
        own = (1,) * (len(batch) - rows.which.ndim) + rows.which.shape
        while own and own[-1] == 1:
            own = own[:-1]
        self._outer, self._inner = batch[: len(own)], math.prod(batch[len(own) :])
        self._which = rows.which.reshape(own)
        if own == self._outer:
            self._which = self._which.reshape(-1)
            runs = 1 + int(np.count_nonzero(self._which[1:] != self._which[:-1]))
        else:
            self._which, runs = np.broadcast_to(self._which, self._outer), math.prod(self._outer)
        self.mean_run = math.prod(batch) / max(runs, 1)
        """States in a run, on average."""

    @property
    def shares(self) -> bool:
        """Whether runs are long enough to be computed one by one."""
        return self.mean_run >= LEAST_RUN

    def runs(self, begin: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        """(where runs begin and the last one ends (k + 1,), from 0; the parameters of each (k, size)) in begin … end."""
        bounds, which = self._runs(begin, end)
        neighbours = len(which) > 0 and bool((np.diff(which) == 1).all())
        return bounds, self.designs[which[0] : which[-1] + 1] if neighbours else self.designs[which]

    def chunk(self, begin: int, end: int) -> np.ndarray:
        """Parameters (end - begin, size) of states begin … end."""
        bounds, which = self._runs(begin, end)
        return self.designs[np.repeat(which, np.diff(bounds))]

    def some(self, states: np.ndarray) -> np.ndarray:
        """Parameters (k, size) of chosen states."""
        return self.designs[self._at(states // self._inner)]

    def _runs(self, begin: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        if begin == end:
            return np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64)
        outer = np.arange(begin // self._inner, -(-end // self._inner))
        which = self._at(outer)
        starts = np.flatnonzero(np.concatenate([[True], which[1:] != which[:-1]]))
        bounds = np.append(outer[starts] * self._inner, end) - begin
        bounds[0] = 0
        return bounds.astype(np.int64), which[starts]

    def _at(self, outer: np.ndarray) -> np.ndarray:
        return self._which[outer if self._which.ndim == 1 else np.unravel_index(outer, self._outer)]
