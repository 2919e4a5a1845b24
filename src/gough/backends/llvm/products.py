"""A product of matrices as loops: C (n, m) = A (n, k) B (k, m), in tiles of 4 by 4 entries kept in registers.

In the workspace: A by rows (unless it is a table of uniform numbers), B by columns, C by rows.
"""

from gough.backends.llvm.loops import Loop
from gough.backends.llvm.writer import Writer
from gough.program.ops import Product

TILE = 4


def write_product(w: Writer, block: Product, work: str, left: int | None) -> None:
    """left: where A stands by rows in the table of uniform numbers, None where it is in the workspace."""
    n, k, m = block.n, block.k, block.m
    first = n * k if left is None else 0
    at_b, at_c = first, first + k * m
    for rows, i in _tiles(w, "rows", n):
        for columns, j in _tiles(w, f"columns.{rows.name}", m):
            name = f"sum.{rows.name}.{columns.name}"
            loop = Loop(w, name)
            zero = ["zeroinitializer"] * (rows.height * columns.height)
            base, kind, start = (work, w.T, 0) if left is None else ("%table", "double", left)
            heads_a = [_head(w, base, kind, i.value, r, k, start) for r in range(rows.height)]
            heads_b = [_head(w, work, w.T, j.value, c, k, at_b) for c in range(columns.height)]
            t, sums = loop.open(0, k, carried=zero)
            a = [_along(w, head, kind, t) for head in heads_a]
            b = [_along(w, head, w.T, t) for head in heads_b]
            new = [
                w.fma(a[r], b[c], sums[r * columns.height + c])
                for r in range(rows.height)
                for c in range(columns.height)
            ]
            sums = loop.close(new)
            for r in range(rows.height):
                for c in range(columns.height):
                    row = w.emit(f"mul i64 {w.emit(f'add i64 {i.value}, {r}')}, {m}")
                    to = w.emit(f"add i64 {w.emit(f'add i64 {row}, {j.value}')}, {at_c + c}")
                    at = w.emit(f"getelementptr {w.T}, ptr {work}, i64 {to}")
                    w.do(f"store {w.T} {sums[r * columns.height + c]}, ptr {at}, align {w.bytes}")
            j.done()
        i.done()


class _Rows:
    def __init__(self, name: str, height: int) -> None:
        self.name, self.height = name, height


class _Counter:
    """Where a tile begins: the counter of a loop, or a number."""

    def __init__(self, value: str, loop: Loop | None) -> None:
        self.value, self.loop = value, loop

    def done(self) -> None:
        """End the turn."""
        if self.loop is not None:
            self.loop.close()


def _tiles(w: Writer, name: str, n: int):
    """(tile, counter): whole tiles in a loop, then the rest; the caller calls `done` after each."""
    whole = n // TILE * TILE
    if whole:
        loop = Loop(w, f"{name}.whole")
        k, _ = loop.open(0, whole, TILE)
        yield _Rows(f"{name}.w", TILE), _Counter(k, loop)
    if n > whole:
        yield _Rows(f"{name}.r", n - whole), _Counter(str(whole), None)


def _head(w: Writer, base: str, kind: str, first: str, offset: int, stride: int, start: int) -> str:
    """Address of a row, outside of the loop that runs along it."""
    row = w.emit(f"mul i64 {w.emit(f'add i64 {first}, {offset}')}, {stride}")
    return w.emit(f"getelementptr {kind}, ptr {base}, i64 {w.emit(f'add i64 {row}, {start}')}")


def _along(w: Writer, head: str, kind: str, t: str) -> str:
    """Entry t of a row: a vector, or a number in all lanes."""
    at = w.emit(f"getelementptr {kind}, ptr {head}, i64 {t}")
    if kind == "double":
        return w.splat(w.emit(f"load double, ptr {at}, align 8"))
    return w.emit(f"load {w.T}, ptr {at}, align {w.bytes}")
