"""The driver of a kernel: rows of states into vectors, the body, vectors back into rows, tile by tile.

A tile is W states. Full tiles are transposed block by block; the last, partial one is gathered entry by entry, its
missing lanes repeating the last state. Input slots with stride 0 hold one row for all states: it is spread once.
"""

from dataclasses import dataclass

from gough.backends.llvm.body import ARGUMENTS, Body
from gough.backends.llvm.transpose import load_block, store_block
from gough.backends.llvm.writer import Writer
from gough.program.program import Program, Slot

SIGNATURE = (
    "ptr %inputs, ptr %in_strides, ptr %outputs, ptr %out_strides, ptr %status, i64 %begin, i64 %end, ptr %numbers"
)


@dataclass
class _Place:
    """A slot, its number and the position of its first entry in the tile."""

    slot: Slot
    number: int
    offset: int


def write_driver(program: Program, body: Body) -> str:
    """IR of  i64 kernel(inputs, in_strides, outputs, out_strides, status, begin, end, numbers).

    Row i of input slot s starts at inputs[s] + i · in_strides[s] doubles; status word i - begin says which checks state i
    fails; the result is all status words together.
    """
    w = Writer(body.lanes)
    ins, outs = _places(program.inputs, varying=True), _places(program.outputs)
    call = [f"call void @chunk_{k}({ARGUMENTS})" for k in range(len(body.chunks))]
    for name, size in (
        ("scratch", len(body.scratch)),
        ("tile", program.n_inputs),
        ("results", len(program.results)),
        ("mask", 1),
    ):
        w.lines.append(f"  %{name} = alloca {w.T}, i64 {max(size, 1)}, align {w.bytes}")
    for place in ins:
        _base(w, "in", place)
    for place in outs:
        _base(w, "out", place)
    w.do(f"%full = and i64 {w.emit('sub i64 %end, %begin')}, {-w.lanes}")
    w.do("%stop = add i64 %begin, %full")
    w.do("%last = sub i64 %end, 1")
    for place in ins:
        _spread(w, place)
    w.do("br label %loop.head")
    w.label("loop.head")
    w.do("%i = phi i64 [ %begin, %" + (f"in{ins[-1].number}.spread.end" if ins else "entry") + " ], [ %i.next, %loop ]")
    w.do("%any = phi i64 [ 0, %" + (f"in{ins[-1].number}.spread.end" if ins else "entry") + " ], [ %any.next, %loop ]")
    w.do("%more = icmp slt i64 %i, %stop")
    w.do("br i1 %more, label %load, label %tail")
    w.label("load")
    for place in ins:
        _load_full(w, place)
    w.do(f"store {w.I} zeroinitializer, ptr %mask, align {w.bytes}")
    for line in call:
        w.do(line)
    for place in outs:
        _blocks(w, place, inward=False)
    w.do("br label %loop")
    w.label("loop")
    w.do(f"%m = load {w.I}, ptr %mask, align {w.bytes}")
    w.do("%place = sub i64 %i, %begin")
    w.do("%word = getelementptr i64, ptr %status, i64 %place")
    w.do(f"store {w.I} %m, ptr %word, align 8")
    w.do(f"%any.next = or i64 %any, {_joined(w, '%m')}")
    w.do(f"%i.next = add i64 %i, {w.lanes}")
    w.do("br label %loop.head")
    w.label("tail")
    w.do("%some = icmp slt i64 %i, %end")
    w.do("br i1 %some, label %partial, label %done")
    w.label("partial")
    _tail(w, ins, outs, call)
    w.do("br label %done")
    w.label("done")
    w.do("%all = phi i64 [ %any, %tail ], [ %any.tail, %partial ]")
    w.do("ret i64 %all")
    body.declared |= w.declared
    return "\n".join([f"define i64 @kernel({SIGNATURE}) {{", "entry:", *w.lines, "}"])


def _places(slots: tuple[Slot, ...], varying: bool = False) -> list[_Place]:
    found, offset = [], 0
    for number, slot in enumerate(slots):
        if slot.size and not (varying and slot.uniform):
            found.append(_Place(slot, number, offset))
        offset += slot.size
    return found


def _base(w: Writer, side: str, place: _Place) -> None:
    name = f"%{side}{place.number}"
    for what, array, kind in (("base", f"%{side}puts", "ptr"), ("stride", f"%{side}_strides", "i64")):
        at = w.emit(f"getelementptr {kind}, ptr {array}, i64 {place.number}")
        w.do(f"{name}.{what} = load {kind}, ptr {at}, align 8")


