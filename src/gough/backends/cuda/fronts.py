"""Which rows of numbers others beat, on a GPU: a thread a row, the others tile by tile through shared memory."""

from functools import lru_cache
from typing import Any

import numpy as np

from gough.backends.cuda.runtime import OPTIONS, array_module

BLOCK, TILE = 256, 512
TEXT = r"""
#ifndef GOUGH_HOST
extern "C" __global__ void __launch_bounds__(BLOCK) beaten(
    const double* rows, const double* others, bool* out, long long n, long long count) {
  __shared__ double tile[TILE * WIDTH];
  const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
  const double* const own = rows + (i < n ? i : n - 1) * WIDTH;
  double x[WIDTH];
  for (int k = 0; k < WIDTH; k++) x[k] = own[k];
  bool is = false;
  for (long long begin = 0; begin < count; begin += TILE) {
    const int some = count - begin < TILE ? (int)(count - begin) : TILE;
    __syncthreads();
    for (int k = threadIdx.x; k < some * WIDTH; k += BLOCK) tile[k] = others[begin * WIDTH + k];
    if (__syncthreads_and(is)) break;
    if (!is) for (int j = 0; j < some; j++) {
      bool worse = true, differs = false;
#pragma unroll
      for (int k = 0; k < WIDTH; k++) {
        const double y = tile[j * WIDTH + k];
        worse = worse && x[k] >= y, differs = differs || x[k] > y;
      }
      if (worse && differs) { is = true; break; }
    }
  }
  if (i < n) out[i] = is;
}
#endif
"""


def beaten_text(width: int) -> str:
    """Source for rows of so many numbers."""
    return f"#define WIDTH {width}\n#define BLOCK {BLOCK}\n#define TILE {TILE}\n{TEXT}"


@lru_cache(maxsize=8)
def _function(width: int, device: int) -> Any:
    return array_module().RawModule(code=beaten_text(width), options=OPTIONS).get_function("beaten")


def launch_beaten(rows: Any, others: Any) -> Any:
    """(n,) bool: whether a row of `others` (k, o) is nowhere larger than the row of `rows` (n, o), and somewhere smaller. Rows of
    which many are beaten end early where strong ones come first."""
    cupy = array_module()
    n, width = rows.shape
    out = cupy.zeros(n, dtype=bool)
    if n and len(others) and width:
        rows, others = cupy.ascontiguousarray(rows), cupy.ascontiguousarray(others)
        arguments = (rows, others, out, np.int64(n), np.int64(len(others)))
        _function(width, cupy.cuda.Device().id)((-(-n // BLOCK),), (BLOCK,), arguments)
    return out
