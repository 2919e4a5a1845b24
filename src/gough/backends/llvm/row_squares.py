"""Sums over very many rows y (p numbers each), in machine code that serves any p: one thread, no library's threads below.

    void squares(Y, stride, last, last_stride, n, p, P, minus_R, inverse, E, G)      G += Σ eᵀe of e = [y | last] R⁻¹
    void sums(Y, Z, target, phi, weights, n, rows, p, length, S)                     S_b += Σ w_r (target - y φ) z of a block b

squares: rows are `stride` numbers apart, behind each stands a number of `last`. P: p + 1 rounded up to WIDE. minus_R (P, P): -R,
inverse (P,): 1/R_kk, beyond p + 1 as of R = 1; without them (null) e = [y | last]. E: room for P × TILE numbers. G (P, P): on and
above the diagonal. Rows go through E tile by tile, transposed, so that lanes of a vector are rows: e by forward substitution is
then products of vectors with numbers, and G sums of products of vectors, several of which stay in registers.
sums: Y, Z (n, rows, p), target (n, rows), phi (p,), weights (rows,); S (blocks, p), a block has `length` of the n.
"""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from gough.backends.llvm.target import KNOWN, CpuTarget, LoadedObject, compile_object, host

WIDE = 8
"""Columns are rounded up to a multiple of it."""
TILE = 432
"""Rows that are transposed at a time, a multiple of what is solved at a time (24): with 100 columns 360 kB, which a core's cache
holds."""

_WORDS, _PLACE = ctypes.c_int64, ctypes.c_void_p
_SQUARES = ctypes.CFUNCTYPE(
    None, _PLACE, _WORDS, _PLACE, _WORDS, _WORDS, _WORDS, _WORDS, _PLACE, _PLACE, _PLACE, _PLACE
)
_SUMS = ctypes.CFUNCTYPE(None, *([_PLACE] * 5), *([_WORDS] * 4), _PLACE)


class _Text:
    """Lines of IR of one function on vectors of `lanes` doubles."""

    def __init__(self, lanes: int) -> None:
        self.lanes, self.lines, self._names = lanes, [], 0
        self.vector = f"<{lanes} x double>"

    def put(self, text: str) -> str:
        """A new value."""
        self._names += 1
        self.lines.append(f"  %x{self._names} = {text}")
        return f"%x{self._names}"

    def add(self, text: str) -> None:
        """A line that gives nothing."""
        self.lines.append(f"  {text}")

    def mark(self, label: str) -> None:
        """A label."""
        self.lines.append(f"{label}:")

    def at(self, array: str, index: str) -> str:
        """The place of a number of an array."""
        return self.put(f"getelementptr double, ptr {array}, i64 {index}")

    def load(self, array: str, index: str, kind: str = "double") -> str:
        """A number, or the vector that begins there."""
        return self.put(f"load {kind}, ptr {self.at(array, index)}, align 8")

    def store(self, value: str, array: str, index: str, kind: str = "double") -> None:
        """The same way back."""
        self.add(f"store {kind} {value}, ptr {self.at(array, index)}, align 8")

    def whole(self, operation: str, a: object, b: object) -> str:
        """Of whole numbers: add, sub, mul, …"""
        return self.put(f"{operation} i64 {a}, {b}")

    def spread(self, number: str) -> str:
        """A number in all lanes."""
        one = self.put(f"insertelement {self.vector} poison, double {number}, i32 0")
        return self.put(
            f"shufflevector {self.vector} {one}, {self.vector} poison, <{self.lanes} x i32> zeroinitializer"
        )

    def product_sum(self, a: str, b: str, c: str, kind: str = "") -> str:
        """a b + c."""
        kind = kind or self.vector
        suffix = "f64" if kind == "double" else f"v{self.lanes}f64"
        return self.put(f"call {kind} @llvm.fmuladd.{suffix}({kind} {a}, {kind} {b}, {kind} {c})")

    def total(self, x: str) -> str:
        """The sum of the lanes."""
        return self.put(
            f"call reassoc double @llvm.vector.reduce.fadd.v{self.lanes}f64(double -0.0, {self.vector} {x})"
        )

    def begin(self, name: str, before: str, first: object, end: str, sums: int = 0, zero: str = "") -> list[str]:
        """A loop, perhaps of no turn, of the index %name and of running sums, which are given back. before: the block before."""
        self.add(f"br label %{name}.head")
        self.mark(f"{name}.head")
        self.add(f"%{name} = phi i64 [ {first}, %{before} ], [ %{name}.next, %{name}.last ]")
        kept = [f"%{name}.sum{i}" for i in range(sums)]
        for x in kept:
            self.add(f"{x} = phi {self.vector} [ {zero or x + '.first'}, %{before} ], [ {x}.next, %{name}.last ]")
        self.add(f"%{name}.more = icmp slt i64 %{name}, {end}")
        self.add(f"br i1 %{name}.more, label %{name}.body, label %{name}.done")
        self.mark(f"{name}.body")
        return kept

    def finish(self, name: str, step: int, sums: dict[str, str] | None = None) -> None:
        """The end of the loop, sums: what becomes of the running ones."""
        self.add(f"br label %{name}.last")
        self.mark(f"{name}.last")
        for kept, value in (sums or {}).items():
            self.add(f"{kept}.next = bitcast {self.vector} {value} to {self.vector}")
        self.add(f"%{name}.next = add i64 %{name}, {step}")
        self.add(f"br label %{name}.head")
        self.mark(f"{name}.done")


