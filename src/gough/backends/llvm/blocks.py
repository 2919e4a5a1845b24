"""A large block as loops on vectors, one state a lane.

void stage_s(tile, results, mask, scratch, table)
"""

import struct

from gough.backends.llvm.body import ARGUMENTS, function_of
from gough.backends.llvm.loops import Loop
from gough.backends.llvm.moving import Moving
from gough.backends.llvm.products import ProductWriter
from gough.backends.llvm.symmetric import Symmetric, write_symmetric_solve
from gough.backends.stage_layout import FRAME, TABLE, Place
from gough.program.ops import Product, Solve


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
        writer = ProductWriter(self, block, work, left[0].at if uniform else None, targets)
        self.size = writer.size
        right = [(n * k + i * m + j, writer.first_b + j * k + i) for i in range(k) for j in range(m)]
        self._gather(work, right if uniform else [*((i, i) for i in range(n * k)), *right])
        writer.write()

    def _clear(self, work: str, which: range) -> None:
        w = self.w
        loop = Loop(w, "clear")
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
