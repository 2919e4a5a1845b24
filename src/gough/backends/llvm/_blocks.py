"""Stages that are one large block, or a call of a program written once, as functions on vectors, one state a lane.

    void stage_s(tile, results, mask, scratch, table)

Operands are copied from where they are to a workspace behind the frame, and results back. Where they are is said by tables of
positions, so the code stays small however many there are.
"""

import struct
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gough.backends._stage_layout import FRAME, TABLE, TILE, Place, PlacedStage
from gough.backends.llvm._symmetric import Symmetric, write_symmetric_solve
from gough.backends.llvm._writer import ARGUMENTS, CountedLoop, Writer, function_of
from gough.program.ops import Product, Solve

# A product of matrices as loops: C (n, m) = A (n, k) B (k, m), in tiles of entries kept in registers.
#
# In the workspace: A by rows (unless it is a table of uniform numbers), B by columns, and one vector for what nobody reads.
# Entries of C go where they are read. Tiles nobody reads are left out: of a symmetric C only one half may be.

WIDE, TALL = 4, 8
"""Rows and columns of a tile; rows where C has one or two columns, so that enough sums run beside each other."""


@dataclass(frozen=True)
class _Tile:
    """Rows or columns from `first` on: the counter of a loop, or a number."""

    name: str
    first: str
    size: int