def _spread(w: Writer, place: _Place) -> None:
    """Fill the tile of a slot that has one row for all states."""
    name = f"in{place.number}"
    w.do(f"%{name}.one = icmp eq i64 %{name}.stride, 0")
    w.do(f"br i1 %{name}.one, label %{name}.spread, label %{name}.spread.end")
    w.label(f"{name}.spread")
    for k in range(place.slot.size):
        at = w.emit(f"getelementptr double, ptr %{name}.base, i64 {k}")
        value = w.splat(w.emit(f"load double, ptr {at}, align 8"))
        w.do(f"store {w.T} {value}, ptr {w.at('%tile', place.offset + k)}, align {w.bytes}")
    w.do(f"br label %{name}.spread.end")
    w.label(f"{name}.spread.end")


def _load_full(w: Writer, place: _Place) -> None:
    name = f"in{place.number}"
    w.do(f"br i1 %{name}.one, label %{name}.loaded, label %{name}.load")
    w.label(f"{name}.load")
    _blocks(w, place, inward=True)
    w.do(f"br label %{name}.loaded")
    w.label(f"{name}.loaded")


def _blocks(w: Writer, place: _Place, inward: bool) -> None:
    """All blocks of a slot at state %i."""
    name, move = (f"%in{place.number}", load_block) if inward else (f"%out{place.number}", store_block)
    offset = w.emit(f"mul i64 %i, {name}.stride")
    first = w.emit(f"getelementptr double, ptr {name}.base, i64 {offset}")
    for k in range(0, place.slot.size, w.lanes):
        row = w.emit(f"getelementptr double, ptr {first}, i64 {k}")
        tile = w.at("%tile" if inward else "%results", place.offset + k)
        move(w, row, f"{name}.stride", min(w.lanes, place.slot.size - k), tile)


def _joined(w: Writer, vector: str) -> str:
    name = f"llvm.vector.reduce.or.v{w.lanes}i64"
    w.declared.add(f"declare i64 @{name}({w.I})")
    return w.emit(f"call i64 @{name}({w.I} {vector})")


def _tail(w: Writer, ins: list[_Place], outs: list[_Place], call: list[str]) -> None:
    """States %i … %last, fewer than the lanes."""
    rows = []
    for lane in range(w.lanes):
        a = w.emit(f"add i64 %i, {lane}")
        rows.append(w.emit(f"select i1 {w.emit(f'icmp slt i64 {a}, %last')}, i64 {a}, i64 %last"))
    for place in ins:
        starts = _row_starts(w, f"%in{place.number}", rows)
        for k in range(place.slot.size):
            vector = "poison"
            for lane, start in enumerate(starts):
                x = w.emit(f"load double, ptr {w.emit(f'getelementptr double, ptr {start}, i64 {k}')}, align 8")
                vector = w.emit(f"insertelement {w.T} {vector}, double {x}, i32 {lane}")
            w.do(f"store {w.T} {vector}, ptr {w.at('%tile', place.offset + k)}, align {w.bytes}")
    w.do(f"store {w.I} zeroinitializer, ptr %mask, align {w.bytes}")
    for line in call:
        w.do(line)
    for place in outs:
        starts = _row_starts(w, f"%out{place.number}", rows)
        for k in range(place.slot.size):
            value = w.load("%results", place.offset + k)
            for lane, start in enumerate(starts):
                x = w.emit(f"extractelement {w.T} {value}, i32 {lane}")
                w.do(f"store double {x}, ptr {w.emit(f'getelementptr double, ptr {start}, i64 {k}')}, align 8")
    m = w.emit(f"load {w.I}, ptr %mask, align {w.bytes}")
    for lane, row in enumerate(rows):
        x = w.emit(f"extractelement {w.I} {m}, i32 {lane}")
        at = w.emit(f"getelementptr i64, ptr %status, i64 {w.emit(f'sub i64 {row}, %begin')}")
        w.do(f"store i64 {x}, ptr {at}, align 8")
    w.do(f"%any.tail = or i64 %any, {_joined(w, m)}")


def _row_starts(w: Writer, name: str, rows: list[str]) -> list[str]:
    return [
        w.emit(f"getelementptr double, ptr {name}.base, i64 {w.emit(f'mul i64 {row}, {name}.stride')}") for row in rows
    ]
