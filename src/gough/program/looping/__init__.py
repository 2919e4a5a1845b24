"""Large block operations that stay loops: which ones, and the program cut around them.

    kept = expand_others(program)       # only the blocks that pay as loops (blocks_as_loops) are left
    cut = cut_at_blocks(kept, machine)  # stages: straight programs and blocks in turn

A pivot of a solve that runs as a loop is checked against the block's floor, as it is when written out.
"""

from gough.program.looping.cut import Called, cut_at_blocks
from gough.program.looping.rule import blocks_as_loops, expand_others

__all__ = ["Called", "blocks_as_loops", "cut_at_blocks", "expand_others"]
