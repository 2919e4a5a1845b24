"""Vector sine and cosine as IR.

The angle is reduced by multiples of π/2 in three parts with fused multiply-adds; on [-π/4, π/4] the minimax polynomials
of fdlibm (Sun Microsystems, public) give sine and cosine, and the quadrant's last two bits swap and sign them.
"""

from gough.backends.llvm.writer import Writer

TWO_OVER_PI = 0.6366197723675814
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
LARGEST = 1e12
"""Largest angle (rad) that is reduced to full accuracy."""
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


def sincos(w: Writer, x: str) -> tuple[str, str]:
    """Names of (sin x, cos x)."""
    shifted = w.fma(x, w.constant(TWO_OVER_PI), w.constant(ROUNDER))
    quadrant = w.emit(f"bitcast {w.T} {shifted} to {w.I}")
    n = w.binary("fsub", shifted, w.constant(ROUNDER))
    r = x
    for part in HALF_PI:
        r = w.fma(n, w.constant(-part), r)
    # Beyond LARGEST the rounding of the quadrant is lost: the result is NaN, not a number that looks fine.
    far = w.emit(f"fcmp ogt {w.T} {w.intrinsic('fabs', x)}, {w.constant(LARGEST)}")
    r = w.emit(f"select {w.B} {far}, {w.T} {w.constant(float('nan'))}, {w.T} {r}")
    z = w.binary("fmul", r, r)
    sine, cosine = w.constant(SINE[-1]), w.constant(COSINE[-1])
    for k in range(4, -1, -1):
        sine = w.fma(sine, z, w.constant(SINE[k]))
        cosine = w.fma(cosine, z, w.constant(COSINE[k]))
    sine = w.fma(sine, w.binary("fmul", r, z), r)
    cosine = w.fma(cosine, w.binary("fmul", z, z), w.fma(z, w.constant(-0.5), w.constant(1.0)))
    odd = w.emit(f"icmp ne {w.I} {w.emit(f'and {w.I} {quadrant}, {w.integer(1)}')}, zeroinitializer")
    s = w.emit(f"select {w.B} {odd}, {w.T} {cosine}, {w.T} {sine}")
    c = w.emit(f"select {w.B} {odd}, {w.T} {sine}, {w.T} {cosine}")
    return _signed(w, s, quadrant), _signed(w, c, w.emit(f"add {w.I} {quadrant}, {w.integer(1)}"))


def _signed(w: Writer, value: str, quadrant: str) -> str:
    """`value` with its sign flipped where bit 1 of `quadrant` is set."""
    second = w.emit(f"and {w.I} {quadrant}, {w.integer(2)}")
    flip = w.emit(f"shl {w.I} {second}, {w.integer(62)}")
    bits = w.emit(f"xor {w.I} {w.emit(f'bitcast {w.T} {value} to {w.I}')}, {flip}")
    return w.emit(f"bitcast {w.I} {bits} to {w.T}")
