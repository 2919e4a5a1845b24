"""Rolling: find what a straight-line program does K times alike (the legs of a robot, though no robot is known here), and
write it once.

    rolled = roll(program)              # None where nothing is alike
    rolled.lanes                        # K
    rolled.stages                       # in order: each one runs once, or K times at once on other numbers

A stage is a program of its own with wires that say where its inputs come from (see `rolled.py`), so every pass works on
it: `rolled.map(minimise)` optimises all lanes alike. A backend may make a lane's stage a loop that a compiler vectorises
(exported C), a function that is called K times (small code), or a kernel of K threads (gradients on a GPU).

How it is found (`_columns.py`, `_groups.py`, `_staging.py`):
1. Chains of sums are flattened: a sum over lanes is then a set of terms, whatever its order.
2. Nodes of one shape (operation and shapes of the operands, inputs told apart by their slot only) of which there are just
   K, each on inputs of its own, are taken as roots; walking down from all K at once pairs their inputs: columns.
3. With columns as names of their members, every node that depends on one lane only has a hash that is the same in all
   lanes: equal hashes are a group. Scalars that only one lane reads are paired as columns too, and hashed again.
4. Groups and single nodes are put in order; a group in a cycle is dissolved; sums over a lane are made where they end.

Numbers are structure: what differs from lane to lane must be an input (`numbers.py` makes inputs of numbers for the time of
the search). Blocks must be expanded first. `lowering.py` makes stages ready for a machine.
"""

from gough.program.rolling._build import roll
from gough.program.rolling.rolled import LaneCheck, Rolled, RolledStage, Source

__all__ = ["LaneCheck", "Rolled", "RolledStage", "Source", "roll"]
