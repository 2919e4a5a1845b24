"""Parts of texts that no program changes: stand-ins for a CPU, functions that operations call, rows through shared memory,
constant operands; of time loops the cells of a thread, and solves and products as loops.

The functions under GOUGH_HOST stand in for the GPU's on a CPU, so that a C++ compiler can run the same text.
"""

HOST = r"""
#ifdef GOUGH_HOST
#include <cmath>
#include <cstring>
using namespace std;
#define __global__
#define __device__ static
#define __forceinline__ inline
#define __noinline__
#define __constant__ static const
#define __grid_constant__
#define __launch_bounds__(...)
#define __restrict__
#define __syncthreads()
#define __ldg(p) (*(p))
static struct { unsigned x; } threadIdx, blockIdx, gridDim = {1};
static unsigned atomicAdd(unsigned* p, unsigned x) { const unsigned old = *p; *p += x; return old; }
static unsigned atomicOr(unsigned* p, unsigned x) { const unsigned old = *p; *p |= x; return old; }
#endif
"""

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

STAGING = r"""
template <int SIZE, int PITCH>  // rows of any stride, or fewer than a block has threads: the last one is repeated
__device__ __noinline__ void fetch_some(
    real* tile, const real* at, long long row, long long entry, long long first, int rows) {
#pragma unroll 1
  for (int k = threadIdx.x; k < BLOCK * SIZE; k += BLOCK) {
    const int r = k / SIZE, c = k % SIZE;
    fetch(tile + r * PITCH + c, at + (first + (r < rows ? r : rows - 1)) * row + c * entry);
  }
}
template <int SIZE, int PITCH>
__device__ __forceinline__ void fetch_rows(
    real* tile, const real* at, long long row, long long entry, long long first, int rows) {
  if (PITCH == SIZE && row == SIZE && entry == 1 && rows == BLOCK) {
    const real* const from = at + first * SIZE + threadIdx.x;
#pragma unroll
    for (int k = 0; k < SIZE; k++) fetch(tile + threadIdx.x + k * BLOCK, from + k * BLOCK);
  } else {
    fetch_some<SIZE, PITCH>(tile, at, row, entry, first, rows);
  }
}
template <int SIZE, int PART, int PITCH>  // a part of each row
__device__ __forceinline__ void write_part(real* at, const real* tile, long long first, int rows) {
  int r = threadIdx.x / PART, c = threadIdx.x % PART;
#pragma unroll 1
  for (int k = threadIdx.x; k < rows * PART; k += BLOCK) {
    at[(first + r) * SIZE + c] = tile[r * PITCH + c];
    r += BLOCK / PART, c += BLOCK % PART;
    if (c >= PART) r++, c -= PART;
  }
}
template <int SIZE, int PITCH>
__device__ __forceinline__ void write_rows(real* at, const real* tile, long long first, int rows) {
  real* const to = at + first * SIZE + threadIdx.x;
  if (PITCH == SIZE && rows == BLOCK) {
#pragma unroll
    for (int k = 0; k < SIZE; k++) to[k * BLOCK] = tile[threadIdx.x + k * BLOCK];
  } else {
    int r = threadIdx.x / SIZE, c = threadIdx.x % SIZE;
#pragma unroll 1
    for (int k = threadIdx.x; k < rows * SIZE; k += BLOCK) {
      at[first * SIZE + k] = tile[r * PITCH + c];
      r += BLOCK / SIZE, c += BLOCK % SIZE;
      if (c >= SIZE) r++, c -= SIZE;
    }
  }
}
"""

