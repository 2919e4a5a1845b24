"""Writing LLVM IR text with explicit vectors."""

import struct


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
        """-a."""
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
