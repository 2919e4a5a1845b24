"""A kernel that Python calls with arrays of one state, without ctypes between: a builtin function whose machine code reads where
the arrays lie.

    bad = entry(q, v, …, tau)             # inputs that are not uniform, then arrays for the outputs
    bad = entry(q, v, …, tau, design)     # the same, where `design` holds the very numbers the entry was bound with

0: filled, the state is good; 1: filled, a check flags the state; -1: nothing done, some argument is no array that can be used
where it lies (of float64, of its slot's shape, contiguous, of the type ndarray itself; no output over an input), or the design is
another one. It never raises.
`entries` is the same for up to MOST states: arrays (n, *shape), of inputs (1, *shape) too where one row serves all; 1: a check
flags some state.

The machine code knows the first words of CPython's objects and of NumPy's arrays (`PyArrayObject_fields`, which every extension
module reads inline). `layout_holds` asks this very process whether they lie there; where they do not, there are no entries,
and calls of one state take the way of batches.
"""

import ctypes
import struct
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from gough.backends.backend import address
from gough.backends.llvm._writer import Writer
from gough.program.program import Program, Slot

TYPE, DATA, RANK, SHAPE, DESCR, FLAGS = 8, 16, 24, 32, 56, 64
"""Where they are in an array, bytes from its beginning."""
IN_PLACE, WRITEABLE = 0x101, 0x400
"""Flags of an array: contiguous and aligned; writeable."""
TABLE, HOISTED_ROW, ARRAY_TYPE, FLOAT, INTEGER, LET_GO, TAKE_BACK, DESIGN, DESIGN_SIZE = range(9)
"""Words of an entry's own: addresses of the design's numbers in the order of their use, of what is computed once for it, of
`ndarray`, of the type float64, of PyLong_FromLong, of the functions that let other threads run meanwhile (0: they wait), and of
the design as it is given, with its length."""
ENTRY, ENTRIES = "entry", "entries"
"""Names of the machine code: for one state, for several."""
MOST = 4096
"""States of a call that stay on the calling thread."""
LONG = 20_000
"""Operations from which on other threads run meanwhile: it takes as long as a few hundred operations."""
_FASTCALL = 0x80
_ROOM = 64
"""Bytes of status words: of the widest tile."""


def write_entries(program: Program, hoisted: bool) -> str:
    """IR of both entries around the kernel of a program. hoisted: its last input is computed once for a design."""
    declared = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
    return "\n".join([declared, _written(program, hoisted, False), _written(program, hoisted, True)])


def _written(program: Program, hoisted: bool, several: bool) -> str:
    """IR of  PyObject *entry(PyObject *self, PyObject *const *args, Py_ssize_t count).  self: an array of its own words."""
    w = Writer(1)
    given = [slot for slot in program.inputs if not slot.uniform]
    n, ins = len(given) + len(program.outputs), len(program.inputs)
    w.do(f"%words = load ptr, ptr {_byte(w, '%self', DATA)}, align 8")
    for name in ("places", "strides"):
        size = ins + len(program.outputs)
        w.do(f"%{name} = alloca i64, i64 {size}, align 8")
        w.do(f"call void @llvm.memset.p0.i64(ptr %{name}, i8 0, i64 {8 * size}, i1 false)")
    array, number = (_word(w, k) for k in (ARRAY_TYPE, FLOAT))
    if not several:
        w.do(f"br i1 {w.emit(f'icmp eq i64 %count, {n + 1}')}, label %design, label %plain")
        _check_design(w, n, array, number)
        w.label("plain")
    w.do(f"br i1 {w.emit(f'icmp eq i64 %count, {n}')}, label %states, label %refused")
    w.label("states")
    states = "1"
    if several:
        states = _states(w, len(given), array)
    else:
        w.do("br label %check0")
    k = 0
    for place, slot in enumerate((*program.inputs, *program.outputs)):
        if place < ins and slot.uniform:
            continue
        output = place >= ins
        _check(w, k, place, slot, array, number, IN_PLACE | WRITEABLE * output, states if several else "", output)
        k += 1
    w.label(f"check{n}")
    _refuse_overlaps(w, program, states)
    room = w.emit(f"add i64 {states}, {_ROOM // 8}")
    w.do(f"%status = alloca i64, i64 {room}, align {_ROOM}")
    if hoisted:
        w.do(f"store i64 {_word(w, HOISTED_ROW)}, ptr {_entry(w, '%places', ins - 1)}, align 8")
    free = _word(w, LET_GO)
    w.do(f"%alone = icmp eq i64 {free}, 0")
    w.do("br i1 %alone, label %run, label %let")
    w.label("let")
    w.do(f"%kept = call ptr {w.emit(f'inttoptr i64 {free} to ptr')}()")
    w.do("br label %run")
    w.label("run")
    w.do("%thread = phi ptr [ null, %apart ], [ %kept, %let ]")
    table = w.emit(f"inttoptr i64 {_word(w, TABLE)} to ptr")
    outs = (_entry(w, "%places", ins), _entry(w, "%strides", ins))
    arguments = (
        f"ptr %places, ptr %strides, ptr {outs[0]}, ptr {outs[1]}, ptr %status, i64 0, i64 {states}, ptr {table}"
    )
    w.do(f"%word = call i64 @kernel({arguments})")
    w.do("%flagged = zext i1 " + w.emit("icmp ne i64 %word, 0") + " to i64")
    w.do("br i1 %alone, label %done, label %take")
    w.label("take")
    back = w.emit(f"inttoptr i64 {_word(w, TAKE_BACK)} to ptr")
    w.do(f"call void {back}(ptr %thread)")
    w.do("br label %done")
    w.label("refused")
    w.do("br label %done")
    w.label("done")
    w.do("%found = phi i64 [ %flagged, %run ], [ %flagged, %take ], [ -1, %refused ]")
    make = w.emit(f"inttoptr i64 {_word(w, INTEGER)} to ptr")
    w.do(f"ret ptr {w.emit(f'call ptr {make}(i64 %found)')}")
    head = f"define ptr @{ENTRIES if several else ENTRY}(ptr %self, ptr %args, i64 %count) {{"
    return "\n".join([head, "entry:", *w.lines, "}"])


