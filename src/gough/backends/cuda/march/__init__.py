"""Time loops on a GPU: one thread a run, all steps of a stretch in one kernel.

1. `functions`: the program of a step as functions (straight code with its registers planned, blocks as loops, calls); every
   value that passes between them has a cell.
2. `text`: the functions and the loop as CUDA; the busiest cells in shared memory, the others in memory of their
   own, one column a thread.
3. `runtime`: launches, with cupy and numpy alone. `kernel`: what the rest of gough calls.
"""

from gough.backends.cuda.march.kernel import CudaMarch

__all__ = ["CudaMarch"]
