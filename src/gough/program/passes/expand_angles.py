"""Sine–cosine pairs by polynomials: one reduction and one remainder for both.

The angle is reduced by whole quarter turns; π/2 is given in three parts, two of 33 bits whose products with the number
of quarters are exact. On [-π/4, π/4] the minimax polynomials of fdlibm (Sun Microsystems, public) give sine and cosine;
the quarter's last two bits swap and sign them. An angle too large for the reduction is flagged by a check. Whole numbers are
made by the same addition; of numbers beyond 2^51 they are wrong, which no check tells.
"""

from gough.errors import Status
from gough.program.graph import Graph
from gough.program.ops import Op
from gough.program.passes.rewrite import rewrite_machine
from gough.program.program import Program

TWO_OVER_PI = 0.6366197723675814
HALF_PI = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
ROUNDER = 6755399441055744.0  # 1.5 · 2^52: adding it rounds to an integer kept in the low bits
SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
FAR = Status.ANGLE.at("too large to reduce")
"""The checks on the angle: that 1 - r²/2 of its remainder r is at least that of π/4 (0.69) or so; and, where
multiply-adds round twice, that the products with the number of quarters were exact."""
LARGEST_UNFUSED = 1e6


def expand_angles(program: Program, fused: bool = True) -> Program:
    """The same program with SIN, COS and ROUND written out; fused: the machine's multiply-adds round once."""
    graph = Graph()
    raw, const = graph.raw, graph.const
    pairs: dict[int, tuple[int, int]] = {}

    def pair(x: int) -> tuple[int, int]:
        if x in pairs:
            return pairs[x]
        t = raw(Op.FMA, x, const(TWO_OVER_PI), const(ROUNDER))
        n = raw(Op.SUB, t, const(ROUNDER))
        r = x
        for part in HALF_PI:
            r = raw(Op.FNMA, n, const(part), r)
        z = raw(Op.MUL, r, r)
        s = raw(Op.FMA, z, const(SINE[5]), const(SINE[4]))
        c = raw(Op.FMA, z, const(COSINE[5]), const(COSINE[4]))
        for k in (3, 2, 1, 0):
            s = raw(Op.FMA, s, z, const(SINE[k]))
            c = raw(Op.FMA, c, z, const(COSINE[k]))
        s = raw(Op.FMA, s, raw(Op.MUL, r, z), r)
        half = raw(Op.FNMA, z, const(0.5), const(1.0))
        c = raw(Op.FMA, c, raw(Op.MUL, z, z), half)
        graph.checks.append((FAR, half, 0.65))
        if not fused:
            graph.checks.append((FAR, raw(Op.SUB, const(LARGEST_UNFUSED), raw(Op.ABS, x)), 0.0))
        pairs[x] = raw(Op.QUADRANT_SIN, t, s, c), raw(Op.QUADRANT_COS, t, s, c)
        return pairs[x]

    def rounded(x: int) -> int:
        return raw(Op.SUB, raw(Op.ADD, x, const(ROUNDER)), const(ROUNDER))

    return rewrite_machine(
        program, graph, {Op.SIN: lambda x: pair(x)[0], Op.COS: lambda x: pair(x)[1], Op.ROUND: rounded}
    )
