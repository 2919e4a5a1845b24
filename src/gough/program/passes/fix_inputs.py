"""Give an input slot of a program its numbers for good: the slot goes, and what depends on it alone folds."""

from collections.abc import Mapping

import numpy as np

from gough.program.graph import INPUT, Graph
from gough.program.passes.rewrite import finish, replay
from gough.program.program import Program


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
