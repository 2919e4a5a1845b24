"""Runs of states that have a design each, by one call into machine code: a kernel called again and again, every time with another
design's table.

    i64 run(kernel, inputs, in_strides, outputs, out_strides, status, begin, end, bounds, tables)

does for the states begin … end what the kernel does (see `_driver`), run after run. bounds: where the first of the runs ends that
has a state of these, and all later ones; tables: addresses of the tables of the same runs.
"""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from gough.backends.llvm.store import StoredObject
from gough.backends.llvm.target import LoadedObject, compile_object, host
from gough.locks import make_lock
from gough.program.interpreter import evaluate_nodes, stack_columns
from gough.program.ops import Op
from gough.program.program import Program, Slot

AT_ONCE = 1024
"""Designs whose own work is done together."""

_KERNEL = "i64 (ptr, ptr, ptr, ptr, ptr, i64, i64, ptr)"

_TEXT = f"""
define i64 @run(ptr %kernel, ptr %inputs, ptr %in_strides, ptr %outputs, ptr %out_strides, ptr %status, i64 %begin, i64 %end,
                ptr %bounds, ptr %tables) {{
entry:
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %one, label %done
one:
  %i = phi i64 [ %begin, %entry ], [ %stop, %one ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %one ]
  %any = phi i64 [ 0, %entry ], [ %any.next, %one ]
  %bound.at = getelementptr i64, ptr %bounds, i64 %k
  %bound = load i64, ptr %bound.at, align 8
  %within = icmp slt i64 %bound, %end
  %stop = select i1 %within, i64 %bound, i64 %end
  %table.at = getelementptr ptr, ptr %tables, i64 %k
  %table = load ptr, ptr %table.at, align 8
  %word = sub i64 %i, %begin
  %words = getelementptr i64, ptr %status, i64 %word
  %found = call {_KERNEL} %kernel(ptr %inputs, ptr %in_strides, ptr %outputs, ptr %out_strides, ptr %words, i64 %i, i64 %stop,
                                  ptr %table)
  %any.next = or i64 %any, %found
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %stop, %end
  br i1 %more, label %one, label %done
done:
  %all = phi i64 [ 0, %entry ], [ %any.next, %one ]
  ret i64 %all
}}
"""

_SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int64, *([ctypes.c_void_p] * 6), ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p
)


_one = make_lock()
"""Code that two threads make at once would be thrown away by one of them, while the other runs it."""


@lru_cache(maxsize=1)
def _loaded() -> LoadedObject:
    return LoadedObject(compile_object(_TEXT, host()))


def design_runs() -> Callable[..., int]:
    """The machine code, made when first asked for; it serves every kernel."""
    with _one:
        return _function()


@lru_cache(maxsize=1)
def _function() -> Callable[..., int]:
    return _SIGNATURE(_loaded().address("run"))


class DesignTables:
    """Numbers and uniform inputs of many designs, each in the order of their use by the compiled program."""

    def __init__(self, program: Program, compiled: StoredObject) -> None:
        self._numbers, self._given = compiled.numbers, [slot.uniform for slot in program.inputs]
        entries = np.flatnonzero(compiled.uniform >= 0)
        sources = compiled.uniform[entries]
        hoisted = sources >= program.n_inputs
        self._columns = np.cumsum(program.uniform_inputs()) - 1
        self._entries, self._sources = entries[~hoisted], self._columns[sources[~hoisted]]
        self._hoisted, self._results = entries[hoisted], sources[hoisted] - program.n_inputs
        self._once = None if compiled.once is None else _of_what_it_reads(compiled.once)

    def fill(self, inputs: Sequence[np.ndarray]) -> np.ndarray:
        """Tables (designs, k); inputs: per slot, a row a design (designs, size) of uniform ones."""
        given = [x for x, uniform in zip(inputs, self._given, strict=True) if uniform]
        rows = given[0] if len(given) == 1 else np.concatenate(given, axis=1)
        tables = np.repeat(self._numbers[None], len(rows), axis=0)
        tables[:, self._entries] = rows[:, self._sources]
        if self._once is None:
            return tables
        once, used = self._once
        for begin in range(0, len(rows), AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            values = rows[part, self._columns[used]]
            nodes = evaluate_nodes(once, values)
            tables[part, self._hoisted] = stack_columns(
                [nodes[once.results[k]] for k in self._results], values.shape[:1]
            )
        return tables


def _of_what_it_reads(program: Program) -> tuple[Program, np.ndarray]:
    """(the program with one slot, of the inputs that it reads; their positions)."""
    used, places = np.unique(program.used_inputs, return_inverse=True)
    order = iter(places.tolist())
    args = [(next(order),) if op == Op.INPUT else x for op, x in zip(program.ops, program.args, strict=True)]
    return replace(program, args=args, inputs=(Slot("used", (len(used),)),)), used
