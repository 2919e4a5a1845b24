"""A program as a pure JAX function for jit, vmap and all of JAX's derivatives, in float64.

Sums and products run as loops over wide steps (`schedule`); solves stay blocks and run pivoted (`jnp.linalg.solve`), so
a state that a fixed elimination order could not take is no special case. Checks are left out: a bad state gives whatever
the arithmetic gives (NaN or inf at a singularity); ask the function itself for statuses.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.backends.backend import Backend
from gough.errors import UsageError
from gough.program.inputs import demand_inputs
from gough.program.ops import Block, ConstantMatvec, Op, Product, Solve
from gough.program.passes.expand_blocks import inline_calls
from gough.program.passes.outputs import drop_checks
from gough.program.program import Program

# Operations grouped into wide steps that XLA can run as few loops.
#
# XLA takes tens of milliseconds for every operation it compiles: minutes for thousands of scalar ones. Here all sums and
# products whose operands are there make one step, and steps that follow each other differ only in tables of numbers, so a
# run of them is one loop. Everything else (divisions, sines, roots, blocks) makes few steps and is written out. Values
# live in one long buffer: the inputs of the program that are used, its numbers, then the results of every step.

POLYNOMIAL = (Op.ADD, Op.SUB, Op.NEG, Op.MUL)


@dataclass(frozen=True)
class PolynomialRun:
    """Consecutive steps of sums and products, (steps, width) each: y = a · b where `product`, else a + sign · b; the
    results of step i go to places start[i]...; what lies behind the step's own results there is written later."""

    start: np.ndarray
    a: np.ndarray
    b: np.ndarray
    sign: np.ndarray
    product: np.ndarray


@dataclass(frozen=True)
class WideStep:
    """One operation or block; operands: places, one array an operand (one for a whole block)."""

    kind: Op | Block
    operands: tuple[np.ndarray, ...]
    start: int


@dataclass
class WideSchedule:
    """inputs: positions of the used inputs; numbers: the constants behind them; results: places of the results; size of
    the buffer, with room for the widest step behind the last place."""

    inputs: np.ndarray
    numbers: np.ndarray
    parts: list[PolynomialRun | WideStep] = field(default_factory=list)
    results: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    size: int = 0


def schedule(program: Program) -> WideSchedule:
    """Steps of a program without calls: sums and products as long as any are ready, then all of another kind."""
    ops, args = program.ops, program.args
    place = [-1] * len(ops)
    used = [i for i, op in enumerate(ops) if op == Op.INPUT]
    fixed = [i for i, op in enumerate(ops) if op == Op.CONST]
    for k, i in enumerate((*used, *fixed)):
        place[i] = k
    zero = len(used) + len(fixed)
    out = WideSchedule(np.array([args[i][0] for i in used], int), np.array([*(args[i][0] for i in fixed), 0.0]))
    end, widest = zero + 1, 0
    waiting, readers, ready = _dependencies(program, place)
    run: list[tuple[int, list[int]]] = []
    while ready:
        kind = next((k for k in ready if k == Op.ADD), next(iter(ready)))
        nodes = sorted(ready.pop(kind))
        if kind != Op.ADD and run:
            out.parts.append(_run_of(program, run, place, zero))
            run = []
        if kind == Op.ADD:
            run.append((end, nodes))
            widest = max(widest, len(nodes))
        elif ops[nodes[0]] == Op.BLOCK:
            [block] = nodes
            out.parts.append(WideStep(program.block(block), (_places(place, program.operands(block)),), end))
        else:
            columns = zip(*[args[i] for i in nodes], strict=True)
            out.parts.append(WideStep(Op(ops[nodes[0]]), tuple(_places(place, c) for c in columns), end))
        done = list(nodes)
        if ops[nodes[0]] == Op.BLOCK:
            place[nodes[0]] = end
            done += [i for i in readers[nodes[0]] if ops[i] == Op.ITEM]
            for i in done[1:]:
                place[i] = end + args[i][1]
            end += program.block(nodes[0]).outputs
        else:
            for i in nodes:
                place[i] = end
                end += 1
        for i in done:
            for k in readers[i]:
                waiting[k] -= 1
                if waiting[k] == 0 and ops[k] != Op.ITEM:
                    ready.setdefault(_kind(program, k), []).append(k)
    if run:
        out.parts.append(_run_of(program, run, place, zero))
    out.results = _places(place, program.results)
    out.size = end + widest
    return out