def _transposing(lanes: int) -> str:
    """void transpose(Y, stride, last, last_stride, n, padded, p, P, E): a tile's rows become columns of E (P, TILE)."""
    t = _Text(lanes)
    even, lane_rows = t.whole("and", "%p", -lanes), t.whole("and", "%n", -lanes)
    t.begin("s", "entry", 0, lane_rows)
    t.begin("k", "s.body", 0, even)
    rows = [
        t.load("%Y", t.whole("add", t.whole("mul", t.whole("add", "%s", i), "%stride"), "%k"), t.vector)
        for i in range(lanes)
    ]
    half = lanes // 2
    while half:
        for i in range(lanes):
            if i & half:
                continue
            a, b = rows[i], rows[i + half]
            low = [lane if not lane & half else lanes + lane - half for lane in range(lanes)]
            high = [lane + half if not lane & half else lanes + lane for lane in range(lanes)]
            for at, mask in ((i, low), (i + half, high)):
                chosen = ", ".join(f"i32 {m}" for m in mask)
                rows[at] = t.put(f"shufflevector {t.vector} {a}, {t.vector} {b}, <{lanes} x i32> <{chosen}>")
        half //= 2
    for i, x in enumerate(rows):
        t.store(x, "%E", t.whole("add", t.whole("mul", t.whole("add", "%k", i), TILE), "%s"), t.vector)
    t.finish("k", lanes)
    t.finish("s", lanes)
    _copy_numbers(t, "a", "s.done", ("%n", lane_rows), even)  # the last rows
    _copy_numbers(t, "b", "ak.done", ("%n", "0"), "%p", even)  # the last columns
    t.begin("c", "bk.done", 0, "%n")
    t.store(
        t.load("%last", t.whole("mul", "%c", "%last_stride")), "%E", t.whole("add", t.whole("mul", "%p", TILE), "%c")
    )
    t.finish("c", 1)
    behind = t.whole("add", "%p", 1)
    for name, before, first_k, first_s in (("z", "c.done", behind, "0"), ("y", "zk.done", "0", "%n")):
        t.begin(f"{name}k", before, first_k, "%P")
        t.begin(f"{name}s", f"{name}k.body", first_s, "%padded")
        t.store("0.0", "%E", t.whole("add", t.whole("mul", f"%{name}k", TILE), f"%{name}s"))
        t.finish(f"{name}s", 1)
        t.finish(f"{name}k", 1)
    return _function(
        "transpose",
        "ptr %Y, i64 %stride, ptr %last, i64 %last_stride, i64 %n, i64 %padded, i64 %p, i64 %P, ptr %E",
        t,
    )


def _copy_numbers(t: _Text, name: str, before: str, rows: tuple[str, str], columns: str, first: str = "0") -> None:
    """Number by number."""
    end, begin = rows
    t.begin(f"{name}k", before, first, columns)
    t.begin(f"{name}s", f"{name}k.body", begin, end)
    x = t.load("%Y", t.whole("add", t.whole("mul", f"%{name}s", "%stride"), f"%{name}k"))
    t.store(x, "%E", t.whole("add", t.whole("mul", f"%{name}k", TILE), f"%{name}s"))
    t.finish(f"{name}s", 1)
    t.finish(f"{name}k", 1)


