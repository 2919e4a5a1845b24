"""A kernel that Python calls with arrays of one state, without ctypes between: a builtin function whose machine code reads where
the arrays lie.

    bad = entry(q, v, …, tau)        # inputs that are not uniform, then arrays for the outputs

0: filled, the state is good; 1: filled, a check flags the state; -1: nothing done, some argument is no array that can be used
where it lies (of float64, of its slot's shape, contiguous, of the type ndarray itself). It never raises.

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
TABLE, HOISTED_ROW, ARRAY_TYPE, FLOAT, INTEGER, LET_GO, TAKE_BACK = range(7)
"""Words of an entry's own: addresses of the design's numbers, of what is computed once for it, of `ndarray`, of the type
float64, of PyLong_FromLong, and of the functions that let other threads run meanwhile (0: they wait)."""
LONG = 20_000
"""Operations from which on other threads run meanwhile: it takes as long as a few hundred operations."""
_FASTCALL = 0x80
_ROOM = 64
"""Bytes of status words: of the widest tile."""


def write_entry(program: Program, hoisted: bool) -> str:
    """IR of  PyObject *entry(PyObject *self, PyObject *const *args, Py_ssize_t count)  around the kernel of a program. self: an
    array of the entry's own words. hoisted: the program's last input is computed once for a design."""
    w = Writer(1)
    given = [slot for slot in program.inputs if not slot.uniform]
    n, ins = len(given) + len(program.outputs), len(program.inputs)
    w.do(f"%words = load ptr, ptr {_byte(w, '%self', DATA)}, align 8")
    for name, size in (("places", ins + len(program.outputs)), ("strides", ins + len(program.outputs))):
        w.do(f"%{name} = alloca i64, i64 {size}, align 8")
        w.do(f"call void @llvm.memset.p0.i64(ptr %{name}, i8 0, i64 {8 * size}, i1 false)")
    w.do(f"%status = alloca i8, i64 {_ROOM}, align {_ROOM}")
    array, number = (_word(w, k) for k in (ARRAY_TYPE, FLOAT))
    w.do(f"br i1 {w.emit(f'icmp eq i64 %count, {n}')}, label %check0, label %refused")
    k = 0
    for place, slot in enumerate((*program.inputs, *program.outputs)):
        if place < ins and slot.uniform:
            continue
        _check(w, k, place, slot, array, number, IN_PLACE if place < ins else IN_PLACE | WRITEABLE)
        k += 1
    w.label(f"check{n}")
    if hoisted:
        w.do(f"store i64 {_word(w, HOISTED_ROW)}, ptr {_entry(w, '%places', ins - 1)}, align 8")
    free = _word(w, LET_GO)
    w.do(f"%alone = icmp eq i64 {free}, 0")
    w.do("br i1 %alone, label %run, label %let")
    w.label("let")
    w.do(f"%kept = call ptr {w.emit(f'inttoptr i64 {free} to ptr')}()")
    w.do("br label %run")
    w.label("run")
    w.do(f"%thread = phi ptr [ null, %check{n} ], [ %kept, %let ]")
    table = w.emit(f"inttoptr i64 {_word(w, TABLE)} to ptr")
    outs = (_entry(w, "%places", ins), _entry(w, "%strides", ins))
    arguments = f"ptr %places, ptr %strides, ptr {outs[0]}, ptr {outs[1]}, ptr %status, i64 0, i64 1, ptr {table}"
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
    head = "define ptr @entry(ptr %self, ptr %args, i64 %count) {"
    return "\n".join(["declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)", head, "entry:", *w.lines, "}"])


def _check(w: Writer, k: int, place: int, slot: Slot, array: str, number: str, flags: int) -> None:
    """Refuse argument k where it cannot be used as it lies, else put its address down."""
    w.label(f"check{k}")
    w.do(f"%array{k} = load ptr, ptr {_entry(w, '%args', k)}, align 8")
    kind = w.emit(f"load i64, ptr {_byte(w, f'%array{k}', TYPE)}, align 8")
    w.do(f"br i1 {w.emit(f'icmp eq i64 {kind}, {array}')}, label %rank{k}, label %refused")
    w.label(f"rank{k}")
    rank = w.emit(f"load i32, ptr {_byte(w, f'%array{k}', RANK)}, align 4")
    w.do(f"br i1 {w.emit(f'icmp eq i32 {rank}, {len(slot.shape)}')}, label %shape{k}, label %refused")
    w.label(f"shape{k}")
    own = w.emit(f"load i32, ptr {_byte(w, f'%array{k}', FLAGS)}, align 4")
    fits = w.emit(f"icmp eq i32 {w.emit(f'and i32 {own}, {flags}')}, {flags}")
    held = w.emit(f"load i64, ptr {_byte(w, f'%array{k}', DESCR)}, align 8")
    fits = w.emit(f"and i1 {fits}, {w.emit(f'icmp eq i64 {held}, {number}')}")
    shape = w.emit(f"load ptr, ptr {_byte(w, f'%array{k}', SHAPE)}, align 8") if slot.shape else ""
    for axis, size in enumerate(slot.shape):
        there = w.emit(f"load i64, ptr {_entry(w, shape, axis)}, align 8")
        fits = w.emit(f"and i1 {fits}, {w.emit(f'icmp eq i64 {there}, {size}')}")
    w.do(f"br i1 {fits}, label %use{k}, label %refused")
    w.label(f"use{k}")
    lies = w.emit(f"load i64, ptr {_byte(w, f'%array{k}', DATA)}, align 8")
    w.do(f"store i64 {lies}, ptr {_entry(w, '%places', place)}, align 8")
    w.do(f"br label %check{k + 1}")


def _byte(w: Writer, base: str, offset: int) -> str:
    return w.emit(f"getelementptr i8, ptr {base}, i64 {offset}")


def _entry(w: Writer, base: str, k: int) -> str:
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
    """The entries of a loaded kernel, one a design. code: address of `entry`; keeps what they need alive as long as it lives
    itself, so who calls an entry keeps this."""

    def __init__(self, code: int, operations: int) -> None:
        self._method = _MethodDef(b"entry", code, _FASTCALL, None)
        self._lets_go = operations > LONG
        self._kept: list[Any] = []

    def bind(self, table: np.ndarray, hoisted: np.ndarray | None) -> Callable[..., int]:
        """The entry of a design: its numbers, and what is computed once for it."""
        python = ctypes.pythonapi
        words = np.zeros(7, dtype=np.int64)
        words[TABLE], words[HOISTED_ROW] = address(table), 0 if hoisted is None else address(hoisted)
        words[ARRAY_TYPE], words[FLOAT] = id(np.ndarray), id(np.dtype(float))
        words[INTEGER] = _where(python.PyLong_FromSsize_t)
        if self._lets_go:
            words[LET_GO], words[TAKE_BACK] = _where(python.PyEval_SaveThread), _where(python.PyEval_RestoreThread)
        make = _maker()
        entry = make(ctypes.addressof(self._method), words, None)
        self._kept.append((table, hoisted, words, entry))
        return entry


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
