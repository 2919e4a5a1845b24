"""The NumPy interpreter: it defines what every operation means, on one state or on arrays of states.

Blocks run through LAPACK with pivoting, so this is also the fallback for states a fixed elimination order cannot take.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from gough.program.graph import BLOCK, CONST, INPUT, ITEM
from gough.program.ops import Block, Call, ConstantMatvec, Op, Product, Solve
from gough.program.program import Program


def _short(x: np.ndarray) -> np.ndarray:
    """x to 15 bits, as a machine's seed of a reciprocal."""
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.round(mantissa * 32768.0) / 32768.0, exponent)


def _quadrant(t: np.ndarray, ahead: int, s: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Sine (ahead 0) or cosine (1) from those of the remainder; t carries the quarter turns in its last bits."""
    quarter = np.asarray(t, dtype=float).view(np.int64) + ahead
    value = np.where(quarter & 1, c, s)
    return np.where(quarter & 2, -value, value)


_FUNCTIONS: dict[int, Callable] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.NEG: np.negative,
    Op.SQRT: np.sqrt,
    Op.SIN: np.sin,
    Op.COS: np.cos,
    Op.ATAN2: np.arctan2,
    Op.ABS: np.abs,
    Op.SIGN: np.sign,
    Op.ROUND: np.rint,
    Op.SELECT: lambda c, a, b: np.where(c > 0, a, b),
    Op.FMA: lambda a, b, c: a * b + c,
    Op.FMS: lambda a, b, c: a * b - c,
    Op.FNMA: lambda a, b, c: c - a * b,
    Op.FNMS: lambda a, b, c: -(a * b) - c,
    Op.RCP: lambda a: 1.0 / a,
    Op.RSQRT: lambda a: 1.0 / np.sqrt(a),
    Op.RCP_SEED: lambda a: _short(1.0 / a),
    Op.RSQRT_SEED: lambda a: _short(1.0 / np.sqrt(a)),
    Op.QUADRANT_SIN: lambda t, s, c: _quadrant(t, 0, s, c),
    Op.QUADRANT_COS: lambda t, s, c: _quadrant(t, 1, s, c),
}


def evaluate(program: Program, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Named outputs for named inputs; all inputs broadcast on leading axes (..., *slot.shape)."""
    flat = []
    for slot in program.inputs:
        value = np.asarray(inputs[slot.name])
        batch = value.shape[: value.ndim - len(slot.shape)]
        flat.append(value.reshape((*batch, slot.size)))
    batch = np.broadcast_shapes(*[f.shape[:-1] for f in flat]) if flat else ()
    values = np.concatenate([np.broadcast_to(f, (*batch, f.shape[-1])) for f in flat], axis=-1)
    nodes = evaluate_nodes(program, values)
    outputs, k = {}, 0
    for slot in program.outputs:
        columns = stack_columns([nodes[i] for i in program.results[k : k + slot.size]], batch)
        outputs[slot.name] = columns.reshape((*batch, *slot.shape))
        k += slot.size
    return outputs


def evaluate_nodes(program: Program, values: np.ndarray) -> list:
    """Values of all nodes for inputs (..., n_inputs); the entry of a BLOCK is its stacked results."""
    nodes: list = [None] * len(program.ops)
    batch = values.shape[:-1]
    with np.errstate(all="ignore"):
        for i, (op, args) in enumerate(zip(program.ops, program.args, strict=True)):
            if op == INPUT:
                nodes[i] = values[..., args[0]]
            elif op == CONST:
                nodes[i] = args[0]
            elif op == BLOCK:
                nodes[i] = _block(args[0], stack_columns([nodes[k] for k in args[1:]], batch))
            elif op == ITEM:
                nodes[i] = nodes[args[0]][..., args[1]]
            else:
                nodes[i] = _FUNCTIONS[op](*[nodes[k] for k in args])
    return nodes


_ADD, _SUB, _MUL, _NEG = int(Op.ADD), int(Op.SUB), int(Op.MUL), int(Op.NEG)


def evaluate_one(
    program: Program, values: Sequence[float], known: Sequence[Any] | None = None, some: Sequence[int] = ()
) -> list:
    """Values of all nodes for one state (n_inputs,), as floats; the entry of a BLOCK is its results (1, k). known: values of all
    nodes for another state, of which only `some` (rising) differ here.

    What `evaluate_nodes` does, at a tenth of its time: numbers of Python instead of arrays of one number. Where Python refuses
    (a division by zero, the root of a negative number) NumPy says what comes of it.
    """
    nodes: list = [None] * len(program.ops) if known is None else list(known)
    ops, arguments = program.ops, program.args
    some = range(len(ops)) if known is None else some
    for i in some:
        op, args = ops[i], arguments[i]
        if op == _MUL:
            nodes[i] = nodes[args[0]] * nodes[args[1]]
        elif op == _ADD:
            nodes[i] = nodes[args[0]] + nodes[args[1]]
        elif op == _SUB:
            nodes[i] = nodes[args[0]] - nodes[args[1]]
        elif op == INPUT:
            nodes[i] = values[args[0]]
        elif op == CONST:
            nodes[i] = args[0]
        elif op == ITEM:
            nodes[i] = float(nodes[args[0]][0, args[1]])
        elif op == _NEG:
            nodes[i] = -nodes[args[0]]
        elif op == BLOCK:
            with np.errstate(all="ignore"):
                nodes[i] = _block(args[0], np.array([[nodes[k] for k in args[1:]]], dtype=float))
        else:
            nodes[i] = _one(op, [nodes[k] for k in args])
    return nodes


def dependent_nodes(program: Program, inputs: Collection[int]) -> list[int]:
    """Nodes that some of the inputs may change, rising."""
    reached, found = bytearray(len(program.ops)), []
    for i, op in enumerate(program.ops):
        if program.args[i][0] in inputs if op == INPUT else any(reached[k] for k in program.operands(i)):
            reached[i] = 1
            found.append(i)
    return found


def _one(op: int, operands: list[float]) -> float:
    try:
        exact = _EXACT.get(op)
        if exact is not None:
            return exact(*operands)
    except (ArithmeticError, ValueError):
        pass
    with np.errstate(all="ignore"):
        return float(_FUNCTIONS[op](*[np.float64(x) for x in operands]))


_EXACT: dict[int, Callable[..., float]] = {
    Op.DIV: lambda a, b: a / b,
    Op.SQRT: math.sqrt,
    Op.ABS: math.fabs,
    Op.SELECT: lambda c, a, b: a if c > 0 else b,
    Op.FMA: lambda a, b, c: a * b + c,
    Op.FMS: lambda a, b, c: a * b - c,
    Op.FNMA: lambda a, b, c: c - a * b,
    Op.FNMS: lambda a, b, c: -(a * b) - c,
    Op.RCP: lambda a: 1.0 / a,
    Op.RSQRT: lambda a: 1.0 / math.sqrt(a),
}
"""Operations on numbers of Python, the same to the last bit; sines, cosines and arcs are not, and stay NumPy's."""


def stack_columns(columns: Sequence, batch: tuple[int, ...]) -> np.ndarray:
    """Values that are numbers or arrays of shape `batch`, on a last axis."""
    kind = np.result_type(float, *{c.dtype if isinstance(c, np.ndarray) else type(c) for c in columns})
    out = np.empty((*batch, len(columns)), dtype=kind)
    for k, column in enumerate(columns):
        out[..., k] = column
    return out


def _block(block: Block, operands: np.ndarray) -> np.ndarray:
    if isinstance(block, ConstantMatvec):
        return operands @ np.array(block.matrix).T
    if isinstance(block, Product):
        batch, first = operands.shape[:-1], block.n * block.k
        left = operands[..., :first].reshape(*batch, block.n, block.k)
        return (left @ operands[..., first:].reshape(*batch, block.k, block.m)).reshape(*batch, block.outputs)
    if isinstance(block, Call):
        assert isinstance(block.program, Program)
        nodes = evaluate_nodes(block.program, operands)
        return stack_columns([nodes[i] for i in block.program.results], operands.shape[:-1])
    return solve_states(block, operands)


def solve_states(block: Solve, operands: np.ndarray) -> np.ndarray:
    """Solutions (..., n·m) of a solve block; NaN where a matrix is singular to working precision or not finite."""
    n, m = block.n, block.m
    batch = operands.shape[:-1]
    matrices = operands[..., : n * n].reshape(-1, n, n)
    rhs = operands[..., n * n :].reshape(-1, n, m)
    finite = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    usable = np.where(finite[:, None, None], matrices, np.eye(n))
    determinant = np.linalg.slogdet(usable)[0]
    good = finite & (determinant != 0)
    usable = np.where(good[:, None, None], usable, np.eye(n))
    x = np.linalg.solve(usable, rhs)
    x[~good] = np.nan
    return x.reshape((*batch, n * m))
