"""Kernels in stages: what a program does for every leg is a loop over the legs.

A gradient of 3400 operations written straight holds more values than a thread has registers for, and is longer than the
instruction cache. Rolled (`program.rolling`), a stage of one leg is a few hundred operations with few values alive:

1. `bodies`, `remake`: stages; what a later stage needs of an earlier one is stored, or made again where that is cheaper.
2. `pieces`: stages in the GPU's operations; sums over legs are operands and results of a leg's piece.
3. `planning`: registers of each piece; what all legs read is held throughout the loop while there is room. What is stored
   between stages lies in shared memory by how often it is used, the rest in local memory.
4. `make`: the cheapest of several ways; `text`: the loops.
"""

from gough.backends.cuda.staged.make import BLOCK, StagedKernel, stage_program

__all__ = ["BLOCK", "StagedKernel", "stage_program"]
