"""Evaluate with full care: pivoted solves, condition numbers and all checks, those of called programs too; for the few states
fast code flags."""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from gough.errors import GOOD, Failure, Status
from gough.program.interpreter import evaluate_nodes, evaluate_one, stack_columns
from gough.program.ops import Solve
from gough.program.program import NOT_FINITE, Program

SMALLEST_RCOND = 1e-13
"""A solve whose equilibrated matrix has a smaller reciprocal condition number is singular."""

NOISE = 1e-12
"""Rows and columns this much smaller than the largest are noise."""


def evaluate_with_care(program: Program, values: np.ndarray) -> tuple[list[np.ndarray], list[Failure]]:
    """(results per output slot (n, size), the first failure or GOOD per state) for inputs (n, n_inputs)."""
    n, program = len(values), program.without_calls
    if n == 1:
        nodes = evaluate_one(program, values[0].tolist())
        outputs = result_columns(program, nodes, 1)
        return outputs, [first_failure(program, values[0], nodes, outputs)]
    nodes = evaluate_nodes(program, values)
    failed = np.full(n, GOOD, dtype=object)

    def fail(bad: np.ndarray, failure: Failure) -> None:
        failed[bad & (failed == GOOD)] = failure

    if not np.isfinite(values[:, program.used_inputs]).all():
        for name, places in used_places(program).items():
            fail(~np.asarray(np.isfinite(values[:, places]).all(axis=1)), unknown_input(name))
    for check in program.checks:
        fail(~(np.broadcast_to(nodes[check.node], n) >= check.minimum), check.failure)
    for i in program.solves:
        fail(solve_conditions(program, i, nodes, n) < SMALLEST_RCOND, _solve_failure(program, i))
    outputs = result_columns(program, nodes, n)
    for output in outputs:
        fail(~np.asarray(np.isfinite(output).all(axis=1)), NOT_FINITE)
    return outputs, list(failed)


def unknown_input(name: str) -> Failure:
    """Of a state that has no number there."""
    return Status.NOT_FINITE.at(f"input {name}")


def used_places(program: Program) -> dict[str, np.ndarray]:
    """Positions among all inputs of those that some node reads, by slot."""
    start, found, used = 0, {}, np.sort(program.used_inputs)
    for slot in program.inputs:
        found[slot.name] = used[(used >= start) & (used < start + slot.size)]
        start += slot.size
    return found


def first_failure(
    program: Program,
    values: np.ndarray,
    nodes: list,
    outputs: list[np.ndarray],
    known: Mapping[int, float] = MappingProxyType({}),
) -> Failure:
    """The same of one state, whose nodes are numbers. known: conditions of solves, by node, where they are known."""
    if not np.isfinite(values[program.used_inputs]).all():
        found = used_places(program).items()
        return next(unknown_input(name) for name, places in found if not np.isfinite(values[places]).all())
    for check in program.checks:
        if not nodes[check.node] >= check.minimum:
            return check.failure
    for i in program.solves:
        condition = known[i] if i in known else solve_conditions(program, i, nodes, 1)[0]
        if condition < SMALLEST_RCOND:
            return _solve_failure(program, i)
    return GOOD if all(np.isfinite(output).all() for output in outputs) else NOT_FINITE


def solve_conditions(program: Program, node: int, nodes: list, n: int) -> np.ndarray:
    """Reciprocal condition numbers (n,) of the matrix of a solve."""
    matrix = program.solve_matrix(node)
    k = math.isqrt(len(matrix))
    return reciprocal_condition(stack_columns([nodes[j] for j in matrix], (n,)).reshape(n, k, k))


def _solve_failure(program: Program, node: int) -> Failure:
    block = program.block(node)
    assert isinstance(block, Solve)
    return block.failure or Status.SINGULAR.at("solve")


def result_columns(program: Program, nodes: list, n: int) -> list[np.ndarray]:
    """Outputs (n, size) per slot from the values of all nodes."""
    outputs, k = [], 0
    for slot in program.outputs:
        out = np.empty((n, slot.size))
        for j, i in enumerate(program.results[k : k + slot.size]):
            out[:, j] = nodes[i]
        outputs.append(out)
        k += slot.size
    return outputs


def reciprocal_condition(matrices: np.ndarray) -> np.ndarray:
    """Reciprocal condition numbers (n,) of matrices (n, k, k) after scaling rows and columns; 0 when not finite.

    Scaling takes care of units; a row or column that is nothing but rounding noise is not scaled up.
    """
    good = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    a = np.where(good[:, None, None], matrices, 0.0)
    for axis in (2, 1):
        scale = np.abs(a).max(axis=axis, keepdims=True)
        top = scale.max(axis=3 - axis, keepdims=True)
        a = a / np.where(scale > NOISE * top, scale, np.where(top > 0, top, 1.0))
    s = np.linalg.svd(a, compute_uv=False)
    largest = np.where(s[:, 0] > 0, s[:, 0], 1.0)
    return np.where(good, s[:, -1] / largest, 0.0)


def flat_inputs(program: Program, inputs: Mapping[str, np.ndarray], n: int) -> np.ndarray:
    """Inputs (n, n_inputs) from rows per slot (n, size) or (1, size)."""
    return np.concatenate([np.broadcast_to(inputs[s.name], (n, s.size)) for s in program.inputs], axis=1)