def _dependencies(program: Program, place: list[int]) -> tuple[list[int], list[list[int]], dict[object, list[int]]]:
    """How many operands every node waits for, who reads it, and what is ready, by kind."""
    waiting, readers = [0] * len(program.ops), [[] for _ in program.ops]
    ready: dict[object, list[int]] = {}
    for i, op in enumerate(program.ops):
        if op > Op.CONST:
            missing = [k for k in dict.fromkeys(program.operands(i)) if place[k] < 0]
            waiting[i] = len(missing)
            for k in missing:
                readers[k].append(i)
            if not missing:
                ready.setdefault(_kind(program, i), []).append(i)
    return waiting, readers, ready


def _kind(program: Program, i: int) -> object:
    """What runs together: ADD stands for all sums and products; every block runs alone."""
    op = program.ops[i]
    if op in POLYNOMIAL:
        return Op.ADD
    return (Op.BLOCK, i) if op == Op.BLOCK else Op(op)


def _places(place: list[int], nodes: Sequence[int]) -> np.ndarray:
    return np.array([place[k] for k in nodes], int)


def _run_of(program: Program, steps: list[tuple[int, list[int]]], place: list[int], zero: int) -> PolynomialRun:
    shape = (len(steps), max(len(nodes) for _, nodes in steps))
    a, b = np.full(shape, zero), np.full(shape, zero)
    sign, product = np.ones(shape), np.zeros(shape, bool)
    for row, (_, nodes) in enumerate(steps):
        for k, i in enumerate(nodes):
            op, args = program.ops[i], program.args[i]
            a[row, k] = zero if op == Op.NEG else place[args[0]]
            b[row, k] = place[args[-1]]
            sign[row, k] = -1.0 if op in (Op.SUB, Op.NEG) else 1.0
            product[row, k] = op == Op.MUL
    return PolynomialRun(np.array([start for start, _ in steps]), a, b, sign, product)


JaxFunction = Callable[..., dict[str, Any]]


def to_jax(program: Program) -> JaxFunction:
    """f(*slots) or f(slot=...) -> {output: array}; arrays (..., *shape) broadcast on leading axes. Compiled by jax.jit.

    JAX computes in float32 unless told otherwise; without 64 bits this refuses, at once and at every call.
    """
    jax = _jax()
    _check_64_bits(jax)
    program = inline_calls(drop_checks(program))
    plan = schedule(program)
    names = [slot.name for slot in program.inputs]

    @jax.jit
    def compiled(*arrays: Any) -> tuple[Any, ...]:
        batches = [x.shape[: x.ndim - len(s.shape)] for x, s in zip(arrays, program.inputs, strict=True)]
        batch = jax.numpy.broadcast_shapes(*batches)
        columns = []
        for x, slot, own in zip(arrays, program.inputs, batches, strict=True):
            whole = own if math.prod(own) == 1 else batch
            columns.append(jax.numpy.broadcast_to(x, (*whole, *slot.shape)).reshape(math.prod(whole), slot.size).T)
        if math.prod(batch) == 0:
            return tuple(jax.numpy.zeros((*batch, *s.shape)) for s in program.outputs)
        out = _run(jax, program, plan, columns)
        return tuple(x.reshape(*batch, *s.shape) for x, s in zip(out, program.outputs, strict=True))

    def function(*arrays: Any, **named: Any) -> dict[str, Any]:
        _check_64_bits(jax)
        given = _by_slot(program.name, {s.name: s.shape for s in program.inputs}, arrays, named)
        ready = []
        for slot, x in zip(program.inputs, given, strict=True):
            x = jax.numpy.asarray(x, dtype=np.float64)
            if x.shape[max(x.ndim - len(slot.shape), 0) :] != slot.shape:
                shape = ", ".join(["...", *map(str, slot.shape)])
                raise UsageError(f"{program.name}: {slot.name} has shape {x.shape}; expected ({shape})")
            ready.append(x)
        results = compiled(*ready)
        return {slot.name: x for slot, x in zip(program.outputs, results, strict=True)}

    function.__name__ = function.__qualname__ = "_".join(program.name.split())
    function.__doc__ = f"{program.name}: {', '.join(names)} -> {', '.join(s.name for s in program.outputs)}."
    return function


def _jax() -> Any:
    try:
        import jax
    except ImportError:
        raise UsageError('to_jax needs JAX: install it with  pip install "gough[jax]"') from None
    return jax


def _check_64_bits(jax: Any) -> None:
    if not jax.config.jax_enable_x64:
        raise UsageError(
            "JAX computes in float32 here, too few digits for dynamics: say  jax.config.update('jax_enable_x64', True)  "
            "before any array is made, or set the environment variable JAX_ENABLE_X64=1"
        )


