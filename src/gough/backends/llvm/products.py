"""A product of matrices as loops: C (n, m) = A (n, k) B (k, m), in tiles of entries kept in registers.

In the workspace: A by rows (unless it is a table of uniform numbers), B by columns, and one vector for what nobody reads.
Entries of C go where they are read. Tiles nobody reads are left out: of a symmetric C only one half may be.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gough.backends.llvm.writer import CountedLoop
from gough.program.ops import Product

if TYPE_CHECKING:
    from gough.backends.llvm.blocks import Moving

TILE, TALL = 4, 8
"""Rows and columns of a tile; rows where C has one or two columns, so that enough sums run beside each other."""


@dataclass(frozen=True)
class _Tile:
    """Rows or columns from `first` on: the counter of a loop, or a number."""

    name: str
    first: str
    size: int


class ProductWriter:
    """Writes the loops of one product. left: where A stands by rows in the table of uniform numbers, None where it is in
    the workspace. targets: where entries of C go, counted in vectors from the start of the scratch, None where nobody
    reads them."""

    def __init__(
        self, body: "Moving", block: Product, work: str, left: int | None, targets: Sequence[int | None]
    ) -> None:
        self.body, self.w, self.block, self.work, self.left = body, body.w, block, work, left
        self.first_b = 0 if left is not None else block.n * block.k
        self.size = self.first_b + block.k * block.m + 1
        self.targets = targets
        self.height = TILE if block.m > 2 else TALL

    def write(self) -> None:
        """The loops over tiles."""
        block, nobody = self.block, self.body.frame + self.size - 1
        self.places = self.body.positions("c", [nobody if t is None else t for t in self.targets])
        ranges = [self._read_columns(i) for i in range(0, block.n, self.height)]
        self.begins = self.body.positions("begin", [r.start for r in ranges])
        self.ends = self.body.positions("end", [r.stop for r in ranges])
        for rows in self._row_tiles():
            for columns in self._column_tiles(rows):
                self._tile(rows, columns)

    def _read_columns(self, row: int) -> range:
        """Columns, in whole tiles, of which something is read in the tile of rows from `row` on."""
        block = self.block
        read = [
            j
            for i in range(row, min(row + self.height, block.n))
            for j in range(block.m)
            if self.targets[i * block.m + j] is not None
        ]
        if not read:
            return range(0)
        whole = block.m // TILE * TILE
        return range(min(read) // TILE * TILE, min(max(read) // TILE * TILE + TILE, whole))

    def _row_tiles(self) -> Iterator[_Tile]:
        n, height = self.block.n, self.height
        whole = n // height * height
        if whole:
            loop = CountedLoop(self.w, "rows")
            i, _ = loop.open(0, whole, height)
            yield _Tile("whole", i, height)
            loop.close()
        if n > whole:
            yield _Tile("rest", str(whole), n - whole)

    def _column_tiles(self, rows: _Tile) -> Iterator[_Tile]:
        w, m = self.w, self.block.m
        whole = m // TILE * TILE
        if whole:
            number = w.emit(f"sdiv i64 {rows.first}, {self.height}")
            begin, end = (self.body.position(table, number) for table in (self.begins, self.ends))
            loop = CountedLoop(w, f"columns.{rows.name}")
            j, _ = loop.open(begin, end, TILE)
            yield _Tile("whole", j, TILE)
            loop.close()
        if m > whole:
            yield _Tile("rest", str(whole), m - whole)

    def _tile(self, rows: _Tile, columns: _Tile) -> None:
        w, block = self.w, self.block
        base, kind, start = (self.work, w.T, 0) if self.left is None else ("%table", "double", self.left)
        heads_a = [self._head(base, kind, rows.first, r, start) for r in range(rows.size)]
        heads_b = [self._head(self.work, w.T, columns.first, c, self.first_b) for c in range(columns.size)]
        loop = CountedLoop(w, f"sum.{rows.name}.{columns.name}")
        t, sums = loop.open(0, block.k, carried=["zeroinitializer"] * (rows.size * columns.size))
        a = [self._along(head, kind, t) for head in heads_a]
        b = [self._along(head, w.T, t) for head in heads_b]
        places = [(r, c) for r in range(rows.size) for c in range(columns.size)]
        sums = loop.close([w.fma(a[r], b[c], total) for (r, c), total in zip(places, sums, strict=True)])
        for (r, c), total in zip(places, sums, strict=True):
            row = w.emit(f"mul i64 {w.emit(f'add i64 {rows.first}, {r}')}, {block.m}")
            entry = w.emit(f"add i64 {w.emit(f'add i64 {row}, {columns.first}')}, {c}")
            to = self.body.at("%scratch", self.body.position(self.places, entry))
            w.do(f"store {w.T} {total}, ptr {to}, align {w.bytes}")

    def _head(self, base: str, kind: str, first: str, offset: int, start: int) -> str:
        """Address of a row of A or a column of B, outside of the loop that runs along it."""
        w = self.w
        row = w.emit(f"mul i64 {w.emit(f'add i64 {first}, {offset}')}, {self.block.k}")
        return w.emit(f"getelementptr {kind}, ptr {base}, i64 {w.emit(f'add i64 {row}, {start}')}")

    def _along(self, head: str, kind: str, t: str) -> str:
        """Entry t of a row: a vector, or a number in all lanes."""
        w = self.w
        at = w.emit(f"getelementptr {kind}, ptr {head}, i64 {t}")
        if kind == "double":
            return w.splat(w.emit(f"load double, ptr {at}, align 8"))
        return w.emit(f"load {w.T}, ptr {at}, align {w.bytes}")