CONSTANTS = r"""
#ifdef GOUGH_HOST
#define NUMBER(k) numbers[k]
#define ARGUMENT(k) a.uniform[k]
#define IN(k) a.in[k]
#define ROW(k) a.row[k]
#define ENTRY(k) a.entry[k]
#define OWN(k) own[k]
#define NEAR_START(p) (p)
#define NEAR_STEP BLOCK
#define NEAR(at, k) at[(k) * BLOCK]
#define KEEP(at, k, x) at[(k) * BLOCK] = x
#else  // read where they are used: the compiler would load them all before the loop, and then lack registers
template <int AT> __device__ __forceinline__ double constant(double) {
  double x; asm volatile("ld.const.f64 %0, [numbers+%1];" : "=d"(x) : "n"(AT)); return x;
}
template <int AT> __device__ __forceinline__ float constant(float) {
  float x; asm volatile("ld.const.f32 %0, [numbers+%1];" : "=f"(x) : "n"(AT)); return x;
}
template <int AT> __device__ __forceinline__ double argument(double) {
  double x; asm volatile("ld.param.f64 %0, [states_param_0+%1];" : "=d"(x) : "n"(AT)); return x;
}
template <int AT> __device__ __forceinline__ long long argument(long long) {
  long long x; asm volatile("ld.param.s64 %0, [states_param_0+%1];" : "=l"(x) : "n"(AT)); return x;
}
template <int AT> __device__ __forceinline__ float argument(float) {
  float x; asm volatile("ld.param.f32 %0, [states_param_0+%1];" : "=f"(x) : "n"(AT)); return x;
}
// scratch in shared memory: the compiler may move these accesses, but not find that a load gives what was stored
template <int AT> __device__ __forceinline__ double near_load(unsigned at, double) {
  double x; asm volatile("ld.shared.f64 %0, [%1+%2];" : "=d"(x) : "r"(at), "n"(AT) : "memory"); return x;
}
template <int AT> __device__ __forceinline__ float near_load(unsigned at, float) {
  float x; asm volatile("ld.shared.f32 %0, [%1+%2];" : "=f"(x) : "r"(at), "n"(AT) : "memory"); return x;
}
template <int AT> __device__ __forceinline__ void near_store(unsigned at, double x) {
  asm volatile("st.shared.f64 [%0+%1], %2;" :: "r"(at), "n"(AT), "d"(x) : "memory");
}
template <int AT> __device__ __forceinline__ void near_store(unsigned at, float x) {
  asm volatile("st.shared.f32 [%0+%1], %2;" :: "r"(at), "n"(AT), "f"(x) : "memory");
}
#define NEAR_START(p) (unsigned)__cvta_generic_to_shared(p)
#define NEAR_STEP (BLOCK * (int)sizeof(real))
#define NEAR(at, k) near_load<(k) * BLOCK * (int)sizeof(real)>(at, real())
#define KEEP(at, k, x) near_store<(k) * BLOCK * (int)sizeof(real)>(at, x)
#define OWN(k) near_load<(k) * (int)sizeof(real)>(own, real())
#define NUMBER(k) constant<(k) * (int)sizeof(real)>(real())
#define ARGUMENT(k) argument<UNIFORM_AT + (k) * (int)sizeof(real)>(real())
#define IN(k) (const real*)argument<24 + 8 * (k)>(0LL)
#define ROW(k) argument<24 + 8 * (SLOTS + (k))>(0LL)
#define ENTRY(k) argument<24 + 8 * (2 * SLOTS + (k))>(0LL)
#endif
"""


