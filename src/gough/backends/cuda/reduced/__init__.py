"""Programs whose results are reduced over the states of a design, on a GPU: one number a measure and design
leaves, nothing a state.

    kernel = ReducedKernel(program, ("varied",), measures)
    kernel.table(rows, weights), kernel.launch(designs, table)

What follows from inputs of a design alone is computed once a design, what follows from those of a state once a state for all
designs; the rest for every state of every design, in registers. `_text`: the kernel's text; `_runtime`: launches.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

import numpy as np

from gough.backends.cuda._lowering import in_scalars, lower_scalars
from gough.backends.cuda._memory import RESERVED, SHARED
from gough.backends.cuda._registers import order_for_few_live, plan_registers
from gough.backends.cuda._store import _plain, stored_text
from gough.backends.cuda.reduced._runtime import ReducedRuntime, run_table
from gough.backends.cuda.reduced._text import DESIGN, STATE, write_reduced
from gough.backends.reductions import CONDITION, ENTRIES, HOWS, MeasuredPart, ReducedMeasure
from gough.errors import UsageError
from gough.program.graph import Graph
from gough.program.ops import Op
from gough.program.passes.inputs import HOISTED, split_uniform
from gough.program.passes.outputs import remove_dead_code
from gough.program.passes.rewrite import replay
from gough.program.program import Program, Slot

__all__ = ["CONDITION", "ENTRIES", "HOWS", "MeasuredPart", "ReducedKernel", "ReducedMeasure"]

ROOM = {256: 92, 384: 60}
"""Doubles a thread holds, by the threads of a multiprocessor."""
BLOCKS = (256, 128, 64)
"""Threads of a block; the most whose numbers fit into shared memory."""
LEAST_ROWS = 8
"""Rows of states that shared memory should hold at once."""
CHEAP = (8, 64)


class ReducedKernel:
    """program: all inputs varying; an output slot for each part of the measures, in their order. designs: names of the input
    slots that are a design's; all others are a state's, the same for all designs. bits: names of the status word's bits."""

    def __init__(
        self,
        program: Program,
        designs: Sequence[str],
        measures: Sequence[ReducedMeasure],
        precision: str = "fast",
        threads: int = 256,
    ) -> None:
        for m in measures:
            if m.how not in HOWS:
                raise UsageError(f"{m.name}: no reduction {m.how!r}; use one of {', '.join(HOWS)}")
        if len([p for m in measures for p in m.parts]) != len(program.outputs):
            raise UsageError(f"{program.name}: give an output slot for each part of the measures")
        self.program, self.measures = program, tuple(measures)
        told = (precision, tuple(designs), repr([asdict(m) for m in measures]), threads, "reduced")
        made = stored_text((program,), told, lambda: make_reduced(program, designs, self.measures, precision, threads))
        self.signature, self.source = made["signature"], made["source"]
        self.bits = tuple(self.signature["bits"])

    @cached_property
    def runtime(self) -> ReducedRuntime:
        """The kernel on a GPU; compiled at its first launch."""
        return ReducedRuntime(self.signature, self.source)

    def table(self, rows: dict[str, np.ndarray], weights: np.ndarray) -> np.ndarray:
        """Numbers (s, k) of states: rows {slot: (s, size)} of their inputs, weights (s, measures)."""
        return run_table(self.signature, rows, weights)


def make_reduced(
    program: Program, designs: Sequence[str], measures: tuple[ReducedMeasure, ...], precision: str, threads: int
) -> dict[str, Any]:
    """{"signature", "source"}; needs no GPU."""
    once, states, each = split_three(program, designs, precision)
    order = order_for_few_live(each)
    plans = [plan_registers(each, order, ROOM[threads], cheap) for cheap in CHEAP]
    plan = min(plans, key=lambda p: len(p.steps) + 2 * p.slots)
    text = None
    for block in BLOCKS if threads == 256 else (threads,):
        text = write_reduced(once, each, plan, measures, block)
        if 8 * (text.cells * block + LEAST_ROWS * text.row) <= SHARED - RESERVED:
            break
    else:
        raise UsageError(
            f"{program.name}: a design's {text.cells if text else 0} numbers do not fit into shared memory"
        )
    inputs = {s.name: s.size for s in program.inputs}
    signature = {
        "name": program.name,
        "block": block,
        "cells": text.cells,
        "row": text.row,
        "measures": len(measures),
        "design_size": sum(inputs[n] for n in designs),
        "states": _plain(states),
        "bits": [str(failure) for failure in text.bits],
    }
    return {"signature": signature, "source": text.source}


