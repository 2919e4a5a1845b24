"""Writing LLVM IR text with explicit vectors."""

import struct
from collections.abc import Sequence

ARGUMENTS = "ptr %tile, ptr %results, ptr %mask, ptr %scratch, ptr %table"
"""What every function of a module takes: a tile of inputs, results, the status words, scratch, numbers and uniform inputs."""


class Writer:
    """Lines of a function body; `emit` returns the name of a new value. T, I, B are the vector types of the lanes."""

    def __init__(self, lanes: int, fused: bool = True) -> None:
        self.lanes, self.fused = lanes, fused
        self.bytes = 8 * lanes
        self.T = f"<{lanes} x double>"
        self.I = f"<{lanes} x i64>"
        self.B = f"<{lanes} x i1>"
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self._serial = 0

    def emit(self, instruction: str) -> str:
        """Append an instruction that has a result."""
        self._serial += 1
        name = f"%t{self._serial}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f"{name}:")

    def do(self, instruction: str) -> None:
        """Append an instruction without result."""
        self.lines.append("  " + instruction)

    def constant(self, value: float) -> str:
        """A number in all lanes."""
        word = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        return "<" + ", ".join([f"double {word}"] * self.lanes) + ">"

    def integer(self, value: int) -> str:
        """An integer in all lanes."""
        return "<" + ", ".join([f"i64 {value}"] * self.lanes) + ">"

    def binary(self, operation: str, a: str, b: str) -> str:
        """fadd, fsub, fmul or fdiv."""
        return self.emit(f"{operation} {self.T} {a}, {b}")

    def negate(self, a: str) -> str:
        """Name of minus a, lane by lane."""
        return self.emit(f"fneg {self.T} {a}")

    def intrinsic(self, name: str, *operands: str) -> str:
        """A lane-wise LLVM intrinsic on vectors of doubles."""
        full = f"llvm.{name}.v{self.lanes}f64"
        self.declared.add(f"declare {self.T} @{full}({', '.join([self.T] * len(operands))})")
        return self.emit(f"call {self.T} @{full}({', '.join(f'{self.T} {x}' for x in operands)})")

    def fma(self, a: str, b: str, c: str) -> str:
        """a b + c, with one rounding where the machine can."""
        if not self.fused:
            return self.binary("fadd", self.binary("fmul", a, b), c)
        return self.intrinsic("fma", a, b, c)

    def at(self, base: str, k: int) -> str:
        """Address of vector k of an array."""
        return self.emit(f"getelementptr {self.T}, ptr {base}, i64 {k}")

    def load(self, base: str, k: int) -> str:
        """Vector k of an array."""
        return self.emit(f"load {self.T}, ptr {self.at(base, k)}, align {self.bytes}")

    def seed(self, name: str, a: str) -> str:
        """A reciprocal or reciprocal root to 14 bits (AVX-512, eight lanes)."""
        full = f"llvm.x86.avx512.{name}.pd.512"
        self.declared.add(f"declare {self.T} @{full}({self.T}, {self.T}, i8)")
        return self.emit(f"call {self.T} @{full}({self.T} {a}, {self.T} zeroinitializer, i8 -1)")

    def per_lane(self, function: str, *operands: str) -> str:
        """A libm function called lane by lane."""
        self.declared.add(f"declare double @{function}({', '.join(['double'] * len(operands))})")
        result = "undef"
        for lane in range(self.lanes):
            scalars = [self.emit(f"extractelement {self.T} {x}, i32 {lane}") for x in operands]
            value = self.emit(f"call double @{function}({', '.join(f'double {s}' for s in scalars)})")
            result = self.emit(f"insertelement {self.T} {result}, double {value}, i32 {lane}")
        return result

    def splat(self, scalar: str) -> str:
        """A scalar double in all lanes."""
        one = self.emit(f"insertelement {self.T} undef, double {scalar}, i32 0")
        return self.emit(f"shufflevector {self.T} {one}, {self.T} undef, <{self.lanes} x i32> zeroinitializer")


# Counted loops in IR text, with values that are carried from turn to turn.


class CountedLoop:
    """`for k in range(start, stop, step)`; stop may be a value. Between `open` and `close` the writer writes the body.

    loop = Loop(w, "row")
    k, (total,) = loop.open(0, n, carried=[zero])
    ...
    (total,) = loop.close([new_total])      # the values after the last turn
    """

    def __init__(self, w: Writer, name: str) -> None:
        self.w, self.name = w, f"loop.{name}"

    def open(
        self, start: int | str, stop: int | str, step: int = 1, carried: Sequence[str] = ()
    ) -> tuple[str, list[str]]:
        """(counter, carried values at the head of a turn)."""
        w, name = self.w, self.name
        w.do(f"br label %{name}.enter")
        w.label(f"{name}.enter")
        w.do(f"br label %{name}")
        w.label(name)
        self.step = step
        w.do(f"%{name}.k = phi i64 [ {start}, %{name}.enter ], [ %{name}.next, %{name}.latch ]")
        self.first = len(w.lines)
        self.values = [f"%{name}.c{i}" for i in range(len(carried))]
        for value, initial in zip(self.values, carried, strict=True):
            w.do(f"{value} = phi {w.T} [ {initial}, %{name}.enter ], [ ?, %{name}.latch ]")
        compare = "slt" if step > 0 else "sgt"
        w.do(f"%{name}.more = icmp {compare} i64 %{name}.k, {stop}")
        w.do(f"br i1 %{name}.more, label %{name}.body, label %{name}.end")
        w.label(f"{name}.body")
        return f"%{name}.k", self.values

    def close(self, carried: Sequence[str] = ()) -> list[str]:
        """End a turn with the new carried values; returns those after the last turn."""
        w, name = self.w, self.name
        w.do(f"br label %{name}.latch")
        w.label(f"{name}.latch")
        w.do(f"%{name}.next = add i64 %{name}.k, {self.step}")
        w.do(f"br label %{name}")
        w.label(f"{name}.end")
        for i, value in enumerate(carried):
            w.lines[self.first + i] = w.lines[self.first + i].replace("[ ?,", f"[ {value},")
        return self.values


def function_of(name: str, arguments: str, lines: list[str]) -> str:
    """Text of a function of the module."""
    return "\n".join(
        [f'define internal void @{name}({arguments}) "stackrealign" {{', "entry:", *lines, "  ret void", "}"]
    )