def _by_slot(name: str, shapes: Mapping[str, tuple[int, ...]], arrays: tuple, named: Mapping[str, Any]) -> list[Any]:
    """Arguments in the order of the slots."""
    names = list(shapes)
    given = dict(zip(names, arrays, strict=False)) | dict(named)
    twice = set(names[: len(arrays)]) & set(named)
    if len(arrays) > len(names) or twice:
        raise UsageError(f"{name} takes {names}, got {len(arrays)} by position and {sorted(named)} by name")
    demand_inputs(name, shapes, given)
    return [given[k] for k in names]


def _run(jax: Any, program: Program, plan: WideSchedule, arrays: list[Any]) -> list[Any]:
    """Outputs (states, size) for inputs (size, states) or (size, 1)."""
    jnp = jax.numpy
    states = max(x.shape[1] for x in arrays)
    given = jnp.concatenate([jnp.broadcast_to(x, (len(x), states)) for x in arrays])
    numbers = jnp.broadcast_to(plan.numbers[:, None], (len(plan.numbers), states))
    room = jnp.zeros((plan.size - len(plan.inputs) - len(plan.numbers), states))
    buffer = jnp.concatenate([given[plan.inputs], numbers, room])
    rules = _rules(jax)
    for part in plan.parts:
        if isinstance(part, PolynomialRun):
            buffer = _loop(jax, part, buffer)
            continue
        operands = [buffer.at[k].get(mode="promise_in_bounds") for k in part.operands]
        y = rules[part.kind](*operands) if isinstance(part.kind, Op) else _block(jax, part.kind, operands[0])
        buffer = jax.lax.dynamic_update_slice_in_dim(buffer, y, part.start, axis=0)
    results = buffer[plan.results]
    outputs, k = [], 0
    for slot in program.outputs:
        outputs.append(results[k : k + slot.size].T)
        k += slot.size
    return outputs


def _loop(jax: Any, run: PolynomialRun, buffer: Any) -> Any:
    """The buffer after a run of sums and products."""

    def step(buffer: Any, row: Any) -> tuple[Any, None]:
        start, a, b, sign, product = row
        x, y = (buffer.at[k].get(mode="promise_in_bounds") for k in (a, b))
        result = jax.numpy.where(product[:, None], x * y, x + sign[:, None] * y)
        return jax.lax.dynamic_update_slice_in_dim(buffer, result, start, axis=0), None

    rows = (run.start, run.a, run.b, run.sign, run.product)
    if len(run.start) == 1:
        return step(buffer, tuple(x[0] for x in rows))[0]
    return jax.lax.scan(step, buffer, rows)[0]


def _rules(jax: Any) -> dict[Op, Callable[..., Any]]:
    jnp = jax.numpy
    return {
        Op.DIV: jnp.divide,
        Op.SQRT: jnp.sqrt,
        Op.SIN: jnp.sin,
        Op.COS: jnp.cos,
        Op.ATAN2: jnp.arctan2,
        Op.ABS: jnp.abs,
        Op.SIGN: jnp.sign,
        Op.ROUND: jnp.round,
        Op.SELECT: lambda c, a, b: jnp.where(c > 0, a, b),
    }


def _block(jax: Any, block: Block, operands: Any) -> Any:
    """Results (k, states) of a block for its operands (n, states)."""
    if isinstance(block, ConstantMatvec):
        return np.array(block.matrix) @ operands
    if isinstance(block, Product):
        left = operands[: block.n * block.k].T.reshape(-1, block.n, block.k)
        right = operands[block.n * block.k :].T.reshape(-1, block.k, block.m)
        return (left @ right).reshape(-1, block.outputs).T
    assert isinstance(block, Solve)
    n, m = block.n, block.m
    matrices = operands[: n * n].T.reshape(-1, n, n)
    rhs = operands[n * n :].T.reshape(-1, n, m)
    if block.spd and not block.negative:
        solve = jax.vmap(lambda a, b: jax.scipy.linalg.solve(a, b, assume_a="pos"))
        return solve(matrices, rhs).reshape(-1, n * m).T
    return jax.numpy.linalg.solve(matrices, rhs).reshape(-1, n * m).T


class JaxBackend(Backend):
    """compile: see `to_jax`."""

    name = "jax"

    def compile(self, program: Program, **options: Any) -> Any:
        """A pure function of JAX arrays."""
        return to_jax(program, **options)


BACKEND = JaxBackend()
