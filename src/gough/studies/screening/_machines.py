"""Where a screen computes: this process's cores, or a GPU. Both take rows of numbers and say which states are bad.

This process looks twice at states that a check flags; a GPU does not, and calls some doubtful (`compilation/device_rows.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np

from gough.compilation.device_rows import device_module, evaluate_rows
from gough.compilation.function import Function
from gough.locks import make_lock
from gough.studies._pareto import round_objectives
from gough.studies.screening._first import first_of_many, may_be_first
from gough.studies.screening._programs import CaseProgram
from gough.studies.screening._reduced import reduced_rows
from gough.studies.study.measures import StateMeasure
from gough.studies.study.variables import DesignSpace


class Screened(NamedTuple):
    """outputs {slot: (n, …)}; bad, doubtful (n,) bool."""

    outputs: Mapping[str, Any]
    bad: Any
    doubtful: Any


Reduced = Callable[[Any], tuple[Any, Any, Any]]
"""Designs (n, k) to (measures (n, m) and of motions the extremes of `SIDES`, which are bad (n,), which are doubtful (n,))."""


class ScreenMachine(Protocol):
    """A member of the family: its array module; states (rows) that it takes at once; designs, where nothing is written for a
    state; whether what it found before spares it work."""

    module: Any
    states: int
    designs: int
    remembers: bool

    def compute(self, f: Function, designs: Any, rows: Mapping[str, np.ndarray], slot: str) -> Screened:
        """A function at d designs (d, k) in input `slot`, each in the s states of `rows` (s, size): n = d · s, or d where there
        are no rows."""
        ...

    def reduce_case(self, space: DesignSpace, own: CaseProgram, measures: Sequence[StateMeasure]) -> Reduced | None:
        """Measures of a case without numbers of every state; None where it has none. UsageError that says why."""
        ...

    def first(self, F: Any, known: Any) -> Any:
        """Rows of F (n, objectives) that no other, and none of `known`, beats."""
        ...

    def turn(self) -> AbstractContextManager[Any]:
        """What a thread works in."""
        ...


class HostMachine:
    """The cores of this process."""

    module = np
    states = 2**16
    designs = 2**16
    remembers = False

    def compute(self, f: Function, designs: Any, rows: Mapping[str, np.ndarray], slot: str) -> Screened:
        """See `ScreenMachine.compute`."""
        found = f(**{slot: designs[:, None] if rows else designs}, **rows)
        shapes = {s.name: s.shape for s in f.program.outputs}
        bad = found.codes.reshape(-1) != 0
        outputs = {name: x.reshape(len(bad), *shapes[name]) for name, x in found.outputs.items()}
        return Screened(outputs, bad, np.zeros(len(bad), dtype=bool))

    def reduce_case(self, space: DesignSpace, own: CaseProgram, measures: Sequence[StateMeasure]) -> None:
        """None: what is written stays in a cache."""

    def first(self, F: Any, known: Any) -> Any:
        """See `ScreenMachine.first`."""
        return may_be_first(F)

    def turn(self) -> AbstractContextManager[Any]:
        """Threads work beside each other."""
        return nullcontext()


class GpuMachine:
    """A GPU, through CuPy; UsageError that says what is missing."""

    states = 2**24
    designs = 2**20
    remembers = True

    def __init__(self) -> None:
        self.module = device_module("device='cuda'")
        self._spread: dict[Any, Any] = {}
        self._lock = make_lock()

    def turn(self) -> AbstractContextManager[Any]:
        """One thread at a time; what others do with what came out goes on meanwhile."""
        return self._lock

    def compute(self, f: Function, designs: Any, rows: Mapping[str, np.ndarray], slot: str) -> Screened:
        """See `ScreenMachine.compute`."""
        count = max((len(x) for x in rows.values()), default=1)
        given = {name: self._repeated(name, x, len(designs), count) for name, x in rows.items()}
        given[slot] = self.module.repeat(designs, count, axis=0) if rows else designs
        return Screened(*evaluate_rows(f, given, len(designs) * count))

    def reduce_case(self, space: DesignSpace, own: CaseProgram, measures: Sequence[StateMeasure]) -> Reduced:
        """See `ScreenMachine.reduce_case`."""
        return reduced_rows(space, own, measures)

    def first(self, F: Any, known: Any) -> Any:
        """See `ScreenMachine.first`."""
        return first_of_many(round_objectives(F), known)

    def _repeated(self, name: str, rows: np.ndarray, designs: int, count: int) -> Any:
        """Rows (s, size) for one design after the other; those of the last block are known."""
        rows = np.broadcast_to(rows, (count, rows.shape[1]))
        key = (rows.tobytes(), designs)
        if self._spread.get(name, (None,))[0] != key:
            self._spread[name] = (key, self.module.tile(self.module.asarray(rows), (designs, 1)))
        return self._spread[name][1]
