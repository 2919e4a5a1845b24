"""What a loader must know about a kernel, as plain data."""

from typing import Any

from gough.backends.cuda.frame import BY_VALUE, Text
from gough.backends.cuda.memory import Memory, varying_slots
from gough.backends.cuda.runtime import FORMAT
from gough.program.lowering import Lowered
from gough.program.ops import Op
from gough.program.program import Program, Slot


def write_signature(
    program: Program, lowered: Lowered, memory: Memory, text: Text, precision: str, dtype: str
) -> dict[str, Any]:
    """Signature of a kernel; JSON keeps it."""
    each = lowered.each
    owner = [[slot.name, k] for slot in each.inputs for k in range(slot.size)]
    itemsize = 8 if dtype == "float64" else 4
    return {
        "format": FORMAT,
        "name": program.name,
        "dtype": dtype,
        "precision": precision,
        "block": memory.block,
        "shared_bytes": memory.block_scalars * itemsize,
        "staged": memory.stages > 0,
        "inputs": [_slot(s) for s in program.inputs],
        "outputs": [_slot(s) for s in program.outputs],
        "varying": [each.inputs[s].name for s in varying_slots(each)],
        "uniform": [owner[k] for k in text.uniform],
        "by_value": len(text.uniform) <= BY_VALUE,
        "bits": [str(failure) for failure in text.bits],
        "once": None if lowered.once is None else _plain(lowered.once),
        "defaults": {},
    }


def _slot(slot: Slot) -> dict[str, Any]:
    return {"name": slot.name, "shape": list(slot.shape), "unit": slot.unit, "uniform": slot.uniform}


def _plain(program: Program) -> dict[str, Any]:
    """Steps by name, so that a loader needs no table of ours."""
    owner = [[slot.name, k] for slot in program.inputs for k in range(slot.size)]
    steps: list[list[Any]] = []
    for op, args in zip(program.ops, program.args, strict=True):
        if op == Op.INPUT:
            steps.append(["INPUT", *owner[args[0]]])
        elif op == Op.CONST:
            steps.append(["CONST", float(args[0]).hex()])
        else:
            steps.append([Op(op).name, *args])
    return {"steps": steps, "results": list(program.results)}