TIME_LOOP = (
    HOST
    + FUNCTIONS
    + r"""
#ifdef GOUGH_HOST
#define WARP 0
#ifdef GOUGH_BACKWARDS  // in whichever order warps come, results are the same
#define EACH_WARP for (int warp = TEAM - 1; warp >= 0; warp--)
#else
#define EACH_WARP for (int warp = 0; warp < TEAM; warp++)
#endif
#define TABLE(k) table[k]
#define NEAR(k) near[(k) * BLOCK]
#define KEEP(k, x) near[(k) * BLOCK] = x
#define FAR(k) far[(k) * BLOCK]
#define PUT(k, x) far[(k) * BLOCK] = x
#define WHERE real* near, real* far, const real* table, const real* given, const real* own
#define WHERE_OWN real* near, real* far, const real* table, const int leg, const int at
#define EACH_LEG(part, groups) for (int leg = 0; leg < LEGS; leg++) word |= part(near, far, table, leg, leg % ABREAST);
#define LEAVE_NEAR(b, j, k, x) near[(k) * BLOCK] = leg ? near[(k) * BLOCK] + x : x
#define LEAVE_FAR(b, j, k, x) far[(k) * BLOCK] = leg ? far[(k) * BLOCK] + x : x
#define MEET()
#define ADD_NEAR(b, m, k)
#define ADD_FAR(b, m, k)
#define ME 0
#define TABLE_OWN(k) table[(k) + leg]
#define NEAR_OWN(k) near[((k) + leg) * BLOCK]
#define KEEP_OWN(k, x) near[((k) + leg) * BLOCK] = x
#define FAR_OWN(k) far[((k) + leg) * BLOCK]
#define PUT_OWN(k, x) far[((k) + leg) * BLOCK] = x
#define NEAR_AT(k) near[((k) + at) * BLOCK]
#define KEEP_AT(k, x) near[((k) + at) * BLOCK] = x
#define FAR_AT(k) far[((k) + at) * BLOCK]
#define PUT_AT(k, x) far[((k) + at) * BLOCK] = x
static real shared_cells[100000];
static unsigned failing[BLOCK];
#else
extern __shared__ __align__(16) unsigned char shared[];
#define failing ((unsigned*)((real*)shared + SHARED_CELLS * BLOCK))
#define WARP (int)(threadIdx.x / LANES)
#define EACH_WARP
// Threads of what runs once: warps of one member of the team after the other. In lanes: some legs abreast, then others.
#define ME (threadIdx.x % LANES < BLOCK ? threadIdx.x % LANES : BLOCK - 1)
#define RUN (threadIdx.x % BLOCK)
#define LEG (int)(threadIdx.x / BLOCK)
#define MEET() asm volatile("barrier.sync 1, %0;" :: "n"(THREADS) : "memory")
#define EACH_LEG(part, groups) if (LEG < ABREAST) { \
    unsigned bad = 0u; \
    for (int leg = LEG; leg < LEGS; leg += ABREAST) \
      bad |= part(near + 8 * ((int)RUN - (int)ME), far + ((int)RUN - (int)ME), table, leg, LEG); \
    if (bad) atomicOr(failing + RUN, bad); \
  } else for (int n = 0; n < (groups) * (LEGS / ABREAST); n++) MEET();
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
#define TABLE_OWN(k) __ldg(table + (k) + leg)
#else
template <int AT> __device__ __forceinline__ real constant_own(int leg) {
  unsigned long long at; asm("mov.u64 %0, numbers;" : "=l"(at));
  real x; asm volatile("ld.const.f64 %0, [%1+%2];" : "=d"(x) : "l"(at + 8 * leg), "n"(AT)); return x;
}
#define TABLE(k) constant<(k) * 8>()
#define TABLE_OWN(k) constant_own<(k) * 8>(leg)
#endif
#define NEAR_OWN(k) near_load<(k) * BLOCK * 8>(near + 8 * BLOCK * leg)
#define KEEP_OWN(k, x) near_store<(k) * BLOCK * 8>(near + 8 * BLOCK * leg, x)
#define FAR_OWN(k) far_load<(k) * BLOCK * 8>(far + BLOCK * leg)
#define PUT_OWN(k, x) far_store<(k) * BLOCK * 8>(far + BLOCK * leg, x)
#define NEAR_AT(k) near_load<(k) * BLOCK * 8>(near + 8 * BLOCK * at)
#define KEEP_AT(k, x) near_store<(k) * BLOCK * 8>(near + 8 * BLOCK * at, x)
#define FAR_AT(k) far_load<(k) * BLOCK * 8>(far + BLOCK * at)
#define PUT_AT(k, x) far_store<(k) * BLOCK * 8>(far + BLOCK * at, x)
#define WHERE_OWN unsigned near, real* far, const real* table, const int leg, const int at
// Sums over the legs, LEGS of them at a time: terms of the legs abreast lie in a buffer, and each of these adds up some sums.
#define LEAVE_NEAR(b, j, k, x) KEEP_AT(EXCHANGE + ((b) * LEGS + (j)) * ABREAST, x)
#define LEAVE_FAR LEAVE_NEAR
template <int AT, int LEFT> __device__ __forceinline__ real add_terms(unsigned at, real sum) {
  if constexpr (LEFT > 0) return add_terms<AT + BLOCK * 8, LEFT - 1>(at, sum + near_load<AT>(at));
  return sum;
}
#define ADD(GET, SET, b, m, k) { \
    real sum = 0; \
    if (leg != at) sum = GET((k) + (m) * ABREAST); \
    SET((k) + (m) * ABREAST, (add_terms<(EXCHANGE + ((b) * LEGS + (m) * ABREAST) * ABREAST) * BLOCK * 8, ABREAST>( \
      near + 8 * BLOCK * ABREAST * at, sum))); \
  }
#define ADD_NEAR(b, m, k) ADD(NEAR_AT, KEEP_AT, b, m, k)
#define ADD_FAR(b, m, k) ADD(FAR_AT, PUT_AT, b, m, k)
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
