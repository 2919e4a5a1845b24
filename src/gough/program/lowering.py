"""From a program to the operations a machine has, in the order in which it should do them.

Work on uniform inputs is set apart, operations are minimised, reciprocals shared, sums made chains of multiply-adds;
reciprocals and sine–cosine pairs are then written out, and everything is put in order.
"""

from dataclasses import dataclass

from gough.program.passes.expand_angles import expand_angles
from gough.program.passes.inputs import HOISTED
from gough.program.passes.minimise import minimise
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.order import order_for_latency
from gough.program.passes.outputs import guard_results
from gough.program.passes.reciprocals import expand_reciprocals, share_reciprocals
from gough.program.program import Program

PRECISIONS = ("fast", "ieee")
"""What a backend may be asked for: reciprocals right to 1–2 units in the last place, or all as IEEE 754 rounds."""


@dataclass(frozen=True)
class Machine:
    """What a machine offers. fused: multiply-adds round once; seeds: reciprocals start from a short seed (no IEEE
    division); shared: a/x and b/x may share 1/x (off for IEEE results)."""

    fused: bool = True
    seeds: bool = True
    shared: bool = True


@dataclass(frozen=True)
class Lowered:
    """once: the program that makes the input slot "hoisted" from uniform inputs, None without such work; each: the
    program of one state."""

    once: Program | None
    each: Program


def lower(once: Program, each: Program, machine: Machine) -> Lowered:
    """A program made ready for a machine, after blocks are expanded and work on uniform inputs is set apart."""
    hoisted = any(slot.name == HOISTED for slot in each.inputs)
    each = minimise(each)
    if machine.shared:
        each = share_reciprocals(each)
    each = expand_angles(contract_multiply_add(each), machine.fused)
    if machine.seeds and machine.shared:
        each = expand_reciprocals(each)
    return Lowered(once if hoisted else None, order_for_latency(guard_results(each)))
