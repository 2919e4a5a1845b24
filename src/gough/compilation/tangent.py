"""Derivatives by motions of the closed robot: q moves along q̇ = N(q) v, so derivatives by q have nv directions."""

from dataclasses import replace
from typing import TYPE_CHECKING

from gough.compilation.function import Function
from gough.errors import UsageError
from gough.program import Slot
from gough.program.derivatives import push_forward
from gough.program.graph import Graph
from gough.program.ops import Op
from gough.program.passes.dead_code import remove_dead_code
from gough.program.passes.expand_blocks import expand_blocks
from gough.program.passes.rewrite import replay

if TYPE_CHECKING:
    from gough.compilation.model import Model


def tangent_derivative(model: "Model", name: str, wrt: tuple[str, ...]) -> Function:
    """Function with outputs "<output>_<slot>" of shape (*output, size); q counts nv motions (translation of the
    platform's origin and rotation about it, world axes), other slots their entries."""
    return model.cached(("tangent", name, wrt), lambda: _make(model, name, wrt))


def _make(model: "Model", name: str, wrt: tuple[str, ...]) -> Function:
    program = expand_blocks(model.function(name).program)
    rates = expand_blocks(model.function("configuration_rate").program)
    nv, nq = model.layout.nv, model.layout.nq
    graph = Graph()
    new = replay(program, graph)
    one, zero = graph.const(1.0), graph.const(0.0)
    slots = {s.name: s for s in program.inputs}
    sizes = []
    for slot in wrt:
        if slot not in slots:
            raise UsageError(f"{name} has no input {slot!r}; it has {list(slots)}")
        sizes.append(nv if slot == "q" else slots[slot].size)
    n = sum(sizes)
    seeds: dict[int, list[int]] = {}
    start = 0
    for slot, size in zip(wrt, sizes, strict=True):
        offset = program.input_offset(slot)
        if slot == "q":
            columns = [_qdot(program, rates, graph, k) for k in range(nv)]
            for j in range(nq):
                seeds[offset + j] = [columns[d - start][j] if start <= d < start + nv else zero for d in range(n)]
        else:
            for j in range(size):
                seeds[offset + j] = [one if d == start + j else zero for d in range(n)]
        start += size
    dots = push_forward(program, graph, new, seeds, n)
    outputs, results, start = [], [], 0
    for slot, size in zip(wrt, sizes, strict=True):
        position = 0
        for output in program.outputs:
            outputs.append(Slot(f"{output.name}_{slot}", (*output.shape, size)))
            for i in program.results[position : position + output.size]:
                results += dots[i][start : start + size]
            position += output.size
        start += size
    derivative = remove_dead_code(
        replace(
            program,
            name=f"{program.name} tangent",
            ops=graph.ops,
            args=graph.args,
            notes=graph.notes,
            outputs=tuple(outputs),
            results=tuple(results),
            checks=tuple(replace(c, node=new[c.node]) for c in program.checks),
        )
    )
    return Function(derivative, model.mechanism.table, model.pattern)


def _qdot(program, rates, graph: Graph, direction: int) -> list[int]:
    """Nodes of q̇ for a unit motion along `direction`."""
    mapping: dict[int, int] = {}
    for slot in rates.inputs:
        offset = rates.input_offset(slot.name)
        for k in range(slot.size):
            if slot.name == "v":
                mapping[offset + k] = graph.const(1.0 if k == direction else 0.0)
            else:
                mapping[offset + k] = graph.raw(Op.INPUT, program.input_offset(slot.name) + k)
    new = replay(rates, graph, inputs=mapping)
    return [new[i] for i in rates.results]
