"""The driver of a kernel: rows of states into vectors, the body, vectors back into rows, tile by tile.

A tile is W states, transposed block by block. The rows of the last, partial tile are copied aside, the last state repeated
for the missing lanes, and the results copied back. Input slots with stride 0 hold one row for all states: it is spread once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from gough.backends.llvm._python_entry import write_entries
from gough.backends.llvm._writer import ARGUMENTS, Writer
from gough.program.passes.inputs import HOISTED
from gough.program.program import Program, Slot

LARGEST_ON_STACK = 1 << 17
"""Bytes of room for values that are taken from the stack."""
AHEAD, LINES = 2, 40
"""Tiles between asking for rows and reading them; cache lines asked for in one slot."""

SIGNATURE = (
    "ptr %inputs, ptr %in_strides, ptr %outputs, ptr %out_strides, ptr %status, i64 %begin, i64 %end, ptr %table"
)


class Callables(Protocol):
    """What the driver calls. calls: functions of a tile, in order; outputs: (array, index) of every result; declared: what
    they declare."""

    lanes: int
    calls: list[str]
    outputs: list[tuple[str, int]]
    declared: set[str]

    @property
    def scratch_size(self) -> int:
        """Vectors of room the functions want."""
        ...


@dataclass
class _Place:
    """A slot, the name of its values, the position of its first entry in the tile."""

    slot: Slot
    number: int
    name: str
    offset: int


def write_driver(program: Program, body: Callables) -> str:
    """IR of  i64 kernel(inputs, in_strides, outputs, out_strides, status, begin, end, table).

    Row i of input slot s starts at inputs[s] + i · in_strides[s] doubles; status word i - begin says which checks state i
    fails (there is room for whole tiles); the result is all status words together.
    """
    w = Writer(body.lanes)
    ins, outs = _places(program.inputs, "in", varying=True), _places(program.outputs, "out")
    own_results = sum(array == "%results" for array, _ in body.outputs)
    sizes = {"scratch": body.scratch_size, "tile": program.n_inputs, "results": own_results, "mask": 1}
    sizes |= {f"{place.name}.aside": place.slot.size for place in (*ins, *outs)}
    heap = take_room(w, sizes)
    for place in (*ins, *outs):
        side = "in" if place in ins else "out"
        for what, array, kind in (("base", f"%{side}puts", "ptr"), ("stride", f"%{side}_strides", "i64")):
            at = w.emit(f"getelementptr {kind}, ptr {array}, i64 {place.number}")
            w.do(f"%{place.name}.{what} = load {kind}, ptr {at}, align 8")
    for place in ins:
        _spread(w, place)
    w.do("br label %head")
    w.label("head")
    before = f"{ins[-1].name}.spread.end" if ins else "entry"
    w.do(f"%i = phi i64 [ %begin, %{before} ], [ %i.next, %next ]")
    w.do(f"%any = phi i64 [ 0, %{before} ], [ %any.next, %next ]")
    w.do("%left = sub i64 %end, %i")
    w.do("br i1 " + w.emit("icmp sgt i64 %left, 0") + ", label %tile.begin, label %done")
    w.label("tile.begin")
    w.do(f"%full = icmp sge i64 %left, {w.lanes}")
    w.do("br i1 %full, label %move, label %collect")
    w.label("collect")
    for place in ins:
        _copy_rows(w, place, inward=True)
    w.do("br label %move")
    w.label("move")
    for place in ins:
        _load_slot(w, place)
    w.do(f"store {w.I} zeroinitializer, ptr %mask, align {w.bytes}")
    for name in body.calls:
        w.do(f"call void @{name}({ARGUMENTS})")
    for place in outs:
        _blocks(w, place, body.outputs)
    w.do("br i1 %full, label %next, label %scatter")
    w.label("scatter")
    for place in outs:
        _copy_rows(w, place, inward=False)
    w.do("br label %next")
    w.label("next")
    w.do(f"%m = load {w.I}, ptr %mask, align {w.bytes}")
    w.do("%word = getelementptr i64, ptr %status, i64 " + w.emit("sub i64 %i, %begin"))
    w.do(f"store {w.I} %m, ptr %word, align 8")
    joined = f"llvm.vector.reduce.or.v{w.lanes}i64"
    w.declared.add(f"declare i64 @{joined}({w.I})")
    w.do("%any.next = or i64 %any, " + w.emit(f"call i64 @{joined}({w.I} %m)"))
    w.do(f"%i.next = add i64 %i, {w.lanes}")
    w.do("br label %head")
    w.label("done")
    if heap:
        w.do("call void @free(ptr %room)")
    w.do("ret i64 %any")
    body.declared |= w.declared
    hoisted = any(slot.name == HOISTED for slot in program.inputs)
    return "\n".join([f"define i64 @kernel({SIGNATURE}) {{", "entry:", *w.lines, "}", write_entries(program, hoisted)])


def take_room(w: Writer, sizes: Mapping[str, int]) -> bool:
    """Arrays of vectors by name, from the stack; from the heap, all in one %room, where they are large: threads have small
    stacks. Returns whether %room must be freed."""
    if sum(sizes.values()) * w.bytes <= LARGEST_ON_STACK:
        for name, size in sizes.items():
            w.do(f"%{name} = alloca {w.T}, i64 {max(size, 1)}, align {w.bytes}")
        return False
    w.declared |= {"declare ptr @malloc(i64)", "declare void @free(ptr)"}
    w.do(f"%room = call ptr @malloc(i64 {(sum(sizes.values()) + 1) * w.bytes})")
    end = w.emit(f"add i64 {w.emit('ptrtoint ptr %room to i64')}, {w.bytes - 1}")
    w.do(f"%room.first = inttoptr i64 {w.emit(f'and i64 {end}, {-w.bytes}')} to ptr")
    at = 0
    for name, size in sizes.items():
        w.do(f"%{name} = getelementptr {w.T}, ptr %room.first, i64 {at}")
        at += size
    return True


def _places(slots: tuple[Slot, ...], side: str, varying: bool = False) -> list[_Place]:
    found, offset = [], 0
    for number, slot in enumerate(slots):
        if slot.size and not (varying and slot.uniform):
            found.append(_Place(slot, number, f"{side}{number}", offset))
        offset += slot.size
    return found


def _loop(w: Writer, name: str, start: str, count: int | str) -> str:
    """Begin a loop of `count` turns after block `start`; returns the counter. `_end_loop` ends it."""
    w.do(f"br label %{name}")
    w.label(name)
    w.do(f"%{name}.k = phi i64 [ 0, %{start} ], [ %{name}.next, %{name} ]")
    w.do(f"%{name}.next = add i64 %{name}.k, 1")
    w.do(f"%{name}.more = icmp slt i64 %{name}.next, {count}")
    return f"%{name}.k"


def _end_loop(w: Writer, name: str) -> None:
    w.do(f"br i1 %{name}.more, label %{name}, label %{name}.end")
    w.label(f"{name}.end")


def _spread(w: Writer, place: _Place) -> None:
    """Fill the tile of a slot that has one row for all states."""
    name = place.name
    w.do(f"%{name}.one = icmp eq i64 %{name}.stride, 0")
    w.do(f"br i1 %{name}.one, label %{name}.spread, label %{name}.spread.end")
    w.label(f"{name}.spread")
    k = _loop(w, f"{name}.fill", f"{name}.spread", place.slot.size)
    at = w.emit(f"getelementptr double, ptr %{name}.base, i64 {k}")
    value = w.splat(w.emit(f"load double, ptr {at}, align 8"))
    to = w.emit(f"getelementptr {w.T}, ptr {w.at('%tile', place.offset)}, i64 {k}")
    w.do(f"store {w.T} {value}, ptr {to}, align {w.bytes}")
    _end_loop(w, f"{name}.fill")
    w.do(f"br label %{name}.spread.end")
    w.label(f"{name}.spread.end")


def _copy_rows(w: Writer, place: _Place, inward: bool) -> None:
    """Rows %i … %end - 1 into their place aside, the last repeated up to W rows; or back out."""
    name, size = place.name, 8 * place.slot.size
    loop = f"{name}.copy"
    w.do(f"br label %{loop}.start")
    w.label(f"{loop}.start")
    k = _loop(w, loop, f"{loop}.start", w.lanes if inward else "%left")
    row = w.emit(f"add i64 %i, {k}")
    if inward:
        last = w.emit("sub i64 %end, 1")
        row = w.emit(f"select i1 {w.emit(f'icmp slt i64 {row}, {last}')}, i64 {row}, i64 {last}")
    outside = w.emit(f"getelementptr double, ptr %{name}.base, i64 {w.emit(f'mul i64 {row}, %{name}.stride')}")
    aside = w.emit(f"getelementptr double, ptr %{name}.aside, i64 {w.emit(f'mul i64 {k}, {place.slot.size}')}")
    w.declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    to, source = (aside, outside) if inward else (outside, aside)
    w.do(f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {to}, ptr align 8 {source}, i64 {size}, i1 false)")
    _end_loop(w, loop)


def _load_slot(w: Writer, place: _Place) -> None:
    name = place.name
    w.do(f"br i1 %{name}.one, label %{name}.loaded, label %{name}.load")
    w.label(f"{name}.load")
    _blocks(w, place)
    w.do(f"br label %{name}.loaded")
    w.label(f"{name}.loaded")


def _blocks(w: Writer, place: _Place, outputs: Sequence[tuple[str, int]] | None = None) -> None:
    """All blocks of a slot at state %i, or aside: into the tile, or from where the outputs are."""
    name, size = place.name, place.slot.size
    there = w.emit(f"getelementptr double, ptr %{name}.base, i64 {w.emit(f'mul i64 %i, %{name}.stride')}")
    first = w.emit(f"select i1 %full, ptr {there}, ptr %{name}.aside")
    stride = w.emit(f"select i1 %full, i64 %{name}.stride, i64 {size}")
    _prefetch(w, there, size, outputs is None)
    for k in range(0, size, w.lanes):
        row = w.emit(f"getelementptr double, ptr {first}, i64 {k}")
        width = min(w.lanes, size - k)
        if outputs is None:
            load_block(w, row, stride, width, w.at("%tile", place.offset + k))
        else:
            store_block(w, row, stride, outputs[place.offset + k : place.offset + k + width])


def _prefetch(w: Writer, row: str, size: int, reading: bool) -> None:
    """Ask for the lines of the tile AHEAD tiles on, as if rows were contiguous; a wrong guess costs nothing but the asking."""
    w.declared.add("declare void @llvm.prefetch.p0(ptr, i32 immarg, i32 immarg, i32 immarg)")
    for line in range(min(size * w.lanes * 8 // 64, LINES)):
        at = w.emit(f"getelementptr i8, ptr {row}, i64 {AHEAD * size * w.lanes * 8 + 64 * line}")
        w.do(f"call void @llvm.prefetch.p0(ptr {at}, i32 {0 if reading else 1}, i32 3, i32 1)")


# Rows of states into vectors and back: square blocks turned in registers, by shuffles alone.
#
# A block is W rows of W entries. In stage s = 1, 2, 4, … row i takes, where bit s of the column differs from that of the
# row, the entry of row i xor s; after log2 W stages the block is transposed.


def transpose_block(w: Writer, rows: list[str]) -> list[str]:
    """Names of the columns of a square block given by its rows ("poison" where a row does not matter)."""
    step = 1
    while step < w.lanes:
        new = list(rows)
        for i in range(w.lanes):
            if i & step:
                continue
            a, b = rows[i], rows[i | step]
            low = [k if not k & step else w.lanes + (k ^ step) for k in range(w.lanes)]
            high = [k | step if not k & step else w.lanes + k for k in range(w.lanes)]
            new[i], new[i | step] = _shuffle(w, a, b, low), _shuffle(w, a, b, high)
        rows = new
        step *= 2
    return rows


def _shuffle(w: Writer, a: str, b: str, indices: list[int]) -> str:
    if a == b == "poison":
        return "poison"
    mask = ", ".join(f"i32 {k}" for k in indices)
    return w.emit(f"shufflevector {w.T} {a}, {w.T} {b}, <{w.lanes} x i32> <{mask}>")


def load_block(w: Writer, row: str, stride: str, width: int, tile: str) -> None:
    """Read `width` entries of W rows from address `row` on, `stride` doubles apart; store them as vectors at `tile`."""
    rows, address = [], row
    for lane in range(w.lanes):
        if lane:
            address = w.emit(f"getelementptr double, ptr {address}, i64 {stride}")
        rows.append(_masked_load(w, address, width))
    for k, column in enumerate(transpose_block(w, rows)[:width]):
        w.do(f"store {w.T} {column}, ptr {w.at(tile, k)}, align {w.bytes}")


def store_block(w: Writer, row: str, stride: str, vectors: Sequence[tuple[str, int]]) -> None:
    """Write at most W vectors, each given by its array and index, as entries of W rows from address `row` on."""
    width = len(vectors)
    columns = [w.load(*vectors[k]) if k < width else "poison" for k in range(w.lanes)]
    address = row
    for lane, value in enumerate(transpose_block(w, columns)):
        if lane:
            address = w.emit(f"getelementptr double, ptr {address}, i64 {stride}")
        if width == w.lanes:
            w.do(f"store {w.T} {value}, ptr {address}, align 8")
        else:
            name = f"llvm.masked.store.v{w.lanes}f64.p0"
            w.declared.add(f"declare void @{name}({w.T}, ptr, i32 immarg, {w.B})")
            w.do(f"call void @{name}({w.T} {value}, ptr {address}, i32 8, {w.B} {_mask(w, width)})")


def _masked_load(w: Writer, address: str, width: int) -> str:
    if width == w.lanes:
        return w.emit(f"load {w.T}, ptr {address}, align 8")
    name = f"llvm.masked.load.v{w.lanes}f64.p0"
    w.declared.add(f"declare {w.T} @{name}(ptr, i32 immarg, {w.B}, {w.T})")
    return w.emit(f"call {w.T} @{name}(ptr {address}, i32 8, {w.B} {_mask(w, width)}, {w.T} zeroinitializer)")


def _mask(w: Writer, width: int) -> str:
    return "<" + ", ".join(f"i1 {'true' if k < width else 'false'}" for k in range(w.lanes)) + ">"
