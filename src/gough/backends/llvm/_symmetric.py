"""A x = b with a symmetric positive definite A as loops: LDLᵀ by columns of tiles, 4 by 4 entries kept in registers.

The right-hand sides are more rows below A: what factoring does to them is the forward substitution and the division by D.
Then, four rows at a time from the last, Lᵀ x = z. With rows i, columns j, and everything to the left of a tile known:

    s_ij = a_ij - Σ_k l_ik (d_k l_jk),   d_j = s_jj,   l_ij = s_ij / d_j                                              (1)

In the workspace (vectors): rows of n + padding to whole tiles, each followed by the right-hand sides; then d, the rows
d_k l_jk of the present columns, and the present diagonal tile.
"""

from dataclasses import dataclass

from gough.backends.llvm._writer import CountedLoop, Writer

TILE = 4


@dataclass(frozen=True)
class Symmetric:
    """Where everything is, for n unknowns and m right-hand sides."""

    n: int
    m: int

    @property
    def padded(self) -> int:
        """Unknowns in whole tiles; those added have a one on the diagonal."""
        return -(-self.n // TILE) * TILE

    @property
    def cleared(self) -> range:
        """Vectors that start as zeros: rows added, and right-hand sides, which are as long as rows. Nothing is read above
        the diagonal."""
        end = (self.padded + self.m) * self.padded
        return range(self.n * self.padded if self.padded > self.n else end, end)

    @property
    def pivots(self) -> int:
        """First vector of d."""
        return self.cleared.stop

    @property
    def scaled(self) -> int:
        """First vector of the rows d_k l_jk of four columns."""
        return self.pivots + self.padded

    @property
    def diagonal(self) -> int:
        """First vector of the diagonal tile: s below the diagonal, 1/d on it."""
        return self.scaled + TILE * self.padded

    @property
    def size(self) -> int:
        """Vectors in all."""
        return self.diagonal + TILE * TILE

    def place_of_operand(self, k: int) -> int | None:
        """Where operand k goes; None above the diagonal."""
        if k < self.n * self.n:
            i, j = divmod(k, self.n)
            return None if j > i else i * self.padded + j
        i, c = divmod(k - self.n * self.n, self.m)
        return (self.padded + c) * self.padded + i

    def place_of_result(self, k: int) -> int:
        """Where result k is found."""
        i, c = divmod(k, self.m)
        return (self.padded + c) * self.padded + i


def write_symmetric_solve(w: Writer, shape: Symmetric, work: str, floors: str | None) -> None:
    """floors: name of the constants (n,) below which a pivot is flagged; None: no checks."""
    _SymmetricWriter(w, shape, work, floors).write()


class _SymmetricWriter:
    def __init__(self, w: Writer, shape: Symmetric, work: str, floors: str | None) -> None:
        self.w, self.shape, self.work, self.floors = w, shape, work, floors
        self.stride = shape.padded

    def write(self) -> None:
        w, shape = self.w, self.shape
        for i in range(shape.n, shape.padded):
            self._store(str(i * self.stride + i), w.constant(1.0))
        columns = CountedLoop(w, "columns")
        j, _ = columns.open(0, shape.padded, TILE)
        self._scale(j)
        self._diagonal(j)
        below = w.emit(f"add i64 {j}, {TILE}")
        rows = CountedLoop(w, "rows")
        i, _ = rows.open(below, shape.padded + shape.m // TILE * TILE, TILE)
        self._tile(i, j, TILE, "tile")
        rows.close()
        if shape.m % TILE:
            self._tile(str(shape.padded + shape.m // TILE * TILE), j, shape.m % TILE, "rest")
        columns.close()
        self._backwards()

    def _scale(self, j: str) -> None:
        """Rows d_k l_jk of the four columns from j on, for all k before them."""
        w, shape = self.w, self.shape
        loop = CountedLoop(w, "scale")
        k, _ = loop.open(0, j)
        d = self._load(self._sum(k, shape.pivots))
        for r in range(TILE):
            value = w.binary("fmul", self._load(self._entry(j, r, k)), d)
            self._store(self._sum(k, shape.scaled + r * self.stride), value)
        loop.close()

    def _sums(self, i: str, j: str, height: int, name: str, lower: bool) -> dict[tuple[int, int], str]:
        """s of a tile before what its own columns do to each other."""
        w, shape = self.w, self.shape
        places = [(r, c) for r in range(height) for c in range(TILE) if not lower or c <= r]
        start = [self._load(self._sum(self._entry(i, r, j), c)) for r, c in places]
        rows = [
            self._at(self._entry(i, r, "0")) for r in range(height)
        ]  # outside of the loop, which should do little else
        columns = [self._at(str(shape.scaled + c * self.stride)) for c in range(TILE)]
        loop = CountedLoop(w, name)
        k, sums = loop.open(0, j, carried=start)
        a = [w.negate(self._along(row, k)) for row in rows]
        b = [self._along(column, k) for column in columns]
        new = [w.fma(a[r], b[c], total) for (r, c), total in zip(places, sums, strict=True)]
        return dict(zip(places, loop.close(new), strict=True))

    def _diagonal(self, j: str) -> None:
        w, shape = self.w, self.shape
        s = self._sums(j, j, TILE, "diagonal", lower=True)
        bad = None
        for c in range(TILE):
            d = s[c, c]
            if self.floors is not None:
                flag = w.emit(f"fcmp ult {w.T} {d}, {self._floor(j, c)}")
                bad = flag if bad is None else w.emit(f"or {w.B} {bad}, {flag}")
            one = w.binary("fdiv", w.constant(1.0), d)
            self._store(self._sum(j, shape.pivots + c), d)
            self._store(str(shape.diagonal + c * TILE + c), one)
            for r in range(c + 1, TILE):
                self._store(str(shape.diagonal + r * TILE + c), s[r, c])
                factor = w.binary("fmul", s[r, c], one)
                self._store(self._sum(self._entry(j, r, j), c), factor)
                for other in range(c + 1, r + 1):
                    s[r, other] = w.fma(w.negate(factor), s[other, c], s[r, other])
        if bad is not None:
            status = w.emit(f"load {w.I}, ptr %mask, align {w.bytes}")
            flagged = w.emit(f"select {w.B} {bad}, {w.I} {w.integer(2)}, {w.I} zeroinitializer")
            w.do(f"store {w.I} {w.emit(f'or {w.I} {status}, {flagged}')}, ptr %mask, align {w.bytes}")

    def _tile(self, i: str, j: str, height: int, name: str) -> None:
        """Equation (1) for `height` rows from i on."""
        w, shape = self.w, self.shape
        s = self._sums(i, j, height, name, lower=False)
        for c in range(TILE):
            one = self._load(str(shape.diagonal + c * TILE + c))
            later = {k: self._load(str(shape.diagonal + k * TILE + c)) for k in range(c + 1, TILE)}
            for r in range(height):
                factor = w.binary("fmul", s[r, c], one)
                self._store(self._sum(self._entry(i, r, j), c), factor)
                for k, other in later.items():
                    s[r, k] = w.fma(w.negate(factor), other, s[r, k])

    def _backwards(self) -> None:
        """x_k = z_k - Σ_i>k l_ik x_i for all right-hand sides, four at a time."""
        w, shape = self.w, self.shape
        whole = shape.m // TILE * TILE
        if whole:
            loop = CountedLoop(w, "sides")
            c, _ = loop.open(0, whole, TILE)
            self._back(w.emit(f"add i64 {c}, {shape.padded}"), TILE, "back")
            loop.close()
        if shape.m > whole:
            self._back(str(shape.padded + whole), shape.m - whole, "last")

    def _back(self, side: str, height: int, name: str) -> None:
        """Four unknowns at a time, from the last; what they do to all before them runs along rows of L."""
        w, shape = self.w, self.shape
        tiles = CountedLoop(w, f"{name}.tiles")
        i, _ = tiles.open(shape.padded - TILE, -1, -TILE)
        x = {(r, c): self._load(self._sum(self._entry(side, c, i), r)) for r in range(TILE) for c in range(height)}
        for r in range(TILE - 1, 0, -1):
            for k in range(r):
                factor = w.negate(self._load(self._sum(self._entry(i, r, i), k)))
                for c in range(height):
                    x[k, c] = w.fma(factor, x[r, c], x[k, c])
        for (r, c), value in x.items():
            self._store(self._sum(self._entry(side, c, i), r), value)
        rows = [self._at(self._entry(i, r, "0")) for r in range(TILE)]
        sides = [self._at(self._entry(side, c, "0")) for c in range(height)]
        loop = CountedLoop(w, name)
        k, _ = loop.open(0, i)
        factors = [w.negate(self._along(row, k)) for row in rows]
        for c, z in enumerate(sides):
            at = w.emit(f"getelementptr {w.T}, ptr {z}, i64 {k}")
            value = w.emit(f"load {w.T}, ptr {at}, align {w.bytes}")
            for r, factor in enumerate(factors):
                value = w.fma(factor, x[r, c], value)
            w.do(f"store {w.T} {value}, ptr {at}, align {w.bytes}")
        loop.close()
        tiles.close()

    # ---------------------------------------------------------------- places

    def _entry(self, row: str, offset: int, column: str) -> str:
        """Index of entry (row + offset, column)."""
        first = self.w.emit(f"mul i64 {row}, {self.stride}")
        return self._sum(self.w.emit(f"add i64 {first}, {column}"), offset * self.stride)

    def _sum(self, index: str, more: int) -> str:
        return self.w.emit(f"add i64 {index}, {more}")

    def _at(self, index: str) -> str:
        return self.w.emit(f"getelementptr {self.w.T}, ptr {self.work}, i64 {index}")

    def _along(self, row: str, k: str) -> str:
        """The vector k places behind the address `row`."""
        w = self.w
        return w.emit(f"load {w.T}, ptr {w.emit(f'getelementptr {w.T}, ptr {row}, i64 {k}')}, align {w.bytes}")

    def _load(self, index: str) -> str:
        return self.w.emit(f"load {self.w.T}, ptr {self._at(index)}, align {self.w.bytes}")

    def _store(self, index: str, value: str) -> None:
        self.w.do(f"store {self.w.T} {value}, ptr {self._at(index)}, align {self.w.bytes}")

    def _floor(self, j: str, c: int) -> str:
        w, last = self.w, self.shape.n - 1
        k = self._sum(j, c)
        k = w.emit(f"select i1 {w.emit(f'icmp slt i64 {k}, {last}')}, i64 {k}, i64 {last}")
        return w.splat(
            w.emit(f"load double, ptr {w.emit(f'getelementptr double, ptr {self.floors}, i64 {k}')}, align 8")
        )
