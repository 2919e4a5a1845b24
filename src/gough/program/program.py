"""A straight-line program: named inputs, a list of nodes, named outputs and checks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gough.errors import Failure, Status
from gough.program.ops import Block, Op, Solve


@dataclass(frozen=True)
class Slot:
    """A named input or output of a program; `shape` without batch axes; `uniform` inputs are the same for all states."""

    name: str
    shape: tuple[int, ...]
    unit: str = ""
    uniform: bool = False

    @cached_property
    def size(self) -> int:
        """Number of scalars."""
        return math.prod(self.shape)


PIVOT = 1e-300
"""Minimum of a pivot check before sampled states give it a scale (`order_solves`)."""


NOT_FINITE = Status.NOT_FINITE.at("result")
"""A result that is NaN or infinite."""


@dataclass(frozen=True)
class NodeCheck:
    """`node` must be >= minimum; else that is the failure."""

    failure: Failure
    node: int
    minimum: float


@dataclass(frozen=True)
class Program:
    """Nodes in an order in which operands come first. An INPUT's payload is its position over all input slots."""

    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    ops: Sequence[int]
    args: Sequence[tuple[Any, ...]]
    results: tuple[int, ...]
    checks: tuple[NodeCheck, ...] = ()
    notes: Sequence[str] = field(default=(), compare=False, repr=False)
    name: str = "program"

    def __len__(self) -> int:
        return len(self.ops)

    def __repr__(self) -> str:
        return f"<Program {self.name}: {self.n_inputs} inputs, {len(self.ops)} nodes, {len(self.results)} results>"

    @property
    def n_inputs(self) -> int:
        """Number of scalar inputs."""
        return sum(slot.size for slot in self.inputs)

    def operands(self, i: int) -> tuple[int, ...]:
        """Nodes that node i reads."""
        op = self.ops[i]
        if op <= Op.CONST:
            return ()
        if op == Op.BLOCK:
            return self.args[i][1:]
        if op == Op.ITEM:
            return self.args[i][:1]
        return self.args[i]

    def block(self, i: int) -> Block:
        """The block of BLOCK node i."""
        return self.args[i][0]

    def input_offset(self, name: str) -> int:
        """Position of the first scalar of the input slot called `name`."""
        offset = 0
        for slot in self.inputs:
            if slot.name == name:
                return offset
            offset += slot.size
        raise KeyError(f"no input {name!r}; this program has {[s.name for s in self.inputs]}")

    def uniform_inputs(self) -> np.ndarray:
        """Boolean (n_inputs,): which scalars are the same for all states."""
        return np.concatenate([np.full(s.size, s.uniform) for s in self.inputs] or [np.zeros(0, bool)])

    def evaluate_flat(self, values: np.ndarray) -> np.ndarray:
        """Results (flat) for flat inputs: the interpreter on one state."""
        from gough.program.interpreter import evaluate_nodes, evaluate_one

        flat = np.asarray(values)
        nodes = evaluate_one(self, flat.tolist()) if flat.dtype == float else evaluate_nodes(self, flat)
        return np.array([nodes[i] for i in self.results])

    @cached_property
    def without_calls(self) -> "Program":
        """The same program with the bodies of its calls in their places, so that none of their checks and solves is hidden."""
        from gough.program.passes.expand_blocks import inline_calls

        return inline_calls(self)

    @cached_property
    def used_inputs(self) -> np.ndarray:
        """Positions of the inputs that some node reads."""
        return np.array([a[0] for op, a in zip(self.ops, self.args, strict=True) if op == Op.INPUT], dtype=int)

    def solve_matrix(self, i: int) -> tuple[int, ...]:
        """Nodes of the matrix of a node that solves a system, row by row."""
        block = self.block(i)
        assert isinstance(block, Solve)
        return self.args[i][1 : 1 + block.n**2]

    @cached_property
    def solves(self) -> list[int]:
        """Nodes that solve a system."""
        blocks = [i for i, op in enumerate(self.ops) if op == Op.BLOCK]
        return [i for i in blocks if isinstance(self.block(i), Solve)]
