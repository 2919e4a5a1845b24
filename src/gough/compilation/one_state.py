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
from gough.errors import Failure
from gough.program import Program
from gough.program.passes.outputs import ComputedOutputs

DESIGNS = 64
"""Designs whose entries are kept."""
FEW = 4096
"""States in rows that are not worth a look at threads and chunks."""
PARAMETERS = "parameters"
FLOAT = np.dtype(float)
NOBODY, NO_FAILURES = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=object)
for _empty in (NOBODY, NO_FAILURES):
    _empty.setflags(write=False)
Entry = Callable[..., int]
"""Of a kernel: 0 where it filled the outputs of a good state (see `backends.llvm`)."""
Straight = Callable[..., Sequence[np.ndarray] | None]
"""A function of one state's arrays: new arrays of all outputs, None where the call for batches must say what is wrong."""


class OneState:
    """The calls of a function for one state. bind(design (n,)): the entries of its kernel, None where that design is for the
    call for batches, or an error where it is not the function's; without parameters the design is (0,). diagnose(rows (1, size)):
    what is wrong with a state, if clear."""

    def __init__(
        self,
        program: Program,
        computed: ComputedOutputs,
        bind: Callable[[np.ndarray], tuple[Entry, Entry] | None],
        diagnose: Callable[[dict[str, np.ndarray]], Failure | None],
        held: tuple[str, ...],
    ) -> None:
        self._bind, self._diagnose, self.held, self._computed = bind, diagnose, held, computed
        self.inputs = tuple(slot.name for slot in program.inputs if slot.name != PARAMETERS)
        self.outputs = tuple(slot.name for slot in program.outputs)
        self._design = next((slot.shape for slot in program.inputs if slot.name == PARAMETERS), None)
        self._shapes = [slot.shape for slot in program.outputs]
        free = {i: np.isnan(fixed) for i, fixed in enumerate(computed.fixed)}
        self._free = {i: x for i, x in free.items() if not x.all()}
        self._computed_shapes = [slot.shape for slot in computed.program.outputs]
        self._count = len(program.inputs)
        self._given, self._wanted = _getter(self.inputs), _getter(self.outputs)
        self._entries: dict[bytes, tuple[Entry, Entry]] = {}
        self._last: list[tuple[bytes, Entry]] = [(b"none yet", lambda *_: -1)]

    @property
    def plain(self) -> "PlainCall | None":
        """What `first_one_state` needs of a function with one output, all of whose entries are computed."""
        if len(self.outputs) != 1 or self._free or self._design is None:
            return None
        return self._given, self._last, self.outputs[0], self._shapes[0], self._count, self.held

    def evaluate(self, inputs: Mapping[str, Any], out: dict[str, np.ndarray] | None) -> Evaluation | None:
        """The evaluation; None where it is for the call for batches."""
        try:
            given = self._given(inputs)
            design = NOBODY if self._design is None else inputs[PARAMETERS]
            if design.ndim != 1 or (design is not NOBODY and design.dtype is not FLOAT):
                return None
            key = design.tobytes()
        except (KeyError, AttributeError):
            return None
        known, entry = self._last[0]
        if key != known:
            entry = self._other(key, design)
        arrays = self._arrays(out)
        if entry is None or arrays is None or len(inputs) != self._count:
            return None
        flagged = entry(*given, *arrays)
        if flagged:
            return self._blamed(inputs, out) if flagged > 0 else None
        found = dict(zip(self.outputs, self._whole(arrays) if self._free else arrays, strict=True))
        return Evaluation(found, NOBODY, NO_FAILURES, (), self.held)

    def evaluate_rows(self, inputs: Mapping[str, Any]) -> tuple[dict[str, np.ndarray], int] | None:
        """(outputs (n, *shape), 1 where a check flags some state) of a few states in rows: inputs (n, *shape) or (1, *shape), one
        design (k,) or (1, k). None where it is for the call for batches."""
        try:
            given = self._given(inputs)
            design = NOBODY if self._design is None else inputs[PARAMETERS]
            design = design[0] if design.ndim == 2 and len(design) == 1 else design
            n, key = max(map(len, given)), design.tobytes()
            if design.ndim != 1 or len(inputs) != self._count or n > FEW or not self.outputs:
                return None  # without outputs nothing says how many states there are
        except (KeyError, AttributeError, TypeError, ValueError):  # lists, numbers, designs of their own kind
            return None
        if self._other(key, design) is None:
            return None
        arrays = [np.empty((n, *shape)) for shape in self._computed_shapes]
        flagged = self._entries[key][1](*given, *arrays)
        if flagged < 0:
            return None
        if self._free:
            arrays = self._computed.spread([x.reshape(n, -1) for x in arrays])
            arrays = [x.reshape(n, *shape) for x, shape in zip(arrays, self._shapes, strict=True)]
        return dict(zip(self.outputs, arrays, strict=True)), flagged

    def _blamed(self, inputs: Mapping[str, Any], out: dict[str, np.ndarray] | None) -> Evaluation | None:
        """Of a state that a check flags, where it is clear what is wrong."""
        failure = self._diagnose({name: x.reshape(1, -1) for name, x in inputs.items()})
        if failure is None:
            return None
        found = {}
        for name, shape in zip(self.outputs, self._shapes, strict=True):
            found[name] = np.empty(shape) if out is None else out[name]
            found[name].fill(np.nan)
        return Evaluation(found, np.zeros(1, dtype=np.int64), np.array([failure], dtype=object), (), self.held)

    def caller(self, design: np.ndarray, after: Sequence[np.ndarray] = (), unchecked: bool = False) -> Straight:
        """A function of the inputs in their order, without the parameters and without the last ones, which are `after`: new
        arrays of all outputs, or None as above. unchecked: outputs as computed, whatever the checks say."""
        bound, last = self._other(design.tobytes(), design), tuple(after)
        assert bound is not None
        entry: Entry = (lambda *given: bound(*given) < 0) if unchecked else bound
        if self._free:
            return lambda *given: self._run(entry, (*given, *last))
        shapes, empty = self._shapes, np.empty
        if len(shapes) == 1:
            shape = shapes[0]

            def one(*given: Any, _of: Any = self) -> tuple[np.ndarray] | None:  # its machine code lives as long
                x = empty(shape)
                return None if entry(*given, *last, x) else (x,)

            return one

        def several(*given: Any, _of: Any = self) -> list[np.ndarray] | None:
            arrays = [empty(shape) for shape in shapes]
            return None if entry(*given, *last, *arrays) else arrays

        return several

    def other_caller(self, design: np.ndarray, after: Sequence[np.ndarray] = ()) -> Straight | None:
        """`caller` of any design; None where it is for the call for batches to look at, or too many have been asked for."""
        return None if self._other(design.tobytes(), design) is None else self.caller(design, after)

    def batch_caller(self, design: np.ndarray, after: Sequence[np.ndarray] = ()) -> Straight:
        """As `caller`, of several states: inputs (n, *shape), all outputs (n, *shape)."""
        self._other(design.tobytes(), design)
        entry, last = self._entries[design.tobytes()][1], tuple(x[None] for x in after)
        shapes, empty = self._shapes, np.empty

        def several(*given: Any, _of: Any = self) -> list[np.ndarray] | None:
            n = len(given[0])
            arrays = [empty((n, *shape)) for shape in shapes]
            return None if entry(*given, *last, *arrays) else arrays

        return several if not self._free else lambda *_: None

    def _other(self, key: bytes, design: Any) -> Entry | None:
        """The entry of a design that is not the last one's; designs are compared number by number, arrays change."""
        if type(design) is not np.ndarray or (design is not NOBODY and design.dtype != float):
            return None
        if design.shape != (self._design or (0,)):
            return None
        pair = self._entries.get(key)
        if pair is None:
            if len(self._entries) >= DESIGNS:
                return None
            pair = self._bind(design.copy())
            if pair is None:
                return None
            self._entries[key] = pair
        self._last[0] = (key, pair[0])
        return pair[0]

    def _arrays(self, out: dict[str, np.ndarray] | None) -> Sequence[np.ndarray] | None:
        """Where the outputs are written: new arrays, or all the caller's; the entry looks at them."""
        if out is None:
            return [np.empty(shape) for shape in self._computed_shapes]
        if type(out) is not dict or len(out) != len(self.outputs) or self._free:
            return None
        try:
            return self._wanted(out)
        except KeyError:
            return None

    def _run(self, entry: Entry, given: Sequence[Any]) -> list[np.ndarray] | None:
        """New arrays of all outputs."""
        arrays = [np.empty(shape) for shape in self._computed_shapes]
        return None if entry(*given, *arrays) else self._whole(arrays)

    def _whole(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Computed entries and fixed ones together, each output in its shape."""
        found = [
            x.reshape(shape) if i not in self._free else x
            for i, (x, shape) in enumerate(zip(arrays, self._shapes, strict=True))
        ]
        for i, free in self._free.items():
            whole = self._computed.fixed[i].copy()
            whole[free] = found[i]
            found[i] = whole.reshape(self._shapes[i])
        return found


def _getter(names: tuple[str, ...]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Entries of a mapping in order."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda known: tuple([known[name] for name in names])


def _apart(x: Any, out: Mapping[str, Any]) -> Any:
    """An input, copied where an array that is written to lies over it."""
    arrays = [y for y in out.values() if isinstance(y, np.ndarray)]
    return x.copy() if isinstance(x, np.ndarray) and any(np.may_share_memory(x, y) for y in arrays) else x


Call = TypeVar("Call", bound=Callable[..., Evaluation])
PlainCall = tuple[Callable[..., Any], list[tuple[bytes, Entry]], str, tuple[int, ...], int, tuple[str, ...]]
"""See `OneState.plain`: inputs in order from a mapping, (design, entry) of the last call, the output's name and shape, the number
of inputs, and what the evaluation holds."""


def first_one_state(general: Call) -> Call:
    """A function's call (threads=, out=, **inputs) that tries its `one_state` first. What most calls are is written out here:
    a call more takes as long as a quarter of the machine code."""

    @wraps(general)
    def call(self: Any, *, threads: Any = None, out: Any = None, **inputs: Any) -> Evaluation:
        plain: PlainCall | None = self.plain_call
        if plain is not None and threads is None:
            get, last, name, shape, count, held = plain
            try:
                if len(inputs) == count and (out is None or len(out) == 1):
                    array = np.empty(shape) if out is None else out[name]
                    if not last[0][1](*get(inputs), array, inputs[PARAMETERS]):
                        return Evaluation({name: array}, NOBODY, NO_FAILURES, (), held)
            except (KeyError, TypeError, IndexError):  # IndexError: out= is an array
                pass
        known: OneState | None = self.one_state
        found = known.evaluate(inputs, out) if known is not None and threads is None else None
        if found is None and known is not None and threads is None and out is None:
            rows = known.evaluate_rows(inputs)
            if rows is not None and not rows[1]:
                batch = (len(next(iter(rows[0].values()))),)
                return Evaluation(rows[0], NOBODY, NO_FAILURES, batch, known.held)
        if found is None and isinstance(out, Mapping):
            inputs = {name: _apart(x, out) for name, x in inputs.items()}
        return general(self, threads=threads, out=out, **inputs) if found is None else found

    return call  # type: ignore[return-value]
