"""What a backend is to the compile service, and what a compiled time loop is to who runs it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gough.errors import UsageError
from gough.program.program import Program
from gough.program.verdict import flat_inputs

STATE, OWN, GIVEN, RECORD, RUNNING = "state", "own", "given", "record", "running"
"""Slots of the program of a time loop, see `CompiledLoop`."""


class Backend(Protocol):
    """A machine or a language. Every package of the list has one object BACKEND of this kind."""

    name: str

    def compile(self, program: Program, **options: Any) -> Any:
        """What runs a program: a kernel of arrays of states, a function of another library, or text."""
        ...

    def time_loop(self, program: Program, **options: Any) -> "CompiledLoop":
        """A program that makes the next state from the present one, again and again."""
        raise UsageError(f"backend={self.name!r} makes no time loops; use 'llvm' or 'cuda'")

    def reduce_states(self, program: Program, **options: Any) -> Any:
        """A program whose results are reduced over the states of a design (see `reductions`)."""
        raise UsageError(f"backend={self.name!r} reduces no states; use 'cuda'")


@dataclass(frozen=True)
class Marched:
    """state (runs, n): after the last turn, or the last good one of a run that failed. record (rows, runs, r): written every
    `every` turns. turns: done, the same for all runs. failed (runs,): the turn at which a check failed, -1 for none. status
    (runs,): words of that turn, as a kernel gives them."""

    state: np.ndarray
    record: np.ndarray
    turns: int
    failed: np.ndarray
    status: np.ndarray


class CompiledLoop(Protocol):
    """A time loop over many runs at once. Slots of its program: inputs "state", "own" (of a run), "given" (of a turn), and
    uniform ones; outputs "state", "record", "running". address: of the machine code, 0 where it is not for this CPU."""

    address: int

    def table(self, uniform: Mapping[str, np.ndarray]) -> np.ndarray:
        """Numbers and uniform inputs in the order of their use, for uniform slots (size,)."""
        ...

    def bind_table(self, table: np.ndarray) -> Any:
        """The loop of one run, without "own", on arrays that stay, for steps that are taken one by one: see `BoundLoop`."""
        ...

    def __call__(
        self,
        state: np.ndarray,
        steps: int,
        table: np.ndarray,
        given: np.ndarray | None = None,
        own: np.ndarray | None = None,
        every: int = 1,
        first: int | None = None,
    ) -> Marched:
        """Take `steps` turns from states (runs, n). given (steps or 1, g): a row a turn, one row is used for all. own
        (runs, m): what is a run's own. Records are written at turn `first`, default `every`, and then every `every` turns."""
        ...


def uniform_numbers(program: Program, once: Program | None, uniform: Mapping[str, np.ndarray]) -> np.ndarray:
    """Flat inputs of a program with its uniform slots (size,) filled in, zeros elsewhere, and behind them what the program `once`
    computes from them."""
    rows = {s.name: np.zeros(s.size) for s in program.inputs} | {k: np.ravel(x) for k, x in uniform.items()}
    values = [rows[s.name] for s in program.inputs]
    if once is not None:
        known = {s.name: rows[s.name][None] for s in once.inputs}
        values.append(once.evaluate_flat(flat_inputs(once, known, 1)[0]).astype(float))
    return np.concatenate([np.zeros(0), *values])


def address(x: np.ndarray) -> int:
    """Where an array's first entry is (`x.ctypes.data`, but quicker)."""
    return x.__array_interface__["data"][0]