def _check_design(w: Writer, k: int, array: str, number: str) -> None:
    """Refuse argument k where it is not, number by number, the design that the entry was bound with."""
    w.label("design")
    w.do(f"%given = load ptr, ptr {_entry(w, '%args', k)}, align 8")
    kind = w.emit(f"load i64, ptr {_byte(w, '%given', TYPE)}, align 8")
    w.do(f"br i1 {w.emit(f'icmp eq i64 {kind}, {array}')}, label %vector, label %refused")
    w.label("vector")
    rank = w.emit(f"load i32, ptr {_byte(w, '%given', RANK)}, align 4")
    w.do(f"br i1 {w.emit(f'icmp eq i32 {rank}, 1')}, label %length, label %refused")
    w.label("length")
    own = w.emit(f"load i32, ptr {_byte(w, '%given', FLAGS)}, align 4")
    fits = w.emit(f"icmp eq i32 {w.emit(f'and i32 {own}, {IN_PLACE}')}, {IN_PLACE}")
    held = w.emit(f"load i64, ptr {_byte(w, '%given', DESCR)}, align 8")
    fits = w.emit(f"and i1 {fits}, {w.emit(f'icmp eq i64 {held}, {number}')}")
    shape = w.emit(f"load ptr, ptr {_byte(w, '%given', SHAPE)}, align 8")
    there = w.emit(f"load i64, ptr {shape}, align 8")
    w.do(f"%size = load i64, ptr {_entry(w, '%words', DESIGN_SIZE)}, align 8")
    fits = w.emit(f"and i1 {fits}, {w.emit(f'icmp eq i64 {there}, %size')}")
    w.do(f"br i1 {fits}, label %numbers, label %refused")
    w.label("numbers")
    w.do(f"%mine = load ptr, ptr {_entry(w, '%words', DESIGN)}, align 8")
    w.do(f"%theirs = load ptr, ptr {_byte(w, '%given', DATA)}, align 8")
    w.do("%whole = and i64 %size, -8")
    w.do("br label %eights")
    w.label("eights")
    w.do("%i = phi i64 [ 0, %numbers ], [ %i8, %eight ]")
    w.do("%differ = phi <8 x i64> [ zeroinitializer, %numbers ], [ %differ8, %eight ]")
    w.do("br i1 " + w.emit("icmp ult i64 %i, %whole") + ", label %eight, label %ones")
    w.label("eight")
    a, b = (w.emit(f"load <8 x i64>, ptr {_entry(w, x, '%i')}, align 8") for x in ("%mine", "%theirs"))
    w.do(f"%differ8 = or <8 x i64> %differ, {w.emit(f'xor <8 x i64> {a}, {b}')}")
    w.do("%i8 = add i64 %i, 8")
    w.do("br label %eights")
    w.label("ones")
    bits = w.emit("bitcast <8 x i64> %differ to i512")
    w.do(f"%any = zext i1 {w.emit(f'icmp ne i512 {bits}, 0')} to i64")
    w.do("br label %rest")
    w.label("rest")
    w.do("%j = phi i64 [ %i, %ones ], [ %j1, %one ]")
    w.do("%other = phi i64 [ %any, %ones ], [ %other1, %one ]")
    w.do("br i1 " + w.emit("icmp ult i64 %j, %size") + ", label %one, label %compared")
    w.label("one")
    a, b = (w.emit(f"load i64, ptr {_entry(w, x, '%j')}, align 8") for x in ("%mine", "%theirs"))
    w.do(f"%other1 = or i64 %other, {w.emit(f'xor i64 {a}, {b}')}")
    w.do("%j1 = add i64 %j, 1")
    w.do("br label %rest")
    w.label("compared")
    w.do(f"br i1 {w.emit('icmp eq i64 %other, 0')}, label %states, label %refused")


