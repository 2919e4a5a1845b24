"""A compiled function called for one state at a time: arrays go to machine code where they lie, and nothing else is looked at.

Whatever is not that plain (lists, other types, a batch, too many designs) and every state that a check flags is left to the
call for batches: it converts, explains, names what is wrong.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np

from gough.compilation.evaluation import Evaluation
from gough.program import Program
from gough.program.passes.outputs import ComputedOutputs

DESIGNS = 64
"""Designs whose entries are kept."""
PARAMETERS = "parameters"
NOBODY, NO_FAILURES = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=object)
for _empty in (NOBODY, NO_FAILURES):
    _empty.setflags(write=False)
Entry = Callable[..., int]
"""Of a kernel: 0 where it filled the outputs of a good state (see `backends.llvm`)."""


class OneState:
    """The calls of a function for one state. bind(design (n,)): the entry of its kernel, or an error where that design is not
    the function's; without parameters the design is (0,)."""

    def __init__(
        self, program: Program, computed: ComputedOutputs, bind: Callable[[np.ndarray], Entry], held: tuple[str, ...]
    ) -> None:
        self._bind, self._held, self._computed = bind, held, computed
        self.inputs = tuple(slot.name for slot in program.inputs if slot.name != PARAMETERS)
        self.outputs = tuple(slot.name for slot in program.outputs)
        self._design = next((slot.shape for slot in program.inputs if slot.name == PARAMETERS), None)
        self._shapes = [slot.shape for slot in program.outputs]
        self._part = [(i, np.isnan(fixed)) for i, fixed in enumerate(computed.fixed) if not np.isnan(fixed).all()]
        self._part_shapes = [slot.shape for slot in computed.program.outputs]
        self._count = len(program.inputs)
        self._given, self._wanted = _getter(self.inputs), _getter(self.outputs)
        self._entries: dict[bytes, Entry] = {}
        self._last: tuple[bytes, Entry] = (b"none yet", lambda *_: -1)

    def __call__(self, inputs: Mapping[str, Any], out: dict[str, np.ndarray] | None) -> Evaluation | None:
        """The evaluation; None where it is for the call for batches."""
        try:
            given = self._given(inputs)
            design = NOBODY if self._design is None else inputs[PARAMETERS]
            key = design.tobytes()
        except (KeyError, AttributeError):
            return None
        if len(inputs) != self._count:
            return None
        known, entry = self._last
        if key != known:
            entry = self._other(key, design)
            if entry is None:
                return None
        if out is None:
            arrays = self._run(entry, given)
            found = None if arrays is None else dict(zip(self.outputs, arrays, strict=True))
        else:
            found = self._fill(entry, given, out)
        return None if found is None else Evaluation(found, NOBODY, NO_FAILURES, (), self._held)

    def caller(
        self, design: np.ndarray, after: Sequence[np.ndarray] = (), unchecked: bool = False
    ) -> Callable[..., Sequence[np.ndarray] | None]:
        """A function of the inputs in their order, without the parameters and without the last ones, which are `after`: new
        arrays of all outputs, or None as above. unchecked: outputs as computed, whatever the checks say."""
        bound, last = self._other(design.tobytes(), design), tuple(after)
        assert bound is not None
        entry: Entry = (lambda *given: bound(*given) < 0) if unchecked else bound
        if self._part:
            return lambda *given: self._run(entry, (*given, *last))
        shapes, empty = self._shapes, np.empty
        if len(shapes) == 1:
            shape = shapes[0]

            def one(*given: Any) -> tuple[np.ndarray] | None:
                x = empty(shape)
                return None if entry(*given, *last, x) else (x,)

            return one

        def several(*given: Any) -> list[np.ndarray] | None:
            arrays = [empty(shape) for shape in shapes]
            return None if entry(*given, *last, *arrays) else arrays

        return several

    def _other(self, key: bytes, design: Any) -> Entry | None:
        """The entry of a design that is not the last one's; designs are compared number by number, arrays change."""
        if type(design) is not np.ndarray or (design is not NOBODY and design.dtype != float):
            return None
        if design.shape != (self._design or (0,)):
            return None
        entry = self._entries.get(key)
        if entry is None:
            if len(self._entries) >= DESIGNS:
                return None
            entry = self._entries[key] = self._bind(design.copy())
        self._last = (key, entry)
        return entry

    def _run(self, entry: Entry, given: Sequence[Any]) -> list[np.ndarray] | None:
        """New arrays of all outputs."""
        arrays = [np.empty(shape) for shape in self._part_shapes]
        if entry(*given, *arrays):
            return None
        for i, free in self._part:
            whole = self._computed.fixed[i].copy()
            whole[free] = arrays[i]
            arrays[i] = whole.reshape(self._shapes[i])
        return arrays

    def _fill(self, entry: Entry, given: Sequence[Any], out: dict[str, np.ndarray]) -> dict[str, np.ndarray] | None:
        """All outputs in the caller's arrays, which are looked at before anything is written."""
        if len(out) != len(self.outputs) or self._part:
            return None
        try:
            arrays = self._wanted(out)
        except KeyError:
            return None
        return None if entry(*given, *arrays) else dict(out)


def _getter(names: tuple[str, ...]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Entries of a mapping in order."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda known: tuple([known[name] for name in names])


Call = TypeVar("Call", bound=Callable[..., Evaluation])


def first_one_state(general: Call) -> Call:
    """A function's call (threads=, out=, **inputs) that tries its `one_state` first."""

    @wraps(general)
    def call(self: Any, *, threads: Any = None, out: Any = None, **inputs: Any) -> Evaluation:
        alone: OneState | None = self.one_state
        if alone is not None and threads is None and (out is None or type(out) is dict):
            found = alone(inputs, out)
            if found is not None:
                return found
        return general(self, threads=threads, out=out, **inputs)

    return call  # type: ignore[return-value]
