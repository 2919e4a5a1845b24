"""Parts of a time loop's text that no program changes: cells of a thread, solves and products as loops."""

from gough.backends.cuda.fixed_text import HOST
from gough.backends.cuda.operations import FUNCTIONS

HEAD = (
    HOST
    + FUNCTIONS
    + r"""
#ifdef GOUGH_HOST
#define TABLE(k) table[k]
#define NEAR(k) near[(k) * BLOCK]
#define KEEP(k, x) near[(k) * BLOCK] = x
#define FAR(k) far[(k) * BLOCK]
#define PUT(k, x) far[(k) * BLOCK] = x
#define WHERE real* near, real* far, const real* table, const real* given, const real* own
#else
// The compiler may move these accesses, but not find that a load gives what was stored, and keep it in a register instead.
template <int AT> __device__ __forceinline__ real constant() {
  real x; asm volatile("ld.const.f64 %0, [numbers+%1];" : "=d"(x) : "n"(AT)); return x;
}
template <int AT> __device__ __forceinline__ real near_load(unsigned at) {
  real x; asm volatile("ld.shared.f64 %0, [%1+%2];" : "=d"(x) : "r"(at), "n"(AT) : "memory"); return x;
}
template <int AT> __device__ __forceinline__ void near_store(unsigned at, real x) {
  asm volatile("st.shared.f64 [%0+%1], %2;" :: "r"(at), "n"(AT), "d"(x) : "memory");
}
template <int AT> __device__ __forceinline__ real far_load(const real* at) {
  real x; asm volatile("ld.global.f64 %0, [%1+%2];" : "=d"(x) : "l"(at), "n"(AT) : "memory"); return x;
}
template <int AT> __device__ __forceinline__ void far_store(real* at, real x) {
  asm volatile("st.global.f64 [%0+%1], %2;" :: "l"(at), "n"(AT), "d"(x) : "memory");
}
#ifdef TABLE_IN_MEMORY
#define TABLE(k) __ldg(table + (k))
#else
#define TABLE(k) constant<(k) * 8>()
#endif
#define NEAR(k) near_load<(k) * BLOCK * 8>(near)
#define KEEP(k, x) near_store<(k) * BLOCK * 8>(near, x)
#define FAR(k) far_load<(k) * BLOCK * 8>(far)
#define PUT(k, x) far_store<(k) * BLOCK * 8>(far, x)
#define WHERE unsigned near, real* far, const real* table, const real* given, const real* own
#endif
#define HERE near, far, table, given, own
#define GIVEN(k) __ldg(given + (k))
#define OWN(k) __ldg(own + (k) * BLOCK)
#define AT(k) work[(long long)(k) * BLOCK]

// A X = B with a symmetric positive definite A = L D L': rows of A (N x N, below the diagonal), then of B (N x M), then N more.
template <int N, int M, bool CHECKED>
__device__ __noinline__ unsigned solve_symmetric(real* work, const real* floors) {
  unsigned word = 0u;
  const int b = N * N, scaled = N * N + N * M;
#pragma unroll 1
  for (int j = 0; j < N; j++) {
    real d = AT(j * N + j);
#pragma unroll 1
    for (int k = 0; k < j; k++) {
      const real l = AT(j * N + k), s = l * AT(k * N + k);
      AT(scaled + k) = s;
      d = fma(-l, s, d);
    }
    AT(j * N + j) = d;
    if (CHECKED && !(d >= floors[j])) word |= 2u;
    const real r = 1.0 / d;
#pragma unroll 1
    for (int i = j + 1; i < N; i++) {
      real s = AT(i * N + j);
#pragma unroll 4
      for (int k = 0; k < j; k++) s = fma(-AT(i * N + k), AT(scaled + k), s);
      AT(i * N + j) = s * r;
    }
  }
#pragma unroll 1
  for (int c = 0; c < M; c++) {
#pragma unroll 1
    for (int i = 0; i < N; i++) {
      real s = AT(b + i * M + c);
#pragma unroll 4
      for (int k = 0; k < i; k++) s = fma(-AT(i * N + k), AT(b + k * M + c), s);
      AT(b + i * M + c) = s;
    }
#pragma unroll 1
    for (int i = N - 1; i >= 0; i--) {
      real s = AT(b + i * M + c) / AT(i * N + i);
#pragma unroll 4
      for (int k = i + 1; k < N; k++) s = fma(-AT(k * N + i), AT(b + k * M + c), s);
      AT(b + i * M + c) = s;
    }
  }
  return word;
}
// A (N x K), then B (K x M), then their product (N x M).
template <int N, int K, int M>
__device__ __noinline__ void multiply(real* work) {
#pragma unroll 1
  for (int i = 0; i < N; i++) {
#pragma unroll 1
    for (int j = 0; j < M; j++) {
      real s = 0;
#pragma unroll 4
      for (int k = 0; k < K; k++) s = fma(AT(i * K + k), AT(N * K + k * M + j), s);
      AT(N * K + K * M + i * M + j) = s;
    }
  }
}
"""
)
