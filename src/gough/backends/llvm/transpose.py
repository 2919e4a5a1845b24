"""Rows of states into vectors and back: square blocks turned in registers, by shuffles alone.

A block is W rows of W entries. In stage s = 1, 2, 4, … row i takes, where bit s of the column differs from that of the
row, the entry of row i xor s; after log2 W stages the block is transposed.
"""

from collections.abc import Sequence

from gough.backends.llvm.writer import Writer


def transposed(w: Writer, rows: list[str]) -> list[str]:
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
    for k, column in enumerate(transposed(w, rows)[:width]):
        w.do(f"store {w.T} {column}, ptr {w.at(tile, k)}, align {w.bytes}")


def store_block(w: Writer, row: str, stride: str, vectors: Sequence[tuple[str, int]]) -> None:
    """Write at most W vectors, each given by its array and index, as entries of W rows from address `row` on."""
    width = len(vectors)
    columns = [w.load(*vectors[k]) if k < width else "poison" for k in range(w.lanes)]
    address = row
    for lane, value in enumerate(transposed(w, columns)):
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
