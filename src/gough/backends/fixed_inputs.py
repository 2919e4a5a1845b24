"""Give an input slot of a program its numbers for good: the slot goes, and what depends on it alone folds."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gough.errors import UsageError
from gough.program.graph import INPUT, Graph
from gough.program.passes.rewrite import finish, replay
from gough.program.program import Program


class Table(Protocol):
    """The slot "parameters" of a program: names and numbers of a design, and which arrays may stand for them."""

    @property
    def names(self) -> Sequence[str]:
        """One for each entry."""
        ...

    @property
    def values(self) -> Sequence[float]:
        """The design's numbers."""
        ...

    def check(self, values: np.ndarray, pattern: dict[int, float]) -> None:
        """Raise when the array does not have the numbers that were folded."""
        ...

    def guard(self, pattern: dict[int, float]) -> Callable[[np.ndarray], None]:
        """`check` for one pattern, made ready."""
        ...

    def even(self, pattern: dict[int, float]) -> dict[int, float]:
        """Those of the folded numbers that results depend on evenly."""
        ...


def fix_input(program: Program, name: str, numbers: np.ndarray) -> Program:
    """The program without the slot `name`, whose flat entries are `numbers`. Positions of later inputs move up."""
    start = program.input_offset(name)
    size = next(s.size for s in program.inputs if s.name == name)
    graph = Graph()
    places = {start + k: graph.const(float(x)) for k, x in enumerate(numbers)}
    places |= {k: graph.raw(INPUT, k - size) for k in range(start + size, program.n_inputs)}
    new = replay(program, graph, inputs=places)
    return finish(program, graph, new, inputs=tuple(s for s in program.inputs if s.name != name))


def fold_entries(program: Program, name: str, numbers: Mapping[int, float]) -> Program:
    """The program with some flat entries {k: number} of the slot `name` put in; the slot stays, and does not read them."""
    start, graph = program.input_offset(name), Graph()
    places = {start + k: graph.const(float(x)) for k, x in numbers.items()}
    return finish(program, graph, replay(program, graph, inputs=places))


def with_parameters(program: Program, parameters: Any, table: Table, pattern: dict[int, float]) -> Program:
    """The program with its slot "parameters" as asked: "input" keeps it, "design" or an array (n,) puts numbers in."""
    slot = next((s for s in program.inputs if s.name == "parameters"), None)
    if isinstance(parameters, str) and parameters not in ("design", "input"):
        raise UsageError(f"parameters={parameters!r}; use 'design', 'input' or an array of numbers")
    if slot is None or (isinstance(parameters, str) and parameters == "input"):
        return program
    numbers = np.asarray(table.values if isinstance(parameters, str) else parameters, dtype=float)
    if numbers.shape != slot.shape:
        raise UsageError(f"parameters has shape {numbers.shape}; expected {slot.shape}, 'design' or 'input'")
    table.check(numbers, pattern)
    return fix_input(program, "parameters", numbers)
