"""Operations as CUDA C++ expressions, and the few functions they call.

The functions under GOUGH_HOST stand in for the GPU's on a CPU, so that a C++ compiler can run the same text.
"""

import struct

from gough.program.ops import Op

_FORMAT = {
    Op.ADD: "{} + {}",
    Op.SUB: "{} - {}",
    Op.MUL: "{} * {}",
    Op.DIV: "{} / {}",
    Op.NEG: "-{}",
    Op.SQRT: "sqrt({})",
    Op.SIN: "sin({})",
    Op.COS: "cos({})",
    Op.ATAN2: "atan2({}, {})",
    Op.ABS: "fabs({})",
    Op.SIGN: "sign_of({})",
    Op.SELECT: "{} > (real)0 ? {} : {}",
    Op.FMA: "fma({}, {}, {})",
    Op.FMS: "fma({}, {}, minus({}))",
    Op.FNMA: "fma(minus({}), {}, {})",
    Op.FNMS: "fma(minus({}), {}, minus({}))",
    Op.RCP: "reciprocal({})",
    Op.RSQRT: "reciprocal_root({})",
    Op.RCP_SEED: "reciprocal_seed({})",
    Op.RSQRT_SEED: "reciprocal_root_seed({})",
    Op.QUADRANT_SIN: "quadrant({}, 0, {}, {})",
    Op.QUADRANT_COS: "quadrant({}, 1, {}, {})",
}

FUNCTIONS = r"""
#ifdef GOUGH_HOST
static inline int upper(double x) { long long b; memcpy(&b, &x, 8); return (int)(b >> 32); }
static inline int lower(double x) { long long b; memcpy(&b, &x, 8); return (int)b; }
static inline double joined(int up, int low) {
  long long b = ((long long)up << 32) | (unsigned)low; double x; memcpy(&x, &b, 8); return x;
}
static inline double reciprocal_seed(double x) { return joined(upper(1.0 / joined(upper(x), 0)), 0); }
static inline double reciprocal_root_seed(double x) { return joined(upper(1.0 / sqrt(joined(upper(x), 0))), 0); }
static inline float reciprocal(float x) { return 1.0f / x; }
static inline float reciprocal_root(float x) { return 1.0f / sqrtf(x); }
static inline void fetch(real* to, const real* from) { *to = *from; }
static inline void close_fetches() {}
template <int OPEN> static inline void await_fetches() {}
static inline void keep_larger(unsigned& top, unsigned x) { if (x > top) top = x; }
static inline double minus(double x) { return -x; }
static inline float minus(float x) { return -x; }
#define OPAQUE(x) x
#else
#define upper __double2hiint
#define lower __double2loint
#define joined __hiloint2double
__device__ __forceinline__ double reciprocal_seed(double x) {
  double r; asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x)); return r;
}
__device__ __forceinline__ double reciprocal_root_seed(double x) {
  double r; asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x)); return r;
}
__device__ __forceinline__ float reciprocal(float x) { float r; asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
__device__ __forceinline__ float reciprocal_root(float x) {
  float r; asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x)); return r;
}
__device__ __forceinline__ void fetch(real* to, const real* from) {  // to shared memory, without waiting
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
               :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(sizeof(real)) : "memory");
#else
  *to = *from;
#endif
}
__device__ __forceinline__ void close_fetches() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int OPEN> __device__ __forceinline__ void await_fetches() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" :: "n"(OPEN) : "memory");
#endif
}
__device__ __forceinline__ void keep_larger(unsigned& top, unsigned x) {  // now, not when all are there
  asm volatile("max.u32 %0, %0, %1;" : "+r"(top) : "r"(x));
}
__device__ __forceinline__ double minus(double x) {  // a sign of an operand, not a value to keep
  double r; asm volatile("neg.f64 %0, %1;" : "=d"(r) : "d"(x)); return r;
}
__device__ __forceinline__ float minus(float x) { float r; asm volatile("neg.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
__device__ __forceinline__ double hidden(double x) { asm volatile("" : "+d"(x)); return x; }
__device__ __forceinline__ float hidden(float x) { asm volatile("" : "+f"(x)); return x; }
#define OPAQUE(x) hidden(x)  // the compiler may not find that a value was computed before, and keep that one
#endif
__device__ __forceinline__ double quadrant(double t, int ahead, double s, double c) {
  const int q = lower(t) + ahead;
  const double r = (q & 1) ? c : s;
  return joined(upper(r) ^ ((q & 2) << 30), lower(r));
}
__device__ __forceinline__ real sign_of(real x) { return x > (real)0 ? (real)1 : (x < (real)0 ? (real)-1 : x); }
"""


def expression(op: int, operands: list[str]) -> str:
    """Text of one operation."""
    if Op(op) not in _FORMAT:
        raise ValueError(f"operation {Op(op).name} has no instructions; lower the program first")
    return _FORMAT[Op(op)].format(*operands)


def literal(x: float, double: bool) -> str:
    """A number as C++ writes it."""
    if x != x or x in (float("inf"), float("-inf")):
        return "(real)NAN" if x != x else f"(real){'-' if x < 0 else ''}INFINITY"
    text = f"{x!r}" if double else f"(real){x!r}"
    return f"({text})" if x < 0 else text


def short_number(x: float) -> bool:
    """Whether an instruction can carry the number: the lower half of its digits is zero."""
    return x == x and abs(x) != float("inf") and struct.pack(">d", x)[4:] == bytes(4)


def check_range(least: float) -> tuple[int, int]:
    """(start, length): the upper half of x, minus start as an unsigned number, is below length if x >= least.

    Comparing upper halves as integers spares the floating-point units: numbers from `least` (not negative) to infinity
    are a range of them. Infinities, NaN and what is within 1e-6 of failing fall outside, to be judged with care.
    """
    start = struct.unpack(">I", struct.pack(">d", least)[:4])[0] + (least > 0.0)
    return start, 0x7FF00000 - start


def failed_check(x: str, least: float, double: bool) -> str:
    """Condition that x >= least does not hold, or nearly so."""
    if not double or least < 0.0:
        return f"!({x} >= {literal(least, double)})"
    start, length = check_range(least)
    return f"(unsigned)upper({x}) - {start}u >= {length}u"


def not_finite(x: str) -> str:
    """Condition that a single-precision x is infinite or NaN."""
    return f"!(fabs({x}) <= 3.402823466e+38f)"
