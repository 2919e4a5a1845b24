"""Programs as text people can read (a head with inputs, outputs and counts, then one line an operation under its note), and as
plain data for files (without notes) and back."""

from typing import Any

from gough.errors import Failure, Site, Status
from gough.program.ops import Op
from gough.program.program import NodeCheck, Program, Slot

_FORMAT = {
    Op.ADD: "{} + {}",
    Op.SUB: "{} - {}",
    Op.MUL: "{} * {}",
    Op.DIV: "{} / {}",
    Op.NEG: "-{}",
    Op.SQRT: "sqrt({})",
    Op.SIN: "sin({})",
    Op.COS: "cos({})",
    Op.ATAN2: "atan2({}, {})",
    Op.ABS: "abs({})",
    Op.SIGN: "sign({})",
    Op.ROUND: "round({})",
    Op.SELECT: "select({}, {}, {})",
    Op.FMA: "{} * {} + {}",
    Op.FMS: "{} * {} - {}",
    Op.FNMA: "-{} * {} + {}",
    Op.FNMS: "-{} * {} - {}",
    Op.RCP: "1 / {}",
    Op.RSQRT: "1 / sqrt({})",
    Op.RCP_SEED: "rcp_seed({})",
    Op.RSQRT_SEED: "rsqrt_seed({})",
    Op.QUADRANT_SIN: "quadrant_sin({}, {}, {})",
    Op.QUADRANT_COS: "quadrant_cos({}, {}, {})",
}


def to_text(program: Program) -> str:
    """The program as text; the same program always gives the same text."""
    lines = [f"# {program.name}"]
    names: list[str] = []
    for slot in program.inputs:
        lines.append(f"# in   {slot.name}{list(slot.shape)}{' [' + slot.unit + ']' if slot.unit else ''}")
        names += [f"{slot.name}[{k}]" for k in range(slot.size)]
    for slot in program.outputs:
        lines.append(f"# out  {slot.name}{list(slot.shape)}{' [' + slot.unit + ']' if slot.unit else ''}")
    word: list[str] = []
    note, serial = "", 0
    for i, op in enumerate(program.ops):
        args = program.args[i]
        if op == Op.INPUT:
            word.append(names[args[0]])
            continue
        if op == Op.CONST:
            word.append(repr(args[0]))
            continue
        if op == Op.ITEM:
            word.append(f"{word[args[0]]}[{args[1]}]")
            continue
        if program.notes and program.notes[i] != note:
            note = program.notes[i]
            lines.append(f"# -- {note}" if note else "# --")
        if op == Op.BLOCK:
            block = args[0]
            inside = ", ".join(word[k] for k in args[1:])
            right = f"{type(block).__name__.lower()}[{block.outputs}]({inside})"
        else:
            right = _FORMAT[Op(op)].format(*[word[k] for k in args])
        word.append(f"t{serial}")
        lines.append(f"t{serial} = {right}")
        serial += 1
    k = 0
    for slot in program.outputs:
        for j in range(slot.size):
            lines.append(f"{slot.name}[{j}] = {word[program.results[k]]}")
            k += 1
    for check in program.checks:
        lines.append(f"check {check.failure}: {word[check.node]} >= {check.minimum!r}")
    return "\n".join(lines) + "\n"


def program_to_plain(program: Program) -> dict[str, Any]:
    """Plain data that JSON keeps exactly; numbers are written in hexadecimal."""
    if any(op == Op.BLOCK for op in program.ops):
        raise ValueError("expand the blocks of a program before it is written")
    args = [[a[0].hex()] if op == Op.CONST else list(a) for op, a in zip(program.ops, program.args, strict=True)]
    return {
        "name": program.name,
        "inputs": [_slot_to_plain(s) for s in program.inputs],
        "outputs": [_slot_to_plain(s) for s in program.outputs],
        "ops": [int(op) for op in program.ops],
        "args": args,
        "results": list(program.results),
        "checks": [[_failure_to_plain(c.failure), c.node, c.minimum.hex()] for c in program.checks],
    }


def program_from_plain(data: dict[str, Any]) -> Program:
    """What `program_to_plain` was given, read back from its plain data."""
    ops = [int(op) for op in data["ops"]]
    args = [(float.fromhex(a[0]),) if op == Op.CONST else tuple(a) for op, a in zip(ops, data["args"], strict=True)]
    return Program(
        tuple(_slot_from_plain(s) for s in data["inputs"]),
        tuple(_slot_from_plain(s) for s in data["outputs"]),
        ops,
        args,
        tuple(data["results"]),
        tuple(
            NodeCheck(Status(status).at(place, Site(site)), node, float.fromhex(least))
            for (status, place, site), node, least in data["checks"]
        ),
        name=data["name"],
    )


def _failure_to_plain(failure: Failure) -> list[Any]:
    return [int(failure.status), failure.place, str(failure.site)]


def _slot_to_plain(slot: Slot) -> list[Any]:
    return [slot.name, list(slot.shape), slot.unit, slot.uniform]


def _slot_from_plain(data: list[Any]) -> Slot:
    name, shape, unit, uniform = data
    return Slot(name, tuple(shape), unit, uniform)
