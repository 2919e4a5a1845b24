"""A function whose program relies on what geometry locks, and the whole one behind it, which does not.

It is right for designs that lock the same, at states on the branch of configurations that home is on. Its checks flag all others:
a flagged state that stays bad is asked of the whole function, and so is a call with another design, so that results, statuses
and their places are the whole one's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gough.arguments import checked, mapping, whole
from gough.compilation._parameters import DesignTable
from gough.compilation.arrays import on_gpu
from gough.compilation.designs import DesignRows
from gough.compilation.evaluation import Evaluation
from gough.compilation.function import Function
from gough.compilation.old_names import current_names
from gough.compilation.one_state import first_one_state
from gough.errors import GOOD, Failure
from gough.program import Program
from gough.program.derivatives import derive, names_of

OF_THE_WHOLE = ("q", "parameters")
"""Derivatives by these leave the branch, or the design, that the locks are of."""


class NarrowFunction(Function):
    """Made by `Model.function`. keeps(designs (n, size)): whether all of them lock the same. make_unlocked: the function without
    locks. Other libraries and GPUs, which cannot ask back, take that one; so does a copy in another process."""

    def __init__(
        self,
        program: Program,
        table: DesignTable,
        pattern: dict[int, float],
        keeps: Callable[[np.ndarray], bool],
        make_unlocked: Callable[[], Function],
        precision: str = "fast",
        alike: Callable[[], Program] | None = None,
        held: tuple[str, ...] = (),
    ) -> None:
        super().__init__(program, table, pattern, precision=precision, alike=alike, held=held)
        self._keeps, self._make_unlocked = keeps, make_unlocked

    def replace_unlocked(self, make_unlocked: Callable[[], Function]) -> None:
        """Have another function without locks behind it."""
        self._make_unlocked = make_unlocked
        self.__dict__.pop("unlocked", None)

    @cached_property
    def unlocked(self) -> Function:
        """The function without locks."""
        return self._make_unlocked()

    def suits(self, inputs: Mapping[str, Any]) -> bool:
        """Whether a call is for this function, as far as its design tells."""
        if any(map(on_gpu, inputs.values())):
            return False
        given = inputs.get("parameters")
        try:
            designs = given.designs if isinstance(given, DesignRows) else np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            return True  # to be refused
        n = len(self._table.values)
        return designs.shape[-1:] != (n,) or self._keeps(designs.reshape(-1, n))

    @first_one_state
    @checked(threads=whole(1), out=mapping())
    def __call__(self, *, threads: Any = None, out: Any = None, **inputs: Any) -> Evaluation:
        """As `Function`."""
        if self.suits(inputs):
            return super().__call__(threads=threads, out=out, **inputs)
        return self.unlocked(threads=threads, out=out, **inputs)

    def chunks(self, states: int, *, threads: Any = None, **inputs: Any) -> Iterator[Evaluation]:
        """As `Function`."""
        if self.suits(inputs):
            return super().chunks(states, threads=threads, **inputs)
        return self.unlocked.chunks(states, threads=threads, **inputs)

    def values(self, **inputs: Any) -> dict[str, np.ndarray]:
        """As `Function`: the whole one's, as nobody would look at the checks."""
        return self.unlocked.values(**inputs)

    def derivative(self, wrt: str | Sequence[str], mode: str = "jacobian") -> Function:
        """As `Function`."""
        wrt = current_names(self.program, (wrt,) if isinstance(wrt, str) else tuple(wrt))
        names, alike = names_of(wrt, self.program), self.alike
        if any(name in OF_THE_WHOLE for name in names):
            return self.unlocked.derivative(wrt, mode)
        return NarrowFunction(
            derive(self.program, names, mode),
            self._table,
            self._pattern,
            self._keeps,
            lambda: self.unlocked.derivative(wrt, mode),
            self.precision,
            None if alike is None else lambda: derive(alike(), names, mode),
            tuple(s.name for s in self.program.inputs if s.name not in names),
        )

    def compile(self, backend: str = "llvm", precision: str | None = None, dtype: str | None = None) -> Function:
        """As `Function`."""
        if backend != "llvm":
            return self.unlocked.compile(backend, precision, dtype)
        return super().compile(backend, precision, dtype)

    def _with(self, precision: str | None) -> Function:
        whole = self.unlocked._with(precision)
        same = (self._table, self._pattern, self._keeps)
        return NarrowFunction(self.program, *same, lambda: whole, whole.precision, self.alike, self.held)

    def _with_parameters(self, parameters: Any) -> Program:
        return self.unlocked._with_parameters(parameters)

    def _bind(self, design: np.ndarray) -> Any:
        return super()._bind(design) if self._keeps(design[None]) else None

    def _diagnose(self, rows: dict[str, np.ndarray]) -> Failure | None:
        return self.unlocked._diagnose(rows)  # what is wrong is the whole function's to say

    def _judge(self, rows: dict[str, np.ndarray], n: int) -> tuple[list[np.ndarray], list[Failure]]:
        if self._kernels:  # its checks failed already
            outputs, names = [np.empty((n, slot.size)) for slot in self.program.outputs], [GOOD] * n
            wrong = np.arange(n)
        else:
            outputs, names = super()._judge(rows, n)
            wrong = np.flatnonzero([failure != GOOD for failure in names])
        if len(wrong):
            shapes = {slot.name: slot.shape for slot in self.program.inputs}
            some = {name: x if len(x) == 1 else x[wrong] for name, x in rows.items()}
            found = self.unlocked(**{name: x.reshape(len(x), *shapes[name]) for name, x in some.items()})
            for output, better in zip(outputs, found.outputs.values(), strict=True):
                output[wrong] = better.reshape(len(better), -1)
            for k, failure in zip(wrong, found.failures, strict=True):
                names[k] = failure
        return outputs, names

    def __reduce__(self) -> Any:
        return _restore_function, (self.unlocked.__getstate__(),)


def _restore_function(state: dict[str, Any]) -> Function:
    function = Function.__new__(Function)
    function.__setstate__(state)
    return function
