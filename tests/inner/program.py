"""Inner names of `gough.program`."""

from gough.program import Slot, trace
from gough.program.derivatives import derive, jacobian, jvp, vjp
from gough.program.interpreter import evaluate, evaluate_nodes
from gough.program.looping import cut_at_blocks, expand_others
from gough.program.lowering import Machine
from gough.program.ops import Call, ConstantMatvec, Op, Solve
from gough.program.passes.expand_blocks import expand_blocks, inline_calls
from gough.program.passes.idle_cells import drop_idle_cells
from gough.program.passes.inputs import HOISTED, split_uniform
from gough.program.passes.minimise import factor_sums, minimise, operations, pull_constants, share_scaled
from gough.program.passes.multiply_add import contract_multiply_add
from gough.program.passes.outputs import drop_checks
from gough.program.rolling import Rolled, Source, roll
from gough.program.verdict import evaluate_with_care, flat_inputs, reciprocal_condition, result_columns

__all__ = [
    "HOISTED",
    "Call",
    "ConstantMatvec",
    "Machine",
    "Op",
    "Rolled",
    "Slot",
    "Solve",
    "Source",
    "contract_multiply_add",
    "cut_at_blocks",
    "derive",
    "drop_checks",
    "drop_idle_cells",
    "evaluate",
    "evaluate_nodes",
    "evaluate_with_care",
    "expand_blocks",
    "expand_others",
    "factor_sums",
    "flat_inputs",
    "inline_calls",
    "jacobian",
    "jvp",
    "minimise",
    "operations",
    "pull_constants",
    "reciprocal_condition",
    "result_columns",
    "roll",
    "share_scaled",
    "split_uniform",
    "trace",
    "vjp",
]