def _solving(lanes: int, columns: int, vectors: int) -> str:
    """void solve(E, padded, P, minus_R, inverse): e R = row, for `columns` of e and `vectors` of rows at a time."""
    t = _Text(lanes)
    t.begin("s", "entry", 0, "%padded")
    t.begin("k", "s.body", 0, "%P")
    at = [t.whole("add", t.whole("mul", t.whole("add", "%k", c), TILE), "%s") for c in range(columns)]
    places = [t.whole("add", at[c], v * lanes) for c in range(columns) for v in range(vectors)]
    for i, place in enumerate(places):
        t.add(f"%j.sum{i}.first = load {t.vector}, ptr {t.at('%E', place)}, align 8")
    kept = t.begin("j", "k.body", 0, "%k", len(places))
    known = t.whole("add", t.whole("mul", "%j", TILE), "%s")
    e = [t.load("%E", t.whole("add", known, v * lanes), t.vector) for v in range(vectors)]
    row = t.whole("add", t.whole("mul", "%j", "%P"), "%k")
    after = {}
    for c in range(columns):
        r = t.spread(t.load("%minus_R", t.whole("add", row, c)))
        for v in range(vectors):
            i = c * vectors + v
            after[kept[i]] = t.product_sum(r, e[v], kept[i])
    t.finish("j", 1, after)
    now = list(kept)
    for c in range(columns):
        scale = t.spread(t.load("%inverse", t.whole("add", "%k", c)))
        own = t.whole("add", t.whole("mul", t.whole("add", "%k", c), "%P"), "%k")
        for v in range(vectors):
            i = c * vectors + v
            now[i] = t.put(f"fmul {t.vector} {now[i]}, {scale}")
            t.store(now[i], "%E", places[i], t.vector)
        for d in range(c + 1, columns):
            r = t.spread(t.load("%minus_R", t.whole("add", own, d)))
            for v in range(vectors):
                i = d * vectors + v
                now[i] = t.product_sum(r, now[c * vectors + v], now[i])
    t.finish("k", columns)
    t.finish("s", lanes * vectors)
    return _function("solve", "ptr %E, i64 %padded, i64 %P, ptr %minus_R, ptr %inverse", t)