def _refuse_overlaps(w: Writer, program: Program, states: str) -> None:
    """Refuse arrays of outputs that lie over inputs: a state that is looked at again would be another one."""
    ins = len(program.inputs)
    ends: list[tuple[str, str]] = []
    for place, slot in enumerate((*program.inputs, *program.outputs)):
        first = w.emit(f"load i64, ptr {_entry(w, '%places', place)}, align 8")
        size = w.emit(f"mul i64 {states}, {8 * slot.size}")
        ends.append((first, w.emit(f"add i64 {first}, {size}")))
    over = "false"
    for k, (first, end) in enumerate(ends[ins:], ins):
        for j, slot in enumerate(program.inputs):
            if slot.uniform or not slot.size or not program.outputs[k - ins].size:
                continue
            before = w.emit(f"icmp ult i64 {ends[j][0]}, {end}")
            after = w.emit(f"icmp ult i64 {first}, {ends[j][1]}")
            both = w.emit(f"and i1 {before}, {after}")
            over = w.emit(f"or i1 {over}, {both}")
    w.do(f"br i1 {over}, label %refused, label %apart")
    w.label("apart")


def _states(w: Writer, first: int, array: str) -> str:
    """How many states the first output, argument `first`, has room for; refused where it has no rows, or too many."""
    w.do(f"%output = load ptr, ptr {_entry(w, '%args', first)}, align 8")
    kind = w.emit(f"load i64, ptr {_byte(w, '%output', TYPE)}, align 8")
    w.do(f"br i1 {w.emit(f'icmp eq i64 {kind}, {array}')}, label %rows, label %refused")
    w.label("rows")
    rank = w.emit(f"load i32, ptr {_byte(w, '%output', RANK)}, align 4")
    w.do(f"br i1 {w.emit(f'icmp sgt i32 {rank}, 0')}, label %length, label %refused")
    w.label("length")
    shape = w.emit(f"load ptr, ptr {_byte(w, '%output', SHAPE)}, align 8")
    w.do(f"%n = load i64, ptr {shape}, align 8")
    fits = w.emit(f"and i1 {w.emit('icmp sgt i64 %n, 0')}, {w.emit(f'icmp sle i64 %n, {MOST}')}")
    w.do(f"br i1 {fits}, label %check0, label %refused")
    return "%n"


def _check(
    w: Writer, k: int, place: int, slot: Slot, array: str, number: str, flags: int, states: str, output: bool
) -> None:
    """Refuse argument k where it cannot be used as it lies, else put its address down, and of several states its stride."""
    w.label(f"check{k}")
    w.do(f"%array{k} = load ptr, ptr {_entry(w, '%args', k)}, align 8")
    kind = w.emit(f"load i64, ptr {_byte(w, f'%array{k}', TYPE)}, align 8")
    w.do(f"br i1 {w.emit(f'icmp eq i64 {kind}, {array}')}, label %rank{k}, label %refused")
    w.label(f"rank{k}")
    rank = w.emit(f"load i32, ptr {_byte(w, f'%array{k}', RANK)}, align 4")
    wanted = len(slot.shape) + bool(states)
    w.do(f"br i1 {w.emit(f'icmp eq i32 {rank}, {wanted}')}, label %shape{k}, label %refused")
    w.label(f"shape{k}")
    own = w.emit(f"load i32, ptr {_byte(w, f'%array{k}', FLAGS)}, align 4")
    fits = w.emit(f"icmp eq i32 {w.emit(f'and i32 {own}, {flags}')}, {flags}")
    held = w.emit(f"load i64, ptr {_byte(w, f'%array{k}', DESCR)}, align 8")
    fits = w.emit(f"and i1 {fits}, {w.emit(f'icmp eq i64 {held}, {number}')}")
    shape = w.emit(f"load ptr, ptr {_byte(w, f'%array{k}', SHAPE)}, align 8") if wanted else ""
    for axis, size in enumerate(slot.shape):
        there = w.emit(f"load i64, ptr {_entry(w, shape, axis + bool(states))}, align 8")
        fits = w.emit(f"and i1 {fits}, {w.emit(f'icmp eq i64 {there}, {size}')}")
    if states:
        rows = w.emit(f"load i64, ptr {shape}, align 8")
        all_ = w.emit(f"icmp eq i64 {rows}, {states}")
        enough = all_ if output else w.emit(f"or i1 {all_}, {w.emit(f'icmp eq i64 {rows}, 1')}")
        fits = w.emit(f"and i1 {fits}, {enough}")
        stride = w.emit(f"select i1 {all_}, i64 {slot.size}, i64 0")
        w.do(f"store i64 {stride}, ptr {_entry(w, '%strides', place)}, align 8")
    w.do(f"br i1 {fits}, label %use{k}, label %refused")
    w.label(f"use{k}")
    lies = w.emit(f"load i64, ptr {_byte(w, f'%array{k}', DATA)}, align 8")
    w.do(f"store i64 {lies}, ptr {_entry(w, '%places', place)}, align 8")
    w.do(f"br label %check{k + 1}")


