"""Programs that go from one memory to the next: cells that stay as they are, or that nothing reads but themselves, left out."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from gough.program.ops import Op
from gough.program.passes.outputs import remove_dead_code
from gough.program.program import Program, Slot


def drop_idle_cells(program: Program, cells: Mapping[str, str]) -> Program:
    """Without idle cells {input slot: output slot}, and without inputs that are not read."""
    gone = {cells[name] for name in _idle_cells(program, cells)}
    left = [(slot, nodes) for slot, nodes in _results_of(program) if slot.name not in gone]
    results = tuple(i for _, nodes in left for i in nodes)
    lean = remove_dead_code(replace(program, outputs=tuple(slot for slot, _ in left), results=results))
    keep, new, old, size = [], {}, 0, 0
    for slot in lean.inputs:
        if np.isin(lean.used_inputs, range(old, old + slot.size)).any():
            new |= {old + k: size + k for k in range(slot.size)}
            keep.append(slot)
            size += slot.size
        old += slot.size
    args = [(new[a[0]],) if op == Op.INPUT else a for op, a in zip(lean.ops, lean.args, strict=True)]
    return replace(lean, inputs=tuple(keep), args=args)


def _results_of(program: Program) -> Iterator[tuple[Slot, tuple[int, ...]]]:
    at = 0
    for slot in program.outputs:
        yield slot, program.results[at : at + slot.size]
        at += slot.size


def _idle_cells(program: Program, cells: Mapping[str, str]) -> Iterator[str]:
    for name, after in cells.items():
        begin = program.input_offset(name)
        size = next(slot.size for slot in program.inputs if slot.name == name)
        own = next(nodes for slot, nodes in _results_of(program) if slot.name == after)
        if all(program.ops[i] == Op.INPUT and program.args[i][0] == begin + k for k, i in enumerate(own)):
            yield name
            continue
        others = [i for slot, nodes in _results_of(program) if slot.name != after for i in nodes]
        rest = remove_dead_code(replace(program, outputs=(Slot("rest", (len(others),)),), results=tuple(others)))
        if not np.isin(rest.used_inputs, range(begin, begin + size)).any():
            yield name