class _ProductWriter:
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
        self.height = WIDE if block.m > 2 else TALL

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
        whole = block.m // WIDE * WIDE
        return range(min(read) // WIDE * WIDE, min(max(read) // WIDE * WIDE + WIDE, whole))

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
        whole = m // WIDE * WIDE
        if whole:
            number = w.emit(f"sdiv i64 {rows.first}, {self.height}")
            begin, end = (self.body.position(table, number) for table in (self.begins, self.ends))
            loop = CountedLoop(w, f"columns.{rows.name}")
            j, _ = loop.open(begin, end, WIDE)
            yield _Tile("whole", j, WIDE)
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


_BASE = {FRAME: "%scratch", TILE: "%tile", TABLE: "%table"}


class Moving(ABC):
    """What the writers of blocks and calls share. size: vectors of the workspace, which the writer says."""

    size: int

    def __init__(self, name: str, stage: PlacedStage, lanes: int, fused: bool, frame: int) -> None:
        self.name, self.stage, self.frame = name, stage, frame
        self.w = Writer(lanes, fused)
        self.tables: list[str] = []
        self.text = self._write()
        self.declared: set[str] = set(self.w.declared)

    @property
    def scratch_size(self) -> int:
        """Vectors of the frame and of the workspace."""
        return self.frame + self.size

    def functions(self) -> list[str]:
        """Tables of positions, and the function."""
        return [*self.tables, self.text]

    @abstractmethod
    def _write(self) -> str:
        """The function's text; sets `size`."""

    def _gather(self, work: str, moves: list[tuple[int, int]]) -> None:
        """Copy operands to their places in the workspace; (operand, place)."""
        w = self.w
        for space in (FRAME, TILE, TABLE):
            here = [(self.stage.inputs[k].at, to) for k, to in moves if self.stage.inputs[k].space == space]
            if not here:
                continue
            sources = self.positions(f"{space}.a", [source for source, _ in here])
            targets = self.positions(f"{space}.b", [target for _, target in here])
            loop = CountedLoop(w, f"from.{space}")
            k, _ = loop.open(0, len(here))
            source, target = self.position(sources, k), self.position(targets, k)
            if space == TABLE:
                at = w.emit(f"getelementptr double, ptr {_BASE[space]}, i64 {source}")
                value = w.splat(w.emit(f"load double, ptr {at}, align 8"))
            else:
                value = w.emit(f"load {w.T}, ptr {self.at(_BASE[space], source)}, align {w.bytes}")
            w.do(f"store {w.T} {value}, ptr {self.at(work, target)}, align {w.bytes}")
            loop.close()

    def _scatter(self, work: str, results: list[int]) -> None:
        w = self.w
        pairs = [
            (at, place.at) for at, places in zip(results, self.stage.outputs, strict=True) for place in _frame(places)
        ]
        sources = self.positions("out.a", [source for source, _ in pairs])
        targets = self.positions("out.b", [target for _, target in pairs])
        loop = CountedLoop(w, "out")
        k, _ = loop.open(0, len(pairs))
        value = w.emit(f"load {w.T}, ptr {self.at(work, self.position(sources, k))}, align {w.bytes}")
        w.do(f"store {w.T} {value}, ptr {self.at('%scratch', self.position(targets, k))}, align {w.bytes}")
        loop.close()

    def at(self, base: str, index: str) -> str:
        """Address of the vector at an index that is a value."""
        return self.w.emit(f"getelementptr {self.w.T}, ptr {base}, i64 {index}")

    def positions(self, name: str, values: list[int]) -> str:
        """Name of a table of positions."""
        full = f"@{self.name}.{name}"
        self.tables.append(
            f"{full} = internal constant [{len(values)} x i32] [{', '.join(f'i32 {x}' for x in values)}]"
        )
        return full

    def position(self, table: str, k: str) -> str:
        """Entry k of a table of positions."""
        w = self.w
        at = w.emit(f"getelementptr i32, ptr {table}, i64 {k}")
        return w.emit(f"sext i32 {w.emit(f'load i32, ptr {at}, align 4')} to i64")


def _frame(places: tuple[Place, ...]) -> tuple[Place, ...]:
    assert all(place.space == FRAME and place.step == 0 for place in places)
    return places


# A call: in the workspace are the called program's tile of inputs, its results, its scratch. Its uniform inputs and numbers
# have a part of their own in the table.


@dataclass(frozen=True)
class Callee:
    """A program written as functions. names: in order; outputs: (array, index) of every result; scratch, inputs: vectors;
    offset: name of the constant that says where its part of the table begins; uniform: which inputs come from there."""

    names: Sequence[str]
    outputs: Sequence[tuple[str, int]]
    scratch: int
    inputs: int
    offset: str
    uniform: Sequence[bool]


class CallBody(Moving):
    """Writes the function of one call."""

    def __init__(self, callee: Callee, name: str, stage: PlacedStage, lanes: int, fused: bool, frame: int) -> None:
        self.callee = callee
        super().__init__(name, stage, lanes, fused, frame)

    def _write(self) -> str:
        w, callee = self.w, self.callee
        own = sum(array == "%results" for array, _ in callee.outputs)
        first = {"%tile": 0, "%results": callee.inputs, "%scratch": callee.inputs + own}
        self.size = callee.inputs + own + callee.scratch
        work = w.at("%scratch", self.frame)
        self._gather(work, [(k, k) for k, same in enumerate(callee.uniform) if not same])
        start = w.emit(f"load i64, ptr {callee.offset}, align 8")
        table = w.emit(f"getelementptr double, ptr %table, i64 {start}")
        inner = {array: self.at(work, str(at)) for array, at in first.items()} | {"%mask": "%mask", "%table": table}
        arguments = ARGUMENTS
        for array, value in inner.items():
            arguments = arguments.replace(f"ptr {array}", f"ptr {value}")
        for name in callee.names:
            w.do(f"call void @{name}({arguments})")
        self._scatter(work, [first[array] + at for array, at in callee.outputs])
        return function_of(self.name, ARGUMENTS, w.lines)


# A block: a solve or a product as loops.


class BlockBody(Moving):
    """Writes the function of one block."""

    def _write(self) -> str:
        w, block = self.w, self.stage.block
        work = w.at("%scratch", self.frame)
        if isinstance(block, Solve):
            shape = Symmetric(block.n, block.m)
            self.size = shape.size
            self._clear(work, shape.cleared)
            operands = [(k, shape.place_of_operand(k)) for k in range(len(self.stage.inputs))]
            self._gather(work, [(k, at) for k, at in operands if at is not None])
            floors = self._constants(
                "floors", [block.floor[k] if k < len(block.floor) else 0.0 for k in range(block.n)]
            )
            write_symmetric_solve(w, shape, work, floors if block.failure else None)
            self._scatter(work, [shape.place_of_result(k) for k in range(block.outputs)])
        else:
            assert isinstance(block, Product)
            self._write_product(block, work)
        return function_of(self.name, ARGUMENTS, w.lines)

    def _write_product(self, block: Product, work: str) -> None:
        n, k, m = block.n, block.k, block.m
        left = self.stage.inputs[: n * k]
        uniform = all(place.space == TABLE for place in left)  # then they stand in a row
        targets = [_only(places) for places in self.stage.outputs]
        writer = _ProductWriter(self, block, work, left[0].at if uniform else None, targets)
        self.size = writer.size
        right = [(n * k + i * m + j, writer.first_b + j * k + i) for i in range(k) for j in range(m)]
        self._gather(work, right if uniform else [*((i, i) for i in range(n * k)), *right])
        writer.write()

    def _clear(self, work: str, which: range) -> None:
        w = self.w
        loop = CountedLoop(w, "clear")
        k, _ = loop.open(which.start, which.stop)
        w.do(f"store {w.T} zeroinitializer, ptr {self.at(work, k)}, align {w.bytes}")
        loop.close()

    def _constants(self, name: str, values: list[float]) -> str:
        full = f"@{self.name}.{name}"
        words = ", ".join(f"double {w}" for w in map(_word, values))
        self.tables.append(f"{full} = internal constant [{len(values)} x double] [{words}]")
        return full


def _only(places: tuple[Place, ...]) -> int | None:
    """Where a result goes, None where nobody reads it."""
    assert len(places) <= 1 and all(place.space == FRAME and place.step == 0 for place in places)
    return places[0].at if places else None


def _word(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
