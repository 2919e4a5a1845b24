"""Choose elimination orders and pivot floors of solve blocks from sampled states.

Complete pivoting over all samples at once: an entry may become the pivot when its smallest scaled size over the samples
is a fair share of the largest such size; of these the one that costs least work is taken (Markowitz: fewest products,
counting structural zeros and the fill-in so far). A floor is a small part of the median pivot; states below it are
solved again with pivoting.
"""

from dataclasses import replace

import numpy as np

from gough.program._scalar_solve import scalar_solve
from gough.program.graph import Graph
from gough.program.interpreter import evaluate_nodes, stack_columns
from gough.program.ops import Block, Op, Solve
from gough.program.passes.rewrite import finish, replay
from gough.program.program import PIVOT, NodeCheck, Program, Slot
from gough.program.trace import no_collecting
from gough.progress import doing

PIVOT_FLOOR = 1e-9
"""Floor of the pivots of systems written out, relative to their median."""
SMALL_FLOOR = 1e-6
"""Floor of systems of up to 3 unknowns and of positive definite ones, relative to the median pivot."""
FAIR_SHARE = 0.2
"""How large a pivot must be at its worst, relative to the largest, to be chosen for its low cost."""
LARGE = 12
"""Unknowns above which the pivots of positive definite systems are found in numbers: writing them out takes too long."""
LARGE_FLOOR = 1e-3
"""Floor of eliminations of 4 and more unknowns."""


def order_solves(program: Program, samples: np.ndarray, large_floor: float = LARGE_FLOOR) -> Program:
    """The same program with orders and floors fitted to `samples` (states, n_inputs). large_floor: of eliminations of 4 and more
    unknowns, where residuals are not all that tells of lost digits."""
    with doing(f"ordering the solves of {program.name}"):
        return _ordered(program, samples, large_floor)


def _ordered(program: Program, samples: np.ndarray, large_floor: float) -> Program:
    nodes = evaluate_nodes(program, samples)
    program = replace(program, checks=tuple(_scale_check(c, nodes[c.node], len(samples)) for c in program.checks))
    fitted: list[Block] = []
    for i, op in enumerate(program.ops):
        if op != Op.BLOCK:
            continue
        block = program.block(i)
        if isinstance(block, Solve):
            operands = stack_columns([nodes[k] for k in program.args[i][1:]], samples.shape[:1])
            block = _fit(block, operands, program, i, large_floor)
        fitted.append(block)
    graph = Graph()
    queue = iter(fitted)
    with no_collecting():
        new = replay(program, graph, lambda g, _, operands: g.block(next(queue), operands))
        return finish(program, graph, new)


def _scale_check(check: NodeCheck, values: np.ndarray, n: int) -> NodeCheck:
    """A pivot check with its floor."""
    if check.minimum != PIVOT:
        return check
    found = np.broadcast_to(values, n)
    known = found[~np.isnan(found)]
    median = float(np.median(known)) if len(known) else np.nan
    return replace(check, minimum=max(PIVOT_FLOOR * median, PIVOT) if np.isfinite(median) else PIVOT)


def _fit(block: Solve, operands: np.ndarray, program: Program, node: int, large_floor: float) -> Solve:
    n = block.n
    matrices = operands[:, : n * n].reshape(-1, n, n)
    good = np.isfinite(matrices).all(axis=(1, 2))
    if not good.any():
        return block
    if not block.spd and n > 3:
        zero = [program.ops[k] == Op.CONST and float(program.args[int(k)][0]) == 0.0 for k in program.args[node][1:]]
        block = replace(block, order=elimination_order(matrices[good], ~np.array(zero[: n * n]).reshape(n, n)))
    if block.spd and n > LARGE:
        pivots = symmetric_pivots(matrices[good])
    else:
        pivots = _pivots(block, operands[good], program, node)
    share = SMALL_FLOOR if block.spd or n <= 3 else large_floor
    return replace(block, floor=tuple(share * _typical(np.abs(x)) for x in pivots.T))


def _typical(pivots: np.ndarray) -> float:
    """The median of pivots (samples,); a sample that meets a zero before, as a symmetric home may, has none."""
    known = pivots[np.isfinite(pivots)]
    return float(np.median(known)) if len(known) else 0.0


def elimination_order(
    matrices: np.ndarray, pattern: np.ndarray | None = None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(rows, columns) in elimination order for matrices (samples, n, n); pattern (n, n): entries that are not zero."""
    a = matrices.copy()
    n = a.shape[1]
    filled = np.ones((n, n), dtype=bool) if pattern is None else pattern.copy()
    scale = np.abs(a).max(axis=2, keepdims=True)
    a = a / np.where(scale > 0, scale, 1.0)
    scale = np.abs(a).max(axis=1, keepdims=True)
    a = a / np.where(scale > 0, scale, 1.0)
    rows, columns = list(range(n)), list(range(n))
    order: list[tuple[int, int]] = []
    for _ in range(n):
        worst = np.round(np.abs(a[:, rows][:, :, columns]).min(axis=0), 9)
        own = filled[np.ix_(rows, columns)]
        work = np.outer(own.sum(axis=1) - 1, own.sum(axis=0) - 1).astype(float)
        fair = (worst >= FAIR_SHARE * worst.max()) & own
        merit = np.where(fair, -work, -np.inf) if fair.any() else worst
        ties = np.where(merit == merit.max(), worst, -1.0)
        i, j = np.unravel_index(int(np.argmax(ties)), ties.shape)
        r, c = rows[int(i)], columns[int(j)]
        order.append((r, c))
        pivot = a[:, r, c]
        pivot = np.where(np.abs(pivot) > 1e-300, pivot, 1e-300)
        a = a - a[:, :, c, None] * a[:, r, None, :] / pivot[:, None, None]
        filled |= np.outer(filled[:, c], filled[r])
        rows.remove(r)
        columns.remove(c)
    return tuple(r for r, _ in order), tuple(c for _, c in order)


def _pivots(block: Solve, operands: np.ndarray, program: Program, node: int) -> np.ndarray:
    """Pivots (samples, k) that the block meets in scalar operations, found with its structural zeros."""
    graph = Graph()
    inputs = []
    for position, k in enumerate(program.args[node][1:]):
        if program.ops[k] == Op.CONST:
            inputs.append(graph.const(float(program.args[int(k)][0])))
        else:
            inputs.append(graph.raw(Op.INPUT, position))
    _, pivots = scalar_solve(graph, block, tuple(inputs))
    alone = Program(
        (Slot("x", (operands.shape[1],)),), (Slot("y", (len(pivots),)),), graph.ops, graph.args, tuple(pivots)
    )
    values = evaluate_nodes(alone, operands)
    return stack_columns([values[i] for i in pivots], operands.shape[:1])


def symmetric_pivots(matrices: np.ndarray) -> np.ndarray:
    """Pivots (samples, n) of LDLᵀ in the natural order."""
    a = matrices.copy()
    for k in range(a.shape[1] - 1):
        pivot = np.where(np.abs(a[:, k, k]) > 1e-300, a[:, k, k], 1e-300)
        a[:, k + 1 :, k + 1 :] -= a[:, k + 1 :, k, None] * a[:, None, k + 1 :, k] / pivot[:, None, None]
    return np.einsum("skk->sk", a).copy()
