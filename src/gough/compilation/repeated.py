"""A function at one state while some of its inputs change: a load, at a robot that stands where it stood.

The interpreter evaluates again what depends on them, a few hundredths of the program; everything else is known. Values and
verdicts are those of the whole evaluation, to the last bit.
"""

from collections.abc import Callable, Collection, Mapping
from functools import cached_property

import numpy as np

from gough.compilation.function import Function
from gough.compilation.narrow import NarrowFunction
from gough.errors import GOOD
from gough.program.interpreter import dependent_nodes, evaluate_one
from gough.program.passes.outputs import computed_outputs
from gough.program.verdict import first_failure, result_columns, solve_conditions

Again = Callable[..., dict[str, np.ndarray]]


class RepeatedFunction:
    """A function of which calls change some inputs, those of the slots `changing`, while the others stay."""

    def __init__(self, function: Function, changing: Collection[str]) -> None:
        self._function, self._computed = function, computed_outputs(function.program)
        program = self._computed.program
        begins = {slot: program.input_offset(slot.name) for slot in program.inputs if slot.name in changing}
        self._places = {slot.name: slice(at, at + slot.size) for slot, at in begins.items()}

    @cached_property
    def _changed(self) -> list[int]:
        """Nodes that calls change."""
        program = self._computed.program
        everything = range(program.n_inputs)
        return dependent_nodes(program, {k for place in self._places.values() for k in everything[place]})

    def at(self, state: Mapping[str, np.ndarray]) -> Again | None:
        """At a state, (size,) by name of all inputs: a function of those that change that gives all outputs, NaN where they are
        bad. None where machine code is there, or due: that is faster. A design that is none of the function's is refused."""
        function, some, places = self._function, self._changed, self._places
        narrow = isinstance(function, NarrowFunction)
        if (narrow and not function.suits(state)) or not function.interprets(state["parameters"]):
            return None
        computed, slots = self._computed, function.program.outputs
        program = computed.program
        own = np.concatenate([np.reshape(state[slot.name], -1) for slot in program.inputs])
        known = evaluate_one(program, own.tolist())
        fixed = [i for i in program.solves if set(some).isdisjoint(program.solve_matrix(i))]
        conditions = {i: float(solve_conditions(program, i, known, 1)[0]) for i in fixed}

        def again(**inputs: np.ndarray) -> dict[str, np.ndarray]:
            values = own.copy()
            for name, place in places.items():
                values[place] = np.reshape(inputs[name], -1)
            nodes = evaluate_one(program, values.tolist(), known, some)
            found = result_columns(program, nodes, 1)
            if first_failure(program, values, nodes, found, conditions) != GOOD:
                if narrow:  # the function without locks decides
                    return function(**{**state, **inputs}).outputs
                return {slot.name: np.full(slot.shape, np.nan) for slot in slots}
            whole = zip(slots, computed.spread(found), strict=True)
            return {slot.name: x[0].reshape(slot.shape) for slot, x in whole}

        return again
