"""Programs as plain data (lists, strings, numbers) and back, for files; without notes."""

from typing import Any

from gough.errors import Status
from gough.program.ops import Op
from gough.program.program import Check, Program, Slot


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
        "checks": [[[int(c.failure.status), c.failure.place], c.node, c.minimum.hex()] for c in program.checks],
    }


def program_from_plain(data: dict[str, Any]) -> Program:
    """The program of `program_to_plain`."""
    ops = [int(op) for op in data["ops"]]
    args = [(float.fromhex(a[0]),) if op == Op.CONST else tuple(a) for op, a in zip(ops, data["args"], strict=True)]
    return Program(
        tuple(_slot_from_plain(s) for s in data["inputs"]),
        tuple(_slot_from_plain(s) for s in data["outputs"]),
        ops,
        args,
        tuple(data["results"]),
        tuple(
            Check(Status(status).at(place), node, float.fromhex(least))
            for (status, place), node, least in data["checks"]
        ),
        name=data["name"],
    )


def _slot_to_plain(slot: Slot) -> list[Any]:
    return [slot.name, list(slot.shape), slot.unit, slot.uniform]


def _slot_from_plain(data: list[Any]) -> Slot:
    name, shape, unit, uniform = data
    return Slot(name, tuple(shape), unit, uniform)
