"""A large block as loops on vectors, one state a lane.

    void stage_s(tile, results, mask, scratch, table)

Operands are copied from where they are to rows in the workspace, which stands behind the frame; results are copied back.
Where they are is said by tables of positions, so the code stays as small as the block's loops are.
"""

import struct

from gough.backends.llvm.body import ARGUMENTS, function_of
from gough.backends.llvm.loops import Loop
from gough.backends.llvm.products import write_product
from gough.backends.llvm.symmetric import Symmetric, write_symmetric_solve
from gough.backends.llvm.writer import Writer
from gough.backends.stage_layout import FRAME, TABLE, TILE, Place, PlacedStage
from gough.program.ops import Product, Solve

_BASE = {FRAME: "%scratch", TILE: "%tile", TABLE: "%table"}


class BlockBody:
    """Writes the function of one block; `scratch_size` and `declared` are what `StageBodies` asks for."""

    def __init__(self, name: str, stage: PlacedStage, lanes: int, fused: bool, frame: int) -> None:
        self.name, self.stage, self.frame = name, stage, frame
        self.w = Writer(lanes, fused)
        self.declared: set[str] = set()
        self.tables: list[str] = []
        self._text = self._write()
        self.declared |= self.w.declared

    @property
    def scratch_size(self) -> int:
        """Vectors of the frame and of the workspace."""
        return self.frame + self.size

    def functions(self) -> list[str]:
        """Tables of positions, and the function."""
        return [*self.tables, self._text]

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
            write_symmetric_solve(w, shape, work, floors if block.name else None)
            results = [shape.place_of_result(k) for k in range(block.outputs)]
        else:
            assert isinstance(block, Product)
            n, k, m = block.n, block.k, block.m
            left = self.stage.inputs[: n * k]
            uniform = all(place.space == TABLE for place in left)  # then they stand in a row
            first = 0 if uniform else n * k
            self.size = first + k * m + n * m
            right = [(n * k + i * m + j, first + j * k + i) for i in range(k) for j in range(m)]
            self._gather(work, right if uniform else [*((i, i) for i in range(n * k)), *right])
            write_product(w, block, work, left[0].at if uniform else None)
            results = [first + k * m + i for i in range(n * m)]
        self._scatter(work, results)
        return function_of(self.name, ARGUMENTS, w.lines)

    def _clear(self, work: str, count: int) -> None:
        w = self.w
        loop = Loop(w, "clear")
        k, _ = loop.open(0, count)
        w.do(f"store {w.T} zeroinitializer, ptr {self._at(work, k)}, align {w.bytes}")
        loop.close()

    def _gather(self, work: str, moves: list[tuple[int, int]]) -> None:
        """Copy operands to their places in the workspace; (operand, place)."""
        w = self.w
        for space in (FRAME, TILE, TABLE):
            here = [(self.stage.inputs[k].at, to) for k, to in moves if self.stage.inputs[k].space == space]
            if not here:
                continue
            sources = self._positions(f"{space}.a", [source for source, _ in here])
            targets = self._positions(f"{space}.b", [target for _, target in here])
            loop = Loop(w, f"from.{space}")
            k, _ = loop.open(0, len(here))
            source, target = self._position(sources, k), self._position(targets, k)
            if space == TABLE:
                at = w.emit(f"getelementptr double, ptr {_BASE[space]}, i64 {source}")
                value = w.splat(w.emit(f"load double, ptr {at}, align 8"))
            else:
                value = w.emit(f"load {w.T}, ptr {self._at(_BASE[space], source)}, align {w.bytes}")
            w.do(f"store {w.T} {value}, ptr {self._at(work, target)}, align {w.bytes}")
            loop.close()

    def _scatter(self, work: str, results: list[int]) -> None:
        w = self.w
        pairs = [
            (at, place.at) for at, places in zip(results, self.stage.outputs, strict=True) for place in _frame(places)
        ]
        sources = self._positions("out.a", [source for source, _ in pairs])
        targets = self._positions("out.b", [target for _, target in pairs])
        loop = Loop(w, "out")
        k, _ = loop.open(0, len(pairs))
        value = w.emit(f"load {w.T}, ptr {self._at(work, self._position(sources, k))}, align {w.bytes}")
        w.do(f"store {w.T} {value}, ptr {self._at('%scratch', self._position(targets, k))}, align {w.bytes}")
        loop.close()

    def _at(self, base: str, index: str) -> str:
        return self.w.emit(f"getelementptr {self.w.T}, ptr {base}, i64 {index}")

    def _positions(self, name: str, values: list[int]) -> str:
        full = f"@{self.name}.{name}"
        self.tables.append(
            f"{full} = internal constant [{len(values)} x i32] [{', '.join(f'i32 {x}' for x in values)}]"
        )
        return full

    def _position(self, table: str, k: str) -> str:
        w = self.w
        at = w.emit(f"getelementptr i32, ptr {table}, i64 {k}")
        return w.emit(f"sext i32 {w.emit(f'load i32, ptr {at}, align 4')} to i64")

    def _constants(self, name: str, values: list[float]) -> str:
        full = f"@{self.name}.{name}"
        words = ", ".join(f"double {w}" for w in map(_word, values))
        self.tables.append(f"{full} = internal constant [{len(values)} x double] [{words}]")
        return full


def _frame(places: tuple[Place, ...]) -> tuple[Place, ...]:
    assert all(place.space == FRAME and place.step == 0 for place in places)
    return places


def _word(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