def _multiplying(lanes: int, down: int, across: int) -> str:
    """void multiply(E, padded, P, G): G += E Eᵀ on and above the diagonal, `down` × `across` numbers at a time."""
    t = _Text(lanes)
    t.begin("j", "entry", 0, "%P")
    t.begin("k", "j.body", "%j", "%P")
    starts = [t.whole("mul", t.whole("add", "%j", i), TILE) for i in range(down)]
    others = [t.whole("mul", t.whole("add", "%k", i), TILE) for i in range(across)]
    kept = t.begin("s", "k.body", 0, "%padded", down * across, "zeroinitializer")
    a = [t.load("%E", t.whole("add", x, "%s"), t.vector) for x in starts]
    b = [t.load("%E", t.whole("add", x, "%s"), t.vector) for x in others]
    t.finish("s", lanes, {x: t.product_sum(a[i // across], b[i % across], x) for i, x in enumerate(kept)})
    for i, x in enumerate(kept):
        place = t.whole("mul", t.whole("add", "%j", i // across), "%P")
        place = t.whole("add", place, t.whole("add", "%k", i % across))
        so_far = t.load("%G", place)
        t.store(t.put(f"fadd double {so_far}, {t.total(x)}"), "%G", place)
    t.finish("k", across)
    t.finish("j", down)
    return _function("multiply", "ptr %E, i64 %padded, i64 %P, ptr %G", t)


def _squaring(lanes: int, group: int) -> str:
    """Tile after tile."""
    t = _Text(lanes)
    plain = t.put("icmp eq ptr %minus_R, null")
    t.begin("i", "entry", 0, "%n")
    left = t.whole("sub", "%n", "%i")
    few = t.put(f"icmp slt i64 {left}, {TILE}")
    own = t.put(f"select i1 {few}, i64 {left}, i64 {TILE}")
    padded = t.whole("mul", t.whole("udiv", t.whole("add", own, group - 1), group), group)
    rows, last = t.at("%Y", t.whole("mul", "%i", "%stride")), t.at("%last", t.whole("mul", "%i", "%last_stride"))
    t.add(
        f"call void @transpose(ptr {rows}, i64 %stride, ptr {last}, i64 %last_stride, i64 {own}, i64 {padded}, i64 %p, i64 %P, "
        "ptr %E)"
    )
    t.add(f"br i1 {plain}, label %ready, label %uneven")
    t.mark("uneven")
    t.add(f"call void @solve(ptr %E, i64 {padded}, i64 %P, ptr %minus_R, ptr %inverse)")
    t.add("br label %ready")
    t.mark("ready")
    t.add(f"call void @multiply(ptr %E, i64 {padded}, i64 %P, ptr %G)")
    t.finish("i", TILE)
    given = "ptr %Y, i64 %stride, ptr %last, i64 %last_stride, i64 %n, i64 %p, i64 %P"
    return _function("squares", f"{given}, ptr %minus_R, ptr %inverse, ptr %E, ptr %G", t, "")


def _summing(lanes: int) -> str:
    t = _Text(lanes)
    even = t.whole("and", "%p", -lanes)
    t.begin("i", "entry", 0, "%n")
    block = t.at("%S", t.whole("mul", t.whole("udiv", "%i", "%length"), "%p"))
    t.begin("r", "i.body", 0, "%rows")
    own = t.whole("add", t.whole("mul", "%i", "%rows"), "%r")
    y, z = (t.at(array, t.whole("mul", own, "%p")) for array in ("%Y", "%Z"))
    [kept] = t.begin("k", "r.body", 0, even, 1, "zeroinitializer")
    t.finish("k", lanes, {kept: t.product_sum(t.load(y, "%k", t.vector), t.load("%phi", "%k", t.vector), kept)})
    found = t.total(kept)
    # numbers behind the last whole vector: one lane of a vector counts
    only = t.put(f"insertelement {t.vector} zeroinitializer, double {found}, i32 0")
    t.add(f"%l.sum0.first = bitcast {t.vector} {only} to {t.vector}")
    [kept] = t.begin("l", "k.done", even, "%p", 1)
    so_far = t.put(f"extractelement {t.vector} {kept}, i32 0")
    more = t.product_sum(t.load(y, "%l"), t.load("%phi", "%l"), so_far, "double")
    t.finish("l", 1, {kept: t.put(f"insertelement {t.vector} zeroinitializer, double {more}, i32 0")})
    predicted = t.put(f"extractelement {t.vector} {kept}, i32 0")
    missing = t.put(f"fsub double {t.load('%target', own)}, {predicted}")
    weighed = t.put(f"fmul double {missing}, {t.load('%weights', '%r')}")
    all_lanes = t.spread(weighed)
    t.begin("m", "l.done", 0, even)
    t.store(t.product_sum(t.load(z, "%m", t.vector), all_lanes, t.load(block, "%m", t.vector)), block, "%m", t.vector)
    t.finish("m", lanes)
    t.begin("o", "m.done", even, "%p")
    t.store(t.product_sum(t.load(z, "%o"), weighed, t.load(block, "%o"), "double"), block, "%o")
    t.finish("o", 1)
    t.finish("r", 1)
    t.finish("i", 1)
    given = "ptr %Y, ptr %Z, ptr %target, ptr %phi, ptr %weights, i64 %n, i64 %rows, i64 %p, i64 %length, ptr %S"
    return _function("sums", given, t, "")


def _function(name: str, given: str, t: _Text, kind: str = "internal ") -> str:
    return "\n".join([f"define {kind}void @{name}({given}) {{", "entry:", *t.lines, "  ret void", "}", ""])


def make_text(target: CpuTarget) -> str:
    """IR for a CPU: with 32 registers (AVX-512) larger blocks than with 16."""
    lanes, many = target.lanes, target.lanes == 8
    columns, vectors, down, across = (8, 3, 4, 4) if many else (4, 2, 4, 2)
    kind = f"<{lanes} x double>"
    return "\n".join(
        [
            f"declare {kind} @llvm.fmuladd.v{lanes}f64({kind}, {kind}, {kind})",
            "declare double @llvm.fmuladd.f64(double, double, double)",
            f"declare double @llvm.vector.reduce.fadd.v{lanes}f64(double, {kind})",
            _transposing(lanes),
            _solving(lanes, columns, vectors),
            _multiplying(lanes, down, across),
            _squaring(lanes, lanes * vectors),
            _summing(lanes),
        ]
    )


@dataclass(frozen=True)
class RowFunctions:
    """`squares` and `sums` as Python calls them, and what keeps their code alive."""

    squares: Callable[..., None]
    sums: Callable[..., None]
    code: LoadedObject


@lru_cache(maxsize=len(KNOWN))
def row_functions(target: CpuTarget | None = None) -> RowFunctions:
    """For this CPU, or as for another one that it can stand in for; made when first asked for."""
    target = target or host()
    code = LoadedObject(compile_object(make_text(target), target))
    return RowFunctions(_SQUARES(code.address("squares")), _SUMS(code.address("sums")), code)
