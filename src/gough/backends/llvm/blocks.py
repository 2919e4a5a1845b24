"""A large block as loops on vectors, one state a lane.

void stage_s(tile, results, mask, scratch, table)
"""

import struct

from gough.backends.llvm.body import ARGUMENTS, function_of
from gough.backends.llvm.loops import Loop
from gough.backends.llvm.moving import Moving
from gough.backends.llvm.products import write_product
from gough.backends.llvm.symmetric import Symmetric, write_symmetric_solve
from gough.backends.stage_layout import TABLE
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

    def _constants(self, name: str, values: list[float]) -> str:
        full = f"@{self.name}.{name}"
        words = ", ".join(f"double {w}" for w in map(_word, values))
        self.tables.append(f"{full} = internal constant [{len(values)} x double] [{words}]")
        return full


def _word(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