def split_three(program: Program, designs: Sequence[str], precision: str) -> tuple[Program, Program, Program]:
    """(from a design's inputs to DESIGN, from a state's to STATE, from both to the results), the first and last in a GPU's
    operations."""
    scalars = in_scalars(replace(program, inputs=_uniform(program, ())))
    if scalars.once is not None:
        raise UsageError(f"{program.name}: no input is uniform here")
    once, mixed = split_uniform(_with_uniform(scalars.each, designs))
    mixed = _renamed(mixed, "of design")
    own = {*designs, "of design"}
    states, each = split_uniform(_with_uniform(mixed, [s.name for s in mixed.inputs if s.name not in own]))
    each = _renamed(each, "of state")
    each = lower_scalars(replace(each, inputs=_uniform(each, ())), precision, "float64")
    return _gathered(program, once, states, each, own)


def _gathered(
    program: Program, once: Program, states: Program, each: Program, own: set[str]
) -> tuple[Program, Program, Program]:
    """The three programs with what the last one reads in one slot each."""
    places = [(slot.name, k) for slot in each.inputs for k in range(slot.size)]
    read = sorted({a[0] for op, a in zip(each.ops, each.args, strict=True) if op == Op.INPUT})
    of_state = [p for p in read if places[p][0] not in own]
    of_design = [p for p in read if places[p][0] in own]
    at = {p: k for k, p in enumerate([*of_state, *of_design])}
    args = [(at[a[0]],) if op == Op.INPUT else a for op, a in zip(each.ops, each.args, strict=True)]
    slots = (Slot(STATE, (len(of_state),)), Slot(DESIGN, (len(of_design),)))
    each = replace(each, args=args, inputs=slots)
    named = [places[p] for p in of_design]
    own_slots = tuple(s for s in program.inputs if s.name in own)
    first = lower_scalars(_picked(once, own_slots, "of design", named, DESIGN), "fast", "float64")
    others = tuple(s for s in program.inputs if s.name not in own)
    return first, _picked(states, others, "of state", [places[p] for p in of_state], STATE), each


def _picked(made: Program, slots: tuple[Slot, ...], hoisted: str, wanted: list[tuple[str, int]], name: str) -> Program:
    """A program of the inputs `slots` alone, whose results are some of these inputs and some of its own."""
    offsets, at = {}, 0
    for slot in slots:
        offsets[slot.name] = at
        at += slot.size
    graph, moved, position = Graph(), {}, 0
    for slot in made.inputs:
        for k in range(slot.size):
            if slot.name in offsets:
                moved[position + k] = graph.raw(Op.INPUT, offsets[slot.name] + k)
        position += slot.size
    new = replay(made, graph, inputs=moved)
    out = []
    for slot, k in wanted:
        out.append(new[made.results[k]] if slot == hoisted else graph.raw(Op.INPUT, offsets[slot] + k))
    notes = [""] * len(graph.ops)
    return remove_dead_code(
        replace(
            made,
            inputs=tuple(replace(s, uniform=False) for s in slots),
            outputs=(Slot(name, (len(out),)),),
            ops=graph.ops,
            args=graph.args,
            results=tuple(out),
            checks=(),
            notes=notes,
        )
    )


def _uniform(program: Program, names: Sequence[str]) -> tuple[Slot, ...]:
    return tuple(replace(s, uniform=s.name in names) for s in program.inputs)


def _with_uniform(program: Program, names: Sequence[str]) -> Program:
    return replace(program, inputs=_uniform(program, names))


def _renamed(program: Program, name: str) -> Program:
    return replace(program, inputs=tuple(replace(s, name=name) if s.name == HOISTED else s for s in program.inputs))
