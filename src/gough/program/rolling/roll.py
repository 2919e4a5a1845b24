"""Rolling a program."""

from gough.program.program import Program
from gough.program.rolling.build import Builder
from gough.program.rolling.columns import Shapes, find_columns, lane_numbers
from gough.program.rolling.groups import Groups, first_groups, more_groups
from gough.program.rolling.rolled import Rolled
from gough.program.rolling.staging import stage
from gough.program.rolling.sums import FlatSums

LEAST_LANES = 2
PROMISING = 0.5
"""Numbers of lanes that save less than this share of the best at the first look are not looked at again."""


def roll(program: Program, lanes: int | None = None, least: int = LEAST_LANES, share: float = 0.0) -> Rolled | None:
    """The program with what it does K times alike written once; None where nothing is.

    program: without blocks. lanes: K, default the number of which most is found. least: smallest K that is tried.
    share: of the nodes that must come in K of one shape for a closer look.
    """
    flat = FlatSums(program)
    shapes = Shapes(flat)
    tried = [lanes] if lanes is not None else lane_numbers(shapes, least, share)
    first = [first_groups(flat, columns, k) or Groups(k) for k in tried if (columns := find_columns(shapes, k))]
    if not any(groups.members for groups in first):
        return None
    most = max(groups.saved for groups in first)
    full = [more_groups(flat, groups) for groups in first if groups.saved >= PROMISING * most]
    best = max(full, key=lambda groups: groups.saved)
    flat.merge(best.equal)
    staged = stage(flat, best)
    if not staged.groups.members:
        return None
    return Builder(flat, staged).build()