def _byte(w: Writer, base: str, offset: int) -> str:
    return w.emit(f"getelementptr i8, ptr {base}, i64 {offset}")


def _entry(w: Writer, base: str, k: int | str) -> str:
    return w.emit(f"getelementptr i64, ptr {base}, i64 {k}")


def _word(w: Writer, k: int) -> str:
    return w.emit(f"load i64, ptr {_entry(w, '%words', k)}, align 8")


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class PythonEntries:
    """The entries of a loaded kernel, two a design. one, several: addresses of their code; keeps what they need alive as long as
    it lives itself, so who calls an entry keeps this."""

    def __init__(self, one: int, several: int, operations: int) -> None:
        self._methods = [
            _MethodDef(name.encode(), code, _FASTCALL, None) for name, code in ((ENTRY, one), (ENTRIES, several))
        ]
        self._lets_go = (operations > LONG, True)
        self._kept: list[Any] = []

    def bind(
        self, table: np.ndarray, hoisted: np.ndarray | None, design: np.ndarray
    ) -> tuple[Callable[..., int], Callable[..., int]]:
        """The entries of a design (n,), for one state and for several: its numbers in the order of their use, what is computed
        once for it, and the design itself, which nobody changes."""
        python, make, found = ctypes.pythonapi, _maker(), []
        for method, lets_go in zip(self._methods, self._lets_go, strict=True):
            words = np.zeros(9, dtype=np.int64)
            words[TABLE], words[HOISTED_ROW] = address(table), 0 if hoisted is None else address(hoisted)
            words[ARRAY_TYPE], words[FLOAT] = id(np.ndarray), id(np.dtype(float))
            words[INTEGER] = _where(python.PyLong_FromSsize_t)
            words[DESIGN], words[DESIGN_SIZE] = address(design), design.size
            if lets_go:
                words[LET_GO], words[TAKE_BACK] = _where(python.PyEval_SaveThread), _where(python.PyEval_RestoreThread)
            found.append(make(ctypes.addressof(method), words, None))
            self._kept.append((table, hoisted, design, words, found[-1]))
        return found[0], found[1]


@lru_cache(maxsize=1)
def _maker() -> Callable[..., Any]:
    kind = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return kind(("PyCFunction_NewEx", ctypes.pythonapi))


def _where(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@lru_cache(maxsize=1)
def layout_holds() -> bool:
    """Whether arrays of this process lie in memory as the machine code takes it."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8 or object.__basicsize__ != DATA:
        return False
    try:
        return all(_lies_as_known(x) for x in _samples())
    except Exception:
        return False


def _samples() -> Sequence[np.ndarray]:
    turned = np.zeros((3, 5)).T
    still = np.zeros(4)
    still.setflags(write=False)
    return [
        np.zeros(7),
        np.zeros((2, 3)),
        np.zeros(()),
        np.zeros(0),
        np.zeros((2, 3, 4))[1:],
        turned,
        turned[::2],
        still,
    ]


def _lies_as_known(x: np.ndarray) -> bool:
    size = np.ndarray.__basicsize__
    if size < FLAGS + 4:
        return False
    raw = ctypes.string_at(id(x), FLAGS + 4)

    def word(at: int) -> int:
        return struct.unpack_from("q", raw, at)[0]

    rank, flags = (struct.unpack_from("i", raw, at)[0] for at in (RANK, FLAGS))
    known = word(TYPE) == id(np.ndarray) and word(DESCR) == id(np.dtype(float)) and rank == x.ndim
    if not known or word(DATA) != address(x) or prod(x.shape) != x.size:
        return False
    shape = ctypes.string_at(word(SHAPE), 8 * rank) if rank else b""
    plain = x.flags.c_contiguous and x.flags.aligned
    return (
        struct.unpack(f"{rank}q", shape) == x.shape
        and (flags & IN_PLACE == IN_PLACE) == plain
        and bool(flags & WRITEABLE) == x.flags.writeable
    )
