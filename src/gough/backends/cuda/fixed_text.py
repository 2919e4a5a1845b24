"""Parts of a kernel's text that no program changes: stand-ins for a CPU, rows through shared memory, constant operands."""

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
#endif
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
template <int SIZE, int PITCH>
__device__ __forceinline__ void write_rows(real* at, const real* tile, long long first, int rows) {
  real* const to = at + first * SIZE + threadIdx.x;
  if (PITCH == SIZE && rows == BLOCK) {
#pragma unroll
    for (int k = 0; k < SIZE; k++) to[k * BLOCK] = tile[threadIdx.x + k * BLOCK];
  } else {
#pragma unroll 1
    for (int k = threadIdx.x; k < rows * SIZE; k += BLOCK) {
      at[first * SIZE + k] = tile[k / SIZE * PITCH + k % SIZE];
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
