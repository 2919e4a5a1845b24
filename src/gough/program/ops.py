"""The operations a program is made of."""

from dataclasses import dataclass
from enum import IntEnum

from gough.errors import GOOD, Failure


class Op(IntEnum):
    """Kind of a node. Leaves first, then arithmetic, then what machines have, then blocks.

    INPUT and CONST carry a payload instead of operands. ROUND: to the nearest whole number, halves to even ones.
    The machine's operations are made by passes, never recorded:
    FMA a b + c, FMS a b - c, FNMA c - a b, FNMS -a b - c; RCP 1/a and RSQRT 1/√a; RCP_SEED and RSQRT_SEED the same to
    14 bits; QUADRANT_SIN and QUADRANT_COS (t, s, c): sine and cosine of an angle whose remainder after whole quarter
    turns has sine s and cosine c; the last two bits of t say which quarter.
    """

    INPUT = 0
    CONST = 1
    ADD = 2
    SUB = 3
    MUL = 4
    DIV = 5
    NEG = 6
    SQRT = 7
    SIN = 8
    COS = 9
    ATAN2 = 10
    ABS = 11
    SIGN = 12
    SELECT = 13
    ROUND = 14
    FMA = 15
    FMS = 16
    FNMA = 17
    FNMS = 18
    RCP = 19
    RSQRT = 20
    RCP_SEED = 21
    RSQRT_SEED = 22
    QUADRANT_SIN = 23
    QUADRANT_COS = 24
    BLOCK = 25
    ITEM = 26


@dataclass(frozen=True)
class Solve:
    """X (n, m) with A X = B; operands A (n·n, row by row) then B (n·m).

    `order` is the elimination order as (rows, columns), None for the natural one; `floor` the smallest accepted
    pivots, in the order they are met, numbers among them; `failure` is that of its checks, GOOD for none. spd: A is symmetric
    positive definite, but for the rows `negative`, whose pivots are negative (constraints).
    """

    n: int
    m: int
    failure: Failure = GOOD
    spd: bool = False
    order: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    floor: tuple[float, ...] = ()
    negative: tuple[int, ...] = ()

    @property
    def outputs(self) -> int:
        """Number of results."""
        return self.n * self.m


@dataclass(frozen=True)
class ConstantMatvec:
    """y (n,) = matrix (n, m) x with a matrix of numbers, stored as rows."""

    matrix: tuple[tuple[float, ...], ...]

    @property
    def outputs(self) -> int:
        """Number of results."""
        return len(self.matrix)


@dataclass(frozen=True)
class Product:
    """A B (n, m) of A (n, k) and B (k, m); operands A then B, row by row."""

    n: int
    k: int
    m: int

    @property
    def outputs(self) -> int:
        """Number of results."""
        return self.n * self.m


@dataclass(frozen=True, eq=False)
class Call:
    """Outputs of a sub-program, flat, for its flat inputs."""

    program: object
    outputs: int


Block = Solve | ConstantMatvec | Product | Call
