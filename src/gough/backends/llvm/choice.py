"""Straight or rolled: a program with many legs alike may run one leg's code for all of them.

Straight code has every operation written down, and sums over legs stay in registers. Rolled code is a small part of it, but
what passes between its stages goes through memory. Measured on AVX-512 in picoseconds a state and operation: straight code
takes 45 until its code and its values leave the first caches, and 1.6 more for every thousand operations beyond 5000; rolled
code takes 32 in lanes, 60 in what runs once, and 90 for every vector stored. The rule compares the two sums. Time of rolled
code as a share of straight code's, and bytes of code:

    12 legs: forward dynamics 0.76 (12 of 52 KB), its gradient 0.9, its Jacobian 0.77 (54 of 380 KB),
             the Jacobian of inverse dynamics 1.0 (70 of 277 KB)
    24 legs: forward dynamics 0.65 (15 of 108 KB), gradients 0.8 to 0.9, Jacobians 0.7 to 0.9 (60 to 96 of 580 to 780 KB),
             and 0.3 where others use the same caches
    6 legs:  0.9 to 1.6, so that fewer than LEAST_LANES legs stay straight

Looking for legs takes as long as all other passes on a program, so it is done only where a quick look finds most operations
in one number of copies.
"""

from dataclasses import dataclass

from gough.program.looping import cut_at_blocks, expand_others
from gough.program.lowering import Lowered, Machine, lower_split
from gough.program.ops import Op
from gough.program.passes.hoist import HOISTED, split_uniform
from gough.program.program import Program
from gough.program.rolling.lowering import LoweredStages, lower_stages
from gough.program.rolling.numbers import Numbered, roll_numbers
from gough.program.rolling.roll import roll

SMALLEST = 4000
"""Nodes below which straight code is kept."""
LEAST_LANES, SHARE = 8, 0.4
"""Fewest lanes, and the share of operations that must come in that number, for a closer look."""
PAYS = 0.97
"""Share of the straight code's expected time below which rolled code is taken."""
STRAIGHT, GROWING, FROM, ONCE, LANE, STORED = 45.0, 1.6, 5.0, 60.0, 32.0, 90.0


@dataclass(frozen=True)
class Ready:
    """A program made ready: straight, or in stages; once: as in `Lowered`."""

    once: Program | None
    straight: Program | None
    stages: LoweredStages | None


def made_ready(program: Program, machine: Machine, rolled: bool | None = None) -> Ready:
    """The form that is expected to be faster. rolled: False keeps it straight, True rolls it wherever lanes are found."""
    once, each = split_uniform(expand_others(program))
    hoisted = any(slot.name == HOISTED for slot in each.inputs)
    if any(op == Op.BLOCK for op in each.ops):
        return Ready(once if hoisted else None, None, cut_at_blocks(each, machine))
    stages = None
    if rolled or (rolled is None and len(each.ops) >= SMALLEST):
        stages = _stages(each, machine, sure=bool(rolled))
    if stages is None:
        lowered: Lowered = lower_split(once, each, machine)
        return Ready(lowered.once, lowered.each, None)
    return Ready(once if hoisted else None, None, stages)


def _stages(each: Program, machine: Machine, sure: bool) -> LoweredStages | None:
    limits = {} if sure else {"least": LEAST_LANES, "share": SHARE}
    if each.uniform_inputs().any():
        found = roll(each, **limits)
        numbered = None if found is None else Numbered(found)
    else:  # the legs' parameters may be numbers
        numbered = roll_numbers(each, **limits)
    if numbered is None:
        return None
    stages = lower_stages(numbered, machine)
    return stages if sure or pays(stages) else None


def pays(stages: LoweredStages) -> bool:
    """Whether stages are expected to be faster than straight code, by the figures above."""
    once = lane = stored = 0
    for stage in stages.stages:
        operations = sum(op > Op.CONST for op in stage.program.ops)
        if stage.lanes == 1:
            once += operations
        else:
            lane += stage.lanes * operations
        stored += stage.lanes * len(stage.program.results)
    straight = STRAIGHT + GROWING * max((once + lane) / 1000 - FROM, 0.0)
    return ONCE * once + LANE * lane + STORED * stored < PAYS * straight * (once + lane)
