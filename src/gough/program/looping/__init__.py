"""Large block operations that stay loops: which ones, and the program cut around them.

    looped = loop_blocks(program)       # the blocks that pay as loops; none: write everything out
    cut = cut_at_blocks(program)        # stages: straight programs and blocks in turn

A pivot of a solve that runs as a loop is checked against the block's floor, as it is when written out.
"""

from gough.program.looping.cut import Called, cut_at_blocks
from gough.program.looping.rule import expand_others, pays_as_loop

__all__ = ["Called", "cut_at_blocks", "expand_others", "pays_as_loop"]
